//! The score: moves as they are written down, with what the clocks showed.

use core::{fmt, num::NonZeroU32};

use shakmaty::{Chess, Position};

use super::{reading::unclocked, state::Game};
use crate::{
    clock::{Advance, Colour, Hand},
    laws,
    time::{Millis, Moment},
};

/// A move in UCI notation, at most five letters, kept in place so that a score can be copied cheaply.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Uci([u8; 5]);

impl Uci {
    /// Reads a move of four or five letters; anything else is `None`. Whether it is legal is not asked here.
    #[must_use]
    pub fn parse(text: &str) -> Option<Uci> {
        let mut letters = [0; 5];
        let bytes = text.as_bytes();
        if !(4..=5).contains(&bytes.len()) || !bytes.is_ascii() {
            return None;
        }
        letters[..bytes.len()].copy_from_slice(bytes);
        Some(Uci(letters))
    }

    /// No move: the clock was pressed, and no man had moved.
    pub const NONE: Uci = Uci([b'0', b'0', b'0', b'0', 0]);

    /// A move was made that no two squares tell: men changed places as no move of chess changes them.
    pub const UNREAD: Uci = Uci([b'?', b'?', b'?', b'?', 0]);

    /// A move was completed while nobody saw the board.
    pub const UNSEEN: Uci = Uci([b'-', b'-', b'-', b'-', 0]);

    /// The letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = if self.0[4] == 0 { 4 } else { 5 };
        core::str::from_utf8(&self.0[..end]).unwrap_or("0000")
    }
}

impl fmt::Display for Uci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Uci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A press that no board saw: a move was completed, and nobody knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    /// Who pressed.
    pub by: Colour,
    /// See [`Ply::left`].
    pub left: [Option<Millis>; 2],
    /// See [`Ply::before_credit`].
    pub before_credit: Option<Millis>,
    /// See [`Ply::credit`].
    pub credit: Option<Millis>,
    /// When, on the device.
    pub at: Option<Moment>,
}

impl From<Ply> for Press {
    fn from(Ply { by, left, before_credit, credit, at, .. }: Ply) -> Press {
        Press { by, left, before_credit, credit, at }
    }
}

/// One ply of the surviving score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub uci: Uci,
    /// Who made it.
    pub by: Colour,
    /// The move was completed: pressed, or it ended the game, or the next move followed and the edition says that this completes it.
    pub completed: bool,
    /// Both readings just after the press that completed it, White first; unknown stays `None`.
    pub left: [Option<Millis>; 2],
    /// The mover's reading just before the press credited anything, where it can be known.
    pub before_credit: Option<Millis>,
    /// What the press credited to the mover, increment and period bonus together, where it can be known.
    pub credit: Option<Millis>,
    /// When, on the device.
    pub at: Option<Moment>,
    /// The position after it, hashed: counts repetitions; 0 where the board showed none.
    pub position: u64,
}

impl Game {
    /// The position that a new game on this board begins with: the one that was set for it, or the initial one where the record
    /// begins in the middle of a game.
    #[must_use]
    pub fn beginning(&self) -> Chess {
        let set = self.first_position().filter(|_| Colour::BOTH.iter().all(|&colour| self.made_before(colour) == 0));
        set.cloned().unwrap_or_default()
    }

    /// Both halves of the clock as a new game begins with them. Where no control is known nobody knows the initial times either: the
    /// readings stay for the arbiter to set, and the counters begin anew.
    #[must_use]
    pub fn hands_at_the_beginning(&self) -> [Hand; 2] {
        let start = self.setup.control.as_ref().map(|control| control.start_face(self.setup.white_place).hands);
        start.unwrap_or_else(|| self.face.hands.map(|hand| Hand::fresh(hand.left)))
    }

    /// The number of the move being played after one ply more, or none.
    #[must_use]
    pub fn number_after(&self, ply: Option<Ply>) -> NonZeroU32 {
        let begun = self.first_position().map_or(NonZeroU32::MIN, Position::fullmoves);
        let completed = self.plies.iter().copied().chain(ply).filter(|ply| ply.by == Colour::Black).count();
        begun.saturating_add(completed as u32)
    }

    /// Play goes on from the last ply: where the edition says so that completes it, pressed or not. Without a clock nothing else could.
    pub(super) fn gone_on(&mut self) {
        let only_pressed = laws::edition(&self.setup.edition).is_some_and(|edition| !edition.next_completes);
        let completes = !only_pressed || unclocked(self);
        if let Some(last) = self.plies.last_mut() {
            last.completed |= completes;
        }
    }

    /// The player moved a man at this ply, as far as anybody knows: he did not only press.
    #[must_use]
    pub fn moved_at(&self, ply: u32) -> bool {
        let seen = (ply as usize).checked_sub(1).and_then(|index| self.plies.get(index));
        seen.is_none_or(|ply| ply.uci != Uci::NONE)
    }

    /// The least periods, White's first, that the players were in before the press on the ply after so many.
    #[must_use]
    pub fn periods_after(&self, plies: u32) -> [u8; 2] {
        let least = self.periods.iter().rev().find(|(known, _)| *known <= plies);
        least.map_or([0; 2], |(_, periods)| *periods)
    }

    /// The period that a player with so many completed moves was in before that press. Where nothing else is known his moves say it;
    /// whoever was left in a later one has had its time, and no press brings it to him again.
    #[must_use]
    pub fn period_after(&self, plies: u32, by: Colour, moves: u32) -> u8 {
        let least = self.periods_after(plies)[by.index()];
        self.setup.control.as_ref().map_or(least, |control| control.period_of(moves, least).max(least))
    }

    /// The least periods by the face just heard. A clock that goes on at zero is the only one to know; on any other a period is later
    /// than the moves say where a ruling, or the arbiter by hand, has left the player in it.
    pub(super) fn least_periods(&self) -> [u8; 2] {
        let before = self.periods_after(self.known());
        Colour::BOTH.map(|colour| {
            let Hand { moves, period, .. } = *self.face.hand(colour);
            let least = before[colour.index()].min(period);
            self.setup.control.as_ref().map_or(period, |control| {
                let at_zero = control.advance() == Advance::AtZero;
                if at_zero || period > control.period_at(moves) { period } else { least }
            })
        })
    }
}
