//! A connection that was let in.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep, sleep_until},
};
use tonic::transport::server::Connected;

use super::{
    Pass,
    exit::{Exit, Leaves},
};
use crate::link::HELLO;

/// One of the connections counted.
#[derive(Debug)]
pub(super) struct Counted(Arc<AtomicUsize>);

impl Counted {
    /// One more, and how many there were before.
    pub(super) fn one_more(open: &Arc<AtomicUsize>) -> (Counted, usize) {
        (Counted(Arc::clone(open)), open.fetch_add(1, Ordering::Relaxed))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// See the module.
#[derive(Debug)]
pub struct Guest<T> {
    pub(super) io: T,
    pass: Pass,
    /// How long it may still take to say Hello; `None` once it has.
    patience: Option<Pin<Box<Sleep>>>,
    /// `None` once the other end has gone: whoever comes next finds room.
    counted: Option<Counted>,
    exit: Arc<Exit>,
    /// The other end has gone, and what it left is read from then on.
    leaves: Option<Pin<Box<Sleep>>>,
}

impl<T> Guest<T> {
    pub(super) fn new(io: T, pass: Pass, counted: Counted, exit: Arc<Exit>) -> Guest<T> {
        Guest { io, pass, patience: Some(Box::pin(sleep(HELLO))), counted: Some(counted), exit, leaves: None }
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

impl<T: AsyncRead + Leaves + Unpin> AsyncRead for Guest<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.pass.has_said_hello() {
            self.patience = None;
        } else if let Some(patience) = &mut self.patience
            && patience.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "no Hello within 5 s")));
        }
        if self.leaves.is_none() && self.io.has_left() {
            self.counted = None;
            self.leaves = Some(Box::pin(sleep_until(self.exit.turn(Instant::now()))));
        }
        if let Some(leaves) = &mut self.leaves {
            ready!(leaves.as_mut().poll(cx));
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
