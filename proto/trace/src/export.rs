//! Spans on their way to a collector: a bounded queue, one task, batches by OTLP/gRPC.
//!
//! ```text
//!   told ─▶ queue (OTEL_BSP_MAX_QUEUE_SIZE) ─▶ spans ─▶ batch (OTEL_BSP_MAX_EXPORT_BATCH_SIZE, OTEL_BSP_SCHEDULE_DELAY) ─▶ collector
//!     └─ full: dropped, counted                                 └─ refused, unreachable, late: dropped, counted
//! ```
//!
//! What is queued is what the caller has, not spans: they are made by the task, off the path of a press. Nothing ever waits
//! for the queue. Where the collector is, its timeout, headers and compression are the exporter's own standard variables.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use opentelemetry::{
    InstrumentationScope, KeyValue,
    trace::{Link, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState},
};
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::{
    Resource,
    trace::{SpanData, SpanEvents, SpanExporter as _, SpanLinks},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout, timeout_at},
};

use crate::{Kind, Span, TraceContext, Value};

/// Something that spans can be made of.
pub trait Traced: Send + 'static {
    /// How many, without making them.
    fn count(&self) -> u64;

    /// Makes them.
    fn spans(&self) -> Vec<Span>;
}

impl Traced for Box<Span> {
    fn count(&self) -> u64 {
        1
    }

    fn spans(&self) -> Vec<Span> {
        vec![(**self).clone()]
    }
}

/// What became of spans.
#[derive(Debug, Default)]
pub struct Figures {
    /// A collector took them.
    pub exported: AtomicU64,
    /// The queue was full.
    pub overflowed: AtomicU64,
    /// No collector took them.
    pub refused: AtomicU64,
}

/// Why spans cannot be exported.
#[derive(Debug)]
pub struct NoExport(String);

impl std::fmt::Display for NoExport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OTEL_EXPORTER_OTLP_ENDPOINT: {}; spans are not exported", self.0)
    }
}

impl std::error::Error for NoExport {}

enum Order<T> {
    Take(T),
    /// Send what there is, and say when that is done.
    Flush(oneshot::Sender<()>),
}

/// See the module. Cheap to clone; when the last one is dropped, what is queued is still sent.
pub struct Export<T> {
    queue: mpsc::Sender<Order<T>>,
    figures: Arc<Figures>,
}

impl<T> Clone for Export<T> {
    fn clone(&self) -> Export<T> {
        Export { queue: self.queue.clone(), figures: Arc::clone(&self.figures) }
    }
}

impl<T> std::fmt::Debug for Export<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Export({:?})", self.figures)
    }
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn number(name: &str, default: u64) -> u64 {
    variable(name).and_then(|text| text.parse().ok()).filter(|&number| number > 0).unwrap_or(default)
}

/// The collector that the standard variables name; `None` when they name none, or switch tracing off.
#[must_use]
pub fn collector() -> Option<String> {
    let off = variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
        || variable("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
    let named = || variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT"));
    if off { None } else { named() }
}

impl<T: Traced> Export<T> {
    /// Starts to export to the collector that the standard variables name, in a task of this runtime. `None` when they name
    /// none.
    ///
    /// # Errors
    /// They name something that is no collector.
    pub fn from_variables(service: &'static str, version: &'static str) -> Result<Option<Export<T>>, NoExport> {
        let Some(_) = collector() else { return Ok(None) };
        let builder = SpanExporter::builder().with_tonic();
        Ok(Some(Export::begin(builder.build(), service, version)?))
    }

    /// Starts to export to this collector, such as `http://127.0.0.1:4317`.
    ///
    /// # Errors
    /// That is no address.
    pub fn to(collector: &str, service: &'static str, version: &'static str) -> Result<Export<T>, NoExport> {
        use opentelemetry_otlp::WithExportConfig as _;
        let builder = SpanExporter::builder().with_tonic().with_endpoint(collector);
        Export::begin(builder.build(), service, version)
    }

    fn begin(
        built: Result<SpanExporter, opentelemetry_otlp::ExporterBuildError>,
        service: &'static str,
        version: &'static str,
    ) -> Result<Export<T>, NoExport> {
        let mut exporter = built.map_err(|error| NoExport(error.to_string()))?;
        exporter.set_resource(&resource(service, version));
        let queue_max = usize::try_from(number("OTEL_BSP_MAX_QUEUE_SIZE", 2_048)).unwrap_or(2_048);
        let (queue, orders) = mpsc::channel(queue_max);
        let figures = Arc::<Figures>::default();
        let task = Task {
            exporter,
            scope: InstrumentationScope::builder(service).with_version(version).build(),
            batch_max: usize::try_from(number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)).unwrap_or(512),
            delay: Duration::from_millis(number("OTEL_BSP_SCHEDULE_DELAY", 5_000)),
            patience: Duration::from_millis(number("OTEL_BSP_EXPORT_TIMEOUT", 30_000)),
            figures: Arc::clone(&figures),
            failing: false,
        };
        tokio::spawn(task.run(orders));
        Ok(Export { queue, figures })
    }

    /// Queues something, or drops and counts it.
    pub fn tell(&self, traced: T) {
        if let Err(error) = self.queue.try_send(Order::Take(traced))
            && let Order::Take(traced) = error.into_inner()
        {
            self.figures.overflowed.fetch_add(traced.count(), Ordering::Relaxed);
        }
    }

    /// Sends what is queued, for so long at most.
    pub async fn flush(&self, patience: Duration) {
        let sent = async {
            let (done, sent) = oneshot::channel();
            if self.queue.send(Order::Flush(done)).await.is_ok() {
                let _ended = sent.await;
            }
        };
        if timeout(patience, sent).await.is_err() {
            tracing::warn!("the collector did not take the last spans in time");
        }
    }

    /// What became of spans so far.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.figures
    }
}

/// What the standard variables say of this program, over what it says itself.
fn resource(service: &'static str, version: &'static str) -> Resource {
    let mut own = vec![KeyValue::new("service.version", version)];
    if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
        own.push(KeyValue::new("host.name", host.trim().to_owned()));
    }
    own.push(KeyValue::new("process.pid", i64::from(std::process::id())));
    let named = variable("OTEL_SERVICE_NAME").is_some()
        || variable("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|all| all.contains("service.name="));
    if !named {
        own.push(KeyValue::new("service.name", service));
    }
    Resource::builder().with_attributes(own).build()
}

struct Task {
    exporter: SpanExporter,
    scope: InstrumentationScope,
    batch_max: usize,
    delay: Duration,
    patience: Duration,
    figures: Arc<Figures>,
    /// The last batch was not taken: said once, not for every batch.
    failing: bool,
}

impl Task {
    async fn run<T: Traced>(mut self, mut orders: mpsc::Receiver<Order<T>>) {
        let mut batch = Vec::new();
        let mut due = Instant::now();
        loop {
            let order = match batch.is_empty() {
                true => Ok(orders.recv().await),
                false => timeout_at(due, orders.recv()).await,
            };
            let done = match order {
                Ok(Some(Order::Take(traced))) => {
                    if batch.is_empty() {
                        due = Instant::now() + self.delay;
                    }
                    batch.extend(traced.spans());
                    if batch.len() < self.batch_max && Instant::now() < due {
                        continue;
                    }
                    None
                }
                Ok(Some(Order::Flush(done))) => Some(done),
                Ok(None) => {
                    self.send(&mut batch).await;
                    return;
                }
                Err(_) => None,
            };
            self.send(&mut batch).await;
            if let Some(done) = done {
                let _gone = done.send(());
            }
        }
    }

    async fn send(&mut self, batch: &mut Vec<Span>) {
        if batch.is_empty() {
            return;
        }
        let count = batch.len() as u64;
        let spans = batch.drain(..).map(|span| self.data(span)).collect();
        let taken = match timeout(self.patience, self.exporter.export(spans)).await {
            Ok(taken) => taken.map_err(|error| error.to_string()),
            Err(_) => Err("no answer in time".to_owned()),
        };
        match taken {
            Ok(()) => {
                self.figures.exported.fetch_add(count, Ordering::Relaxed);
                if std::mem::take(&mut self.failing) {
                    tracing::info!("the collector takes spans again");
                }
            }
            Err(reason) => {
                self.figures.refused.fetch_add(count, Ordering::Relaxed);
                if !std::mem::replace(&mut self.failing, true) {
                    tracing::warn!(reason, "the collector takes no spans; they are dropped, and nothing else suffers");
                }
            }
        }
    }

    fn data(&self, span: Span) -> SpanData {
        let mut links = SpanLinks::default();
        links.links.extend(span.link.map(|link| Link::new(context(&link, true), Vec::new(), 0)));
        SpanData {
            span_context: context(&span.context, false),
            parent_span_id: span.parent.map_or(SpanId::INVALID, SpanId::from_bytes),
            parent_span_is_remote: span.parent_is_remote,
            span_kind: match span.kind {
                Kind::Internal => SpanKind::Internal,
                Kind::Server => SpanKind::Server,
                Kind::Client => SpanKind::Client,
                Kind::Producer => SpanKind::Producer,
                Kind::Consumer => SpanKind::Consumer,
            },
            name: span.name.into(),
            start_time: span.start,
            end_time: span.end,
            attributes: span.attributes.into_iter().map(|(name, value)| KeyValue::new(name, said(value))).collect(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links,
            status: span.error.map_or(Status::Unset, Status::error),
            instrumentation_scope: self.scope.clone(),
        }
    }
}

fn said(value: Value) -> opentelemetry::Value {
    match value {
        Value::Text(text) => text.into(),
        Value::Int(number) => number.into(),
        Value::Float(number) => number.into(),
    }
}

/// Whatever is exported was sampled, at its beginning or at its end.
fn context(of: &TraceContext, remote: bool) -> SpanContext {
    let (trace_id, span_id) = (TraceId::from_bytes(of.trace_id), SpanId::from_bytes(of.span_id));
    SpanContext::new(trace_id, span_id, TraceFlags::SAMPLED, remote, TraceState::NONE)
}
