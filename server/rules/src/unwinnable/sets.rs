//! Moves of whole sets of squares at once: bit 0 is a1, bit 63 is h8.
//!
//! The blocked-structure analysis asks where a man may stand some day, so it moves sets, not men; one set operation
//! replaces a walk over up to 64 squares.

use shakmaty::{Color, Role};

/// A set of squares.
pub(super) type Squares = u64;

const FILE_A: Squares = 0x0101_0101_0101_0101;
const FILE_H: Squares = FILE_A << 7;
const NOT_A: Squares = !FILE_A;
const NOT_H: Squares = !FILE_H;
const NOT_AB: Squares = !(FILE_A | FILE_A << 1);
const NOT_GH: Squares = !(FILE_H | FILE_H >> 1);

/// The set with one square.
pub(super) const fn bit(square: u32) -> Squares {
    1 << (square & 63)
}

/// The squares of a set, lowest first.
pub(super) fn each(set: Squares) -> impl Iterator<Item = u32> {
    let mut rest = set;
    core::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        Some(square)
    })
}

/// The file a square is on.
pub(super) const fn file(square: u32) -> Squares {
    FILE_A << (square & 7)
}

/// The rank on which men of this colour promote.
pub(super) const fn last_rank(color: Color) -> Squares {
    match color {
        Color::White => 0xff << 56,
        Color::Black => 0xff,
    }
}

/// The rank on which pawns of this colour begin.
pub(super) const fn pawn_rank(color: Color) -> Squares {
    match color {
        Color::White => 0xff << 8,
        Color::Black => 0xff << 48,
    }
}

/// One step forward.
pub(super) const fn forward(set: Squares, color: Color) -> Squares {
    match color {
        Color::White => set << 8,
        Color::Black => set >> 8,
    }
}

/// Every square in front of a square on its own file.
pub(super) const fn ahead(square: u32, color: Color) -> Squares {
    let below = bit(square) - 1;
    file(square)
        & match color {
            Color::White => !(below | bit(square)),
            Color::Black => below,
        }
}

/// What pawns attack.
pub(super) const fn pawn(set: Squares, color: Color) -> Squares {
    match color {
        Color::White => ((set & NOT_A) << 7) | ((set & NOT_H) << 9),
        Color::Black => ((set & NOT_A) >> 9) | ((set & NOT_H) >> 7),
    }
}

/// What kings attack.
pub(super) const fn king(set: Squares) -> Squares {
    let beside = ((set & NOT_A) >> 1) | ((set & NOT_H) << 1);
    let row = set | beside;
    beside | (row << 8) | (row >> 8)
}

/// What knights attack.
pub(super) const fn knight(set: Squares) -> Squares {
    let one = ((set & NOT_A) >> 1) | ((set & NOT_H) << 1);
    let two = ((set & NOT_AB) >> 2) | ((set & NOT_GH) << 2);
    (one << 16) | (one >> 16) | (two << 8) | (two >> 8)
}

/// What rooks attack when only `open` squares let them pass: everything up to and including the first other square.
pub(super) const fn rook(set: Squares, open: Squares) -> Squares {
    slide_up(set, open, 8, !0)
        | slide_down(set, open, 8, !0)
        | slide_up(set, open, 1, NOT_A)
        | slide_down(set, open, 1, NOT_H)
}

/// What bishops attack when only `open` squares let them pass.
pub(super) const fn bishop(set: Squares, open: Squares) -> Squares {
    slide_up(set, open, 9, NOT_A)
        | slide_up(set, open, 7, NOT_H)
        | slide_down(set, open, 9, NOT_H)
        | slide_down(set, open, 7, NOT_A)
}

/// What officers of this kind attack from any square of a set.
pub(super) const fn officer(role: Role, set: Squares, open: Squares) -> Squares {
    match role {
        Role::Knight => knight(set),
        Role::Bishop => bishop(set, open),
        Role::Rook => rook(set, open),
        Role::Queen => rook(set, open) | bishop(set, open),
        Role::King => king(set),
        Role::Pawn => 0,
    }
}

const fn slide_up(set: Squares, open: Squares, by: u32, edge: Squares) -> Squares {
    let mut run = set;
    let mut pass = open & edge;
    run |= pass & (run << by);
    pass &= pass << by;
    run |= pass & (run << (2 * by));
    pass &= pass << (2 * by);
    run |= pass & (run << (4 * by));
    (run << by) & edge
}

const fn slide_down(set: Squares, open: Squares, by: u32, edge: Squares) -> Squares {
    let mut run = set;
    let mut pass = open & edge;
    run |= pass & (run >> by);
    pass &= pass >> by;
    run |= pass & (run >> (2 * by));
    pass &= pass >> (2 * by);
    run |= pass & (run >> (4 * by));
    (run >> by) & edge
}

#[cfg(test)]
mod tests {
    use shakmaty::{Bitboard, Piece, Square, attacks};

    use super::*;

    #[test]
    fn sets_of_one_square_move_as_single_men_do() {
        for square in Square::ALL {
            for (step, open) in [0x00ff_0f33_0055_81f0, !0, 0, 0x8142_2418_1824_4281_u64].into_iter().enumerate() {
                for role in Role::ALL {
                    for color in Color::ALL {
                        let one = bit(square as u32);
                        let moved = if role == Role::Pawn { pawn(one, color) } else { officer(role, one, open) };
                        let expected = attacks::attacks(square, Piece { color, role }, Bitboard(!open));
                        assert_eq!(moved, expected.0, "{role:?} on {square}, board {step}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_set_moves_as_the_union_of_its_squares() {
        let (set, open) = (0x0000_1008_0400_2001, 0x00ff_7f33_dd55_81f0);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
            let union = each(set).fold(0, |all, square| all | officer(role, bit(square), open));
            assert_eq!(officer(role, set, open), union, "{role:?}");
        }
    }

    #[test]
    fn ahead_is_the_rest_of_the_file() {
        assert_eq!(
            ahead(Square::E4 as u32, Color::White),
            Bitboard::from_iter([Square::E5, Square::E6, Square::E7, Square::E8]).0
        );
        assert_eq!(ahead(Square::E4 as u32, Color::Black), Bitboard::from_iter([Square::E1, Square::E2, Square::E3]).0);
    }
}
