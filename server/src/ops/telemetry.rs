//! The log: text for a terminal, JSON for a collector.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

/// Names the variable that chooses what is logged, in the syntax of `tracing_subscriber`'s filters.
pub const VARIABLE: &str = "FLAGFALL_LOG";

/// Begins to log to standard error; without [`VARIABLE`], from `info` up. A second call changes nothing, so that tests and
/// embedding programs keep their own subscriber.
pub fn start(json: bool) {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new("info"));
    let log =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    let _already_set = if json { log.json().try_init() } else { log.try_init() };
}
