//! Patience and sizes of the arena.

use std::time::Duration;

use serde::Deserialize;

use super::beside::Beside;

/// Patience and sizes that may differ from house to house; what the contract fixes is not here.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Events a clock may have outstanding.
    pub window: u32,
    /// After how long without a final word on a directive the desk is told, milliseconds.
    pub directive_ms: u64,
    /// How long words that the desk sends to a display are worth showing there, seconds.
    pub message_s: u64,
    /// How long a scan that leads to nothing may wait for the next input before it is written, milliseconds.
    pub scan_hold_ms: u64,
    /// How many such scans may wait.
    pub scans_held: usize,
    /// After how long without an input a game leaves the memory, seconds; it comes back when it is needed.
    pub idle_s: u64,
    /// After how long out of memory a game that is over goes to the shelf, seconds; a restart begins the wait anew.
    pub shelve_s: u64,
    /// How long a drain may take, milliseconds.
    pub drain_ms: u64,
    /// Connections of clocks that may be open at once; one more is closed at once.
    pub connections: usize,
    /// Clocks that may be taken in at the same time; others wait to be accepted. Few: a board that is played on waits behind all of them.
    /// After each a place rests for 32 ms, so 32 of them take in a thousand clocks a second at most.
    pub greetings: usize,
    /// Where work runs that would hold up a game; no setting, but what the service is run in.
    #[serde(skip)]
    pub beside: Beside,
}

impl Default for Limits {
    fn default() -> Limits {
        let (window, scans_held) = (256, 32);
        let (directive_ms, message_s, scan_hold_ms) = (5_000, 300, 2_000);
        let (idle_s, drain_ms, connections, greetings) = (900, 10_000, 20_000, 32);
        Limits {
            window,
            directive_ms,
            message_s,
            scan_hold_ms,
            scans_held,
            idle_s,
            shelve_s: 3_600,
            drain_ms,
            connections,
            greetings,
            beside: Beside::default(),
        }
    }
}

impl Limits {
    /// See [`Limits::directive_ms`].
    #[must_use]
    pub const fn directive(&self) -> Duration {
        Duration::from_millis(self.directive_ms)
    }

    /// See [`Limits::scan_hold_ms`].
    #[must_use]
    pub const fn scan_hold(&self) -> Duration {
        Duration::from_millis(self.scan_hold_ms)
    }

    /// See [`Limits::idle_s`].
    #[must_use]
    pub const fn idle(&self) -> Duration {
        Duration::from_secs(self.idle_s)
    }

    /// See [`Limits::shelve_s`].
    #[must_use]
    pub const fn shelve(&self) -> Duration {
        Duration::from_secs(self.shelve_s)
    }

    /// How often is looked for games to lay down: ten times in their wait, and once a minute at least.
    #[must_use]
    pub fn shelve_check(&self) -> Duration {
        (self.shelve() / 10).clamp(Duration::from_secs(1), Duration::from_secs(60))
    }

    /// See [`Limits::drain_ms`].
    #[must_use]
    pub const fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }
}
