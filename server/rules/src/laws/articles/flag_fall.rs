//! A flag falls (6.8, 6.9).

use super::mating;
use crate::{
    clock::Colour,
    game::{Ending, Game, Outcome},
    laws::Edition,
};

/// What a fallen flag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The moves of the period were made: not a loss, but somebody should look at the clock.
    ControlPassed,
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
    let outcome = if mating::can_mate(&game.position, winner) { Outcome::win(winner) } else { Outcome::Draw };
    Verdict::Ends(outcome, Ending::Flag, edition.articles.flag)
}
