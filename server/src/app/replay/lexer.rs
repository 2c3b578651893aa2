//! The text of a PGN file, taken apart: tags, moves with their comments, results, and where the text is broken.
//!
//! Not `pgn-reader`'s: that one skips what it cannot read, and a skipped move is a fault of the file that has to be named.
//! It also gives up on the whole rest of a file at an open comment, and here one broken game must not cost the others.
//!
//! ```text
//!  tag line at a line's start ──▶ tags ──▶ movetext: moves, {comment}, ;comment, (variation), $n ──▶ result, or the next tag
//!                                   └───▶ the tags again: a game of which there is nothing but its headers
//! ```
//!
//! What stands between two games, a word after the result or the mark of another file's beginning, belongs to none.

use flagfall_pairings::Outcome;
pub use flagfall_pairings::text::plain as text;
use flagfall_rules::board::notation::{self, Written};

/// What is wrong with a game's file, and at which ply (0: before the first).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The ply from 1; 0 when it is no ply's.
    pub ply: usize,
    /// In words.
    pub what: String,
}

/// A move as written, not yet known to be legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMove {
    /// As written.
    pub text: String,
    /// What it says.
    pub written: Written,
    /// Everything in braces after it.
    pub comments: String,
}

/// One game as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawGame {
    /// Line of the file at which it begins, from 1.
    pub line: usize,
    /// Tag pairs in order.
    pub tags: Vec<(String, String)>,
    /// The moves of the main line, as far as they are moves.
    pub moves: Vec<RawMove>,
    /// The result at the end of the moves: `1-0`, `0-1`, `1/2-1/2`, `0-0` or `*`; `None`: not there.
    pub result: Option<&'static str>,
    /// Where the text is broken.
    pub faults: Vec<Fault>,
}

/// Takes a text apart into games. A text without any is an empty list.
#[must_use]
pub fn games(text: &str) -> Vec<RawGame> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
        games: Vec::new(),
        game: None,
        depth: 0,
        moving: false,
        stopped: false,
        blank: false,
        section: (0, 0),
    };
    while lexer.step() {}
    lexer.finish();
    lexer.games
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    games: Vec<RawGame>,
    game: Option<RawGame>,
    /// How many variations are open.
    depth: usize,
    /// The game's movetext has begun.
    moving: bool,
    /// A move could not be read: what follows in this game cannot be followed.
    stopped: bool,
    /// A blank line stands before the next tag.
    blank: bool,
    /// How many of the game's tags stand before the last blank line, and the line of the first behind it.
    section: (usize, usize),
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn game(&mut self) -> &mut RawGame {
        let line = self.line;
        self.game.get_or_insert_with(|| RawGame { line, ..RawGame::default() })
    }

    fn finish(&mut self) {
        if self.depth > 0 && self.game.is_some() {
            self.fault("a variation is not closed".into());
        }
        self.games.extend(self.game.take());
        (self.depth, self.moving, self.stopped) = (0, false, false);
        (self.blank, self.section) = (false, (0, 0));
    }

    fn fault(&mut self, what: String) {
        let ply = if self.moving { self.game().moves.len() + 1 } else { 0 };
        let what = format!("line {}: {what}", self.line);
        self.game().faults.push(Fault { ply, what });
    }

    fn advance(&mut self, bytes: usize) {
        self.line += self.text[self.at..self.at + bytes].matches('\n').count();
        self.at += bytes;
    }

    /// Up to and without the next newline.
    fn rest_of_line(&self) -> usize {
        self.rest().find('\n').unwrap_or(self.rest().len())
    }

    fn at_line_start(&self) -> bool {
        let before = &self.text[..self.at];
        before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim_matches([' ', '\t']).is_empty()
    }

    fn step(&mut self) -> bool {
        let Some(c) = self.rest().chars().next() else { return false };
        match c {
            '%' if self.text[..self.at].ends_with('\n') || self.at == 0 => self.advance(self.rest_of_line()),
            c if is_space(c) => {
                self.blank |= c == '\n' && self.text[..self.at].trim_end_matches([' ', '\t']).ends_with('\n');
                self.advance(c.len_utf8());
            }
            '[' => self.bracket(),
            '{' => self.comment(),
            ';' => self.advance(self.rest_of_line()),
            '(' => {
                (self.depth, self.moving) = (self.depth + 1, self.game.is_some());
                self.advance(1);
            }
            ')' => {
                self.depth = self.depth.saturating_sub(1);
                self.advance(1);
            }
            '$' => {
                let digits = self.rest()[1..].find(|c: char| !c.is_ascii_digit());
                self.advance(digits.map_or(self.rest().len(), |digits| digits + 1));
            }
            '}' | ']' | '<' | '>' => self.advance(1),
            _ => self.token(),
        }
        true
    }

    fn bracket(&mut self) {
        if let Some((name, value, length)) = tag(self.rest()) {
            if self.moving {
                self.finish();
            }
            self.begin_again(&name);
            self.game().tags.push((name, value));
            self.advance(length);
        } else if self.moving && !self.at_line_start() {
            // A comment that lost its braces.
            let line = self.rest_of_line();
            let length = self.rest()[..line].find(']').map_or(line, |end| end + 1);
            self.annotate(length);
        } else {
            let length = self.rest_of_line();
            let shown: String = self.rest()[..length].chars().take(60).collect();
            if self.moving {
                self.finish();
            }
            self.fault(format!("expected a tag like [White \"Name\"], found {shown:?}"));
            self.advance(length);
        }
    }

    /// Before a tag that the game has already: the tags of the next game have begun, after the last blank line, or without one
    /// where the first of them comes again. Of the game before there are only its headers.
    fn begin_again(&mut self, name: &str) {
        let (line, blank) = (self.line, std::mem::take(&mut self.blank));
        let Some(game) = &mut self.game else { return };
        if blank {
            self.section = (game.tags.len(), line);
        }
        let (before, first) = self.section;
        let is_there = |tags: &[(String, String)]| tags.iter().any(|(tag, _)| tag == name);
        let (at, line) = match game.tags.len() {
            _ if is_there(&game.tags[..before]) => (before, first),
            count if game.tags.first().is_some_and(|(first, _)| first == name) => (count, line),
            _ => return,
        };
        let tags = game.tags.split_off(at);
        self.finish();
        self.game = Some(RawGame { line, tags, ..RawGame::default() });
    }

    fn comment(&mut self) {
        let end = self.rest().find('}');
        // A tag line inside a comment is the next game, swallowed by a brace that nobody closed.
        let swallowed = self.rest()[..end.unwrap_or(self.rest().len())].find("\n[Event \"");
        match (end, swallowed) {
            (Some(end), None) => self.annotate(end + 1),
            (_, swallowed) => {
                self.moving = true;
                self.fault("a comment is not closed".into());
                self.stopped = true;
                self.advance(swallowed.map_or(self.rest().len(), |at| at + 1));
            }
        }
    }

    /// Keeps the next bytes as a comment on the last move.
    fn annotate(&mut self, length: usize) {
        let (at, depth) = (self.at, self.depth);
        let words = &self.text[at..at + length];
        if let Some(last) = self.game.as_mut().and_then(|game| game.moves.last_mut()).filter(|_| depth == 0) {
            last.comments.push_str(words);
        }
        self.advance(length);
    }

    fn token(&mut self) {
        let ends = |c: char| is_space(c) || "{}()[];$<>".contains(c);
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        // A pawn's new piece may stand in brackets, and is no variation: `bxa8(Q)`.
        let length = match self.rest().as_bytes().get(length - 1..) {
            Some([b'1' | b'8', b'(', b'Q' | b'R' | b'B' | b'N', b')', ..]) => length + 3,
            _ => length,
        };
        let token = self.rest()[..length].to_owned();
        self.moving = self.game.is_some();
        if self.depth == 0 {
            self.read(&token);
        }
        self.advance(length);
    }

    fn read(&mut self, token: &str) {
        if let Some(result) = result(token) {
            if self.game.is_some() {
                self.game().result = Some(result);
                self.finish();
            }
            return;
        }
        let bare = notation::numberless(token).trim_start_matches(['.', '…']);
        let bare = bare.trim_end_matches(['!', '?', '□', '⩲', '⩱']);
        // A word of prose may look like a pawn's move without the rank; it begins no game.
        let begins = bare.contains(|c: char| c.is_ascii_digit()) || bare.starts_with(['O', 'o']);
        match Written::parse(bare) {
            _ if self.stopped => {}
            Some(written) if self.game.is_some() || begins => {
                let text = bare.to_owned();
                self.game().moves.push(RawMove { text, written, comments: String::new() });
                self.moving = true;
            }
            _ if self.game.is_none() || notation::is_remark(bare) => {}
            _ => {
                let shown: String = bare.chars().take(40).collect();
                self.fault(format!("{shown:?} is no move"));
                self.stopped = true;
            }
        }
    }
}

/// What separates: blanks, and the marks at the beginning and the end of files that were put together to one.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{1a}' | '\0')
}

/// A result as it stands at the end of moves. `0-0` is castling there until the position says otherwise, a bare figure is the number of
/// a move, and signs alone assess a position.
fn result(token: &str) -> Option<&'static str> {
    let says_points = token.chars().count() > 1 && token.starts_with(|c: char| c.is_ascii_digit()) || token == "½";
    match token {
        "*" => Some("*"),
        _ if Written::parse(token).is_some() => None,
        _ if says_points || token.starts_with('½') => outcome(token),
        _ => None,
    }
}

/// The result that a text says, as PGN writes it, or a table where both players lost; a forfeit is a result like any other.
#[must_use]
pub fn outcome(text: &str) -> Option<&'static str> {
    Some(match Outcome::of(text)? {
        Outcome::WhiteWins | Outcome::WhiteByForfeit => "1-0",
        Outcome::BlackWins | Outcome::BlackByForfeit => "0-1",
        Outcome::Draw => "1/2-1/2",
        Outcome::BothLose | Outcome::BothForfeit => "0-0",
    })
}

/// Reads `[Name "value"]`; its name, value and length. A quote inside a value should be escaped and often is not, so the
/// value ends at the quote that the bracket follows.
fn tag(text: &str) -> Option<(String, String, usize)> {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let inner = line.strip_prefix('[')?.trim_start();
    let name = &inner[..inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?];
    let quoted = inner[name.len()..].trim_start().strip_prefix('"')?;
    let start = line.len() - quoted.len();
    let mut value = String::new();
    let mut chars = quoted.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push(c),
            },
            '"' if quoted[at + 1..].trim_start().starts_with(']') => {
                let bracket = quoted[at + 1..].find(']')?;
                return (!name.is_empty()).then(|| (name.to_owned(), value, start + at + 1 + bracket + 1));
            }
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sans(game: &RawGame) -> Vec<&str> {
        game.moves.iter().map(|m| m.text.as_str()).collect()
    }

    #[test]
    fn games_tags_comments_variations_and_results() {
        let text = "% escaped\n[Event \"A \\\"b\\\" c\"]\n[Site \"the \"old\" hall\"] [Round \"1\"]\n\n1. e4 {[%clk 0:01:00]} (1. d4 {x} (1. c4) d5) e5!? $3 2.Nf3\n\n; a line\nNc6 2... 0-0 1–0\n[Event \"B\"]\n\n1.d4 *\n1. c4 c5";
        let games = games(text);
        assert_eq!(games.len(), 3);
        assert_eq!(
            games[0].tags,
            [("Event", "A \"b\" c"), ("Site", "the \"old\" hall"), ("Round", "1")].map(|(a, b)| (a.into(), b.into()))
        );
        assert_eq!(sans(&games[0]), ["e4", "e5", "Nf3", "Nc6", "0-0"]);
        assert_eq!(sans(&super::games("1. a8(Q) (1. b8(N)) Ke7 2. b1 (Q) *")[0]), ["a8(Q)", "Ke7", "b1"]);
        assert_eq!(games[0].moves[0].comments, "{[%clk 0:01:00]}");
        assert_eq!((games[0].result, games[1].result, games[2].result), (Some("1-0"), Some("*"), None));
        assert_eq!(sans(&games[2]), ["c4", "c5"]);
        assert!(games.iter().all(|game| game.faults.is_empty()), "{games:?}");
        assert_eq!(games[1].line, 9);
    }

    #[test]
    fn what_is_broken_is_named_and_the_next_game_goes_on() {
        let text = "[Event \"A\"]\n[White Nobody]\n\n1. e4 Zf3 2. Nf3\n[Event \"B\"]\n\n1. e4 {never closed\n[Event \"C\"]\n\n1. e4 ( e5\n[Event \"D\"]\n\n1. e4 -- 2. d4 *";
        let games = games(text);
        let faults: Vec<_> = games.iter().map(|g| g.faults.iter().map(|f| f.ply).collect::<Vec<_>>()).collect();
        assert_eq!(faults, [vec![0, 2], vec![2], vec![2], vec![2]]);
        assert!(games[0].faults[0].what.contains("line 2") && games[0].faults[1].what.contains("Zf3"));
        assert!(games.iter().all(|game| sans(game) == ["e4"]), "nothing after what could not be read");
    }

    #[test]
    fn headers_alone_are_a_game() {
        let a = "[Event \"Cup\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n";
        let c = "[Event \"Cup\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"0-1\"]\n";
        let names = |text: &str| -> Vec<(usize, String, usize)> {
            let tag = |game: &RawGame| game.tags.iter().find(|(tag, _)| tag == "White").map(|(_, name)| name.clone());
            games(text).iter().map(|game| (game.line, tag(game).unwrap_or_default(), game.moves.len())).collect()
        };
        let two = |line| vec![(1, "A".to_owned(), 0), (line, "C".to_owned(), 2)];
        assert_eq!(names(&format!("{a}\n\n{c}\n1. e4 e5 0-1")), two(7));
        assert_eq!(names(&format!("{a}{c}\n1. e4 e5")), two(5), "no blank line, and the first tag comes again");
        // The order differs: only the third tag of the second game is one that the first has.
        let other = "[Site \"Hall\"]\n[Round \"1\"]\n[White \"C\"]\n\n1. e4 e5";
        assert_eq!(names(&format!("{a} \t\n{other}")), two(6));
        assert_eq!(
            names(&format!("{a}\n[Site \"Hall\"]\n\n1. e4")),
            [(1, "A".into(), 1)],
            "one game, with a blank line"
        );
        assert_eq!(names(&format!("{a}[White \"A.\"]\n\n1. e4")), [(1, "A".into(), 1)], "one game, with a tag twice");
    }

    #[test]
    fn what_stands_between_games_belongs_to_none() {
        let game = "[Event \"A\"]\n\n1. e4 e5 1-0";
        for between in [
            " adjudicated",
            " 1-0 1/2-1/2",
            " {Black resigned}",
            " (e6)",
            "\n\u{feff}",
            "\u{1a}",
            "\0\0",
            " $1 de jure",
            " Black's flag",
        ] {
            let games = games(&format!("{game}{between}\n\n{game}{between}"));
            assert_eq!(games.len(), 2, "{between:?}");
            assert!(games.iter().all(|game| game.faults.is_empty() && sans(game) == ["e4", "e5"]), "{games:?}");
        }
        assert_eq!(games("From: me\nSubject: games\n\n1. e4 e5 1-0").len(), 1);
    }

    #[test]
    fn results_are_written_in_many_ways() {
        for (text, expected) in [
            ("1:0", "1-0"),
            ("0—1", "0-1"),
            ("1/2", "1/2-1/2"),
            ("½", "1/2-1/2"),
            ("½-½", "1/2-1/2"),
            ("0.5-0.5", "1/2-1/2"),
            ("0:0", "0-0"),
            ("1-0F", "1-0"),
        ] {
            let games = games(&format!("1. e4 e5 {text}\n\n1. d4 *"));
            assert_eq!((games.len(), games[0].result, games[0].faults.len()), (2, Some(expected), 0), "{text}");
        }
    }

    #[test]
    fn every_encoding_and_line_end_is_text() {
        assert_eq!(text(b"\xef\xbb\xbfa\r\nb\rc\n"), "a\nb\nc\n");
        assert_eq!(text(b"Jos\xe9\r"), "José\n");
        assert_eq!(games(&text(b"[White \"Jos\xe9\"]\r\r1. e4 *\r"))[0].tags[0].1, "José");
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in
            ["", "[", "[A", "[A \"", "{", "(", "((((", "$", "$$9", "]}>", "%", "\\", "[A \"\\", "\u{feff}é[", "1.", "…"]
        {
            let _ = games(text);
        }
    }
}
