//! How the clock is set after an irregularity: the best judgement of 7.1 (6.13 in 2009) made explicit.
//!
//! 1. Stop, and keep times, counters, periods and side as they stood.
//! 2. Find the position to reinstate and its counts of completed moves.
//! 3. Baseline. *Immediate* (no reply completed): the time used stays used, and what the press credited is taken back from the
//!    offender: increment and period bonus, as the clock gave them. The time of a period that the moves left to him have earned stays,
//!    though it came late. *Deep* (found later): both readings at the offending press, before credits, with what was given, taken or put
//!    right since: only the time thought goes back. Where one of them leapt, the times as they are come first.
//! 4. Recompute counters and periods. 5. Add the penalty. 6. Restart the offender without counting a press.
//!
//! Taking back the increment is official guidance (Arbiters' Manual), not the letter. No correction makes a flag fall.

use super::credit::{Credited, credit_at, credited, on_record, waiting, waiting_credit};
use crate::{
    clock::{Colour, Face, Hand, run::LONGEST},
    game::Game,
    time::Millis,
};

/// The least a corrected reading can be: a correction must never make a flag fall.
pub const LEAST: Millis = 1_000;

/// Moves a player has completed, by the score or else by the clock: scoresheets outrank counters.
#[must_use]
pub fn counted(game: &Game, face: &Face, by: Colour) -> u32 {
    if game.known() > 0 { game.completed(by) } else { face.hand(by).moves }
}

/// Hands as a procedure may set them: no more than a ruling does it make a flag fall.
#[must_use]
pub fn no_flag(hands: [Hand; 2]) -> [Hand; 2] {
    hands.map(|hand| Hand { left: hand.left.map(|left| left.max(LEAST)), ..hand })
}

/// The clock as a case finds it: a flag that fell only after it was found, and was not judged, decides nothing. What came before it
/// is dealt with first, and the correction sets the time anew.
#[must_use]
pub fn before_flags(game: &Game, found: &Face, mut face: Face) -> Face {
    for colour in Colour::BOTH {
        let judged = found.hand(colour).flagged || game.flags.contains(&colour);
        face.hand_mut(colour).flagged &= judged;
    }
    face
}

/// What the press on the ply after `keep` credited, or a ruling for one that was forgotten, and goes back with it: nothing where the event
/// lets it stay.
#[must_use]
pub fn taken_back(game: &Game, face: &Face, by: Colour, keep: u32) -> Credited {
    let credit = credit_at(game, face, by, keep);
    let earned = game.period_after(keep, by, moves_after(game, face, keep, by));
    if game.setup.overlay.keeps_increment {
        return Credited { kind: credit.kind, ..Credited::default() };
    }
    game.credited_late(keep, by).fold(credit.goes_back(earned), Credited::with)
}

/// The moves a player has completed when the press on the ply after `keep` is taken back.
pub(super) fn moves_after(game: &Game, face: &Face, keep: u32, by: Colour) -> u32 {
    if followed(game) { game.completed_in(keep, by) } else { face.hand(by).moves.saturating_sub(1) }
}

/// The score counts the moves; otherwise the clock's counter is all there is.
fn followed(game: &Game) -> bool {
    game.known() > 0 || game.scan.is_some()
}

/// One player's press is taken back with what it credited.
#[must_use]
pub fn only(offender: Colour, credit: Credited) -> [Option<Credited>; 2] {
    Colour::BOTH.map(|colour| (colour == offender).then_some(credit))
}

/// Immediate baseline after `keep` plies: what the presses taken back had credited goes (`None`: that player's stand), those that wait
/// with them; nothing else moves. Counters follow the score, which outranks the clock's; a period goes with its time.
#[must_use]
pub fn immediate(game: &Game, face: &Face, keep: u32, credits: [Option<Credited>; 2]) -> [Hand; 2] {
    let mut hands = face.hands;
    for (colour, credit) in Colour::BOTH.into_iter().zip(credits) {
        let hand = &mut hands[colour.index()];
        // The press that is judged may wait among them.
        let judged =
            credit.is_some() && keep == game.known() && game.held.first().is_some_and(|press| press.by == colour);
        let waits = || game.held.iter().filter(|press| press.by == colour).skip(usize::from(judged));
        hand.moves = match followed(game) {
            true => game.completed_in(keep, colour),
            false => hand.moves.saturating_sub(waits().count() as u32 + u32::from(credit.is_some())),
        };
        hand.flagged = false;
        let earned = game.period_after(keep, colour, hand.moves);
        let keeps = game.setup.overlay.keeps_increment;
        let waiting = waits().filter(|_| !keeps).filter_map(|press| credited(game, colour, press));
        for credit in waiting.map(|credit| credit.goes_back(earned)).chain(credit) {
            hand.left = hand.left.map(|left| left - credit.total());
            if credit.bonus > 0 {
                hand.period = hand.period.min(credit.from);
            }
        }
        hand.left = hand.left.map(|left| left.max(0));
    }
    hands
}

/// The times and periods stay as they are, and only the counters follow the score: a right of the arbiter's since 2014.
#[must_use]
pub fn left_alone(game: &Game, face: &Face, keep: u32) -> [Hand; 2] {
    let mut hands = immediate(game, face, keep, [None; 2]);
    for (hand, now) in hands.iter_mut().zip(face.hands) {
        (hand.left, hand.period) = (now.left, now.period);
    }
    hands
}

/// Deep baseline: both readings as they were at the press on the ply after `keep`, before credits, from the record, with what was given
/// or taken since; a reading that nobody knows, or that leapt, stays as it is now, and so does the period it belongs to.
#[must_use]
pub fn deep(game: &Game, face: &Face, keep: u32) -> [Hand; 2] {
    let mut hands = left_alone(game, face, keep);
    for colour in Colour::BOTH {
        if let Some(left) = then(game, keep, colour) {
            let hand = &mut hands[colour.index()];
            let left = left.saturating_add(earned_since(game, keep, colour));
            let period = game.period_after(keep, colour, hand.moves);
            (hand.left, hand.period) = (Some(left.min(LONGEST)), hand.period.min(period));
        }
    }
    hands
}

/// A reading of then leapt: what the record can say of the time is no more than a guess.
#[must_use]
pub fn in_doubt(game: &Game, keep: u32) -> bool {
    Colour::BOTH.into_iter().any(|colour| game.leapt(keep + 1, colour))
}

/// A player's time at the press on the ply after `keep`, with what was given or taken since.
fn then(game: &Game, keep: u32, colour: Colour) -> Option<Millis> {
    let (left, ply) = game.reading_at(keep + 1, colour)?;
    Some(left.saturating_add(since(game, ply - 1, colour)))
}

/// What was given to a player, or taken from him, since the press on the ply after `keep`: for another offence, or because his clock was
/// set wrongly. It stays whatever is taken back.
fn since(game: &Game, keep: u32, colour: Colour) -> Millis {
    // A credit is taken off by the right control, so that a clock that was set wrongly is short of it already.
    let pressed = game.press_at(keep + 1).is_some_and(|press| press.by == colour);
    game.given_since(keep, colour, game.completed_in(keep, colour) + u32::from(pressed))
}

/// The time of periods that a player had earned before the press on the ply after `keep`, and that came only with it or later: his clock
/// was behind with its count. No later press brings it.
fn earned_since(game: &Game, keep: u32, colour: Colour) -> Millis {
    let Some(control) = &game.setup.control else { return 0 };
    let earned = game.period_after(keep, colour, game.completed_in(keep, colour));
    let plies = (keep + 1..=game.known()).filter_map(|ply| Some((ply, game.press_at(ply)?)));
    let his = plies.filter(|(_, press)| press.by == colour);
    let logged = his.filter_map(|(ply, press)| Some(on_record(control, game.completed_in(ply, colour), press.credit?)));
    let waiting = waiting(game, colour).filter_map(|press| credited(game, colour, press));
    logged.chain(waiting).filter(|credit| earned > credit.from).map(|credit| credit.bonus).sum()
}

/// What of a player's time stays whatever is taken back to the press on the ply after `keep`.
pub(super) fn stays(game: &Game, keep: u32, colour: Colour) -> Millis {
    since(game, keep, colour).saturating_add(earned_since(game, keep, colour))
}

/// How long a player thought between two faces, with what presses of his that still wait have credited meanwhile.
#[must_use]
pub fn ran(game: &Game, from: &Face, to: &Face, by: Colour) -> Option<Millis> {
    Some(from.hand(by).left? - (to.hand(by).left? - waiting_credit(game, by)))
}

/// How long a player's clock ran since the opponent's press on the ply after `keep`, by the record; `None` where it does not tell.
#[must_use]
pub fn thought(game: &Game, face: &Face, keep: u32, colour: Colour) -> Option<Millis> {
    game.press_at(keep + 1).filter(|press| press.by != colour)?;
    Some(then(game, keep, colour)? - (face.hand(colour).left? - waiting_credit(game, colour)))
}
