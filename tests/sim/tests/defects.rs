//! An oracle that cannot fail proves nothing: each of these defects, put into the world on purpose, is found.

use flagfall_sim::{Mutation, Options, run};

/// The first seed that finds a defect, and what the oracle says; each defect is found within so many worlds.
fn found(mutation: Mutation, worlds: u64) -> (u64, String) {
    let mutated = |seed| run(&Options { mutation: Some(mutation), ..Options::of(seed) });
    (1..=worlds)
        .find_map(|seed| mutated(seed).wrong.map(|wrong| (seed, wrong)))
        .unwrap_or_else(|| panic!("{mutation:?} was not found in {worlds} worlds"))
}

/// What the oracle says begins with the invariant that does not hold.
fn says(wrong: &str, invariants: &[&str]) -> bool {
    invariants.iter().any(|invariant| wrong.starts_with(invariant))
}

#[test]
fn row_08_a_journal_that_acknowledges_before_it_syncs_is_found() {
    let (seed, wrong) = found(Mutation::AckBeforeCommit, 12);
    assert!(says(&wrong, &["I1: "]), "seed {seed}: {wrong}");
}

#[test]
fn row_04_an_epoch_that_does_not_reach_the_disk_is_found() {
    let (seed, wrong) = found(Mutation::EpochNotPersisted, 40);
    assert!(says(&wrong, &["I1: ", "I4: "]), "seed {seed}: {wrong}");
}

#[test]
fn row_07_a_clock_that_adds_time_twice_is_found() {
    let (seed, wrong) = found(Mutation::AppliedTwice, 12);
    assert!(says(&wrong, &["I3: "]), "seed {seed}: {wrong}");
}

#[test]
fn a_card_that_loses_what_was_synced_is_found() {
    let (seed, wrong) = found(Mutation::CardForgets, 12);
    assert!(says(&wrong, &["I1: ", "I2: "]), "seed {seed}: {wrong}");
}
