//! Can this side still mate: known positions, the shared vectors, and exhaustive enumeration of small material.

mod closure;
mod endings;
mod small;
mod vectors;

use flagfall_rules::{
    clock::Colour,
    unwinnable::{self, Reason, Verdict},
};
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Position, PositionError, fen::Fen};

/// A position by its FEN, whether or not a game can lead to it.
fn position(fen: &str) -> Chess {
    let parsed: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    Chess::from_setup(parsed.into_setup(), CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// What a verdict says, its line played through.
fn told(verdict: &Verdict, from: &Chess, side: Colour) -> Option<bool> {
    match verdict {
        Verdict::Winnable(line) => {
            let mut board = from.clone();
            for &m in line {
                board = board.play(m).expect("every move of a line is legal");
            }
            assert!(board.is_checkmate(), "the line ends in mate");
            assert_eq!(board.turn(), Color::from(side).other(), "the mate is by the side asked about");
            Some(true)
        }
        Verdict::Unwinnable(_) => Some(false),
        Verdict::Undetermined => None,
    }
}

/// Lines `WB fen …` of a table; `;` begins an explanation.
fn table(text: &str) -> impl Iterator<Item = ([bool; 2], &str)> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(|line| {
        let (tag, rest) = line.split_at(3);
        let fen = rest.split(';').next().unwrap_or(rest).trim();
        ([tag.starts_with('W'), tag.as_bytes()[1] == b'B'], fen)
    })
}

#[test]
fn known_positions_get_their_known_answers() {
    for (expected, fen) in table(include_str!("positions.txt")) {
        let position = position(fen);
        for side in Colour::BOTH {
            let verdict = unwinnable::can_mate(&position, side, 1_000_000);
            assert_eq!(told(&verdict, &position, side), Some(expected[side.index()]), "{fen} {}", side.name());
            let quick = told(&unwinnable::quick(&position, side), &position, side);
            assert!(quick.is_none_or(|told| told == expected[side.index()]), "quick: {fen} {}", side.name());
        }
    }
}

#[test]
fn a_refusal_names_its_reason() {
    let reason = |fen, side| match unwinnable::can_mate(&position(fen), side, 1_000_000) {
        Verdict::Unwinnable(reason) => Some(reason),
        _ => None,
    };
    assert_eq!(reason("8/8/4k3/8/8/3K4/8/7N w - -", Colour::White), Some(Reason::Material));
    assert_eq!(reason("4k3/8/p1p1p1p1/P1P1P1P1/8/8/8/4K3 w - -", Colour::Black), Some(Reason::Blocked));
    assert_eq!(reason("7k/5Q2/6K1/8/8/8/8/8 b - -", Colour::White), Some(Reason::Exhausted));
    assert_eq!(reason("7k/6Q1/6K1/8/8/8/8/8 b - -", Colour::Black), Some(Reason::Material));
}

#[test]
fn a_mate_on_the_board_needs_no_move() {
    let verdict = unwinnable::can_mate(&position("7k/6Q1/6K1/8/8/8/8/8 b - -"), Colour::White, 0);
    assert_eq!(verdict, Verdict::Winnable(Vec::new()));
}

#[test]
fn a_budget_is_kept_and_its_end_is_no_guess() {
    let position = position("8/8/4k3/8/8/3K4/8/6NN w - -");
    let answer = unwinnable::examine(&position, Colour::White, 100, &mut || true);
    assert_eq!(answer.verdict, Verdict::Undetermined);
    assert!(answer.nodes <= 200, "{} nodes of 100", answer.nodes);
}

#[test]
fn a_question_can_be_stopped() {
    let position = position("8/8/4k3/8/8/3K4/8/b6N w - -");
    let mut asked = 0;
    let answer = unwinnable::examine(&position, Colour::White, u64::MAX, &mut || {
        asked += 1;
        asked < 2
    });
    assert_eq!(answer.verdict, Verdict::Undetermined);
    assert_eq!(asked, 2);
}
