//! A quickplay finish: the last period of a game without increment, all moves of which are made in a limited time (10 of 2009, Appendix G
//! of 2014, Guideline III since 2017). Whoever has the move and less than two minutes may claim a draw there: his opponent cannot win by
//! normal means, or does not try to. No record proves that. The arbiter declares the draw, puts his decision off, to later in the game or
//! until a flag has fallen, or rejects the claim.
//!
//! U: whether 10 of 2009 speaks of increments and of supervised blitz; left out as in the later texts (G.3, III.2.2).

use alloc::vec::Vec;

use super::{flag_fall::last_period, remedy};
use crate::{
    clock::{Colour, Compensation, Face},
    game::{Ending, Game, Irregularity, Outcome, Remedy, Words},
    laws::{Edition, Play, edition, words},
    time::{MINUTE, Millis},
};

/// Whoever has less than this may claim, milliseconds; in every edition.
const CLAIMED_BELOW: Millis = 2 * MINUTE;

/// What the opponent is given for a claim that is rejected, and may be given for one put off, milliseconds; in every edition.
const GIVEN: Millis = 2 * MINUTE;

/// The decision is put off, with and without time for the opponent.
const PUT_OFF: [&str; 2] = ["put_off", "put_off_given"];

/// The game will have, or has, a quickplay finish: it was announced, or needs no word. Where no control was stated nothing speaks
/// against it.
#[must_use]
pub fn is_played(edition: &Edition, game: &Game) -> bool {
    let setup = &game.setup;
    let blitz = matches!(setup.play, Play::Blitz | Play::BlitzSupervised);
    let last = setup.control.as_ref().and_then(|control| control.periods().last());
    let compensated = last.is_some_and(|period| period.compensation != Compensation::None);
    let everywhere = edition.quickplay_finish == edition::QuickplayFinish::Everywhere;
    (everywhere || setup.overlay.quickplay_finish) && !compensated && !blitz
}

/// This player's claim of a draw can be one of a quickplay finish, by what the clock shows.
#[must_use]
pub fn can_be_claimed(edition: &Edition, game: &Game, by: Colour, face: &Face) -> bool {
    let hand = face.hand(by);
    let short = hand.left.is_none_or(|left| left < CLAIMED_BELOW);
    is_played(edition, game) && last_period(game, by) != Some(false) && short && !hand.flagged
}

/// The arbiter has put off his decision on such a claim in this game.
#[must_use]
pub fn put_off(game: &Game) -> bool {
    let ruled = game.cases.iter().skip(game.cases_before).filter(|case| case.finding.kind == Irregularity::DrawClaim);
    let mut keys = ruled.filter_map(|case| Some(case.ruling.as_ref()?.remedy.key.as_str()));
    keys.any(|key| PUT_OFF.contains(&key))
}

/// Where a decision was put off: that it is due, for the arbiter.
#[must_use]
pub fn due(game: &Game) -> Words {
    if !put_off(game) {
        return Words::default();
    }
    words("; the decision on the claim of a draw was put off", "; решение по требованию ничьей было отложено")
}

/// The draw that the arbiter declares.
#[must_use]
pub fn drawn(edition: &Edition, game: &Game) -> Remedy {
    let words = words(
        "draw: no win by normal means, or no attempt at one",
        "ничья: обычными средствами не выиграть, или соперник не старался",
    );
    let way = remedy::plain(game, "draw", edition.articles.quickplay_finish, words);
    Remedy { outcome: Some((Outcome::Draw, Ending::NormalMeans)), ..way }
}

/// What the arbiter can do about the claim. The default ends nothing.
#[must_use]
pub fn ways(edition: &Edition, game: &Game, by: Colour, face: &Face) -> Vec<Remedy> {
    let article = edition.articles.quickplay_finish;
    let award = |key| remedy::award(game, key, article, face, (by.other(), GIVEN));
    let [put_off, put_off_given] = PUT_OFF;
    let later = remedy::plain(game, put_off, article, words("play on", "игра продолжается"));
    let off = |way| remedy::because("the decision is put off", "решение отложено", way);
    let rejected = remedy::because("the claim is rejected", "требование отклонено", award("rejected"));
    [off(later), off(award(put_off_given)), drawn(edition, game), rejected].into()
}
