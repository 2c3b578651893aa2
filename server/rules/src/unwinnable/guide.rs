//! A single guided line: where the winner has a major man or a pawn that becomes one, a mate is usually a walk away.
//!
//! Before each move of the loser the nearest mate is pictured anew, and both sides move towards it. Moves are chosen by
//! looks, without looking at what they lead to, which makes a whole line cheaper than a few steps of search. A line that
//! walks in circles, or into a stalemate, goes on by chance. One that fails costs little and proves nothing.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position, Role, Square, attacks};

use super::{
    choice,
    looks::Looks,
    picture,
    reach::{Man, Reach, attacked, seen},
    sets::{Squares, bit, each, last_rank},
};

/// Positions remembered to notice a circle.
const TRAIL: usize = 16;

/// Plies left to chance once a line does not get on.
const ASTRAY: usize = 8;

/// What makes one line differ from another: nothing in the first until it gets stuck, everything in later ones.
struct Whim {
    state: u64,
    until: usize,
}

impl Whim {
    fn new(attempt: u32) -> Whim {
        let until = if attempt == 0 { 0 } else { usize::MAX };
        Whim { state: (u64::from(attempt) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), until }
    }

    fn wake(&mut self, ply: usize) {
        self.until = self.until.max(ply + ASTRAY);
    }

    fn looks(&mut self, ply: usize) -> Looks {
        if ply < self.until { Looks::uneven(&mut self.state) } else { Looks::even() }
    }
}

/// A line of at most `plies` moves that ends in mate by `winner`, if guessing finds one; counts what it looked at.
pub(super) fn walk(root: &Chess, winner: Color, plies: usize, attempt: u32, nodes: &mut u64) -> Option<Vec<Move>> {
    let able = root.board().by_color(winner) & (root.board().rooks_and_queens() | root.board().pawns());
    if able.is_empty() {
        return None;
    }
    let mut position = root.clone();
    let mut line = Vec::with_capacity(plies);
    let mut whim = Whim::new(attempt);
    let mut trail = [0; TRAIL];
    let mut last = [None; 2];
    let mut picture = None;
    for ply in 0..plies {
        let hunting = position.turn() == winner;
        let print = print(&position);
        if trail.contains(&print) {
            whim.wake(ply);
        }
        trail[ply % TRAIL] = print;
        let reach = Reach::new(&position)?;
        if hunting && let Some(m) = mating(&position, &reach, nodes) {
            line.push(m);
            return Some(line);
        }
        if !hunting || picture.is_none() {
            picture = picture::nearest(position.board(), winner);
        }
        let choose = if hunting { choice::hunt } else { choice::help };
        let Some(m) = choose(&reach, &picture?, whim.looks(ply), last[usize::from(hunting)]) else {
            if position.is_checkmate() && !hunting {
                return Some(line);
            }
            // Stalemate: the winner's last move is taken back, and another one will not end the game.
            line.pop()?;
            position = replayed(root, &line);
            whim.wake(ply);
            continue;
        };
        last[usize::from(hunting)] = Some(m.to());
        position.play_unchecked(m);
        *nodes += 1;
        line.push(m);
    }
    None
}

/// The position after some moves.
fn replayed(root: &Chess, line: &[Move]) -> Chess {
    line.iter().fold(root.clone(), |mut position, &m| {
        position.play_unchecked(m);
        position
    })
}

/// Tells positions of one line apart, nearly always.
fn print(position: &Chess) -> u64 {
    position.board().white().0 ^ position.board().black().0.rotate_left(7)
}

/// A move that mates. Those that leave the king a square to flee to are passed over without being made.
fn mating(position: &Chess, reach: &Reach, nodes: &mut u64) -> Option<Move> {
    let (board, winner) = (reach.board, reach.own);
    let theirs = board.by_color(winner.other());
    let prey = (theirs & board.kings()).first()?;
    let bared = board.occupied().without(prey);
    let ring = attacks::king_attacks(prey).0;
    let mut covered = None;
    for &Man { role, from, goals } in reach.men() {
        for to in each(goals & checks(reach, prey, role)) {
            let (at, to) = (bit(to), Square::new(to));
            let covered = *covered.get_or_insert_with(|| attacked(board, winner, bared, !0));
            let rest = bared.without(from);
            let seen = if role == Role::Pawn { ring } else { seen(role, to, rest) };
            if ring & !theirs.0 & !covered & !seen & !at != 0 {
                continue;
            }
            if ring & at != 0 && (board.attacks_to(to, winner, rest) & rest).is_empty() {
                continue;
            }
            *nodes += 1;
            let m = reach.to(role, from, to);
            let mut child = position.clone();
            child.play_unchecked(m);
            if child.is_checkmate() {
                return Some(m);
            }
        }
    }
    None
}

/// Squares from which a man gives check, the one that a pawn becomes included.
fn checks(reach: &Reach, prey: Square, role: Role) -> Squares {
    let occupied = reach.board.occupied();
    if role != Role::Pawn {
        return seen(role, prey, occupied);
    }
    let as_queen = attacks::queen_attacks(prey, occupied).0 & last_rank(reach.own);
    attacks::pawn_attacks(reach.own.other(), prey).0 & !last_rank(reach.own) | as_queen
}
