//! What arbiters and organisers see and do.

pub mod auth;
pub mod record;
pub mod refusals;
pub mod service;
pub mod shown;
pub mod web;
mod words;

pub use service::Desk;
pub use words::reading;
