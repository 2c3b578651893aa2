//! Where ordinary games end: the questions an arbiter asks, nearly all of which the quick stage has to answer.

use flagfall_rules::{clock::Colour, unwinnable};

use super::{position, told};

#[test]
fn the_quick_stage_answers_nearly_every_ordinary_ending() {
    let (mut asked, mut answered) = (0, 0);
    for fen in include_str!("endings.txt").lines().filter(|line| !line.starts_with('#')) {
        let position = position(fen);
        for side in Colour::BOTH {
            asked += 1;
            let whole = told(&unwinnable::can_mate(&position, side, 1_000_000), &position, side);
            assert!(whole.is_some(), "{fen} {}", side.name());
            let quick = told(&unwinnable::quick(&position, side), &position, side);
            assert!(quick.is_none() || quick == whole, "{fen} {}", side.name());
            answered += usize::from(quick.is_some());
        }
    }
    println!("{answered} of {asked} answered at once");
    assert!(answered * 100 >= asked * 97, "{answered} of {asked}");
}
