//! What the binary is made of: the command line, settings, start and stop, and the tools that need the whole house.

pub mod audit;
pub mod cli;
pub mod completions;
pub mod config;
pub mod demo;
pub mod desk;
pub mod doctor;
pub mod event;
pub mod exit;
pub mod files;
pub mod journal;
pub mod reload;
pub mod replay;
pub mod round;
pub mod rule;
pub mod serve;
pub mod trace;
pub mod unwinnable;
pub mod user;
pub mod watch;
