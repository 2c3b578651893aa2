//! Positions that end the game at once, pressed or not (5.1.1, 5.2, 9.6).

use shakmaty::{Chess, Move, Position, Setup};

use super::mating::{self, Dead};
use crate::{
    board::{
        Scan,
        moves::{self, Stuck},
        play_on,
    },
    game::{Ending, Game, Outcome, Ply, state, untold, went_on},
    laws::{Edition, edition::Fivefold},
};

/// How a game has ended, and the article that says so.
pub type End = (Outcome, Ending, &'static str);

/// The end that the present position is, if it is one. Mate on the seventy-fifth move goes first. That the position is dead is only
/// seen where few moves are left, so that it costs a press nothing.
#[must_use]
pub fn judge(edition: &Edition, game: &Game) -> Option<End> {
    match game.men_adrift() {
        Some(men) => stuck(edition, &men),
        None => end(edition, game, None, mating::is_dead),
    }
}

/// The end that a legal move brings which leads to this board, from one that is no position of chess.
#[must_use]
pub fn beyond(edition: &Edition, game: &Game, board: &Scan, ply: Ply) -> Option<End> {
    let men = play_on::setup(board, &game.position, untold(game, board, Some(ply)));
    match play_on::position(men.clone()) {
        Some(next) => end(edition, game, Some(next), mating::is_dead),
        None => stuck(edition, &men),
    }
}

/// Mate and stalemate among men that are no position of chess: nothing else can be said of them.
fn stuck(edition: &Edition, men: &Setup) -> Option<End> {
    let articles = &edition.articles;
    Some(match moves::stuck(men)? {
        Stuck::Mated => (Outcome::win(men.turn.other().into()), Ending::Checkmate, articles.checkmate),
        Stuck::Stalemated => (Outcome::Draw, Ending::Stalemate, articles.stalemate),
    })
}

/// The end that a move brings which stands on the board and not in the score yet: an end needs no press.
#[must_use]
pub fn unpressed(edition: &Edition, game: &Game, m: Move) -> Option<End> {
    end(edition, game, Some(after(game, m)), mating::is_dead)
}

/// The end that the present position is, or the one after a move that stands on the board, looked at whole: before anything is ruled,
/// for what ended the game comes first. A position that no legal move led to ends nothing (5.1.1).
#[must_use]
pub fn stands(edition: &Edition, game: &Game, unpressed: Option<Move>) -> Option<End> {
    if unpressed.is_none() && went_on(game) {
        return None;
    }
    let next = unpressed.map(|m| after(game, m));
    end(edition, game, next, |position| mating::dead(game, position) == Dead::Yes)
}

fn after(game: &Game, m: Move) -> Chess {
    let mut next = game.position.clone();
    next.play_unchecked(m);
    next
}

fn end(edition: &Edition, game: &Game, next: Option<Chess>, dead: impl Fn(&Chess) -> bool) -> Option<End> {
    let position = next.as_ref().unwrap_or(&game.position);
    let articles = &edition.articles;
    if position.is_checkmate() {
        let winner = position.turn().other();
        return Some((Outcome::win(winner.into()), Ending::Checkmate, articles.checkmate));
    }
    let draw = |ending, article| Some((Outcome::Draw, ending, article));
    if position.is_stalemate() {
        return draw(Ending::Stalemate, articles.stalemate);
    }
    if dead(position) {
        return draw(Ending::DeadPosition, articles.dead_position);
    }
    if position.halfmoves() >= 150 && !articles.seventy_five.is_empty() {
        return draw(Ending::SeventyFive, articles.seventy_five);
    }
    let now = state::hash(position);
    let stood = next.is_some().then_some(now).into_iter().chain(game.stood());
    let five = match edition.fivefold {
        None => false,
        Some(Fivefold::AnyFive) => stood.filter(|&then| then == now).count() >= 5,
        // After this ply and after each fourth ply before it, five times in all.
        Some(Fivefold::Consecutive) => stood.step_by(4).take(5).filter(|&then| then == now).count() == 5,
    };
    if five { draw(Ending::Fivefold, articles.fivefold) } else { None }
}
