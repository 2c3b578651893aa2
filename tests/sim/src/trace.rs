//! What happened, in numbered steps: simulated time, who, what. The same seed gives the same text to the byte.

use std::{
    fmt::{self, Display, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use sha2::{Digest, Sha256};
use tracing::{Event, Subscriber, field::Visit};
use tracing_subscriber::{Layer, filter::Targets, layer::Context, layer::SubscriberExt};

/// A lock in a world of one thread: it is never contended, and a panic ends the world anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The trace of a world, and its time. All clones are the same trace.
#[derive(Clone, Default)]
pub struct Trace(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    now: u64,
    steps: u64,
    text: String,
    /// How often the service took a clock in, as it says itself: device and epoch.
    taken_in: Vec<(String, u64)>,
}

impl Trace {
    /// Simulated time, milliseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        lock(&self.0).now
    }

    pub(crate) fn set_now(&self, now: u64) {
        lock(&self.0).now = now;
    }

    /// Something happened.
    pub fn step(&self, who: &str, what: impl Display) {
        let mut inner = lock(&self.0);
        inner.steps += 1;
        let (steps, seconds, millis) = (inner.steps, inner.now / 1_000, inner.now % 1_000);
        // Writing to a string does not fail.
        let _ = writeln!(inner.text, "{steps:06} {seconds:>4}.{millis:03} {who:<10} {what}");
    }

    /// How many steps there are.
    #[must_use]
    pub fn steps(&self) -> u64 {
        lock(&self.0).steps
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        lock(&self.0).text.clone()
    }

    /// SHA-256 of the text, hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        Sha256::digest(lock(&self.0).text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Sessions that the service began since the last call.
    pub(crate) fn taken_in(&self) -> Vec<(String, u64)> {
        std::mem::take(&mut lock(&self.0).taken_in)
    }

    /// Runs with everything that service and clocks log written into the trace.
    pub(crate) fn with_logs<T>(&self, run: impl FnOnce() -> T) -> T {
        let ours = Targets::new().with_targets(
            ["flagfall_server", "flagfall_clock"].map(|target| (target, tracing::level_filters::LevelFilter::INFO)),
        );
        let subscriber = tracing_subscriber::registry().with(Logs(self.clone()).with_filter(ours));
        tracing::subscriber::with_default(subscriber, run)
    }
}

struct Logs(Trace);

#[derive(Default)]
struct Fields {
    message: String,
    others: String,
    device: String,
    epoch: u64,
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &tracing::field::Field, value: u64) {
        if field.name() == "epoch" {
            self.epoch = value;
        }
        self.record_debug(field, &value);
    }

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        if field.name() == "device" {
            value.clone_into(&mut self.device);
        }
        self.record_debug(field, &value);
    }

    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.others, " {name}={value:?}"),
        };
    }
}

impl<S: Subscriber> Layer<S> for Logs {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let Fields { message, others, device, epoch } = fields;
        if message == TAKEN_IN {
            lock(&self.0.0).taken_in.push((device, epoch));
        }
        let who = if event.metadata().target().starts_with("flagfall_server") { "server" } else { "clock" };
        self.0.step(who, format_args!("says: {message}{others}"));
    }
}

/// What the service says when a session begins; that it is still said is tested.
const TAKEN_IN: &str = "clock taken in";
