//! Readings that play cannot explain: a bare zero, a leap (6.10.2 speaks of evident defects of the clocks' setting).
//!
//! The times a press carries are facts and are never overwritten; a mismatch is a finding for the arbiter and nothing more.

use alloc::format;

use super::{credit::credited, remedy::clock};
use crate::{
    clock::{Colour, Going},
    game::{
        Act, Game, Irregularity, Press, Stage,
        state::{Believed, HeldPress},
    },
    laws::{Edition, Found, words},
    time::{MINUTE, Millis, SECOND},
};

/// A zero without a flag is no reading when more than this was left shortly before.
const BARE_ZERO: Millis = 10 * SECOND;

/// Clocks that show whole seconds, and hands that press a moment after the board was read.
const TOLERANCE: Millis = 2 * SECOND;

/// Without a stated control: the largest increment that is usual, and the largest in use. That one goes with long times only, and a game
/// that has it shows it whenever somebody moves fast.
const USUAL_INCREMENT: Millis = 30 * SECOND;
const LARGEST_INCREMENT: Millis = MINUTE;
const LONG: Millis = 30 * MINUTE;

/// So many readings compared with the player's last tell whether increments are larger than usual.
const TELLING: usize = 20;

/// Without a stated control: bonuses for reaching a control are in this range, and nobody gets one before move 30.
const USUAL_BONUS: core::ops::RangeInclusive<Millis> = 5 * MINUTE..=130 * MINUTE;
const FIRST_CONTROL: u32 = 30;

/// Compares one hand's reading with the last that was believed; `pressed`: the input was a press, so that the side to move
/// before it has run all the time since the last reading.
#[must_use]
pub fn judge(
    edition: &Edition,
    game: &Game,
    believed: [Option<Believed>; 2],
    pressed: bool,
    hand: Colour,
) -> Option<Found> {
    let (now, last) = (game.face.hand(hand), game.face_before.hand(hand));
    let (left, last_believed) = (now.left?, believed[hand.index()]?);
    let begun = game.setup.control.as_ref().map_or(0, |control| control.begun(last.period, now.period));
    let before = set_by_hand(game, hand, last_believed.left, left).saturating_add(begun);
    let at = last_believed.at;
    if now.left == last.left || now.flagged {
        return None;
    }
    let found = |seen| {
        let (kind, article) = (Irregularity::ClockJump, edition.articles.clock_defect);
        Some(Found { kind, article, fixed: true, seen })
    };
    let elapsed = game.at?.since(at);
    if left == 0 {
        return if is_bare_zero(before, elapsed) {
            let before = clock(before);
            found(words(
                format!("a bare zero without a flag, {before} were left before"),
                format!("ноль без флажка, до этого оставалось {before}"),
            ))
        } else {
            None
        };
    }
    let passed = elapsed.filter(|_| game.face_before.turn == hand).unwrap_or(0);
    // A clock that is behind with its count, or before it, credits by what it counts.
    let press = Some(HeldPress::now(game, hand)).filter(|_| pressed && game.face_before.turn == hand);
    let credited = press.and_then(|press| credited(game, hand, &press)).map_or(0, |credit| credit.total());
    let allowed = allowed(game, left, left - before, passed, hand, last_believed.moves).max(credited);
    let ran_out = passed > 0 && before <= passed + TOLERANCE;
    if left - before > allowed + SECOND && !(ran_out && begins_a_period(game, left - allowed)) {
        let (more, from, to) = (clock(left - before), clock(before), clock(left));
        return found(words(
            format!("{more} more than before, from {from} to {to}"),
            format!("на {more} больше, чем было: с {from} на {to}"),
        ));
    }
    // What ran and for how long is only known when the clock ran all the time since, under a known control, and every reading was
    // believed: the last is then no older than the turn.
    let measured = last.left == Some(last_believed.left) && game.face_before.going == Going::Running;
    let known = pressed && game.setup.control.is_some() && measured;
    let ran = if game.face_before.turn == hand { elapsed? } else { 0 };
    let short = before - ran - left;
    if known && short > TOLERANCE {
        let (less, from, to) = (clock(short), clock(before), clock(left));
        return found(words(
            format!("{less} less than the time that passed, from {from} to {to}"),
            format!("на {less} меньше, чем прошло времени: с {from} на {to}"),
        ));
    }
    None
}

/// A zero without a flag where so much was left is no reading, unless the time since then explains it.
#[must_use]
pub fn is_bare_zero(before: Millis, elapsed: Option<Millis>) -> bool {
    before > BARE_ZERO && elapsed.is_none_or(|ms| before - ms > TOLERANCE)
}

/// What a correction asked for and the clock did not confirm may have been set by hand: it is measured from then.
fn set_by_hand(game: &Game, hand: Colour, before: Millis, left: Millis) -> Millis {
    let wanted = game.directives.iter().rev().take(4).filter(|sent| sent.stage != Stage::Applied);
    let wanted = wanted.filter_map(|sent| match &sent.directive.act {
        Act::Set { hands, .. } => hands[hand.index()].left,
        _ => None,
    });
    if left > before { wanted.max().map_or(before, |wanted| wanted.max(before)) } else { before }
}

/// The most a hand may gain by every move it completed since the reading that is believed, the one now pressed included.
/// `passed` is what its clock ran meanwhile, as far as that is known.
fn allowed(game: &Game, left: Millis, gain: Millis, passed: Millis, hand: Colour, since: u32) -> Millis {
    let moves = since.min(game.completed(hand))..=game.completed(hand);
    let least = game.periods_after(game.known())[hand.index()];
    match &game.setup.control {
        Some(control) => moves
            .map(|moves| (moves, control.period_of(moves, game.face.hand(hand).period)))
            .map(|(moves, period)| control.credit(moves, period.max(least), Some(Millis::MAX)))
            .map(|credit| credit.compensation + credit.bonus)
            .sum(),
        None if moves.end() + 1 >= FIRST_CONTROL && USUAL_BONUS.contains(&(gain + passed)) => gain,
        None => {
            let moves = moves.count() as Millis;
            let is_large = gain > USUAL_INCREMENT * moves + SECOND && has_large_increments(game, left);
            moves * if is_large { LARGEST_INCREMENT } else { USUAL_INCREMENT }
        }
    }
}

/// Whether increments are larger than usual, by the readings of the game so far: both players' readings rose by more from one move to
/// the next. Before there are readings enough nothing speaks against it, if the times are long.
fn has_large_increments(game: &Game, left: Millis) -> bool {
    let rise = |ply: u32| {
        let (now, last) = (game.press_at(ply)?, game.press_at(ply.checked_sub(2)?)?);
        let reading = |press: Press| press.left[now.by.index()].filter(|_| press.by == now.by);
        Some((now.by, reading(now)? - reading(last)?))
    };
    let rises = || (1..=game.known()).filter_map(rise);
    let rose =
        |colour| rises().any(|(by, ms)| by == colour && ms > USUAL_INCREMENT + SECOND && ms <= LARGEST_INCREMENT);
    Colour::BOTH.into_iter().all(rose) || (left >= LONG && rises().count() < TELLING)
}

/// So much is left of the time of a later period: a clock put it on when the time before was gone, for which no flag falls. Whether a
/// clock does so, or at the count of moves, is its own setting.
fn begins_a_period(game: &Game, left: Millis) -> bool {
    let mut later = game.setup.control.iter().flat_map(|control| control.periods().iter().skip(1));
    later.any(|period| left <= period.base + SECOND)
}
