//! Spans made of a trail.
//!
//! The service exports its own: the whole, `rule`, `commit`, and a `directive` for each. What it shows without a collector has the
//! clock's as well, as far as the service can tell them: `press` and `spool` from the times in the frames, `apply` from the
//! report. Their ids are those that the clock gives them.

use std::time::SystemTime;

use flagfall_trace::{Kind, Span};

use super::{Trail, What};

/// What a clock's span is of.
const SERVICE: &str = "flagfall.clock.v1.ClockService";

/// How many spans the service has of it.
pub(super) fn count(trail: &Trail) -> u64 {
    1 + u64::from(trail.ruled.is_set()) + u64::from(trail.durable.is_set()) + trail.told.len() as u64
}

/// The attributes of a call on the link.
pub(super) fn rpc(span: &mut Span) {
    span.attributes.extend([
        ("rpc.system", "grpc".into()),
        ("rpc.service", SERVICE.into()),
        ("rpc.method", "Link".into()),
    ]);
}

/// The service's own spans.
#[must_use]
pub fn of_service(trail: &Trail) -> Vec<Span> {
    let Trail { context, .. } = *trail;
    let mut spans = vec![whole(trail)];
    if trail.ruled.is_set() {
        let mut span =
            Span::new("rule", context.child("rule", 0), context.span_id, trail.ruling.wall(), trail.ruled.wall());
        if let Some(note) = &trail.note {
            let texts = [
                ("flagfall.edition", note.edition),
                ("flagfall.article", &note.article),
                ("flagfall.irregularity", note.found.unwrap_or_default()),
                ("flagfall.verdict", &note.verdict),
                ("flagfall.ruled_by", &note.actor),
            ];
            let said = texts.into_iter().filter(|(_, text)| !text.is_empty());
            span.attributes.extend(said.map(|(name, text)| (name, text.into())));
        }
        spans.push(span);
    }
    if trail.durable.is_set() {
        let (start, end) = (trail.appended.wall(), trail.durable.wall());
        let mut span = Span::new("commit", context.child("commit", 0), context.span_id, start, end);
        span.kind = Kind::Client;
        span.attributes.extend([
            ("db.system.name", "sled".into()),
            ("db.operation.name", "append".into()),
            ("db.operation.batch.size", u64::from(trail.batch.entries).into()),
            ("flagfall.sync.duration", (f64::from(trail.batch.sync_us) / 1e6).into()),
            ("flagfall.entry", trail.entry.into()),
        ]);
        spans.push(span);
    }
    for told in &trail.told {
        let (start, end) = (trail.durable.wall(), trail.left.wall());
        let mut span = Span::new("directive", told.context, context.span_id, start, end);
        span.kind = Kind::Producer;
        span.attributes.extend([
            ("flagfall.game", trail.game.as_ref().into()),
            ("flagfall.rev", told.rev.into()),
            ("flagfall.act", told.act.into()),
        ]);
        spans.push(span);
    }
    spans
}

/// The span of all of it.
fn whole(trail: &Trail) -> Span {
    let (name, kind) = match trail.what {
        What::Act => ("act", Kind::Server),
        What::Overdue => ("overdue", Kind::Internal),
        What::Answer => ("answer", Kind::Internal),
        What::Notice => ("notice", Kind::Internal),
        _ => ("receive", Kind::Consumer),
    };
    let parent = trail.from.map(|from| if trail.what == What::Report { Trail::apply(from) } else { from });
    let end = trail.left.wall().max(trail.ruled.wall());
    let mut span = Span::new(name, trail.context, [0; 8], trail.received.wall(), end);
    span.parent = parent.map(|parent| parent.span_id);
    span.parent_is_remote = trail.presence.is_some();
    span.kind = kind;
    if let Some(presence) = &trail.presence {
        rpc(&mut span);
        span.link = Some(presence.context);
        span.attributes.extend([
            ("device.id", presence.device.as_str().into()),
            ("flagfall.board", presence.board.as_str().into()),
            ("flagfall.seq", trail.seq.into()),
        ]);
    }
    span.attributes
        .extend([("flagfall.game", trail.game.as_ref().into()), ("flagfall.event", trail.what.name().into())]);
    if let Some(error) = &trail.error {
        let code = error.split(':').next().unwrap_or_default();
        span.attributes.push(("error.type", code.into()));
        span.error = Some(error.clone());
    }
    span
}

/// The clock's spans of it, as far as the service can tell them.
#[must_use]
pub fn of_clock(trail: &Trail) -> Vec<Span> {
    let (Some(presence), Some(from)) = (&trail.presence, trail.from) else { return Vec::new() };
    let Some(at) = presence.stamp(trail.at_ms) else { return Vec::new() };
    let told = |mut span: Span| {
        span.parent_is_remote = true;
        span.attributes.push(("device.id", presence.device.as_str().into()));
        span
    };
    if trail.what == What::Report {
        let apply = Trail::apply(from);
        return vec![told(Span::new("apply", apply, from.span_id, at.wall(), at.wall()))];
    }
    // A board that led to something goes on in the trace of a press, whose span that press has shown.
    if trail.what.is_of_board() {
        return Vec::new();
    }
    let end = |stamp: super::Stamp| stamp.wall().max(at.wall());
    let mut first = told(Span::new(trail.what.name(), from, from.span_id, at.wall(), end(trail.left)));
    first.parent = None;
    let mut spans = vec![first];
    if let Some(sent) = presence.stamp(trail.sent_ms).filter(|_| trail.sent_ms > 0) {
        spans.push(told(Span::new("spool", from.child("spool", 0), from.span_id, at.wall(), end(sent))));
    }
    spans
}

/// All that is known of a trace, in the order of beginning; a span that two trails tell of is in it once.
#[must_use]
pub fn of_trace<'t>(trails: impl IntoIterator<Item = &'t Trail>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for trail in trails {
        for span in of_clock(trail).into_iter().chain(of_service(trail)) {
            match spans.iter_mut().find(|known| known.context.span_id == span.context.span_id) {
                Some(known) => known.end = known.end.max(span.end),
                None => spans.push(span),
            }
        }
    }
    // A parent before its children where both begin in the same moment.
    let depth = |span: &Span| depth(&spans, span);
    let mut order: Vec<(SystemTime, usize, usize)> =
        spans.iter().enumerate().map(|(n, span)| (span.start, depth(span), n)).collect();
    order.sort_unstable();
    order.into_iter().map(|(.., n)| spans[n].clone()).collect()
}

/// How many spans lie above one.
#[must_use]
pub fn depth(spans: &[Span], span: &Span) -> usize {
    let (mut depth, mut parent) = (0, span.parent);
    // A cycle cannot be made by derived ids, and would be cut off here.
    while let Some(above) = parent.and_then(|id| spans.iter().find(|known| known.context.span_id == id))
        && depth < spans.len()
    {
        depth += 1;
        parent = above.parent;
    }
    depth
}
