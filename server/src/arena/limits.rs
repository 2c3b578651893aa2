//! Patience and sizes of the arena.

use std::time::Duration;

use serde::Deserialize;

use super::beside::Beside;

/// Open files that no connection gets: the journal, the shelf, the listeners, the log and the runtime need some.
const OWN_FILES: usize = 256;

/// Ports that visitors come to: the desk's, the browsers' and the probes'.
const VISITED: usize = 3;

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
    /// Connections of arbiters' programs that may be open at once; as many of browsers and of probes at their ports. One more is closed
    /// at once.
    pub visitors: usize,
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
            visitors: 2_000,
            greetings,
            beside: Beside::default(),
        }
    }
}

impl Limits {
    /// The open files that a service with these limits can come to need.
    #[must_use]
    pub const fn files(&self) -> usize {
        self.connections.saturating_add(self.visitors.saturating_mul(VISITED)).saturating_add(OWN_FILES)
    }

    /// As many connections as a process can have that may open so many files: what is left of them for connections goes to clocks, but
    /// for an eighth at each port of visitors.
    #[must_use]
    pub fn within(&self, files: usize) -> Limits {
        let left = files.saturating_sub(OWN_FILES);
        let visitors = self.visitors.min(left / 8).max(1);
        let connections = self.connections.min(left.saturating_sub(visitors * VISITED)).max(1);
        Limits { connections, visitors, ..self.clone() }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(files: usize) -> (usize, usize) {
        let limits = Limits::default().within(files);
        (limits.connections, limits.visitors)
    }

    #[test]
    fn connections_leave_the_journal_its_files() {
        // 20,000 clocks, 2,000 visitors at each of three ports, and 256 files of its own.
        assert_eq!(Limits::default().files(), 26_256);
        assert_eq!(fit(26_256), (20_000, 2_000));
        assert_eq!(fit(usize::MAX), (20_000, 2_000));
        assert_eq!(fit(26_255), (19_999, 2_000));
        // 768 are left: 96 at each port of visitors, and 480 clocks.
        assert_eq!(fit(1_024), (480, 96));
        assert_eq!(fit(0), (1, 1), "somebody can see what is wrong");
        for files in 264..5_000 {
            assert!(Limits::default().within(files).files() <= files, "{files}");
        }
    }
}
