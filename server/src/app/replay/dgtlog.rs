//! A log of a DGT board: one message a line, base64 or hex, without arrival times.
//!
//! Device time comes from the clock frames: a second that the running side lost is a second that passed. Between them every
//! message counts for [`GAP`]. Without a clock nobody knows how long anything took; all that is assumed is that a board
//! stands still for a moment between one hand's move and the next.

use flagfall_clock::hw::dgt::decode::{Decoder, Message, Reading};
use flagfall_proto::journal::v1::Play;
use flagfall_rules::{
    board::Scan,
    clock::{Colour, Place},
    time::{MINUTE, Millis},
};

use super::lexer::Fault;

/// What passes with a message that says nothing of time, milliseconds.
pub const GAP: u64 = 20;

/// Without a clock, or with one that stands: what passes before a man is lifted after another was put down, milliseconds.
const PAUSE: u64 = 1_200;

/// A fall of more than this in one frame is no time that passed but another reading.
const LEAP: i64 = MINUTE;

/// What is on one line, and when it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the board said.
    pub bytes: Vec<u8>,
    /// Device time, milliseconds.
    pub at: u64,
}

/// A log to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DgtLog {
    /// In order.
    pub lines: Vec<Line>,
    /// Which half of the clock is White's.
    pub white: Place,
    /// The more of what the clock first shows, milliseconds.
    pub first: Option<Millis>,
    /// Lines that are none.
    pub faults: Vec<Fault>,
    /// What was assumed.
    pub notes: Vec<String>,
}

impl DgtLog {
    /// The kind of play that the clock first shows the time of: up to ten minutes is blitz (B.1), less than an hour rapid (A.1). An
    /// arbiter was there, as ever where a board is recorded.
    #[must_use]
    pub fn play(&self) -> Play {
        match self.first {
            Some(first) if first <= 10 * MINUTE => Play::BlitzSupervised,
            Some(first) if first < 60 * MINUTE => Play::RapidSupervised,
            _ => Play::Standard,
        }
    }
}

/// Whether a text is such a log: most of its first lines are whole messages.
#[must_use]
pub fn is_log(text: &str) -> bool {
    let lines: Vec<&str> = content(text).map(|(_, line)| line).take(20).collect();
    let framed = lines.iter().filter(|line| bytes(line).is_some_and(|bytes| is_framed(&bytes))).count();
    framed > 0 && framed * 2 >= lines.len()
}

/// Reads a log. Lines that are no bytes are faults and skipped; bytes that are no message are played all the same.
#[must_use]
pub fn read(text: &str) -> DgtLog {
    let (mut lines, mut faults, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut time = Timeline::default();
    let mut sides = Sides::default();
    let mut first = None;
    let mut decoder = Decoder::default();
    for (number, line) in content(text) {
        let Some(bytes) = bytes(line) else {
            let shown: String = line.chars().take(40).collect();
            faults.push(Fault { ply: 0, what: format!("line {number}: {shown:?} is neither base64 nor hex") });
            continue;
        };
        if !is_framed(&bytes) {
            faults.push(Fault { ply: 0, what: format!("line {number}: {} bytes that are no message", bytes.len()) });
        }
        for message in decoder.push(&bytes) {
            time.take(&message);
            sides.take(&message);
            if let Message::Time(reading) = message {
                first = first.or_else(|| reading.times.into_iter().flatten().max());
            }
        }
        lines.push(Line { at: time.next(), bytes });
    }
    match (sides.first, sides.moved) {
        (None, _) => notes.push("no clock ever runs; White is taken to sit on the left".into()),
        (Some(_), Some(Colour::Black)) => {
            notes.push("the first man that moves is black though the clock that ran first is taken for White's".into());
        }
        _ => {}
    }
    DgtLog { lines, white: sides.first.unwrap_or(Place::Left), first, faults, notes }
}

/// Lines with something on them, numbered from 1.
fn content(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The bytes of a line: hex where that makes whole messages, else base64, else hex after all.
fn bytes(line: &str) -> Option<Vec<u8>> {
    let as_hex = hex(line);
    match as_hex {
        Some(bytes) if is_framed(&bytes) => Some(bytes),
        as_hex => base64(line).or(as_hex),
    }
}

fn hex(line: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = line.bytes().filter(|b| !matches!(b, b' ' | b'\t' | b':' | b',')).collect();
    let digits = digits.strip_prefix(b"0x").unwrap_or(&digits);
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |b: u8| char::from(b).to_digit(16);
    digits.chunks(2).map(|pair| u8::try_from(value(pair[0])? << 4 | value(pair[1])?).ok()).collect()
}

fn base64(line: &str) -> Option<Vec<u8>> {
    let (mut out, mut pool, mut bits) = (Vec::new(), 0u32, 0);
    let digits = line.trim_end_matches('=');
    if digits.is_empty() || line.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    for b in digits.bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        (pool, bits) = (pool << 6 | u32::from(value), bits + 6);
        if bits >= 8 {
            bits -= 8;
            out.push((pool >> bits) as u8);
            pool &= (1 << bits) - 1;
        }
    }
    Some(out)
}

/// One or more whole messages and nothing else.
fn is_framed(mut bytes: &[u8]) -> bool {
    let any = !bytes.is_empty();
    while let [first, high, low, ..] = *bytes {
        let length = usize::from(high) << 7 | usize::from(low);
        let payload = first >= 0x80 && length >= 3 && length <= bytes.len();
        if !payload || bytes[1..length].iter().any(|&b| b >= 0x80) {
            return false;
        }
        bytes = &bytes[length..];
    }
    any && bytes.is_empty()
}

/// Device time.
#[derive(Debug, Default)]
struct Timeline {
    now: u64,
    /// When the running side last lost a second.
    second: u64,
    last: Option<Reading>,
    /// A man was put down last.
    put_down: bool,
}

impl Timeline {
    fn take(&mut self, message: &Message) {
        let reading = match message {
            Message::Time(reading) => reading,
            Message::FieldUpdate(_, man) => {
                let clockless = self.last.is_none_or(|last| last.not_connected || !last.running);
                self.now += if clockless && self.put_down && man.is_none() { PAUSE } else { 0 };
                self.put_down = man.is_some();
                return;
            }
            _ => return,
        };
        let last = self.last.replace(*reading);
        let Some(last) = last.filter(|_| reading.running && !reading.not_connected) else { return };
        let Some(side) = running(reading) else { return };
        let at = usize::from(side == Place::Right);
        match (last.times[at], reading.times[at]) {
            (Some(before), Some(now)) if (1..=LEAP).contains(&(before - now)) && running(&last) == Some(side) => {
                self.second += (before - now).unsigned_abs();
                self.now = self.now.max(self.second);
            }
            // Another side, another clock: seconds begin anew.
            _ if running(&last) != Some(side) || !last.running => self.second = self.now,
            _ => {}
        }
        self.second = self.second.max(self.now.saturating_sub(999));
    }

    fn next(&mut self) -> u64 {
        self.now += GAP;
        self.now
    }
}

fn running(reading: &Reading) -> Option<Place> {
    match (reading.left_to_move, reading.right_to_move) {
        (true, false) => Some(Place::Left),
        (false, true) => Some(Place::Right),
        _ => None,
    }
}

/// Who sits where.
#[derive(Debug, Default)]
struct Sides {
    /// The side whose clock ran first.
    first: Option<Place>,
    /// The colour of the first man that came to stand elsewhere.
    moved: Option<Colour>,
    board: Option<Scan>,
}

impl Sides {
    fn take(&mut self, message: &Message) {
        match message {
            Message::Time(reading) if reading.running && !reading.not_connected && self.first.is_none() => {
                self.first = running(reading);
            }
            Message::BoardDump(scan) => self.board = Some(*scan),
            Message::FieldUpdate(square, man) => {
                let Some(board) = &mut self.board else { return };
                let new = man.filter(|_| board.at(*square) != *man && self.first.is_some());
                self.moved = self.moved.or(new.map(|man| man.colour));
                board.put(*square, *man);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "hgBDCAkKDAsKCQgHBwcHBwcHBwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQEBAQEBAQECAwQGBQQDAg==";

    #[test]
    fn lines_are_bytes_in_either_writing() {
        assert_eq!(base64("jgAFNAA="), Some(vec![0x8e, 0, 5, 0x34, 0]));
        assert_eq!(hex("8e 00 05 34 00"), base64("jgAFNAA="));
        assert_eq!(bytes("0x8E00053400"), base64("jgAFNAA="));
        for odd in ["", "=", "====", "A", "é", "8e0", "zz", "jgAFNAA===", "#"] {
            assert!(base64(odd).is_none() || hex(odd).is_none(), "{odd}");
        }
        assert!(is_log(&format!("# a comment\n\n{START}\njQAKIAMCIAMCCA==\n")));
        for not in ["", "1. e4 e5 *", "[Event \"A\"]", "8e", "hello", "deadbeef"] {
            assert!(!is_log(not), "{not}");
        }
    }

    #[test]
    fn time_follows_the_running_clock_and_the_side_that_runs_first_is_white() {
        // Left 3:02, right 3:02: idle; right runs; 3:01; 3:00; a man moves; left runs.
        let text = format!(
            "{START}\njQAKIAMCIAMCCA==\n8d 00 0a 00 03 02 00 03 02 13\n8d 00 0a 00 03 01 00 03 02 13\n8d000a00030000030213\njgAFNAA=\njgAFJAE=\n8d000a00030200030209\nnonsense!\n8e"
        );
        let log = read(&text);
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
        let play = |first| DgtLog { first, ..read("") }.play();
        assert_eq!([Some(0), Some(600_000)].map(play), [Play::BlitzSupervised; 2]);
        assert_eq!([Some(601_000), Some(3_599_000)].map(play), [Play::RapidSupervised; 2]);
        assert_eq!([Some(3_600_000), None].map(play), [Play::Standard; 2]);
    }

    #[test]
    fn a_log_without_a_clock_says_so() {
        let log = read(&format!("{START}\njgAFNAA=\njgAFJAE="));
        assert_eq!((log.white, log.notes.len()), (Place::Left, 1));
        let log = read("jgAFNAA=\njgAFJAE=\njgAFDAA=\njgAFHAc=");
        let at: Vec<u64> = log.lines.iter().map(|line| line.at).collect();
        assert_eq!(at, [GAP, 2 * GAP, 3 * GAP + PAUSE, 4 * GAP + PAUSE]);
    }
}
