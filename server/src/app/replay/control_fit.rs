//! Whether a control that a tag states is the one of the readings. 90+30 means 90 seconds to the standard and 90 minutes to many a hand,
//! and a tag may be another tournament's: under a control that was not played, honest readings would be findings.
//!
//! One reading that does not fit is a finding; a control does not fit when readings that it cannot explain are the rule.

use flagfall_rules::{
    clock::{Advance, Compensation, Control},
    time::{Millis, SECOND},
};

use super::pgn::PgnMove;

/// So many readings that rise as the control does not let them are no accident, if they are more than one in [`PART`] as well.
const SEVERAL: usize = 4;
const PART: usize = 4;

/// A player's reading after so many of his own moves.
type Reading = (u32, Millis);

/// The readings of a game can be those of a clock with this control.
#[must_use]
pub fn fits(control: &Control, moves: &[PgnMove]) -> bool {
    let sides = [0, 1].map(|side| readings(moves.iter().skip(side).step_by(2)));
    let begins = |side: &Vec<Reading>| {
        // The first reading tells, wherever it comes, when the next bears it out.
        side.is_empty() || side.iter().take(2).any(|&(moves, left)| left <= most(control, moves))
    };
    let pairs = sides.iter().flat_map(|side| side.windows(2)).filter(|pair| pair[1].1 > pair[0].1);
    let compared: usize = sides.iter().map(|side| side.len().saturating_sub(1)).sum();
    let unexplained = pairs.filter(|pair| !rises(control, pair[0], pair[1])).count();
    sides.iter().all(begins) && (unexplained < SEVERAL || unexplained * PART <= compared)
}

/// A zero may be a bad reading and says nothing of the control.
fn readings<'m>(own: impl Iterator<Item = &'m PgnMove>) -> Vec<Reading> {
    (1..).zip(own).filter_map(|(moves, m)| Some((moves, m.clk.filter(|clk| *clk > 0)?))).collect()
}

/// The most that can be left after so many moves: all that was given by then.
fn most(control: &Control, moves: u32) -> Millis {
    let period = match control.advance() {
        Advance::AtCount => control.period_at(moves),
        Advance::AtZero => u8::MAX,
    };
    // A delay adds nothing, but a reading may be taken while it runs.
    let apart = match control.period(0).compensation {
        Compensation::Delay(ms) | Compensation::Bronstein(ms) => 2 * ms,
        _ => 0,
    };
    control.given(moves, period) + apart + SECOND
}

/// A player's time can rise so from one reading to the next.
fn rises(control: &Control, (before, from): Reading, (after, to): Reading) -> bool {
    let credit = |moves| control.credit(moves, control.period_at(moves), Some(Millis::MAX));
    let credited: Millis = (before..after).map(credit).map(|credit| credit.compensation + credit.bonus).sum();
    to - from <= credited + SECOND || at_zero(control, from, credited, to).is_some()
}

/// The time of the period that a clock put on when the time before was gone, whatever the count: which of the two a clock does no tag
/// says. What is left of it then is most of it, and a smaller rise is none.
#[must_use]
pub fn at_zero(control: &Control, from: Millis, credited: Millis, to: Millis) -> Option<Millis> {
    let mut bases = control.periods().iter().skip(1).map(|period| period.base);
    bases.find(|&base| to > from + credited && (base / 2..=base).contains(&(to - credited)))
}
