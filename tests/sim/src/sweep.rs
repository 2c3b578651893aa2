//! Many seeds on all processors.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread::{available_parallelism, scope},
};

use crate::{Options, Outcome, run, trace::lock};

/// Runs so many seeds from one on, each in a world of its own. `told` hears of each as it ends.
pub fn sweep(
    from: u64,
    count: u64,
    options: impl Fn(u64) -> Options + Sync,
    told: impl Fn(&Outcome) + Sync,
) -> Vec<Outcome> {
    let (next, outcomes) = (AtomicU64::new(from), Mutex::new(Vec::new()));
    let workers = available_parallelism().map_or(1, usize::from);
    scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + count {
                        return;
                    }
                    let outcome = run(&options(seed));
                    told(&outcome);
                    lock(&outcomes).push(outcome);
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_default();
    outcomes.sort_by_key(|outcome: &Outcome| outcome.seed);
    outcomes
}

/// The command that shows a seed again.
#[must_use]
pub fn again(seed: u64) -> String {
    format!("cargo run -p flagfall-sim --bin sim -- --seed {seed} --trace")
}
