//! Where each man of the side to move may go, as sets.
//!
//! A guided line wants one good move and not a list of all, so whole sets are weighed and only the chosen move is made.
//! Castling and taking in passing are left out: a line that needs them is left to the search.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role, Square, attacks};

use super::sets::{Squares, bit, each, forward, king, knight, last_rank, officer, pawn, pawn_rank};

/// Men besides the king that are looked at: as many as a game leaves a side. Of a composed crowd the rest stay put.
const MEN: usize = 15;

/// A man that is no king, and where it may go.
#[derive(Clone, Copy)]
pub(super) struct Man {
    pub(super) role: Role,
    pub(super) from: Square,
    pub(super) goals: Squares,
}

/// The moves of the side to move.
pub(super) struct Reach<'a> {
    pub(super) board: &'a Board,
    /// The side to move.
    pub(super) own: Color,
    pub(super) king: Square,
    /// Where the king may go.
    pub(super) flights: Squares,
    men: [Man; MEN],
    count: usize,
}

impl<'a> Reach<'a> {
    #[inline]
    pub(super) fn new(position: &'a Chess) -> Option<Reach<'a>> {
        let (board, own) = (position.board(), position.turn());
        let king = board.king_of(own)?;
        let ours = board.by_color(own);
        let danger = attacked(board, own.other(), board.occupied().without(king), !0);
        let flights = attacks::king_attacks(king).0 & !ours.0 & !danger;
        let nobody = Man { role: Role::Pawn, from: king, goals: 0 };
        let mut reach = Reach { board, own, king, flights, men: [nobody; MEN], count: 0 };
        let targets = !ours.0 & ending(position.checkers(), king);
        let pinned = if targets == 0 { 0 } else { pinned(board, own, king) };
        for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
            for from in each((ours & board.by_role(role)).0).map(Square::new) {
                let line = if pinned & bit(from as u32) == 0 { !0 } else { attacks::ray(king, from).0 };
                let goals = moves(board, own, role, from) & targets & line;
                if goals != 0 && reach.count < MEN {
                    reach.men[reach.count] = Man { role, from, goals };
                    reach.count += 1;
                }
            }
        }
        Some(reach)
    }

    /// Men that can move, those of a kind together.
    pub(super) fn men(&self) -> &[Man] {
        &self.men[..self.count]
    }

    /// The move; a pawn becomes a queen.
    pub(super) fn to(&self, role: Role, from: Square, to: Square) -> Move {
        let promotes = role == Role::Pawn && bit(to as u32) & last_rank(self.own) != 0;
        Move::Normal { role, from, capture: self.board.role_at(to), to, promotion: promotes.then_some(Role::Queen) }
    }
}

/// Where other men than the king may go, for all that these checkers leave them.
fn ending(checkers: Bitboard, king: Square) -> Squares {
    match checkers.single_square() {
        Some(checker) => attacks::between(king, checker).0 | bit(checker as u32),
        None if checkers.is_empty() => !0,
        None => 0,
    }
}

/// Where a man goes when nothing but the men in its way matters; its own side's are not excepted.
fn moves(board: &Board, own: Color, role: Role, from: Square) -> Squares {
    let occupied = board.occupied();
    if role != Role::Pawn {
        return seen(role, from, occupied);
    }
    let at = bit(from as u32);
    let one = forward(at, own) & !occupied.0;
    let two = if at & pawn_rank(own) == 0 { 0 } else { forward(one, own) & !occupied.0 };
    one | two | pawn(at, own) & board.by_color(own.other()).0
}

/// Men of a side that keep a check from their king.
fn pinned(board: &Board, own: Color, king: Square) -> Squares {
    let theirs = board.by_color(own.other());
    let snipers = attacks::rook_attacks(king, theirs) & board.rooks_and_queens()
        | attacks::bishop_attacks(king, theirs) & board.bishops_and_queens();
    let alone = (snipers & theirs).into_iter().filter_map(|sniper| {
        let between = attacks::between(king, sniper) & board.occupied();
        between.single_square()
    });
    alone.fold(0, |pinned, man| pinned | bit(man as u32))
}

/// What an officer attacks.
pub(super) fn seen(role: Role, from: Square, occupied: Bitboard) -> Squares {
    let seen = match role {
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, occupied),
        Role::Rook => attacks::rook_attacks(from, occupied),
        _ => attacks::queen_attacks(from, occupied),
    };
    seen.0
}

/// From where an officer attacks any of some squares.
pub(super) fn sources(role: Role, goals: Squares, occupied: Bitboard) -> Squares {
    match goals.count_ones() {
        // Looking attacks up is cheaper than filling the board until there are several.
        0..=2 => each(goals).fold(0, |all, goal| all | seen(role, Square::new(goal), occupied)),
        _ => officer(role, goals, !occupied.0),
    }
}

/// What those of a side's men that are in a set attack, were only these squares occupied.
pub(super) fn attacked(board: &Board, color: Color, occupied: Bitboard, men: Squares) -> Squares {
    let men = board.by_color(color) & Bitboard(men);
    let steps =
        pawn((men & board.pawns()).0, color) | knight((men & board.knights()).0) | king((men & board.kings()).0);
    let slanting =
        each((men & board.bishops_and_queens()).0).map(|from| seen(Role::Bishop, Square::new(from), occupied));
    let straight = each((men & board.rooks_and_queens()).0).map(|from| seen(Role::Rook, Square::new(from), occupied));
    slanting.chain(straight).fold(steps, |all, seen| all | seen)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    fn listed(reach: &Reach) -> Vec<Move> {
        let king = Man { role: Role::King, from: reach.king, goals: reach.flights };
        let men = reach.men().iter().chain([&king]);
        let moves = men.flat_map(|man| each(man.goals).map(|to| reach.to(man.role, man.from, Square::new(to))));
        moves.collect()
    }

    fn agrees(position: &Chess) {
        let mut expected = position.legal_moves();
        expected.retain(|m| matches!(m, Move::Normal { promotion: None | Some(Role::Queen), .. }));
        let found = listed(&Reach::new(position).expect("two kings"));
        assert_eq!(found.len(), expected.len(), "{position:?}");
        assert!(expected.iter().all(|m| found.contains(m)), "{position:?}");
    }

    #[test]
    fn sets_hold_the_legal_moves() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        ];
        for fen in fens {
            let setup: Fen = fen.parse().expect("a position");
            let root: Chess = setup.into_position(CastlingMode::Standard).expect("a legal one");
            for first in root.legal_moves() {
                let reply = root.clone().play(first).expect("a legal move");
                agrees(&reply);
                for second in reply.legal_moves() {
                    agrees(&reply.clone().play(second).expect("a legal move"));
                }
            }
        }
    }
}
