//! What happened is played, one thing after the other, and the outcome gathered.

use crate::{
    Case, Ruled,
    facts::{Step, What, Which},
    ruled::{Outcome, Refused},
    table::{Table, legal},
    words::refusal,
};
use flagfall_rules::{
    clock::Colour,
    game::{CasePhase, DeskAct, DeviceAct, Facts, Irregularity, Refusal, Uci},
};

/// A thing that could not happen, or that the rules refused.
pub(crate) type Stopped = Refused;

impl From<Refusal> for Refused {
    fn from(why: Refusal) -> Refused {
        let mut refused = Refused::of(why.code());
        refused.words.en = why.to_string();
        refused
    }
}

impl Refused {
    fn of(code: &str) -> Refused {
        Refused { code: code.to_owned(), words: refusal(code).into() }
    }
}

impl Case {
    /// What the rules make of it.
    #[must_use]
    pub fn rule(&self) -> Ruled {
        let mut table = match Table::open(self) {
            Ok(table) => table,
            Err(why) => return Ruled::refused(self, why.into()),
        };
        let mut before = Before::of(&table);
        for step in &self.steps {
            before = Before::of(&table);
            if let Err(why) = happen(&mut table, step) {
                return Ruled::gathered(&table, Outcome::Refused(why));
            }
            if step.answered {
                table.settle();
            }
        }
        table.settle();
        let outcome = before.outcome(&table);
        Ruled::gathered(&table, outcome)
    }
}

/// How things stood before the last thing that happened: only what it changed is its outcome.
struct Before {
    cases: usize,
    open: Vec<(usize, CasePhase)>,
    ended: bool,
}

impl Before {
    fn of(table: &Table<'_>) -> Before {
        let cases = &table.game.cases;
        let undecided = cases.iter().enumerate().filter(|(_, case)| case.ruling.is_none());
        let open = undecided.map(|(index, case)| (index, case.phase)).collect();
        Before { cases: cases.len(), open, ended: table.game.ended.is_some() }
    }

    fn outcome(&self, table: &Table<'_>) -> Outcome {
        let cases = &table.game.cases;
        let ended = !self.ended && table.game.ended.is_some();
        let ends = |index: &usize| cases[*index].ruling.as_ref().is_some_and(|ruling| ruling.remedy.outcome.is_some());
        // A case that was only shown may have been acted on, and wait for the arbiter now.
        let came_on = self.open.iter().filter(|(index, phase)| cases[*index].phase != *phase).map(|(index, _)| *index);
        let touched: Vec<usize> = came_on.chain(self.cases..cases.len()).collect();
        // What was only noted beside it is not what it led to.
        let noted = |index: &&usize| cases[**index].ruling.as_ref().is_some_and(|ruling| ruling.remedy.key == "noted");
        match touched.iter().rev().find(|index| !noted(index)).or(touched.last()) {
            _ if ended && !touched.iter().any(ends) => Outcome::End,
            Some(&last) => Outcome::Case(last),
            None => Outcome::Nothing,
        }
    }
}

fn happen(table: &mut Table<'_>, step: &Step) -> Result<(), Stopped> {
    match step.what {
        What::Reported(kind) => report(table, step, kind),
        What::Claimed(claim) => {
            table.display(step, None);
            let facts = Facts { next: next(table, step)?, ..step.facts.clone() };
            if step.at_the_clock {
                table.device(DeviceAct::Claim(step.by, claim));
                return Ok(());
            }
            table.desk(DeskAct::Claim { by: step.by, claim, note: step.note.clone(), facts }).map_err(Into::into)
        }
        What::Flag => {
            flagged(table, step, &[step.by]);
            // A clock that has gone on into another period may show a flag beside its time.
            table.face.hand_mut(step.by).left = step.display.clocks.of(step.by).or(Some(0));
            table.face.first_flag = step.first_flag.or(table.face.first_flag).or(Some(step.by));
            table.device(DeviceAct::Flag(step.by));
            Ok(())
        }
        What::BothFlags => {
            flagged(table, step, &Colour::BOTH);
            table.face.first_flag = step.first_flag;
            table.device(DeviceAct::Flag(step.by));
            Ok(())
        }
        What::Press => {
            table.think(step, step.by);
            if let Some(board) = step.board {
                table.look(&board);
            }
            table.display(step, Some(step.by));
            table.press(step.by);
            table.quiet();
            Ok(())
        }
        What::Board => {
            if let Some(board) = step.board {
                table.look(&board);
            }
            table.display(step, None);
            table.quiet();
            Ok(())
        }
        What::Move => moved(table, step),
        What::Fault(fault) => {
            table.display(step, None);
            table.fault(fault);
            Ok(())
        }
        What::Restart => {
            table.restart();
            table.display(step, None);
            table.resume();
            Ok(())
        }
        What::Decide => {
            let cases = &table.game.cases;
            let undecided = cases.iter().rev().find(|case| case.ruling.is_none());
            let open = table.game.open_case().or(undecided).or(cases.last());
            let case = open.map_or(0, |case| case.finding.case);
            let (choice, note) = (step.way.clone(), step.note.clone());
            table.desk(DeskAct::Decide { case, choice, note }).map_err(Into::into)
        }
    }
}

/// Somebody saw it and tells the arbiter. An offence of the player to move was completed by a press of his, which the clock heard.
fn report(table: &mut Table<'_>, step: &Step, kind: Irregularity) -> Result<(), Stopped> {
    let by = step.by;
    let next = step.ply.is_none() && table.to_move() == by;
    if kind.is_strike() && next && table.game.ended.is_none() {
        if table.seen && table.game.known() > 0 && step.board.is_none() {
            return Err(Refused::of("BOARD_NEEDED"));
        }
        if let Some(board) = step.board {
            table.look(&board);
        }
        table.display(step, Some(by));
        table.press(by);
    } else {
        if let Some(board) = step.board {
            table.look(&board);
        }
        table.display(step, None);
    }
    let ply = step.ply.map(|which| ply(table, by, which)).transpose()?;
    let facts = Facts { next: self::next(table, step)?, ..step.facts.clone() };
    table.desk(DeskAct::Irregularity { kind, by, ply, note: step.note.clone(), facts }).map_err(Into::into)
}

fn ply(table: &Table<'_>, by: Colour, which: Which) -> Result<u32, Stopped> {
    let number = match which {
        Which::Ply(ply) => return Ok(ply),
        Which::Move(number) => i64::from(number),
    };
    let (first, black) = table.case.first_move();
    let ply = 2 * (number - i64::from(first)) + i64::from(by == Colour::Black) - i64::from(black) + 1;
    u32::try_from(ply).ok().filter(|&ply| ply > 0).ok_or_else(|| Refused::of("NO_SUCH_PLY"))
}

fn next(table: &Table<'_>, step: &Step) -> Result<Option<Uci>, Stopped> {
    let Some(text) = &step.next else { return Ok(None) };
    let uci = legal(table.position(), text).map(|(uci, _)| uci).or_else(|| Uci::parse(text));
    uci.map(Some).ok_or_else(|| Refused::of("NO_SUCH_MOVE"))
}

fn moved(table: &mut Table<'_>, step: &Step) -> Result<(), Stopped> {
    let by = table.to_move();
    if step.mover.is_some_and(|mover| mover != by) {
        return Err(Refused::of("OTHER_TO_MOVE"));
    }
    table.think(step, by);
    if table.seen {
        let made = legal(table.position(), step.plays.as_deref().unwrap_or_default());
        let (_, position) = made.ok_or_else(|| Refused::of("NO_SUCH_MOVE"))?;
        table.play(position);
    }
    table.display(step, step.pressed.then_some(by));
    match step.pressed {
        true => table.press(by),
        false => table.quiet(),
    }
    Ok(())
}

fn flagged(table: &mut Table<'_>, step: &Step, down: &[Colour]) {
    table.display(step, None);
    for &colour in down {
        let hand = table.face.hand_mut(colour);
        (hand.left, hand.flagged) = (Some(0), true);
    }
}
