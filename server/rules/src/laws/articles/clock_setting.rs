//! How the clock is set after an irregularity: the best judgement of 7.1 (6.13 in 2009) made explicit.
//!
//! 1. Stop, and keep times, counters, periods and side as they stood.
//! 2. Find the position to reinstate and its counts of completed moves.
//! 3. Baseline. *Immediate* (no reply completed): the time used stays used, and what the press credited is taken back from the
//!    offender: increment and period bonus. *Deep* (found later): both readings at the offending press, before credits, with what was
//!    given, taken or put right since: only the time thought goes back. Where one of them leapt, the times as they are come first.
//! 4. Recompute counters and periods. 5. Add the penalty. 6. Restart the offender without counting a press.
//!
//! Taking back the increment is official guidance (Arbiters' Manual), not the letter. No correction makes a flag fall.

use crate::{
    clock::{Advance, Colour, Compensation, Face, Hand, run::LONGEST},
    game::{Game, state::HeldPress},
    time::{Millis, Moment},
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

/// What a press credited, in parts: an increment is taken back by guidance, a period's bonus only by inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Credited {
    /// Increment or Bronstein, milliseconds.
    pub compensation: Millis,
    /// The bonus of the period that began, milliseconds.
    pub bonus: Millis,
    /// What kind of compensation it was.
    pub kind: Compensation,
}

impl Credited {
    /// Everything.
    #[must_use]
    pub const fn total(&self) -> Millis {
        self.compensation + self.bonus
    }
}

/// What a press credited to the player who made it; `None` when no control is known, or not how long he had thought.
#[must_use]
pub fn credited(game: &Game, by: Colour, press: &HeldPress) -> Option<Millis> {
    let used = used(game, by, Some(press.at));
    // A clock that goes on at zero may have done so since the face before the press.
    let period = match game.setup.control.as_ref()?.advance() {
        Advance::AtCount => press.before.hand(by).period,
        Advance::AtZero => press.face.hand(by).period,
    };
    let credit = credit(game, game.completed(by) + earlier(game, by, press), period, used)?;
    let unknown = matches!(credit.kind, Compensation::Bronstein(_)) && used.is_none();
    (!unknown).then(|| credit.total())
}

/// Presses of a player that come before this one and that the score does not have yet.
fn earlier(game: &Game, by: Colour, press: &HeldPress) -> u32 {
    let of_case = game.open_case().and_then(|case| case.press);
    of_case.iter().chain(&game.held).filter(|other| other.by == by && other.seq < press.seq).count() as u32
}

/// What a player's presses that wait have counted and credited, but for the first so many: a ruling that goes back takes them along.
fn waiting(game: &Game, by: Colour, but: usize) -> (u32, Millis) {
    let presses = || game.held.iter().filter(|press| press.by == by).skip(but);
    let keeps = game.setup.overlay.keeps_increment;
    let credits = presses().filter(|_| !keeps).filter_map(|press| credited(game, by, press));
    (presses().count() as u32, credits.sum())
}

/// How long a player thought between two faces, with what presses of his that still wait have credited meanwhile.
#[must_use]
pub fn ran(game: &Game, from: &Face, to: &Face, by: Colour) -> Option<Millis> {
    let (_, credited) = waiting(game, by, 0);
    Some(from.hand(by).left? - (to.hand(by).left? - credited))
}

fn credit(game: &Game, moves_before: u32, period: u8, used: Option<Millis>) -> Option<Credited> {
    let control = game.setup.control.as_ref()?;
    let given = control.credit(moves_before, period, used);
    let kind = control.period(given.period).compensation;
    Some(Credited { compensation: given.compensation, bonus: given.bonus, kind })
}

/// What the press on a ply that is known, or on the one after them all, credited. Where the press itself is all that is known of
/// it, what a move at that count is given.
#[must_use]
pub fn credit_at(game: &Game, face: &Face, by: Colour, keep: u32) -> Credited {
    let moves_before = if followed(game) { game.completed_in(keep, by) } else { face.hand(by).moves.saturating_sub(1) };
    let period = game.period_after(keep, by, moves_before);
    let logged = game.press_at(keep + 1).filter(|press| press.by == by);
    let used = used(game, by, logged.map_or_else(|| game.cases.last().and(game.at), |press| press.at));
    let by_rule = credit(game, moves_before, period, used).unwrap_or_default();
    match logged.and_then(|press| press.credit) {
        // What the clock was seen to credit outranks what it should have.
        Some(total) => {
            Credited { compensation: total - by_rule.bonus.min(total), bonus: by_rule.bonus.min(total), ..by_rule }
        }
        None => by_rule,
    }
}

/// Time between the press that started this player's clock and an instant; `None` across boots and pauses nobody measured.
fn used(game: &Game, by: Colour, until: Option<Moment>) -> Option<Millis> {
    let last = (1..=game.known()).rev().filter_map(|ply| game.press_at(ply)).find(|press| press.by == by.other())?;
    until?.since(last.at?)
}

/// What of a credit goes back: nothing where the event lets it stay.
#[must_use]
pub fn taken_back(game: &Game, credit: Credited) -> Millis {
    if game.setup.overlay.keeps_increment { 0 } else { credit.total() }
}

/// The score counts the moves; otherwise the clock's counter is all there is.
fn followed(game: &Game) -> bool {
    game.known() > 0 || game.scan.is_some()
}

/// One player's press is taken back with what it credited.
#[must_use]
pub fn only(offender: Colour, credit: Millis) -> [Option<Millis>; 2] {
    Colour::BOTH.map(|colour| (colour == offender).then_some(credit))
}

/// Immediate baseline after `keep` plies: what the presses taken back had credited goes (`None`: that player's stand), those that wait
/// with them; nothing else moves. Counters follow the score, which outranks the clock's; the period of a press taken back goes with what it credited.
#[must_use]
pub fn immediate(game: &Game, face: &Face, keep: u32, credits: [Option<Millis>; 2]) -> [Hand; 2] {
    let mut hands = face.hands;
    for (colour, credit) in Colour::BOTH.into_iter().zip(credits) {
        let hand = &mut hands[colour.index()];
        // The press that is judged may wait among them.
        let judged =
            credit.is_some() && keep == game.known() && game.held.first().is_some_and(|press| press.by == colour);
        let (counted, credited) = waiting(game, colour, usize::from(judged));
        hand.moves = match followed(game) {
            true => game.completed_in(keep, colour),
            false => hand.moves.saturating_sub(counted + u32::from(credit.is_some())),
        };
        hand.flagged = false;
        hand.left = hand.left.map(|left| (left - credited - credit.unwrap_or(0)).max(0));
        // Whoever keeps what his press credited stays in the period it opened.
        if let Some(control) = game.setup.control.as_ref().filter(|_| !game.setup.overlay.keeps_increment) {
            let least = game.periods_after(keep)[colour.index()];
            hand.period = hand.period.min(control.period_of(hand.moves, hand.period).max(least));
        }
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
pub(super) fn since(game: &Game, keep: u32, colour: Colour) -> Millis {
    // A credit is taken off by the right control, so that a clock that was set wrongly is short of it already.
    let pressed = game.press_at(keep + 1).is_some_and(|press| press.by == colour);
    game.given_since(keep, colour, game.completed_in(keep, colour) + u32::from(pressed))
}

/// How long a player's clock ran since the opponent's press on the ply after `keep`, by the record; `None` where it does not tell.
#[must_use]
pub fn thought(game: &Game, face: &Face, keep: u32, colour: Colour) -> Option<Millis> {
    game.press_at(keep + 1).filter(|press| press.by != colour)?;
    let (_, credited) = waiting(game, colour, 0);
    Some(then(game, keep, colour)? - (face.hand(colour).left? - credited))
}
