//! What was put on the clocks beyond what the control gives. Readings of a press long past lack what was put there since; what stays
//! whatever is taken back is remembered as amounts, ruling by ruling.

use super::{
    event::{Act, Ruling},
    irregularity::{Finding, Irregularity},
    sent::Sent,
    state::Game,
};
use crate::{
    clock::{Colour, Control, Face, Hand},
    laws::articles::{clock_defect, credit::Credited, forgotten_press},
    time::Millis,
};

impl Game {
    /// What was set or added on a player's clock beyond what the control gives: penalties of the opponent's, time taken off or given
    /// back. What puts a wrong clock right is no such thing, and a new game begins with none. `None` where a reading was not known.
    #[must_use]
    pub fn granted(&self, colour: Colour) -> Option<Millis> {
        let control = self.setup.control.as_ref()?;
        let start = control.start_face(self.setup.white_place).hands;
        let put_right =
            |hands| self.ruled(hands).is_some_and(|(finding, _)| finding.kind == Irregularity::ClockSetting);
        let mut granted: Option<Millis> = Some(0);
        for (index, sent) in self.directives.iter().enumerate() {
            match &sent.directive.act {
                Act::Set { hands, .. } if *hands == start => granted = Some(0),
                Act::Set { hands, .. } if self.takes_on(index) || put_right(hands) => {}
                Act::Set { .. } | Act::Add(..) => {
                    let by_control = |control: &Control, hand: &Hand| control.given(hand.moves, hand.period);
                    if let Some(more) = self.more(sent, colour, by_control) {
                        granted = granted.zip(more).map(|(granted, more)| granted.saturating_add(more));
                    }
                }
                _ => {}
            }
        }
        granted
    }

    /// What was given to a player, or taken from him, since the press on the ply after so many: it belongs on his reading of then, at
    /// which he had completed so many moves. Time thought that went back is none of it; of a clock that was set wrongly it is what
    /// that reading was short of.
    #[must_use]
    pub fn given_since(&self, plies: u32, colour: Colour, moves: u32) -> Millis {
        let mut right = None;
        let since = self.directives.iter().enumerate().filter(|(_, sent)| sent.plies > plies && !sent.is_void());
        let given = since.map(|(index, sent)| match &sent.directive.act {
            Act::Add(to, amount) if *to == colour => *amount,
            Act::Set { hands, .. } if !self.takes_on(index) => match self.ruled(hands) {
                Some((finding, ruling)) if finding.kind == Irregularity::ForgottenPress => {
                    forgotten_press::stays(self, finding, ruling, colour, plies)
                }
                Some((finding, ruling)) => {
                    let (least, given) = (self.periods_after(plies)[colour.index()], ruling.remedy.given);
                    clock_defect::short(self, finding, moves, least).map_or(given[colour.index()], |short| {
                        let before = right.replace(short);
                        short - before.unwrap_or_else(|| self.put_right(plies, colour, finding))
                    })
                }
                // Who sets a clock that has leapt puts it right: that gives nothing to what it showed before.
                None if self.leapt_between(plies + 1, sent.plies, colour) => 0,
                // That a counter is put right, or a sealed move counted, has given nothing.
                None => self.more(sent, colour, |control, hand| control.given(0, hand.period)).flatten().unwrap_or(0),
            },
            _ => 0,
        });
        given.fold(0, Millis::saturating_add)
    }

    /// What rulings have put on a player's clock, until so many plies were pressed, of what the wrong setting of this finding did not
    /// give him. A clock that was set anew for another reason lacked nothing then.
    #[must_use]
    pub fn put_right(&self, plies: u32, colour: Colour, finding: &Finding) -> Millis {
        let start = self.setup.control.as_ref().map(|control| control.start_face(self.setup.white_place).hands);
        let until = self.directives.iter().filter(|sent| sent.plies <= plies && !sent.is_void());
        until.fold(0, |right, sent| match &sent.directive.act {
            Act::Set { hands, .. } if Some(*hands) == start => 0,
            Act::Set { hands, .. } => match self.ruled(hands).filter(|(of, _)| of.kind == Irregularity::ClockSetting) {
                Some((of, ruling)) if of.facts.set_as.is_some() => {
                    right.saturating_add(ruling.remedy.given[colour.index()])
                }
                Some(_) => {
                    let Hand { moves, period, .. } = hands[colour.index()];
                    clock_defect::short(self, finding, moves, period).unwrap_or(right)
                }
                None => right,
            },
            _ => right,
        })
    }

    /// What rulings on forgotten presses have given a player after so many plies were pressed, and goes back with the plies since.
    pub(crate) fn credited_late(&self, plies: u32, colour: Colour) -> impl Iterator<Item = Credited> {
        let since = self.directives.iter().filter(move |sent| sent.plies > plies && !sent.is_void());
        let rulings = since.filter_map(|sent| match &sent.directive.act {
            Act::Set { hands, .. } => self.ruled(hands),
            _ => None,
        });
        let forgotten = rulings.filter(|(finding, _)| finding.kind == Irregularity::ForgottenPress);
        forgotten.map(move |(finding, ruling)| forgotten_press::goes_back(self, finding, ruling, colour, plies))
    }

    /// Plies that were made, and those whose presses still wait for the board.
    pub(super) fn pressed(&self) -> u32 {
        self.known() + self.held.len() as u32
    }

    /// What was put on the clocks until now came before the press on the ply after so many.
    pub(super) fn set_before(&mut self, plies: u32) {
        for sent in &mut self.directives {
            sent.plies = sent.plies.min(plies);
        }
    }

    /// The ruling that was put on the clocks with these values.
    pub(super) fn ruled(&self, hands: &[Hand; 2]) -> Option<(&Finding, &Ruling)> {
        let rulings = self.cases.iter().rev().filter_map(|case| Some((&case.finding, case.ruling.as_ref()?)));
        rulings.into_iter().find(|(_, ruling)| ruling.remedy.hands.as_ref() == Some(hands))
    }

    /// A clock that was just prepared is told how the game stands: it has come from another clock, or its record begins in the middle.
    fn takes_on(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map(|before| (before, &self.directives[before].directive.act));
        let anew = |before: usize| before > 0 || self.directives[index].plies == 0;
        before.is_some_and(|(before, act)| matches!(act, Act::Prepare { stands: None, .. }) && anew(before))
    }

    /// How much more a player's reading became, by a directive that was carried out, than `by_control` gave him; `None` within where a
    /// reading was not known.
    fn more(
        &self,
        sent: &Sent,
        colour: Colour,
        by_control: impl Fn(&Control, &Hand) -> Millis,
    ) -> Option<Option<Millis>> {
        let control = self.setup.control.as_ref()?;
        let beyond = |face: &Face| {
            let hand = face.hand(colour);
            hand.left.map(|left| left.saturating_sub(by_control(control, hand)))
        };
        let (before, after) = sent.before.as_ref().zip(sent.after.as_ref())?;
        Some(beyond(after).zip(beyond(before)).map(|(after, before)| after.saturating_sub(before)))
    }
}
