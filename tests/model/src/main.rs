//! Checks the protocol within bounds given on the command line.

use std::process::ExitCode;

use clap::{Parser, builder::PossibleValuesParser};
use flagfall_model::{
    bounds::{Bounds, Fault},
    check::{Search, check},
};

/// Visits every state of the protocol between clock and service that is reachable within bounds.
///
/// Exit code 0: every state was visited and all invariants hold; 1: one does not, its shortest trace is printed; 2: the limit
/// came first, or the arguments make no sense.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Bounds to start from; what is given beside them counts instead.
    ///
    /// one: one clock, everything goes wrong once; twice: fewer directives, power lost twice on each side; takeover: two
    /// instances take each other's place; mangled: a proxy breaks the order of frames; directives: they replace each other
    /// and reports come late; next-game: another game is opened; anew: a spool is begun anew.
    #[arg(long, default_value = "one", value_parser = PossibleValuesParser::new(Bounds::DEFAULTS.map(|(name, _)| name)))]
    bounds: String,
    /// Instances of the clock.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=2))]
    instances: Option<u8>,
    /// Presses, all instances together.
    #[arg(long, alias = "presses", value_parser = clap::value_parser!(u8).range(0..=4))]
    events: Option<u8>,
    /// How many of the presses lead to a directive, the first ones.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=3))]
    rulings: Option<u8>,
    /// Directives that the desk issues; with the rulings at most 3.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=3))]
    desk: Option<u8>,
    /// The last directive of the desk replaces the one before it.
    #[arg(long)]
    supersede: bool,
    /// Streams that are opened.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=8))]
    sessions: Option<u8>,
    /// Streams that break on one side.
    #[arg(long)]
    breaks: Option<u8>,
    /// Losses of power, on each side.
    #[arg(long)]
    crashes: Option<u8>,
    /// Frames dropped, doubled or exchanged within a stream.
    #[arg(long)]
    mangles: Option<u8>,
    /// Spools begun anew.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=1))]
    forgets: Option<u8>,
    /// Games opened after the first.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=1))]
    games: Option<u8>,
    /// Directives with which the service loses its patience.
    #[arg(long)]
    overdues: Option<u8>,
    /// Settings that a physical clock does not take.
    #[arg(long)]
    refusals: Option<u8>,
    /// The clock reports RECEIVED too.
    #[arg(long)]
    received: bool,
    /// What is broken on purpose. The bounds to start from are then those within which it shows.
    #[arg(long, value_enum, default_value = "none")]
    fault: Fault,
    /// Threads; with more than one a trace may not be the shortest.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Stop after so many steps; a million steps take about 2.5 s.
    #[arg(long)]
    limit: Option<usize>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Say nothing on stderr.
    #[arg(long)]
    quiet: bool,
}

impl Args {
    fn bounds(&self) -> Bounds {
        let named =
            Bounds::DEFAULTS.into_iter().find(|&(name, _)| name == self.bounds).map_or(Bounds::ONE, |(_, it)| it);
        let start = if self.fault == Fault::None { named } else { self.fault.shows_within() };
        Bounds {
            instances: self.instances.unwrap_or(start.instances),
            presses: self.events.unwrap_or(start.presses),
            rulings: self.rulings.unwrap_or(start.rulings),
            desk: self.desk.unwrap_or(start.desk),
            supersede: self.supersede || start.supersede,
            sessions: self.sessions.unwrap_or(start.sessions),
            breaks: self.breaks.unwrap_or(start.breaks),
            clock_crashes: self.crashes.unwrap_or(start.clock_crashes),
            server_crashes: self.crashes.unwrap_or(start.server_crashes),
            mangles: self.mangles.unwrap_or(start.mangles),
            forgets: self.forgets.unwrap_or(start.forgets),
            games: self.games.unwrap_or(start.games),
            overdues: self.overdues.unwrap_or(start.overdues),
            refusals: self.refusals.unwrap_or(start.refusals),
            received: self.received || start.received,
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let bounds = args.bounds();
    let directives = bounds.rulings.min(bounds.presses) + bounds.desk;
    if directives > 3 {
        eprintln!("flagfall-model: {directives} directives, at most 3 are possible: give fewer --rulings or --desk");
        return ExitCode::from(2);
    }
    let search =
        Search { threads: args.threads.max(1), limit: args.limit, progress: !args.quiet, until: args.fault.breaks() };
    let outcome = check(bounds, args.fault, search);
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&outcome).unwrap_or_default()),
        false => print!("{outcome}"),
    }
    match (outcome.complete, outcome.violations.is_empty()) {
        (true, _) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
        (false, true) => ExitCode::from(2),
    }
}
