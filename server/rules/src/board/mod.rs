//! Boards: what the sensors show ([`scan`]), which legal moves explain it (`infer`), and what play goes on from where none does (`play_on`).

#[cfg(feature = "chess")]
pub mod infer;
#[cfg(feature = "chess")]
pub mod play_on;
pub mod scan;

pub use scan::{Impossible, Kind, Man, Scan, ScanError, Turn};
