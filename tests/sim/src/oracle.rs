//! What must hold in every moment, whatever breaks.
//!
//! | | |
//! |---|---|
//! | I1 | what is acknowledged, to a clock or a desk, is in the journal, with the very content |
//! | I2 | the events of a spool and the entries of a stream have no gap |
//! | I3 | a directive takes effect at most once and ends known, or is known to be unknown |
//! | I4 | one session of a clock writes at a time, and no epoch is given twice |
//! | I5 | what is shown of a game is what its entries lead to |
//! | I6 | once all is well, the clock shows what is wanted of it, or somebody was alarmed |
//! | I7 | every entry chains to the one before it |
//! | I8 | what waits anywhere is bounded |

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use flagfall_clock::Spool;
use flagfall_rules::{
    clock::Colour,
    game::{Act, Alarm, Outcome, Stage},
};
use flagfall_server::{arena::Arena, journal::Journal};

use crate::{
    disk::Disk,
    hall::Hall,
    ledger::{Ledger, Wrong, hex},
    pi::Pi,
    table::Table,
    trace::Trace,
};

/// The most appends that may wait for the disk here: a window for each clock, and the desks.
const WAITING_MAX: usize = 2_048;

/// The least leap of a clock's time that only a directive explains, milliseconds.
const LEAP: i64 = 30_000;

/// How far a leap may be from the amount that a directive added: an external clock runs on while it is set by what it showed.
const NEAR: i64 = 2_900;

/// See the module.
pub(crate) struct Oracle {
    ledger: Ledger,
    version: u64,
    /// Every session the service ever told of.
    epochs: BTreeSet<(String, u64)>,
    /// The last event on each card.
    spooled: BTreeMap<[u8; 16], u64>,
    /// Times that were set forward, by game.
    leaps: BTreeMap<String, Vec<(Colour, i64)>>,
    /// What an own clock showed last, by table.
    faces: BTreeMap<String, [Option<i64>; 2]>,
    trace: Trace,
}

impl Oracle {
    pub(crate) fn new(trace: Trace) -> Oracle {
        let (ledger, epochs) = (Ledger::new(trace.clone()), BTreeSet::new());
        Oracle {
            ledger,
            version: u64::MAX,
            epochs,
            spooled: BTreeMap::new(),
            leaps: BTreeMap::new(),
            faces: BTreeMap::new(),
            trace,
        }
    }

    /// Looks at everything once.
    pub(crate) fn look(
        &mut self,
        disk: &Disk,
        hall: &Hall,
        pis: &[Arc<Pi>],
        tables: &[Table],
        arena: Option<&Arena>,
    ) -> Result<(), Wrong> {
        if disk.version() != self.version {
            self.version = disk.version();
            self.ledger.follow(disk)?;
        }
        for (device, epoch) in self.trace.taken_in() {
            if !self.epochs.insert((device.clone(), epoch)) {
                return Err(format!("I4: {device} was taken in twice with epoch {epoch}"));
            }
        }
        for pi in pis {
            let (spool, last) = pi.spooled();
            let known = self.spooled.insert(spool, last).unwrap_or(0);
            if last < known {
                return Err(format!("I2: {}: {known} events were on the card, and {last} are", pi.name));
            }
            if let Some(shown) = pi.shown().filter(|shown| shown.acked > 0) {
                let hash = pi.card.chain_hash(shown.acked).ok().flatten();
                let hash = hash.ok_or_else(|| format!("I2: {}: {} acked, {last} spooled", pi.name, shown.acked))?;
                let here = self.ledger.holds(&spool, shown.acked, hash);
                here.map_err(|wrong| format!("{wrong} ({}, spool {})", pi.name, hex(&spool)))?;
            }
        }
        for answered in hall.answers() {
            if !self.ledger.admitted(&answered.game, &answered.request) {
                let (game, request, rev) = (answered.game, answered.request, answered.rev);
                return Err(format!("I1: {game}: {request} was answered with {rev} and is not in the journal"));
            }
        }
        for shown in hall.looks() {
            self.ledger.replays(&shown)?;
        }
        if let Some(wrong) = hall.wrongs().into_iter().next() {
            return Err(wrong);
        }
        tables.iter().try_for_each(|table| self.leapt(table))?;
        self.bounded(disk, pis, arena)
    }

    fn bounded(&self, disk: &Disk, pis: &[Arc<Pi>], arena: Option<&Arena>) -> Result<(), Wrong> {
        let waiting = disk.unsynced();
        if waiting > WAITING_MAX {
            return Err(format!("I8: {waiting} entries wait for the disk"));
        }
        if let Some(arena) = arena {
            let (sessions, messages) = (arena.roster().sessions(), arena.waiting());
            if sessions > pis.len() || messages > WAITING_MAX {
                return Err(format!("I8: {sessions} sessions, {messages} messages wait for games"));
            }
        }
        Ok(())
    }

    /// Times that were set forward on a clock, each by a directive's amount and at most once.
    fn leapt(&mut self, table: &Table) -> Result<(), Wrong> {
        let leaps = self.leaps.entry(table.game.clone()).or_default();
        let before = leaps.len();
        match &table.dial {
            Some(dial) => {
                let new = dial.leaps.iter().skip(before);
                leaps.extend(new.map(|&(place, by)| (place.colour(flagfall_rules::clock::Place::Left), by)));
            }
            None => {
                let Some(shown) = table.pi.shown() else { return Ok(()) };
                if shown.game != table.game {
                    return Ok(());
                }
                let now = shown.face.hands.map(|hand| hand.left);
                let was = self.faces.insert(table.game.clone(), now);
                for colour in Colour::BOTH {
                    let was = was.and_then(|was| was[colour.index()]);
                    if let (Some(was), Some(now)) = (was, now[colour.index()])
                        && now - was >= LEAP
                    {
                        leaps.push((colour, now - was));
                    }
                }
            }
        }
        if leaps.len() > before {
            let game = self.ledger.game(&table.game);
            for (colour, by) in &leaps[before..] {
                self.trace.step(&table.game, format_args!("{} leaps forward by {by}", colour.name()));
            }
            if let Some(game) = game {
                explained(&table.game, leaps, &game)?;
            }
        }
        Ok(())
    }

    /// What must hold when all is healed and time has passed; `Err` says what is still missing.
    pub(crate) fn recovered(&self, table: &Table) -> Result<(), Wrong> {
        let name = &table.game;
        let game = self.ledger.game(name).ok_or_else(|| format!("{name} was never opened"))?;
        let shown = table.pi.shown().ok_or_else(|| format!("{} is dark", table.pi.name))?;
        let (outcome, _, _) =
            game.ended.as_ref().ok_or_else(|| format!("{name} has not ended: {}", table.standing()))?;
        let result = match outcome {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
            other => return Err(format!("{name} ended {other:?}")),
        };
        if result != table.script.result {
            return Err(format!("{name} ended {result}, expected {}", table.script.result));
        }
        let alarmed = game.alarms.iter().any(|(alarm, _)| *alarm == Alarm::Directive);
        for sent in &game.directives {
            let known = matches!(sent.stage, Stage::Applied | Stage::Rejected);
            if !(known || sent.stage == Stage::Unknown && alarmed) {
                return Err(format!("I3: there is no word of {name}#{}", sent.directive.rev));
            }
        }
        let (_, spooled) = table.pi.spooled();
        if !shown.online || shown.acked < spooled {
            let (name, acked) = (&table.pi.name, shown.acked);
            return Err(format!("I1: {name}: {acked} of {spooled} events acknowledged; {:?}", shown.trouble));
        }
        if shown.game != *name || (shown.applied_rev != game.rev() && !alarmed) {
            let (is, wanted) = (shown.applied_rev, game.rev());
            return Err(format!("I6: {}: revision {is} of {:?}, wanted {wanted} of {name}", table.pi.name, shown.game));
        }
        if shown.result != Some(result) && !alarmed {
            return Err(format!("I6: {} shows {:?}, the game ended {result}", table.pi.name, shown.result));
        }
        Ok(())
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Every leap has a directive that adds as much, or a setting; no addition is there more often than it was asked for.
fn explained(name: &str, leaps: &[(Colour, i64)], game: &flagfall_rules::game::Game) -> Result<(), Wrong> {
    for sent in &game.directives {
        if let Act::Add(colour, amount) = &sent.directive.act {
            let near = |by: i64| (by - amount).abs() < NEAR;
            let times = leaps.iter().filter(|(whose, by)| whose == colour && near(*by)).count();
            if times > 1 {
                return Err(format!("I3: {name}#{} took effect {times} times", sent.directive.rev));
            }
        }
    }
    Ok(())
}

/// The journal is verified as a stopped service's is.
pub(crate) fn verified(journal: &dyn Journal) -> Result<(), Wrong> {
    let verified = flagfall_server::journal::verify(journal);
    verified.findings.first().map_or(Ok(()), |finding| Err(format!("I7: {finding}")))
}
