//! The reference's vectors, where they are: `$FLAGFALL_SHARED` or `../shared` beside the workspace.

use std::{path::PathBuf, time::Instant};

use flagfall_rules::{clock::Colour, unwinnable};

use super::{position, table, told};

fn vectors() -> Option<String> {
    let shared = std::env::var_os("FLAGFALL_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")), PathBuf::from);
    std::fs::read_to_string(shared.join("unwinnable/vectors.txt")).ok()
}

#[test]
fn no_vector_is_answered_wrongly() {
    let Some(text) = vectors() else {
        println!("not run: shared/unwinnable/vectors.txt is not here; set FLAGFALL_SHARED");
        return;
    };
    // A debug build takes a sample; the whole with ten million nodes a question takes minutes, see below.
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

/// `cargo test --release -p flagfall-rules --test unwinnable ten_million -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn ten_million_nodes_leave_at_most_one_vector_open() {
    let Some(text) = vectors() else {
        println!("not run: shared/unwinnable/vectors.txt is not here; set FLAGFALL_SHARED");
        return;
    };
    let (mut asked, mut open, mut times) = (0, 0, Vec::new());
    for (expected, fen) in table(&text) {
        let position = position(fen);
        for side in Colour::BOTH {
            asked += 1;
            let begun = Instant::now();
            let answer = unwinnable::examine(&position, side, 10_000_000, &mut || true);
            times.push(begun.elapsed());
            match told(&answer.verdict, &position, side) {
                Some(told) => assert_eq!(told, expected[side.index()], "{fen} {}", side.name()),
                None => {
                    open += 1;
                    println!("open after {} nodes: {fen} {}", answer.nodes, side.name());
                }
            }
        }
    }
    times.sort_unstable();
    let mean = times.iter().sum::<std::time::Duration>() / asked;
    let worst = times.last().copied().unwrap_or_default();
    println!("{asked} questions, {open} open; mean {mean:?}, worst {worst:?}");
    assert!(open <= 1, "{open} of {asked} open");
}
