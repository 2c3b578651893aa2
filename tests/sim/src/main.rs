//! Runs seeds of the simulated world.

use std::process::ExitCode;

use clap::Parser;
use flagfall_sim::{
    Options, Outcome, run,
    sweep::{again, sweep},
};

/// Searches worlds in which everything breaks for one in which something is lost.
///
/// Example: sim --seeds 200; then, for a seed that failed: sim --seed 17 --trace
///
/// Exit code 0: nothing was wrong. 1: something was, and the last line says how to see it again.
#[derive(Parser)]
struct Args {
    /// How many seeds.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// This seed alone.
    #[arg(long)]
    seed: Option<u64>,
    /// Print everything that happened.
    #[arg(long, requires = "seed")]
    trace: bool,
    /// Nothing goes wrong.
    #[arg(long)]
    calm: bool,
    /// One JSON object a seed.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let options = |seed| Options { faults: !args.calm, ..Options::of(seed) };
    let outcomes = match args.seed {
        Some(seed) => {
            let outcome = run(&options(seed));
            if args.trace {
                print!("{}", outcome.trace.text());
            }
            tell(&outcome, args.json);
            vec![outcome]
        }
        None => sweep(args.from, args.seeds, options, |outcome| tell(outcome, args.json)),
    };
    let failed: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.wrong.is_some()).collect();
    if !args.json {
        println!("{} worlds, {} wrong", outcomes.len(), failed.len());
        failed.iter().for_each(|outcome| println!("{}", again(outcome.seed)));
    }
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell(outcome: &Outcome, json: bool) {
    if json {
        println!("{}", serde_json::to_string(outcome).unwrap_or_default());
        return;
    }
    let Outcome { seed, wrong, entries, events, simulated_ms, steps, trace } = outcome;
    let (seconds, hash) = (simulated_ms / 1_000, &trace.hash()[..16]);
    let wrong = wrong.as_ref().map_or_else(|| "ok".to_owned(), |wrong| format!("WRONG: {wrong}"));
    println!("seed {seed}: {seconds} s, {entries} entries, {events} events, {steps} steps, trace {hash}: {wrong}");
}
