//! `/metrics`: everything that is counted or measured, by the names an alert is written with.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
};

use flagfall_trace::{export, log};
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::Registry,
};

use crate::{
    journal::{Health, Journal, Signs},
    trail::Trails,
};

/// Every metric, as a scrape names it. Durations are in seconds, sizes in bytes, ratios from 0 to 1.
pub const METRICS: [&str; 32] = [
    "flagfall_build_info",
    "flagfall_clock_drift_ratio",
    "flagfall_clock_offset_seconds",
    "flagfall_clocks_behind",
    "flagfall_commit_seconds",
    "flagfall_directive_confirmed_seconds",
    "flagfall_directives_total",
    "flagfall_findings_total",
    "flagfall_inputs_total",
    "flagfall_journal_bytes",
    "flagfall_journal_entries",
    "flagfall_journal_group_entries",
    "flagfall_journal_high_water_entries",
    "flagfall_journal_missing_entries",
    "flagfall_journal_silent_seconds",
    "flagfall_journal_sync_seconds",
    "flagfall_journal_writable",
    "flagfall_log_lines_lost_total",
    "flagfall_press_ack_seconds",
    "flagfall_press_directive_seconds",
    "flagfall_refusals_total",
    "flagfall_revisions_behind",
    "flagfall_revisions_behind_max",
    "flagfall_rule_seconds",
    "flagfall_sessions",
    "flagfall_sessions_opened_total",
    "flagfall_spans_dropped_total",
    "flagfall_spans_exported_total",
    "flagfall_spool_depth_events",
    "flagfall_spool_depth_max_events",
    "flagfall_spool_wait_seconds",
    "flagfall_start_time_seconds",
];

/// Why spans were dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Dropped {
    reason: &'static str,
}

/// What is looked up at a scrape rather than counted when it happens.
#[derive(Debug, Default)]
struct Looked {
    sessions: Gauge,
    clocks_behind: Gauge,
    revisions_behind: Gauge,
    revisions_behind_max: Gauge,
    spool_depth: Gauge,
    spool_depth_max: Gauge,
    clock_offset: Gauge<f64, std::sync::atomic::AtomicU64>,
    clock_drift: Gauge<f64, std::sync::atomic::AtomicU64>,
    journal_writable: Gauge,
    journal_bytes: Gauge,
    journal_entries: Gauge,
    journal_high_water: Gauge,
    journal_missing: Gauge,
    journal_silent: Gauge<f64, std::sync::atomic::AtomicU64>,
    log_lines_lost: Counter,
    spans_exported: Counter,
    spans_dropped: Family<Dropped, Counter>,
}

/// See the module.
pub struct Metrics {
    registry: Registry,
    looked: Looked,
    trails: Trails,
    journal: Arc<dyn Journal>,
}

impl Metrics {
    /// Of a service with these.
    #[must_use]
    pub fn new(trails: Trails, journal: Arc<dyn Journal>) -> Metrics {
        let mut registry = Registry::with_prefix("flagfall");
        let version = vec![("version", env!("CARGO_PKG_VERSION"))];
        registry.register("build", "The program", Info::new(version));
        trails.figures().register(&mut registry);
        let looked = Looked::default();
        looked.register(&mut registry);
        let began: Gauge = Gauge::default();
        began.set(jiff::Timestamp::now().as_second());
        registry.register("start_time_seconds", "When the service was started, since 1970", began);
        let (sync, group) = journal.signs().map_or_else(unsynced, |signs| (signs.sync.clone(), signs.group.clone()));
        registry.register("journal_sync_seconds", "A sync of the journal", sync);
        registry.register("journal_group_entries", "Entries that one sync made durable", group);
        Metrics { registry, looked, trails, journal }
    }

    /// A scrape in the OpenMetrics text format.
    #[must_use]
    pub fn scrape(&self) -> String {
        self.looked.look(&self.trails, &*self.journal);
        let mut page = String::new();
        match text::encode(&mut page, &self.registry) {
            Ok(()) => page,
            // Writing to a string does not fail.
            Err(_) => String::new(),
        }
    }
}

/// What a journal in memory has instead: nothing is ever in them.
fn unsynced() -> (Histogram, Histogram) {
    (Histogram::new(exponential_buckets(0.000_02, 2.0, 20)), Histogram::new(exponential_buckets(1.0, 2.0, 11)))
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Looked {
    fn register(&self, to: &mut Registry) {
        let whole: BTreeMap<&str, (&str, &Gauge)> = BTreeMap::from([
            ("sessions", ("Clocks connected now", &self.sessions)),
            ("clocks_behind", ("Connected clocks that have not handled every directive", &self.clocks_behind)),
            ("revisions_behind", ("Directives wanted and not handled, all connected clocks", &self.revisions_behind)),
            (
                "revisions_behind_max",
                ("Directives wanted and not handled, the worst clock", &self.revisions_behind_max),
            ),
            ("spool_depth_events", ("Events spooled and not on disk here, all connected clocks", &self.spool_depth)),
            ("spool_depth_max_events", ("Events spooled and not on disk here, the worst clock", &self.spool_depth_max)),
            ("journal_writable", ("1 while the journal takes entries", &self.journal_writable)),
            ("journal_bytes", ("The journal's database on disk", &self.journal_bytes)),
            ("journal_entries", ("The last entry on disk, over all streams", &self.journal_entries)),
            ("journal_high_water_entries", ("The high-water mark outside the database", &self.journal_high_water)),
            ("journal_missing_entries", ("Entries that were on disk once and are gone", &self.journal_missing)),
        ]);
        for (name, (help, gauge)) in whole {
            to.register(name, help, gauge.clone());
        }
        let fractions = [
            (
                "clock_offset_seconds",
                "How far a clock's time came apart from this machine's in its session, the worst",
                &self.clock_offset,
            ),
            (
                "clock_drift_ratio",
                "By how much a clock's time runs fast or slow, the worst; after five minutes of a session",
                &self.clock_drift,
            ),
            (
                "journal_silent_seconds",
                "Since the thread that writes the journal last showed a sign of life",
                &self.journal_silent,
            ),
        ];
        for (name, help, gauge) in fractions {
            to.register(name, help, gauge.clone());
        }
        to.register("log_lines_lost", "Lines of the log that nobody took in time", self.log_lines_lost.clone());
        to.register("spans_exported", "Spans that a collector took", self.spans_exported.clone());
        to.register("spans_dropped", "Spans that no collector took, by reason", self.spans_dropped.clone());
    }

    fn look(&self, trails: &Trails, journal: &dyn Journal) {
        let presences = trails.presences();
        let sum = |of: &dyn Fn(usize) -> u64| -> (u64, u64, u64) {
            (0..presences.len()).map(of).fold((0, 0, 0), |(sum, max, some), one| {
                (sum.saturating_add(one), max.max(one), some + u64::from(one > 0))
            })
        };
        let (behind, behind_max, clocks) = sum(&|n| presences[n].behind());
        let (depth, depth_max, _) = sum(&|n| presences[n].depth());
        self.sessions.set(whole(presences.len() as u64));
        self.clocks_behind.set(whole(clocks));
        self.revisions_behind.set(whole(behind));
        self.revisions_behind_max.set(whole(behind_max));
        self.spool_depth.set(whole(depth));
        self.spool_depth_max.set(whole(depth_max));
        let apart: Vec<(f64, Option<f64>)> = presences.iter().map(|presence| presence.apart()).collect();
        self.clock_offset.set(apart.iter().map(|(offset, _)| offset.abs()).fold(0.0, f64::max));
        self.clock_drift.set(apart.iter().filter_map(|(_, drift)| *drift).map(f64::abs).fold(0.0, f64::max));
        self.journal_writable.set(i64::from(journal.health() == Health::Ok));
        let missing = journal.short().iter().map(|short| short.had.saturating_sub(short.has)).sum();
        self.journal_missing.set(whole(missing));
        if let Some(signs) = journal.signs() {
            self.journal(&signs);
        }
        let none = export::Figures::default();
        let spans = trails.export().map_or(&none, |export| export.figures());
        let counted = |counter: &Counter, number| counter.inner().store(number, Ordering::Relaxed);
        let dropped = |reason| self.spans_dropped.get_or_create_owned(&Dropped { reason });
        counted(&self.spans_exported, spans.exported.load(Ordering::Relaxed));
        counted(&dropped("queue_full"), spans.overflowed.load(Ordering::Relaxed));
        counted(&dropped("not_taken"), spans.refused.load(Ordering::Relaxed));
        counted(&self.log_lines_lost, log::lost());
    }

    fn journal(&self, signs: &Signs) {
        self.journal_bytes.set(whole(signs.bytes()));
        // In this order: the mark is never ahead, and must not seem so.
        self.journal_high_water.set(whole(signs.mark()));
        self.journal_entries.set(whole(signs.position()));
        self.journal_silent.set(signs.silent().as_secs_f64());
    }
}
