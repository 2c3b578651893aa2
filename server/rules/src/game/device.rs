//! Inputs of the clock.

use alloc::format;

use super::{
    case,
    decide::Draft,
    event::{About, Alarm, Event, Stage},
    follow,
    input::{Claim, DeviceAct, DeviceInput, Fault},
    state::Believed,
};
use crate::{
    clock::Colour,
    laws::articles::{clock_reading, flag_fall},
};

pub(super) fn decide(draft: &mut Draft, input: &DeviceInput) {
    let believed = draft.game.believed;
    draft.emit(Event::Heard { seq: input.seq, at: input.at, face: input.face });
    if input.face.white_place != draft.game.setup.white_place {
        draft.alarm_once(Alarm::Binding, "the clock shows White on the other half than the desk bound");
    }
    if !matches!(input.act, DeviceAct::Report(_) | DeviceAct::Started) {
        note_leaps(draft, believed, matches!(input.act, DeviceAct::Press(_)));
    }
    match &input.act {
        DeviceAct::Started => follow::started(draft),
        DeviceAct::Press(by) => {
            if draft.game.ended.is_some() {
                return follow::pressed_after_end(draft, *by);
            }
            follow::press(draft, *by);
        }
        DeviceAct::Paused | DeviceAct::Resumed => {}
        DeviceAct::Scan(raw) => follow::scan(draft, raw),
        DeviceAct::Quiet(_) => follow::quiet(draft, false),
        DeviceAct::Flag(colour) => flag(draft, *colour),
        DeviceAct::Report(report) => {
            let after = (report.stage == Stage::Applied).then_some(input.face);
            case::report(draft, report, after);
        }
        DeviceAct::Call(by) => {
            let who = by.map_or("a player", Colour::name);
            draft.alarm(Alarm::Call, format!("{who} calls the arbiter"));
        }
        DeviceAct::Claim(by, claim) => {
            let what = match claim {
                Claim::Flag => "that the flag is down",
                Claim::IllegalMove => "an illegal move",
                Claim::Draw => "a draw",
            };
            draft.alarm(Alarm::Claim, format!("{} claims {what}", by.name()));
        }
        DeviceAct::Fault(fault, detail) => {
            if *fault == Fault::SourceEnded {
                // Nothing more will come: the end of a source is quiet.
                return follow::quiet(draft, true);
            }
            draft.alarm(Alarm::Device, format!("{}: {detail}", fault_name(*fault)));
        }
    }
}

const fn fault_name(fault: Fault) -> &'static str {
    match fault {
        Fault::PowerLost => "the clock lost power and is paused at its last stored face; set the time",
        Fault::BoardLost => "the board no longer answers; check the game",
        Fault::BoardBack => "the board answers again",
        Fault::ClockLost => "the physical clock no longer answers",
        Fault::ClockBack => "the physical clock answers again",
        Fault::BatteryLow => "a battery is low",
        Fault::Garbled => "bytes came that are no message",
        Fault::SourceEnded => "the source ended",
    }
}

/// Compares readings with what play explains and notes a leap: never more than a finding for the desk.
fn note_leaps(draft: &mut Draft, believed: [Option<Believed>; 2], pressed: bool) {
    if draft.game.ended.is_some() {
        return;
    }
    for by in Colour::BOTH {
        if let Some(found) = clock_reading::judge(draft.edition, &draft.game, believed, pressed, by) {
            case::note(draft, &found, by);
        }
    }
}

fn flag(draft: &mut Draft, colour: Colour) {
    if draft.game.ended.is_some() || draft.game.flags.contains(&colour) {
        return;
    }
    if let Some(case) = draft.game.open_case() {
        // What was done wrong before the flag fell is dealt with first; the correction sets the time anew.
        let text = format!("{}'s flag fell while case {} is open", colour.name(), case.finding.case);
        return draft.alarm(Alarm::FlagAfterControl, text);
    }
    // Mate that stood on the board before the flag fell has ended the game (6.9 begins "except where … apply").
    follow::before_flag(draft);
    if draft.game.ended.is_some() {
        return;
    }
    draft.emit(Event::FlagFell(colour));
    match flag_fall::judge(draft.edition, &draft.game, colour) {
        flag_fall::Verdict::ControlPassed => {
            let text = format!("{}'s flag is down, but the moves of the period were made", colour.name());
            draft.alarm(Alarm::FlagAfterControl, text);
        }
        flag_fall::Verdict::Doubt(winner) => {
            let position = draft.game.fen();
            draft.ask(position, winner, About::Flag(winner.other()));
        }
        flag_fall::Verdict::Ends(outcome, ending, article) => case::end(draft, outcome, ending, article),
    }
}
