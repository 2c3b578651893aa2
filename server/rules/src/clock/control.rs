//! Time controls: what both players get, period by period, and what a press adds.
//!
//! The text form is that of PGN's TimeControl tag, in seconds, with two letters more:
//!
//! ```text
//! control = period *(":" period) ["@zero"]       @zero: the next period begins at zero, not at the count of moves
//! period  = [moves "/"] base [("+" | "d" | "b") amount]
//!            moves to complete   increment, delay, Bronstein
//! ```
//!
//! `40/5400+30:1800+30`, `300+5`, `300d5`, `1500b10`, `900`; seconds may have up to three decimals.

use alloc::vec::Vec;
use core::{fmt, str::FromStr};

use super::face::{Colour, Face, Going, Hand, Place};
use crate::time::{MINUTE, Millis};

/// The most periods a control has.
pub const PERIODS_MAX: usize = 8;

/// The longest base of a period in milliseconds: ten hours.
pub const BASE_MAX: Millis = 600 * MINUTE;

/// The largest increment or delay in milliseconds: an hour.
pub const AMOUNT_MAX: Millis = 60 * MINUTE;

/// The most moves a period asks for, and the most a counter is believed to show.
pub const MOVES_MAX: u32 = 10_000;

/// How a mover's time is compensated in one period; amounts in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Compensation {
    /// Not at all.
    #[default]
    None,
    /// Fischer: added before each move, so the first is on the clock before the game begins.
    Increment(Millis),
    /// Simple (US) delay: the main time begins to run only after it has passed.
    Delay(Millis),
    /// The time used for the move, at most this much, is given back when the move is completed.
    Bronstein(Millis),
}

impl Compensation {
    /// The amount in milliseconds, 0 for none.
    #[must_use]
    pub const fn amount(self) -> Millis {
        match self {
            Compensation::None => 0,
            Compensation::Increment(ms) | Compensation::Delay(ms) | Compensation::Bronstein(ms) => ms,
        }
    }
}

/// One period of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Period {
    /// Time added when the period begins, milliseconds.
    pub base: Millis,
    /// What each move adds.
    pub compensation: Compensation,
    /// Moves to complete in this period; `None`: it lasts to the end of the game.
    pub moves: Option<u32>,
}

/// When a clock with several periods goes on to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Advance {
    /// When the player has completed the period's moves.
    #[default]
    AtCount,
    /// When the player's time reaches zero; the count of moves is then for the arbiter to check.
    AtZero,
}

/// What completing a move adds to the mover's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Credit {
    /// Increment or Bronstein, milliseconds. A delay credits nothing: the clock did not run.
    pub compensation: Millis,
    /// The base of the period that begins with this press, milliseconds; 0 when none does.
    pub bonus: Millis,
    /// The period the player is in after the press.
    pub period: u8,
}

/// A time control: from one to [`PERIODS_MAX`] periods that fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    periods: Vec<Period>,
    advance: Advance,
}

/// Why something is no control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// No periods, or too many; how many, or the first number that is too many.
    Periods(usize),
    /// A period, numbered from 0, and what was expected of it.
    Period(usize, &'static str),
    /// The byte of the text, numbered from 0, at which something else was expected, and what.
    Text(usize, &'static str),
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlError::Periods(n) => write!(f, "expected from 1 to {PERIODS_MAX} periods, not {n}"),
            ControlError::Period(n, expected) => write!(f, "period {}: expected {expected}", n + 1),
            ControlError::Text(at, expected) => write!(f, "character {}: expected {expected}", at + 1),
        }
    }
}

impl core::error::Error for ControlError {}

impl Control {
    /// A control of these periods. A compensation of zero is none, so that 5+0 and 5 minutes are one control.
    ///
    /// # Errors
    /// Names the first period that does not fit, and what was expected of it.
    pub fn new(mut periods: Vec<Period>, advance: Advance) -> Result<Control, ControlError> {
        let count = periods.len();
        if !(1..=PERIODS_MAX).contains(&count) {
            return Err(ControlError::Periods(count));
        }
        for (n, period) in periods.iter_mut().enumerate() {
            let expected = |what| Err(ControlError::Period(n, what));
            if period.compensation.amount() == 0 {
                period.compensation = Compensation::None;
            }
            // A base of zero can be played with time added before the move or with a delay; Bronstein gives back too late.
            let playable = matches!(period.compensation, Compensation::Increment(_) | Compensation::Delay(_));
            match period.moves {
                _ if !(0..=BASE_MAX).contains(&period.base) => return expected("a base from 0 to 36000 seconds"),
                _ if !(0..=AMOUNT_MAX).contains(&period.compensation.amount()) => {
                    return expected("an increment or delay from 0 to 3600 seconds");
                }
                _ if period.base == 0 && !playable => return expected("a base, an increment or a delay above zero"),
                Some(_) if n + 1 == count => return expected("no number of moves, the last period ends with the game"),
                None if n + 1 < count => return expected("a number of moves, as another period follows"),
                Some(moves) if !(1..=MOVES_MAX).contains(&moves) => return expected("from 1 to 10000 moves"),
                _ => {}
            }
        }
        Ok(Control { periods, advance })
    }

    /// From one to [`PERIODS_MAX`] periods.
    #[must_use]
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// How the clock goes from a period to the next.
    #[must_use]
    pub const fn advance(&self) -> Advance {
        self.advance
    }

    /// A period, numbered from 0; beyond the last it is the last.
    #[must_use]
    pub fn period(&self, period: u8) -> &Period {
        &self.periods[self.clamped(period)]
    }

    /// The base of the period after this one in milliseconds, and its number; `None` in the last.
    #[must_use]
    pub fn next(&self, period: u8) -> Option<(u8, Millis)> {
        let next = period.checked_add(1)?;
        self.periods.get(usize::from(next)).map(|p| (next, p.base))
    }

    /// The face of a clock set for this control: idle, White's turn. An increment for the first move is already on it;
    /// a delay never is.
    #[must_use]
    pub fn start_face(&self, white_place: Place) -> Face {
        let first = self.period(0);
        let left = first.base + ahead(first);
        Face {
            hands: [Hand::fresh(Some(left)); 2],
            turn: Colour::White,
            going: Going::Idle,
            first_flag: None,
            white_place,
        }
    }

    /// How many moves in all a player must have completed when a period ends; `None` for the last.
    #[must_use]
    pub fn required(&self, period: u8) -> Option<u32> {
        let upto = self.periods.get(..=usize::from(period))?;
        upto.iter().try_fold(0u32, |sum, p| Some(sum.saturating_add(p.moves?)))
    }

    /// Which period a player with so many completed moves is in, going by the count.
    #[must_use]
    pub fn period_at(&self, moves: u32) -> u8 {
        let mut period = 0;
        while self.required(period).is_some_and(|required| moves >= required) {
            period += 1;
        }
        period
    }

    /// Which period a player is in who has completed so many moves, on a clock that last showed him in `shown`. A clock that goes
    /// on at zero is the only one to know.
    #[must_use]
    pub fn period_of(&self, moves: u32, shown: u8) -> u8 {
        match self.advance {
            Advance::AtCount => self.period_at(moves),
            Advance::AtZero => shown,
        }
    }

    /// All that a player in `period` was given by the time he had completed so many moves: the bases, and what is put on the clock
    /// before each move, the next included. A delay and Bronstein give back what was used: nothing in all.
    #[must_use]
    pub fn given(&self, moves: u32, period: u8) -> Millis {
        let bases: Millis = self.periods.iter().take(usize::from(period) + 1).map(|period| period.base).sum();
        let before = (0..=moves.min(MOVES_MAX)).map(|moves| ahead(self.period(self.period_of(moves, period))));
        bases + before.sum::<Millis>()
    }

    /// What a clock that goes on at zero put on when it went from one period to another; nothing otherwise.
    #[must_use]
    pub fn begun(&self, from: u8, to: u8) -> Millis {
        let begun = self.periods.iter().take(usize::from(to) + 1).skip(usize::from(from) + 1);
        if self.advance == Advance::AtZero { begun.map(|period| period.base).sum() } else { 0 }
    }

    /// What the press that completes move number `moves_before + 1` adds, by a player in `period` who used `used`
    /// milliseconds for it (`None`: unknown, then Bronstein gives nothing back).
    ///
    /// An increment belongs to the move it is given for, so a press that opens a new period brings that period's.
    #[must_use]
    pub fn credit(&self, moves_before: u32, period: u8, used: Option<Millis>) -> Credit {
        let at = self.clamped(period) as u8;
        let complete = self.required(at).is_some_and(|required| moves_before.saturating_add(1) >= required);
        let next = self.next(at).filter(|_| complete && self.advance == Advance::AtCount);
        self.credit_from(at, next.map_or(at, |(next, _)| next), used)
    }

    /// What a press adds that takes the player from one period to another, or leaves him where he is; `used` as in [`Control::credit`].
    #[must_use]
    pub fn credit_from(&self, from: u8, to: u8, used: Option<Millis>) -> Credit {
        let back = match self.period(from).compensation {
            Compensation::Bronstein(most) => used.map_or(0, |used| used.clamp(0, most)),
            _ => 0,
        };
        let begun = self.periods.iter().take(usize::from(to) + 1).skip(usize::from(from) + 1);
        let bonus = begun.map(|period| period.base).sum();
        Credit { compensation: back + ahead(self.period(to)), bonus, period: to }
    }

    /// The period that began with a press which added so much in all; `None` where an increment, or what Bronstein gives back, is as
    /// much. Of several that would be, the one nearest to `near`.
    #[must_use]
    pub fn began_with(&self, total: Millis, near: u8) -> Option<u8> {
        let explains = |from: u8, to: u8| {
            let least = self.credit_from(from, to, None);
            let most = self.credit_from(from, to, Some(Millis::MAX));
            (least.compensation + least.bonus..=most.compensation + most.bonus).contains(&total)
        };
        let last = self.periods.len() as u8 - 1;
        if (0..=last).any(|period| explains(period, period)) {
            return None;
        }
        (1..=last).filter(|&period| explains(period - 1, period)).min_by_key(|period| period.abs_diff(near))
    }

    fn clamped(&self, period: u8) -> usize {
        usize::from(period).min(self.periods.len() - 1)
    }
}

/// What is put on the clock before a move in this period.
const fn ahead(period: &Period) -> Millis {
    match period.compensation {
        Compensation::Increment(ms) => ms,
        _ => 0,
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, period) in self.periods.iter().enumerate() {
            if n > 0 {
                f.write_str(":")?;
            }
            if let Some(moves) = period.moves {
                write!(f, "{moves}/")?;
            }
            write!(f, "{}", Seconds(period.base))?;
            match period.compensation {
                Compensation::None => Ok(()),
                Compensation::Increment(ms) => write!(f, "+{}", Seconds(ms)),
                Compensation::Delay(ms) => write!(f, "d{}", Seconds(ms)),
                Compensation::Bronstein(ms) => write!(f, "b{}", Seconds(ms)),
            }?;
        }
        f.write_str(if self.advance == Advance::AtZero { ZERO } else { "" })
    }
}

const ZERO: &str = "@zero";

/// Milliseconds written as seconds, with no more decimals than they need.
struct Seconds(Millis);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000, self.0 % 1_000);
        match part {
            0 => write!(f, "{whole}"),
            _ if part % 100 == 0 => write!(f, "{whole}.{}", part / 100),
            _ if part % 10 == 0 => write!(f, "{whole}.{:02}", part / 10),
            _ => write!(f, "{whole}.{part:03}"),
        }
    }
}

impl FromStr for Control {
    type Err = ControlError;

    fn from_str(text: &str) -> Result<Control, ControlError> {
        let (text, advance) = match text.strip_suffix(ZERO) {
            Some(text) => (text, Advance::AtZero),
            None => (text, Advance::AtCount),
        };
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let mut periods = Vec::new();
        loop {
            periods.push(reader.period()?);
            match reader.peek() {
                None => return Control::new(periods, advance),
                Some(b':') if periods.len() == PERIODS_MAX => return Err(ControlError::Periods(PERIODS_MAX + 1)),
                Some(b':') => reader.at += 1,
                Some(_) => return reader.expected("'+', 'd', 'b', ':', '@zero' or the end"),
            }
        }
    }
}

/// A place in the text of a control. Every byte before it was ASCII, so bytes are characters.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn expected<T>(&self, what: &'static str) -> Result<T, ControlError> {
        Err(ControlError::Text(self.at, what))
    }

    fn period(&mut self) -> Result<Period, ControlError> {
        let start = self.at;
        let number = self.digits(9);
        let moves = number.filter(|_| self.peek() == Some(b'/'));
        // Without a slash the digits were the beginning of the base.
        self.at = if moves.is_some() { self.at + 1 } else { start };
        let base = self.seconds()?;
        let kind = match self.peek() {
            Some(b'+') => Compensation::Increment,
            Some(b'd') => Compensation::Delay,
            Some(b'b') => Compensation::Bronstein,
            _ => return Ok(Period { base, compensation: Compensation::None, moves }),
        };
        self.at += 1;
        Ok(Period { base, compensation: kind(self.seconds()?), moves })
    }

    fn seconds(&mut self) -> Result<Millis, ControlError> {
        let Some(whole) = self.digits(9) else { return self.expected("seconds of at most 9 digits") };
        let mut ms = Millis::from(whole) * 1_000;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let start = self.at;
            let Some(part) = self.digits(3) else { return self.expected("from one to three decimals") };
            let scale = [100, 10, 1][self.at - start - 1];
            ms += Millis::from(part) * scale;
        }
        Ok(ms)
    }

    /// Reads all the digits here; `None`, and nothing read, when there are none or more than `most` (at most 9).
    fn digits(&mut self, most: usize) -> Option<u32> {
        let digits = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 || digits > most {
            return None;
        }
        let value = self.text[self.at..self.at + digits].iter().fold(0, |n, c| n * 10 + u32::from(c - b'0'));
        self.at += digits;
        Some(value)
    }
}
