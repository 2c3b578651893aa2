//! The tournament report file: TRF16, TRF-2026, and TRFx, which is what programs add to them during a tournament.
//!
//! ```text
//!   columns   record 001, a player a line
//!   5–8       starting-rank number
//!   10, 11–13 sex, title
//!   15–47     name
//!   49–52     rating          54–56 federation      58–68 FIDE number      70–79 birth
//!   81–84     points          86–89 rank
//!   92–95     opponent        97 colour             99 result              and so on, ten columns a round
//! ```
//!
//! Lines end in CR, LF or both, as the author of the file thought fit. Of the other records these are read: 012 (the event), XXR and
//! 142 (rounds), 162, XXS and BB? (points for results), 240 (byes). The rest is left alone, and stays as it is when results are filled
//! in.

mod fill;
mod round;
mod row;
mod scoring;

use std::collections::BTreeMap;

pub use fill::Result;

use self::{row::Row, scoring::Scoring};
use crate::{
    ByeKind, FILE_MAX, Fault, Faults, ROUNDS_MAX,
    sheet::tidy,
    text::{self, Columns, Encoding},
};

/// A report file, read.
#[derive(Clone, Debug)]
pub struct Trf<'a> {
    bytes: &'a [u8],
    title: String,
    rounds: Option<u32>,
    scoring: Scoring,
    /// In the order of the file.
    rows: Vec<Row<'a>>,
    /// Which row a number has.
    by_number: BTreeMap<u32, usize>,
    /// Byes that stand in records of their own: round, player, kind, and the line.
    byes: Vec<(u32, u32, ByeKind, usize)>,
}

impl<'a> Trf<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// Everything in it that does not fit, each with its place.
    pub fn read(bytes: &'a [u8]) -> std::result::Result<Trf<'a>, Faults> {
        if bytes.len() > FILE_MAX {
            let what = format!("{} bytes, at most {FILE_MAX} are read", bytes.len());
            return Err(Fault::whole(what, "is this the report of one tournament?").into());
        }
        let encoding = Encoding::of(bytes);
        let mut trf = Trf {
            bytes,
            title: String::new(),
            rounds: None,
            scoring: Scoring::default(),
            rows: Vec::new(),
            by_number: BTreeMap::new(),
            byes: Vec::new(),
        };
        let by_bytes = Row::count_bytes(bytes, encoding);
        let mut faults = Faults::default();
        for line in text::lines(bytes) {
            let tag = line.bytes.get(..3).unwrap_or(line.bytes);
            let text = || encoding.text(line.bytes.get(4..).unwrap_or_default());
            match tag {
                b"001" => match Row::read(&line, encoding, by_bytes) {
                    Ok(row) => trf.enter(row, &mut faults),
                    Err(found) => found.into_iter().for_each(|fault| faults.push(fault)),
                },
                b"012" if trf.title.is_empty() => trf.title = tidy(&text(), 200),
                b"XXR" | b"142" => {
                    trf.rounds = text().trim().parse().ok().filter(|rounds| (1..=ROUNDS_MAX).contains(rounds))
                }
                b"162" => trf.scoring.fide(&text()),
                b"XXS" => trf.scoring.javafo(&text()),
                [b'B', b'B', kind] => trf.scoring.bbp(*kind, &text()),
                b"240" => trf.bye(&Columns::characters(line.bytes, encoding), line.number, &mut faults),
                _ => {}
            }
        }
        if trf.rows.is_empty() && faults.faults.is_empty() {
            let remedy = "export a tournament report file (TRF) with its players";
            faults.push(Fault::whole("no record 001: the file names no player", remedy));
        }
        faults.unless(trf)
    }

    /// The event's name; empty: not said.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How many rounds the file says there will be.
    #[must_use]
    pub fn rounds(&self) -> Option<u32> {
        self.rounds
    }

    fn enter(&mut self, row: Row<'a>, faults: &mut Faults) {
        let number = row.player.number;
        if let Some(&before) = self.by_number.get(&number) {
            let what = format!("number {number} is also that of line {}", self.rows[before].line);
            faults.push(Fault::at(row.line, 5, what, "give each player a starting-rank number of his own"));
            return;
        }
        self.by_number.insert(number, self.rows.len());
        self.rows.push(row);
    }

    /// `240 H 003  026  047`.
    fn bye(&mut self, columns: &Columns<'_>, line: usize, faults: &mut Faults) {
        let Some(kind) = ByeKind::of(columns.character(5)) else {
            let what = format!("{:?} is no bye", columns.character(5));
            return faults.push(Fault::at(line, 5, what, "expected F, H or Z"));
        };
        let Some(round) = columns.text(7, 9).trim().parse().ok().filter(|round| (1..=ROUNDS_MAX).contains(round))
        else {
            let what = format!("{:?} is no round", columns.text(7, 9));
            return faults.push(Fault::at(line, 7, what, format!("expected 1 to {ROUNDS_MAX}")));
        };
        for first in (11..=columns.count()).step_by(5) {
            let text = columns.text(first, first + 3);
            match text.trim().parse() {
                Ok(0) => {}
                Ok(player) => self.byes.push((round, player, kind, line)),
                Err(_) if text.trim().is_empty() => {}
                Err(_) => {
                    let what = format!("{text:?} is no player");
                    faults.push(Fault::at(line, first, what, "expected a starting-rank number"));
                }
            }
        }
    }

    fn row(&self, number: u32) -> Option<&Row<'a>> {
        self.by_number.get(&number).map(|&index| &self.rows[index])
    }
}
