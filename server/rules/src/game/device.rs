//! Inputs of the clock.

use alloc::format;

use super::{
    adjourned, begins, by_hand,
    case::{self, Scene},
    claim::{self, Through},
    decide::Draft,
    event::{About, Alarm, Ending, Event, Outcome, Stage},
    follow,
    input::{Claim, DeviceAct, DeviceInput, Fault, Report},
    irregularity::Facts,
    shown,
    state::Believed,
    unseen,
};
use crate::{
    clock::{Colour, Face, Going},
    laws::{
        self,
        articles::{clock_reading, flag_fall},
        edition::FlagCall,
    },
    time::Moment,
};

pub(super) fn decide(draft: &mut Draft, input: &DeviceInput) {
    let answers = matches!(&input.act, DeviceAct::Report(report) if report.rev > draft.game.left_rev);
    if !draft.game.is_taken_on() && !answers {
        return;
    }
    let believed = draft.game.believed;
    heard(draft, input.seq, input.at, input.face);
    if matches!(input.act, DeviceAct::Fault(Fault::BoardLost | Fault::Garbled, _)) {
        unseen::lose_sight(draft);
    }
    shown::flags_up(draft);
    let before = draft.game.known();
    if !adjourned::is_followed(draft.game) || draft.game.result_waits() {
        aside(draft, input);
    } else {
        if !matches!(input.act, DeviceAct::Report(_) | DeviceAct::Started) {
            note_leaps(draft, believed, matches!(input.act, DeviceAct::Press(_)));
            note_zeros(draft);
        }
        listen(draft, input);
        adjourned::moved(draft, before);
    }
    // Only now: it may be the very word that the sides were changed as the desk had it.
    if input.face.white_place != draft.game.setup.white_place {
        draft.alarm_once(Alarm::Binding, "the clock shows White on the other half than the desk bound");
    }
}

/// What a clock shows while nothing happens on it. Only how far a running one has run down is news; an adjourned game has the times of
/// its envelope, whatever its clock shows.
pub(super) fn shows(draft: &mut Draft, at: Moment, face: Face) {
    let game = &*draft.game;
    let goes_on = |face: &Face| (face.going == Going::Running).then_some((face.turn, face.white_place));
    if game.ended.is_some() || game.is_adjourned() || !game.is_taken_on() || game.face == face {
        return;
    }
    if goes_on(&face).is_some() && goes_on(&face) == goes_on(&game.face) {
        heard(draft, draft.game.seq, at, face);
        note_zeros(draft);
    }
}

/// The clock was heard. One that has booted anew has not looked at its board since.
fn heard(draft: &mut Draft, seq: u64, at: Moment, face: Face) {
    let booted = draft.game.at.is_some_and(|before| before.boot != at.boot);
    draft.emit(Event::Heard { seq, at, face });
    if booted {
        unseen::lose_sight(draft);
    }
}

fn listen(draft: &mut Draft, input: &DeviceInput) {
    match &input.act {
        DeviceAct::Started => begins::started(draft),
        DeviceAct::Press(by) => {
            if draft.game.ended.is_some() {
                return follow::pressed_after_end(draft, *by);
            }
            follow::press(draft, *by);
        }
        DeviceAct::Paused => {}
        DeviceAct::Resumed => at_zero(draft),
        DeviceAct::Scan(raw) => follow::scan(draft, raw),
        DeviceAct::Quiet(_) => follow::quiet(draft, false),
        DeviceAct::Flag(colour) => flag(draft, *colour),
        DeviceAct::Report(report) => reported(draft, report, input),
        DeviceAct::Call(by) => {
            let who = by.map_or("a player", Colour::name);
            draft.alarm(Alarm::Call, format!("{who} calls the arbiter"));
        }
        DeviceAct::Claim(by, claim) => {
            let what = match claim {
                Claim::Flag => "claims that the flag is down",
                Claim::IllegalMove => "claims an illegal move",
                Claim::Draw => "claims a draw",
                Claim::Resignation => "resigns",
                Claim::Agreement => "says that a draw is agreed",
            };
            draft.alarm(Alarm::Claim, format!("{} {what}", by.name()));
            // What there is nothing on record for is for the arbiter, who is called by the alarm.
            let _for_the_arbiter = claim::claim(draft, *by, *claim, Through::Clock, &Facts::default(), "");
        }
        DeviceAct::Fault(fault, detail) => {
            if *fault == Fault::SourceEnded {
                // Nothing more will come: the end of a source is quiet.
                return follow::quiet(draft, true);
            }
            let (alarm, what) = alarm_of(*fault);
            draft.alarm(alarm, format!("{what}: {detail}"));
        }
    }
}

/// What is heard of a clock while its game is between two sessions, or is over but for the result: only how it obeys, whose flag falls,
/// who calls or claims.
fn aside(draft: &mut Draft, input: &DeviceInput) {
    let adjourned = draft.game.is_adjourned();
    match &input.act {
        DeviceAct::Report(report) => reported(draft, report, input),
        DeviceAct::Scan(raw) if !adjourned => draft.emit(Event::Looked(alloc::boxed::Box::new(*raw))),
        DeviceAct::Flag(colour) if !adjourned => flag(draft, *colour),
        DeviceAct::Fault(Fault::SourceEnded, _) => {}
        DeviceAct::Started | DeviceAct::Resumed if adjourned => {
            let text = "the clock of an adjourned game was started by hand: stop it; the times of the envelope stand";
            draft.alarm(Alarm::Device, text);
        }
        DeviceAct::Call(_) | DeviceAct::Claim(..) | DeviceAct::Fault(..) => listen(draft, input),
        _ => {}
    }
}

fn reported(draft: &mut Draft, report: &Report, input: &DeviceInput) {
    let after = (report.stage == Stage::Applied).then_some(input.face);
    case::report(draft, report, after);
    adjourned::reported(draft, report.rev, after);
}

/// What the desk is alarmed of when something is wrong with a device. Moves that nobody heard of are worse: the score has a gap.
const fn alarm_of(fault: Fault) -> (Alarm, &'static str) {
    let what = match fault {
        Fault::PressesMissed => return (Alarm::Lost, "the clock was pressed while nobody read it"),
        Fault::PowerLost => "the clock lost power and is paused at its last stored face; set the time",
        Fault::BoardLost => "the board no longer answers; moves are not seen until it does",
        Fault::BoardBack => "the board answers again",
        Fault::ClockLost => "the physical clock no longer answers",
        Fault::ClockBack => "the physical clock answers again",
        Fault::BatteryLow => "a battery is low",
        Fault::Garbled => "bytes came that are no message",
        Fault::SourceEnded => "the source ended",
    };
    (Alarm::Device, what)
}

/// Compares readings with what play explains and notes a leap: never more than a finding for the desk.
fn note_leaps(draft: &mut Draft, believed: [Option<Believed>; 2], pressed: bool) {
    if draft.game.ended.is_some() {
        return;
    }
    for by in Colour::BOTH {
        if let Some(found) = clock_reading::judge(draft.edition, draft.game, believed, pressed, by) {
            let scene = Scene::now(draft, by, ply_of(draft, by));
            case::note(draft, &found, scene);
        }
    }
}

/// A clock that goes on at zero shows no flag: where the moves of the period are short, the arbiter counts them.
fn note_zeros(draft: &mut Draft) {
    if draft.game.ended.is_some() {
        return;
    }
    for by in Colour::BOTH {
        if let Some((made, required)) = flag_fall::overstepped(draft.game, by) {
            let text = format!("{}'s time ran out after {made} of {required} moves: count them", by.name());
            draft.alarm(Alarm::FlagAfterControl, text);
        }
    }
}

/// A clock that stood is started again for a player whose flag is down and cannot be called any more.
fn at_zero(draft: &mut Draft) {
    let game = &*draft.game;
    if game.ended.is_none() && game.open_case().is_none() && by_hand::at_zero(game, &game.face) {
        let whose = game.face.turn.name();
        let text = format!("{whose} plays on at zero with a flag that is down: stop the clock and give time");
        draft.alarm_once(Alarm::FlagAfterControl, text);
    }
}

/// The ply a player is at, or has just made.
fn ply_of(draft: &Draft, by: Colour) -> u32 {
    let mover: Colour = shakmaty::Position::turn(&draft.game.position).into();
    if mover == by { draft.game.ply() } else { draft.game.known().max(1) }
}

fn flag(draft: &mut Draft, colour: Colour) {
    let [was, is] = [draft.game.face_before, draft.game.face].map(|face| face.hand(colour).left);
    // One that went on with time can be at its end later.
    let known = draft.game.flags.contains(&colour) && !(is == Some(0) && was.is_some_and(|left| left > 0));
    if draft.game.ended.is_some() || draft.game.result_waits() || known {
        return;
    }
    // Mate that stood on the board before the flag fell has ended the game (6.9 begins "except where … apply").
    if follow::before_flag(draft) {
        return;
    }
    if let Some(case) = draft.game.open_case() {
        // What was done wrong before the flag fell is dealt with first, also where the board shows it only now; the correction sets
        // the time anew.
        let text = format!("{}'s flag fell while case {} is open", colour.name(), case.finding.case);
        return draft.alarm(Alarm::FlagAfterControl, text);
    }
    draft.emit(Event::FlagFell(colour));
    let called = draft.edition.unsupervised(draft.game.setup.play).map(|rules| rules.flag);
    if called == Some(FlagCall::Claim) && draft.game.face.hands.iter().all(|hand| hand.flagged) {
        // Nobody has time left to claim with.
        let article = flag_fall::article(draft.edition, draft.game);
        return case::end(draft, Outcome::Draw, Ending::Flag, article);
    }
    // A clock that has gone on into another period is not stopped before somebody has counted the moves (6.9).
    let went_on = draft.game.face.hand(colour).went_on().is_some() && flag_fall::uncounted(draft.game, colour);
    if went_on || matches!(called, Some(FlagCall::Claim | FlagCall::ArbiterMay)) {
        let found = laws::flag(draft.edition, draft.game, colour);
        let scene = Scene::now(draft, colour, draft.game.ply());
        return case::show(draft, &found, scene);
    }
    match flag_fall::judge(draft.game, colour) {
        flag_fall::Verdict::ControlPassed => {
            let text = format!("{}'s flag is down, but the moves of the period were made", colour.name());
            draft.alarm(Alarm::FlagAfterControl, text);
        }
        flag_fall::Verdict::Doubt(winner) if case::flag_is_asked(draft, winner.other()) => {
            case::flag_asked(draft, winner.other());
        }
        flag_fall::Verdict::Doubt(winner) => {
            let position = draft.game.fen();
            draft.ask(position, winner, About::Flag(winner.other()));
        }
        flag_fall::Verdict::Unseen(loser) => case::flag_fell(draft, loser, None),
        flag_fall::Verdict::Counts(loser, can_mate) => case::flag_fell(draft, loser, Some(can_mate)),
        flag_fall::Verdict::Both => {
            let found = laws::both_flags(draft.edition, draft.game);
            let scene = Scene::now(draft, colour, draft.game.ply());
            case::open(draft, &found, scene);
        }
    }
}
