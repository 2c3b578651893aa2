//! What arbiters and organisers see and do.

pub mod service;
pub mod web;
mod words;

pub use service::Desk;
