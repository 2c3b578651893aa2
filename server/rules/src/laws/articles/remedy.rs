//! The shapes that remedies are made from.

use alloc::{
    format,
    string::{String, ToString},
};

use super::clock_setting::LEAST;
use crate::{
    clock::{Colour, Hand, run::LONGEST},
    game::{Finding, Game, Remedy, Words},
    laws::words,
    time::{MINUTE, Millis, SECOND},
};

/// A remedy that changes nothing yet: the position and the times stay, the side to move goes on.
pub(super) fn plain(game: &Game, key: &str, article: &str, words: Words) -> Remedy {
    Remedy {
        key: key.to_string(),
        words,
        article: article.to_string(),
        annul_from: None,
        place: None,
        position: None,
        hands: None,
        turn: game.to_move(),
        strikes: [0; 2],
        outcome: None,
        cancel: false,
    }
}

/// For the record only.
pub(super) fn noted(game: &Game, finding: &Finding) -> Remedy {
    plain(game, "noted", &finding.article, words("noted for the arbiter", "отмечено для арбитра"))
}

/// Play goes on as it stands; what was found is not punished.
pub(super) fn play_on(game: &Game, article: &str) -> Remedy {
    plain(game, "play_on", article, words("play on", "игра продолжается"))
}

/// A reading as people say it: `2:00`, `1:02:30`.
pub(super) fn clock(ms: Millis) -> String {
    let seconds = ms / SECOND;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if ms >= 60 * MINUTE { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A player's name for the display: English, and Russian in the dative.
pub(super) const fn to_whom(colour: Colour) -> (&'static str, &'static str) {
    match colour {
        Colour::White => ("White", "белым"),
        Colour::Black => ("Black", "чёрным"),
    }
}

/// A player's name after "from": English, and Russian in the genitive with its preposition.
pub(super) const fn from_whom(colour: Colour) -> (&'static str, &'static str) {
    match colour {
        Colour::White => ("White", "у белых"),
        Colour::Black => ("Black", "у чёрных"),
    }
}

/// Takes time off a hand; it never makes a flag fall that was up.
pub(super) fn take(hand: &mut Hand, amount: Millis) {
    hand.left = hand.left.map(|left| (left - amount).max(LEAST.min(left)));
}

/// Adds time to a hand whose reading is known; an unknown one stays unknown for the arbiter to set.
pub(super) fn add(hand: &mut Hand, amount: Millis) {
    hand.left = hand.left.map(|left| (left + amount).min(LONGEST));
}
