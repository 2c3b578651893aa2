//! How a virtual player's hands carry a move out: what leaves and enters squares, in which order.
//!
//! People do it differently, and sensors show every step: pieces slide, a victim goes first or last, castling begins with
//! either man, a pawn becomes a queen in the hand. The ways vary by a number, so that the same ply always looks the same.

use flagfall_rules::board::{Man, Scan, infer};
use shakmaty::{Chess, Color, Move, Position, Rank, Square};

/// One change on one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The square, 0 = a1.
    pub square: u8,
    /// What stands there now.
    pub man: Option<Man>,
}

impl Touch {
    fn lift(square: Square) -> Touch {
        Touch { square: square as u8, man: None }
    }

    fn put(square: Square, man: Option<Man>) -> Touch {
        Touch { square: square as u8, man }
    }
}

/// A number that looks arbitrary but depends on nothing else than what is given (splitmix64).
#[must_use]
pub fn vary(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The steps that carry out a move, in one of the ways people do it. The last step completes the position after it.
#[must_use]
pub fn carry_out(before: &Chess, m: Move, way: u64) -> Vec<Touch> {
    let mut after = before.clone();
    after.play_unchecked(m);
    let (before, after) = (infer::scan(before), infer::scan(&after));
    let then = |square: Square| Touch::put(square, after.at(square as u8));
    match m {
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(rook > king);
            let color = Color::from_white(king.rank() == Rank::First);
            let (to, rook_to) = (side.king_to(color), side.rook_to(color));
            let (king_off, king_on) = (Touch::lift(king), then(to));
            let (rook_off, rook_on) = (Touch::lift(rook), then(rook_to));
            match way % 4 {
                0 => vec![rook_off, rook_on, king_off, king_on],
                1 => vec![king_off, rook_off, king_on, rook_on],
                _ => vec![king_off, king_on, rook_off, rook_on],
            }
        }
        Move::EnPassant { from, to } => {
            let victim = Square::from_coords(to.file(), from.rank());
            match way % 3 {
                0 => vec![Touch::lift(victim), Touch::lift(from), then(to)],
                1 => vec![Touch::lift(from), Touch::lift(victim), then(to)],
                _ => vec![Touch::lift(from), then(to), Touch::lift(victim)],
            }
        }
        Move::Normal { role, from, capture, to, promotion } => {
            let man = before.at(from as u8);
            let mut steps = vec![Touch::lift(from)];
            let slides = way.is_multiple_of(5) && role != shakmaty::Role::Knight;
            for square in path(from, to).into_iter().filter(|_| slides) {
                steps.extend([Touch::put(square, man), Touch::lift(square)]);
            }
            match (capture.is_some(), (way / 5) % 3) {
                // The victim is taken off before anything else.
                (true, 0) => steps.insert(0, Touch::lift(to)),
                // With the mover in the hand already.
                (true, 1) => steps.push(Touch::lift(to)),
                // Or it is pushed away: the square changes from one man to the other.
                _ => {}
            }
            if promotion.is_some() && (way / 15).is_multiple_of(2) {
                steps.extend([Touch::put(to, man), Touch::lift(to)]);
            }
            steps.push(then(to));
            steps
        }
        Move::Put { .. } => Vec::new(),
    }
}

/// The squares between two on a line, in the order in which a piece passes them.
fn path(from: Square, to: Square) -> Vec<Square> {
    let (files, ranks) = (to.file() as i32 - from.file() as i32, to.rank() as i32 - from.rank() as i32);
    if files != 0 && ranks != 0 && files.abs() != ranks.abs() {
        return Vec::new();
    }
    (1..files.abs().max(ranks.abs())).filter_map(|n| from.offset(n * files.signum() + 8 * n * ranks.signum())).collect()
}

/// The steps from one board to another: first everything wrong is taken off, then everything missing is put on.
#[must_use]
pub fn restore(from: &Scan, to: &Scan) -> Vec<Touch> {
    let wrong: Vec<u8> = from.differences(to).collect();
    let off = wrong.iter().filter(|&&square| from.at(square).is_some()).map(|&square| Touch { square, man: None });
    let on = wrong.iter().filter(|&&s| to.at(s).is_some()).map(|&square| Touch { square, man: to.at(square) });
    off.chain(on).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, fen::Fen, uci::UciMove};

    fn carried(fen: &str, uci: &str, way: u64) -> (Scan, Scan, usize) {
        let position: Chess =
            Fen::from_ascii(fen.as_bytes()).expect("fen").into_position(CastlingMode::Standard).expect("legal");
        let m = UciMove::from_ascii(uci.as_bytes()).expect("uci").to_move(&position).expect("legal move");
        let mut board = infer::scan(&position);
        let steps = carry_out(&position, m, way);
        for step in &steps {
            board.put(step.square, step.man);
        }
        let mut after = position;
        after.play_unchecked(m);
        (board, infer::scan(&after), steps.len())
    }

    #[test]
    fn every_way_ends_in_the_position_after_the_move() {
        let cases = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1"),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
            ("3r3k/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8n"),
            ("7k/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7c8q"),
            ("7k/8/8/4r3/8/8/1B6/4K3 w - - 0 1", "b2e5"),
        ];
        for (fen, uci) in cases {
            for way in 0..60 {
                let (board, after, _) = carried(fen, uci, way);
                assert_eq!(board, after, "{uci} in way {way}");
            }
        }
        assert_eq!(carried(cases[0].0, "e2e4", 0).2, 4, "a slide passes e3");
        assert_eq!(carried(cases[0].0, "e2e4", 1).2, 2);
    }

    #[test]
    fn any_board_becomes_any_other() {
        let a = Scan::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").expect("a board");
        let b = Scan::from_fen("8/8/3k4/8/4P3/8/8/RNBKQBNR").expect("a board");
        let mut board = a;
        for step in restore(&a, &b) {
            board.put(step.square, step.man);
        }
        assert_eq!(board, b);
        assert!(restore(&a, &a).is_empty());
    }
}
