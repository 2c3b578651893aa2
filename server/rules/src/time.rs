//! Time as the rules know it: an argument, never a question to the machine.

/// A duration or a reading of a clock in milliseconds. Readings are never negative; differences may be.
pub type Millis = i64;

/// One second in milliseconds.
pub const SECOND: Millis = 1_000;

/// One minute in milliseconds.
pub const MINUTE: Millis = 60 * SECOND;

/// An instant on a device: milliseconds after one of its boots. A clock without a calendar knows no other time, and two
/// moments can only be compared within one boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Moment {
    /// Drawn anew at every boot.
    pub boot: u128,
    /// Milliseconds of the monotonic clock of that boot.
    pub ms: u64,
}

impl Moment {
    /// Milliseconds from `earlier` to this moment, or `None` when they belong to different boots or run backwards: then
    /// nobody knows how much time passed, and none is invented.
    #[must_use]
    pub fn since(self, earlier: Moment) -> Option<Millis> {
        if self.boot != earlier.boot {
            return None;
        }
        self.ms.checked_sub(earlier.ms).and_then(|ms| Millis::try_from(ms).ok())
    }
}
