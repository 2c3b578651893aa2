//! Where each man may stand some day: the semi-static analysis of a position.
//!
//! The answer is an over-approximation that only grows, found as a least fixed point. A man may enter a square that may be
//! empty some day or on which an opponent may stand; a square that a man stands on may be empty once that man can move or
//! be taken; a king never enters a square attacked by a man that never leaves. What the fixed point does not contain no
//! series of legal moves brings about: the first move outside of it would have needed something outside of it before.
//!
//! Pawns are what makes it precise: two pawns that face each other never pass while neither leaves the file.

use alloc::vec::Vec;

use shakmaty::{CastlingSide, Chess, Color, Position, Role};

use super::sets::{Squares, ahead, bit, each, forward, king, last_rank, officer, pawn};

/// One man of the position, and what may become of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Man {
    pub(super) color: Color,
    pub(super) role: Role,
    pub(super) origin: u32,
    /// Where it may stand; of a pawn: without ever having taken anything.
    pub(super) steps: Squares,
    /// Where a pawn may stand after it took something.
    pub(super) strays: Squares,
    /// Where it may stand after promotion.
    pub(super) promoted: Squares,
    /// What it may attack, from wherever it may stand.
    pub(super) targets: Squares,
    /// Some opponent may take it.
    pub(super) taken: bool,
}

impl Man {
    /// Where it may stand, in whatever form.
    pub(super) const fn stand(&self) -> Squares {
        self.steps | self.strays | self.promoted
    }

    /// It may move.
    pub(super) const fn moves(&self) -> bool {
        self.stand() != bit(self.origin)
    }

    /// Its square may become empty or another's.
    pub(super) const fn leaves(&self) -> bool {
        self.taken || self.moves()
    }
}

/// The men of a position and how far they get.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) men: Vec<Man>,
    /// Squares that may be empty some day.
    pub(super) clear: Squares,
    /// Where the men of a colour may stand, the king left out: it cannot be taken.
    pub(super) stand: [Squares; 2],
    /// What the men of a colour attack as long as the game lasts.
    pub(super) barred: [Squares; 2],
    /// Squares empty at the start.
    empty: Squares,
}

impl Structure {
    /// The men where they stand, before any of them moved.
    pub(super) fn new(position: &Chess) -> Structure {
        let board = position.board();
        let passed = position.legal_ep_square();
        let mut men = Vec::with_capacity(board.occupied().count());
        for (square, piece) in board.iter() {
            let origin = square as u32;
            let mut steps = bit(origin);
            // Taken in passing, a pawn is taken on the square it passed.
            if let Some(behind) = passed
                && piece == position.turn().other().pawn()
                && forward(bit(behind as u32), piece.color) == steps
            {
                steps |= bit(behind as u32);
            }
            let man = Man {
                color: piece.color,
                role: piece.role,
                origin,
                steps,
                strays: 0,
                promoted: 0,
                targets: 0,
                taken: false,
            };
            men.push(man);
        }
        let empty = !board.occupied().0;
        let mut structure = Structure { men, clear: empty, stand: [0; 2], barred: [0; 2], empty };
        structure.sum_up();
        structure
    }

    /// One round: every man moves as far as is known to be possible. False when nothing changed.
    pub(super) fn grow(&mut self, position: &Chess) -> bool {
        let mut changed = self.castle(position);
        for index in 0..self.men.len() {
            let before = self.men[index];
            let after = match before.role {
                Role::Pawn => self.advance(before),
                Role::King => self.walk(before),
                _ => self.roam(before),
            };
            changed |= after.stand() != before.stand() || after.targets != before.targets;
            self.men[index] = after;
        }
        let mut attacked = [0; 2];
        for man in &self.men {
            attacked[man.color as usize] |= man.targets;
        }
        for man in &mut self.men {
            let taken = man.role != Role::King && attacked[man.color.other() as usize] & man.stand() != 0;
            changed |= taken && !man.taken;
            man.taken |= taken;
        }
        self.sum_up();
        changed
    }

    /// Squares this colour's men may enter, whether quietly or by taking.
    fn enterable(&self, color: Color) -> Squares {
        self.clear | self.stand[color.other() as usize]
    }

    fn roam(&self, mut man: Man) -> Man {
        let enter = self.enterable(man.color);
        loop {
            man.targets = officer(man.role, man.steps, self.clear);
            let reached = man.steps | (man.targets & enter);
            if reached == man.steps {
                return man;
            }
            man.steps = reached;
        }
    }

    fn walk(&self, mut man: Man) -> Man {
        let enter = self.enterable(man.color);
        loop {
            man.targets = king(man.steps) & !self.barred[man.color.other() as usize];
            let reached = man.steps | (man.targets & enter);
            if reached == man.steps {
                return man;
            }
            man.steps = reached;
        }
    }

    fn advance(&self, mut man: Man) -> Man {
        let prey = self.stand[man.color.other() as usize];
        let last = last_rank(man.color);
        let limit = self.push_limit(&man);
        loop {
            let here = man.stand();
            man.steps |= forward(man.steps, man.color) & self.clear & limit;
            man.targets = pawn(man.steps | man.strays, man.color);
            man.strays |= (forward(man.strays, man.color) & self.clear) | (man.targets & prey);
            man.promoted |= (man.steps | man.strays) & last;
            man.steps &= !last;
            man.strays &= !last;
            if man.promoted != 0 {
                let sight = officer(Role::Queen, man.promoted, self.clear) | officer(Role::Knight, man.promoted, 0);
                man.promoted |= sight & self.enterable(man.color);
                man.targets |= sight;
            }
            if man.stand() == here {
                return man;
            }
        }
    }

    /// How far a pawn can be pushed while it takes nothing: pawns ahead of it that never leave the file stay ahead of it.
    fn push_limit(&self, man: &Man) -> Squares {
        let mut limit = ahead(man.origin, man.color);
        for other in &self.men {
            let in_front = other.role == Role::Pawn && bit(other.origin) & ahead(man.origin, man.color) != 0;
            if !in_front || other.taken || other.strays != 0 {
                continue;
            }
            if other.color != man.color {
                limit &= !(ahead(other.origin, man.color) | bit(other.origin));
            } else if other.promoted == 0 {
                let furthest = match man.color {
                    Color::White => 63 - other.steps.leading_zeros(),
                    Color::Black => other.steps.trailing_zeros(),
                };
                limit &= !(ahead(furthest, man.color) | bit(furthest));
            }
        }
        limit
    }

    fn castle(&mut self, position: &Chess) -> bool {
        let mut changed = false;
        for (color, side) in [
            (Color::White, CastlingSide::KingSide),
            (Color::White, CastlingSide::QueenSide),
            (Color::Black, CastlingSide::KingSide),
            (Color::Black, CastlingSide::QueenSide),
        ] {
            let Some(rook) = position.castles().rook(color, side) else { continue };
            if position.castles().path(color, side).0 & !self.clear != 0 {
                continue;
            }
            for man in self.men.iter_mut().filter(|man| man.color == color) {
                let to = match man.role {
                    Role::King => side.king_to(color),
                    Role::Rook if man.origin == rook as u32 => side.rook_to(color),
                    _ => continue,
                };
                changed |= man.steps & bit(to as u32) == 0;
                man.steps |= bit(to as u32);
            }
        }
        changed
    }

    fn sum_up(&mut self) {
        self.clear = self.empty;
        self.stand = [0; 2];
        let mut kings = [0; 2];
        for man in &self.men {
            if man.leaves() {
                self.clear |= bit(man.origin);
            }
            if man.role == Role::King {
                kings[man.color as usize] |= man.stand();
            } else {
                self.stand[man.color as usize] |= man.stand();
            }
        }
        self.barred = [0; 2];
        for man in &self.men {
            if man.leaves() {
                continue;
            }
            // A line stays open as far as nobody ever stands in it. The king that would step into it blocks nothing.
            let open = !(self.stand[0] | self.stand[1] | kings[man.color as usize]);
            self.barred[man.color as usize] |= match man.role {
                Role::Pawn => pawn(bit(man.origin), man.color),
                role => officer(role, bit(man.origin), open),
            };
        }
    }

    /// The king of a colour.
    pub(super) fn king(&self, color: Color) -> Option<&Man> {
        self.men.iter().find(|man| man.role == Role::King && man.color == color)
    }

    /// The men of a colour, the king left out.
    pub(super) fn company(&self, color: Color) -> impl Iterator<Item = &Man> {
        self.men.iter().filter(move |man| man.role != Role::King && man.color == color)
    }

    /// Whether another position is made of the same men, each within what this analysis allows it, the immovable ones in
    /// place: then everything that follows from this analysis holds there too.
    pub(super) fn covers(&self, position: &Chess) -> bool {
        let board = position.board();
        if board.occupied().count() != self.men.len() {
            return false;
        }
        let mut left = board.occupied().0;
        for man in &self.men {
            let within = if man.role == Role::Pawn || !man.leaves() { bit(man.origin) } else { man.steps };
            let at = (board.by_role(man.role) & board.by_color(man.color)).0 & left & within;
            let Some(square) = each(at).next() else { return false };
            left &= !bit(square);
        }
        left == 0
    }
}
