//! Colours reversed (7.3).

use alloc::{vec, vec::Vec};

use super::{initial_position, remedy};
use crate::{
    clock::Colour,
    game::{Game, Remedy},
    laws::{Edition, edition::Reversed, words},
};

/// Whether the edition says that it is found too late to be put right: play goes on.
#[must_use]
pub fn too_late(edition: &Edition, game: &Game) -> bool {
    match edition.reversed {
        Reversed::ArbiterDecides => false,
        Reversed::CompletedByEach(moves) => Colour::BOTH.iter().all(|&c| game.completed(c) >= moves),
        Reversed::MadeByBoth(moves) => Colour::BOTH.iter().all(|&c| game.made(c) >= moves),
    }
}

/// Before the limit a new game; after it play goes on. The times of a new game are the arbiter's: initial, or less for the
/// schedule.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game) -> Vec<Remedy> {
    let on = remedy::plain(
        game,
        "play_on",
        edition.articles.colours,
        words("play on with the colours as they are", "игра продолжается с теми же цветами"),
    );
    let anew = initial_position::cancel(edition, game);
    let anew = Remedy { article: edition.articles.colours.into(), ..anew };
    match edition.reversed {
        _ if too_late(edition, game) => vec![on],
        Reversed::ArbiterDecides => vec![on, anew],
        Reversed::CompletedByEach(_) | Reversed::MadeByBoth(_) => vec![anew, on],
    }
}
