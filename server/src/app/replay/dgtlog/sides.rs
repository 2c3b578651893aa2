//! Which half of the clock is White's, by the whole of a log: the first half that runs may be either. White may have moved before
//! the clock was started, or the lever lay the wrong way for a while.

use flagfall_clock::hw::dgt::decode::Message;
use flagfall_rules::{
    board::Scan,
    clock::{Colour, Place},
};

use super::{lines::Said, shown::Shown};

/// Who sits where.
#[derive(Debug, Default)]
pub(super) struct Sides {
    shown: Shown,
    /// The board when the half began to run that runs now.
    before: Option<Scan>,
    /// The half that ran first.
    first: Option<Place>,
    /// While this half ran: white men put down less black ones.
    turn: i32,
    /// Turns that speak for White on the left, less those that speak for the right.
    left: i32,
}

impl Sides {
    /// Looks through a game.
    pub(super) fn of(said: &[Said]) -> Sides {
        let mut sides = Sides::default();
        said.iter().flat_map(|said| &said.messages).for_each(|message| sides.take(message));
        sides.count(sides.shown.runs());
        sides
    }

    /// Whoever moves puts down men of his own colour while his own half runs. A player adjusts men, or replies before the press, now and
    /// then: every turn has one vote, and the most decide.
    fn take(&mut self, message: &Message) {
        let ran = self.shown.runs();
        if let (Message::FieldUpdate(square, Some(man)), Some(before)) = (message, &self.before)
            && before.at(*square) != Some(*man)
        {
            self.turn += if man.colour == Colour::White { 1 } else { -1 };
        }
        self.shown.take(message);
        let runs = self.shown.runs();
        if runs != ran {
            self.count(ran);
            self.before = self.shown.board.filter(|_| runs.is_some());
        }
        self.first = self.first.or(runs);
    }

    fn count(&mut self, ran: Option<Place>) {
        let vote = std::mem::take(&mut self.turn).signum();
        self.left += match ran {
            Some(Place::Left) => vote,
            Some(Place::Right) => -vote,
            None => 0,
        };
    }

    /// White's half. Where the moves do not tell, the half that ran first.
    pub(super) fn white(&self) -> Place {
        match self.left {
            0 => self.first.unwrap_or(Place::Left),
            left if left > 0 => Place::Left,
            _ => Place::Right,
        }
    }

    /// What was assumed.
    pub(super) fn note(&self) -> Option<&'static str> {
        self.first.is_none().then_some("no clock ever runs; White is taken to sit on the left")
    }
}
