//! How the clock is set after an irregularity: the best judgement of 7.1 (6.13 in 2009) made explicit.
//!
//! 1. Stop, and keep times, counters, periods and side as they stood.
//! 2. Find the position to reinstate and its counts of completed moves.
//! 3. Baseline. *Immediate* (no reply completed): the time used stays used, and what the press credited is taken back from the
//!    offender: increment and period bonus. *Deep* (found later): both readings at the offending press, before credits.
//! 4. Recompute counters and periods. 5. Add the penalty. 6. Restart the offender without counting a press.
//!
//! Taking back the increment is official guidance (Arbiters' Manual), not the letter. No correction makes a flag fall.

use crate::{
    clock::{Colour, Compensation, Face, Hand},
    game::{Game, state::HeldPress},
    time::Millis,
};

/// The least a corrected reading can be: a correction must never make a flag fall.
pub const LEAST: Millis = 1_000;

/// What a press credited to the player who made it, increment and period bonus together; `None` when no control is known.
#[must_use]
pub fn credited(game: &Game, by: Colour, press: &HeldPress) -> Option<Millis> {
    let control = game.setup.control.as_ref()?;
    let moves_before = game.completed(by);
    let period = press.before.hand(by).period;
    let used = used(game, by, press);
    let credit = control.credit(moves_before, period, used);
    let bronstein = matches!(control.period(period).compensation, Compensation::Bronstein(_));
    if bronstein && used.is_none() {
        return None;
    }
    Some(credit.compensation + credit.bonus)
}

/// Time between the press that started this player's clock and his own; `None` across boots and pauses nobody measured.
fn used(game: &Game, by: Colour, press: &HeldPress) -> Option<Millis> {
    let last = game.plies.iter().rev().find(|ply| ply.by == by.other() && ply.completed)?;
    press.at.since(last.at?)
}

/// Both hands with the counters and periods that the score after `plies` plies gives. Scoresheets outrank counters; where
/// no move was ever seen the counters are all there is, and the offender's last press is taken back.
fn recounted(game: &Game, face: &Face, offender: Colour, keep: usize, followed: bool) -> [Hand; 2] {
    let mut hands = face.hands;
    for colour in Colour::BOTH {
        let hand = &mut hands[colour.index()];
        let counted = game.plies.iter().take(keep).filter(|ply| ply.by == colour && ply.completed).count() as u32;
        hand.moves = match (followed, colour == offender) {
            (true, _) => counted,
            (false, true) => hand.moves.saturating_sub(1),
            (false, false) => hand.moves,
        };
        hand.flagged = false;
        hand.left = hand.left.map(|left| left.max(LEAST));
        if let Some(control) = &game.setup.control {
            hand.period = hand.period.min(control.period_at(hand.moves));
        }
    }
    hands
}

/// Immediate baseline: no reply was completed. The offender loses what his press credited; nothing else moves.
#[must_use]
pub fn immediate(game: &Game, face: &Face, offender: Colour, keep: usize, credit: Millis) -> [Hand; 2] {
    let followed = !game.plies.is_empty() || game.scan.is_some();
    let mut hands = recounted(game, face, offender, keep, followed);
    let hand = &mut hands[offender.index()];
    hand.left = hand.left.map(|left| (left - credit).max(LEAST));
    hands
}

/// Deep baseline: both readings as they were at the offending press before credits, from the record; a reading that was
/// never known stays as it is now.
#[must_use]
pub fn deep(game: &Game, face: &Face, offender: Colour, ply: u32) -> [Hand; 2] {
    let keep = (ply as usize).saturating_sub(1);
    let mut hands = recounted(game, face, offender, keep, true);
    if let Some(record) = game.plies.get(keep) {
        let other = offender.other();
        let offender_left = record.before_credit.or(record.left[offender.index()]);
        if let Some(left) = offender_left {
            hands[offender.index()].left = Some(left.max(LEAST));
        }
        if let Some(left) = record.left[other.index()] {
            hands[other.index()].left = Some(left.max(LEAST));
        }
    }
    hands
}

/// What the offender's press credited when the press itself is all that is known: the credit of his next move by the score.
#[must_use]
pub fn credit_of_next(game: &Game, face: &Face, by: Colour) -> Millis {
    let Some(control) = &game.setup.control else { return 0 };
    let moves_before = if game.plies.is_empty() && game.scan.is_none() {
        face.hand(by).moves.saturating_sub(1)
    } else {
        game.completed(by)
    };
    let period = control.period_at(moves_before);
    let last = game.plies.iter().rev().find(|ply| ply.by == by.other() && ply.completed).and_then(|ply| ply.at);
    let used = last.zip(game.cases.last().and(game.at)).and_then(|(then, now)| now.since(then));
    let credit = control.credit(moves_before, period, used);
    credit.compensation + credit.bonus
}
