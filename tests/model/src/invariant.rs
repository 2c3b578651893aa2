//! What must hold in every state. The numbers are those of the fault table that the whole project is tested by.

use crate::{
    bounds::{Bounds, Fault},
    heal::heals,
    pack::Stage,
    state::{Handled, State},
};

/// Something that must hold in every state.
#[derive(Clone, Copy)]
pub struct Invariant {
    /// What it says.
    pub name: &'static str,
    /// Whether it holds.
    pub holds: fn(&State, &Bounds, Fault) -> bool,
}

const fn says(name: &'static str, holds: fn(&State, &Bounds, Fault) -> bool) -> Invariant {
    Invariant { name, holds }
}

/// An ack is a promise.
pub const ACKNOWLEDGED: &str = "I1: what was acknowledged is on the service's disk";

/// A clock may forget only what the service has.
pub const DROPPED: &str = "I1: nothing leaves the spool that is not on the service's disk";

/// No event twice, none left out.
pub const CONTIGUOUS: &str = "I2: the events of a spool are contiguous in the journal";

/// A number means one event, on both sides.
pub const ONE_HISTORY: &str = "I2: the journal has what the clock spooled";

/// Time added twice is time invented.
pub const ONCE: &str = "I3: a directive changes the clock at most once";

/// APPLIED was carried out, REJECTED was not.
pub const TRUE: &str = "I3: a final word is true";

/// The desk always hears how a directive ended, or that nobody knows.
pub const PATIENCE: &str = "I3: a directive without a final word is waited for, or UNKNOWN";

/// Nothing leaves before it is durable.
pub const KNOWN: &str = "I3: no clock does what is not in the journal";

/// One epoch writes at a time.
pub const FENCED: &str = "I4: no older session writes after a newer one";

/// An epoch names one session.
pub const EPOCHS: &str = "I4: no epoch is given twice";

/// See the module `heal`.
pub const ARRIVES: &str = "once faults stop, everything arrives and is carried out";

/// All of them.
pub const INVARIANTS: [Invariant; 11] = [
    says(ACKNOWLEDGED, acknowledged),
    says(DROPPED, dropped),
    says(CONTIGUOUS, |state, _, _| !state.disk.torn),
    says(ONE_HISTORY, one_history),
    says(ONCE, once),
    says(TRUE, final_words),
    says(PATIENCE, patience),
    says(KNOWN, known),
    says(FENCED, |state, _, _| !state.disk.unfenced),
    says(EPOCHS, |state, _, _| !state.seen.epoch_twice),
    says(ARRIVES, heals),
];

fn acknowledged(state: &State, _: &Bounds, _: Fault) -> bool {
    state.seen.acked.iter().zip(state.disk.logs).all(|(&acked, log)| acked <= log.len())
}

fn dropped(state: &State, _: &Bounds, _: Fault) -> bool {
    state.seen.dropped.iter().zip(state.disk.logs).all(|(&dropped, log)| dropped <= log.len())
}

fn once(state: &State, _: &Bounds, _: Fault) -> bool {
    state.agents.iter().all(|agent| agent.changes.iter().all(|&times| times <= 1))
}

/// No spool has two histories.
fn one_history(state: &State, _: &Bounds, _: Fault) -> bool {
    let differs = state.agents.iter().any(|agent| {
        let log = state.disk.logs[usize::from(agent.spool)];
        let common = log.len().min(agent.log.len());
        log.chain(common) != agent.log.chain(common)
    });
    !differs && !state.seen.forked && !state.agents.iter().any(|agent| agent.forked)
}

/// What the journal says of a directive is what happened at the clock whose word it is.
fn final_words(state: &State, _: &Bounds, fault: Fault) -> bool {
    let shared = fault == Fault::SharedClock;
    state.disk.issued().zip(state.disk.by).all(|((directive, stage), by)| {
        // The spool that was begun anew is the first instance's too.
        let theirs = |who: usize| shared || (who == 1) == (by == 1);
        let changed = state
            .agents
            .iter()
            .enumerate()
            .any(|(who, agent)| theirs(who) && agent.changes[usize::from(directive.rev) - 1] > 0);
        match stage {
            Stage::Applied => changed,
            Stage::Rejected => !changed,
            _ => true,
        }
    })
}

fn patience(state: &State, bounds: &Bounds, fault: Fault) -> bool {
    let ahead = state.ahead(bounds, fault);
    ahead.issued().all(|(directive, stage)| !stage.is_awaited() || state.armed & 1 << directive.rev != 0)
}

fn known(state: &State, _: &Bounds, _: Fault) -> bool {
    state.agents.iter().flat_map(|agent| agent.handled).all(|handled| match handled {
        Handled::Pending(directive) | Handled::Applied(directive) => {
            state.disk.issued().any(|(issued, _)| issued == directive)
        }
        Handled::Never | Handled::Rejected | Handled::Untold => true,
    })
}
