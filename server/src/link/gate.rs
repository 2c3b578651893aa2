//! The door: what a connection may do before a clock has said Hello on it.
//!
//! ```text
//!   accepted ─┬─ too many are open ──────────────────────────▶ closed at once
//!             └─▶ guest ─┬─ Hello is read: the pass is given ─▶ no limit here any more
//!                        └─ 5 s ─────────────────────────────▶ reads fail, and it is closed
//! ```
//!
//! The five seconds hold for all that comes before: the handshakes of whatever protocol there is, headers, and a Hello that comes byte
//! by byte.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};
use tonic::transport::server::Connected;

use super::HELLO;

/// Counts connections.
#[derive(Clone, Debug)]
pub struct Gate {
    open: Arc<AtomicUsize>,
    most: usize,
}

/// Given to a connection once its clock has introduced itself.
#[derive(Clone, Debug, Default)]
pub struct Pass(Arc<AtomicBool>);

impl Pass {
    /// The clock has said Hello.
    pub fn give(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_given(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Gate {
    /// A door for so many.
    #[must_use]
    pub fn new(most: usize) -> Gate {
        Gate { open: Arc::default(), most }
    }

    /// Lets a connection in; `None`: there are too many, and it is dropped.
    pub fn admit<T>(&self, io: T) -> Option<Guest<T>> {
        let place = Place(Arc::clone(&self.open));
        if self.open.fetch_add(1, Ordering::Relaxed) >= self.most {
            tracing::warn!(most = self.most, "too many connections of clocks; one more is closed");
            return None;
        }
        Some(Guest { io, pass: Pass::default(), patience: Some(Box::pin(sleep(HELLO))), _place: place })
    }
}

/// One of the connections counted.
#[derive(Debug)]
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
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
    _place: Place,
}

impl<T> Connected for Guest<T> {
    type ConnectInfo = Pass;

    fn connect_info(&self) -> Pass {
        self.pass.clone()
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Guest<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.pass.is_given() {
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn row_22_a_guest_that_trickles_is_shown_out_after_five_seconds_and_one_with_a_pass_is_not() {
        let gate = Gate::new(2);
        let (mut slow, near) = duplex(64);
        let mut slow_guest = gate.admit(near).expect("room");
        let (mut good, near) = duplex(64);
        let mut good_guest = gate.admit(near).expect("room");
        good_guest.connect_info().give();
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
        let gate = Gate::new(1);
        let first = gate.admit(()).expect("room");
        assert!(gate.admit(()).is_none() && gate.admit(()).is_none());
        drop(first);
        assert!(gate.admit(()).is_some(), "those who were turned away take no place");
    }
}
