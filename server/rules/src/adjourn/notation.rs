//! Reading a sealed move: short or long algebraic notation with English or Russian letters, or UCI.
//!
//! The article asks for unambiguous notation and nothing more: signs of capture, check or comment may be there or not. What
//! is on the sheet is compared with every legal move; nothing is guessed. The text came through a keyboard: a Latin `K` may be the
//! Russian knight, and `ng1-f3` is no other move than `Ng1-f3`. Such letters are read where one meaning alone is possible. What has
//! several, or none, is not lost by the player: whether its true meaning can be established the arbiter says, with the sheet before him.

use alloc::{string::String, vec, vec::Vec};

use shakmaty::{Chess, File, Move, Position, Rank, Role, Square};

use crate::{board::infer, game::Uci};

/// What stands on the sheet, read against the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// One legal move.
    Legal(Uci),
    /// More than one legal move, by what it says: `Nd2` where two knights can go there.
    Ambiguous,
    /// What it means is for the arbiter to say. These legal moves it may be; none is named where nothing tells.
    Doubtful(Vec<Uci>),
    /// A move that is not legal.
    Illegal,
}

/// The longest text read; nobody needs more to write a move.
const LONGEST: usize = 64;

/// Reads the text of a sealed move in the position immediately before it.
#[must_use]
pub fn read(position: &Chess, text: &str) -> Reading {
    if text.len() > LONGEST {
        return Reading::Doubtful(Vec::new());
    }
    let letters = bare(text);
    let written = as_written(&letters);
    let mut meant: Vec<Vec<Uci>> = written.iter().map(|pattern| pattern.moves(position)).collect();
    meant.retain(|moves| !moves.is_empty());
    match meant.as_slice() {
        [moves] => match moves.as_slice() {
            [only] => Reading::Legal(*only),
            _ => Reading::Ambiguous,
        },
        [] => unlike_written(position, &letters, !written.is_empty()),
        _ => Reading::Doubtful(meant.concat()),
    }
}

/// As the letters stand they are no legal move. `says`: they are a move all the same.
fn unlike_written(position: &Chess, letters: &str, says: bool) -> Reading {
    let mut moves: Vec<Uci> = Vec::new();
    for uci in as_typed(letters, says).iter().flat_map(|pattern| pattern.moves(position)) {
        if !moves.contains(&uci) {
            moves.push(uci);
        }
    }
    match moves.as_slice() {
        [] if says => Reading::Illegal,
        [] => Reading::Doubtful(named(position, letters)),
        // What is written is a move, though an impossible one: that another was meant is not for a machine to say.
        [only] if !says => Reading::Legal(*only),
        _ => Reading::Doubtful(moves),
    }
}

/// Moves to a square that an unreadable text names.
fn named(position: &Chess, letters: &str) -> Vec<Uci> {
    let letters = letters.to_lowercase();
    let moves = position.legal_moves();
    let mut moves: Vec<Uci> = moves.iter().map(|&m| infer::uci(m)).collect();
    moves.retain(|uci| uci.as_str().get(2..4).is_some_and(|to| letters.contains(to)));
    moves
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
    fn moves(self, position: &Chess) -> Vec<Uci> {
        position.legal_moves().iter().filter(|&&m| self.fits(m)).map(|&m| infer::uci(m)).collect()
    }

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

/// What the letters say; nothing when they say no move, more than one thing where a letter is a piece in both languages.
fn as_written(letters: &str) -> Vec<Pattern> {
    match letters {
        "0-0" | "00" => return vec![Pattern::Castle(true)],
        "0-0-0" | "000" => return vec![Pattern::Castle(false)],
        _ => {}
    }
    let letters = moves_only(letters);
    let promotes = |c| match uci_piece(c).filter(|_| letters.len() == 5) {
        Some(role) => vec![role],
        None => pieces(c).to_vec(),
    };
    match letters.split_first().map(|(&first, rest)| (pieces(first), rest)) {
        Some((roles @ [_, ..], rest)) => roles.iter().flat_map(|&role| squares(Some(role), rest, promotes)).collect(),
        _ => squares(None, &letters, promotes),
    }
}

/// What the letters may say if capitals were not minded and a letter was typed for one that looks like it. Where what is written is a
/// move (`says`), a small letter may still be a bishop's: `bc3`.
fn as_typed(letters: &str, says: bool) -> Vec<Pattern> {
    let letters = if says { String::from(letters) } else { letters.to_lowercase() };
    let letters = moves_only(&letters);
    let promotes = |c| alike(c).to_vec();
    let mut patterns = if says { Vec::new() } else { squares(None, &letters, promotes) };
    // A letter before a digit is a square.
    if let [first, rest @ ..] = letters.as_slice()
        && rest.first().is_some_and(|next| !next.is_ascii_digit())
    {
        patterns.extend(alike(*first).iter().flat_map(|&role| squares(Some(role), rest, promotes)));
    }
    patterns
}

/// The letters that tell a move.
fn moves_only(letters: &str) -> Vec<char> {
    letters.chars().filter(|c| !matches!(c, '-' | 'x' | ':' | '=' | '/')).collect()
}

/// What a piece, if one is named, and the squares after it say, with every piece that the last letter may promote to.
fn squares(role: Option<Role>, letters: &[char], promotes: impl Fn(char) -> Vec<Role>) -> Vec<Pattern> {
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

/// The Russian king, whom no other letter means.
const KING: char = '♔';

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

/// What a capital letter means. `K` is the king in English, and in Russian the knight in letters that look the same.
const fn pieces(letter: char) -> &'static [Role] {
    match letter {
        KING => &[Role::King],
        'K' => &[Role::King, Role::Knight],
        'Q' => &[Role::Queen],
        'R' => &[Role::Rook],
        'B' => &[Role::Bishop],
        'N' => &[Role::Knight],
        _ => &[],
    }
}

/// What a letter may mean that was typed without a capital, or for one that looks like it.
const fn alike(letter: char) -> &'static [Role] {
    match letter {
        KING => &[Role::King],
        'k' => &[Role::King, Role::Knight],
        'q' | 'ф' => &[Role::Queen],
        'r' | 'л' => &[Role::Rook],
        'b' | 'c' => &[Role::Bishop],
        'n' | 'к' => &[Role::Knight],
        _ => &[],
    }
}

/// The piece of a promotion as UCI writes it.
fn uci_piece(letter: char) -> Option<Role> {
    Role::from_char(letter).filter(|role| !matches!(role, Role::Pawn | Role::King))
}
