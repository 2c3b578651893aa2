//! Connections: how many are let in, and how long one stays of which nothing comes.
//!
//! ```text
//!   accepted ─┬─ too many are open ───────────▶ closed at once
//!             └─▶ guest ── its Hello is read ──▶ stays ── two minutes without an answer to it ──▶ reads fail, and it is closed
//!                   └───── 5 s without ────────▶ reads fail, and it is closed
//! ```
//!
//! - Every connection is an open file, and the journal needs files too: whoever only connects must not take them from it.
//! - A clock says Hello; a browser, a program and a probe do when their first request is read. The five seconds hold for all that comes
//!   before: the handshakes of whatever protocol there is, headers, and a Hello that comes byte by byte.
//! - What counts afterwards is what the service writes: an answer, the next piece of a stream, a ping over HTTP/2. Bytes that come one
//!   by one and ask nothing keep no connection, and neither does a reader that reads no more.
//! - A session of a clock sees to its own silence.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{Router, extract::Request, middleware};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::oneshot,
    time::{Instant, Sleep, sleep_until},
};
use tokio_stream::{Stream, StreamExt};
use tonic::transport::server::Connected;

/// How long a guest may take to say what it came for.
pub const HELLO: Duration = Duration::from_secs(5);

/// How long a connection stays on which the service has nothing to say.
pub const QUIET: Duration = Duration::from_secs(120);

/// Counts the connections of a port.
#[derive(Clone, Debug)]
pub struct Door(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    whom: &'static str,
    most: usize,
    /// After how long without a word to it a guest is shown out; `None`: not by this door.
    quiet: Option<Duration>,
    open: AtomicUsize,
    /// Said once, until there is room again: a flood must not fill the log as well.
    full: AtomicBool,
}

impl Door {
    /// A door for so many connections, and after how long without a word to it one is closed.
    #[must_use]
    pub fn new(whom: &'static str, most: usize, quiet: Option<Duration>) -> Door {
        Door(Arc::new(Inner { whom, most, quiet, open: AtomicUsize::new(0), full: AtomicBool::new(false) }))
    }

    /// Lets a connection in; `None`: there are too many, and it is dropped.
    pub fn admit<T>(&self, io: T, pass: Pass) -> Option<Guest<T>> {
        let counted = Counted(self.clone());
        let Inner { whom, most, quiet, open, full } = &*self.0;
        if open.fetch_add(1, Ordering::Relaxed) >= *most {
            if !full.swap(true, Ordering::Relaxed) {
                tracing::warn!(most, "too many connections of {whom}; more are closed");
            }
            return None;
        }
        let since = Instant::now();
        let patience = Some(Box::pin(sleep_until(since + HELLO)));
        Some(Guest { io, pass, patience, quiet: *quiet, since, _counted: counted })
    }

    /// The connections that are let in.
    pub fn guests<T, S: Stream<Item = io::Result<T>>>(self, arrivals: S) -> impl Stream<Item = io::Result<Guest<T>>> {
        arrivals.filter_map(move |arrival| match arrival {
            Ok(io) => self.admit(io, Pass::default()).map(Ok),
            Err(error) => Some(Err(error)),
        })
    }
}

/// Requests to these are what their guests came for.
pub fn heard(answers: Router) -> Router {
    answers.layer(middleware::map_request(async |request: Request| {
        if let Some(pass) = request.extensions().get::<Pass>() {
            pass.said_hello();
        }
        request
    }))
}

/// What a session may do at the door that its connection came through.
#[derive(Clone, Debug, Default)]
pub struct Pass(Arc<Stand>);

/// How far a guest has come.
#[derive(Debug, Default)]
struct Stand {
    said_hello: AtomicBool,
    /// It asked for something since that was last looked at.
    asked: AtomicBool,
    /// Dropped once it is out of the way.
    place: Mutex<Option<oneshot::Sender<()>>>,
}

impl Pass {
    /// For a guest whom others wait behind until he is through.
    pub fn holding(place: oneshot::Sender<()>) -> Pass {
        Pass(Arc::new(Stand { place: Mutex::new(Some(place)), ..Stand::default() }))
    }

    /// It was said what the guest came for: it has all the time it needs.
    pub fn said_hello(&self) {
        self.0.asked.store(true, Ordering::Relaxed);
        self.0.said_hello.store(true, Ordering::Relaxed);
    }

    /// The guest is taken in, or will not be: the next one may come.
    pub fn is_through(&self) {
        self.0.place.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// One of the connections counted.
#[derive(Debug)]
struct Counted(Door);

impl Drop for Counted {
    fn drop(&mut self) {
        let Inner { most, open, full, .. } = &*self.0.0;
        if open.fetch_sub(1, Ordering::Relaxed) <= *most {
            full.store(false, Ordering::Relaxed);
        }
    }
}

/// A connection that was let in.
#[derive(Debug)]
pub struct Guest<T> {
    io: T,
    pass: Pass,
    /// When it is looked at again; `None`: never.
    patience: Option<Pin<Box<Sleep>>>,
    quiet: Option<Duration>,
    /// When the service last had something to say to it.
    since: Instant,
    _counted: Counted,
}

impl<T> Guest<T> {
    /// What it came by.
    pub fn get_ref(&self) -> &T {
        &self.io
    }

    /// Fails once it has stayed too long for what came of it.
    fn look(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let shown_out = |why: String| Err(io::Error::new(io::ErrorKind::TimedOut, why));
        while let Some(patience) = &mut self.patience {
            if !self.pass.0.said_hello.load(Ordering::Relaxed) {
                return match patience.as_mut().poll(cx) {
                    Poll::Ready(()) => shown_out(format!("no Hello within {} s", HELLO.as_secs())),
                    Poll::Pending => Ok(()),
                };
            }
            let Some(quiet) = self.quiet else {
                self.patience = None;
                return Ok(());
            };
            if patience.as_mut().poll(cx).is_pending() {
                return Ok(());
            }
            if self.pass.0.asked.swap(false, Ordering::Relaxed) {
                self.since = Instant::now();
            }
            if Instant::now() >= self.since + quiet {
                return shown_out(format!("nothing to say to it for {} s", quiet.as_secs()));
            }
            patience.as_mut().reset(self.since + quiet);
        }
        Ok(())
    }

    /// What was written counts, what waits to be read has the patience of the rest.
    fn wrote(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(1..)) => self.since = Instant::now(),
            Poll::Ready(_) => {}
            Poll::Pending => self.look(cx)?,
        }
        written
    }
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
        self.look(cx)?;
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Guest<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.wrote(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(cx, parts);
        self.wrote(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.io).poll_flush(cx))?;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// Reads until it is shown out, and says after how long.
    async fn read_out<T: AsyncRead + Unpin>(guest: &mut Guest<T>) -> (Duration, String) {
        let (begun, mut byte) = (Instant::now(), [0; 1]);
        loop {
            if let Err(error) = guest.read_exact(&mut byte).await {
                assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                return (begun.elapsed(), error.to_string());
            }
        }
    }

    /// A byte a second: each alone would keep a read alive for ever.
    async fn trickle<T: AsyncWrite + Unpin>(mut far: T) {
        while far.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        std::future::pending::<()>().await;
    }

    #[tokio::test(start_paused = true)]
    async fn row_22_a_guest_that_trickles_is_shown_out_after_five_seconds_and_one_with_a_pass_is_not() {
        let door = Door::new("clocks", 2, None);
        let (slow, near) = duplex(64);
        let mut slow_guest = door.admit(near, Pass::default()).expect("room");
        let (mut good, near) = duplex(64);
        let mut good_guest = door.admit(near, Pass::default()).expect("room");
        good_guest.connect_info().said_hello();
        tokio::select! {
            () = trickle(slow) => unreachable!("it goes on for ever"),
            out = read_out(&mut slow_guest) => assert_eq!(out, (HELLO, "no Hello within 5 s".to_owned())),
        }
        tokio::time::sleep(QUIET * 3).await;
        good.write_all(b"y").await.expect("open");
        assert_eq!(good_guest.read_u8().await.expect("it is in"), b'y');
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_that_ask_nothing_keep_no_connection_and_an_answer_does() {
        let door = Door::new("browsers", 1, Some(QUIET));
        let (far, near) = duplex(1_024);
        let mut guest = door.admit(near, Pass::default()).expect("room");
        let pass = guest.connect_info();
        let life = async {
            pass.said_hello();
            for _ in 0..3 {
                guest.write_all(b"the next piece of a stream").await.expect("taken");
                let mut byte = [0; 1];
                let read = tokio::time::timeout(Duration::from_secs(100), guest.read_exact(&mut byte));
                assert!(!matches!(read.await, Ok(Err(_))), "it is written to");
            }
            // Asked once more at 300 s: answered or not, that counts when the last answer is two minutes old.
            tokio::time::sleep(Duration::from_secs(100)).await;
            pass.said_hello();
            read_out(&mut guest).await
        };
        let begun = Instant::now();
        tokio::select! {
            () = trickle(far) => unreachable!("it goes on for ever"),
            (_, why) = life => assert_eq!(why, "nothing to say to it for 120 s"),
        }
        let stayed = begun.elapsed();
        assert!(stayed > Duration::from_secs(200) && stayed < Duration::from_secs(460), "{stayed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_reads_no_more_is_let_go() {
        let door = Door::new("browsers", 1, Some(QUIET));
        let (_far, near) = duplex(4);
        let mut guest = door.admit(near, Pass::default()).expect("room");
        guest.connect_info().said_hello();
        let begun = Instant::now();
        let error = guest.write_all(b"more than it takes").await.expect_err("let go");
        // It is looked at first when its five seconds for a Hello are over, and had said it.
        assert_eq!((error.kind(), begun.elapsed()), (io::ErrorKind::TimedOut, HELLO + QUIET));
    }

    #[tokio::test]
    async fn row_21_no_more_are_let_in_than_there_is_room_for() {
        let door = Door::new("probes", 1, Some(QUIET));
        let admit = || door.admit((), Pass::default());
        let first = admit().expect("room");
        assert!(admit().is_none() && admit().is_none());
        drop(first);
        assert!(admit().is_some(), "those who were turned away take no place");
    }
}
