//! The simulated network's connections, as the service and its clients want them.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use flagfall_clock::uplink::endpoint;
use flagfall_server::app::serve::Doors;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::mpsc,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Error, Uri, server::Connected};
use turmoil::net::{TcpListener, TcpStream};

/// The service's host.
pub(crate) const SERVER: &str = "server";
/// Where clocks connect.
pub(crate) const CLOCKS: u16 = 7701;
/// Where desks connect.
pub(crate) const DESK: u16 = 7702;
/// Where probes connect.
pub(crate) const OPS: u16 = 7703;

/// A connection that has come in.
pub(crate) struct Conn(TcpStream);

impl Connected for Conn {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Conn {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Conn {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// Opens the service's three doors on this host.
///
/// # Errors
/// A port is taken.
pub(crate) async fn doors() -> io::Result<Doors<ReceiverStream<io::Result<Conn>>>> {
    Ok(Doors { clocks: listen(CLOCKS).await?, desk: listen(DESK).await?, ops: listen(OPS).await?, web: None })
}

async fn listen(port: u16) -> io::Result<ReceiverStream<io::Result<Conn>>> {
    let listener = TcpListener::bind(("0.0.0.0", port)).await?;
    let (sender, incoming) = mpsc::channel(16);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if sender.send(Ok(Conn(stream))).await.is_err() {
                return;
            }
        }
    });
    Ok(ReceiverStream::new(incoming))
}

/// Connects to the service.
///
/// # Errors
/// It cannot be reached.
pub(crate) async fn connect(port: u16) -> Result<Channel, Error> {
    let endpoint = endpoint(&format!("http://{SERVER}:{port}")).expect("an address");
    let reach = tower::service_fn(move |_: Uri| async move {
        let stream = TcpStream::connect((SERVER, port)).await?;
        Ok::<_, io::Error>(TokioIo::new(stream))
    });
    endpoint.connect_with_connector(reach).await
}
