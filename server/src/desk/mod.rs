//! What arbiters and organisers see and do.

pub mod service;

pub use service::Desk;
