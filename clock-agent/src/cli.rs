//! The command line: reads the settings, runs a clock, and says by its exit code what kept it from running.

use std::{io::IsTerminal, path::PathBuf, process::ExitCode};

use crate::{
    app::{self, Failure},
    config::Config,
    telemetry::TelemetryError,
};
use clap::Parser;
use flagfall_trace::log;
use tracing_subscriber::EnvFilter;

/// The agent on a clock: keeps time, spools every press, carries out directives.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Example:
  flagfall-clock --config /etc/flagfall/clock.toml --check && flagfall-clock --config /etc/flagfall/clock.toml

Exit codes: 0 ended in good order, 2 settings, 3 spool, 4 hardware, 1 anything else.
A commented sample of the settings: deploy/flagfall-clock.toml"
)]
struct Args {
    /// The settings, a TOML file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Read the settings, say whether they can be used, and stop.
    #[arg(long)]
    check: bool,
    /// Log a JSON object a line instead of text; FLAGFALL_LOG says what is logged.
    #[arg(long)]
    log_json: bool,
}

/// What the binary does.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("flagfall-clock: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

/// Lines that may wait to be written.
const LINES: usize = 1_024;

fn filter() -> Result<EnvFilter, TelemetryError> {
    let what = std::env::var_os("FLAGFALL_LOG").map(|what| what.to_string_lossy().into_owned());
    let what = what.filter(|what| !what.is_empty()).unwrap_or_else(|| "info".to_owned());
    EnvFilter::try_new(what).map_err(|error| TelemetryError::Filter(error.to_string()))
}

fn run(args: &Args) -> Result<(), Failure> {
    let config = Config::load(&args.config)?;
    let filter = filter()?;
    if args.check {
        println!("{}: {} is ready to run", args.config.display(), config.device);
        return Ok(());
    }
    // Standard output is the display's. The thread that writes lines lives as long as the agent runs.
    let (writer, _out) = log::out(std::io::stderr(), LINES);
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    if args.log_json {
        let (lines, fields) = log::json();
        log.event_format(lines).fmt_fields(fields).init();
    } else {
        log.event_format(log::text(std::io::stderr().is_terminal())).init();
    }
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(app::run(&config))
}
