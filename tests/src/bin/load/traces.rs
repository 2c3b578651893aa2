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

/// One service that exported so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) server_cpu_us_per_press: f64,
    pub(crate) per_second: f64,
    pub(crate) spans_dropped: u64,
}

/// What a press cost the service so.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Cost {
    /// Which presses were exported.
    pub(crate) traces: Traces,
    /// Microseconds of processor that the service used for each, the median of all rounds.
    pub(crate) server_cpu_us_per_press: f64,
    /// The same in each round.
    pub(crate) rounds: Vec<f64>,
    /// By how much it is more than with [`Traces::Off`] in the same round, in percent, the median of all rounds; `None` when that was
    /// not measured.
    pub(crate) more_than_off_percent: Option<f64>,
    /// Presses acknowledged a second, the median of all rounds.
    pub(crate) per_second: f64,
    /// Spans that the receiver did not get while it was measured, by the service's own count, in all rounds.
    pub(crate) spans_dropped: u64,
}

impl Cost {
    /// Of what each round of each way measured.
    pub(crate) fn of(traces: &[Traces], rounds: Vec<Vec<Round>>) -> Vec<Cost> {
        let cpu = |rounds: &[Round]| rounds.iter().map(|round| round.server_cpu_us_per_press).collect::<Vec<_>>();
        let off = traces.iter().position(|&traces| traces == Traces::Off).map(|at| cpu(&rounds[at]));
        let cost = |(&traces, rounds): (&Traces, Vec<Round>)| {
            let each = cpu(&rounds);
            let more = off.as_ref().filter(|_| traces != Traces::Off).map(|off| {
                let more = each.iter().zip(off).map(|(each, off)| (each / off - 1.0) * 100.0);
                median(more.collect())
            });
            Cost {
                traces,
                server_cpu_us_per_press: median(each.clone()),
                rounds: each,
                more_than_off_percent: more,
                per_second: median(rounds.iter().map(|round| round.per_second).collect()),
                spans_dropped: rounds.iter().map(|round| round.spans_dropped).sum(),
            }
        };
        traces.iter().zip(rounds).map(cost).collect()
    }
}

/// The middle one, or the mean of the two in the middle, to a tenth; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let median = match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    };
    (median * 10.0).round() / 10.0
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_compared_with_none_in_the_same_round() {
        // A slow machine in the second round: 200 to 220 is +10%, 400 to 440 is +10%, 200 to 210 is +5%.
        let round = |cpu| Round { server_cpu_us_per_press: cpu, per_second: 2_000.0, spans_dropped: 1 };
        let rounds = [[200.0, 400.0, 200.0], [220.0, 440.0, 210.0]].map(|rounds| rounds.map(round).to_vec());
        let costs = Cost::of(&[Traces::Off, Traces::All], rounds.to_vec());
        let told =
            costs.iter().map(|cost| (cost.server_cpu_us_per_press, cost.more_than_off_percent, cost.spans_dropped));
        assert_eq!(told.collect::<Vec<_>>(), [(200.0, None, 3), (220.0, Some(10.0), 3)]);
        assert_eq!(median(vec![3.0, 1.0, 2.0, 8.0]), 2.5);
    }
}
