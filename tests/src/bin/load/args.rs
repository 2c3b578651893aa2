//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum, builder::ArgPredicate};

use crate::{process, traces::Traces};

/// Open files a process needs beside one for each clock: the journal, the runtime's own, the desk's connections.
const OTHER_FILES: u64 = 256;

/// Measures presses acknowledged a second, press to durable ack and press to directive, and in the same run the floors.
///
/// Without --rate the loop is closed: each clock presses again when its last press is acknowledged. With --rate the presses of
/// all clocks together come at that pace, whatever the service does.
///
/// With --storm so many further clocks are connected, then lose their links all at once and come back by the agent's own rules, while
/// the clocks of --clocks are played on: how long until all are back, and what the live boards notice.
#[derive(Clone, Debug, Parser)]
#[command(name = "load", version, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Clocks, each with a connection of its own; of a storm those that are played on, 200 unless said.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), required = false,
        required_unless_present = "storm", default_value_if("storm", ArgPredicate::IsPresent, "200"))]
    pub(crate) clocks: u32,
    /// How long to measure, in seconds; before a storm 10 unless said.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=3_600), required = false,
        required_unless_present = "storm", default_value_if("storm", ArgPredicate::IsPresent, "10"))]
    pub(crate) seconds: u64,
    /// Clocks that lose their links at once.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) storm: Option<u32>,
    /// Presses a second over all clocks; without it the loop is closed.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) rate: Option<u32>,
    /// One JSON line on standard output (the default).
    #[arg(long, conflicts_with = "human")]
    pub(crate) json: bool,
    /// A table instead of JSON.
    #[arg(long, conflicts_with = "storm")]
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
    /// How often each of them is measured, in turn: a service differs more from the next than traces cost, so medians are shown.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000), requires = "traces")]
    pub(crate) rounds: u32,
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
  cargo run --release -p flagfall-tests --bin load -- --storm 10000

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
    /// All clocks, or those that are played on in a storm.
    Clocks,
    /// The clocks that lose their links.
    Crowd,
}

impl Args {
    /// What the single arguments do not show to be wrong.
    pub(crate) fn check(&self) -> Result<(), String> {
        let clocks = u64::from(self.clocks) + u64::from(self.storm.unwrap_or(0));
        let (needed, limit) = (clocks + OTHER_FILES, process::open_files_limit());
        if needed > limit {
            return Err(format!(
                "{clocks} clocks: a process needs {needed} open files for them and may have {limit} (ulimit -Hn)"
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
