//! A round out of a report file.

use super::{
    Trf,
    row::{Cell, Row, Side},
};
use crate::{Board, Bye, ByeKind, Fault, Faults, Outcome, ROUNDS_MAX, Sheet, order::Pair};

impl Trf<'_> {
    /// The round that is being played: the last one that is paired.
    ///
    /// # Errors
    /// None is.
    pub fn current_round(&self) -> Result<u32, Faults> {
        let paired = |round: &u32| self.rows.iter().any(|row| row.cell(*round).opponent > 0);
        let last = self.rows.iter().map(Row::last_round).max().unwrap_or(0);
        (1..=last).rev().find(paired).ok_or_else(|| {
            Fault::whole("no round is paired", "pair one in the pairing program, export the file again").into()
        })
    }

    /// What the file says of a round. Boards are numbered as pairing programs do it, by the scores before the round.
    ///
    /// # Errors
    /// The round is not paired, or two lines contradict each other.
    pub fn sheet(&self, round: u32) -> Result<Sheet, Faults> {
        let mut faults = Faults::default();
        if !(1..=ROUNDS_MAX).contains(&round) {
            return Err(Fault::whole(format!("{round} is no round"), format!("expected 1 to {ROUNDS_MAX}")).into());
        }
        let (mut pairs, mut byes) = (Vec::new(), Vec::new());
        for row in &self.rows {
            let cell = row.cell(round);
            match (cell.opponent, cell.side) {
                (0, _) => byes.extend(self.bye_of(row, round, cell)),
                (_, None) => {
                    let what = format!("an opponent, {}, and no colour", cell.opponent);
                    faults.push(Fault::at(row.line, Row::column(round) + 5, what, "expected w or b"));
                }
                (opponent, Some(side)) => match self.answers(row, opponent, side, round) {
                    Err(fault) => faults.push(fault),
                    Ok(black) if side == Side::White => pairs.push(self.pair(row, black, round)),
                    Ok(_) => {}
                },
            }
        }
        for &(of, player, _, line) in self.byes.iter().filter(|(of, ..)| *of == round) {
            if self.row(player).is_none() {
                let what = format!("the bye of round {of} names player {player}, who is not in the file");
                faults.push(Fault::at(line, 11, what, "add the player or take the bye out"));
            }
        }
        if pairs.is_empty() && faults.faults.is_empty() {
            let what = format!("round {round} is not paired");
            let paired = self
                .current_round()
                .map_or_else(|_| "no round is".to_owned(), |last| format!("the last that is paired is {last}"));
            return Err(Fault::whole(what, paired).into());
        }
        pairs.sort_by_key(|(pair, _)| pair.key());
        let boards = pairs.iter().zip(1..).map(|(&(pair, outcome), board)| Board {
            board,
            white: pair.white.0,
            black: pair.black.0,
            device: None,
            outcome,
        });
        let boards = boards.collect();
        byes.sort_by_key(|bye| bye.player);
        let mut players: Vec<_> = self.rows.iter().map(|row| row.player.clone()).collect();
        players.sort_by_key(|player| player.number);
        faults.unless(Sheet { title: self.title.clone(), round, players, boards, byes })
    }

    fn bye_of(&self, row: &Row<'_>, round: u32, cell: Cell) -> Option<Bye> {
        let player = row.player.number;
        let stated = self.byes.iter().find(|(of, who, ..)| *of == round && *who == player).map(|&(_, _, kind, _)| kind);
        let kind = match cell.letter {
            '+' => Some(ByeKind::Full),
            '-' => Some(ByeKind::Zero),
            letter => ByeKind::of(letter).or(stated),
        };
        kind.map(|kind| Bye { player, kind })
    }

    /// The opponent's line says the same.
    fn answers(&self, row: &Row<'_>, opponent: u32, side: Side, round: u32) -> Result<&Row<'_>, Fault> {
        let number = row.player.number;
        let place = |what: String, remedy: &str| Fault::at(row.line, Row::column(round), what, remedy);
        let Some(other) = self.row(opponent) else {
            let what = format!("round {round}: the opponent {opponent} of {number} is not in the file");
            return Err(place(what, "add the player, or correct the number"));
        };
        let cell = other.cell(round);
        if opponent == number || cell.opponent != number || cell.side.is_none() || cell.side == Some(side) {
            let colour = match cell.side {
                Some(Side::White) => "w",
                Some(Side::Black) => "b",
                None => "-",
            };
            let what = format!(
                "round {round}: {number} plays {opponent}, but line {} says that {opponent} plays {} {colour}",
                other.line, cell.opponent
            );
            return Err(place(what, "correct one of the two lines"));
        }
        Ok(other)
    }

    fn pair(&self, white: &Row<'_>, black: &Row<'_>, round: u32) -> (Pair, Option<Outcome>) {
        let of = |row: &Row<'_>| (row.player.number, self.score_before(row, round));
        let outcome = outcome(white.cell(round).letter, black.cell(round).letter);
        (Pair { white: of(white), black: of(black) }, outcome)
    }

    /// The points a player had before a round: those of the file less what later rounds gave, so that what a tournament counts
    /// otherwise is still in them; without any the sum of his results.
    fn score_before(&self, row: &Row<'_>, round: u32) -> i32 {
        let sum = |rounds: std::ops::Range<u32>| rounds.map(|round| self.scoring.worth_of(row, round)).sum::<i32>();
        let (before, later) = (sum(1..round), sum(round..row.last_round() + 1));
        match row.points {
            // Byes of this round may be in the points already, or not.
            Some(points) if points != before => points - later,
            _ => before,
        }
    }
}

impl super::Scoring {
    /// What a round gave a player; a round that his line says nothing of, nothing.
    pub(super) fn worth_of(&self, row: &Row<'_>, round: u32) -> i32 {
        if round > row.last_round() { 0 } else { self.worth(row.cell(round)) }
    }
}

/// The result that two letters say together; a game of less than a move counts as played.
pub(super) fn outcome(white: char, black: char) -> Option<Outcome> {
    let played = |letter| match letter {
        'W' => '1',
        'D' => '=',
        'L' => '0',
        other => other,
    };
    let letters = [played(white), played(black)];
    Outcome::ALL.into_iter().find(|outcome| outcome.letters() == letters)
}
