//! A board as a diagram, drawn by us: squares, pieces by name, and marks where two boards differ.

use flagfall_proto::clock::v1::{Board, Colour};

use super::{Lang, words};

/// One square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Square {
    /// From the left, 0 to 7.
    pub(super) x: usize,
    /// From the top, 0 to 7.
    pub(super) y: usize,
    /// It is a dark one.
    pub(super) dark: bool,
    /// The piece on it: `wp` … `bk`; empty: none.
    pub(super) piece: &'static str,
    /// It differs from the other board.
    pub(super) marked: bool,
}

/// A diagram, White below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diagram(pub(super) Vec<Square>);

/// The pieces in the order of the contract's numbers, nothing first.
const PIECES: [&str; 13] = ["", "wp", "wn", "wb", "wr", "wq", "wk", "bp", "bn", "bb", "br", "bq", "bk"];

/// The kinds of pieces in the order in which they are told, one and several, in both languages.
const KINDS: [(char, [&str; 2], [&str; 2]); 6] = [
    ('k', ["king", "kings"], ["король", "короли"]),
    ('q', ["queen", "queens"], ["ферзь", "ферзи"]),
    ('r', ["rook", "rooks"], ["ладья", "ладьи"]),
    ('b', ["bishop", "bishops"], ["слон", "слоны"]),
    ('n', ["knight", "knights"], ["конь", "кони"]),
    ('p', ["pawn", "pawns"], ["пешка", "пешки"]),
];

impl Square {
    /// As people name it.
    fn name(&self) -> String {
        format!("{}{}", char::from(b'a' + self.x as u8), 8 - self.y)
    }
}

impl Diagram {
    fn of(piece: impl Fn(usize, usize) -> &'static str) -> Diagram {
        let square = |index: usize| {
            let (x, y) = (index % 8, index / 8);
            Square { x, y, dark: (x + y) % 2 == 1, piece: piece(x, 7 - y), marked: false }
        };
        Diagram((0..64).map(square).collect())
    }

    /// A position; `None`: the text is none.
    pub(super) fn fen(fen: &str) -> Option<Diagram> {
        let mut pieces = [[""; 8]; 8];
        let ranks: Vec<&str> = fen.split_whitespace().next()?.split('/').collect();
        if ranks.len() != 8 {
            return None;
        }
        for (rank, text) in ranks.iter().rev().enumerate() {
            let mut file = 0;
            for c in text.chars() {
                match c.to_digit(10) {
                    Some(empty) => file += empty as usize,
                    None => {
                        let index = "PNBRQKpnbrqk".find(c)? + 1;
                        *pieces[rank].get_mut(file)? = PIECES[index];
                        file += 1;
                    }
                }
            }
        }
        Some(Diagram::of(|file, rank| pieces[rank][file]))
    }

    /// A board as sensors see it; `None`: there is none.
    pub(super) fn board(board: Option<&Board>) -> Option<Diagram> {
        let squares = &board?.squares;
        if squares.len() != 32 {
            return None;
        }
        let piece = |file: usize, rank: usize| {
            let index = rank * 8 + file;
            let nibble = (squares[index / 2] >> (4 * (index % 2))) & 0x0f;
            PIECES.get(usize::from(nibble)).copied().unwrap_or("")
        };
        Some(Diagram::of(piece))
    }

    /// Marks where the boards differ, and counts it.
    pub(super) fn mark(&mut self, other: &Diagram) -> usize {
        for (square, before) in self.0.iter_mut().zip(&other.0) {
            square.marked = square.piece != before.piece;
        }
        self.0.iter().filter(|square| square.marked).count()
    }

    /// The squares that are marked, as people name them.
    pub(super) fn marked(&self) -> String {
        let names: Vec<String> = self.0.iter().filter(|square| square.marked).map(Square::name).collect();
        names.join(", ")
    }

    /// Both sides' pieces with their squares, for who listens to the page instead of looking at it.
    pub(super) fn told(&self, lang: &Lang) -> String {
        let side = |(colour, prefix): (Colour, &str)| {
            let kind = |(letter, en, ru): &(char, [&'static str; 2], [&'static str; 2])| {
                let its = self
                    .0
                    .iter()
                    .filter(|square| square.piece.strip_prefix(prefix).is_some_and(|piece| piece.starts_with(*letter)));
                let squares: Vec<String> = its.map(Square::name).collect();
                let several = usize::from(squares.len() > 1);
                let name = lang.t(en[several], ru[several]);
                (!squares.is_empty()).then(|| format!("{name} {}", squares.join(" ")))
            };
            let kinds: Vec<String> = KINDS.iter().filter_map(kind).collect();
            (!kinds.is_empty()).then(|| format!("{}: {}", words::colour(*lang, colour), kinds.join(", ")))
        };
        let sides: Vec<String> = [(Colour::White, "w"), (Colour::Black, "b")].into_iter().filter_map(side).collect();
        match sides.is_empty() {
            true => lang.t("no piece", "фигур нет").to_owned(),
            false => sides.join("; "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_position_and_its_board_are_one_diagram() {
        let diagram = Diagram::fen(START).expect("a position");
        let at = |x: usize, y: usize| diagram.0[y * 8 + x];
        assert_eq!((at(0, 7).piece, at(4, 7).piece, at(3, 0).piece, at(0, 4).piece), ("wr", "wk", "bq", ""));
        assert!(at(0, 7).dark && !at(7, 7).dark, "h1 is a light square");
        let board: Board = flagfall_rules::board::Scan::from_fen(START).expect("a board").into();
        assert_eq!(Diagram::board(Some(&board)), Some(diagram));
    }

    #[test]
    fn what_differs_is_marked_and_named() {
        let before = Diagram::fen(START).expect("a position");
        let mut now = Diagram::fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").expect("a position");
        assert_eq!(now.mark(&before), 2);
        assert_eq!(now.marked(), "e4, e2");
    }

    #[test]
    fn a_board_is_told_in_both_languages() {
        let board = Diagram::fen("4k3/8/8/8/8/1p6/R6R/4K3 w - - 0 1").expect("a position");
        assert_eq!(board.told(&Lang::En), "White: king e1, rooks a2 h2; Black: king e8, pawn b3");
        assert_eq!(board.told(&Lang::Ru), "Белые: король e1, ладьи a2 h2; Чёрные: король e8, пешка b3");
        assert_eq!(Diagram::fen("8/8/8/8/8/8/8/8").expect("a board").told(&Lang::En), "no piece");
    }

    #[test]
    fn what_is_no_board_is_none() {
        for text in ["", "8/8/8", "9/8/8/8/8/8/8/8x", "ppppppppp/8/8/8/8/8/8/8"] {
            assert_eq!(Diagram::fen(text), None, "{text}");
        }
        assert_eq!(Diagram::board(Some(&Board { squares: vec![0; 31] })), None);
    }
}
