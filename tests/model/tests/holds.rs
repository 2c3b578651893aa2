//! Within the default bounds every state holds every invariant, and the searches reach what they are there for.

use std::collections::BTreeSet;

use flagfall_model::{
    bounds::{Bounds, Fault},
    check::{Search, check},
    milestone::MILESTONES,
};

#[test]
fn the_protocol_holds_within_every_default_bound() {
    let (mut seen, mut states) = (BTreeSet::new(), 0);
    for (name, bounds) in Bounds::DEFAULTS {
        let outcome = check(bounds, Fault::None, Search::default());
        println!("{name}: {outcome}");
        assert!(outcome.complete, "{name}: {outcome}");
        seen.extend(outcome.milestones);
        states += outcome.states;
    }
    println!("{states} states in all");
    let wanted: BTreeSet<_> = MILESTONES.iter().map(|milestone| milestone.name).collect();
    assert_eq!(seen, wanted, "a search that reaches little proves little");
}
