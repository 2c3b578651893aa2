//! Whether everything arrives once faults stop.
//!
//! The checker's own `eventually` takes a way back to a known state for an end, and so misses what goes on for ever. Here every
//! state is driven on by what happens by itself, until nothing more does: that run must end, and where it ends everything must
//! have arrived.

use crate::{
    action::{Action, enabled},
    bounds::{Bounds, Fault},
    state::State,
};

/// Steps after which a run is taken to go in circles; the longest seen has fewer than half.
const CIRCLES: usize = 400;

/// Drives a state on; says how it goes wrong, if it does. `seen` is shown every step.
///
/// One instance after the other has the service to itself, the newcomer first; both at once may throw each other out for ever.
///
/// # Errors
/// What has not arrived, or was not carried out.
pub fn heal(state: &State, bounds: &Bounds, fault: Fault, seen: &mut dyn FnMut(&State, Action)) -> Result<(), String> {
    let mut state = *state;
    let mut actions = Vec::with_capacity(16);
    for who in (0..bounds.instances).rev() {
        let alone = Bounds { instances: who + 1, ..*bounds };
        let mine = |action: &&Action| !matches!(action, Action::Connect(other) if *other != who);
        let mut steps = 0;
        loop {
            actions.clear();
            enabled(&state, &alone, fault, false, &mut actions);
            let Some(&action) = actions.iter().find(mine) else { break };
            seen(&state, action);
            state.step(action, bounds, fault);
            steps += 1;
            if steps == CIRCLES {
                return Err("this goes on for ever".to_owned());
            }
        }
        arrived(&state, who)?;
        if who > 0 {
            state.clock_crash(who, Fault::None);
            state.tidy();
        }
    }
    match state.disk.issued().find(|(_, stage)| state.game == 0 && !stage.is_final()) {
        Some((directive, _)) => return Err(format!("directive {} has no final word", directive.rev)),
        None if !state.queue.is_empty() => return Err("the journal is not written".to_owned()),
        None => {}
    }
    let (is, wanted) = (state.agents[0].rev, state.disk.issued);
    // What the newcomer had the last word on, the first instance never hears of; nor of a game that is left behind.
    let excused = state.game > 0 || fault != Fault::LeftBehind && state.disk.by.contains(&1);
    match is == wanted || excused {
        true => Ok(()),
        false => Err(format!("clock A has handled directives up to {is}, {wanted} are wanted of it, and no more come")),
    }
}

fn arrived(state: &State, who: u8) -> Result<(), String> {
    let agent = &state.agents[usize::from(who)];
    let clock = if who == 0 { "clock A" } else { "clock B" };
    if agent.log != state.disk.logs[usize::from(agent.spool)] {
        return Err(format!("events of {clock} have not arrived"));
    }
    match agent.pending().is_none() && agent.waiting.is_empty() {
        true => Ok(()),
        false => Err(format!("a directive is stuck on {clock}")),
    }
}

/// It goes well.
pub(crate) fn heals(state: &State, bounds: &Bounds, fault: Fault) -> bool {
    heal(state, bounds, fault, &mut |_, _| {}).is_ok()
}
