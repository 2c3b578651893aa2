//! A game of a PGN file: legal moves with what the clocks showed, and what is wrong with the rest.

use flagfall_rules::{clock::Control, time::Millis};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, fen::Fen, san::SanError};

use super::{
    control_tag::{self, Stated},
    lexer::{Fault, RawGame},
};

/// One legal move of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub m: Move,
    /// The mover's clock after it (`%clk`), milliseconds; `None`: not stated. Unknown is not zero.
    pub clk: Option<Millis>,
    /// The time spent on it (`%emt`), milliseconds.
    pub emt: Option<Millis>,
}

/// A game to play.
#[derive(Clone, Debug, PartialEq)]
pub struct PgnGame {
    /// Tag pairs in order.
    pub tags: Vec<(String, String)>,
    /// Where it begins; `None`: the initial position.
    pub fen: Option<String>,
    /// The position it begins from.
    pub start: Chess,
    /// The legal moves, up to the first that is not.
    pub moves: Vec<PgnMove>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'static str,
    /// The control it states.
    pub control: Option<Control>,
    /// What is wrong with the file.
    pub faults: Vec<Fault>,
    /// What was read with a reservation.
    pub notes: Vec<String>,
}

impl PgnGame {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Plays what is written as far as it is legal.
#[must_use]
pub fn read(raw: RawGame) -> PgnGame {
    let RawGame { tags, moves: written, result: ending, mut faults, .. } = raw;
    let value = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.trim());
    let mut notes = Vec::new();
    let start = match value("FEN").map(position) {
        None => Some(Chess::default()),
        Some(Ok(position)) => Some(position),
        Some(Err(why)) => {
            faults.push(Fault { ply: 0, what: format!("the FEN tag is no position: {why}") });
            None
        }
    };
    let (moves, unread) = match &start {
        Some(start) => play(start, &written, &mut faults),
        None => (Vec::new(), 0),
    };
    if unread > 0 {
        notes.push(format!("{unread} %clk values are not H:MM:SS and are taken as unknown"));
    }
    let start = start.unwrap_or_default();
    let tagged = value("Result").and_then(|value| RESULTS.into_iter().find(|known| *known == value));
    let result = match (tagged.filter(|tagged| *tagged != "*"), ending) {
        (Some(tagged), Some(ending)) if ending != "*" && tagged != ending => {
            notes.push(format!("the tag says {tagged}, the moves end with {ending}; the tag is taken"));
            tagged
        }
        (Some(tagged), _) => tagged,
        (None, ending) => ending.unwrap_or("*"),
    };
    let control = control(value("TimeControl").unwrap_or(""), &moves, &mut notes);
    faults.sort_by_key(|fault| fault.ply);
    let fen = (start != Chess::default()).then(|| Fen::from_position(&start, EnPassantMode::Legal).to_string());
    PgnGame { fen, start, moves, result, control, faults, notes, tags }
}

fn position(fen: &str) -> Result<Chess, String> {
    let fen = Fen::from_ascii(fen.as_bytes()).map_err(|error| error.to_string())?;
    fen.into_position(CastlingMode::Standard).map_err(|error| error.to_string())
}

/// The legal moves, and how many clock values could not be read.
fn play(start: &Chess, written: &[super::lexer::RawMove], faults: &mut Vec<Fault>) -> (Vec<PgnMove>, usize) {
    let (mut position, mut moves, mut unread) = (start.clone(), Vec::new(), 0);
    for written in written {
        let m = match written.san.to_move(&position) {
            Ok(m) => m,
            Err(error) => {
                let text: String = written.text.chars().take(40).collect();
                let what = match error {
                    _ if position.is_checkmate() => format!("{text} comes after mate"),
                    _ if position.is_stalemate() => format!("{text} comes after stalemate"),
                    SanError::IllegalSan => format!("{text} is not legal"),
                    SanError::AmbiguousSan => format!("{text} is ambiguous"),
                };
                // What could not be read later does not matter any more: this is where the game stops.
                faults.retain(|fault| fault.ply <= moves.len());
                faults.push(Fault { ply: moves.len() + 1, what });
                break;
            }
        };
        position.play_unchecked(m);
        let stated = |name| value(&written.comments, name);
        let clk = stated("[%clk").map(time);
        unread += usize::from(clk == Some(None));
        moves.push(PgnMove { m, clk: clk.flatten(), emt: stated("[%emt").and_then(time) });
    }
    (moves, unread)
}

fn control(tag: &str, moves: &[PgnMove], notes: &mut Vec<String>) -> Option<Control> {
    let control = match control_tag::read(tag) {
        Stated::Nothing => return None,
        Stated::Unreadable(why) => {
            notes.push(format!("the time control {tag:.60?} is not understood ({why}); none is assumed"));
            return None;
        }
        Stated::Control(control) => control,
    };
    // 90+30 means 90 seconds to the standard and 90 minutes to many a hand: a first reading tells.
    let first = moves.iter().take(2).filter_map(|m| m.clk).max();
    let period = control.period(0);
    let most = period.base + 2 * period.compensation.amount() + 1_000;
    if first.is_some_and(|first| first > most) {
        notes.push(format!("the time control {tag:.60?} does not fit the first readings; none is assumed"));
        return None;
    }
    Some(control)
}

/// The value of a command in comments, such as `[%clk 1:00:00]`.
fn value<'a>(comments: &'a str, name: &str) -> Option<&'a str> {
    let after = &comments[comments.find(name)? + name.len()..];
    let value = &after[..after.find(']')?];
    value.starts_with(char::is_whitespace).then(|| value.trim())
}

/// Reads `H:MM:SS`, with decimals or without. Two fields could be hours or minutes, so they are nothing.
fn time(text: &str) -> Option<Millis> {
    let mut fields = text.split(':');
    let (hours, minutes, seconds) = (fields.next()?, fields.next()?, fields.next()?);
    let (seconds, decimals) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let number = |text: &str, most: Millis| {
        let digits = !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<Millis>().ok().filter(|n| digits && *n <= most)
    };
    let thousandths = number(format!("{decimals:0<3}").get(..3)?, 999)?;
    let none_left = fields.next().is_none() && decimals.bytes().all(|b| b.is_ascii_digit());
    let (hours, minutes, seconds) = (number(hours, 99)?, number(minutes, 59)?, number(seconds, 59)?);
    none_left.then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000 + thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::replay::lexer;

    fn game(text: &str) -> PgnGame {
        read(lexer::games(text).swap_remove(0))
    }

    #[test]
    fn clocks_are_read_or_unknown() {
        let g = game(
            "[TimeControl \"15 min/game + 10 sec/move\"]\n\n1. e4 {[%clk 0:15:09]} {[%emt 0:00:01]} e5 {[%clk\n00:15:07.5]} 2. Nf3 Nc6 { [%clk 1:28] } 3. Bb5 {[%clk 0:00:00]} a6 {[%clk -1:00:00]} 1-0",
        );
        let clocks: Vec<_> = g.moves.iter().map(|m| (m.clk, m.emt)).collect();
        let expected = [
            (Some(909_000), Some(1_000)),
            (Some(907_500), None),
            (None, None),
            (None, None),
            (Some(0), None),
            (None, None),
        ];
        assert_eq!(clocks, expected);
        assert_eq!(g.control.map(|c| c.to_string()), Some("900+10".into()));
        assert_eq!((g.result, g.notes.len(), g.faults.len()), ("1-0", 1, 0));
        for odd in
            ["1:2:3:4", "", ":::", "1:60:00", "x", "1:00:0x", "0:00:01.", "99999:00:00", "0:00:01.9999999", "é:é:é"]
        {
            let _ = time(odd);
        }
        assert_eq!(
            (time("0:00:01.9999"), time("10:00:00"), time("1:60:00"), time("0:0:1.x")),
            (Some(1_999), Some(36_000_000), None, None)
        );
    }

    #[test]
    fn faults_name_the_ply_and_what_is_legal_stays() {
        let g = game("1. f3 e5 2. g4 Qh4# 3. Kf2 Zz 0-1");
        assert_eq!((g.moves.len(), g.faults.len(), g.faults[0].ply), (4, 1, 5));
        assert!(g.faults[0].what.contains("after mate"));
        let g = game("1. e4 e5 2. Ke3 *");
        assert_eq!((g.moves.len(), g.faults[0].ply), (2, 3));
        let g = game("1. d4 d5 2. Nf3 Nf6 3. Nd2 a6 *");
        assert!(g.faults[0].what.contains("ambiguous"), "{:?}", g.faults);
        let g = game("[FEN \"nonsense\"]\n\n1. e4 *");
        assert_eq!((g.moves.len(), g.faults[0].ply), (0, 0));
    }

    #[test]
    fn a_control_that_contradicts_the_first_readings_is_not_taken() {
        let g = game("[TimeControl \"90+30\"]\n\n1. e4 {[%clk 1:30:05]} e5 *");
        assert_eq!((g.control, g.notes.len()), (None, 1));
    }

    #[test]
    fn a_game_may_begin_anywhere() {
        let g = game("[FEN \"8/P3k3/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=Q Kd6 1/2-1/2");
        assert_eq!((g.moves.len(), g.result), (2, "1/2-1/2"));
        assert!(g.fen.is_some_and(|fen| fen.starts_with("8/P3k3/")));
    }
}
