//! Boards: what the sensors show ([`scan`]) and which legal moves explain it (`infer`).

#[cfg(feature = "chess")]
pub mod infer;
pub mod scan;

pub use scan::{Impossible, Kind, Man, Scan, ScanError, Turn};
