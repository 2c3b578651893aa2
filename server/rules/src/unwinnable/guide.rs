//! A single guided line: where the winner has a major man or a pawn that becomes one, a mate is usually a walk away.
//!
//! The loser's king walks to the edge, the winner's king to the square opposite, and a major man gives check along the
//! edge; every check on the way is tried as well. Moves are chosen by looks, without looking at what they lead to, which
//! makes a whole line cheaper than a few steps of search. A line that fails costs little and proves nothing.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use super::sets::{Squares, bit, king};

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
            let view = View::new(&position, winner, meeting, last[1]);
            moves.iter().copied().max_by_key(|m| view.hunt(m) + whim.next())
        } else {
            let meeting = *meeting.insert(meet(&position, winner));
            let view = View::new(&position, winner, meeting, last[0]);
            moves.iter().copied().max_by_key(|m| view.help(m) + whim.next())
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
    let occupied = board.occupied();
    let straight = attacks::rook_attacks(prey, occupied).0;
    let slanting = attacks::bishop_attacks(prey, occupied).0;
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
        if from & bit(m.to() as u32) == 0 {
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

/// What the looks of every move of one ply depend on.
struct View {
    winner: Color,
    meeting: Meeting,
    /// The winner has a major man.
    major: bool,
    /// The squares that the loser's king attacks.
    reach: Bitboard,
    /// Squares of the mate to be, where the loser's officers are in the way.
    stage: Squares,
    empty: Squares,
    /// What moved before goes on moving.
    last: Option<Square>,
}

impl View {
    fn new(position: &Chess, winner: Color, meeting: Meeting, last: Option<Square>) -> View {
        let board = position.board();
        View {
            winner,
            meeting,
            major: (board.by_color(winner) & board.rooks_and_queens()).any(),
            reach: attacks::king_attacks(board.king_of(winner.other()).unwrap_or(meeting.prey)),
            stage: king(bit(meeting.prey as u32)) | bit(meeting.hunter as u32),
            empty: !board.occupied().0,
            last,
        }
    }

    /// How good a move of the winner looks.
    fn hunt(&self, m: &Move) -> i32 {
        let to = m.to();
        let from = m.from().unwrap_or(to);
        let taken = match m.capture() {
            Some(Role::Pawn) => 2,
            Some(_) => 12,
            None => 0,
        };
        let looks = match m.role() {
            Role::King => nearer(from, to, self.meeting.hunter),
            Role::Pawn if !self.major => {
                let rank = if self.winner.is_white() { to as u32 >> 3 } else { 7 - (to as u32 >> 3) };
                let promotion = if m.promotion() == Some(Role::Queen) { 60 } else { 0 };
                16 + rank as i32 * 2 + promotion
            }
            Role::Pawn => i32::from(m.promotion() == Some(Role::Queen)) * 6 - 4,
            _ => 0,
        };
        let exposed = m.role() != Role::King && self.reach.contains(to);
        taken + looks - i32::from(exposed) * 20 + i32::from(self.last == Some(from))
    }

    /// How good a move of the loser looks for the winner.
    fn help(&self, m: &Move) -> i32 {
        let to = m.to();
        let from = m.from().unwrap_or(to);
        let taken = match m.capture() {
            Some(Role::Pawn) if self.major => 6,
            Some(_) => 40,
            None => 0,
        };
        let looks = match m.role() {
            Role::King => nearer(from, to, self.meeting.prey),
            Role::Pawn => -1 - i32::from(m.is_promotion()) * 8,
            role => {
                let piece = Piece { color: self.winner.other(), role };
                let seen = attacks::attacks(to, piece, Bitboard(!self.empty)).0;
                -((seen & self.stage).count_ones() as i32)
            }
        };
        looks - taken + i32::from(self.last == Some(from))
    }
}

fn nearer(from: Square, to: Square, goal: Square) -> i32 {
    (from.distance(goal) as i32 - to.distance(goal) as i32) * 10
}
