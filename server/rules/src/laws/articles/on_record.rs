//! What the record says of a report. The arbiter's word counts and not the sensor's; but a wrong button, or the same offence entered
//! twice, must not cost a game. What the record contradicts is not carried out before he has confirmed it, and a pawn that was not
//! there was not left there.

use alloc::{format, vec::Vec};

use shakmaty::{Chess, Color, Move, Piece, Position, Rank, Role, san::San, uci::UciMove};

use super::remedy;
use crate::{
    clock::Colour,
    game::{Finding, Game, Irregularity, Ply, Remedy, Uci, Words, state},
    laws::words,
};

/// What stands on record against a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// Board or clock saw otherwise; what.
    Seen(Words),
    /// The same was punished at this move already, in the case of this number: one action is one strike.
    Punished(u32),
}

impl Against {
    /// For the arbiter.
    #[must_use]
    pub fn words(self) -> Words {
        match self {
            Against::Seen(seen) => seen,
            Against::Punished(case) => words(
                format!("punished at this move already in case {case}"),
                format!("на этом ходу уже наказано, случай {case}"),
            ),
        }
    }
}

/// What stands on record against a report of this, by this player at this ply.
#[must_use]
pub fn against(game: &Game, kind: Irregularity, by: Colour, ply: u32) -> Option<Against> {
    let same = |finding: &Finding| (finding.kind, finding.by, finding.ply) == (kind, by, ply);
    let struck = |remedy: &Remedy| remedy.strikes[by.index()] > 0;
    let punished = |case: &&crate::game::Case| {
        same(&case.finding) && case.ruling.as_ref().is_some_and(|ruling| struck(&ruling.remedy))
    };
    // In a new game nothing of the old one was punished.
    let live = kind.is_strike() && game.strikes[by.index()] > 0;
    let before = game.cases.iter().rev().filter(|_| live).find(punished);
    before.map(|case| Against::Punished(case.finding.case)).or_else(|| seen(game, kind, by, ply).map(Against::Seen))
}

/// Nothing like it can have been: the record knows the position before the move, and the player had no pawn that could be left on the
/// last rank. One that got there from elsewhere is an illegal move (7.5.1).
#[must_use]
pub fn no_such_pawn(game: &Game, kind: Irregularity, by: Colour, ply: u32) -> bool {
    let plies = ply.saturating_sub(1) as usize;
    if kind != Irregularity::PawnLeft || !game.is_known_after(plies) {
        return false;
    }
    let Some(before) = game.position_after(plies) else { return false };
    let colour = Color::from(by);
    let pawns = before.board().by_piece(Piece { color: colour, role: Role::Pawn });
    (pawns & colour.relative_rank(Rank::Seventh)).is_empty()
}

/// A report that the record contradicts can be left alone; what was punished already is, unless the arbiter says otherwise.
pub(super) fn asks(game: &Game, finding: &Finding, ways: &mut Vec<Remedy>) {
    // What the board itself found at a press is no report.
    if finding.evidence.at_press.is_some() {
        return;
    }
    let Some(against) = against(game, finding.kind, finding.by, finding.ply) else { return };
    let lets_be = |way: &Remedy| way.key == "play_on" || way.key == "stands";
    let known = ways.iter().position(lets_be);
    match against {
        Against::Punished(_) => {
            let way = known.map_or_else(|| remedy::play_on(game, &finding.article), |index| ways.remove(index));
            ways.insert(0, way);
        }
        Against::Seen(_) if known.is_none() => ways.push(remedy::play_on(game, &finding.article)),
        Against::Seen(_) => {}
    }
}

fn seen(game: &Game, kind: Irregularity, by: Colour, ply: u32) -> Option<Words> {
    match kind {
        Irregularity::IllegalMove | Irregularity::PawnLeft => legal(game, ply).map(|(before, m)| saw(&before, m)),
        Irregularity::PressWithoutMove => {
            let moved = recorded(game, ply).is_some_and(|ply| ply.uci != Uci::NONE);
            let generally = || words("the board saw a move", "доска видела ход");
            moved.then(|| legal(game, ply).map_or_else(generally, |(before, m)| saw(&before, m)))
        }
        Irregularity::TwoHands => {
            let pressed = recorded(game, ply).is_some_and(|ply| ply.uci == Uci::NONE);
            pressed.then(|| words("the board saw no move", "доска не видела хода"))
        }
        Irregularity::WrongStart => (game.set_up && from_the_beginning(game))
            .then(|| words("the board has shown the initial position", "на доске была начальная позиция")),
        Irregularity::BothFlags => game
            .face
            .hands
            .iter()
            .any(|hand| hand.left.is_some_and(|left| left > 0))
            .then(|| words("the clock does not show both flags down", "часы не показывают, что упали оба флажка")),
        Irregularity::FlagSeen => {
            let left = remedy::clock(game.face.hand(by).up()?);
            let (en, ru) = (format!("the clock showed {left} last"), format!("последнее показание часов {left}"));
            Some(words(en, ru))
        }
        _ => None,
    }
}

/// The record begins with the game: what the board showed first is what was set up for it.
fn from_the_beginning(game: &Game) -> bool {
    Colour::BOTH.iter().all(|&colour| game.completed_in(0, colour) == 0)
}

fn saw(before: &Chess, m: Move) -> Words {
    let san = San::from_move(before, m);
    words(format!("the board saw {san}"), format!("доска видела {san}"))
}

/// A ply as the board showed it, where the record is not in doubt.
fn recorded(game: &Game, ply: u32) -> Option<&Ply> {
    let before = (ply as usize).checked_sub(1)?;
    game.plies.get(before).filter(|ply| ply.uci != Uci::UNSEEN && game.is_known_after(before))
}

/// The legal move that led from the position before a ply to the one after it.
fn legal(game: &Game, ply: u32) -> Option<(Chess, Move)> {
    let recorded = recorded(game, ply)?;
    let before = game.position_after(ply as usize - 1)?;
    let m = UciMove::from_ascii(recorded.uci.as_str().as_bytes()).ok()?.to_move(&before).ok()?;
    let mut after = before.clone();
    after.play_unchecked(m);
    (state::hash(&after) == recorded.position).then_some((before, m))
}
