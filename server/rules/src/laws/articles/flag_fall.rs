//! A flag falls (6.8, 6.9).

use alloc::{format, vec, vec::Vec};

use super::{mating, remedy};
use crate::{
    clock::Colour,
    game::{Ending, Game, Outcome, Remedy},
    laws::{Edition, words},
};

/// What a fallen flag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The moves of the period were made: not a loss, but somebody should look at the clock.
    ControlPassed,
    /// Nobody knows yet whether this player, the opponent of the one whose flag fell, can still mate.
    Doubt(Colour),
    /// The game ends.
    Ends(Outcome, Ending, &'static str),
}

/// Judges a flag. The first flag as latched by the device decides, never the order of arrival; zero in a period that is not
/// the last is no loss before the moves are counted, and scoresheets outrank the clock's counter.
#[must_use]
pub fn judge(edition: &Edition, game: &Game, fallen: Colour) -> Verdict {
    let loser = game.face.first_flag.unwrap_or(fallen);
    let hand = game.face.hand(loser);
    if let Some(required) = game.setup.control.as_ref().and_then(|control| control.required(hand.period)) {
        let completed = if game.plies.is_empty() { hand.moves } else { game.completed(loser) };
        if completed >= required {
            return Verdict::ControlPassed;
        }
    }
    let winner = loser.other();
    match mating::can_mate(game, &game.position, winner) {
        Some(can) => Verdict::Ends(outcome(winner, can), Ending::Flag, edition.articles.flag),
        None => Verdict::Doubt(winner),
    }
}

/// What the fall of a flag gives the opponent.
#[must_use]
pub const fn outcome(opponent: Colour, can_mate: bool) -> Outcome {
    if can_mate { Outcome::win(opponent) } else { Outcome::Draw }
}

/// Both results, for the arbiter, when it could not be determined whether the opponent can still mate.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, loser: Colour) -> Vec<Remedy> {
    let way = |key, can_mate| {
        let outcome = outcome(loser.other(), can_mate);
        let words = words(format!("flag: {}", outcome.pgn()), format!("флаг: {}", outcome.pgn()));
        let outcome = Some((outcome, Ending::Flag));
        Remedy { outcome, ..remedy::plain(game, key, edition.articles.flag, words) }
    };
    vec![way("lost", true), way("drawn", false)]
}
