//! Within the default bounds every state holds every invariant, and the searches reach what they are there for.

use std::collections::BTreeSet;

use flagfall_model::{
    bounds::{Bounds, Fault},
    check::{Search, check},
    milestone::MILESTONES,
};

#[test]
fn the_protocol_holds_within_every_default_bound() {
    let all = [
        ("one clock", Bounds::ONE),
        ("takeover", Bounds::TAKEOVER),
        ("mangled", Bounds::MANGLED),
        ("directives", Bounds::DIRECTIVES),
        ("begun anew", Bounds::ANEW),
    ];
    let mut seen = BTreeSet::new();
    for (name, bounds) in all {
        let outcome = check(bounds, Fault::None, Search::default());
        println!("{name}: {outcome}");
        assert!(outcome.complete, "{name}: {outcome}");
        seen.extend(outcome.milestones);
    }
    let wanted: BTreeSet<_> = MILESTONES.iter().map(|milestone| milestone.name).collect();
    assert_eq!(seen, wanted, "a search that reaches little proves little");
}
