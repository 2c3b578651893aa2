//! Irregularities that a virtual player commits on purpose: `--inject PLY:KIND`.

use std::str::FromStr;

use flagfall_rules::board::{Kind, Man, Scan, infer};
use shakmaty::{Chess, Color, Move, Position};

use super::script::{Touch, vary};

/// What can be committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injected {
    /// An illegal move is completed instead of the ply; then the ply.
    IllegalMove,
    /// At the next promotion to a queen the pawn is left on the last rank.
    PawnLeft,
    /// The clock is pressed before the ply is made.
    PressWithoutMove,
    /// The ply is made, and another man is displaced with it.
    Displaced,
    /// Two men are exchanged in the initial position.
    WrongStart,
    /// The board lies a quarter turn wrong from the start.
    BoardTurned,
    /// After the ply the clock shows five minutes more than before it.
    ClockJump,
    /// The sensors show a second king for a while before the ply.
    ImpossibleBoard,
}

impl Injected {
    /// Every kind, as the command line lists them.
    pub const ALL: [Injected; 8] = [
        Injected::IllegalMove,
        Injected::PawnLeft,
        Injected::PressWithoutMove,
        Injected::Displaced,
        Injected::WrongStart,
        Injected::BoardTurned,
        Injected::ClockJump,
        Injected::ImpossibleBoard,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Injected::IllegalMove => "illegal_move",
            Injected::PawnLeft => "pawn_left",
            Injected::PressWithoutMove => "press_without_move",
            Injected::Displaced => "displaced",
            Injected::WrongStart => "wrong_start",
            Injected::BoardTurned => "board_turned",
            Injected::ClockJump => "clock_jump",
            Injected::ImpossibleBoard => "impossible_board",
        }
    }

    /// It belongs to the set-up: whatever ply is named, it is there before the first.
    #[must_use]
    pub const fn at_start(self) -> bool {
        matches!(self, Injected::WrongStart | Injected::BoardTurned)
    }
}

/// An irregularity and the ply, from 1, at which it is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The ply from 1.
    pub ply: usize,
    /// What.
    pub kind: Injected,
}

/// A text that is no injection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected PLY:KIND with a ply from 1, KIND one of {}", names())]
pub struct NoInjection;

fn names() -> String {
    Injected::ALL.map(Injected::name).join(", ")
}

impl FromStr for Injection {
    type Err = NoInjection;

    fn from_str(text: &str) -> Result<Injection, NoInjection> {
        let (ply, name) = text.split_once(':').ok_or(NoInjection)?;
        let ply = ply.parse().ok().filter(|ply| *ply > 0).ok_or(NoInjection)?;
        let kind = Injected::ALL.into_iter().find(|kind| kind.name() == name).ok_or(NoInjection)?;
        Ok(Injection { ply, kind })
    }
}

/// A man of the side to move carried where it may not go; `None` when every such board could be something else.
#[must_use]
pub fn illegal_move(position: &Chess, seed: u64) -> Option<Vec<Touch>> {
    let base = infer::scan(position);
    let mover = position.turn();
    let mut pieces = shuffled(seed, |_, man| man.colour == mover.into(), &base);
    // A king near the centre is easily taken for the sign of a result: it goes last.
    pieces.sort_by_key(|&square| base.at(square).is_some_and(|man| man.kind == Kind::King));
    for &from in &pieces {
        let man = base.at(from)?;
        for n in 0..64 {
            let to = ((vary(seed ^ u64::from(from)) + n) % 64) as u8;
            let last_rank = man.kind == Kind::Pawn && !(8..56).contains(&to);
            if base.at(to).is_some() || last_rank {
                continue;
            }
            let steps = vec![Touch { square: from, man: None }, Touch { square: to, man: Some(man) }];
            let board = after(&base, &steps);
            if unexplained(position, &board) && infer::carry(&base, &board, mover.into()).is_some() {
                return Some(steps);
            }
        }
    }
    None
}

/// A man that a sleeve brushes off to an empty square, the next one if it can be, so that only the move explains the rest.
#[must_use]
pub fn displaced(position: &Chess, m: Move, seed: u64) -> Option<Vec<Touch>> {
    let mut next = position.clone();
    next.play_unchecked(m);
    let base = infer::scan(&next);
    let touched = [m.from().map(|square| square as u8), Some(m.to() as u8)];
    let men = shuffled(seed, |square, man| man.kind != Kind::King && !touched.contains(&Some(square)), &base);
    for &from in &men {
        let man = base.at(from)?;
        let mut squares: Vec<u8> = (0..64).filter(|&to| base.at(to).is_none()).collect();
        let away = |to: u8| (to % 8).abs_diff(from % 8).max((to / 8).abs_diff(from / 8));
        squares.sort_by_key(|&to| away(to));
        for to in squares {
            if man.kind == Kind::Pawn && !(8..56).contains(&to) {
                continue;
            }
            let steps = vec![Touch { square: from, man: None }, Touch { square: to, man: Some(man) }];
            let board = after(&base, &steps);
            let carried = [Color::White, Color::Black]
                .iter()
                .any(|&color| infer::carry(&infer::scan(position), &board, color.into()).is_some());
            if unexplained(position, &board) && only(position, m, &board) && !carried {
                return Some(steps);
            }
        }
    }
    None
}

/// Whether this move leaves the fewest men in wrong places, and no other as few.
fn only(position: &Chess, m: Move, board: &Scan) -> bool {
    let distance = |m: Move| {
        let mut next = position.clone();
        next.play_unchecked(m);
        infer::scan(&next).differences(board).count()
    };
    let mine = distance(m);
    position.legal_moves().into_iter().filter(|other| *other != m).all(|other| distance(other) > mine)
}

/// Two men of White exchanged on their squares; `None` in a position with too few men.
#[must_use]
pub fn wrong_start(position: &Chess) -> Option<Scan> {
    let base = infer::scan(position);
    let men: Vec<(u8, Man)> = (0..64u8).filter_map(|s| Some((s, base.at(s)?))).collect();
    let fit = |man: &Man| !matches!(man.kind, Kind::King | Kind::Pawn);
    for (n, (a, first)) in men.iter().enumerate().filter(|(_, (_, man))| fit(man)) {
        for (b, second) in men[n + 1..].iter().filter(|(_, man)| fit(man) && man.colour == first.colour && man != first)
        {
            let mut board = base;
            board.put(*a, Some(*second));
            board.put(*b, Some(*first));
            if unexplained(position, &board) {
                return Some(board);
            }
        }
    }
    None
}

/// An empty square on which a ghost of a king can be seen.
#[must_use]
pub fn ghost(board: &Scan) -> Option<Touch> {
    let king = Man { colour: flagfall_rules::clock::Colour::White, kind: Kind::King };
    (16..48u8).find(|&square| board.at(square).is_none()).map(|square| Touch { square, man: Some(king) })
}

fn unexplained(position: &Chess, board: &Scan) -> bool {
    infer::read(position, board) == infer::Reading::Unexplained
}

fn after(base: &Scan, steps: &[Touch]) -> Scan {
    let mut board = *base;
    steps.iter().for_each(|step| board.put(step.square, step.man));
    board
}

fn shuffled(seed: u64, fit: impl Fn(u8, Man) -> bool, board: &Scan) -> Vec<u8> {
    let mut squares: Vec<u8> = (0..64u8).filter(|&s| board.at(s).is_some_and(|man| fit(s, man))).collect();
    squares.sort_by_key(|&square| vary(seed.wrapping_mul(64) + u64::from(square)));
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_read_and_its_mistakes_list_the_kinds() {
        assert_eq!("12:illegal_move".parse(), Ok(Injection { ply: 12, kind: Injected::IllegalMove }));
        for text in ["", ":", "0:illegal_move", "1:nonsense", "x:displaced", "illegal_move", "-1:displaced"] {
            let error = text.parse::<Injection>().expect_err(text).to_string();
            assert!(error.contains("impossible_board") && error.contains("pawn_left"), "{error}");
        }
    }

    #[test]
    fn what_is_committed_is_explained_by_nothing_legal() {
        let mut position = Chess::default();
        for ply in 0..40 {
            let legal = position.legal_moves();
            let Some(&m) = legal.get((vary(ply) % legal.len().max(1) as u64) as usize) else { break };
            let base = infer::scan(&position);
            if let Some(steps) = illegal_move(&position, ply) {
                assert!(unexplained(&position, &after(&base, &steps)), "ply {ply}");
            } else {
                panic!("ply {ply}: an illegal move is not hard to find");
            }
            let displaced = displaced(&position, m, ply);
            assert!(displaced.is_some() || base.men() < 12, "ply {ply}");
            position.play_unchecked(m);
        }
        assert!(wrong_start(&Chess::default()).is_some());
        assert!(ghost(&infer::scan(&Chess::default())).is_some());
    }
}
