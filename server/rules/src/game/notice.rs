//! What the service notices of a clock that is no event of it.

use alloc::{format, string::String};

use super::{
    decide::Draft,
    device,
    event::{Alarm, Event},
    input::Notice,
    moved,
};

/// Revisions that a clock may be ahead of the record and still be believed.
const MOST_AHEAD: u64 = 1_000;

pub(super) fn decide(draft: &mut Draft, notice: &Notice) {
    match notice {
        Notice::Replaced if draft.game.ended.is_none() => moved::replaced(draft),
        Notice::Replaced => {}
        Notice::Differs(applied) => differs(draft, *applied),
        Notice::Trouble(text) => once(draft, Alarm::Device, text.clone()),
        Notice::Frozen(text) => once(draft, Alarm::Frozen, text.clone()),
        Notice::Shows { at, face } => device::shows(draft, *at, *face),
    }
}

/// Desired and reported have differed for long.
fn differs(draft: &mut Draft, applied: u64) {
    let wanted = draft.game.rev();
    if applied <= wanted {
        let text = format!(
            "the clock has handled directives up to {applied} and {wanted} are wanted of it: compare its display with the game and set it"
        );
        return once(draft, Alarm::Directive, text);
    }
    let text = format!(
        "the clock has handled directives up to {applied} and the record knows {wanted}: it was restored from before them. \
         Compare the display with the game and set the clock"
    );
    if applied - wanted <= MOST_AHEAD {
        draft.emit(Event::Lapsed(applied));
    }
    once(draft, Alarm::Directive, text);
}

/// What does not end is said once.
fn once(draft: &mut Draft, alarm: Alarm, text: String) {
    if !draft.game.alarms.iter().any(|(kind, said)| *kind == alarm && *said == text) {
        draft.emit(Event::Alarmed(alarm, text));
    }
}
