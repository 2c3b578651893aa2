//! What arbiters and organisers see and do.

pub mod service;
mod words;

pub use service::Desk;
