//! Colours reversed (7.3).

use alloc::{vec, vec::Vec};

use super::{initial_position, remedy};
use crate::{
    clock::Colour,
    game::{Game, Remedy},
    laws::{ColourLimit, Edition, words},
};

/// Whether it is found too late to be put right: play goes on.
#[must_use]
pub fn too_late(edition: &Edition, game: &Game) -> bool {
    match edition.colour_limit {
        None => true,
        Some(ColourLimit::CompletedByEach(moves)) => Colour::BOTH.iter().all(|&c| game.completed(c) >= moves),
        Some(ColourLimit::MadeByBoth(moves)) => Colour::BOTH.iter().all(|&c| game.made(c) >= moves),
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
        words("found too late, play on", "обнаружено поздно, игра продолжается"),
    );
    if too_late(edition, game) {
        return vec![on];
    }
    let anew = initial_position::cancel(edition, game);
    vec![Remedy { article: edition.articles.colours.into(), ..anew }]
}
