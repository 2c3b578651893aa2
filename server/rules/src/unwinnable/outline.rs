//! Kings and pawns exactly, officers as a haze: a small game that contains the real one.
//!
//! Behind blocked pawns a few officers wander for ever, and their wanderings are too many to search. Here they have no
//! squares: an officer blocks nothing and gives check only when that helps to mate; it may be wherever the structure
//! analysis lets it get, and taken or not it stays. Every legal move of the real game is a move of this one, so when no
//! position of this one may be a mate, the real game has none. What it knows better than the structure analysis is who has
//! to move: a side without an officer may be left without a move.

use alloc::{collections::BTreeSet, vec::Vec};

use shakmaty::{Chess, Color, Position, Role, Square, attacks};

use super::{
    sets::{Squares, bit, each, forward, king, last_rank, officer, pawn, pawn_rank},
    structure::Structure,
};

/// Kings, pawns and who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outline {
    kings: [u32; 2],
    pawns: [Squares; 2],
    /// A pawn of the colour has promoted.
    promoted: [bool; 2],
    turn: Color,
}

/// Whether no mate by `winner` can arise, as far as `states` outlines show it. `false` says nothing.
pub(super) fn excludes(position: &Chess, structure: &Structure, winner: Color, states: usize) -> bool {
    let board = position.board();
    let (Some(white), Some(black)) = (board.king_of(Color::White), board.king_of(Color::Black)) else { return false };
    if position.castles().any() {
        return false;
    }
    let pawns = |color| (board.by_color(color) & board.pawns()).0;
    let start = Outline {
        kings: [black as u32, white as u32],
        pawns: [pawns(Color::Black), pawns(Color::White)],
        promoted: [false; 2],
        turn: position.turn(),
    };
    Game::new(structure, winner).has_no_mate(start, states)
}

struct Game {
    winner: Color,
    /// Where the officers of a colour may stand, by the kind of their moves.
    haze: [Haze; 2],
    /// What promoted pawns of a colour add to that.
    promoted: [Haze; 2],
    /// Where pawns of a colour may stand, the last rank included.
    pawns: [Squares; 2],
    kings: [Squares; 2],
    /// The winner's one officer; it is placed exactly.
    single: Option<(Role, Squares)>,
}

#[derive(Clone, Copy, Default)]
struct Haze {
    lines: Squares,
    diagonals: Squares,
    jumps: Squares,
    /// Some officer of the colour may move.
    moves: bool,
}

impl Outline {
    const fn key(&self) -> ([u32; 2], [Squares; 2], [bool; 2], bool) {
        (self.kings, self.pawns, self.promoted, self.turn.is_white())
    }
}

impl Haze {
    /// Officers of one kind on these squares.
    fn of(role: Role, squares: Squares) -> Haze {
        let on = |yes| if yes { squares } else { 0 };
        Haze {
            lines: on(matches!(role, Role::Rook | Role::Queen)),
            diagonals: on(matches!(role, Role::Bishop | Role::Queen)),
            jumps: on(role == Role::Knight),
            moves: false,
        }
    }

    /// Both together.
    const fn and(self, more: Haze) -> Haze {
        Haze {
            lines: self.lines | more.lines,
            diagonals: self.diagonals | more.diagonals,
            jumps: self.jumps | more.jumps,
            moves: self.moves || more.moves,
        }
    }

    const fn stand(&self) -> Squares {
        self.lines | self.diagonals | self.jumps
    }

    /// What it may attack from open squares, on straight lines, on diagonals and by jumping.
    const fn sight(&self, open: Squares) -> [Squares; 3] {
        [
            officer(Role::Rook, self.lines & open, open),
            officer(Role::Bishop, self.diagonals & open, open),
            officer(Role::Knight, self.jumps & open, open),
        ]
    }
}

/// How the last move may have given check.
#[derive(Clone, Copy)]
enum Check {
    /// An officer moved, or anything may have.
    Any,
    /// A king or pawn left this square, and may have opened a line through it.
    From(u32),
}

impl Game {
    fn new(structure: &Structure, winner: Color) -> Game {
        let mut game = Game {
            winner,
            haze: [Haze::default(); 2],
            promoted: [Haze::default(); 2],
            pawns: [0; 2],
            kings: [0; 2],
            single: None,
        };
        let mut officers = 0;
        for man in &structure.men {
            let at = man.color as usize;
            match man.role {
                Role::King => game.kings[at] |= man.steps,
                Role::Pawn => {
                    game.pawns[at] |= man.steps | man.strays;
                    if man.promoted != 0 {
                        game.pawns[at] |= last_rank(man.color);
                        let all = game.promoted[at].stand() | man.promoted;
                        game.promoted[at] = Haze { lines: all, diagonals: all, jumps: all, moves: true };
                    }
                }
                role => {
                    let officer = Haze { moves: man.moves(), ..Haze::of(role, man.steps) };
                    game.haze[at] = game.haze[at].and(officer);
                    if man.color == winner {
                        officers += 1;
                        game.single = (officers == 1).then_some((role, man.steps));
                    }
                }
            }
        }
        game
    }

    /// The officers a colour may have in an outline.
    fn haze(&self, outline: &Outline, color: Color) -> Haze {
        let (base, more) = (self.haze[color as usize], self.promoted[color as usize]);
        if outline.promoted[color as usize] { base.and(more) } else { base }
    }

    fn has_no_mate(&self, start: Outline, states: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = Vec::new();
        seen.insert(start.key());
        open.push(start);
        let mut next = Vec::new();
        while let Some(outline) = open.pop() {
            next.clear();
            self.moves(&outline, &mut next);
            for &(child, check) in &next {
                if outline.turn == self.winner && self.may_be_mate(&child, check) {
                    return false;
                }
                if seen.insert(child.key()) {
                    if seen.len() > states {
                        return false;
                    }
                    open.push(child);
                }
            }
        }
        true
    }

    /// Every move of the small game.
    fn moves(&self, outline: &Outline, into: &mut Vec<(Outline, Check)>) {
        let us = outline.turn;
        let (own, foe) = (us as usize, us.other() as usize);
        let passed = Outline { turn: us.other(), ..*outline };
        let mut add = |child: Outline, check: Check| {
            // Pawns and kings are where they are: their attacks bind.
            let bound = pawn(child.pawns[foe], us.other()) | king(bit(child.kings[foe]));
            if bound & bit(child.kings[own]) == 0 {
                into.push((child, check));
            }
        };
        let haze = self.haze(outline, us);
        let blocked = outline.pawns[0] | outline.pawns[1] | bit(outline.kings[0]) | bit(outline.kings[1]);
        if haze.moves {
            add(passed, Check::Any);
            let [lines, diagonals, jumps] = haze.sight(!blocked);
            for at in each((lines | diagonals | jumps) & outline.pawns[foe]) {
                let mut child = passed;
                child.pawns[foe] &= !bit(at);
                add(child, Check::Any);
            }
        }
        for to in each(king(bit(outline.kings[own])) & self.kings[own] & !outline.pawns[own]) {
            let mut child = passed;
            child.kings[own] = to;
            child.pawns[foe] &= !bit(to);
            add(child, Check::From(outline.kings[own]));
        }
        let prey = outline.pawns[foe] | (self.haze(outline, us.other()).stand() & !blocked);
        for from in each(outline.pawns[own]) {
            let mut step = |to: u32, taken: Squares, check: Check| {
                let mut child = passed;
                child.pawns[own] &= !bit(from);
                child.pawns[foe] &= !taken;
                if bit(to) & last_rank(us) == 0 {
                    child.pawns[own] |= bit(to);
                    add(child, check);
                } else {
                    child.promoted[own] = true;
                    add(child, Check::Any);
                }
            };
            let one = forward(bit(from), us) & !blocked;
            let two = if bit(from) & pawn_rank(us) != 0 { forward(one, us) & !blocked } else { 0 };
            for to in each((one | two) & self.pawns[own]) {
                step(to, 0, Check::From(from));
            }
            let ahead = pawn(bit(from), us) & self.pawns[own];
            for to in each(ahead & prey) {
                step(to, bit(to), Check::From(from));
            }
            for to in each(ahead & !blocked) {
                let beside = forward(bit(to), us.other());
                if beside & outline.pawns[foe] != 0 && forward(forward(bit(to), us), us) & last_rank(us) != 0 {
                    step(to, beside, Check::Any);
                }
            }
        }
    }

    /// Whether an outline with the loser to move may stand for a mate.
    fn may_be_mate(&self, outline: &Outline, check: Check) -> bool {
        let (us, them) = (self.winner as usize, self.winner.other() as usize);
        let (hunter, prey) = (outline.kings[us], outline.kings[them]);
        let corner = bit(prey);
        let by_pawns = pawn(outline.pawns[us], self.winner);
        let blocked = outline.pawns[0] | outline.pawns[1] | bit(hunter);
        let taken = outline.pawns[them] | self.haze(outline, self.winner.other()).stand();
        // Squares that only an officer of the winner's can deny the king.
        let holes = king(corner) & !by_pawns & !king(bit(hunter)) & !taken;
        if let Some((role, steps)) = self.single
            && !outline.promoted[us]
        {
            return each(steps & !blocked & !corner).any(|at| {
                let seen = officer(role, bit(at), !blocked);
                let hit = match check {
                    Check::Any => by_pawns | seen,
                    Check::From(from) => by_pawns | opened(&Haze::of(role, bit(at)), from, prey, !blocked),
                };
                hit & corner != 0 && holes & !seen == 0
            });
        }
        let haze = self.haze(outline, self.winner);
        let [lines, diagonals, jumps] = haze.sight(!blocked);
        let hit = match check {
            Check::Any => by_pawns | lines | diagonals | jumps,
            Check::From(from) => by_pawns | opened(&haze, from, prey, !blocked),
        };
        hit & corner != 0 && holes & !lines & !diagonals & !jumps == 0
    }
}

/// The king's square, when a line to it opens as a king or pawn leaves a square of that line.
fn opened(haze: &Haze, from: u32, prey: u32, open: Squares) -> Squares {
    let corner = bit(prey);
    let line = attacks::ray(Square::new(from), Square::new(prey)).0;
    let straight = from & 7 == prey & 7 || from >> 3 == prey >> 3;
    let (role, men) = if straight { (Role::Rook, haze.lines) } else { (Role::Bishop, haze.diagonals) };
    let seen = officer(role, corner, open);
    if seen & bit(from) != 0 && seen & line & men != 0 { corner } else { 0 }
}
