//! Pairings and results as the files that organisers have: the tournament report file of FIDE (TRF16, TRF-2026, and the
//! extensions called TRFx), CSV, and the headers of PGN. Pure: bytes in, a [`Sheet`] or a list of [`Fault`]s out; and results back
//! into the very bytes they came from.
//!
//! ```text
//!   bytes ─▶ trf::Trf ─┬─▶ sheet(round) ──┐
//!            csv::read ───────────────────┼─▶ Sheet: players, boards, byes of one round
//!            pgn::sheet ──────────────────┘
//!   results ─▶ trf::Trf::fill(round) ─▶ the same bytes with that round's results and the points
//!              csv::write           ─▶ a table of the round
//! ```
//!
//! Nothing in a file is believed: names are cut to [`NAME_MAX`] characters and hold no control characters, numbers have bounds, and
//! whatever does not fit is a fault with its line and column and what to do about it.

pub mod csv;
mod entrants;
mod fault;
pub mod order;
pub mod pgn;
mod sheet;
pub mod text;
pub mod trf;

pub use fault::{Fault, Faults};
pub use sheet::{Board, Bye, ByeKind, Outcome, Player, Sheet, tidy};
pub use trf::Trf;

/// The longest file that is read, in bytes; the largest opens there are have files of a tenth of it.
pub const FILE_MAX: usize = 8 << 20;

/// The longest name of a player, in characters.
pub const NAME_MAX: usize = 100;

/// The largest starting-rank number, and the largest number of a board.
pub const NUMBER_MAX: u32 = 9_999;

/// The most rounds.
pub const ROUNDS_MAX: u32 = 99;

/// What a file is, told from its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A tournament report file.
    Trf,
    /// Games in PGN.
    Pgn,
    /// A table.
    Csv,
}

impl Format {
    /// A line that begins with a record number is a report file's, a bracket begins PGN, and everything else is taken for a table.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Format {
        let mut lines = text::lines(bytes).map(|line| line.bytes).filter(|line| !line.trim_ascii().is_empty());
        let record = |line: &[u8]| {
            line.len() > 3 && line[..3].iter().all(u8::is_ascii_digit) && line[3] == b' ' || line.starts_with(b"XXR ")
        };
        match lines.next() {
            Some(line) if line.trim_ascii_start().starts_with(b"[") => Format::Pgn,
            Some(line) if record(line) || line.starts_with(b"###") => Format::Trf,
            // Its own program's lines may come first.
            Some(_) if lines.take(200).any(|line| line.starts_with(b"001 ")) => Format::Trf,
            _ => Format::Csv,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_its_content() {
        assert_eq!(Format::of(b"012 Open\r001    1"), Format::Trf);
        assert_eq!(Format::of(b"\xef\xbb\xbf### made by hand\n012 x"), Format::Trf);
        assert_eq!(Format::of(b"XXR 9\n001 x"), Format::Trf);
        assert_eq!(Format::of(b"\n\n[Event \"x\"]\n"), Format::Pgn);
        assert_eq!(Format::of(b"board,white,black\n1,A,B\n"), Format::Csv);
        assert_eq!(Format::of(b""), Format::Csv);
    }
}
