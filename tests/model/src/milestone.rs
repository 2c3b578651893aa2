//! What a search should have seen happen: one that reaches little proves little.

use crate::{
    action::Action,
    bounds::REVS,
    pack::{Stage, What},
    state::{Agent, Client, Down, Handled, Session, State, Up},
};

/// Something that a step does.
#[derive(Clone, Copy)]
pub struct Milestone {
    /// What.
    pub name: &'static str,
    /// Whether this step does it: the state before, the step, the state after.
    pub(crate) is: fn(&State, Action, &State) -> bool,
}

const fn says(name: &'static str, is: fn(&State, Action, &State) -> bool) -> Milestone {
    Milestone { name, is }
}

/// All of them.
pub const MILESTONES: [Milestone; 15] = [
    says("a directive was carried out and its report is on disk", |_, _, after| ended(after, Stage::Applied)),
    says("a directive was refused and its report is on disk", |_, _, after| ended(after, Stage::Rejected)),
    says("a directive was refused because a later one replaces it", |_, _, after| {
        let replaced =
            |agent: &Agent, at: usize| agent.superseded & 2 << at != 0 && agent.handled[at] == Handled::Rejected;
        after.agents.iter().any(|agent| (0..REVS).any(|at| replaced(agent, at)))
    }),
    says("a final word came after UNKNOWN", late),
    says("a directive was sent again and reported again", |before, action, _| match (heard(before, action), action) {
        (Some(Down::Directive(directive)), Action::Hear(at)) => {
            let agent = &before.agents[usize::from(before.streams[at].who)];
            matches!(agent.handled[usize::from(directive.rev) - 1], Handled::Applied(_) | Handled::Rejected)
        }
        _ => false,
    }),
    says("the clock was asked to go back", |before, action, _| matches!(heard(before, action), Some(Down::Rewind(_)))),
    says("an event came again and was acknowledged again", again),
    says("a stream that the clock had given up still delivered", |before, action, _| {
        served(before, action).is_some_and(|(at, frame)| before.streams[at].client == Client::Gone && frame.is_event())
    }),
    says("a newer session threw an older one out", |before, action, after| {
        matches!(action, Action::Serve(_)) && live(before) > live(after)
    }),
    says("the service lost power with entries on their way", |before, action, _| match action {
        Action::ServerCrash(kept) => kept < before.queue.items().len(),
        _ => false,
    }),
    says("a directive was pending over a loss of power", |_, action, _| matches!(action, Action::TakeUp(_))),
    says("a reading did not tell, and nobody pretended to know", |_, action, _| matches!(action, Action::Untold(_))),
    says("what was lost on the way was asked for when the heart beat", |_, action, _| {
        matches!(action, Action::Beat(_))
    }),
    says("events of both games were under way one after the other", |before, action, _| {
        matches!(action, Action::Serve(at) if matches!(before.streams[at].session, Session::Live { goal: 1, .. }))
            && served(before, action)
                .is_some_and(|(_, frame)| matches!(frame, Up::Event { what: What::Report(..), .. }))
    }),
    says("a spool was begun anew", |_, action, _| matches!(action, Action::HearAndForget(_))),
];

fn ended(state: &State, how: Stage) -> bool {
    state.disk.issued().any(|(_, stage)| stage == how)
}

fn late(before: &State, _: Action, after: &State) -> bool {
    let was_unknown = before.disk.issued().zip(after.disk.issued());
    was_unknown.into_iter().any(|((_, was), (_, is))| was == Stage::Unknown && is.is_final())
}

fn heard(before: &State, action: Action) -> Option<Down> {
    match action {
        Action::Hear(at) => before.streams[at].down.first(),
        _ => None,
    }
}

fn served(before: &State, action: Action) -> Option<(usize, Up)> {
    match action {
        Action::Serve(at) => Some((at, before.streams[at].up.first()?)),
        _ => None,
    }
}

fn again(before: &State, action: Action, _: &State) -> bool {
    match served(before, action) {
        Some((at, Up::Event { seq, .. })) => match before.streams[at].session {
            Session::Live { spool, last, .. } => seq <= last.min(before.disk.logs[usize::from(spool)].len()),
            _ => false,
        },
        _ => false,
    }
}

fn live(state: &State) -> usize {
    state.streams.iter().filter(|stream| matches!(stream.session, Session::Live { .. })).count()
}
