//! The moves of article 3 on a board that is no position of chess: men that stand where play has gone on from. A pawn that was left on
//! the last rank stays where it is and attacks nothing; a king that could be taken is not.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, CastlingSide, Color, File, Piece, Rank, Role, Setup, Square, attacks};

use super::Scan;

/// The player to move has no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// His king is in check.
    Mated,
    /// It is not.
    Stalemated,
}

/// Whether the player to move has no legal move. Castling is never the only one: the rook could move there alone.
#[must_use]
pub fn stuck(men: &Setup) -> Option<Stuck> {
    let checked = attacked(&men.board, men.turn)?;
    let none = carried(men).iter().all(|board| attacked(board, men.turn) != Some(false));
    none.then_some(if checked { Stuck::Mated } else { Stuck::Stalemated })
}

/// A legal move by the player to move leads to this board.
#[must_use]
pub fn leads_to(men: &Setup, board: &Scan) -> bool {
    let board = board.men_on_it();
    let safe = attacked(&board, men.turn) == Some(false);
    safe && (carried(men).contains(&board) || castled(men).contains(&board))
}

/// A king of this colour is attacked; `None`: there is none.
fn attacked(board: &Board, colour: Color) -> Option<bool> {
    let king = board.king_of(colour)?;
    Some(board.attacks_to(king, colour.other(), board.occupied()).any())
}

/// The boards after every move but castling, whether or not the mover's own king is then attacked.
fn carried(men: &Setup) -> Vec<Board> {
    let mut boards = Vec::new();
    for from in men.board.by_color(men.turn) {
        let Some(piece) = men.board.piece_at(from) else { continue };
        for to in goals(men, from, piece) {
            let mut board = men.board.clone();
            board.discard_piece_at(from);
            if piece.role == Role::Pawn && men.ep_square == Some(to) && to.file() != from.file() {
                board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
            }
            let last = piece.role == Role::Pawn && to.rank() == men.turn.relative_rank(Rank::Eighth);
            let (same, promoted) = ([piece.role], [Role::Queen, Role::Rook, Role::Bishop, Role::Knight]);
            for &role in if last { &promoted[..] } else { &same[..] } {
                let mut board = board.clone();
                board.set_piece_at(to, Piece { role, ..piece });
                boards.push(board);
            }
        }
    }
    boards
}

/// The squares that a man may be carried to.
fn goals(men: &Setup, from: Square, piece: Piece) -> Bitboard {
    let (own, theirs) = (men.board.by_color(men.turn), men.board.by_color(men.turn.other()));
    let prey = theirs & !men.board.kings();
    let attacks = men.board.attacks_from(from);
    if piece.role != Role::Pawn {
        return attacks & (prey | !(own | theirs));
    }
    let ahead = |square: Square| {
        let step = men.turn.fold_wb(8, -8);
        square.offset(step).filter(|&next| men.board.piece_at(next).is_none())
    };
    let one = ahead(from);
    let two = one.filter(|_| from.rank() == men.turn.relative_rank(Rank::Second)).and_then(ahead);
    let passed = men.ep_square.filter(|square| men.board.piece_at(*square).is_none());
    let steps = Bitboard::from_iter(one.into_iter().chain(two));
    steps | attacks & (prey | Bitboard::from_iter(passed))
}

/// The boards after castling, where king and rook still may and nothing stands or looks between them.
fn castled(men: &Setup) -> Vec<Board> {
    let back = men.turn.backrank();
    let king = Square::from_coords(File::E, back);
    let side = |rook: Square| {
        let side = if rook > king { CastlingSide::KingSide } else { CastlingSide::QueenSide };
        let (to, over) = (side.king_to(men.turn), side.rook_to(men.turn));
        let free = attacks::between(king, rook).is_disjoint(men.board.occupied());
        let looked_at = [king, over, to].into_iter().any(|square| {
            let attackers = men.board.attacks_to(square, men.turn.other(), men.board.occupied());
            attackers.any()
        });
        (free && !looked_at).then(|| {
            let mut board = men.board.clone();
            board.discard_piece_at(king);
            board.discard_piece_at(rook);
            board.set_piece_at(to, Role::King.of(men.turn));
            board.set_piece_at(over, Role::Rook.of(men.turn));
            board
        })
    };
    (men.castling_rights & Bitboard::from_rank(back)).into_iter().filter_map(side).collect()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen};

    use super::*;
    use crate::board::infer;

    /// What [`Chess`] makes of a position is what is made of its men here.
    #[test]
    fn positions_of_chess_have_their_own_moves() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
            "4k3/8/8/8/8/8/6r1/R3K2R w KQ - 0 1",
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        ] {
            let position: Chess =
                Fen::from_ascii(fen.as_bytes()).expect("FEN").into_position(CastlingMode::Standard).expect("legal");
            let men = position.to_setup(EnPassantMode::Always);
            let legal: Vec<_> = position
                .legal_moves()
                .iter()
                .map(|&m| {
                    let mut next = position.clone();
                    next.play_unchecked(m);
                    infer::scan(&next)
                })
                .collect();
            assert!(legal.iter().all(|board| leads_to(&men, board)), "{fen}");
            let made = carried(&men).into_iter().filter(|board| attacked(board, men.turn) == Some(false)).count();
            assert_eq!(made + castled(&men).len(), legal.len(), "{fen}");
            let end = (position.is_checkmate().then_some(Stuck::Mated))
                .or_else(|| position.is_stalemate().then_some(Stuck::Stalemated));
            assert_eq!(stuck(&men), end, "{fen}");
        }
    }
}
