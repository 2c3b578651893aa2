//! How fast a service rules again: `cargo run --release -p flagfall-tests --bin recovery -- --games 1000 --plies 120`
//!
//! ```text
//!   make (a child) ── opens and plays games through the arena on a real sled ──▶ kill -9
//!   flagfall serve on what is left ──▶ probes say "serving" ──▶ a clock presses ──▶ its press is acknowledged
//! ```
//!
//! `flagfall` is taken from beside this binary: `cargo build --release -p flagfall-server -p flagfall-tests` makes both. One JSON
//! line on standard output, progress on standard error.

mod again;
mod boards;
mod make;
mod sitting;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

/// Measures how long a service needs from its start until it rules again.
#[derive(Parser)]
#[command(name = "recovery", after_help = "Example: recovery --games 1000 --plies 120 --over 2000")]
struct Args {
    /// Games under way, each on a clock of its own.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Plies of each.
    #[arg(long, default_value_t = 120)]
    plies: usize,
    /// Finished games of the same clocks, on the shelf.
    #[arg(long, default_value_t = 0)]
    over: u32,
    /// How often the service is started and killed.
    #[arg(long, default_value_t = 3)]
    starts: u32,
    /// Keep the journal in this directory, and use the one that is there; otherwise it is made and thrown away.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Only make the journal in `--dir`, and wait to be killed.
    #[arg(long, hide = true, requires = "dir")]
    make: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let made = match &args.dir {
        Some(dir) if args.make => make::run(dir, &args),
        _ => again::run(&args),
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("recovery: {error:#}");
            ExitCode::FAILURE
        }
    }
}
