//! Reading a sealed move: short or long algebraic notation with English or Russian letters, or UCI.
//!
//! The article asks for unambiguous notation and nothing more: signs of capture, check or comment may be there or not. What
//! is on the sheet is compared with every legal move; nothing is guessed. The text came through a keyboard: a Latin `K` may be the
//! Russian knight, and `ng1-f3` is no other move than `Ng1-f3`. Such letters are read where one meaning alone is possible. What has
//! several, or none, is not lost by the player: whether its true meaning can be established the arbiter says, with the sheet before him.

use alloc::{string::String, vec, vec::Vec};

use shakmaty::{Chess, Position, Role};

use crate::{
    board::{
        infer,
        notation::{KING, Pattern, bare, castling, moves_only, squares},
    },
    game::Uci,
};

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

/// What the letters say; nothing when they say no move, more than one thing where a letter is a piece in both languages.
fn as_written(letters: &str) -> Vec<Pattern> {
    if let Some(castling) = castling(letters) {
        return vec![castling];
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
