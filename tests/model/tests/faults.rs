//! What is broken on purpose is found.

use std::collections::BTreeSet;

use flagfall_model::{
    bounds::{Bounds, Fault},
    check::{Search, check},
    invariant::INVARIANTS,
};

const README: &str = include_str!("../README.md");

/// Searches until a fault has shown in every invariant it breaks, and prints the shortest traces, whose lengths README.md has.
fn shows(fault: Fault) {
    let until = fault.breaks();
    let outcome = check(fault.shows_within(), fault, Search { until, ..Search::default() });
    println!("{fault:?}: {outcome}");
    let mut lengths = Vec::new();
    for name in until {
        assert!(outcome.violations.contains_key(name), "{fault:?} was not found to break: {name}\n{outcome}");
        lengths.push(outcome.violations[name].steps.len());
    }
    lengths.sort_unstable();
    let lengths: Vec<_> = lengths.iter().map(ToString::to_string).collect();
    let name = serde_json::to_string(&fault).expect("a name");
    let row = README.lines().find(|line| line.starts_with(&format!("| {} |", name.trim_matches('"'))));
    let row = row.unwrap_or_else(|| panic!("README.md says nothing of {name}"));
    let last = row.trim_end_matches('|').rsplit('|').next().expect("a column").trim();
    assert_eq!(last, lengths.join("; "), "README.md on {name}");
}

#[test]
fn every_fault_on_purpose_is_found() {
    Fault::all().iter().for_each(|&fault| shows(fault));
}

/// An invariant that nothing breaks may say nothing.
#[test]
fn every_invariant_is_broken_by_a_fault_and_every_fault_breaks_one() {
    let broken: BTreeSet<_> = Fault::all().iter().flat_map(|fault| fault.breaks()).copied().collect();
    assert_eq!(broken, INVARIANTS.iter().map(|invariant| invariant.name).collect());
    assert!(Fault::all().iter().all(|fault| !fault.breaks().is_empty()) && Fault::None.breaks().is_empty());
}

/// What the faults are found within is whole without them, where the default bounds do not say so already.
#[test]
fn bounds_of_their_own_hold_without_the_fault() {
    for bounds in Fault::all().iter().map(|fault| fault.shows_within()) {
        if !Bounds::DEFAULTS.iter().any(|&(_, known)| known == bounds) {
            let whole = check(bounds, Fault::None, Search { limit: Some(400_000), ..Search::default() });
            assert!(whole.violations.is_empty(), "{whole}");
        }
    }
}
