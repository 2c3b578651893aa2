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
//! - The five seconds hold for all that comes before: the handshakes of whatever protocol there is, headers, and a Hello that comes byte
//!   by byte.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, Sleep, sleep, timeout},
};
use tokio_stream::Stream;
use tokio_util::sync::PollSemaphore;
use tonic::transport::server::Connected;

use super::HELLO;

/// How long a guest may stand in the way of the next one.
const DAWDLE: Duration = Duration::from_secs(1);

/// How long a place stays empty after a guest: 32 places take in a thousand clocks a second at most.
const REST: Duration = Duration::from_millis(32);

/// Counts connections, and those who are being taken in.
#[derive(Clone, Debug)]
pub struct Gate {
    open: Arc<AtomicUsize>,
    most: usize,
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    pace: Arc<Mutex<Pace>>,
}

/// What a session may do at the door that its connection came through.
#[derive(Clone, Debug, Default)]
pub struct Pass(Arc<Stand>);

/// How far a guest has come.
#[derive(Debug, Default)]
struct Stand {
    said_hello: AtomicBool,
    /// Dropped once he is out of the way.
    place: Mutex<Option<oneshot::Sender<()>>>,
}

impl Pass {
    /// The clock has said Hello: it has all the time it needs.
    pub fn said_hello(&self) {
        self.0.said_hello.store(true, Ordering::Relaxed);
    }

    /// The clock is taken in, or will not be: the next one may come.
    pub fn is_through(&self) {
        self.0.place.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn has_said_hello(&self) -> bool {
        self.0.said_hello.load(Ordering::Relaxed)
    }
}

impl Gate {
    /// A door for `most` connections, of which `guests` at a time are being taken in.
    #[must_use]
    pub fn new(most: usize, guests: usize) -> Gate {
        let [places, turns] = [guests; 2].map(Semaphore::new).map(Arc::new);
        Gate { open: Arc::default(), most, places, turns, pace: Arc::default() }
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
        let counted = Counted(Arc::clone(&self.open));
        if self.open.fetch_add(1, Ordering::Relaxed) >= self.most {
            tracing::warn!(most = self.most, "too many connections of clocks; one more is closed");
            return None;
        }
        let (through, is_through) = oneshot::channel();
        tokio::spawn(async move {
            // Whatever comes first.
            drop(timeout(DAWDLE, is_through).await);
            sleep(REST).await;
            drop(place);
        });
        let pass = Pass(Arc::new(Stand { place: Mutex::new(Some(through)), ..Stand::default() }));
        Some(Guest { io, pass, patience: Some(Box::pin(sleep(HELLO))), _counted: counted })
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

/// One of the connections counted.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection that was let in.
#[derive(Debug)]
pub struct Guest<T> {
    io: T,
    pass: Pass,
    /// How long it may still take to say Hello; `None` once it has.
    patience: Option<Pin<Box<Sleep>>>,
    _counted: Counted,
}

impl<T> Drop for Guest<T> {
    fn drop(&mut self) {
        self.pass.is_through();
    }
}

impl<T> Connected for Guest<T> {
    type ConnectInfo = Pass;

    fn connect_info(&self) -> Pass {
        self.pass.clone()
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Guest<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.pass.has_said_hello() {
            self.patience = None;
        } else if let Some(patience) = &mut self.patience
            && patience.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "no Hello within 5 s")));
        }
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Guest<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, duplex},
        sync::mpsc,
    };
    use tokio_stream::{StreamExt, wrappers::UnboundedReceiverStream};

    use super::*;

    fn guest<T>(gate: &Gate, io: T) -> Option<Guest<T>> {
        gate.admit(io, Arc::clone(&gate.places).try_acquire_owned().expect("a place"))
    }

    #[tokio::test(start_paused = true)]
    async fn row_22_a_guest_that_trickles_is_shown_out_after_five_seconds_and_one_with_a_pass_is_not() {
        let gate = Gate::new(2, 2);
        let (mut slow, near) = duplex(64);
        let mut slow_guest = guest(&gate, near).expect("room");
        let (mut good, near) = duplex(64);
        let mut good_guest = guest(&gate, near).expect("room");
        good_guest.connect_info().said_hello();
        let begun = tokio::time::Instant::now();
        let trickle = async {
            // A byte a second: each alone would keep a read alive for ever.
            while slow.write_all(b"x").await.is_ok() {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        };
        let read = async {
            let mut byte = [0; 1];
            loop {
                if let Err(error) = slow_guest.read_exact(&mut byte).await {
                    return error.kind();
                }
            }
        };
        tokio::select! {
            () = trickle => panic!("it was never shown out"),
            kind = read => assert_eq!(kind, io::ErrorKind::TimedOut),
        }
        assert_eq!(begun.elapsed(), HELLO);
        good.write_all(b"y").await.expect("open");
        assert_eq!(good_guest.read_u8().await.expect("it is in"), b'y');
    }

    #[tokio::test]
    async fn row_21_no_more_are_let_in_than_there_is_room_for() {
        let gate = Gate::new(1, 9);
        let first = guest(&gate, ()).expect("room");
        assert!(guest(&gate, ()).is_none() && guest(&gate, ()).is_none());
        drop(first);
        assert!(guest(&gate, ()).is_some(), "those who were turned away take no place");
    }

    #[tokio::test(start_paused = true)]
    async fn row_21_the_next_one_is_asked_in_when_a_guest_is_through_or_gone_or_dawdles() {
        let gate = Gate::new(9, 2);
        let (knock, arrivals) = mpsc::unbounded_channel();
        let mut guests = gate.clone().guests(UnboundedReceiverStream::new(arrivals).map(Ok));
        (1..=6).for_each(|n| knock.send(n).expect("somebody listens"));
        let mut next = async || {
            let begun = Instant::now();
            let guest = guests.next().await.expect("more").expect("no error");
            (guest.io, guest, begun.elapsed())
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
