//! The decision: what follows from an input. Time and everything else comes with the input; the same game and input give
//! the same events.

use super::{
    case, desk, device,
    event::{About, Act, Alarm, Directive, Event, Question, Words},
    evolve::evolve,
    input::{Input, ServiceAct},
    notice,
    refusal::Refusal,
    state::Game,
};
use crate::{clock::Colour, laws::Edition, time::Moment};
use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec::Vec,
};

/// What follows from an input in a game under an edition. The game is moved on by the very events returned, as [`evolve`] would:
/// rulings look at what came before them, and a long score is never copied for it.
///
/// # Errors
/// Only acts at the desk are refused, and inputs of a game that was never opened; a clock's word is a fact. A game that refuses
/// is as it was.
pub fn decide(edition: &'static Edition, game: &mut Game, input: &Input) -> Result<Vec<Event>, Refusal> {
    let mut events = Vec::new();
    decide_into(&mut events, edition, game, input)?;
    Ok(events)
}

/// [`decide`] for callers that must know what had followed even if it does not come to an end.
///
/// # Errors
/// As [`decide`].
pub fn decide_into(
    events: &mut Vec<Event>,
    edition: &'static Edition,
    game: &mut Game,
    input: &Input,
) -> Result<(), Refusal> {
    let mut draft = Draft { edition, game, events };
    match input {
        Input::Device(_) | Input::Service(_) if !draft.game.opened => return Err(Refusal::NotOpen),
        Input::Device(input) => device::decide(&mut draft, input),
        Input::Desk(input) => desk::decide(&mut draft, input)?,
        Input::Service(ServiceAct::Overdue(rev)) => case::overdue(&mut draft, *rev),
        Input::Service(ServiceAct::Answered(number, can_mate)) => case::answered(&mut draft, *number, *can_mate),
        Input::Service(ServiceAct::Noticed(notice)) => notice::decide(&mut draft, notice),
    }
    Ok(())
}

/// Events being drawn up, and the game as it is after them.
pub(super) struct Draft<'g> {
    pub(super) edition: &'static Edition,
    pub(super) game: &'g mut Game,
    pub(super) events: &'g mut Vec<Event>,
}

impl Draft<'_> {
    pub(super) fn emit(&mut self, event: Event) {
        evolve(self.game, &event);
        self.events.push(event);
    }

    pub(super) fn alarm(&mut self, alarm: Alarm, detail: impl ToString) {
        self.emit(Event::Alarmed(alarm, detail.to_string()));
    }

    /// The same alarm with the same words is given once a ply: a flickering board must not flood the desk.
    pub(super) fn alarm_once(&mut self, alarm: Alarm, detail: impl ToString) {
        let text = alloc::format!("ply {}: {}", self.game.ply(), detail.to_string());
        if !self.game.alarms.iter().rev().take(8).any(|(a, t)| *a == alarm && *t == text) {
            self.emit(Event::Alarmed(alarm, text));
        }
    }

    /// Asks whether a side can mate; the answer comes back as an input.
    pub(super) fn ask(&mut self, position: String, side: Colour, about: About) {
        let number = self.game.questions.len() as u32 + 1;
        self.emit(Event::Asked(Box::new(Question { number, position, side, about })));
    }

    pub(super) fn issue(&mut self, act: Act, as_of_seq: u64, words: Words) {
        self.issue_until(act, as_of_seq, None, words);
    }

    /// Issues a directive that is not to be carried out after an instant of the device.
    pub(super) fn issue_until(&mut self, act: Act, as_of_seq: u64, not_after: Option<Moment>, words: Words) {
        let (rev, supersedes) = (self.game.rev() + 1, self.game.replaced_by(&act));
        self.emit(Event::Issued(Box::new(Directive { rev, as_of_seq, not_after, supersedes, act, words })));
    }
}
