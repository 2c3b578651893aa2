//! Moves half done: what a hand still holds, drags, or has not yet taken off is no evidence of anything.

use shakmaty::{CastlingSide, Chess, Color, File, Move, Position, Square};

use super::{
    infer::{landing, scan},
    scan::{Kind, Man, Scan},
};
use crate::clock::Colour;

/// Nothing but one or two men lifted from their squares: a hand holds them.
pub(super) fn in_the_air(base: &Scan, board: &Scan) -> bool {
    let mut lifted = 0;
    for square in base.differences(board) {
        if board.at(square).is_some() {
            return false;
        }
        lifted += 1;
    }
    lifted <= 2
}

/// A move of two men by the player to move, one of which his hand still has: castling, and a promoted man put down before the pawn is
/// taken off. Whether he may castle is not asked before both stand.
pub(super) fn being_made(position: &Chess, board: &Scan) -> bool {
    let base = scan(position);
    let promoted = |m: Move| {
        let mut next = position.clone();
        next.play_unchecked(m);
        let mut both = scan(&next);
        if let Some(pawn) = m.from() {
            both.put(pawn as u8, base.at(pawn as u8));
        }
        both == *board
    };
    castling_begun(&base, board, position.turn()) || position.promotion_moves().into_iter().any(promoted)
}

/// King and rook have left their own squares, nothing stood between them, and one of both has entered the square where castling takes it.
fn castling_begun(base: &Scan, board: &Scan, by: Color) -> bool {
    let at = |file| Square::from_coords(file, by.backrank()) as u8;
    let home = at(File::E);
    let man = |kind| Some(Man { colour: by.into(), kind });
    CastlingSide::ALL.into_iter().any(|side| {
        let corner = at(if side == CastlingSide::KingSide { File::H } else { File::A });
        let (king, rook) = (at(side.king_to_file()), at(side.rook_to_file()));
        let stood = base.at(home) == man(Kind::King) && base.at(corner) == man(Kind::Rook);
        let free = (home.min(corner) + 1..home.max(corner)).all(|square| base.at(square).is_none());
        let entered = |square: u8, kind| {
            let mut begun = *base;
            begun.put(home, None);
            begun.put(corner, None);
            begun.put(square, man(kind));
            begun == *board
        };
        stood && free && (entered(king, Kind::King) || entered(rook, Kind::Rook))
    })
}

/// The only legal move that is seen where it ends, and after it a hand that holds or drags one man of the player to reply (and perhaps the
/// man he takes, the one just moved among them), or castles.
pub(super) fn reply_begun(position: &Chess, board: &Scan) -> Option<Move> {
    let mut found: Option<Move> = None;
    for m in position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(m);
        let (next_board, by) = (scan(&next), next.turn().into());
        let target = landing(m) as u8;
        let seen = board.at(target).is_some_and(|man| Some(man) == next_board.at(target) || man.colour == by);
        let taken = || board.at(target).is_none() && taking(&next, board, target);
        let replies = || reply_under_way(&next_board, board, by) || castling(&next, board) || being_made(&next, board);
        if !(seen || taken()) || !replies() {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(m);
    }
    found
}

/// The man just moved is off the board, and so is one that can take it: a hand holds both.
fn taking(next: &Chess, board: &Scan, target: u8) -> bool {
    let lifted = |m: &Move| m.from().is_some_and(|from| board.at(from as u8).is_none());
    next.legal_moves().iter().any(|m| m.is_capture() && m.to() as u8 == target && lifted(m))
}

/// The player to reply castles: nothing but his king and that rook are in the air or on the squares that they leave and enter.
fn castling(next: &Chess, board: &Scan) -> bool {
    let before = scan(next);
    next.legal_moves().into_iter().filter(|m| m.is_castle()).any(|m| {
        let mut castled = next.clone();
        castled.play_unchecked(m);
        let squares = before.differences(&scan(&castled)).fold(0u64, |mask, square| mask | 1 << square);
        let (king, rook) = m.from().map_or((None, None), |king| (before.at(king as u8), before.at(m.to() as u8)));
        let his = |man: Man| Some(man) == king || Some(man) == rook;
        let seen = before.differences(board);
        let within = seen.into_iter().all(|square| squares & 1 << square != 0 && board.at(square).is_none_or(his));
        within && board.king(next.turn().other().into()).is_some()
    })
}

/// From `base`, a player's hand has one of his men in the air or on some square, and may hold or have replaced one man of the
/// other.
fn reply_under_way(base: &Scan, board: &Scan, by: Colour) -> bool {
    let (mut left, mut taken, mut placed) = (None, false, None);
    for square in base.differences(board) {
        match (base.at(square), board.at(square)) {
            (Some(man), None) if man.colour == by => {
                if left.replace(man).is_some() {
                    return false;
                }
            }
            (Some(man), None) => {
                if taken || man.kind == Kind::King {
                    return false;
                }
                taken = true;
            }
            (before, Some(man)) if man.colour == by && before.is_none_or(|b| b.colour != by) => {
                if placed.replace(man).is_some() {
                    return false;
                }
            }
            _ => return false,
        }
    }
    // A man that only vanished on the other side is no reply: somebody's piece was knocked off or a magnet is weak. And a
    // man put down takes what stood there, not something elsewhere.
    left.is_some() && placed.is_none_or(|man| Some(man) == left && !taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        board::infer::{Reading, read, uci},
        game::state::position,
    };

    const CASTLE: &str = "r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R3K2R w KQkq - 0 1";

    fn reading(fen: &str, board: &str) -> Reading {
        read(&position(fen).expect("a position"), &Scan::from_fen(board).expect("a board"))
    }

    fn begun(fen: &str, board: &str) -> alloc::vec::Vec<alloc::string::String> {
        use alloc::string::ToString;
        match reading(fen, board) {
            Reading::UnderWay(moves) => moves.iter().map(|&m| uci(m).to_string()).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_reply_half_done_leaves_the_move_before_it_seen() {
        let castled = |board| begun(CASTLE, board);
        assert_eq!(castled("r5kr/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R4RK1"), ["e1g1"], "the rook is still to go");
        assert_eq!(castled("r5k1/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R4RK1"), ["e1g1"], "the rook is in the hand");
        assert_eq!(castled("r4r2/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R4RK1"), ["e1g1"], "rook first, the king in the hand");
        let taken = "4k3/8/5n2/3n4/8/2N5/8/4K3 w - - 0 1";
        assert_eq!(begun(taken, "4k3/8/8/8/8/8/8/4K3"), ["c3d5"], "both knights lifted");
        assert_eq!(begun(taken, "4k3/8/5n2/8/8/8/8/4K3"), [""; 0]);
    }

    #[test]
    fn a_move_of_two_men_half_done_is_none_yet() {
        for rights in ["KQkq", "-"] {
            let fen = alloc::format!("r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R3K2R w {rights} - 0 1");
            for (board, what) in [
                ("r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R5K1", "king first"),
                ("r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R4R2", "rook first"),
                ("r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/2K4R", "king first, the long side"),
            ] {
                assert_eq!(begun(&fen, board), [""; 0], "{what}");
            }
            let both_down = "r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R5KR";
            assert_eq!(reading(&fen, both_down), Reading::Unexplained, "no hand holds anything");
        }
        let promotes = "7k/4P3/8/8/8/8/8/KR6 w - - 0 1";
        assert_eq!(begun(promotes, "4Q2k/4P3/8/8/8/8/8/KR6"), [""; 0], "the pawn is still to be taken off");
        assert_eq!(reading(promotes, "3Q3k/4P3/8/8/8/8/8/KR6"), Reading::Unexplained);
    }
}
