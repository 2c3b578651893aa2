//! The game goes on on another clock: because it was adjourned and its clock has another game by now, or because the clock died; a
//! clock that comes in the place of another under the same name takes the game on by itself.
//!
//! The former clock is told to stop and says where the game has gone; a conclusion would claim an end that there is not, and the next
//! game prepared on it takes its place anyway. Nothing that it says afterwards reaches the game. The other clock takes the game on as
//! it is known: its numbers begin anew, and so does the knowledge of how its board lies. A position that nobody has seen is not set up.

use alloc::{
    format,
    string::{String, ToString},
};

use super::{
    case,
    decide::Draft,
    event::{Act, Alarm, Event, Stage},
    refusal::Refusal,
    standing::expected,
    state::{CasePhase, Game},
};
use crate::{
    clock::{Colour, Face, Going, Hand},
    laws::words,
};

/// An act at the desk.
pub(super) fn go_on(draft: &mut Draft, device: &str) -> Result<(), Refusal> {
    if draft.game.ended.is_some() {
        return Err(Refusal::GameOver);
    }
    let (hands, turn) = stands(draft.game);
    let position = known_position(draft.game);
    if device != draft.game.setup.device {
        let goes = words(format!("The game goes on at {device}"), format!("Партия продолжается на часах {device}"));
        draft.issue(Act::Stop, 0, goes);
    }
    leave(draft);
    draft.emit(Event::Moved { device: device.to_string() });
    let (control, white_place) = (draft.game.setup.control.clone(), draft.game.setup.white_place);
    let taken = words("Moved to this clock: check the times", "Перенесено на эти часы: проверьте время");
    let shown = position.clone().unwrap_or_default();
    let prepare = Act::Prepare { control, white_place, position: shown, stands: None };
    draft.issue(prepare, 0, taken.clone());
    // A clock cannot show what nobody knows: then the arbiter sets the times.
    if !fresh(draft.game, &hands) && hands.iter().all(|hand| hand.left.is_some()) {
        let act = Act::Set { hands, turn, run: false, white_place, position };
        draft.issue(act, 0, taken);
    }
    go_on_with_case(draft);
    Ok(())
}

/// Another clock has come under the name of the one that had the game. It takes the game on as it was last known; what the former one
/// was still to do, nobody will hear of, and a refusal of the newcomer's would say nothing of it.
pub(super) fn replaced(draft: &mut Draft) {
    let going = |going| if going == Going::Running { Going::Paused } else { going };
    let face = expected(draft.game).face;
    let stands = Face { going: going(face.going), ..face };
    leave(draft);
    draft.emit(Event::Moved { device: draft.game.setup.device.clone() });
    let control = draft.game.setup.control.clone();
    let known = control.is_none() || stands.hands.iter().all(|hand| hand.left.is_some());
    let (white_place, position) = (draft.game.setup.white_place, known_position(draft.game).unwrap_or_default());
    let taken = words("Taken on by this clock: check the times", "Перенесено на эти часы: проверьте время");
    draft.issue(Act::Prepare { control, white_place, position, stands: known.then_some(stands) }, 0, taken);
    let text = "another clock has come in the place of the one that had this game, and takes it on: \
                paused at the last known times if it keeps them itself. Check the times";
    draft.alarm(Alarm::Device, text);
    go_on_with_case(draft);
}

/// Whether the former clock does what it was last told, nobody will hear.
fn leave(draft: &mut Draft) {
    let waiting = draft.game.directives.iter().filter(|sent| matches!(sent.stage, Stage::Sent | Stage::Received));
    let waiting: alloc::vec::Vec<u64> = waiting.map(|sent| sent.directive.rev).collect();
    for rev in waiting {
        draft.emit(Event::Staged { rev, stage: Stage::Unknown, reason: None, before: None, after: None });
    }
}

/// A case that waited for the former clock to stop goes on from what is known.
fn go_on_with_case(draft: &mut Draft) {
    if let Some(CasePhase::Stopping(rev)) = draft.game.open_case().map(|case| case.phase) {
        case::stopped(draft, rev, None);
    }
}

/// The readings and whose time runs next, as they are known: those of the envelope while there is one.
fn stands(game: &Game) -> ([Hand; 2], Colour) {
    let face = expected(game).face;
    game.envelope().map_or((face.hands, face.turn), |envelope| (envelope.hands, envelope.sealer.other()))
}

/// The position, FEN: that of the envelope where no board has shown it.
fn known_position(game: &Game) -> Option<String> {
    game.known_fen().or_else(|| game.envelope().map(|envelope| envelope.position.clone()))
}

/// The game has not begun: preparing the clock says everything.
fn fresh(game: &Game, hands: &[Hand; 2]) -> bool {
    let start = game.setup.control.as_ref().map(|control| control.start_face(game.setup.white_place));
    !game.started && start.is_some_and(|start| start.hands == *hands)
}

/// Takes in that the game has gone to another clock. The readings stay as they were last known.
pub(super) fn fold(game: &mut Game, device: &str) {
    game.setup.device = device.to_string();
    game.left_rev = game.rev();
    let going = if game.face.going == Going::Running { Going::Paused } else { game.face.going };
    game.face = Face { going, ..game.face };
    game.face_before = game.face;
    (game.seq, game.turned) = (0, 0);
    (game.at, game.at_before, game.waits) = (None, None, None);
    (game.scan, game.scan_at, game.new_board) = (None, None, true);
    (game.turn, game.believed) = (crate::board::Turn::None, [None; 2]);
    game.held.clear();
    game.trail.clear();
}
