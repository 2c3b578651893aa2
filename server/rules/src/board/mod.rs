//! Boards: what the sensors show ([`scan`]) and which legal moves explain it (`infer`).

pub mod scan;
#[cfg(feature = "chess")]
pub mod infer;

pub use scan::{Impossible, Kind, Man, Scan, ScanError, Turn};
