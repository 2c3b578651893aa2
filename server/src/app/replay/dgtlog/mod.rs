//! Logs of a DGT board: one message a line, base64 or hex, without arrival times.
//!
//! ```text
//!  text ─▶ lines: bytes, messages ─▶ games: one after the other ─▶ for each ─┬─▶ sides: which half is White's
//!                                                                            ├─▶ start: position and first time
//!                                                                            └─▶ timeline: when every line came
//! ```
//!
//! The file is whole, so all of it can be asked before the first move is played. Device time comes from the clock frames: a second
//! that the running side lost is a second that passed. Between them every message counts for 20 ms. Without a
//! clock nobody knows how long anything took; all that is assumed is that a board stands still for a moment between one hand's
//! move and the next.

mod games;
mod lines;
mod shown;
mod sides;
mod start;
mod timeline;

use flagfall_proto::journal::v1::Play;
use flagfall_rules::{
    clock::Place,
    time::{MINUTE, Millis},
};

pub use self::lines::is_log;
use self::{lines::Said, sides::Sides, start::Start, timeline::Timeline};
use super::lexer::Fault;

/// What is on one line, and when it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the board said.
    pub bytes: Vec<u8>,
    /// Device time, milliseconds.
    pub at: u64,
}

/// A game of a log, to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DgtLog {
    /// In order.
    pub lines: Vec<Line>,
    /// Which half of the clock is White's.
    pub white: Place,
    /// The more of what the clock shows when it runs for the first move, milliseconds.
    pub first: Option<Millis>,
    /// Where the game begins, FEN; `None`: in the initial position.
    pub position: Option<String>,
    /// Lines that are none, and what is missing.
    pub faults: Vec<Fault>,
    /// What was assumed.
    pub notes: Vec<String>,
}

impl DgtLog {
    /// The kind of play that the clock first shows the time of: up to ten minutes is blitz (B.1), less than an hour rapid (A.1). In the
    /// middle of a game that tells nothing, and standard play is assumed: it decides nothing by a flag that somebody has to look
    /// at. An arbiter was there, as ever where a board is recorded.
    #[must_use]
    pub fn play(&self) -> Play {
        match self.first.filter(|_| self.position.is_none()) {
            Some(first) if first <= 10 * MINUTE => Play::BlitzSupervised,
            Some(first) if first < 60 * MINUTE => Play::RapidSupervised,
            _ => Play::Standard,
        }
    }
}

/// Reads the games of a log, at least one. Lines that are no bytes are faults of the first and skipped; bytes that are no message are
/// played all the same.
#[must_use]
pub fn read(text: &str) -> Vec<DgtLog> {
    let (said, mut faults) = lines::read(text);
    let games = games::split(said).into_iter().map(|said| {
        let log = game(said);
        DgtLog { faults: std::mem::take(&mut faults).into_iter().chain(log.faults).collect(), ..log }
    });
    games.collect()
}

fn game(said: Vec<Said>) -> DgtLog {
    let (sides, start) = (Sides::of(&said), Start::of(&said));
    let white = sides.white();
    let (first, position) = (start.time(), start.position(white));
    let (mut faults, mut notes) = (Vec::new(), Vec::new());
    notes.extend(sides.note().map(str::to_owned));
    if let Some(position) = &position {
        notes.push(format!(
            "the log begins in the middle of a game: {position}; the half that runs first is to move, and who has king and rook at home may castle"
        ));
    }
    if !start.is_seen() {
        let what =
            "no message shows the whole board: where the men stand is not known, and no move can be read".to_owned();
        faults.push(Fault { ply: 0, what });
    }
    let mut time = Timeline::default();
    let timed = said.into_iter().map(|Said { bytes, messages }| {
        messages.iter().for_each(|message| time.take(message));
        Line { at: time.next(), bytes }
    });
    DgtLog { lines: timed.collect(), white, first, position, faults, notes }
}

#[cfg(test)]
mod tests {
    use super::{
        timeline::{GAP, PAUSE},
        *,
    };

    const START: &str = "hgBDCAkKDAsKCQgHBwcHBwcHBwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQEBAQEBAQECAwQGBQQDAg==";

    fn one(text: &str) -> DgtLog {
        read(text).swap_remove(0)
    }

    #[test]
    fn time_follows_the_running_clock_and_the_side_that_runs_first_is_white() {
        // Left 3:02, right 3:02: idle; right runs; 3:01; 3:00; a man moves; left runs.
        let text = format!(
            "{START}\njQAKIAMCIAMCCA==\n8d 00 0a 00 03 02 00 03 02 13\n8d 00 0a 00 03 01 00 03 02 13\n8d000a00030000030213\njgAFNAA=\njgAFJAE=\n8d000a00030200030209\nnonsense!\n8e"
        );
        let log = one(&text);
        assert_eq!((log.white, log.faults.len(), log.lines.len()), (Place::Right, 2, 9));
        let at: Vec<u64> = log.lines.iter().map(|line| line.at).collect();
        assert!(at.is_sorted());
        assert!((980..=1_020).contains(&(at[3] - at[2])) && (980..=1_020).contains(&(at[4] - at[3])), "{at:?}");
        assert_eq!(at[5] - at[4], GAP);
        assert!(log.notes.is_empty(), "{:?}", log.notes);
        assert_eq!(log.first, Some(182_000));
    }

    #[test]
    fn the_time_that_the_clock_first_shows_tells_the_kind_of_play() {
        let play = |first| DgtLog { first, ..one("") }.play();
        assert_eq!([Some(0), Some(600_000)].map(play), [Play::BlitzSupervised; 2]);
        assert_eq!([Some(601_000), Some(3_599_000)].map(play), [Play::RapidSupervised; 2]);
        assert_eq!([Some(3_600_000), None].map(play), [Play::Standard; 2]);
    }

    #[test]
    fn a_log_without_a_clock_says_so() {
        let log = one(&format!("{START}\njgAFNAA=\njgAFJAE="));
        assert_eq!((log.white, log.notes.len()), (Place::Left, 1));
        let log = one("jgAFNAA=\njgAFJAE=\njgAFDAA=\njgAFHAc=");
        let at: Vec<u64> = log.lines.iter().map(|line| line.at).collect();
        assert_eq!(at, [GAP, 2 * GAP, 3 * GAP + PAUSE, 4 * GAP + PAUSE]);
    }
}
