//! What is broken on purpose is found, and so is what falls short as it is built.

use flagfall_model::{
    bounds::Fault,
    check::{Search, check},
};

/// Searches until a fault has shown in every invariant it breaks, and prints the shortest traces.
fn shows(fault: Fault) {
    let until = fault.breaks();
    assert!(!until.is_empty(), "{fault:?} breaks nothing");
    let outcome = check(fault.shows_within(), fault, Search { until, ..Search::default() });
    println!("{fault:?}: {outcome}");
    for name in until {
        assert!(outcome.violations.contains_key(name), "{fault:?} was not found to break: {name}\n{outcome}");
    }
    // Without the fault the same bounds hold: what was found is the fault's doing.
    let whole = check(fault.shows_within(), Fault::None, Search { limit: Some(300_000), ..Search::default() });
    assert!(whole.violations.is_empty(), "{whole}");
}

#[test]
fn every_fault_on_purpose_is_found() {
    Fault::all().iter().filter(|fault| !fault.is_as_built()).for_each(|&fault| shows(fault));
}

/// README.md names each; when one is repaired it becomes a fault like the others.
#[test]
fn what_falls_short_as_built_is_found() {
    Fault::all().iter().filter(|fault| fault.is_as_built()).for_each(|&fault| shows(fault));
}
