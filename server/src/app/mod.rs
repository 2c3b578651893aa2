//! What the binary is made of: settings, start and stop, the command line.

pub mod cli;
pub mod config;
pub mod serve;
