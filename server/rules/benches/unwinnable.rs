//! Time for a question about the end of an ordinary game: `cargo bench -p flagfall-rules --bench unwinnable`.
//!
//! One iteration asks about every ending of the tests and both sides, each once, so that no branch is learnt by heart; the
//! throughput is questions a second.

use divan::{Bencher, counter::ItemsCount};
use flagfall_rules::{
    clock::Colour,
    unwinnable::{self, Verdict},
};
use shakmaty::{CastlingMode, Chess, FromSetup, fen::Fen};

fn main() {
    let questions = questions();
    let open = questions.iter().filter(|(position, side)| unwinnable::quick(position, *side) == Verdict::Undetermined);
    println!("the quick stage leaves {} of {} questions open", open.count(), questions.len());
    divan::main();
}

fn questions() -> Vec<(Chess, Colour)> {
    let fens = include_str!("../tests/unwinnable/endings.txt").lines().filter(|line| !line.starts_with('#'));
    let positions = fens.map(|fen| {
        let setup: Fen = fen.parse().expect("a position");
        Chess::from_setup(setup.into_setup(), CastlingMode::Standard).expect("a legal position")
    });
    positions.flat_map(|position| Colour::BOTH.map(|side| (position.clone(), side))).collect()
}

#[divan::bench]
fn quick(bencher: Bencher) {
    let questions = questions();
    bencher.counter(ItemsCount::new(questions.len())).bench_local(|| {
        questions
            .iter()
            .filter(|(position, side)| matches!(unwinnable::quick(position, *side), Verdict::Winnable(_)))
            .count()
    });
}

#[divan::bench(sample_count = 10)]
fn whole(bencher: Bencher) {
    let questions = questions();
    bencher.counter(ItemsCount::new(questions.len())).bench_local(|| {
        let verdicts = questions.iter().map(|(position, side)| unwinnable::can_mate(position, *side, 10_000_000));
        verdicts.filter(|verdict| matches!(verdict, Verdict::Winnable(_))).count()
    });
}
