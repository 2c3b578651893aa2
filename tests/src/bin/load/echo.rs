//! The floor of the link: a bare tonic bidirectional stream that sends every frame of a clock back.

use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    task::{Context, Poll},
};

use flagfall_proto::clock::v1::LinkRequest;
use tokio::net::TcpListener;
use tokio_stream::{StreamExt as _, wrappers::TcpListenerStream};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    client::Grpc as Client,
    codegen::{BoxFuture, Service, http},
    server::{Grpc, NamedService, StreamingService},
    transport::{Channel, Server},
};
use tonic_prost::ProstCodec;

const PATH: &str = "/flagfall.load.Echo/Link";

/// Serves until the process is ended.
pub(crate) fn serve(port: u16) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        let incoming = TcpListenerStream::new(listener).map(|stream| stream.inspect(|s| drop(s.set_nodelay(true))));
        Ok(Server::builder().add_service(Echo).serve_with_incoming(incoming).await?)
    })
}

/// A clock's side of the stream.
pub(crate) async fn link(
    channel: Channel,
    frames: impl tokio_stream::Stream<Item = LinkRequest> + Send + 'static,
) -> Result<Streaming<LinkRequest>, Status> {
    let mut client = Client::new(channel);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let codec = ProstCodec::<LinkRequest, LinkRequest>::default();
    let path = http::uri::PathAndQuery::from_static(PATH);
    Ok(client.streaming(Request::new(frames), path, codec).await?.into_inner())
}

#[derive(Clone, Copy)]
struct Echo;

impl NamedService for Echo {
    const NAME: &'static str = "flagfall.load.Echo";
}

/// The handler itself: the stream that comes in is the stream that goes out.
impl StreamingService<LinkRequest> for Echo {
    type Response = LinkRequest;
    type ResponseStream = Streaming<LinkRequest>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<LinkRequest>>) -> Self::Future {
        Box::pin(async move { Ok(Response::new(request.into_inner())) })
    }
}

/// What tonic's generator writes for a service of one method; there is no contract for it.
impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let codec = ProstCodec::<LinkRequest, LinkRequest>::default();
        Box::pin(async move { Ok(Grpc::new(codec).streaming(Echo, request).await) })
    }
}
