//! Readings that play cannot explain: a bare zero, a leap (6.10.2 speaks of evident defects of the clocks' setting).
//!
//! The times a press carries are facts and are never overwritten; a mismatch is a finding for the arbiter and nothing more.

use alloc::format;

use crate::{
    clock::{Colour, Going},
    game::{Game, Irregularity},
    laws::{Edition, Found},
    time::{MINUTE, Millis, Moment, SECOND},
};

/// A zero without a flag is no reading when more than this was left shortly before.
pub const BARE_ZERO: Millis = 10 * SECOND;

/// Clocks that show whole seconds, and hands that press a moment after the board was read.
const TOLERANCE: Millis = 2 * SECOND;

/// Without a stated control: the largest increment in use.
const USUAL_INCREMENT: Millis = 30 * SECOND;

/// Without a stated control: bonuses for reaching a control are in this range, and nobody gets one before move 30.
const USUAL_BONUS: core::ops::RangeInclusive<Millis> = 10 * MINUTE..=70 * MINUTE;
const FIRST_CONTROL: u32 = 30;

/// Compares one hand's reading with the last that was believed. `pressed` is the player who has just completed a move.
#[must_use]
pub fn judge(
    edition: &Edition,
    game: &Game,
    believed: [Option<(Millis, Moment)>; 2],
    pressed: Option<Colour>,
    hand: Colour,
) -> Option<Found> {
    let now = game.face.hand(hand);
    let (left, (before, at)) = (now.left?, believed[hand.index()]?);
    let found = |seen| {
        let (kind, article) = (Irregularity::ClockJump, edition.articles.clock_defect);
        Some(Found { kind, article, fixed: true, seen })
    };
    let elapsed = game.at?.since(at);
    if left == 0 && !now.flagged && before > BARE_ZERO && elapsed.is_none_or(|ms| before - ms > TOLERANCE) {
        return found(format!("a bare zero without a flag, {before} ms were left before"));
    }
    if now.flagged || left == 0 {
        return None;
    }
    let gain = left - before;
    if gain > allowed(game, pressed, hand) + TOLERANCE {
        return found(format!("{gain} ms more than before, from {before} to {left}"));
    }
    // What ran and for how long is only known when the clock ran all the time since, under a known control.
    let ran = pressed.filter(|_| game.setup.control.is_some() && game.face_before.going == Going::Running);
    let least = match (ran, elapsed) {
        (Some(mover), Some(ms)) if mover == hand => before - ms,
        (Some(_), Some(_)) => before,
        _ => return None,
    };
    if left < least - TOLERANCE { found(format!("{} ms less than the time that passed, from {before} to {left}", least - left)) } else { None }
}

/// The most a hand may gain: what the press credits, nothing for the other player.
fn allowed(game: &Game, pressed: Option<Colour>, hand: Colour) -> Millis {
    if pressed != Some(hand) {
        return 0;
    }
    let moves = game.completed(hand);
    match &game.setup.control {
        Some(control) => {
            let period = control.period_at(moves);
            let credit = control.credit(moves, period, Some(Millis::MAX));
            credit.compensation + credit.bonus
        }
        None if moves + 1 >= FIRST_CONTROL && USUAL_BONUS.contains(&gain_of(game, hand)) => *USUAL_BONUS.end(),
        None => USUAL_INCREMENT,
    }
}

fn gain_of(game: &Game, hand: Colour) -> Millis {
    let before = game.face_before.hand(hand).left.unwrap_or(0);
    game.face.hand(hand).left.unwrap_or(0) - before
}
