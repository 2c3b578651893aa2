//! Moves as people and programs write them: short or long algebraic notation with English or Russian letters, or UCI, as the appendices
//! to the Laws describe it and with what hands add to it. The signs of capture, check, en passant and comment may be there or not.
//!
//! [`Written`] reads a move of a file or of an arbiter's words: Latin letters are English there and capitals matter, so that what is no
//! legal move is not read as another one. What is on the sheet of a sealed move has a reading of its own, made from the same parts.

use alloc::{string::String, vec, vec::Vec};

use shakmaty::{Chess, File, Move, Position, Rank, Role, Square};

use super::infer;
use crate::game::Uci;

/// A move as it is written, not yet compared with a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written(Vec<Pattern>);

/// Why no move is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplayable {
    /// No legal move is written so.
    Illegal,
    /// More than one is.
    Ambiguous,
}

impl Written {
    /// The longest text read, bytes; nobody needs more to write a move.
    const LONGEST: usize = 64;

    /// Reads a text, with the number before it or without; `None` where it is no move at all.
    #[must_use]
    pub fn parse(text: &str) -> Option<Written> {
        if text.len() > Written::LONGEST {
            return None;
        }
        let text = numberless(text).trim_start_matches(['.', '…']);
        let letters = bare(text.trim_end_matches(['!', '?', '+', '#']));
        let patterns = match castling(&letters) {
            Some(castling) => vec![castling],
            None => by_squares(&moves_only(&letters)),
        };
        (!patterns.is_empty()).then_some(Written(patterns))
    }

    /// The one legal move that is written so.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn to_move(&self, position: &Chess) -> Result<Move, Unplayable> {
        let legal = position.legal_moves();
        let mut meant = legal.iter().filter(|&&m| self.0.iter().any(|pattern| pattern.fits(m)));
        match (meant.next(), meant.next()) {
            (Some(&m), None) => Ok(m),
            (None, _) => Err(Unplayable::Illegal),
            _ => Err(Unplayable::Ambiguous),
        }
    }
}

/// What letters in English say of a move, or in Russian where no Latin letter looks the same.
fn by_squares(letters: &[char]) -> Vec<Pattern> {
    let promotes = |c: char| promoted(c.to_ascii_uppercase()).into_iter().collect();
    let mut patterns = match letters.split_first().map(|(&first, rest)| (piece(first), rest)) {
        Some((Some(role), rest)) => squares(Some(role), rest, promotes),
        _ => squares(None, letters, promotes),
    };
    for pattern in &mut patterns {
        pattern.push_straight();
    }
    // Where a program writes castling as the king taking his rook.
    if let ['e', rank @ ('1' | '8'), to @ ('a' | 'h'), same] = letters
        && rank == same
    {
        patterns.push(Pattern::Castle(*to == 'h'));
    }
    patterns
}

const fn piece(letter: char) -> Option<Role> {
    match letter {
        KING | 'K' => Some(Role::King),
        'P' => Some(Role::Pawn),
        other => promoted(other),
    }
}

const fn promoted(letter: char) -> Option<Role> {
    match letter {
        'Q' => Some(Role::Queen),
        'R' => Some(Role::Rook),
        'B' => Some(Role::Bishop),
        'N' => Some(Role::Knight),
        _ => None,
    }
}

/// A word beside a move that says nothing of which it is: a number, a sign, `e.p.` or `mate` standing apart, a novelty's or a diagram's letter.
#[must_use]
pub fn is_remark(word: &str) -> bool {
    let bare = numberless(word).trim_matches(|c: char| !c.is_alphanumeric());
    // Two dashes are how programs write that a side passed.
    let says_nothing = word != "--" && bare.chars().all(|c| c.is_ascii_digit());
    says_nothing || matches!(bare, "e.p" | "ep" | "mate" | "ch" | "N" | "D")
}

/// Castling, if the letters say so.
pub(crate) fn castling(letters: &str) -> Option<Pattern> {
    match letters {
        "0-0" | "00" => Some(Pattern::Castle(true)),
        "0-0-0" | "000" => Some(Pattern::Castle(false)),
        _ => None,
    }
}

/// What a text says of a move; what it leaves out fits anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
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
    /// A pawn written without the file it comes from stays on its own.
    fn push_straight(&mut self) {
        if let Pattern::Move { role: Some(Role::Pawn), from: (from @ None, _), to: (to, _), .. } = self {
            *from = Some(*to);
        }
    }

    pub(crate) fn moves(self, position: &Chess) -> Vec<Uci> {
        position.legal_moves().iter().filter(|&&m| self.fits(m)).map(|&m| infer::uci(m)).collect()
    }

    pub(crate) fn fits(self, m: Move) -> bool {
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

/// The letters that tell a move.
pub(crate) fn moves_only(letters: &str) -> Vec<char> {
    letters.chars().filter(|c| !matches!(c, '-' | 'x' | ':' | '=' | '/')).collect()
}

/// What a piece, if one is named, and the squares after it say, with every piece that the last letter may promote to.
pub(crate) fn squares(role: Option<Role>, letters: &[char], promotes: impl Fn(char) -> Vec<Role>) -> Vec<Pattern> {
    let plain = pattern(role, letters, None);
    let promoted = letters
        .split_last()
        .into_iter()
        .flat_map(|(&last, rest)| promotes(last).into_iter().filter_map(move |piece| pattern(role, rest, Some(piece))));
    plain.into_iter().chain(promoted).collect()
}

fn pattern(role: Option<Role>, letters: &[char], promotion: Option<Role>) -> Option<Pattern> {
    let (mut from, mut to) = ((None, None), (None, None));
    for &c in letters {
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
    if short && (role != Some(Role::Pawn) || from.0.is_none_or(|from| from == file)) {
        return None;
    }
    Some(Pattern::Move { role, from, to: (file, to.1), promotion })
}

/// The text without a number before the move: no move but castling begins with a digit.
#[must_use]
pub fn numberless(text: &str) -> &str {
    let text = text.trim();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() || rest.is_empty() || rest.starts_with(['-', '–', '—', '−', '‐', '‑']) {
        return text;
    }
    rest.trim_start_matches(|c: char| c == '.' || c == '…' || c.is_whitespace())
}

/// The text without spaces, check, comment and `e.p.`, in one alphabet.
pub(crate) fn bare(text: &str) -> String {
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

/// The Russian king, whom no other letter means.
pub(crate) const KING: char = '♔';

/// Squares, dashes and Russian pieces in Latin letters; spaces go.
fn latin(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().filter(|c| !c.is_whitespace()).peekable();
    while let Some(c) = chars.next() {
        out.push(match c {
            'K' | 'К' | 'k' | 'к' if chars.next_if(|&next| matches!(next, 'р' | 'p')).is_some() => KING,
            'К' => 'N',
            'Ф' => 'Q',
            'Л' => 'R',
            'С' | 'В' => 'B',
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

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::game::state::position;

    fn reads(fen: &str, text: &str) -> String {
        let position = position(fen).expect("a position");
        match Written::parse(text).map(|written| written.to_move(&position)) {
            Some(Ok(m)) => infer::uci(m).to_string(),
            Some(Err(why)) => alloc::format!("{why:?}"),
            None => "no move".into(),
        }
    }

    #[test]
    fn the_forms_of_the_appendix_and_of_programs() {
        // White may take on a8 with the pawn of b7 or go on to b8, take d6 in passing with that of e5, or castle on either side.
        let fen = "r3k3/1P6/8/3pP3/8/8/2N5/R3K2R w KQ d6 0 30";
        for (moves, uci) in [
            (["bxa8=N", "bxa8N", "b7xa8(N)", "ba8/N", "b7a8n", "b:a8=N+"], "b7a8n"),
            (["exd6", "exd6e.p.", "exd6 e.p.", "e5d6", "ed", "30. e5:d6ep!?"], "e5d6"),
            (["O-O", "0-0", "o-o", "Ke1-g1", "e1g1", "e1h1"], "e1g1"),
            (["O-O-O", "0-0-0+", "o-o-o", "e1c1", "e1a1", "30.O-O-O"], "e1c1"),
            (["Ne3", "Nc2-e3", "Nc2e3", "c2e3", "30…Ne3", "30Ne3++"], "c2e3"),
            (["Кe3", "Кс2-e3", "Nce3", "N2e3", "Ne3#", "…Ne3"], "c2e3"),
        ] {
            moves.into_iter().for_each(|text| assert_eq!(reads(fen, text), uci, "{text}"));
        }
        for (text, said) in [("bxa8", "Ambiguous"), ("b8", "Ambiguous"), ("Kxd6", "Illegal"), ("d6", "Illegal")] {
            assert_eq!(reads(fen, text), said, "{text}");
        }
        for text in ["", "--", "Z0", "hello", "N", "30.", "e9", "Dd4", "0-0-0-0", "1-0"] {
            assert_eq!(reads(fen, text), "no move", "{text}");
        }
    }

    #[test]
    fn an_english_king_is_no_russian_knight() {
        let fen = "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1";
        assert_eq!(
            (reads(fen, "Kf3"), reads(fen, "\u{41a}f3"), reads(fen, "Крf2")),
            ("Illegal".into(), "g1f3".into(), "e1f2".into())
        );
    }

    #[test]
    fn a_word_beside_a_move_is_none() {
        for word in ["1.", "12", "...", "+", "(=)", "⩲", "e.p.", "ep", "N", "D", "mate", "ch.", "1…"] {
            assert!(is_remark(word), "{word}");
        }
        for word in ["e4", "--", "adjudicated", "Zf3", "0-0-0-0"] {
            assert!(!is_remark(word), "{word}");
        }
    }
}
