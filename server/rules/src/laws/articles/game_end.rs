//! Positions that end the game at once, pressed or not (5.1.1, 5.2, 9.6).

use shakmaty::Position;

use crate::{
    game::{Ending, Game, Outcome},
    laws::Edition,
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
    if position.is_insufficient_material() {
        return draw(Ending::DeadPosition, articles.dead_position);
    }
    if position.halfmoves() >= 150 {
        return draw(Ending::SeventyFive, articles.seventy_five);
    }
    if game.occurrences() >= 5 {
        return draw(Ending::Fivefold, articles.fivefold);
    }
    None
}
