//! A score as PGN: tags, moves in SAN with the mover's clock and time, what the arbiter did as comments, result.

use shakmaty::{CastlingMode, Chess, Color, Position, fen::Fen, san::SanPlus, uci::UciMove};

/// The tags every PGN has, in the order of the standard.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// What the score itself says and no tag of a file can.
const OWN: [&str; 3] = ["Result", "FEN", "SetUp"];

/// Columns that a line of moves has at most.
const COLUMNS: usize = 80;

/// A move of a score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Move {
    /// In UCI notation.
    pub uci: String,
    /// The mover's reading after it, milliseconds; `None`: unknown, and not zero.
    pub clk: Option<i64>,
    /// The time he used for it, milliseconds; `None`: unknown.
    pub emt: Option<i64>,
    /// What is said after it.
    pub remarks: Vec<String>,
}

/// A score as it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Score<'a> {
    /// Where the game begins, FEN; empty: the initial position.
    pub start: &'a str,
    /// The moves.
    pub moves: &'a [Move],
    /// What is said before the first of them.
    pub before: &'a [String],
    /// One of PGN's: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'a str,
}

/// Writes a score. A move that does not fit ends it with a comment: a score is shown as it is, never panicked over.
#[must_use]
pub fn write(tags: &[(String, String)], score: &Score<'_>) -> String {
    let Score { start, moves, before, result } = *score;
    let value = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    let mut out = String::new();
    for name in ROSTER {
        let unknown = if name == "Date" { "????.??.??" } else { "?" };
        tag(&mut out, name, if name == "Result" { result } else { value(name).unwrap_or(unknown) });
    }
    if !start.is_empty() {
        tag(&mut out, "SetUp", "1");
        tag(&mut out, "FEN", start);
    }
    for (name, value) in
        tags.iter().filter(|(name, _)| !ROSTER.contains(&name.as_str()) && !OWN.contains(&name.as_str()))
    {
        tag(&mut out, name, value);
    }
    out.push('\n');
    let mut line = Line { out: &mut out, column: 0 };
    before.iter().for_each(|remark| line.comment(remark));
    let mut position = position(start);
    let mut numbered = false;
    for Move { uci, clk, emt, remarks } in moves {
        let legal = UciMove::from_ascii(uci.as_bytes()).ok().and_then(|uci| uci.to_move(&position).ok());
        let Some(m) = legal else {
            line.comment(&format!(
                "{} does not fit",
                uci.chars().filter(char::is_ascii_alphanumeric).collect::<String>()
            ));
            remarks.iter().for_each(|remark| line.comment(remark));
            break;
        };
        let (mover, number) = (position.turn(), position.fullmoves());
        match mover {
            Color::White => line.word(&format!("{number}.")),
            Color::Black if !numbered => line.word(&format!("{number}...")),
            Color::Black => {}
        }
        line.word(&SanPlus::from_move_and_play_unchecked(&mut position, m).to_string());
        let commands = [("clk", clk), ("emt", emt)];
        let commands = commands.iter().filter_map(|(name, ms)| ms.map(|ms| format!("[%{name} {}]", time(ms))));
        let commands = commands.collect::<Vec<_>>().join(" ");
        if !commands.is_empty() {
            // Programs look for a command as a whole: it is not broken over lines.
            line.word(&format!("{{{commands}}}"));
        }
        remarks.iter().for_each(|remark| line.comment(remark));
        // After a comment Black's move number is written again.
        numbered = commands.is_empty() && remarks.is_empty() && mover == Color::White;
    }
    line.word(result);
    out.push('\n');
    out
}

fn position(start: &str) -> Chess {
    let fen = Fen::from_ascii(start.as_bytes()).ok();
    fen.and_then(|fen| fen.into_position(CastlingMode::Standard).ok()).unwrap_or_default()
}

fn tag(out: &mut String, name: &str, value: &str) {
    let value: String = value.chars().filter(|c| !c.is_control()).collect();
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    out.push_str(&format!("[{name} \"{value}\"]\n"));
}

struct Line<'a> {
    out: &'a mut String,
    column: usize,
}

impl Line<'_> {
    /// Words in braces, of which they may hold none themselves.
    fn comment(&mut self, text: &str) {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let plain = plain.replace('{', "(").replace('}', ")");
        let mut words: Vec<String> = plain.split_whitespace().map(str::to_owned).collect();
        if let Some(first) = words.first_mut() {
            first.insert(0, '{');
        }
        if let Some(last) = words.last_mut() {
            last.push('}');
        }
        words.iter().for_each(|word| self.word(word));
    }

    fn word(&mut self, word: &str) {
        if self.column > 0 {
            let fits = self.column + 1 + word.len() < COLUMNS;
            self.out.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.out.push_str(word);
        self.column += word.len();
    }
}

/// `H:MM:SS`, with milliseconds where there are any.
#[must_use]
pub fn time(ms: i64) -> String {
    let (seconds, rest) = (ms.max(0) / 1_000, ms.max(0) % 1_000);
    let whole = format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if rest == 0 { whole } else { format!("{whole}.{rest:03}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::replay::{lexer, pgn};

    fn moves(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn score(
        tags: &[(String, String)],
        start: &str,
        played: &[String],
        clocks: &[Option<i64>],
        result: &str,
    ) -> String {
        let clk = |index: usize| clocks.get(index).copied().flatten();
        let played = played.iter().enumerate();
        let moves: Vec<Move> =
            played.map(|(index, uci)| Move { uci: uci.clone(), clk: clk(index), ..Move::default() }).collect();
        write(tags, &Score { start, moves: &moves, before: &[], result })
    }

    #[test]
    fn remarks_are_comments_whatever_is_written_in_them() {
        let mut moves = moves("e2e4 e7e5").into_iter().map(|uci| Move { uci, ..Move::default() }).collect::<Vec<_>>();
        moves[0] = Move { emt: Some(5_000), remarks: vec!["a } b\nc {".into(), String::new()], ..moves[0].clone() };
        let text = write(&[], &Score { start: "", moves: &moves, before: &["late".into()], result: "*" });
        assert!(text.ends_with("{late} 1. e4 {[%emt 0:00:05]} {a ) b c (} 1... e5 *\n"), "{text}");
        let long = vec!["word ".repeat(60)];
        let text = write(&[], &Score { start: "", moves: &moves, before: &long, result: "*" });
        assert!(text.lines().all(|line| line.len() < COLUMNS) && text.matches("word").count() == 60, "{text}");
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let tags = [("White", "A \"B\" C\\D"), ("Opening", "x\ny"), ("Result", "0-1")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()));
        let played = moves("f2f3 e7e5 g2g4 d8h4");
        let clocks = [Some(60_000), Some(3_661_500), None, Some(0)];
        let text = score(&tags, "", &played, &clocks, "1-0");
        assert!(
            text.ends_with("1. f3 {[%clk 0:01:00]} 1... e5 {[%clk 1:01:01.500]} 2. g4 Qh4# {[%clk 0:00:00]}\n1-0\n"),
            "{text}"
        );
        let game = pgn::read(lexer::games(&text).swap_remove(0));
        assert_eq!(
            game.moves.iter().map(|m| m.clk).collect::<Vec<_>>(),
            [Some(60_000), Some(3_661_500), None, Some(0)]
        );
        assert_eq!((game.tag("White"), game.tag("Opening"), game.result), (Some("A \"B\" C\\D"), Some("xy"), "1-0"));
        assert!(text.lines().all(|line| line.len() < COLUMNS));
    }

    #[test]
    fn a_score_may_begin_anywhere_and_contain_anything() {
        let text = score(&[], "8/P3k3/8/8/8/8/8/4K3 b - - 3 7", &moves("e7d6 a7a8q oops e1e2"), &[], "*");
        assert!(text.contains("7... Kd6 8. a8=Q {oops does not fit} *"), "{text}");
    }
}
