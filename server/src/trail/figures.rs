//! What is counted and measured of trails, with the names that a scrape shows after `flagfall_`.
//!
//! No label says which board, game or clock: their number has no bound, and `/traces` finds them.

use std::time::Duration;

use flagfall_rules::game::Stage;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::Family,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

use super::{Trail, What};

/// Refusals that a desk may well see.
const AT_DESK: [&str; 4] = ["UNAUTHENTICATED", "NOT_ALLOWED", "JOURNAL_DOWN", "JOURNAL_FULL"];

/// Refusals that a clock may well see; shown from the beginning, so that an alert on them needs no first one.
const EXPECTED: [&str; 9] = [
    "UNKNOWN_DEVICE",
    "BOARD_TAKEN",
    "STALE_EPOCH",
    "FORKED_SPOOL",
    "EVENTS_LOST",
    "BAD_EVENT",
    "SILENT",
    "JOURNAL_DOWN",
    "JOURNAL_FULL",
];

/// The one label that most families have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Kind {
    kind: String,
}

/// Why the service said no.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Reason {
    reason: String,
    /// To whom: `clock` or `desk`.
    at: &'static str,
}

/// How a directive ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Ended {
    stage: &'static str,
}

/// Seconds from a tenth of a millisecond to about 26 s, doubling.
pub(crate) fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.000_1, 2.0, 19))
}

/// See the module.
#[derive(Debug)]
pub struct Figures {
    inputs: Family<Kind, Counter>,
    findings: Family<Kind, Counter>,
    refusals: Family<Reason, Counter>,
    directives: Family<Ended, Counter>,
    pub(super) sessions_opened: Counter,
    press_ack: Histogram,
    press_directive: Histogram,
    directive_confirmed: Histogram,
    spool_wait: Histogram,
    rule: Histogram,
    commit: Histogram,
    /// One counter an input's kind, so that a press looks nothing up.
    by_what: [Counter; What::ALL.len()],
}

impl Default for Figures {
    fn default() -> Figures {
        let (inputs, findings) = (Family::<Kind, Counter>::default(), Family::<Kind, Counter>::default());
        let (refusals, directives) = (Family::<Reason, Counter>::default(), Family::<Ended, Counter>::default());
        let by_what = What::ALL.map(|what| inputs.get_or_create_owned(&Kind { kind: what.name().to_owned() }));
        for kind in flagfall_rules::game::Irregularity::ALL {
            drop(findings.get_or_create(&Kind { kind: kind.name().to_owned() }));
        }
        let expected =
            EXPECTED.map(|reason| (reason, "clock")).into_iter().chain(AT_DESK.map(|reason| (reason, "desk")));
        for (reason, at) in expected {
            drop(refusals.get_or_create(&Reason { reason: reason.to_owned(), at }));
        }
        for stage in [Stage::Sent, Stage::Applied, Stage::Rejected, Stage::Unknown] {
            drop(directives.get_or_create(&Ended { stage: name(stage) }));
        }
        Figures {
            inputs,
            findings,
            refusals,
            directives,
            sessions_opened: Counter::default(),
            press_ack: seconds(),
            press_directive: seconds(),
            directive_confirmed: seconds(),
            spool_wait: seconds(),
            rule: Histogram::new(exponential_buckets(0.000_001, 4.0, 12)),
            commit: seconds(),
            by_what,
        }
    }
}

const fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Sent => "sent",
        Stage::Received => "received",
        Stage::Applied => "applied",
        Stage::Rejected => "rejected",
        Stage::Unknown => "unknown",
    }
}

impl Figures {
    /// Takes in a trail at its end.
    pub(super) fn note(&self, trail: &Trail) {
        self.by_what[trail.what as usize].inc();
        if trail.ruled.is_set() {
            self.rule.observe(trail.ruled.since(trail.ruling).as_secs_f64());
        }
        if trail.durable.is_set() {
            self.commit.observe(trail.durable.since(trail.appended).as_secs_f64());
            if trail.what.is_press() {
                self.press_ack.observe(trail.took().as_secs_f64());
            }
            if trail.presence.is_some() && !trail.told.is_empty() {
                self.press_directive.observe(trail.took().as_secs_f64());
            }
        }
        if trail.what.is_press() && trail.sent_ms > 0 {
            self.spool_wait.observe(Duration::from_millis(trail.sent_ms.saturating_sub(trail.at_ms)).as_secs_f64());
        }
        if let Some(found) = trail.note.as_ref().and_then(|note| note.found) {
            self.findings.get_or_create(&Kind { kind: found.to_owned() }).inc();
        }
        if !trail.told.is_empty() {
            self.directives.get_or_create(&Ended { stage: name(Stage::Sent) }).inc_by(trail.told.len() as u64);
        }
    }

    pub(super) fn confirmed(&self, stage: Stage, after: Option<Duration>) {
        self.directives.get_or_create(&Ended { stage: name(stage) }).inc();
        if let (Stage::Applied | Stage::Rejected, Some(after)) = (stage, after) {
            self.directive_confirmed.observe(after.as_secs_f64());
        }
    }

    pub(super) fn refused(&self, reason: &str, at: &'static str) {
        self.refusals.get_or_create(&Reason { reason: reason.to_owned(), at }).inc();
    }

    /// How many directives were measured to their final word.
    #[cfg(test)]
    pub(super) fn confirmations(&self) -> u64 {
        let mut registry = Registry::default();
        registry.register("confirmed", "", self.directive_confirmed.clone());
        let mut page = String::new();
        prometheus_client::encoding::text::encode(&mut page, &registry).expect("writing to a string");
        let count = page.lines().find_map(|line| line.strip_prefix("confirmed_count "));
        count.and_then(|count| count.parse().ok()).expect("a count")
    }

    /// Puts them where a scrape finds them.
    pub fn register(&self, to: &mut Registry) {
        let metrics: [(&str, &str, &Histogram); 6] = [
            ("press_ack_seconds", "A press, from coming in to its acknowledgement on the way back", &self.press_ack),
            (
                "press_directive_seconds",
                "An input of a clock that led to directives, from coming in to the directives on their way",
                &self.press_directive,
            ),
            (
                "directive_confirmed_seconds",
                "A directive, from being told to the clock's final report on disk",
                &self.directive_confirmed,
            ),
            ("spool_wait_seconds", "A press, from the button to being sent, by the clock's own time", &self.spool_wait),
            ("rule_seconds", "What the rules took for an input", &self.rule),
            ("commit_seconds", "An entry, from being given to the journal to being on disk", &self.commit),
        ];
        for (name, help, histogram) in metrics {
            to.register(name, help, histogram.clone());
        }
        to.register(
            "inputs",
            "Inputs of games by kind; a board's that led to nothing are not counted",
            self.inputs.clone(),
        );
        to.register("findings", "Irregularities found by kind", self.findings.clone());
        to.register("refusals", "Refusals by reason, to clocks and at the desk", self.refusals.clone());
        to.register("directives", "Directives by how far they came", self.directives.clone());
        to.register(
            "sessions_opened",
            "Sessions taken in, each with an epoch of its own",
            self.sessions_opened.clone(),
        );
    }
}
