//! A score as PGN: tags, moves in SAN with the mover's clock, result.

use shakmaty::{CastlingMode, Chess, Color, Position, fen::Fen, san::SanPlus, uci::UciMove};

/// The tags every PGN has, in the order of the standard.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// What the score itself says and no tag of a file can.
const OWN: [&str; 3] = ["Result", "FEN", "SetUp"];

/// Columns that a line of moves has at most.
const COLUMNS: usize = 80;

/// Writes a score. A move that does not fit ends it with a comment: a score is shown as it is, never panicked over.
#[must_use]
pub fn write(
    tags: &[(String, String)],
    start: &str,
    moves: &[String],
    clocks: &[[Option<i64>; 2]],
    result: &str,
) -> String {
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
    let mut position = position(start);
    let mut numbered = false;
    for (index, uci) in moves.iter().enumerate() {
        let legal = UciMove::from_ascii(uci.as_bytes()).ok().and_then(|uci| uci.to_move(&position).ok());
        let Some(m) = legal else {
            line.word(&format!(
                "{{{} does not fit}}",
                uci.chars().filter(char::is_ascii_alphanumeric).collect::<String>()
            ));
            break;
        };
        let (mover, number) = (position.turn(), position.fullmoves());
        match mover {
            Color::White => line.word(&format!("{number}.")),
            Color::Black if !numbered => line.word(&format!("{number}...")),
            Color::Black => {}
        }
        line.word(&SanPlus::from_move_and_play_unchecked(&mut position, m).to_string());
        let left = clocks.get(index).and_then(|clocks| clocks[usize::from(mover == Color::Black)]);
        if let Some(left) = left {
            line.word(&format!("{{[%clk {}]}}", time(left)));
        }
        // After a comment Black's move number is written again.
        numbered = left.is_none() && mover == Color::White;
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

    #[test]
    fn what_is_written_reads_back_the_same() {
        let tags = [("White", "A \"B\" C\\D"), ("Opening", "x\ny"), ("Result", "0-1")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()));
        let played = moves("f2f3 e7e5 g2g4 d8h4");
        let clocks = [[Some(60_000), None], [Some(60_000), Some(3_661_500)], [None, None], [None, Some(0)]];
        let text = write(&tags, "", &played, &clocks, "1-0");
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
        let text = write(&[], "8/P3k3/8/8/8/8/8/4K3 b - - 3 7", &moves("e7d6 a7a8q oops e1e2"), &[], "*");
        assert!(text.contains("7... Kd6 8. a8=Q {oops does not fit} *"), "{text}");
    }
}
