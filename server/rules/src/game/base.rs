//! What play goes on from: the position where the record begins, and whatever stood there each time play went on by no legal move. Every
//! one is kept with the number of plies before it, so that a ruling can go back to any of them.

use alloc::string::{String, ToString};

use shakmaty::{Chess, Setup, fen::Fen};

use super::state::{Game, fen, play};
use crate::board::{
    Scan, infer,
    play_on::{self, Untold},
};

/// Men that are no position of chess: a king could be taken, a pawn stands on the last rank. What is played there is not followed by its
/// legality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adrift {
    /// The board.
    pub board: Scan,
    /// What it does not show.
    pub untold: Untold,
}

/// What play goes on from.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// A position of chess.
    Position(Chess),
    /// No position of chess.
    Men(Adrift),
}

impl Adrift {
    /// The men; castling stays possible where it was in the last position of chess.
    fn men(&self, before: &Chess) -> Setup {
        play_on::setup(&self.board, before, self.untold)
    }
}

impl Base {
    /// The position, where it is one.
    #[must_use]
    pub fn position(&self) -> Option<&Chess> {
        match self {
            Base::Position(position) => Some(position),
            Base::Men(_) => None,
        }
    }
}

impl Game {
    /// The position with which the record begins.
    #[must_use]
    pub(super) fn first_position(&self) -> Option<&Chess> {
        self.bases.first().and_then(|(_, base)| base.position())
    }

    /// What play had gone on from last within the first `plies`.
    fn base_after(&self, plies: usize) -> Option<&Base> {
        self.bases.iter().rev().find(|(before, _)| *before <= plies).map(|(_, base)| base)
    }

    /// The men from which play goes on, where they are no position of chess.
    #[must_use]
    pub fn adrift(&self) -> Option<Adrift> {
        match self.bases.last() {
            Some((_, Base::Men(adrift))) if self.unseen().is_empty() => Some(*adrift),
            _ => None,
        }
    }

    /// The men from which play goes on, with all that a move of theirs depends on, where they are no position of chess.
    #[must_use]
    pub(crate) fn men_adrift(&self) -> Option<Setup> {
        self.adrift().map(|adrift| adrift.men(&self.position))
    }

    /// The board from which play goes on, whether or not it is a position of chess.
    #[must_use]
    pub fn board(&self) -> Scan {
        self.adrift().map_or_else(|| infer::scan(&self.position), |adrift| adrift.board)
    }

    /// What stands there in FEN, whether or not it is a position of chess.
    #[must_use]
    pub fn fen(&self) -> String {
        self.men_adrift().and_then(men_fen).unwrap_or_else(|| fen(&self.position))
    }

    /// What stands there as far as anybody knows it, FEN: nothing where moves were made that nobody saw, unless it was given since.
    #[must_use]
    pub fn known_fen(&self) -> Option<String> {
        (!self.blind() || self.given == Some(self.known())).then(|| self.fen())
    }

    /// What stood there after the first `plies` of the score, FEN, whether or not it was a position of chess; `None` where nobody saw it.
    #[must_use]
    pub fn fen_after(&self, plies: usize) -> Option<String> {
        if !self.seen_after(plies) {
            return None;
        }
        let last = self.last_chess(plies);
        match self.base_after(plies)? {
            Base::Men(adrift) => men_fen(adrift.men(&last)),
            Base::Position(_) => Some(fen(&last)),
        }
    }

    /// The position after the first `plies` of the score; `None` where play had gone on to no position of chess, or unseen.
    #[must_use]
    pub fn position_after(&self, plies: usize) -> Option<Chess> {
        self.base_after(plies)?.position().filter(|_| !self.ends_unseen(plies)).map(|_| self.last_chess(plies))
    }

    /// The last position of chess that there was within the first `plies`.
    #[must_use]
    pub(super) fn last_chess(&self, plies: usize) -> Chess {
        let last = self.last_position(plies);
        let bases = self.bases.iter().rev().filter(|(before, _)| *before <= last);
        let base = bases.filter_map(|(before, base)| Some((*before, base.position()?))).next();
        let (from, mut position) = base.map_or_else(Default::default, |(from, base)| (from, base.clone()));
        for ply in self.plies.iter().take(last).skip(from) {
            play(&mut position, ply.uci);
        }
        position
    }

    /// After how many of the first `plies` there was last a position of chess.
    #[must_use]
    pub fn last_position(&self, plies: usize) -> usize {
        let mut last = plies.min(self.plies.len());
        for (before, base) in self.bases.iter().rev() {
            match base {
                _ if *before > last => {}
                Base::Position(_) => break,
                Base::Men(_) => last = before.saturating_sub(1),
            }
        }
        last
    }

    /// The position after so many plies is on record, whatever became of the board since.
    #[must_use]
    pub fn is_known_after(&self, plies: usize) -> bool {
        self.seen_after(plies) && !self.lost && self.base_after(plies).and_then(Base::position).is_some()
    }

    /// Every move was seen and explained: the position on record is that on the board, and what depends on it can be said.
    #[must_use]
    pub fn position_is_known(&self) -> bool {
        !self.unread() && self.is_known_after(self.plies.len())
    }
}

/// Men as FEN has them. They have no pockets and no promoted men, which is all that it could not say.
fn men_fen(men: Setup) -> Option<String> {
    Fen::try_from(men).ok().map(|fen| fen.to_string())
}
