//! How fast the service is: `cargo run --release -p flagfall-tests --bin load -- --clocks 1000 --seconds 10`
//!
//! ```text
//!   load (this process) ─┬─ floors: fdatasync, one sled commit
//!                        ├─ echo      ◀── 1 stream a clock ── clocks      the floor of the link
//!                        ├─ service   ◀── 1 stream a clock ── clocks      `flagfall serve` on a real sled
//!                        ├─ with --traces: the service again, exporting to a receiver
//!                        └─ agent, when there is one: at rest beside the clocks
//! ```
//!
//! With `--storm 10000` in place of the service's part: a crowd of clocks loses its links, while others are played on (`storm`).
//!
//! Everything but the agent is this binary again, in a role of its own. One JSON line on standard output, progress on standard
//! error.

mod args;
mod desk;
mod echo;
mod figures;
mod floors;
mod games;
mod generator;
mod hall;
mod orders;
mod player;
mod process;
mod run;
mod service;
mod session;
mod stats;
mod storm;
mod traces;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Args, Role};

fn main() -> ExitCode {
    let args = Args::parse();
    if let Err(reason) = args.check() {
        eprintln!("load: {reason}");
        return ExitCode::from(2);
    }
    let done = process::raise_open_files().and_then(|()| match args.role {
        None if args.storm.is_some() => storm::run(&args),
        None => run::run(&args),
        Some(Role::Service) => service::run(&args),
        Some(Role::Echo) => echo::serve(args.port),
        Some(Role::Clocks) if args.storm.is_some() => storm::live(&args),
        Some(Role::Receiver) => traces::take(args.port),
        Some(Role::Clocks) => generator::run(&args),
        Some(Role::Crowd) => storm::crowd(&args),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("load: {error:#}");
            ExitCode::FAILURE
        }
    }
}
