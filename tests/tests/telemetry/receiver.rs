//! A collector that takes traces by OTLP over gRPC and remembers them.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::any_value::Value,
    trace::v1::Span,
};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::watch,
    time::timeout,
};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};

/// Nothing here takes long; a test that waits for longer waits for something that will not come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A span, and the service whose it is.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) service: String,
    pub(crate) span: Span,
}

impl Taken {
    /// An attribute as a text; empty when there is none.
    pub(crate) fn said(&self, key: &str) -> String {
        said(self.span.attributes.iter().find(|attribute| attribute.key == key).and_then(|known| known.value.as_ref()))
    }
}

fn said(value: Option<&opentelemetry_proto::tonic::common::v1::AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::DoubleValue(number)) => number.to_string(),
        _ => String::new(),
    }
}

#[derive(Clone)]
struct Shelf(Arc<watch::Sender<Vec<Taken>>>);

#[tonic::async_trait]
impl TraceService for Shelf {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.send_modify(|taken| {
            for resource in request.into_inner().resource_spans {
                let attributes = resource.resource.unwrap_or_default().attributes;
                let named = attributes.iter().find(|attribute| attribute.key == "service.name");
                let service = said(named.and_then(|named| named.value.as_ref()));
                let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
                taken.extend(spans.map(|span| Taken { service: service.clone(), span }));
            }
        });
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// See the module. It lives in a runtime of its own, so that its connections end with it.
pub(crate) struct Receiver {
    pub(crate) url: String,
    taken: watch::Receiver<Vec<Taken>>,
    runtime: Option<Runtime>,
}

impl Receiver {
    pub(crate) async fn start() -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address: SocketAddr = listener.local_addr().expect("an address");
        let listener = listener.into_std().expect("a socket");
        let (sender, taken) = watch::channel(Vec::new());
        let service = TraceServiceServer::new(Shelf(Arc::new(sender)));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        runtime.spawn(async move {
            let incoming = TcpListenerStream::new(TcpListener::from_std(listener).expect("a socket"));
            Server::builder().add_service(service).serve_with_incoming(incoming).await.expect("the listener stands");
        });
        Receiver { url: format!("http://{address}"), taken, runtime: Some(runtime) }
    }

    /// Waits until it has all that is looked for.
    pub(crate) async fn until(&mut self, enough: impl Fn(&[Taken]) -> bool) -> Vec<Taken> {
        let found = timeout(PATIENCE, self.taken.wait_for(|taken| enough(taken))).await;
        let found = found.map(|taken| taken.expect("the receiver stands").clone());
        match found {
            Ok(taken) => taken,
            Err(_) => panic!("not in time: {:#?}", names(&self.taken.borrow())),
        }
    }

    /// It is gone.
    pub(crate) async fn kill(mut self) {
        let runtime = self.runtime.take().expect("it lives");
        let ended = tokio::task::spawn_blocking(move || runtime.shutdown_timeout(PATIENCE));
        ended.await.expect("ended");
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// What was taken, in short.
pub(crate) fn names(taken: &[Taken]) -> Vec<String> {
    taken.iter().map(|Taken { service, span }| format!("{service} {}", span.name)).collect()
}
