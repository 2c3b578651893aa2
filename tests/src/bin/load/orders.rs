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
//!
//! In a storm live clocks say `quiet` in place of `end`, then hear `cut` and `back`; the crowd says `connected`, hears `cut`, says `back`,
//! and hears `go` before it tells what it measured.

use std::io::{BufRead as _, Write as _};

use anyhow::{Context as _, ensure};
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

/// It has been quiet for as long as it should be, before a storm.
pub(crate) const QUIET: &str = "quiet";

/// The links of a crowd are cut.
pub(crate) const CUT: &str = "cut";

/// Every clock of it is back.
pub(crate) const BACK: &str = "back";

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

/// Waits until the run has read what it wants.
pub(crate) async fn go(run: &mut mpsc::UnboundedReceiver<String>) -> anyhow::Result<()> {
    wait_for(run, GO).await
}

/// Waits for a line of the run; no other may come.
pub(crate) async fn wait_for(run: &mut mpsc::UnboundedReceiver<String>, wanted: &str) -> anyhow::Result<()> {
    let line = run.recv().await.context("the run is gone")?;
    ensure!(line == wanted, "{line:?} instead of {wanted:?}");
    Ok(())
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
