//! Instants that cost little to take and can be shown as wall time.

use std::{
    sync::LazyLock,
    time::{Duration, Instant, SystemTime},
};

/// Where all stamps are counted from: an instant, and what the wall clock said then.
#[expect(
    clippy::disallowed_methods,
    reason = "a trace is shown and exported in wall time; nothing is ruled or ordered by it"
)]
static BEGINNING: LazyLock<(Instant, SystemTime)> = LazyLock::new(|| (Instant::now(), SystemTime::now()));

/// Nanoseconds since this process took its first stamp, plus one; 0 is never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(u64);

impl Stamp {
    /// It has not happened.
    pub const NEVER: Stamp = Stamp(0);

    /// Now.
    #[must_use]
    pub fn now() -> Stamp {
        let since = BEGINNING.0.elapsed().as_nanos();
        Stamp(u64::try_from(since).unwrap_or(u64::MAX - 1) + 1)
    }

    /// A stamp so many nanoseconds after the first; before it is the first.
    #[must_use]
    pub(super) fn at(nanos: i64) -> Stamp {
        Stamp(u64::try_from(nanos).unwrap_or(0).max(1))
    }

    /// Nanoseconds since the first stamp.
    #[must_use]
    pub(super) fn nanos(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }

    /// It has happened.
    #[must_use]
    pub fn is_set(self) -> bool {
        self != Stamp::NEVER
    }

    /// How long after an earlier one; nothing when either has not happened or the order is the other way round.
    #[must_use]
    pub fn since(self, earlier: Stamp) -> Duration {
        if earlier.is_set() { Duration::from_nanos(self.0.saturating_sub(earlier.0)) } else { Duration::ZERO }
    }

    /// As wall time.
    #[must_use]
    pub fn wall(self) -> SystemTime {
        BEGINNING.1 + Duration::from_nanos(self.0.saturating_sub(1))
    }
}
