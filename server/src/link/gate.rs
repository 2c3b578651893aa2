//! The door: who is let in, and what a connection may do before a clock has said Hello on it.
//!
//! ```text
//!   system's queue ── a place is free ──▶ accepted ─┬─ too many are open ────────────▶ closed at once
//!                                                   └─▶ guest ─┬─ Hello is read ──┬─▶ Welcome: the place is free again
//!                                                              │                  └─ 1 s: so it is, but the guest may go on
//!                                                              └─ 5 s ──▶ reads fail, and it is closed
//! ```
//!
//! - A place is taken before a connection is accepted. Ten thousand clocks that come back at once wait where waiting costs nothing, in
//!   the system's queue; those that are in are served to the end before others are begun, and boards that are played on hardly notice.
//! - After each guest his place stays empty for a moment, so that so many places are so many clocks a second, and most of the machine is
//!   left to the boards that are played on, for as long as it takes.
//! - Who dawdles gives his place to others after a second: a handful of silent connections does not shut the door.
//! - The five seconds, and how many may be open, are those of every door: see [`guest`](crate::wire::guest).

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, sleep, timeout},
};
use tokio_stream::Stream;
use tokio_util::sync::PollSemaphore;

use crate::wire::guest::{Door, Guest, Pass};

/// How long a guest may stand in the way of the next one.
const DAWDLE: Duration = Duration::from_secs(1);

/// How long a place stays empty after a guest: 32 places take in a thousand clocks a second at most.
const REST: Duration = Duration::from_millis(32);

/// Counts connections, and those who are being taken in.
#[derive(Clone, Debug)]
pub struct Gate {
    door: Door,
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    pace: Arc<Mutex<Pace>>,
}

impl Gate {
    /// A door for `most` connections, of which `guests` at a time are being taken in.
    #[must_use]
    pub fn new(most: usize, guests: usize) -> Gate {
        let [places, turns] = [guests; 2].map(Semaphore::new).map(Arc::new);
        Gate { door: Door::new("clocks", most, None), places, turns, pace: Arc::default() }
    }

    /// A turn at the journal and at the games, which those that dawdled at the door wait for. `None`: not within this time.
    pub(super) async fn turn(&self, patience: Duration) -> Option<OwnedSemaphorePermit> {
        timeout(patience, Arc::clone(&self.turns).acquire_owned()).await.ok()?.ok()
    }

    /// A clock was taken in.
    pub(super) fn taken_in(&self, pass: &Pass) {
        self.pace().taken_in(Instant::now(), self.places.available_permits() == 0);
        pass.is_through();
    }

    /// How long it takes to take in so many clocks, as far as was seen.
    pub(super) fn time_for(&self, clocks: usize) -> Duration {
        self.pace().each.saturating_mul(u32::try_from(clocks).unwrap_or(u32::MAX))
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connections that are let in, each asked for when there is a place for it.
    pub fn guests<S>(self, arrivals: S) -> Guests<S> {
        let places = PollSemaphore::new(Arc::clone(&self.places));
        Guests { gate: self, places, place: None, arrivals: Box::pin(arrivals) }
    }

    /// Lets a connection in; `None`: there are too many, and it is dropped.
    fn admit<T>(&self, io: T, place: OwnedSemaphorePermit) -> Option<Guest<T>> {
        let (through, is_through) = oneshot::channel();
        let guest = self.door.admit(io, Pass::holding(through))?;
        tokio::spawn(async move {
            // Whatever comes first.
            drop(timeout(DAWDLE, is_through).await);
            sleep(REST).await;
            drop(place);
        });
        Some(guest)
    }
}

/// How long one clock after the other takes while more of them wait.
#[derive(Debug)]
struct Pace {
    each: Duration,
    /// When the last of a crowd was taken in.
    before: Option<Instant>,
}

impl Default for Pace {
    /// What it takes on a small machine.
    fn default() -> Pace {
        Pace { each: Duration::from_millis(2), before: None }
    }
}

impl Pace {
    fn taken_in(&mut self, now: Instant, more_wait: bool) {
        /// A clock more or less does not change what is known much.
        const WEIGHT: u32 = 16;
        if let Some(before) = self.before {
            let took = now.saturating_duration_since(before).min(DAWDLE);
            self.each = (self.each * (WEIGHT - 1) + took) / WEIGHT;
        }
        self.before = more_wait.then_some(now);
    }
}

/// See [`Gate::guests`].
pub struct Guests<S> {
    gate: Gate,
    places: PollSemaphore,
    /// For whoever comes next.
    place: Option<OwnedSemaphorePermit>,
    arrivals: Pin<Box<S>>,
}

impl<T, S: Stream<Item = io::Result<T>>> Stream for Guests<S> {
    type Item = io::Result<Guest<T>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Guests { gate, places, place, arrivals } = self.get_mut();
        loop {
            if place.is_none() {
                *place = ready!(places.poll_acquire(cx));
            }
            let guest = match ready!(arrivals.as_mut().poll_next(cx)) {
                // Nobody closes the semaphore.
                Some(Ok(io)) => place.take().and_then(|place| gate.admit(io, place)).map(Ok),
                Some(Err(error)) => Some(Err(error)),
                None => return Poll::Ready(None),
            };
            if guest.is_some() {
                return Poll::Ready(guest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use tokio_stream::{StreamExt, wrappers::UnboundedReceiverStream};
    use tonic::transport::server::Connected;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn row_21_the_next_one_is_asked_in_when_a_guest_is_through_or_gone_or_dawdles() {
        let gate = Gate::new(9, 2);
        let (knock, arrivals) = mpsc::unbounded_channel();
        let mut guests = gate.clone().guests(UnboundedReceiverStream::new(arrivals).map(Ok));
        (1..=6).for_each(|n| knock.send(n).expect("somebody listens"));
        let mut next = async || {
            let begun = Instant::now();
            let guest = guests.next().await.expect("more").expect("no error");
            (*guest.get_ref(), guest, begun.elapsed())
        };
        let ((one, first, _), (two, second, waited)) = (next().await, next().await);
        assert_eq!((one, two, waited), (1, 2, Duration::ZERO));
        let taken_in = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            gate.taken_in(&first.connect_info());
        };
        let ((), (three, _third, waited)) = tokio::join!(taken_in, next());
        assert_eq!((three, waited), (3, Duration::from_millis(300) + REST), "one is taken in");
        let gone = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            drop(second);
        };
        let ((), (four, _fourth, waited)) = tokio::join!(gone, next());
        assert_eq!((four, waited), (4, Duration::from_millis(100) + REST), "one has gone");
        let (five, _fifth, waited) = next().await;
        // The third came as the first place was given again: 132 ms before.
        assert_eq!((five, waited), (5, Duration::from_millis(900)), "the third has stood there for a second");
        drop(first);
        let (six, _, waited) = next().await;
        let fourth = Duration::from_millis(100) + REST;
        assert_eq!((six, waited), (6, fourth), "the fourth too; the first had left no place behind");
    }

    #[test]
    fn the_pace_is_that_of_a_crowd_and_not_of_quiet_hours() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut pace = Pace::default();
        pace.taken_in(at(0), false);
        pace.taken_in(at(3_600_000), true);
        assert_eq!(pace.each, Duration::from_millis(2), "nobody waited in that hour");
        // (2 × 15 + 18) / 16
        pace.taken_in(at(3_600_018), true);
        assert_eq!(pace.each, Duration::from_millis(3));
        // A disk that stood still for a minute counts as a second: (3 × 15 + 1,000) / 16
        pace.taken_in(at(3_660_018), false);
        assert_eq!(pace.each, Duration::from_micros(65_312) + Duration::from_nanos(500));
        pace.taken_in(at(3_660_019), false);
        assert_eq!(pace.each, Duration::from_micros(65_312) + Duration::from_nanos(500));
    }
}
