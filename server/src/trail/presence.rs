//! A clock's session as operators see it.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use flagfall_trace::TraceContext;

use super::Stamp;

/// The least delay of so long counts: frames are late, never early.
const WINDOW: Duration = Duration::from_secs(30);

/// Milliseconds are too coarse to tell how a clock drifts any sooner.
const LONG_ENOUGH: Duration = Duration::from_secs(300);

/// See the module.
#[derive(Debug)]
pub struct Presence {
    /// The clock.
    pub device: String,
    /// Its board.
    pub board: String,
    /// The session.
    pub epoch: u64,
    /// The span in which it was opened: a trace of its own, to which those of its presses are linked.
    pub context: TraceContext,
    /// When it was opened.
    pub opened: Stamp,
    spooled: AtomicU64,
    durable: AtomicU64,
    desired: AtomicU64,
    reported: AtomicU64,
    over: AtomicBool,
    time: Mutex<Time>,
}

impl Presence {
    /// A session that begins, with its spool on disk so far.
    #[must_use]
    pub fn new(device: &str, board: &str, epoch: u64, spooled: u64, durable: u64) -> Presence {
        let context = TraceContext::named(&[b"session", device.as_bytes(), &epoch.to_be_bytes()]);
        Presence {
            device: device.to_owned(),
            board: board.to_owned(),
            epoch,
            context,
            opened: Stamp::now(),
            spooled: AtomicU64::new(spooled),
            durable: AtomicU64::new(durable),
            desired: AtomicU64::new(0),
            reported: AtomicU64::new(0),
            over: AtomicBool::new(false),
            time: Mutex::default(),
        }
    }

    /// The clock's spool reaches so far.
    pub fn spooled(&self, seq: u64) {
        self.spooled.fetch_max(seq, Ordering::Relaxed);
    }

    /// The spool is on disk so far.
    pub fn durable(&self, seq: u64) {
        self.durable.fetch_max(seq, Ordering::Relaxed);
    }

    /// The revision wanted in the clock's game, and the one it says it has applied.
    pub fn revisions(&self, desired: u64, reported: u64) {
        self.desired.store(desired, Ordering::Relaxed);
        self.reported.store(reported, Ordering::Relaxed);
    }

    /// The session is over; its trails still name it.
    pub(super) fn is_closed(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// The session lives.
    #[must_use]
    pub fn lives(&self) -> bool {
        !self.over.load(Ordering::Relaxed)
    }

    /// A directive was told.
    pub fn wants(&self, rev: u64) {
        self.desired.store(rev, Ordering::Relaxed);
    }

    /// The clock gave its final word on a directive.
    pub fn handled(&self, rev: u64) {
        self.reported.store(rev, Ordering::Relaxed);
    }

    /// Events that the clock has and the service has not.
    #[must_use]
    pub fn depth(&self) -> u64 {
        self.spooled.load(Ordering::Relaxed).saturating_sub(self.durable.load(Ordering::Relaxed))
    }

    /// Revisions that the clock has not handled.
    #[must_use]
    pub fn behind(&self) -> u64 {
        self.desired.load(Ordering::Relaxed).saturating_sub(self.reported.load(Ordering::Relaxed))
    }

    /// A frame came now that the clock sent at this millisecond of its boot; 0: it did not say.
    pub fn sent(&self, ms: u64) {
        if ms > 0 {
            self.time().note(ms, Stamp::now());
        }
    }

    /// A millisecond of the clock's boot as a stamp, as well as frames tell; `None` before the clock said its time.
    #[must_use]
    pub fn stamp(&self, ms: u64) -> Option<Stamp> {
        let offset = self.time().offset()?;
        Some(Stamp::at(nanos(ms).saturating_add(offset)))
    }

    /// How far the clock's time has come apart from the service's since the session began, seconds; and by how much it runs
    /// fast, as a ratio, once that can be told.
    #[must_use]
    pub fn apart(&self) -> (f64, Option<f64>) {
        self.time().apart()
    }

    fn time(&self) -> std::sync::MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn nanos(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX).saturating_mul(1_000_000)
}

/// How a clock's time runs against the service's: the least of (arrival − sending) in each window, which is the difference of the
/// two clocks and the least delay between them.
#[derive(Debug, Default)]
struct Time {
    /// The first window's, and when it ended.
    first: Option<(Stamp, i64)>,
    /// The window before.
    before: Option<i64>,
    /// Since when, and its least so far.
    now: Option<(Stamp, i64)>,
    /// When something was noted last.
    noted: Stamp,
}

impl Time {
    fn note(&mut self, ms: u64, at: Stamp) {
        let difference = at.nanos().saturating_sub(nanos(ms));
        self.noted = at;
        match &mut self.now {
            Some((since, least)) if at.since(*since) < WINDOW => *least = difference.min(*least),
            Some((_, least)) => {
                self.first.get_or_insert((at, *least));
                self.before = Some(*least);
                self.now = Some((at, difference));
            }
            None => self.now = Some((at, difference)),
        }
    }

    fn offset(&self) -> Option<i64> {
        let (_, least) = self.now?;
        Some(self.before.map_or(least, |before| before.min(least)))
    }

    fn apart(&self) -> (f64, Option<f64>) {
        let (Some((since, first)), Some(now)) = (self.first, self.before) else { return (0.0, None) };
        let apart = (first - now) as f64 / 1e9;
        let elapsed = self.noted.since(since);
        (apart, (elapsed >= LONG_ENOUGH).then(|| apart / elapsed.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    /// A clock that runs fast by a ratio of 100 in a million, over a network that takes 2 to 9 ms.
    #[test]
    fn a_clock_that_runs_fast_is_noticed_and_delays_are_not_taken_for_it() {
        let mut time = Time::default();
        assert_eq!((time.offset(), time.apart()), (None, (0.0, None)));
        for second in 0..=1_200_i64 {
            let device_ms = 5_000 + (second as f64 * 1_000.1) as u64;
            let delay = (2 + second % 8) * 1_000_000;
            time.note(device_ms, Stamp::at(second * SECOND + delay));
        }
        let (apart, drift) = time.apart();
        let drift = drift.expect("twenty minutes are long enough");
        assert!((0.11..0.13).contains(&apart), "{apart}");
        assert!((9.0e-5..1.1e-4).contains(&drift), "{drift}");
        // What the clock did at its millisecond 5,000 was at the service's second 0, give or take what it has drifted.
        let offset = time.offset().expect("it said its time");
        assert!((offset + 5 * SECOND).abs() < SECOND / 8, "{offset}");
    }

    #[test]
    fn what_a_clock_has_and_lacks_is_counted() {
        let presence = Presence::new("clock-1", "board-1", 3, 10, 4);
        assert_eq!((presence.depth(), presence.behind()), (6, 0));
        presence.durable(10);
        presence.revisions(5, 3);
        assert_eq!((presence.depth(), presence.behind()), (0, 2));
        presence.handled(5);
        assert_eq!(presence.behind(), 0);
        presence.wants(6);
        assert_eq!(presence.behind(), 1);
        presence.sent(0);
        assert_eq!(presence.stamp(1), None, "a clock that does not say its time has none");
    }
}
