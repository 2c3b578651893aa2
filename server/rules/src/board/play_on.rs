//! The position from which play goes on where no legal move led to the board: the men as they stand, and what no board shows of it.

use core::{num::NonZeroU32, ops::Range};

use shakmaty::{CastlingMode, Chess, Color, File, Piece, Position, PositionError, Rank, Role, Setup, Square};

use super::scan::{Kind, Scan};
use crate::{clock::Colour, game::Uci};

/// What no board shows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untold {
    /// The side to move.
    pub turn: Colour,
    /// Plies in a row without a capture or a pawn move (9.3, 9.6.2).
    pub halfmoves: u32,
    /// The number of the move.
    pub fullmoves: NonZeroU32,
    /// The square that a pawn has just passed over, where it can be taken in passing (3.7).
    pub passed: Option<Square>,
}

/// The men of a board with what it does not show. Castling stays possible where it was and king and rook stand at home.
#[must_use]
pub fn setup(board: &Scan, before: &Chess, untold: Untold) -> Setup {
    let mut setup = Setup::empty();
    setup.board = board.men_on_it();
    (setup.turn, setup.ep_square) = (untold.turn.into(), untold.passed);
    (setup.halfmoves, setup.fullmoves) = (untold.halfmoves, untold.fullmoves);
    let home = |colour: Color, rook: Square| {
        let king = Square::from_coords(File::E, colour.backrank());
        let stands = |square, role| setup.board.piece_at(square) == Some(Piece { color: colour, role });
        rook.rank() == colour.backrank() && stands(king, Role::King) && stands(rook, Role::Rook)
    };
    let rights = before.castles().castling_rights().into_iter();
    let rights = rights.filter(|&rook| home(Color::White, rook) || home(Color::Black, rook)).collect();
    setup.castling_rights = rights;
    setup
}

/// The position that would be: `None` where it is no position of chess, since a king could be taken or a pawn stands on the first or
/// last rank.
#[must_use]
pub fn position(setup: Setup) -> Option<Chess> {
    let found = setup.position(CastlingMode::Standard);
    let found = found.or_else(PositionError::ignore_too_much_material).or_else(PositionError::ignore_impossible_check);
    found.or_else(PositionError::ignore_invalid_ep_square).ok()
}

/// How many plies without a capture or a pawn move there are in a row, with this one from `before` to `board`: men that were only
/// displaced are no move. Of a move that no two squares tell, the men themselves say it; who only pressed made none.
#[must_use]
pub fn quiet_plies(before: &Scan, board: &Scan, uci: Uci, halfmoves: u32) -> u32 {
    let counts = match squares(uci) {
        Some((from, to)) => is_pawn(before, from) || before.at(to as u8).is_some(),
        None => {
            board.men() < before.men() || Square::ALL.into_iter().any(|at| is_pawn(before, at) != is_pawn(board, at))
        }
    };
    match counts {
        _ if uci == Uci::NONE => halfmoves,
        true => 0,
        false => halfmoves.saturating_add(1),
    }
}

/// The square that a pawn passed over: it went two squares from its own, whether or not it was allowed to (3.7).
#[must_use]
pub fn passed(before: &Scan, board: &Scan, uci: Uci) -> Option<Square> {
    let (from, to) = squares(uci).filter(|&(from, _)| is_pawn(before, from))?;
    let middle = match (from.rank(), to.rank()) {
        (Rank::Second, Rank::Fourth) => Rank::Third,
        (Rank::Seventh, Rank::Fifth) => Rank::Sixth,
        _ => return None,
    };
    let over = Square::from_coords(from.file(), middle);
    (from.file() == to.file() && is_pawn(board, to) && board.at(over as u8).is_none()).then_some(over)
}

/// The squares that a move left and entered, where it tells them.
fn squares(uci: Uci) -> Option<(Square, Square)> {
    let text = uci.as_str();
    let square = |at: Range<usize>| text.get(at).and_then(|name| Square::from_ascii(name.as_bytes()).ok());
    square(0..2).zip(square(2..4))
}

fn is_pawn(board: &Scan, square: Square) -> bool {
    board.at(square as u8).is_some_and(|man| man.kind == Kind::Pawn)
}
