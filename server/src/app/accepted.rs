//! A connection as it is accepted. Whoever does not say in time that it speaks HTTP/2 is let go: a connection costs its peer nothing,
//! and the service a descriptor and memory. What comes after that is seen to by the keepalive and by the wait for Hello.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};
use tonic::transport::server::{Connected, TcpConnectInfo};

use crate::link::HELLO;

/// How long HTTP/2's first words are, bytes.
const PREFACE: usize = 24;

/// See the module.
pub(super) struct Accepted {
    stream: TcpStream,
    greeting: Option<Greeting>,
}

/// What is still to come, and until when.
struct Greeting {
    missing: usize,
    until: Pin<Box<Sleep>>,
}

impl Accepted {
    /// A connection of which nothing is read yet. Small packets are not kept back on it.
    pub(super) fn new(stream: TcpStream) -> Accepted {
        // A connection that is closed already says so when it is read.
        drop(stream.set_nodelay(true));
        Accepted { stream, greeting: Some(Greeting { missing: PREFACE, until: Box::pin(sleep(HELLO)) }) }
    }
}

impl AsyncRead for Accepted {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buf);
        if let Some(greeting) = &mut this.greeting {
            greeting.missing = greeting.missing.saturating_sub(buf.filled().len() - before);
            if greeting.missing == 0 {
                this.greeting = None;
            } else if greeting.until.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        read
    }
}

impl AsyncWrite for Accepted {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

impl Connected for Accepted {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}
