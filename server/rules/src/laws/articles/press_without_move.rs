//! The clock was pressed without a move (7.5.3; 7.8.1 in 2017): considered and punished as an illegal move.

use crate::{
    board::infer,
    game::Irregularity,
    laws::{Edition, Found, Settled, words},
};

/// The settled board is the very position before the press.
#[must_use]
pub fn rule(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    if infer::scan(&settled.game.position) != *settled.board {
        return None;
    }
    unchanged(edition)
}

/// The board is as it was before the press, whatever it shows. `None`: the edition knows no such irregularity.
#[must_use]
pub fn unchanged(edition: &Edition) -> Option<Found> {
    (!edition.articles.press_without_move.is_empty()).then(|| Found {
        kind: Irregularity::PressWithoutMove,
        article: edition.articles.press_without_move,
        fixed: true,
        seen: words("the board did not change", "доска не изменилась"),
    })
}
