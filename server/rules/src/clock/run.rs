//! A running clock. It reads no time of its own: every call says what instant it is, `now`, in milliseconds of a monotonic
//! clock. An instant before one already seen counts as no time passing.
//!
//! ```text
//!         start            pause, stop
//!   Idle ───────▶ Running ─────────────▶ Paused        set: any ─▶ Paused or Running
//!                 │ press: the other     │             conclude: any ─▶ Over
//!                 │ side runs            │
//!                 └────────◀── resume ───┘
//! ```
//!
//! A side that reaches zero goes on to its next period when the control says so, and otherwise its flag falls. The clock
//! then keeps running at zero until it is stopped: that the game is over is not for the clock to say. A fallen flag stands
//! up only by [`Clock::set`].

use alloc::vec::Vec;
use core::fmt;

use super::control::{Advance, Compensation, Control};
use super::face::{Colour, Face, Going, Hand, Place};
use crate::time::{MINUTE, Millis};

/// The longest time a clock shows, milliseconds: a hundred hours. More is cut off.
pub const LONGEST: Millis = 6_000 * MINUTE;

/// Something that happened because time passed or a count was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tick {
    /// This side's flag fell.
    Flag(Colour),
    /// This side began this period, numbered from 0.
    Period(Colour, u8),
}

/// Why a clock does not do what a button asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// It was started already.
    NotIdle,
    /// Nothing runs.
    NotRunning,
    /// It is not stopped in the middle of a game.
    NotPaused,
    /// The other side runs.
    NotYourTurn,
    /// The game is over.
    Over,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::NotIdle => "the clock was started already",
            Refused::NotRunning => "the clock does not run",
            Refused::NotPaused => "the clock is not paused",
            Refused::NotYourTurn => "it is the other side's turn",
            Refused::Over => "the game is over",
        })
    }
}

impl core::error::Error for Refused {}

/// A clock with its control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    control: Control,
    state: State,
}

/// What time changes. Small and `Copy`, so that a face can be computed ahead without touching the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    /// The face as of `since`.
    face: Face,
    /// Milliseconds the side to move has run on this move, delay included and pauses not.
    used: Millis,
    /// The latest instant seen.
    since: u64,
}

impl Clock {
    /// A clock set for a control and not yet started.
    #[must_use]
    pub fn new(control: Control, white_place: Place) -> Clock {
        let face = control.start_face(white_place);
        Clock { control, state: State { face, used: 0, since: 0 } }
    }

    /// A clock as it was before it lost its memory of the present: what ran is paused, since nobody knows how long the
    /// interruption lasted. A delay begins anew, for a face does not tell how much of it was used.
    #[must_use]
    pub fn restored(control: Control, face: Face) -> Clock {
        let going = if face.going == Going::Running { Going::Paused } else { face.going };
        let hands = face.hands.map(sane);
        let face = Face { going, hands, first_flag: latch(&hands, face.first_flag), ..face };
        Clock { control, state: State { face, used: 0, since: 0 } }
    }

    /// What the clock was set to.
    #[must_use]
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// What the display shows at an instant.
    #[must_use]
    pub fn face(&self, now: u64) -> Face {
        let mut ahead = self.state;
        ahead.settle(&self.control, now, |_| ());
        ahead.face
    }

    /// Lets time pass until `now`: flags fall and periods begin. Returns what happened, in order.
    pub fn advance(&mut self, now: u64) -> Vec<Tick> {
        let mut ticks = Vec::new();
        self.state.settle(&self.control, now, |tick| ticks.push(tick));
        ticks
    }

    /// The instant at which [`Clock::advance`] will next return something if nobody touches the clock; `None` when it
    /// does not run, or runs for a side whose flag is down or whose time is unknown.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        let State { face, since, .. } = &self.state;
        let hand = face.hand(face.turn);
        let left = hand.left.filter(|_| face.going == Going::Running && !hand.flagged)?;
        let wait = left.saturating_add(self.state.delay(&self.control));
        Some(since.saturating_add(wait.unsigned_abs()))
    }

    /// Starts the game with `turn` to move.
    ///
    /// # Errors
    /// [`Refused::NotIdle`], [`Refused::Over`].
    pub fn start(&mut self, now: u64, turn: Colour) -> Result<(), Refused> {
        self.expect(Going::Idle, Refused::NotIdle)?;
        self.advance(now);
        self.state.used = 0;
        self.state.face.turn = turn;
        self.state.face.going = Going::Running;
        Ok(())
    }

    /// Completes a move: counts it, credits it, and lets the other side run. A side whose flag is down is credited
    /// nothing. Returns what happened, in order: the flag first when it fell before the press.
    ///
    /// # Errors
    /// [`Refused::NotRunning`], [`Refused::NotYourTurn`], [`Refused::Over`]; the clock is then unchanged.
    pub fn press(&mut self, now: u64, colour: Colour) -> Result<Vec<Tick>, Refused> {
        self.expect(Going::Running, Refused::NotRunning)?;
        if self.state.face.turn != colour {
            return Err(Refused::NotYourTurn);
        }
        let mut ticks = self.advance(now);
        let State { face, used, .. } = &mut self.state;
        let hand = face.hand_mut(colour);
        if !hand.flagged {
            let credit = self.control.credit(hand.moves, hand.period, Some(*used));
            hand.left = hand.left.map(|left| shown(left.saturating_add(credit.compensation + credit.bonus)));
            if credit.period > hand.period {
                ticks.push(Tick::Period(colour, credit.period));
            }
            hand.period = credit.period;
        }
        hand.moves = hand.moves.saturating_add(1);
        face.turn = colour.other();
        *used = 0;
        Ok(ticks)
    }

    /// Stops both sides by hand.
    ///
    /// # Errors
    /// [`Refused::NotRunning`], [`Refused::Over`].
    pub fn pause(&mut self, now: u64) -> Result<Vec<Tick>, Refused> {
        self.expect(Going::Running, Refused::NotRunning)?;
        Ok(self.stop(now))
    }

    /// Lets the side to move run again. It is still the same move: a delay goes on where it stopped.
    ///
    /// # Errors
    /// [`Refused::NotPaused`], [`Refused::Over`].
    pub fn resume(&mut self, now: u64) -> Result<(), Refused> {
        self.expect(Going::Paused, Refused::NotPaused)?;
        self.advance(now);
        self.state.face.going = Going::Running;
        Ok(())
    }

    /// The arbiter's stop: a running clock is paused, any other stays as it is.
    pub fn stop(&mut self, now: u64) -> Vec<Tick> {
        let ticks = self.advance(now);
        if self.state.face.going == Going::Running {
            self.state.face.going = Going::Paused;
        }
        ticks
    }

    /// A correction: these values replace all others, and `turn` begins its move anew, with its whole delay. A flag is
    /// down if its hand says so. Returns what had happened until `now`, before the correction.
    pub fn set(&mut self, now: u64, hands: [Hand; 2], turn: Colour, white_place: Place, run: bool) -> Vec<Tick> {
        let ticks = self.advance(now);
        let hands = hands.map(sane);
        let going = if run { Going::Running } else { Going::Paused };
        let first_flag = latch(&hands, self.state.face.first_flag);
        self.state.face = Face { hands, turn, going, first_flag, white_place };
        self.state.used = 0;
        ticks
    }

    /// Adds milliseconds to one side, or takes them, never below zero. A side whose flag is down, or whose time is
    /// unknown, stays as it is: that takes a whole [`Clock::set`]. Returns what had happened until `now`.
    pub fn add(&mut self, now: u64, colour: Colour, amount: Millis) -> Vec<Tick> {
        let ticks = self.advance(now);
        let hand = self.state.face.hand_mut(colour);
        if !hand.flagged {
            hand.left = hand.left.map(|left| shown(left.saturating_add(amount)));
        }
        ticks
    }

    /// The game is over: nothing runs any more and the readings stay. Returns what had happened until `now`.
    pub fn conclude(&mut self, now: u64) -> Vec<Tick> {
        let ticks = self.advance(now);
        self.state.face.going = Going::Over;
        ticks
    }

    fn expect(&self, going: Going, otherwise: Refused) -> Result<(), Refused> {
        match self.state.face.going {
            is if is == going => Ok(()),
            Going::Over => Err(Refused::Over),
            _ => Err(otherwise),
        }
    }
}

impl State {
    /// Milliseconds of delay that the side to move still has on this move.
    fn delay(&self, control: &Control) -> Millis {
        match control.period(self.face.hand(self.face.turn).period).compensation {
            Compensation::Delay(amount) => amount.saturating_sub(self.used).max(0),
            _ => 0,
        }
    }

    /// Lets time pass until `now`. Whether it passes in one step or in many makes no difference.
    fn settle(&mut self, control: &Control, now: u64, mut tick: impl FnMut(Tick)) {
        let mut rest = Millis::try_from(now.saturating_sub(self.since)).unwrap_or(Millis::MAX);
        self.since = self.since.max(now);
        if self.face.going != Going::Running {
            return;
        }
        let colour = self.face.turn;
        // Each turn of the loop ends at zero of one period, of which there are few.
        loop {
            let delay = self.delay(control);
            let hand = self.face.hand_mut(colour);
            let Some(left) = hand.left.filter(|_| !hand.flagged) else { return };
            let passed = rest.min(delay.saturating_add(left));
            let ran = (passed - delay).max(0);
            hand.left = Some(left - ran);
            self.used = self.used.saturating_add(passed);
            rest -= passed;
            if passed < delay || ran < left {
                return;
            }
            match control.next(hand.period).filter(|_| control.advance() == Advance::AtZero) {
                Some((period, base)) => {
                    hand.period = period;
                    hand.left = Some(base);
                    tick(Tick::Period(colour, period));
                }
                None => {
                    hand.flagged = true;
                    self.face.first_flag.get_or_insert(colour);
                    tick(Tick::Flag(colour));
                    return;
                }
            }
        }
    }
}

/// A reading that a clock can show.
fn shown(left: Millis) -> Millis {
    left.clamp(0, LONGEST)
}

/// A hand whose reading a clock can show.
fn sane(hand: Hand) -> Hand {
    Hand { left: hand.left.map(shown), ..hand }
}

/// The side whose flag fell first, when only these flags are down and it was `known` before. Of two flags that were set
/// together nobody knows.
fn latch(hands: &[Hand; 2], known: Option<Colour>) -> Option<Colour> {
    match hands.each_ref().map(|hand| hand.flagged) {
        [false, false] => None,
        [true, false] => Some(Colour::White),
        [false, true] => Some(Colour::Black),
        [true, true] => known,
    }
}
