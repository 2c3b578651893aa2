//! What the run and its clocks say to each other: a line each, over the clocks' standard input and output.
//!
//! ```text
//!   clocks                                      run
//!     connected ──────────────────────────────▶   reads the service's memory
//!     ◀──────────────────────────────────── go
//!     playing   (every game is at its ply) ───▶   reads it again
//!     ◀──────────────────────────────────── go
//!     begin     (warm) ───────────────────────▶   reads the service's processor time
//!     end ────────────────────────────────────▶   reads it again
//!     {"ack": …} ─────────────────────────────▶
//! ```

use std::io::{BufRead as _, Write as _};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::stats::Quantiles;

/// Every clock is connected, and its first game is set up.
pub(crate) const CONNECTED: &str = "connected";

/// Every game has been brought to the ply from which it is measured.
pub(crate) const PLAYING: &str = "playing";

/// What is acknowledged counts from now on.
pub(crate) const BEGIN: &str = "begin";

/// What is acknowledged counts no more.
pub(crate) const END: &str = "end";

/// The run has read what it wants.
pub(crate) const GO: &str = "go";

/// What the clocks measured.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Press to acknowledgement.
    pub(crate) ack: Quantiles,
    /// Press to directive.
    pub(crate) directive: Quantiles,
    /// How late paced presses were sent.
    pub(crate) late: Quantiles,
    /// Games whose score was compared with what was played.
    pub(crate) checked: usize,
}

/// Says a line to the run.
pub(crate) fn say(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).context("the run is gone")
}

/// What the run says, line by line.
pub(crate) fn heard() -> mpsc::UnboundedReceiver<String> {
    let (said, lines) = mpsc::unbounded_channel();
    // A thread, because a read of standard input cannot be broken off.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if said.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
