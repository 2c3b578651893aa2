//! Results back into the file: its bytes stay what they are but for one round's results and the points.

use std::collections::HashSet;

use super::{
    Trf,
    round::outcome,
    row::{Cell, Row, Side},
};
use crate::{Fault, Faults, Outcome, ROUNDS_MAX};

/// The result of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Result {
    /// White's number.
    pub white: u32,
    /// Black's number.
    pub black: u32,
    /// How it ended.
    pub outcome: Outcome,
}

impl Trf<'_> {
    /// The file with the results of a round. Pairs without a result stay open. Points are set where they are known to be the sum of a
    /// player's results, up to this round or in all; where a tournament counts otherwise, they change by what the result changes.
    ///
    /// # Errors
    /// The file does not have a pair so, or has another result for it (`overwrite` allows that).
    pub fn fill(&self, round: u32, results: &[Result], overwrite: bool) -> std::result::Result<Vec<u8>, Faults> {
        if !(1..=ROUNDS_MAX).contains(&round) {
            return Err(Fault::whole(format!("{round} is no round"), format!("expected 1 to {ROUNDS_MAX}")).into());
        }
        let mut faults = Faults::default();
        let mut letters: Vec<Option<char>> = vec![None; self.rows.len()];
        let mut seen = HashSet::new();
        for result in results {
            let sides = [(result.white, result.black, Side::White), (result.black, result.white, Side::Black)];
            for ((number, opponent, side), letter) in sides.into_iter().zip(result.outcome.letters()) {
                if !seen.insert(number) {
                    let what = format!("player {number} has two results in round {round}");
                    faults.push(Fault::whole(what, "every player has one game a round"));
                    continue;
                }
                match self.place(round, number, opponent, side) {
                    Ok(index) => letters[index] = Some(letter),
                    Err(fault) => faults.push(fault),
                }
            }
            let (white, black) = (self.row(result.white), self.row(result.black));
            if let (Some(white), Some(black), false) = (white, black, overwrite) {
                let there = [white.cell(round).letter, black.cell(round).letter];
                let same = outcome(there[0], there[1]) == Some(result.outcome);
                if there != [' '; 2] && !same {
                    let what = format!(
                        "the file has {}{} for {} against {}, the service {}",
                        there[0], there[1], result.white, result.black, result.outcome
                    );
                    let remedy = "find out which is right; --overwrite takes the service's";
                    faults.push(Fault::at(white.line, Row::letter_column(round), what, remedy));
                }
            }
        }
        let mut out = Vec::with_capacity(self.bytes.len() + results.len());
        let mut copied = 0;
        for (row, letter) in self.rows.iter().zip(letters) {
            let line = self.filled(row, round, letter);
            out.extend_from_slice(&self.bytes[copied..row.at]);
            out.extend_from_slice(&line);
            copied = row.at + row.bytes.len();
        }
        out.extend_from_slice(&self.bytes[copied..]);
        faults.unless(out)
    }

    /// Which row says that a player has this opponent and colour.
    fn place(&self, round: u32, number: u32, opponent: u32, side: Side) -> std::result::Result<usize, Fault> {
        let remedy = "is this the file, and the round, that was paired from?";
        let Some(&index) = self.by_number.get(&number) else {
            return Err(Fault::whole(format!("player {number} is not in the file"), remedy));
        };
        let cell = self.rows[index].cell(round);
        if cell.opponent == opponent && cell.side == Some(side) {
            return Ok(index);
        }
        let colour = if side == Side::White { "White" } else { "Black" };
        let what = format!(
            "round {round}: {number} has {colour} against {opponent} at the service, in the file it plays {}",
            cell.opponent
        );
        Err(Fault::at(self.rows[index].line, Row::column(round), what, remedy))
    }

    /// A row with its letter and its points.
    fn filled(&self, row: &Row<'_>, round: u32, letter: Option<char>) -> Vec<u8> {
        let mut line = row.bytes.to_vec();
        let before = row.cell(round);
        let after = Cell { letter: letter.unwrap_or(before.letter), ..before };
        // From behind, so that what stands before keeps its place. A letter that says the same stays: `W` is a `1` of less than a move.
        if let Some(letter) = letter.filter(|&letter| outcome_of(before.letter) != letter) {
            put(&mut line, row, Row::letter_column(round), 1, &letter.to_string());
        }
        if let Some((now, then)) = row.points.zip(self.points(row, round, before, after))
            && now != then
        {
            let sign = if then < 0 { "-" } else { "" };
            let text = format!("{sign}{}.{}", then.abs() / 10, then.abs() % 10);
            put(&mut line, row, 81, 4, &format!("{text:>4}"));
        }
        line
    }

    /// A player's points once the round has this cell; `None`: the file has no points, or none of four columns.
    fn points(&self, row: &Row<'_>, round: u32, before: Cell, after: Cell) -> Option<i32> {
        let points = row.points?;
        let sum =
            |rounds: std::ops::RangeInclusive<u32>| rounds.map(|round| self.scoring.worth_of(row, round)).sum::<i32>();
        let change = self.scoring.worth(after) - self.scoring.worth(before);
        let (all, up_to, without) = (sum(1..=row.last_round()), sum(1..=round), sum(1..=round - 1));
        let then = if points == all {
            all + change
        } else if points == up_to || points == without {
            up_to + change
        } else {
            points + change
        };
        (-99..=999).contains(&then).then_some(then)
    }
}

/// The letter of a played game, whether or not it lasted a move.
fn outcome_of(letter: char) -> char {
    match letter {
        'W' => '1',
        'D' => '=',
        'L' => '0',
        other => other,
    }
}

/// Writes over so many columns of a line; one that is too short grows by blanks.
fn put(line: &mut Vec<u8>, row: &Row<'_>, column: usize, width: usize, text: &str) {
    let missing = (column + width - 1).saturating_sub(row.columns.count());
    // Only the first thing put into a line, the letter, can stand behind its end.
    line.extend(std::iter::repeat_n(b' ', missing));
    let behind = |column: usize| row.bytes.len() + column - 1 - row.columns.count();
    let at = |column: usize| if column > row.columns.count() { behind(column) } else { row.columns.offset(column) };
    line.splice(at(column)..at(column + width), text.bytes());
}
