//! The log, and where traces go: both as the settings and the standard variables say.
//!
//! A line that is written while a press is handled ends with its trace and span, in text as in JSON.

use std::io::{self, IsTerminal};

use flagfall_trace::{Export, Sampler, export, export::NoExport, log, sampler::BadSampler};
use serde::Deserialize;
use tracing_subscriber::EnvFilter;

use crate::trail::Trails;

/// What is kept of traces. The standard variables (`OTEL_…`) go over it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// How many of the presses that nothing came of are exported, from 0 to 1; what was ruled, ordered, slow or wrong always is.
    pub ratio: f64,
}

impl Default for Telemetry {
    fn default() -> Telemetry {
        Telemetry { ratio: flagfall_trace::sampler::DEFAULT_RATIO }
    }
}

/// Why the log or the traces cannot be as they are wanted.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// What is logged is said in a way that means nothing.
    #[error("log: {0}: such as info, or info,flagfall_server=debug, is expected")]
    Filter(String),
    /// The sampler's variables mean nothing.
    #[error(transparent)]
    Sampler(#[from] BadSampler),
    /// The collector cannot be used.
    #[error(transparent)]
    Export(#[from] NoExport),
}

/// Lines that may wait to be written: what a thousand boards say when all of them come back, many times over.
const LINES: usize = 32_768;

/// The log that was started; what it shows can be changed. Dropped, it writes what still waits.
pub struct Log {
    show: Box<dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync>,
    _out: log::Out,
}

impl Log {
    /// Shows something else from now on.
    ///
    /// # Errors
    /// That means nothing.
    pub fn show(&self, what: &str) -> Result<(), TelemetryError> {
        (self.show)(filter(what)?).map_err(TelemetryError::Filter)
    }
}

/// Reads what is to be logged.
///
/// # Errors
/// It means nothing.
pub fn filter(what: &str) -> Result<EnvFilter, TelemetryError> {
    EnvFilter::try_new(what).map_err(|error| TelemetryError::Filter(error.to_string()))
}

/// Begins to log to standard error, as text or a JSON object a line. A second call changes nothing, so that tests and embedding
/// programs keep their own subscriber.
///
/// # Errors
/// What is to be logged means nothing.
pub fn start(what: &str, json: bool) -> Result<Log, TelemetryError> {
    let (writer, out) = log::out(io::stderr(), LINES);
    let base = tracing_subscriber::fmt().with_env_filter(filter(what)?).with_writer(writer);
    let show: Box<dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync> = if json {
        let (lines, fields) = log::json();
        let base = base.event_format(lines).fmt_fields(fields).with_filter_reloading();
        let handle = base.reload_handle();
        let _already_set = base.try_init();
        Box::new(move |filter| handle.reload(filter).map_err(|error| error.to_string()))
    } else {
        let base = base.event_format(log::text(io::stderr().is_terminal())).with_filter_reloading();
        let handle = base.reload_handle();
        let _already_set = base.try_init();
        Box::new(move |filter| handle.reload(filter).map_err(|error| error.to_string()))
    };
    Ok(Log { show, _out: out })
}

/// How many presses are exported, by the standard variables over the settings.
///
/// # Errors
/// The variables mean nothing.
pub fn sampler(telemetry: &Telemetry) -> Result<Sampler, TelemetryError> {
    Ok(Sampler::from_variables(telemetry.ratio)?)
}

/// Where trails end, exported to the collector that the standard variables name.
///
/// # Errors
/// The variables mean nothing.
pub fn trails(telemetry: &Telemetry) -> Result<Trails, TelemetryError> {
    let export = Export::from_variables("flagfall", env!("CARGO_PKG_VERSION"))?;
    if let Some(collector) = export::collector() {
        tracing::info!(collector, "traces are exported");
    }
    Ok(Trails::new(sampler(telemetry)?, export))
}
