//! What presses have credited. A clock goes by its own counter, which can be behind the score or before it: its fortieth press brings the
//! second period's time, whichever move that was. What goes back with a press is what came with it.

use super::clock_setting::moves_after;
use crate::{
    clock::{Advance, Colour, Compensation, Control, Face, Hand, control::Credit},
    game::{Game, state::HeldPress},
    time::{Millis, Moment},
};

/// What a press credited, in parts: an increment is taken back by guidance, a period's bonus only by inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Credited {
    /// Increment or Bronstein, milliseconds.
    pub compensation: Millis,
    /// The bonus of the period that began, milliseconds.
    pub bonus: Millis,
    /// What kind of compensation it was.
    pub kind: Compensation,
    /// The period that the player was in before it, from 0.
    pub from: u8,
}

impl Credited {
    /// Everything.
    #[must_use]
    pub const fn total(&self) -> Millis {
        self.compensation + self.bonus
    }

    fn new(control: &Control, from: u8, credit: Credit) -> Credited {
        let Credit { compensation, bonus, period } = credit;
        Credited { compensation, bonus, kind: control.period(period).compensation, from }
    }

    /// Both together.
    pub(super) fn with(self, other: Credited) -> Credited {
        let began = [self, other].into_iter().filter(|credit| credit.bonus > 0).map(|credit| credit.from).min();
        let (compensation, bonus) = (self.compensation + other.compensation, self.bonus + other.bonus);
        Credited { compensation, bonus, from: began.unwrap_or(self.from), ..self }
    }

    /// What of it goes back where the player is then in this period by the moves he has completed: who has earned a period's time keeps
    /// it, though the press that brought it goes.
    pub(super) fn goes_back(self, period: u8) -> Credited {
        if period > self.from { Credited { bonus: 0, ..self } } else { self }
    }
}

/// What a press credited to the player who made it, as his clock counts: it goes by its own counter, whatever the score says. `None` when
/// no control is known, or not how long he had thought.
#[must_use]
pub fn credited(game: &Game, by: Colour, press: &HeldPress) -> Option<Credited> {
    let control = game.setup.control.as_ref()?;
    let (before, now) = (press.before.hand(by), press.face.hand(by));
    // One that tells no periods counts the moves all the same.
    let tells = now.period >= control.period_of(now.moves, now.period);
    let period = |hand: &Hand| if tells { hand.period } else { control.period_at(hand.moves).max(hand.period) };
    let to = period(now);
    let from = match control.advance() {
        Advance::AtCount => period(before).min(to),
        // It may have gone on at zero since the face before the press.
        Advance::AtZero => to,
    };
    // Nor has a period begun on a clock that shows less than its time.
    let bonus = control.credit_from(from, to, None).bonus;
    let to = if now.left.is_some_and(|left| left < bonus) { from } else { to };
    let used = used(game, by, Some(press.at));
    let unknown = matches!(control.period(from).compensation, Compensation::Bronstein(_)) && used.is_none();
    (!unknown).then(|| Credited::new(control, from, control.credit_from(from, to, used)))
}

/// A player's presses that the score does not have yet, the oldest first.
pub(super) fn waiting(game: &Game, by: Colour) -> impl Iterator<Item = &HeldPress> {
    let of_case = game.open_case().and_then(|case| case.press.as_ref());
    of_case.into_iter().chain(&game.held).filter(move |press| press.by == by)
}

/// What a player's presses that wait have credited; the press that the open case is about is none of them.
pub(super) fn waiting_credit(game: &Game, by: Colour) -> Millis {
    let keeps = game.setup.overlay.keeps_increment;
    let credits = game.held.iter().filter(|press| press.by == by && !keeps);
    credits.filter_map(|press| credited(game, by, press)).map(|credit| credit.total()).sum()
}

/// What the press on a ply that is known, or on the one after them all, credited. What the clock was seen to credit outranks what it
/// should have; where nobody saw it, what a move at that count is given.
pub(super) fn credit_at(game: &Game, face: &Face, by: Colour, keep: u32) -> Credited {
    let Some(control) = &game.setup.control else { return Credited::default() };
    let waits = || waiting(game, by).next().filter(|_| keep == game.known());
    if let Some(credit) = waits().and_then(|press| credited(game, by, press)) {
        return credit;
    }
    let moves = moves_after(game, face, keep, by);
    let logged = game.press_at(keep + 1).filter(|press| press.by == by);
    if let Some(total) = logged.and_then(|press| press.credit) {
        return on_record(control, moves + 1, total);
    }
    let period = game.period_after(keep, by, moves);
    let used = used(game, by, logged.map_or_else(|| game.cases.last().and(game.at), |press| press.at));
    Credited::new(control, period, control.credit(moves, period, used))
}

/// The parts of what a press, that of about so many moves, was seen to credit.
pub(super) fn on_record(control: &Control, moves: u32, total: Millis) -> Credited {
    let near = control.period_at(moves);
    let began = control.began_with(total, near);
    let (from, to) = began.map_or((near, near), |began| (began - 1, began));
    let bonus = control.credit_from(from, to, None).bonus;
    Credited::new(control, from, Credit { compensation: total - bonus, bonus, period: to })
}

/// Time between the press that started this player's clock and an instant; `None` across boots and pauses nobody measured.
fn used(game: &Game, by: Colour, until: Option<Moment>) -> Option<Millis> {
    let last = (1..=game.known()).rev().filter_map(|ply| game.press_at(ply)).find(|press| press.by == by.other())?;
    until?.since(last.at?)
}
