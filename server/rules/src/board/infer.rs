//! Which legal moves explain what a board shows.
//!
//! Inference works on sets of squares, not on sequences of sensor readings: pieces slide, are adjusted, are castled rook
//! first and captured in either order, and a fast reply merges two plies into one picture. What counts is whether some
//! legal move, or two or three in a row, lead from the known position to the board seen, and whether only one line does.

use alloc::vec::Vec;

use shakmaty::{Board, CastlingMode, Chess, Color, Move, Piece, Position, Role, Square};

use super::{
    half_done::{being_made, in_the_air, reply_begun},
    scan::{Kind, Man, Scan},
};
use crate::{
    clock::Colour,
    game::{Outcome, Uci},
};

/// What a board is, seen from a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// The position itself.
    Same,
    /// One line of one or two legal plies leads there, and no other: a move, or a move and the reply that came before the
    /// board was read.
    Line(Vec<Move>),
    /// Several lines of the same length lead there; all of them, at most sixteen.
    Several(Vec<Vec<Move>>),
    /// After these plies (often none) men are still in the air or under way; nothing contradicts the position.
    UnderWay(Vec<Move>),
    /// Both kings were put in the centre, as players show a result.
    Kings(Outcome),
    /// Nothing explains it.
    Unexplained,
}

impl From<Color> for Colour {
    fn from(color: Color) -> Colour {
        color.fold_wb(Colour::White, Colour::Black)
    }
}

impl From<Colour> for Color {
    fn from(colour: Colour) -> Color {
        Color::from_white(colour == Colour::White)
    }
}

impl From<Man> for Piece {
    fn from(man: Man) -> Piece {
        let role = match man.kind {
            Kind::Pawn => Role::Pawn,
            Kind::Knight => Role::Knight,
            Kind::Bishop => Role::Bishop,
            Kind::Rook => Role::Rook,
            Kind::Queen => Role::Queen,
            Kind::King => Role::King,
        };
        Piece { color: man.colour.into(), role }
    }
}

impl From<Piece> for Man {
    fn from(piece: Piece) -> Man {
        let kind = match piece.role {
            Role::Pawn => Kind::Pawn,
            Role::Knight => Kind::Knight,
            Role::Bishop => Kind::Bishop,
            Role::Rook => Kind::Rook,
            Role::Queen => Kind::Queen,
            Role::King => Kind::King,
        };
        Man { colour: piece.color.into(), kind }
    }
}

impl Scan {
    /// The men as chess has them.
    #[must_use]
    pub fn men_on_it(&self) -> Board {
        let mut board = Board::empty();
        for square in Square::ALL {
            if let Some(man) = self.at(square as u8) {
                board.set_piece_at(square, man.into());
            }
        }
        board
    }
}

/// The board of a position.
#[must_use]
pub fn scan(position: &Chess) -> Scan {
    let mut scan = Scan::EMPTY;
    for (square, piece) in position.board() {
        scan.put(square as u8, Some(piece.into()));
    }
    scan
}

/// A move as the score writes it.
#[must_use]
pub fn uci(m: Move) -> Uci {
    let mut text = alloc::string::String::new();
    m.to_uci(CastlingMode::Standard).append_to_string(&mut text);
    // Standard chess moves are four or five ASCII letters, so the fallback is never taken.
    Uci::parse(&text).unwrap_or(Uci::NONE)
}

/// Reads a board against a position.
#[must_use]
pub fn read(position: &Chess, board: &Scan) -> Reading {
    let base = scan(position);
    if base == *board {
        return Reading::Same;
    }
    if let Some(outcome) = shown(&base, board) {
        return Reading::Kings(outcome);
    }
    for plies in 1..=2 {
        let mut lines = lines(position, board, plies, 0);
        match lines.len() {
            0 => {}
            1 => return Reading::Line(lines.swap_remove(0)),
            _ => return Reading::Several(lines),
        }
        if plies == 1 && (in_the_air(&base, board) || being_made(position, board)) {
            return Reading::UnderWay(Vec::new());
        }
    }
    reply_begun(position, board).map_or(Reading::Unexplained, |m| Reading::UnderWay(alloc::vec![m]))
}

/// As many lines as are looked at; more cannot be told apart by what the board showed on the way.
pub(crate) const MOST_LINES: usize = 16;

/// Men that may go unseen in [`beyond`]: weak magnets and knocked-over pieces come singly, seldom in pairs.
const UNSEEN: usize = 2;

/// A last attempt at a settled board that [`read`] cannot explain, knowing how many presses wait for it: as many plies as were
/// pressed, then with one other man not seen, then with a ply more because somebody forgot to press, at last with two men
/// not seen. All lines of the first try that gives any; none when there are more than can be told apart.
#[must_use]
pub fn beyond(position: &Chess, board: &Scan, presses: usize) -> Vec<Vec<Move>> {
    let most = presses.clamp(1, 3);
    let fewer = (1..most).rev().map(|plies| (plies, UNSEEN));
    let tries = [(most, 0), (most, 1), (most + 1, 0), (3, 0), (most, UNSEEN)].into_iter().chain(fewer);
    for (plies, unseen) in tries {
        let lines = lines(position, board, plies, unseen);
        if !lines.is_empty() {
            return if lines.len() < MOST_LINES { lines } else { Vec::new() };
        }
    }
    Vec::new()
}

/// Lines of exactly two plies that end in the board. A capture and the recapture on one square leave it as it was and look like
/// two men in the air: how many presses wait for the board tells which it is.
#[must_use]
pub fn exchanged(position: &Chess, board: &Scan) -> Vec<Vec<Move>> {
    lines(position, board, 2, 0)
}

/// Lines of exactly so many plies that end in the board, but for so many men that stand on it unseen.
#[must_use]
pub fn lines_of(position: &Chess, board: &Scan, plies: usize, unseen: usize) -> Vec<Vec<Move>> {
    lines(position, board, plies, unseen)
}

/// Lines of exactly `plies` plies that end in the board, but for at most `unseen` men that stand on it unseen; [`MOST_LINES`] at the most.
fn lines(position: &Chess, board: &Scan, plies: usize, unseen: usize) -> Vec<Vec<Move>> {
    let mut found = Vec::new();
    search(position, &scan(position), board, (plies, unseen), &mut Vec::new(), &mut found);
    found
}

/// A ply changes two squares, castling four: a branch that differs on more than the rest of the line can change is left. The
/// last ply leaves and enters squares that differ from before it, so that most moves need not be tried.
fn search(
    position: &Chess,
    base: &Scan,
    board: &Scan,
    (plies, unseen): (usize, usize),
    line: &mut Vec<Move>,
    found: &mut Vec<Vec<Move>>,
) {
    let changed = base.differences(board).fold(0u64, |mask, square| mask | 1 << square);
    let explains = |square: Square| changed & 1 << square as u32 != 0;
    for m in position.legal_moves() {
        if found.len() >= MOST_LINES {
            return;
        }
        if plies == 1 && !(explains(m.to()) && m.from().is_none_or(explains)) {
            continue;
        }
        let mut next = position.clone();
        next.play_unchecked(m);
        let next_board = scan(&next);
        let differ = next_board.differences(board).count();
        let rest = plies - 1;
        if differ > unseen + 2 * rest + if rest > 0 { 2 } else { 0 } {
            continue;
        }
        line.push(m);
        if rest > 0 {
            search(&next, &next_board, board, (rest, unseen), line, found);
        } else if differ == 0 || only_unseen(&next_board, board, m) {
            found.push(line.clone());
        }
        line.pop();
    }
}

/// What differs is men not seen, and what was just moved is not among them: in castling that is the rook as well.
fn only_unseen(should: &Scan, board: &Scan, m: Move) -> bool {
    let rook = m.castling_side().map(|side| Square::from_coords(side.rook_to_file(), m.to().rank()));
    let moved = |square: u8| square == landing(m) as u8 || rook.is_some_and(|rook| square == rook as u8);
    should.differences(board).all(|square| board.at(square).is_none() && !moved(square))
}

/// Where the man moved ends, in castling the king.
pub(super) fn landing(m: Move) -> Square {
    m.castling_side().map_or(m.to(), |side| Square::from_coords(side.king_to_file(), m.to().rank()))
}

/// Kings side by side on the four centre squares say how the players ended the game: on the light squares White won, on
/// the dark ones Black, on one file or rank it is a draw. No legal position has kings so close.
#[must_use]
pub fn kings(board: &Scan) -> Option<Outcome> {
    let at = |colour| board.king(colour).map(|s| Square::new(u32::from(s)));
    let (white, black) = (at(Colour::White)?, at(Colour::Black)?);
    let centre = [Square::D4, Square::E4, Square::D5, Square::E5];
    if !centre.contains(&white) || !centre.contains(&black) {
        return None;
    }
    Some(match (white.is_light(), black.is_light()) {
        (true, true) => Outcome::WhiteWins,
        (false, false) => Outcome::BlackWins,
        _ => Outcome::Draw,
    })
}

/// The result that players show, seen from the board before: both kings were put in the centre. Where one stood there already, the
/// other may have been moved beside it, which is no result but an illegal move once it is pressed (7.5.1).
#[must_use]
pub fn shown(before: &Scan, board: &Scan) -> Option<Outcome> {
    let put = |colour| board.king(colour) != before.king(colour);
    kings(board).filter(|_| Colour::BOTH.into_iter().all(put))
}

/// One man of a player carried from a square to another, whatever the Laws say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    /// Square left, 0 = a1.
    pub from: u8,
    /// Square entered.
    pub to: u8,
    /// What stands there now.
    pub now: Man,
    /// What left.
    pub was: Man,
    /// What stood there before.
    pub taken: Option<Man>,
}

impl Carry {
    /// As the score writes it.
    #[must_use]
    pub fn uci(&self) -> Uci {
        let promoted = match self.now.kind {
            kind if kind == self.was.kind => "",
            Kind::Knight => "n",
            Kind::Bishop => "b",
            Kind::Rook => "r",
            Kind::Queen => "q",
            Kind::Pawn | Kind::King => "",
        };
        let text = alloc::format!("{}{}{promoted}", square_name(self.from), square_name(self.to));
        Uci::parse(&text).unwrap_or(Uci::NONE)
    }
}

/// The carry that alone explains a board: one square left, one entered, nothing else changed. A promotion shows another
/// man of the same colour.
#[must_use]
pub fn carry(base: &Scan, board: &Scan, by: Colour) -> Option<Carry> {
    let squares: Vec<u8> = base.differences(board).collect();
    let &[a, b] = squares.as_slice() else { return None };
    let one = |from: u8, to: u8| {
        let (was, now) = (base.at(from)?, board.at(to)?);
        let taken = base.at(to);
        let left_empty = board.at(from).is_none();
        let same = was.kind == now.kind || (was.kind == Kind::Pawn && now.kind != Kind::King);
        (left_empty && was.colour == by && now.colour == by && same).then_some(Carry { from, to, now, was, taken })
    };
    one(a, b).or_else(|| one(b, a))
}

/// A man of this colour stands where `base` has none such: one was moved and let go.
#[must_use]
pub fn put_down(base: &Scan, board: &Scan, by: Colour) -> bool {
    base.differences(board).any(|square| board.at(square).is_some_and(|man| man.colour == by))
}

/// The name of a square, 0 = `a1`.
#[must_use]
pub fn square_name(square: u8) -> alloc::string::String {
    use alloc::string::ToString;
    Square::new(u32::from(square % 64)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::state::position;

    fn after(fen: &str, moves: &[&str]) -> Chess {
        let mut p = position(fen).expect("a position");
        for m in moves {
            crate::game::state::play(&mut p, Uci::parse(m).expect("a move"));
        }
        p
    }

    fn board(fen: &str) -> Scan {
        Scan::from_fen(fen).expect("a board")
    }

    fn line(reading: &Reading) -> Vec<alloc::string::String> {
        use alloc::string::ToString;
        match reading {
            Reading::Line(moves) | Reading::UnderWay(moves) => moves.iter().map(|&m| uci(m).to_string()).collect(),
            other => panic!("{other:?}"),
        }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const CASTLE: &str = "r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R3K2R w KQkq - 0 1";

    #[test]
    fn one_ply_of_every_shape_is_read() {
        let castled = board("r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R4RK1");
        assert_eq!(line(&read(&after(CASTLE, &[]), &castled)), ["e1g1"]);
        let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(line(&read(&after(en_passant, &[]), &board("4k3/8/3P4/8/8/8/8/4K3"))), ["e5d6"]);
        let promotion = "8/P3k3/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(line(&read(&after(promotion, &[]), &board("N7/4k3/8/8/8/8/8/4K3"))), ["a7a8n"]);
    }

    #[test]
    fn a_fast_reply_is_two_plies_and_a_forgotten_press_three() {
        use alloc::string::ToString;

        let two = board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(line(&read(&after(START, &[]), &two)), ["e2e4", "e7e5"]);
        let three = board("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
        assert_eq!(read(&after(START, &[]), &three), Reading::Unexplained);
        assert_eq!(beyond(&after(START, &[]), &three, 1).len(), 2, "e4 e5 Nf3 and Nf3 e5 e4 both lead there");
        let one_way = board("rnbqkbnr/pppp1ppp/8/4p3/8/4P3/PPPP1PPP/RNBQKBNR");
        assert_eq!(line(&read(&after(START, &[]), &one_way)), ["e2e3", "e7e5"]);
        let queen = board("rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR");
        let only = beyond(&after(START, &[]), &queen, 1);
        assert_eq!(only.len(), 1, "the queen can only come out after the pawn");
        assert_eq!(only[0].iter().map(|&m| uci(m).to_string()).collect::<Vec<_>>(), ["e2e4", "e7e5", "d1h5"]);
    }

    #[test]
    fn a_piece_in_the_air_and_a_dragged_reply_are_no_contradiction() {
        assert_eq!(
            read(&after(START, &[]), &board("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")),
            Reading::UnderWay(alloc::vec![])
        );
        // White has played e4; Black's knight is in the air.
        let lifted = board("r1bqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(line(&read(&after(START, &[]), &lifted)), ["e2e4"]);
        // Black's rook slides through a square on which it may not stop: its own pawn is not there yet.
        let vanished = board("rnbqkbnr/pppp1ppp/8/8/4P3/8/PPPP1PP1/RNBQKBNR");
        assert_eq!(read(&after(START, &["e2e4", "e7e5"]), &vanished), Reading::UnderWay(alloc::vec![]));
    }

    #[test]
    fn kings_in_the_centre_are_a_result_and_never_a_move() {
        // Black's king on d5 and White's on e4, both light: 1-0.
        assert_eq!(kings(&board("8/8/8/3k4/4K3/8/8/8")), Some(Outcome::WhiteWins));
        assert_eq!(kings(&board("8/8/8/4k3/3K4/8/8/8")), Some(Outcome::BlackWins));
        assert_eq!(kings(&board("8/8/8/4k3/4K3/8/8/8")), Some(Outcome::Draw));
        assert_eq!(kings(&board("8/8/4k3/8/4K3/8/8/8")), None);
    }

    #[test]
    fn a_result_is_shown_by_both_kings() {
        let centre = board("8/8/8/3k4/4K3/8/8/8");
        assert_eq!(shown(&board("8/8/3k4/8/8/5K2/8/8"), &centre), Some(Outcome::WhiteWins));
        assert_eq!(shown(&board("8/8/8/3k4/8/5K2/8/8"), &centre), None, "White's king alone came there");
        assert_eq!(shown(&board("8/8/3k4/8/4K3/8/8/8"), &centre), None, "Black's king alone came there");
    }

    #[test]
    fn a_carry_is_one_man_from_a_square_to_another() {
        let base = board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        let odd = board("rnbqkbnr/pppppppp/8/8/4P3/8/PPP1PPPP/RNBQKBNR");
        let c = carry(&base, &odd, Colour::White).expect("a carry");
        assert_eq!((square_name(c.from), square_name(c.to)), ("d2".into(), "e4".into()));
        assert_eq!(carry(&base, &odd, Colour::Black), None);
    }
}
