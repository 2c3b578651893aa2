//! A single guided line: where the winner has a major man or a pawn that becomes one, a mate is usually a walk away.
//!
//! The loser's king walks to the edge, the winner's king to the square opposite, and a major man gives check along the
//! edge; every check on the way is tried as well. Moves are chosen by looks, without looking at what they lead to, which
//! makes a whole line cheaper than a few steps of search. A line that fails costs little and proves nothing.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square, attacks};

use super::sets::{Squares, bit, each, king, officer};

/// Where the two kings are to meet.
#[derive(Clone, Copy)]
struct Meeting {
    prey: Square,
    hunter: Square,
}

/// What makes one attempt differ from another: nothing in the first, more and more in later ones.
struct Whim(u32);

impl Whim {
    fn next(&mut self) -> i32 {
        if self.0 == 0 {
            return 0;
        }
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 28) as i32
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
    let mut meeting = None;
    let mut last = [None; 2];
    let mut whim = Whim(attempt);
    for _ in 0..plies {
        let moves = position.legal_moves();
        let own = position.turn();
        let chosen = if own == winner {
            if let Some(m) = mating(&position, &moves, winner, nodes) {
                line.push(m);
                return Some(line);
            }
            let meeting = *meeting.get_or_insert_with(|| meet(&position, winner));
            moves.iter().copied().max_by_key(|m| hunt(&position, m, winner, meeting, last[1]) + whim.next())
        } else {
            let meeting = *meeting.insert(meet(&position, winner));
            moves.iter().copied().max_by_key(|m| help(&position, m, winner, meeting, last[0]) + whim.next())
        };
        let m = chosen?;
        last[usize::from(own == winner)] = m.from();
        position.play_unchecked(m);
        *nodes += 1;
        line.push(m);
    }
    None
}

/// A move that mates, among those that plainly give check.
fn mating(position: &Chess, moves: &[Move], winner: Color, nodes: &mut u64) -> Option<Move> {
    let board = position.board();
    let prey = board.king_of(winner.other())?;
    let (corner, empty) = (bit(prey as u32), !board.occupied().0);
    let straight = attacks::rook_attacks(prey, Bitboard(!empty)).0;
    let slanting = attacks::bishop_attacks(prey, Bitboard(!empty)).0;
    let jumps = attacks::knight_attacks(prey).0;
    let steps = attacks::pawn_attacks(winner.other(), prey).0;
    moves.iter().copied().find(|m| {
        let from = match m {
            Move::Normal { role, .. } => match m.promotion().unwrap_or(*role) {
                Role::Queen => straight | slanting,
                Role::Rook => straight,
                Role::Bishop => slanting,
                Role::Knight => jumps,
                Role::Pawn => steps,
                Role::King => 0,
            },
            _ => 0,
        };
        if from & bit(m.to() as u32) == 0 || corner == 0 {
            return false;
        }
        *nodes += 1;
        let mut child = position.clone();
        child.play_unchecked(*m);
        child.is_checkmate()
    })
}

/// The nearest place on the edge where the kings may stand opposite each other.
fn meet(position: &Chess, winner: Color) -> Meeting {
    let board = position.board();
    let prey = board.king_of(winner.other()).unwrap_or(Square::A1);
    let hunter = board.king_of(winner).unwrap_or(Square::A1);
    let theirs = board.by_color(winner.other()).without(prey);
    let mut best = (u32::MAX, Meeting { prey, hunter });
    let mut consider = |at: Square, opposite: Option<Square>| {
        let Some(opposite) = opposite else { return };
        if theirs.contains(at) {
            return;
        }
        let (a, b) = (prey.distance(at), hunter.distance(opposite));
        let cost = a.max(b) * 8 + a + b;
        if cost < best.0 {
            best = (cost, Meeting { prey: at, hunter: opposite });
        }
    };
    for along in 0..8 {
        consider(Square::new(along), Some(Square::new(along + 16)));
        consider(Square::new(along + 56), Some(Square::new(along + 40)));
        consider(Square::new(along * 8), Some(Square::new(along * 8 + 2)));
        consider(Square::new(along * 8 + 7), Some(Square::new(along * 8 + 5)));
    }
    best.1
}

/// How good a move of the winner looks.
fn hunt(position: &Chess, m: &Move, winner: Color, meeting: Meeting, last: Option<Square>) -> i32 {
    let board = position.board();
    let ours = board.by_color(winner);
    let major = (ours & board.rooks_and_queens()).any();
    let prey = board.king_of(winner.other()).unwrap_or(meeting.prey);
    let mut looks = match m.capture() {
        Some(Role::Pawn) => 2,
        Some(_) => 12,
        None => 0,
    };
    let to = m.to();
    looks += match m.role() {
        Role::King => {
            let from = m.from().unwrap_or(to);
            (from.distance(meeting.hunter) as i32 - to.distance(meeting.hunter) as i32) * 10
        }
        Role::Pawn if !major => {
            let promotion = if m.promotion() == Some(Role::Queen) { 60 } else { 0 };
            let rank = if winner.is_white() { to.rank().to_u32() } else { 7 - to.rank().to_u32() };
            16 + rank as i32 * 2 + promotion
        }
        Role::Pawn => i32::from(m.promotion() == Some(Role::Queen)) * 6 - 4,
        _ => 0,
    };
    if attacks::king_attacks(prey).contains(to) && m.role() != Role::King {
        looks -= 20;
    }
    if last == m.from() {
        looks += 1;
    }
    looks
}

/// How good a move of the loser looks for the winner.
fn help(position: &Chess, m: &Move, winner: Color, meeting: Meeting, last: Option<Square>) -> i32 {
    let board = position.board();
    let mut looks = match m.capture() {
        Some(Role::Pawn) if (board.by_color(winner) & board.rooks_and_queens()).any() => -6,
        Some(_) => -40,
        None => 0,
    };
    let to = m.to();
    looks += match m.role() {
        Role::King => {
            let from = m.from().unwrap_or(to);
            (from.distance(meeting.prey) as i32 - to.distance(meeting.prey) as i32) * 10
        }
        Role::Pawn => -1 - i32::from(m.is_promotion()) * 8,
        role => {
            // A man that looks at the edge where the mate is to be would be in the way.
            let seen: Squares = officer(role, bit(to as u32), !board.occupied().0);
            let near = king(bit(meeting.prey as u32)) | bit(meeting.hunter as u32);
            -(each(seen & near).count() as i32)
        }
    };
    if last == m.from() {
        looks += 1;
    }
    looks
}
