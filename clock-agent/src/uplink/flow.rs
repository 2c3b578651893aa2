//! Which events to send next: the cursor of a session, without any IO.

use std::ops::RangeInclusive;

/// The most events in one frame.
const BATCH_MAX: u64 = 256;

/// What is sent, what is acknowledged, and how far ahead the clock may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flow {
    window: u64,
    acked: u64,
    sent: u64,
}

impl Flow {
    /// A session in which events up to `durable` need not be sent.
    pub(super) fn new(window: u64, durable: u64) -> Flow {
        Flow { window, acked: durable, sent: durable }
    }

    /// The events to send next when the spool ends with `last`.
    pub(super) fn next(&self, last: u64) -> Option<RangeInclusive<u64>> {
        let from = self.sent.checked_add(1)?;
        let to = last.min(self.acked.saturating_add(self.window)).min(self.sent.saturating_add(BATCH_MAX));
        (from <= to).then_some(from..=to)
    }

    /// So many of those were sent.
    pub(super) fn sent(&mut self, count: u64) {
        self.sent = self.sent.saturating_add(count);
    }

    /// The service has them; `false` when it claims what it cannot have.
    pub(super) fn acked(&mut self, through: u64) -> bool {
        let known = through <= self.sent;
        if known {
            self.acked = self.acked.max(through);
        }
        known
    }

    /// The service misses something; `false` when it asks for what it has or what was never sent.
    pub(super) fn rewind(&mut self, from: u64) -> bool {
        let known = self.acked < from && from <= self.sent.saturating_add(1);
        if known {
            self.sent = from - 1;
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_window_is_outstanding() {
        let mut flow = Flow::new(4, 10);
        assert_eq!(flow.next(10), None);
        assert_eq!(flow.next(12), Some(11..=12));
        assert_eq!(flow.next(99), Some(11..=14));
        flow.sent(4);
        assert_eq!(flow.next(99), None);
        assert!(flow.acked(12));
        assert_eq!(flow.next(99), Some(15..=16));
        assert_eq!(Flow::new(1_000, 0).next(999), Some(1..=256), "a frame holds so many");
    }

    #[test]
    fn a_gap_is_filled_from_where_it_began() {
        let mut flow = Flow::new(100, 0);
        flow.sent(9);
        assert!(flow.acked(3) && flow.rewind(6));
        assert_eq!(flow.next(9), Some(6..=9));
        assert!(flow.acked(2), "an old word is no harm");
        assert_eq!(flow.next(9), Some(6..=9));
    }

    #[test]
    fn a_service_that_makes_no_sense_is_not_followed() {
        let mut flow = Flow::new(100, 5);
        flow.sent(3);
        for from in [0, 5, 10, u64::MAX] {
            assert!(!flow.rewind(from), "{from}");
        }
        assert!(!flow.acked(9));
        assert_eq!(flow.next(20), Some(9..=20));
        assert_eq!(Flow::new(u64::MAX, u64::MAX).next(u64::MAX), None);
    }
}
