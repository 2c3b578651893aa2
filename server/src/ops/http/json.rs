//! Trails and traces for programs; `flagfall trace` reads them too.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use flagfall_trace::{Span, context::hex};
use serde::{Deserialize, Serialize};

use crate::trail::{Trail, spans};

pub(super) fn answer<T: Serialize>(what: &T) -> Response {
    match serde_json::to_string(what) {
        Ok(text) => ([(header::CONTENT_TYPE, "application/json")], text + "\n").into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Wall time as RFC 3339 writes it.
pub(super) fn wall(at: SystemTime) -> String {
    jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

pub(super) fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// One input in a list, durations in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Its trace, 32 hexadecimal digits.
    pub trace_id: String,
    /// When it came in.
    pub received: String,
    /// The board; empty when no clock said it.
    pub board: String,
    /// The clock.
    pub device: String,
    /// The game.
    pub game: String,
    /// What kind of input.
    pub event: String,
    /// Its number in the spool.
    pub seq: u64,
    /// From coming in to the ack and the directives on their way.
    pub took_ms: f64,
    /// What of that was the disk.
    pub commit_ms: f64,
    /// What was found.
    pub found: String,
    /// What came of it.
    pub verdict: String,
    /// By which article.
    pub article: String,
    /// What the clock was told.
    pub directives: Vec<String>,
    /// What went wrong.
    pub error: String,
}

impl Summary {
    pub(super) fn of(trail: &Trail) -> Summary {
        let note = trail.note.as_deref();
        Summary {
            trace_id: trail.context.trace(),
            received: wall(trail.received.wall()),
            board: trail.board().to_owned(),
            device: trail.device().to_owned(),
            game: trail.game.to_string(),
            event: trail.what.name().to_owned(),
            seq: trail.seq,
            took_ms: ms(trail.took()),
            commit_ms: ms(trail.durable.since(trail.appended)),
            found: note.and_then(|note| note.found).unwrap_or_default().to_owned(),
            verdict: note.map_or_else(String::new, |note| note.verdict.clone()),
            article: note.map_or_else(String::new, |note| note.article.clone()),
            directives: trail.told.iter().map(|told| format!("{} {}", told.rev, told.act)).collect(),
            error: trail.error.clone().unwrap_or_default(),
        }
    }
}

/// A trace, times in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// 32 hexadecimal digits.
    pub trace_id: String,
    /// When its first span began.
    pub start: String,
    /// From then to the end of the last.
    pub took_ms: f64,
    /// Its spans in the order of beginning.
    pub spans: Vec<Line>,
}

/// A span of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// 16 hexadecimal digits.
    pub span_id: String,
    /// That of the span it belongs under; empty for the first.
    pub parent_span_id: String,
    /// How many spans lie above it.
    pub depth: usize,
    /// From the beginning of the trace to its own.
    pub after_ms: f64,
    /// How long it took.
    pub took_ms: f64,
    /// What else is known.
    pub attributes: BTreeMap<String, String>,
    /// The trace and span of the session in which it happened; empty for none.
    pub session: String,
    /// What went wrong.
    pub error: String,
}

impl Shown {
    pub(super) fn of(trace_id: &str, all: &[Span]) -> Shown {
        let start = all.iter().map(|span| span.start).min().unwrap_or(SystemTime::UNIX_EPOCH);
        let since = |at: SystemTime| ms(at.duration_since(start).unwrap_or_default());
        let line = |span: &Span| Line {
            name: span.name.to_owned(),
            span_id: hex(&span.context.span_id),
            parent_span_id: span.parent.map_or_else(String::new, |parent| hex(&parent)),
            depth: spans::depth(all, span),
            after_ms: since(span.start),
            took_ms: ms(span.end.duration_since(span.start).unwrap_or_default()),
            attributes: span.attributes.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect(),
            session: span.link.map_or_else(String::new, |link| format!("{}/{}", link.trace(), hex(&link.span_id))),
            error: span.error.clone().unwrap_or_default(),
        };
        let took_ms = all.iter().map(|span| since(span.end)).fold(0.0, f64::max);
        Shown { trace_id: trace_id.to_owned(), start: wall(start), took_ms, spans: all.iter().map(line).collect() }
    }
}
