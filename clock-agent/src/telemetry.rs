//! What a clock tells of a press to a trace collector: when it was made, how long it waited, and when a display obeyed.
//!
//! ```text
//!   press ─┬─ spool ······ edge to the card, then to the network
//!          └─ … the service's spans … directive ── apply
//! ```
//!
//! The span of a press is held until it is acknowledged, and then for as long as a directive may still come of it: then it is
//! exported whatever the sampler says. Ids are those that the service derives too. Without a collector nothing is kept.

use std::{
    collections::VecDeque,
    time::{Duration, SystemTime},
};

use flagfall_trace::{Export, Kind, Sampler, Span, TraceContext, export::NoExport, sampler::BadSampler};

use crate::{
    agent::monotonic_ms,
    core::{Applied, Directive, Draft, Stage, What},
    wire,
};

/// How many presses are held for what may come of them.
const HELD: usize = 64;

/// How long the last spans may take when the clock is shut down.
const LAST_SPANS: Duration = Duration::from_secs(2);

/// Why a clock cannot tell.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The collector cannot be used.
    #[error(transparent)]
    Export(#[from] NoExport),
    /// The sampler's variables mean nothing.
    #[error(transparent)]
    Sampler(#[from] BadSampler),
    /// What is to be logged means nothing.
    #[error("FLAGFALL_LOG: {0}; a filter such as info,flagfall_clock=debug is expected")]
    Filter(String),
}

/// What a player or the clock itself did, times in milliseconds of this boot; 0: not yet.
#[derive(Debug)]
struct Done {
    context: TraceContext,
    name: &'static str,
    seq: u64,
    at: u64,
    spooled: u64,
    sent: u64,
    acked: u64,
    told: bool,
}

/// A directive that came, or was carried out and is not shown yet.
#[derive(Debug)]
struct Order {
    context: TraceContext,
    game: String,
    rev: u64,
    since: u64,
    ended: Option<(Stage, Option<&'static str>)>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Telemetry {
    device: String,
    sampler: Sampler,
    export: Option<Export<Box<Span>>>,
    done: VecDeque<Done>,
    orders: VecDeque<Order>,
}

impl Telemetry {
    /// Told to the collector that the standard variables (`OTEL_…`) name, if they name one. Needs a runtime.
    ///
    /// # Errors
    /// They say what means nothing.
    pub fn from_variables(device: &str) -> Result<Telemetry, TelemetryError> {
        let export = Export::from_variables("flagfall-clock", env!("CARGO_PKG_VERSION"))?;
        let sampler = Sampler::from_variables(flagfall_trace::sampler::DEFAULT_RATIO)?;
        Ok(Telemetry::new(device, sampler, export))
    }

    /// Told to this export, as the sampler says.
    #[must_use]
    pub fn new(device: &str, sampler: Sampler, export: Option<Export<Box<Span>>>) -> Telemetry {
        Telemetry { device: device.to_owned(), sampler, export, ..Telemetry::default() }
    }

    /// An event is about to be spooled.
    pub(crate) fn spooling(&mut self, draft: &Draft, spool: &[u8; 16]) {
        let (Some(_), Some(name)) = (&self.export, name(&draft.what)) else { return };
        let context = TraceContext::of_event(spool, draft.seq);
        let (seq, at) = (draft.seq, draft.at);
        self.done.push_back(Done { context, name, seq, at, spooled: 0, sent: 0, acked: 0, told: false });
        let surplus = self.done.len().saturating_sub(HELD);
        self.done.drain(..surplus);
    }

    /// Everything so far is on the card.
    pub(crate) fn spooled(&mut self) {
        let now = monotonic_ms();
        self.done.iter_mut().rev().take_while(|done| done.spooled == 0).for_each(|done| done.spooled = now);
    }

    /// Events were given to the link, so many from this number on.
    pub(crate) fn sent(&mut self, from: u64, count: usize) {
        if self.done.is_empty() {
            return;
        }
        let (now, to) = (monotonic_ms(), from.saturating_add(count as u64));
        // Sent again, it still waited until the first time.
        let sent = self.done.iter_mut().filter(|done| done.sent == 0 && (from..to).contains(&done.seq));
        sent.for_each(|done| done.sent = now);
    }

    /// The service has everything up to this number.
    pub(crate) fn acked(&mut self, through: u64) {
        let now = monotonic_ms();
        for n in 0..self.done.len() {
            let done = &mut self.done[n];
            if done.acked == 0 && done.sent > 0 && done.seq <= through {
                done.acked = now;
                if self.sampler.keeps(&done.context.trace_id) {
                    self.tell(n);
                }
            }
        }
    }

    /// A directive came.
    pub(crate) fn directive(&mut self, directive: &Directive) {
        let (Some(_), Ok(context)) = (&self.export, directive.traceparent.parse::<TraceContext>()) else { return };
        if let Some(n) = self.done.iter().position(|done| done.context.trace_id == context.trace_id) {
            // What led here is kept; its ack came before.
            self.tell(n);
        }
        let (game, rev) = (directive.game.clone(), directive.rev);
        self.orders.push_back(Order { context, game, rev, since: monotonic_ms(), ended: None });
        let surplus = self.orders.len().saturating_sub(HELD);
        self.orders.drain(..surplus);
    }

    /// How a directive fared is about to be put on the card.
    pub(crate) fn applying(&mut self, applied: &Applied) {
        let Applied { directive, stage, reason, .. } = applied;
        let known = |order: &&mut Order| order.rev == directive.rev && order.game == directive.game;
        if *stage != Stage::Received
            && let Some(order) = self.orders.iter_mut().find(known)
        {
            order.ended = Some((*stage, reason.map(|reason| wire::reason(Some(reason)).as_str_name())));
        }
    }

    /// Everything so far is on the display.
    pub(crate) fn shown(&mut self) {
        if self.orders.iter().all(|order| order.ended.is_none()) {
            return;
        }
        let now = monotonic_ms();
        for order in std::mem::take(&mut self.orders) {
            let Some((stage, reason)) = order.ended else {
                self.orders.push_back(order);
                continue;
            };
            let apply = order.context.child("apply", 0);
            let mut span = Span::new("apply", apply, order.context.span_id, wall(order.since), wall(now));
            (span.parent_is_remote, span.kind) = (true, Kind::Consumer);
            span.attributes.extend([
                ("device.id", self.device.as_str().into()),
                ("flagfall.game", order.game.into()),
                ("flagfall.rev", order.rev.into()),
                ("flagfall.stage", if stage == Stage::Applied { "applied" } else { "rejected" }.into()),
            ]);
            if let Some(reason) = reason {
                span.attributes.push(("error.type", reason.into()));
                span.error = Some(format!("the clock rejected the directive: {reason}"));
            }
            self.export.iter().for_each(|export| export.tell(Box::new(span.clone())));
        }
    }

    /// Exports what was done, once: the whole, and its wait in the spool.
    fn tell(&mut self, n: usize) {
        let (Some(export), Some(done)) = (&self.export, self.done.get_mut(n)) else { return };
        if std::mem::replace(&mut done.told, true) {
            return;
        }
        let Done { context, name, seq, at, spooled, sent, acked, .. } = *done;
        let end = [acked, sent, spooled, at].into_iter().find(|&ms| ms > 0).unwrap_or(at);
        let mut span = Span::new(name, context, context.span_id, wall(at), wall(end));
        (span.parent, span.kind) = (None, Kind::Producer);
        let seconds = |to: u64, from: u64| Duration::from_millis(to.saturating_sub(from)).as_secs_f64();
        span.attributes.extend([
            ("device.id", self.device.as_str().into()),
            ("flagfall.seq", seq.into()),
            ("flagfall.spool.sync", seconds(spooled, at).into()),
            ("flagfall.spool.wait", seconds(sent, spooled).into()),
        ]);
        export.tell(Box::new(span));
        let mut spool =
            Span::new("spool", context.child("spool", 0), context.span_id, wall(at), wall(sent.max(spooled)));
        spool.attributes.push(("flagfall.seq", seq.into()));
        export.tell(Box::new(spool));
    }

    /// A handle to what sends the spans, to wait for the last of them.
    #[must_use]
    pub fn last_words(&self) -> LastWords {
        LastWords(self.export.clone())
    }
}

/// Waits for the last spans.
#[derive(Debug)]
pub struct LastWords(Option<Export<Box<Span>>>);

impl LastWords {
    /// Sends what is still queued, for a moment at most.
    pub async fn said(self) {
        if let Some(export) = self.0 {
            export.flush(LAST_SPANS).await;
        }
    }
}

/// What the span of an event is called; a board's events and reports have none of their own.
fn name(what: &What) -> Option<&'static str> {
    match what {
        What::Started => Some("started"),
        What::Press(_) => Some("press"),
        What::Paused => Some("paused"),
        What::Resumed => Some("resumed"),
        What::Call(_) => Some("call"),
        What::Claim(..) => Some("claim"),
        What::Flag(_) => Some("flag"),
        What::Fault(..) => Some("fault"),
        What::Scan(_) | What::Quiet { .. } | What::Report(_) => None,
    }
}

/// A millisecond of this boot as wall time.
#[expect(clippy::disallowed_methods, reason = "a trace is shown in wall time; nothing is ruled or ordered by it")]
fn wall(ms: u64) -> SystemTime {
    SystemTime::now() - Duration::from_millis(monotonic_ms().saturating_sub(ms))
}
