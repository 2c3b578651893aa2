//! What a file says of the clocks, turned into readings of a clock that runs in device time.
//!
//! Readings are facts. How long a move took follows from two of them; `%emt` only fills in what they leave open, for it is
//! measured by the broadcaster's machine, which knows neither pauses nor when the clocks were started.

use flagfall_rules::{
    clock::{Colour, Compensation, Control},
    time::{MINUTE, Millis},
};

use super::{control_fit, pgn::PgnMove};

/// No move takes less: a hand needs the time to move a man and press.
pub const LEAST: Millis = 400;

/// Nor more than a clock can show.
const MOST: Millis = 600 * MINUTE;

/// A zero while this much was left is a bad reading, and the time it would stand for has not passed.
const FALSE_ZERO: Millis = MINUTE;

/// How long a player takes for something that is not in the file.
const ASIDE: Millis = 2_000;

/// Without a control: readings that rise by more than this rose by a bonus, not by an increment.
const INCREMENT_MAX: Millis = MINUTE;

/// How a press looks on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the beginning of the mover's time to the press, milliseconds.
    pub used: Millis,
    /// The mover's reading shortly before the press, where a control tells what the press adds to it.
    pub before: Option<Millis>,
    /// The mover's reading after the press; `None`: unknown.
    pub after: Option<Millis>,
}

/// One side's clock.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// The last reading in the file that can be believed.
    known: Option<Millis>,
    /// What has come and gone since then without a reading in the file.
    since: Millis,
    /// What the clock shows more than the file: corrections.
    offset: Millis,
    /// What the clock shows; `None`: unknown.
    shown: Option<Millis>,
    moves: u32,
    period: u8,
}

/// Both clocks.
#[derive(Clone, Debug)]
pub struct Reckoning {
    control: Option<Control>,
    /// Without a control: the increment that the file's own readings betray.
    increment: Millis,
    sides: [Side; 2],
}

impl Reckoning {
    /// Clocks as they are set before a game: the control's start, else the first readings the file has.
    #[must_use]
    pub fn new(control: Option<Control>, moves: &[PgnMove], first: Colour) -> Reckoning {
        let mut sides = [Side::default(); 2];
        for (index, side) in sides.iter_mut().enumerate() {
            let start = control.as_ref().map(|control| {
                let period = control.period(0);
                let ahead = matches!(period.compensation, Compensation::Increment(_));
                period.base + if ahead { period.compensation.amount() } else { 0 }
            });
            let own = moves.iter().skip(usize::from(first.index() != index)).step_by(2);
            side.known = start.or_else(|| own.filter_map(|m| m.clk).find(|clk| *clk > 0));
            side.shown = side.known;
        }
        let increment = if control.is_some() { 0 } else { increment(moves) };
        Reckoning { control, increment, sides }
    }

    /// What the clock shows, White first.
    #[must_use]
    pub fn shown(&self) -> [Option<Millis>; 2] {
        self.sides.map(|side| side.shown)
    }

    /// A move of the file is made and pressed.
    pub fn ply(&mut self, mover: Colour, m: &PgnMove) -> Timing {
        let (credit, delay, period) = self.credit(mover);
        let side = self.sides[mover.index()];
        let expected = side.known.map(|known| known + side.since);
        let zero = m.clk == Some(0) && expected.is_some_and(|expected| expected > FALSE_ZERO);
        let begun = |expected, clk| control_fit::at_zero(self.control.as_ref()?, expected, credit, clk);
        let fell =
            expected.zip(m.clk).map(|(expected, clk)| expected + credit + begun(expected, clk).unwrap_or(0) - clk);
        let used = match (fell, m.emt) {
            _ if zero => LEAST,
            (Some(fell), _) if self.control.is_some() => fell + if fell > 0 { delay } else { 0 },
            // A reading that rose hides how much of the time was given back.
            (Some(fell), Some(emt)) => fell.max(emt),
            (Some(fell), None) => fell + self.increment,
            (None, Some(emt)) => emt.min(expected.map_or(MOST, |left| left - 1_000)),
            (None, None) => LEAST,
        };
        let used = used.clamp(LEAST, MOST);
        let running = used - if self.control.is_some() { delay.min(used) } else { 0 };
        let ticks = self.control.is_some() && !zero && used >= 1_000;
        let before =
            side.shown.map(|shown| (shown - running).max(0)).filter(|&before| ticks && m.clk.is_some() && before > 0);
        let side = &mut self.sides[mover.index()];
        side.shown = m.clk.map(|clk| if zero { 0 } else { (clk + side.offset).max(0) });
        match m.clk.filter(|_| !zero) {
            Some(clk) => (side.known, side.since) = (Some(clk), 0),
            None => side.since += credit - running,
        }
        side.moves += 1;
        side.period = period;
        Timing { used, before, after: side.shown }
    }

    /// A press that the file does not know. Its time comes on top of the file's, and what it credited stands until somebody
    /// takes it back.
    pub fn aside(&mut self, mover: Colour) -> Timing {
        let (credit, ..) = self.credit(mover);
        let side = &mut self.sides[mover.index()];
        let used = side.shown.map_or(ASIDE, |shown| ASIDE.min(shown / 2)).max(LEAST);
        let before = side.shown.map(|shown| (shown - used).max(0));
        side.shown = before.map(|before| before + credit);
        Timing { used, before, after: side.shown }
    }

    /// From here on a side's clock shows this much more than the file: time that the file knows nothing of.
    pub fn shift(&mut self, colour: Colour, ms: Millis) {
        let side = &mut self.sides[colour.index()];
        side.offset += ms;
        side.shown = side.shown.map(|shown| (shown + ms).max(0));
    }

    /// The clock was set. The file's readings go on from there.
    pub fn corrected(&mut self, left: [Option<Millis>; 2]) {
        for (side, left) in self.sides.iter_mut().zip(left) {
            if let (Some(left), Some(known)) = (left, side.known) {
                (side.known, side.since) = (Some(known + side.since), 0);
                side.offset = left - (side.known.unwrap_or(0));
            }
            side.shown = left;
        }
    }

    /// The clock as the file has it before a ply, when play goes back to it or on from it.
    #[must_use]
    pub fn before(&self, moves: &[PgnMove], first: Colour, ply: usize) -> Reckoning {
        let mut reckoning = Reckoning::new(self.control.clone(), moves, first);
        let mut mover = first;
        for m in moves.iter().take(ply) {
            reckoning.ply(mover, m);
            mover = mover.other();
        }
        reckoning
    }

    /// What the mover's next press credits, how long his clock waits before it runs, and the period he is then in.
    fn credit(&self, mover: Colour) -> (Millis, Millis, u8) {
        let Some(control) = &self.control else { return (0, 0, 0) };
        let Side { moves, period, .. } = self.sides[mover.index()];
        let credit = control.credit(moves, period, None);
        // A Bronstein clock gives back what a delay clock does not take: the file's readings look the same.
        let delay = match control.period(period).compensation {
            Compensation::Delay(ms) | Compensation::Bronstein(ms) => ms,
            _ => 0,
        };
        (credit.compensation + credit.bonus, delay, credit.period)
    }
}

/// The most that a reading rises from one of a player's moves to his next.
fn increment(moves: &[PgnMove]) -> Millis {
    let rises = moves.windows(3).filter_map(|m| Some(m[2].clk? - m[0].clk?));
    let most = rises.filter(|rise| (1..=INCREMENT_MAX).contains(rise)).max();
    most.map_or(0, |most| most + LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::replay::{lexer, pgn};

    const WHITE: Colour = Colour::White;

    fn reckoned(text: &str) -> Vec<Timing> {
        let game = pgn::read(lexer::games(text).swap_remove(0));
        let mut reckoning = Reckoning::new(game.control.clone(), &game.moves, WHITE);
        let colour = |n: usize| if n.is_multiple_of(2) { WHITE } else { Colour::Black };
        game.moves.iter().enumerate().map(|(n, m)| reckoning.ply(colour(n), m)).collect()
    }

    #[test]
    fn readings_and_a_control_give_the_time_used() {
        let t = reckoned(
            "[TimeControl \"900+10\"]\n\n1. e4 {[%clk 0:15:09]} {[%emt 0:53:26]} e5 {[%clk 0:15:10]} 2. Nf3 {[%emt 0:00:05]} Nc6 {[%clk 0:14:20]} 3. Bb5 {[%clk 0:15:20]} a6 {[%clk 0:00:00]} 4. a3 Nf6 {[%clk 0:14:29]} *",
        );
        let used: Vec<_> = t.iter().map(|t| t.used).collect();
        assert_eq!(used, [11_000, 10_000, 5_000, 60_000, 4_000, LEAST, LEAST, 10_600]);
        let after: Vec<_> = t.iter().map(|t| t.after).collect();
        let s = |seconds: Millis| Some(seconds * 1_000);
        assert_eq!(after, [s(909), s(910), None, s(860), s(920), s(0), None, s(869)]);
        assert_eq!(t[3].before, Some(850_000));
    }

    #[test]
    fn without_a_control_more_may_have_passed_than_the_reading_fell() {
        let t = reckoned(
            "1. e4 {[%clk 0:04:03]} d5 {[%clk 0:03:42]} 2. exd5 {[%clk 0:04:03]} {[%emt 0:00:02]} Qxd5 {[%clk 0:03:30]} *",
        );
        assert_eq!(t.iter().map(|t| t.used).collect::<Vec<_>>(), [LEAST, LEAST, 2_000, 12_000]);
        assert!(t.iter().all(|t| t.before.is_none()), "what a press adds is not known, so nothing is shown before it");
        // The readings rise by ten seconds at most, so an increment of ten is what they were given.
        let t = reckoned(
            "1. e4 {[%clk 0:10:00]} e5 {[%clk 0:10:00]} 2. d4 {[%clk 0:10:10]} d5 {[%clk 0:10:05]} 3. a3 {[%clk 0:09:00]} *",
        );
        assert_eq!(t.iter().map(|t| t.used).collect::<Vec<_>>()[2..], [LEAST, 5_400, 80_400]);
    }

    #[test]
    fn after_a_correction_the_file_goes_on_from_it() {
        let game = pgn::read(
            lexer::games("[TimeControl \"900+10\"]\n\n1. e4 {[%clk 0:15:10]} e5 {[%clk 0:15:00]} *").swap_remove(0),
        );
        let mut reckoning = Reckoning::new(game.control.clone(), &game.moves, WHITE);
        let aside = reckoning.aside(WHITE);
        assert_eq!((aside.before, aside.after), (Some(908_000), Some(918_000)));
        reckoning.corrected([Some(908_000), Some(1_030_000)]);
        let e4 = reckoning.ply(WHITE, &game.moves[0]);
        assert_eq!((e4.used, e4.after), (10_000, Some(908_000)), "the two seconds are gone on top of the file's");
        assert_eq!(reckoning.ply(Colour::Black, &game.moves[1]).after, Some(1_020_000));
    }

    #[test]
    fn a_period_that_began_at_zero_took_all_the_time_before() {
        let t = reckoned(
            "[TimeControl \"1/60:600\"]\n\n1. e4 {[%clk 0:00:50]} e5 {[%clk 0:00:50]} 2. d4 {[%clk 0:09:40]} d5 {[%clk 0:00:40]} *",
        );
        // From 0:50 to 9:40 of ten minutes: fifty seconds and then twenty.
        assert_eq!((t[2].used, t[3].used), (70_000, 10_000));
    }

    #[test]
    fn a_bonus_at_a_control_is_no_time_used() {
        let t = reckoned(
            "[TimeControl \"2/60+5:600+5\"]\n\n1. e4 {[%clk 0:01:00]} e5 {[%clk 0:01:00]} 2. d4 {[%clk 0:11:00]} d5 *",
        );
        assert_eq!(t[2].used, 5_000);
    }
}
