//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::{process, traces::Traces};

/// Open files a process needs beside one for each clock: the journal, the runtime's own, the desk's connections.
const OTHER_FILES: u64 = 256;

/// Measures presses acknowledged a second, press to durable ack and press to directive, and in the same run the floors.
///
/// Without --rate the loop is closed: each clock presses again when its last press is acknowledged. With --rate the presses of
/// all clocks together come at that pace, whatever the service does.
#[derive(Clone, Debug, Parser)]
#[command(name = "load", version, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Clocks, each with a connection of its own.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) clocks: u32,
    /// How long to measure, in seconds.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) seconds: u64,
    /// Presses a second over all clocks; without it the loop is closed.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) rate: Option<u32>,
    /// One JSON line on standard output (the default).
    #[arg(long, conflicts_with = "human")]
    pub(crate) json: bool,
    /// A table instead of JSON.
    #[arg(long)]
    pub(crate) human: bool,
    /// On which disk to measure: a folder for the run is made in here and removed at the end. By default beside this program.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// The agent to measure at rest; by default the `flagfall-clock` beside this program, if there is one.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) agent: Option<PathBuf>,
    /// Also measure what exporting traces costs the service: which presses, one or more of them.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHICH")]
    pub(crate) traces: Vec<Traces>,
    /// What this process is in a run: the run starts itself again with it.
    #[arg(long, hide = true, value_enum)]
    pub(crate) role: Option<Role>,
    /// Where the role listens or connects.
    #[arg(long, hide = true, default_value_t = 0)]
    pub(crate) port: u16,
    /// Where the service listens for desks; 0: what is connected to is the echo.
    #[arg(long, hide = true, default_value_t = 0)]
    pub(crate) desk: u16,
    /// The service's settings.
    #[arg(long, hide = true, value_name = "FILE", default_value = "flagfall.toml")]
    pub(crate) config: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  cargo run --release -p flagfall-tests --bin load -- --clocks 1000 --seconds 10
  cargo run --release -p flagfall-tests --bin load -- --clocks 1000 --seconds 10 --rate 2000 --traces off,default,all
  cargo run --release -p flagfall-tests --bin load -- --clocks 10000 --seconds 20 --rate 2000 --human

Exit codes: 0 measured, 1 the run failed, 2 usage.";

/// What a process of a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// `flagfall serve`.
    Service,
    /// A bare tonic echo.
    Echo,
    /// What takes traces.
    Receiver,
    /// All clocks.
    Clocks,
}

impl Args {
    /// What the single arguments do not show to be wrong.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (needed, limit) = (u64::from(self.clocks) + OTHER_FILES, process::open_files_limit());
        if needed > limit {
            return Err(format!(
                "--clocks {}: a process needs {needed} open files for them and may have {limit} (ulimit -Hn)",
                self.clocks
            ));
        }
        for (name, path) in [("dir", &self.dir), ("agent", &self.agent)] {
            if let Some(path) = path.as_ref().filter(|path| !path.exists()) {
                return Err(format!("--{name} {}: there is no such thing", path.display()));
            }
        }
        Ok(())
    }
}
