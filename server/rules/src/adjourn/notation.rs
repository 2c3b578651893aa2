//! Reading a sealed move: short or long algebraic notation with English or Russian letters, or UCI.
//!
//! The article asks for unambiguous notation and nothing more: signs of capture, check or comment may be there or not. What
//! is on the sheet is compared with every legal move; nothing is guessed.

use alloc::{string::String, vec::Vec};

use shakmaty::{Chess, File, Move, Position, Rank, Role, Square};

use crate::{board::infer, game::Uci};

/// What stands on the sheet, read against the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// One legal move.
    Legal(Uci),
    /// More than one legal move.
    Ambiguous,
    /// No move at all: its meaning cannot be established.
    Undeterminable,
    /// A move that is not legal.
    Illegal,
}

/// The longest text read; nobody needs more to write a move.
const LONGEST: usize = 64;

/// Reads the text of a sealed move in the position immediately before it.
#[must_use]
pub fn read(position: &Chess, text: &str) -> Reading {
    let Some(pattern) = (text.len() <= LONGEST).then(|| parse(text)).flatten() else { return Reading::Undeterminable };
    let legal = position.legal_moves();
    let mut fitting = legal.iter().filter(|&&m| pattern.fits(m));
    match (fitting.next(), fitting.next()) {
        (None, _) => Reading::Illegal,
        (Some(&m), None) => Reading::Legal(infer::uci(m)),
        (Some(_), Some(_)) => Reading::Ambiguous,
    }
}

/// What a text says of a move; what it leaves out fits anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    /// Castling, on the king's side or not.
    Castle(bool),
    /// Any other move.
    Move {
        /// `None`: any piece, where both squares are named.
        role: Option<Role>,
        from: (Option<File>, Option<Rank>),
        to: (File, Option<Rank>),
        promotion: Option<Role>,
    },
}

impl Pattern {
    fn fits(self, m: Move) -> bool {
        let named = |from: (Option<File>, Option<Rank>), square: Square| {
            from.0.is_none_or(|file| file == square.file()) && from.1.is_none_or(|rank| rank == square.rank())
        };
        match (self, m) {
            (Pattern::Castle(short), Move::Castle { king, rook }) => short == (rook.file() > king.file()),
            (Pattern::Castle(_), _) => false,
            // By squares, castling is the king's move over two.
            (Pattern::Move { role, from, to, promotion }, Move::Castle { king, rook }) => {
                let file = if rook.file() > king.file() { File::G } else { File::C };
                let lands = to.0 == file && to.1.is_none_or(|rank| rank == king.rank());
                from == (Some(king.file()), Some(king.rank()))
                    && role.is_none_or(|role| role == Role::King)
                    && lands
                    && promotion.is_none()
            }
            (Pattern::Move { role, from, to, promotion }, _) => {
                let Some(square) = m.from() else { return false };
                let lands = to.0 == m.to().file() && to.1.is_none_or(|rank| rank == m.to().rank());
                // A pawn that promotes is not described without the piece: each piece is another move.
                let promotes = promotion.is_none() || promotion == m.promotion();
                role.is_none_or(|role| role == m.role()) && named(from, square) && lands && promotes
            }
        }
    }
}

/// Splits a text into what it says; `None` when it says no move.
fn parse(text: &str) -> Option<Pattern> {
    let letters = bare(text);
    match letters.as_str() {
        "0-0" | "00" => return Some(Pattern::Castle(true)),
        "0-0-0" | "000" => return Some(Pattern::Castle(false)),
        _ => {}
    }
    let mut rest: Vec<char> = letters.chars().filter(|c| !matches!(c, '-' | 'x' | ':' | '=' | '/')).collect();
    let mut role = None;
    if let Some(piece) = rest.first().copied().and_then(piece) {
        rest.remove(0);
        role = Some(piece);
    }
    let mut promotion = None;
    if let Some(last) = rest.last().copied()
        && let Some(piece) = piece(last).or_else(|| uci_piece(last).filter(|_| rest.len() == 5))
    {
        rest.pop();
        promotion = Some(piece);
    }
    let (mut from, mut to) = ((None, None), (None, None));
    for c in rest {
        match (File::from_char(c), Rank::from_char(c)) {
            // A file begins the next square: what was read so far is where the piece comes from, be it only `1` as in `R1e2`.
            (Some(file), _) if from == (None, None) => (from, to) = (to, (Some(file), None)),
            (None, Some(rank)) if to.1.is_none() => to.1 = Some(rank),
            _ => return None,
        }
    }
    let file = to.0?;
    let both = from.0.is_some() && from.1.is_some();
    let role = match role {
        None if both => None,
        None => Some(Role::Pawn),
        piece => piece,
    };
    // Only pawns are written without the rank they go to (`ed`).
    let short = to.1.is_none();
    if short && (role != Some(Role::Pawn) || from.0.is_none()) {
        return None;
    }
    Some(Pattern::Move { role, from, to: (file, to.1), promotion })
}

/// The text without a number before the move: no move but castling begins with a digit.
fn numberless(text: &str) -> &str {
    let text = text.trim();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() || rest.is_empty() || rest.starts_with(['-', '–', '—', '−', '‐', '‑']) {
        return text;
    }
    rest.trim_start_matches(|c: char| c == '.' || c == '…' || c.is_whitespace())
}

/// The text without spaces, check, comment and `e.p.`, in one alphabet.
fn bare(text: &str) -> String {
    let mut letters = latin(numberless(text));
    // Cyrillic letters that look like Latin ones are Latin here already.
    for suffix in ["(=)", "мaт", "шax", "mate", "ch", "e.p.", "e.p", "ep", "э.п.", "п.п."] {
        if let Some(short) = letters.strip_suffix(suffix) {
            letters = String::from(short);
        }
    }
    letters.retain(|c| !matches!(c, '+' | '#' | '!' | '?' | '(' | ')' | '.'));
    letters
}

/// Squares, dashes and Russian pieces in Latin letters; spaces go.
fn latin(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().filter(|c| !c.is_whitespace()).peekable();
    while let Some(c) = chars.next() {
        out.push(match c {
            'K' | 'К' if chars.next_if(|&next| matches!(next, 'р' | 'p')).is_some() => 'K',
            'К' => 'N',
            'Ф' => 'Q',
            'Л' => 'R',
            'С' => 'B',
            'а' => 'a',
            'с' => 'c',
            'е' => 'e',
            'х' | '×' => 'x',
            'O' | 'o' | 'О' | 'о' => '0',
            '–' | '—' | '−' | '‐' | '‑' => '-',
            c => c,
        });
    }
    out
}

/// A piece by its capital letter.
fn piece(letter: char) -> Option<Role> {
    Some(match letter {
        'K' => Role::King,
        'Q' => Role::Queen,
        'R' => Role::Rook,
        'B' => Role::Bishop,
        'N' => Role::Knight,
        _ => return None,
    })
}

/// The piece of a promotion as UCI writes it.
fn uci_piece(letter: char) -> Option<Role> {
    Role::from_char(letter).filter(|role| !matches!(role, Role::Pawn | Role::King))
}
