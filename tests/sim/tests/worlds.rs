//! Worlds by the hundred. One that fails prints the command that shows it again.

use std::sync::Mutex;

use flagfall_sim::{
    Options, Outcome, run,
    sweep::{again, sweep},
};
use serde::Deserialize;

/// How many worlds are searched; `FLAGFALL_SIM_SEEDS` says otherwise.
const SEEDS: u64 = 200;

#[derive(Deserialize)]
struct Kept {
    seed: Vec<KeptSeed>,
}

#[derive(Deserialize)]
struct KeptSeed {
    seed: u64,
    showed: String,
}

fn kept() -> Vec<KeptSeed> {
    toml::from_str::<Kept>(include_str!("../seeds.toml")).expect("seeds with what they showed").seed
}

fn complain(outcome: &Outcome) -> Option<String> {
    let wrong = outcome.wrong.as_ref()?;
    Some(format!("seed {}: {wrong}\n    {}", outcome.seed, again(outcome.seed)))
}

#[test]
fn a_seed_gives_the_same_trace_again_whatever_runs_beside_it() {
    for seed in [3, 14] {
        let first = run(&Options::of(seed));
        let others = sweep(seed, 2, Options::of, |_| {});
        let (first, again) = (first.trace.text(), others[0].trace.text());
        let differs = first.lines().zip(again.lines()).find(|(first, again)| first != again);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!(first, again, "seed {seed}");
        assert!(first.lines().count() > 300, "a world in which something happens");
    }
}

#[test]
fn a_calm_world_ends_as_planned_and_the_service_says_whom_it_takes_in() {
    let outcome = run(&Options { faults: false, rival: false, ..Options::of(1) });
    assert_eq!(complain(&outcome), None);
    let text = outcome.trace.text();
    for clock in ["clock-1", "clock-2", "clock-3"] {
        // The oracle tells by these words which epochs were given.
        let said = format!("says: clock taken in device=\"{clock}\" epoch=1");
        assert_eq!(text.lines().filter(|line| line.contains(&said)).count(), 1, "{clock}");
    }
}

#[test]
fn kept_seeds_recover() {
    for KeptSeed { seed, showed } in kept() {
        assert!(!showed.is_empty(), "seed {seed}");
        assert_eq!(complain(&run(&Options::of(seed))), None, "once showed: {showed}");
    }
}

#[test]
fn worlds_recover() {
    let wanted = std::env::var("FLAGFALL_SIM_SEEDS").ok().and_then(|text| text.parse().ok());
    let done = Mutex::new(0);
    let count = wanted.unwrap_or(SEEDS);
    let outcomes = sweep(1, count, Options::of, |outcome| {
        let mut done = done.lock().expect("nobody panics");
        *done += 1;
        if let Some(complaint) = complain(outcome) {
            println!("{done} of {count}: {complaint}");
        }
    });
    let complaints: Vec<String> = outcomes.iter().filter_map(complain).collect();
    assert!(complaints.is_empty(), "{} of {count} worlds:\n{}", complaints.len(), complaints.join("\n"));
}
