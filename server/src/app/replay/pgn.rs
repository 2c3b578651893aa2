//! A game of a PGN file: legal moves with what the clocks showed, and what is wrong with the rest.

use flagfall_rules::{
    board::{
        fen,
        notation::{Unplayable, Written},
    },
    clock::Control,
    game::state,
    time::Millis,
};
use shakmaty::{Chess, Move, Position};

use super::{
    control_fit,
    control_tag::{self, Stated},
    lexer::{self, Fault, RawGame, RawMove},
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
    /// `1-0`, `0-1`, `1/2-1/2`, `0-0` or `*`.
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

/// Plays what is written as far as it is legal.
#[must_use]
pub fn read(raw: RawGame) -> PgnGame {
    let RawGame { tags, moves: mut written, result: mut ending, mut faults, .. } = raw;
    let value = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.trim());
    let mut notes = Vec::new();
    let start = match value("FEN").map(fen::read) {
        None => Some(Chess::default()),
        Some(Ok((position, dropped))) => {
            notes.extend(dropped.into_iter().map(|right| right.words().en.to_owned()));
            Some(position)
        }
        Some(Err(why)) => {
            faults.push(Fault { ply: 0, what: format!("the FEN tag is no position: {why}") });
            None
        }
    };
    let tagged = value("Result").and_then(lexer::outcome);
    if ending.is_none() && start.as_ref().is_some_and(|start| ends_in_noughts(start, &written, tagged)) {
        written.pop();
        ending = Some("0-0");
        if tagged.is_none() {
            notes.push("the last 0-0 is no move here: it is taken for the result".to_owned());
        }
    }
    let (moves, unread) = match &start {
        Some(start) => play(start, &written, &mut faults),
        None => (Vec::new(), 0),
    };
    if unread > 0 {
        notes.push(format!("{unread} %clk values are not H:MM:SS and are taken as unknown"));
    }
    let start = start.unwrap_or_default();
    let result = match (tagged, ending) {
        (Some(tagged), Some(ending)) if ending != "*" && tagged != ending => {
            notes.push(format!("the tag says {tagged}, the moves end with {ending}; the tag is taken"));
            tagged
        }
        (Some(tagged), _) => tagged,
        (None, ending) => ending.unwrap_or("*"),
    };
    let control = control(value("TimeControl").unwrap_or(""), &moves, &mut notes);
    faults.sort_by_key(|fault| fault.ply);
    let fen = (start != Chess::default()).then(|| state::fen(&start));
    PgnGame { fen, start, moves, result, control, faults, notes, tags }
}

/// The last thing written, `0-0`, is no castling but the result of a game that both players lost: the tag says so, or it is no move.
fn ends_in_noughts(start: &Chess, written: &[RawMove], tagged: Option<&str>) -> bool {
    let Some((last, moves)) = written.split_last().filter(|(last, _)| last.text == "0-0") else { return false };
    let mut position = start.clone();
    let played = |position: &mut Chess, move_: &Written| move_.to_move(position).map(|m| position.play_unchecked(m));
    let all = moves.iter().all(|m| played(&mut position, &m.written).is_ok());
    all && (tagged == Some("0-0") || last.written.to_move(&position).is_err())
}

/// The legal moves, and how many clock values could not be read.
fn play(start: &Chess, written: &[RawMove], faults: &mut Vec<Fault>) -> (Vec<PgnMove>, usize) {
    let (mut position, mut moves, mut unread) = (start.clone(), Vec::new(), 0);
    for written in written {
        let m = match written.written.to_move(&position) {
            Ok(m) => m,
            Err(error) => {
                let text: String = written.text.chars().take(40).collect();
                let what = match error {
                    _ if position.is_checkmate() => format!("{text} comes after mate"),
                    _ if position.is_stalemate() => format!("{text} comes after stalemate"),
                    Unplayable::Illegal => format!("{text} is not legal"),
                    Unplayable::Ambiguous => format!("{text} is ambiguous"),
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
    if !control_fit::fits(&control, moves) {
        notes.push(format!("the time control {tag:.60?} does not fit the readings; none is assumed"));
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
    fn noughts_are_castling_or_the_result_of_a_game_that_both_lost() {
        let castled = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 0-0";
        let of = |text: &str| (game(text).moves.len(), game(text).result, game(text).faults.len());
        assert_eq!(of(castled), (8, "*", 0));
        assert_eq!(of(&format!("{castled} 0-0")), (8, "0-0", 0), "he has castled already");
        assert_eq!(of(&format!("[Result \"0-0\"]\n\n{castled}")), (7, "0-0", 0), "the tag says what the last is");
        assert_eq!(of("[Result \"0-0\"]\n\n0-0"), (0, "0-0", 0));
        assert_eq!(of("1. e4 0-0 2. d4 *"), (1, "*", 1), "in the middle it is no result");
        assert_eq!(of("[Result \"½:½\"]\n\n1. e4"), (1, "1/2-1/2", 0));
    }

    #[test]
    fn rights_that_the_board_does_not_allow_cost_no_game() {
        let g = game("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w KQkq e3 0 1\"]\n\n1. Kd2 Kd7 *");
        assert_eq!((g.moves.len(), g.notes.len(), g.faults.len()), (2, 2, 0));
        assert_eq!(g.fen.as_deref(), Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    }

    /// Own moves of both sides, each side's readings in seconds from the first that is there.
    fn played(tag: &str, missing: usize, seconds: &[i64]) -> PgnGame {
        let shuffle = ["Nf3", "Nf6", "Ng1", "Ng8"].into_iter().cycle();
        let clk = |s: &i64| format!("{{[%clk {}:{:02}:{:02}]}}", s / 3_600, s / 60 % 60, s % 60);
        let clocks =
            std::iter::repeat_n(String::new(), 2 * missing).chain(seconds.iter().flat_map(|s| [clk(s), clk(s)]));
        let moves: String = shuffle.zip(clocks).map(|(san, clk)| format!("{san} {clk} ")).collect();
        game(&format!("[TimeControl \"{tag}\"]\n\n{moves}*"))
    }

    #[test]
    fn a_control_is_taken_if_the_readings_can_be_its() {
        let taken = |g: &PgnGame| g.control.as_ref().map(ToString::to_string);
        // Fifteen minutes, not seconds: the first reading says so even if it comes late.
        let g = played("15+10", 1, &[880, 870, 860, 850]);
        assert_eq!((taken(&g), g.notes.len()), (None, 1));
        assert_eq!(taken(&played("900+10", 1, &[880, 870, 860, 850])).as_deref(), Some("900+10"));
        // One reading that leapt is a finding, and no reason to doubt the control.
        assert_eq!(taken(&played("900+10", 0, &[1_500, 890, 880, 870])).as_deref(), Some("900+10"));
        assert_eq!(taken(&played("900+10", 0, &[900, 890, 1_500, 1_490, 1_480])).as_deref(), Some("900+10"));
        // Ten seconds more at nearly every move are an increment that the tag does not know.
        assert_eq!(taken(&played("900", 0, &[700, 705, 710, 716, 700, 706])), None);
        // The next period's hour came when the time was gone, not at the second move.
        let g = played("2/120:3600", 0, &[100, 60, 20, 3_590, 3_500]);
        assert_eq!(taken(&g).as_deref(), Some("2/120:3600"));
    }

    #[test]
    fn a_game_may_begin_anywhere() {
        let g = game("[FEN \"8/P3k3/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=Q Kd6 1/2-1/2");
        assert_eq!((g.moves.len(), g.result), (2, "1/2-1/2"));
        assert!(g.fen.is_some_and(|fen| fen.starts_with("8/P3k3/")));
    }
}
