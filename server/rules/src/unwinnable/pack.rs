//! A position in 34 bytes, for tables that hold millions.

use core::num::NonZeroU32;

use shakmaty::{Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, FromSetup, Position, Setup};

/// A position packed into four planes: colour, and three bits for the role. The counters of moves are left out: they do
/// not bear on what is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    planes: [u64; 4],
    /// Bit 0: Black to move. Bits 1–4: castling. Bits 5–8: the file of a legal capture in passing, plus one.
    state: u16,
}

/// What packing leaves out because it is the same for every position of one search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    mode: CastlingMode,
    rooks: [Option<Bitboard>; 4],
}

impl Frame {
    /// The frame of every position that can arise from this one.
    pub(super) fn of(position: &Chess) -> Frame {
        let mut rooks = [None; 4];
        for (index, square) in position.castles().castling_rights().into_iter().enumerate().take(4) {
            rooks[index] = Some(Bitboard::from_square(square));
        }
        Frame { mode: position.castles().mode(), rooks }
    }

    /// Packs a position.
    pub(super) fn pack(&self, position: &Chess) -> Packed {
        let (roles, colors) = position.board().clone().into_bitboards();
        let mut state = u16::from(position.turn() == Color::Black);
        if position.castles().any() {
            let rights = position.castles().castling_rights();
            for (index, rook) in self.rooks.iter().enumerate() {
                if rook.is_some_and(|rook| rook.intersects(rights)) {
                    state |= 2 << index;
                }
            }
        }
        if position.maybe_ep_square().is_some()
            && let Some(square) = position.legal_ep_square()
        {
            state |= (square.file().to_u32() as u16 + 1) << 5;
        }
        let planes = [
            colors.white.0,
            (roles.pawn | roles.bishop | roles.queen).0,
            (roles.knight | roles.bishop | roles.king).0,
            (roles.rook | roles.queen | roles.king).0,
        ];
        Packed { planes, state }
    }

    /// The position again; `None` only of what was never packed from a position.
    pub(super) fn unpack(&self, packed: &Packed) -> Option<Chess> {
        let [white, a, b, c] = packed.planes;
        let role = ByRole {
            pawn: Bitboard(a & !b & !c),
            knight: Bitboard(b & !a & !c),
            bishop: Bitboard(a & b & !c),
            rook: Bitboard(c & !a & !b),
            queen: Bitboard(a & c & !b),
            king: Bitboard(b & c & !a),
        };
        let color = ByColor { white: Bitboard(white), black: Bitboard((a | b | c) & !white) };
        let mut setup = Setup::empty();
        setup.board = Board::try_from_bitboards(role, color).ok()?;
        setup.turn = Color::from_black(packed.state & 1 != 0);
        for (index, rook) in self.rooks.iter().enumerate() {
            if packed.state & (2 << index) != 0 {
                setup.castling_rights |= (*rook)?;
            }
        }
        if let Some(file) = (packed.state >> 5).checked_sub(1) {
            let rank = setup.turn.relative_rank(shakmaty::Rank::Sixth);
            setup.ep_square = Some(shakmaty::Square::from_coords(shakmaty::File::new(u32::from(file)), rank));
        }
        setup.fullmoves = NonZeroU32::MIN;
        Chess::from_setup(setup, self.mode)
            .or_else(shakmaty::PositionError::ignore_too_much_material)
            .or_else(shakmaty::PositionError::ignore_impossible_check)
            .ok()
    }
}

impl Packed {
    /// A hash that spreads positions that differ little.
    pub(super) fn hash(&self) -> u64 {
        let mut hash = u64::from(self.state).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for plane in self.planes {
            hash = (hash.rotate_left(23) ^ plane).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use shakmaty::{EnPassantMode, fen::Fen};

    use super::*;

    #[test]
    fn a_position_comes_back_as_it_was() {
        for fen in [
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
            "8/8/8/8/k2Pp3/8/8/3KNBRQ b - d3 0 1",
            "qrbn1k2/1p6/8/8/8/8/6P1/2K1NBRQ b - - 0 1",
        ] {
            let parsed: Fen = fen.parse().expect("a FEN");
            let position: Chess = parsed.into_position(CastlingMode::Standard).expect("a position");
            let frame = Frame::of(&position);
            let back = frame.unpack(&frame.pack(&position)).expect("unpacks");
            assert_eq!(Fen::from_position(&back, EnPassantMode::Legal).to_string(), fen);
        }
    }
}
