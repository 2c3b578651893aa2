//! Boards: what the sensors show ([`scan`]), which legal moves explain it (`infer`) and which are half done, what play goes on from where
//! none does (`play_on`), and what moves there are then (`moves`); and how people write moves (`notation`) and positions (`fen`).

#[cfg(feature = "chess")]
pub mod fen;
#[cfg(feature = "chess")]
mod half_done;
#[cfg(feature = "chess")]
pub mod infer;
#[cfg(feature = "chess")]
pub mod moves;
#[cfg(feature = "chess")]
pub mod notation;
#[cfg(feature = "chess")]
pub mod play_on;
pub mod scan;

pub use scan::{Impossible, Kind, Man, Scan, ScanError, Turn};
