//! Positions that end the game at once, pressed or not (5.1.1, 5.2, 9.6).

use shakmaty::Position;

use super::mating;
use crate::{
    game::{Ending, Game, Outcome},
    laws::{Edition, edition::Fivefold},
};

/// The end that the present position is, if it is one. Mate on the seventy-fifth move goes first.
#[must_use]
pub fn judge(edition: &Edition, game: &Game) -> Option<(Outcome, Ending, &'static str)> {
    let position = &game.position;
    let articles = &edition.articles;
    if position.is_checkmate() {
        let winner = position.turn().other();
        return Some((Outcome::win(winner.into()), Ending::Checkmate, articles.checkmate));
    }
    let draw = |ending, article| Some((Outcome::Draw, ending, article));
    if position.is_stalemate() {
        return draw(Ending::Stalemate, articles.stalemate);
    }
    if mating::is_dead(position) {
        return draw(Ending::DeadPosition, articles.dead_position);
    }
    if position.halfmoves() >= 150 && !articles.seventy_five.is_empty() {
        return draw(Ending::SeventyFive, articles.seventy_five);
    }
    let five = match edition.fivefold {
        None => false,
        Some(Fivefold::AnyFive) => game.occurrences() >= 5,
        Some(Fivefold::Consecutive) => consecutive(game),
    };
    if five { draw(Ending::Fivefold, articles.fivefold) } else { None }
}

/// The position stood after this ply and after each fourth ply before it, five times in all.
fn consecutive(game: &Game) -> bool {
    let mut times = game.plies.iter().rev().step_by(4).take(5).map(|ply| ply.position);
    let Some(now) = times.next() else { return false };
    times.filter(|&then| then == now).count() == 4
}
