//! What the arbiter is asked about an adjournment, in the queue of calls.

use super::super::{
    Lang, Tile, Visitor,
    calls::{Told, is_mine},
    tile::asked,
    words,
};

/// Something about an adjournment that the arbiter is asked.
pub(in super::super) struct Question {
    pub(in super::super) id: String,
    pub(in super::super) game: String,
    pub(in super::super) board: String,
    pub(in super::super) white: String,
    pub(in super::super) black: String,
    pub(in super::super) what: &'static str,
    pub(in super::super) stands: String,
    pub(in super::super) article: String,
    pub(in super::super) edition: String,
    pub(in super::super) at_ms: i64,
    pub(in super::super) at: String,
    /// By key and words; the first is proposed.
    pub(in super::super) ways: Vec<(String, String)>,
    pub(in super::super) mine: bool,
}

/// What is asked about the game's adjournment.
pub(in super::super) fn question(told: &Told, tile: &Tile, lang: Lang, visitor: &Visitor) -> Option<Question> {
    let (asked, adjournment) = asked(&told.game).zip(told.game.adjournment.as_ref())?;
    let at_ms = told.record.asked_ms().unwrap_or_default();
    let edition = told.game.setup.as_ref().map(|setup| setup.edition.as_str()).unwrap_or_default();
    Some(Question {
        id: format!("call-{}-adjournment", tile.game),
        game: tile.game.clone(),
        board: tile.board.clone(),
        white: tile.white.clone(),
        black: tile.black.clone(),
        what: words::adjournment(lang),
        stands: words::adjournment_stands(lang, adjournment),
        article: asked.article.clone(),
        edition: words::edition(lang, edition),
        at_ms,
        at: words::wall(at_ms),
        ways: asked.ways.iter().map(|way| (way.key.clone(), lang.of(way.words.as_ref()).to_owned())).collect(),
        mine: is_mine(tile, visitor),
    })
}
