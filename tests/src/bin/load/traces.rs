//! What traces cost: the service under the same load, exporting to a receiver beside it that only takes them.

use std::{
    net::{Ipv4Addr, SocketAddr},
    process::Command,
};

use clap::ValueEnum;
use flagfall_server::ops::fetch::fetch;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
    trace_service_server::{TraceService, TraceServiceServer},
};
use serde::Serialize;
use tonic::{Request, Response, Status, transport::Server};

/// Which presses are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Traces {
    /// None, and nothing is exported at all.
    Off,
    /// As a service is set without a word: one in a hundred, and those of note.
    Default,
    /// Every one.
    All,
}

/// What a press cost the service so.
#[derive(Debug, Serialize)]
pub(crate) struct Cost {
    /// Which presses were exported.
    pub(crate) traces: Traces,
    /// Microseconds of processor that the service used for each.
    pub(crate) server_cpu_us_per_press: f64,
    /// By how much that is more than with [`Traces::Off`], in percent; `None` when that was not measured before it.
    pub(crate) more_than_off_percent: Option<f64>,
    /// Presses acknowledged a second.
    pub(crate) per_second: f64,
    /// Spans that the receiver did not get while it was measured, by the service's own count.
    pub(crate) spans_dropped: u64,
}

/// The service's own count, from its page of figures.
pub(crate) async fn dropped(ops: u16) -> anyhow::Result<u64> {
    let page = fetch(&format!("http://{}:{ops}", Ipv4Addr::LOCALHOST), "/metrics").await?;
    let lines = page.lines().filter(|line| line.starts_with("flagfall_spans_dropped_total"));
    let counts = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    Ok(counts.sum::<f64>() as u64)
}

impl Traces {
    /// The standard variables that say so, for a receiver on this port.
    pub(crate) fn set(self, command: &mut Command, port: u16) {
        for variable in ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"] {
            command.env_remove(variable);
        }
        if self != Traces::Off {
            command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{}:{port}", Ipv4Addr::LOCALHOST));
        }
        if self == Traces::All {
            // As an operator who wants every one would set it: a burst of a second fits.
            command.env("OTEL_TRACES_SAMPLER", "always_on").env("OTEL_BSP_MAX_QUEUE_SIZE", "16384");
        }
    }
}

#[derive(Clone, Copy)]
struct Taker;

#[tonic::async_trait]
impl TraceService for Taker {
    async fn export(
        &self,
        _: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Takes traces until the process is ended.
pub(crate) fn take(port: u16) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let service = TraceServiceServer::new(Taker).max_decoding_message_size(64 << 20);
    Ok(runtime.block_on(Server::builder().add_service(service).serve(at))?)
}
