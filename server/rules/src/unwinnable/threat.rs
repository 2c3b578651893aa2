//! How near the winner is to mating the king where it stands, counted in moves that have yet to be made by either side.

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::sets::{Squares, bit, each, forward, king, officer, pawn};

/// The winner has no officer that could give check.
const NO_CHECK: u32 = 12;

/// What is wrong with the winner's best check: moves it takes to get there, men in its line, squares the king may flee to,
/// ways to take the checker or to close the line. 0 is, but for pins, a mate on the move.
pub(super) fn defects(board: &Board, winner: Color, prey: Square) -> u32 {
    let scene = Scene::new(board, winner, prey);
    let mut best = NO_CHECK;
    for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
        let men = scene.ours & board.by_role(role).0;
        if men == 0 {
            continue;
        }
        let first = each(men).fold(0, |all, from| all | seen(role, from, scene.empty)) & !scene.ours;
        let second = if best > 1 { officer(role, first, scene.empty) & !scene.ours } else { 0 };
        let lines = seen(role, prey as u32, !0) & !men;
        for (squares, moves) in [(first, 0), (second & !first, 1), (!second & !first & !scene.ours, 2)] {
            if moves >= best {
                break;
            }
            for square in each(squares & lines) {
                best = best.min(moves + scene.left_by(role, square, moves == 0));
            }
        }
    }
    best
}

struct Scene<'a> {
    board: &'a Board,
    winner: Color,
    prey: Square,
    corner: Squares,
    ours: Squares,
    empty: Squares,
    holes: Squares,
    pawns_take: Squares,
    officers_take: Squares,
    pawns_close: Squares,
}

impl<'a> Scene<'a> {
    fn new(board: &'a Board, winner: Color, prey: Square) -> Scene<'a> {
        let (ours, theirs) = (board.by_color(winner).0, board.by_color(winner.other()).0);
        let (empty, corner) = (!board.occupied().0, bit(prey as u32));
        let ring = king(corner) & !theirs;
        let covered = officers(board, winner, empty | corner)
            | pawn(ours & board.pawns().0, winner)
            | king(ours & board.kings().0);
        let pawns = theirs & board.pawns().0;
        Scene {
            board,
            winner,
            prey,
            corner,
            ours,
            empty,
            holes: ring & !covered,
            pawns_take: pawn(pawns, winner.other()),
            officers_take: officers(board, winner.other(), empty),
            pawns_close: forward(pawns, winner.other()),
        }
    }

    /// What a check by this kind of man from this square leaves open.
    fn left_by(&self, role: Role, square: u32, at_once: bool) -> u32 {
        let at = bit(square);
        let line = attacks::between(Square::new(square), self.prey).0;
        let in_line = (line & !self.empty).count_ones();
        let seen = seen(role, square, self.empty | self.corner | line);
        let mut left = in_line + (self.holes & !seen & !at).count_ones();
        left += if self.pawns_take & at != 0 { 2 } else { u32::from(self.officers_take & at != 0) };
        left += u32::from(line & (self.officers_take | self.pawns_close) != 0);
        if king(self.corner) & at != 0 {
            let guards = self.board.attacks_to(Square::new(square), self.winner, Bitboard(!self.empty)).count();
            left += u32::from(guards <= usize::from(at_once));
        }
        left
    }
}

/// What one officer attacks.
fn seen(role: Role, from: u32, open: Squares) -> Squares {
    let (from, stops) = (Square::new(from & 63), Bitboard(!open));
    match role {
        Role::Knight => attacks::knight_attacks(from).0,
        Role::Bishop => attacks::bishop_attacks(from, stops).0,
        Role::Rook => attacks::rook_attacks(from, stops).0,
        _ => attacks::queen_attacks(from, stops).0,
    }
}

/// What officers attack.
fn officers(board: &Board, color: Color, open: Squares) -> Squares {
    let men = board.by_color(color);
    let mut all = officer(Role::Knight, (men & board.knights()).0, open);
    for from in men & board.rooks_and_queens() {
        all |= seen(Role::Rook, from as u32, open);
    }
    for from in men & board.bishops_and_queens() {
        all |= seen(Role::Bishop, from as u32, open);
    }
    all
}
