//! Readings that no play explains. They stay on record as they were heard, but what was found to be a leap or a false zero says nothing
//! of the time a player had: no ruling gives it to him.

use super::{
    event::Act,
    irregularity::{Finding, Irregularity},
    score::Press,
    state::Game,
};
use crate::{clock::Colour, time::Millis};

/// A leap of one player's clock.
struct Leap {
    /// How many plies were known when it was seen.
    known: u32,
    /// What the clock showed then.
    reading: Option<Millis>,
}

impl Leap {
    fn new(finding: &Finding) -> Leap {
        // It is numbered by the player's own ply: the one he was playing, or his last.
        let turn = finding.evidence.before.split(' ').nth(1);
        let moving = turn == Some(if finding.by == Colour::White { "w" } else { "b" });
        let known = finding.ply.saturating_sub(u32::from(moving));
        Leap { known, reading: finding.evidence.face.hand(finding.by).left }
    }
}

impl Game {
    /// What a player's clock showed at the press on a ply is in doubt: it is a reading that was found to have leapt, one between two
    /// leaps, which the clock has left again, or a zero from which it leapt.
    #[must_use]
    pub fn leapt(&self, ply: u32, colour: Colour) -> bool {
        let Some(left) = self.press_at(ply).and_then(|press| press.left[colour.index()]) else { return false };
        let leaps = self.leaps(colour);
        let left_again = leaps.iter().any(|leap| leap.known >= ply);
        let before = leaps.iter().filter(|leap| leap.known < ply && !self.set_between(leap.known, ply, colour));
        let mut shown = before.map(|leap| leap.reading == Some(left));
        (left == 0 && left_again) || shown.any(|the_same| the_same || left_again)
    }

    /// What a player's clock showed at the press on this ply, before it was credited anything, with the ply at whose press that was seen:
    /// where the reading is in doubt or unknown, that of the neighbouring press, between which and this one his clock stood.
    #[must_use]
    pub fn reading_at(&self, ply: u32, colour: Colour) -> Option<(Millis, u32)> {
        let press = self.press_at(ply)?;
        let shown = |press: &Press, ply| press.left[colour.index()].filter(|_| !self.leapt(ply, colour));
        if press.by != colour {
            let before = ply.saturating_sub(1);
            let stood = || self.press_at(before).filter(|before| before.by == colour);
            let here = shown(&press, ply).map(|left| (left, ply));
            return here.or_else(|| Some((shown(&stood()?, before)?, before)));
        }
        if let Some(left) = shown(&press, ply) {
            return Some((press.before_credit.unwrap_or(left), ply));
        }
        let after = self.press_at(ply + 1).filter(|after| after.by != colour)?;
        Some((shown(&after, ply + 1)?.saturating_sub(press.credit?), ply + 1))
    }

    /// A leap of this player's clock was seen after so many plies and before so many were pressed.
    pub(super) fn leapt_between(&self, from: u32, to: u32, colour: Colour) -> bool {
        self.leaps(colour).iter().any(|leap| (from..=to).contains(&leap.known))
    }

    fn leaps(&self, colour: Colour) -> alloc::vec::Vec<Leap> {
        let cancelled = |case: &&super::Case| case.ruling.as_ref().is_some_and(|ruling| ruling.remedy.cancel);
        let cases = self.cases.iter().rev().take_while(|case| !cancelled(case)).map(|case| &case.finding);
        cases.filter(|f| f.kind == Irregularity::ClockJump && f.by == colour).map(Leap::new).collect()
    }

    /// His time was set anew in between: whoever set it has seen what the clock showed.
    fn set_between(&self, from: u32, ply: u32, colour: Colour) -> bool {
        self.directives.iter().filter(|sent| (from..ply).contains(&sent.plies) && !sent.is_void()).any(|sent| {
            let Act::Set { hands, .. } = &sent.directive.act else { return false };
            sent.before.is_some_and(|before| before.hand(colour).left != hands[colour.index()].left)
        })
    }
}
