//! The reference's vectors, where they are: `$TEST_DATA` or `../shared` beside the workspace.

use std::path::PathBuf;

use flagfall_rules::{clock::Colour, unwinnable};

use super::{position, table, told};

fn vectors() -> Option<String> {
    let shared = std::env::var_os("TEST_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")), PathBuf::from);
    std::fs::read_to_string(shared.join("unwinnable/vectors.txt")).ok()
}

#[test]
fn no_vector_is_answered_wrongly() {
    let Some(text) = vectors() else {
        println!("not run: shared/unwinnable/vectors.txt is not here; set TEST_DATA");
        return;
    };
    // A debug build takes a sample; the whole with ten million nodes a question takes minutes: `flagfall unwinnable`.
    let (step, budget) = if cfg!(debug_assertions) { (10, 20_000) } else { (1, 20_000) };
    let (mut asked, mut open) = (0, 0);
    for (expected, fen) in table(&text).step_by(step) {
        let position = position(fen);
        for side in Colour::BOTH {
            asked += 1;
            let expected = expected[side.index()];
            let quick = told(&unwinnable::quick(&position, side), &position, side);
            assert!(quick.is_none_or(|told| told == expected), "quick: {fen} {}", side.name());
            match told(&unwinnable::can_mate(&position, side, budget), &position, side) {
                Some(told) => assert_eq!(told, expected, "{fen} {}", side.name()),
                None => open += 1,
            }
        }
    }
    println!("{asked} questions, {open} undetermined within {budget} nodes");
    assert!(open * 10 < asked, "{open} of {asked} undetermined");
}
