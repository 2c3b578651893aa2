//! Inputs and events in plain words, a line each.

use flagfall_rules::{
    board::Turn,
    clock::{Colour, Face, Going, Hand},
    game::{
        Act, Alarm, Claim, DeskAct, DeskInput, DeviceAct, DeviceInput, Directive, Ending, Event, Facts, Fault, Finding,
        Notice, Outcome, Ply, Proposal, Question, RejectReason, Remedy, Report, Ruling, Setup, Stage,
    },
    laws::Play,
    time::Millis,
};

use super::adjourned;

/// An event.
pub fn event(event: &Event) -> String {
    match event {
        Event::Opened(setup) => opened(setup),
        Event::Heard { seq, at, face } => {
            format!("the clock was heard: event {seq} at {} ms; {}", at.ms, self::face(face))
        }
        Event::Looked(scan) => format!("the board was seen: {scan}"),
        Event::Turned(turn) => turned(*turn).to_owned(),
        Event::Held(by) => format!("{}'s press waits for the board to settle", by.name()),
        Event::Made(ply) => format!("{} played {}", ply.by.name(), moved(ply)),
        Event::Completed { ply, left, before_credit, credit } => {
            format!("ply {ply} was completed; {}{}", pair(*left), credited(*before_credit, *credit))
        }
        Event::Replaced(ply) => format!("read again: {} played {}", ply.by.name(), moved(ply)),
        Event::Pressed(press) => {
            let credit = credited(press.before_credit, press.credit);
            format!("{} completed a move that no board saw; {}{credit}", press.by.name(), pair(press.left))
        }
        Event::Unread => "nobody reads the board any more".to_owned(),
        Event::Unseen(press) => {
            let credit = credited(press.before_credit, press.credit);
            format!("{} completed a move while nobody read the board; {}{credit}", press.by.name(), pair(press.left))
        }
        Event::Told { moves, position } => {
            let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
            format!("the board tells what was played unseen: {}; {}", moves.join(" "), line(position))
        }
        Event::WentOn { board, ply: Some(ply) } => {
            format!("play goes on after {} by {}, from {board}", ply.uci, ply.by.name())
        }
        Event::WentOn { board, ply: None } => format!("play goes on from {board}"),
        Event::Chosen { case, choice, actor, note } => {
            format!("case {case}: {} chooses {}; {}", line(actor), line(choice), line(note))
        }
        Event::Found(finding) => found(finding),
        Event::Proposed(proposal) => proposed(proposal),
        Event::Ruled(ruling) => ruled(ruling),
        Event::Issued(directive) => issued(directive),
        Event::Staged { rev, stage, reason, after, .. } => {
            let face = after.map(|after| format!("; {}", self::face(&after))).unwrap_or_default();
            format!("directive {rev} {}{face}", staged(*stage, *reason))
        }
        Event::Lapsed(through) => format!("directives up to {through} are on the clock and not on record"),
        Event::FlagFell(colour) => format!("{}'s flag fell", colour.name()),
        Event::Ended { outcome, ending, article } => {
            format!("the game ended {}, {} (article {})", outcome.pgn(), ended(*ending), line(article))
        }
        Event::Alarmed(alarm, detail) => format!("alarm, {}: {}", alarmed(*alarm), line(detail)),
        Event::Asked(question) => {
            let Question { number, position, side, .. } = &**question;
            format!("question {number}: can {} still mate from {}?", side.name(), line(position))
        }
        Event::Answered(number, can_mate) => answered(*number, *can_mate),
        Event::Adjournment(event) => adjourned::event(event),
        Event::Waits { rev, colour, .. } => {
            format!("once directive {rev} is carried out {}'s clock is started", colour.name())
        }
        Event::Moved { device } => format!("the game goes on on {}", line(device)),
        Event::Annulled => "the game is annulled; a new one is played on the same board".to_owned(),
        Event::Heeded(through) => format!("what was alarmed of up to {through} has been attended to"),
        Event::Admitted(request) => format!("request {} was carried out", line(request)),
    }
}

/// What was noticed of the clock.
pub(super) fn noticed(notice: &Notice) -> String {
    match notice {
        Notice::Replaced => "another clock came in the place of the one that had the game".to_owned(),
        Notice::Differs(applied) => format!("the clock has been at directive {applied} for long"),
        Notice::Trouble(text) => format!("noticed: {}", line(text)),
        Notice::Frozen(text) => format!("the board is frozen: {}", line(text)),
        Notice::Shows { face, .. } => format!("the clock shows {}", self::face(face)),
    }
}

/// The answer to a question.
pub(super) fn answered(number: u32, can_mate: Option<bool>) -> String {
    let said = can_mate.map_or("not determined in time", |can| if can { "yes" } else { "no" });
    format!("question {number} was answered: {said}")
}

/// An event of the clock.
pub(super) fn device(input: &DeviceInput) -> String {
    let act = match &input.act {
        DeviceAct::Started => "started".to_owned(),
        DeviceAct::Press(colour) => format!("{} pressed", colour.name()),
        DeviceAct::Paused => "paused by hand".to_owned(),
        DeviceAct::Resumed => "resumed by hand".to_owned(),
        DeviceAct::Call(None) => "a player calls the arbiter".to_owned(),
        DeviceAct::Call(Some(colour)) => format!("{} calls the arbiter", colour.name()),
        DeviceAct::Claim(colour, claim) => format!("{} claims {}", colour.name(), claimed(*claim)),
        DeviceAct::Scan(scan) => format!("the board shows {scan}"),
        DeviceAct::Quiet(since) => format!("the board has stood still since {since} ms"),
        DeviceAct::Flag(colour) => format!("{}'s flag is down", colour.name()),
        DeviceAct::Report(Report { rev, stage, reason, .. }) => format!("directive {rev} {}", staged(*stage, *reason)),
        DeviceAct::Fault(fault, detail) => format!("{}: {}", faulty(*fault), line(detail)),
    };
    let (at, boot) = (input.at.ms, boot(input.at.boot));
    format!("event {} at {at} ms of boot {boot}: {act}; {}", input.seq, face(&input.face))
}

/// An act at the desk, with who and why.
pub(super) fn desk(input: &DeskInput) -> String {
    let reason = if input.reason.is_empty() { String::new() } else { format!(", because {}", line(&input.reason)) };
    format!("{} at the desk (request {}): {}{reason}", line(&input.actor), line(&input.request), desk_act(&input.act))
}

/// An act at the desk.
pub fn desk_act(act: &DeskAct) -> String {
    match act {
        DeskAct::Open(setup) => opened(setup),
        DeskAct::Irregularity { kind, by, ply, note, facts } => {
            let ply = ply.map_or_else(|| "the last ply".to_owned(), |ply| format!("ply {ply}"));
            format!("saw {} by {} at {ply}: {}{}", kind.name(), by.name(), line(note), stated(facts))
        }
        DeskAct::Claim { by, claim, note, facts } => {
            format!("{} claims {}: {}{}", by.name(), claimed(*claim), line(note), stated(facts))
        }
        DeskAct::Decide { case, choice, note } => format!("decides case {case}: {}; {}", line(choice), line(note)),
        DeskAct::Direct(act, ..) => format!("by hand: {}", act_in_words(act)),
        DeskAct::Adjourn { deed, .. } => adjourned::deed(deed),
        DeskAct::Heed(through) => format!("has attended to alarms up to {through}"),
        DeskAct::Annul => "annuls the game".to_owned(),
        DeskAct::Move { device, note } => format!("goes on on {}; {}", line(device), line(note)),
    }
}

/// The beginning of a boot's id, enough to tell two apart.
pub(super) fn boot(boot: u128) -> String {
    format!("{:08x}", boot >> 96)
}

/// A foreign text on one line, whatever is in it.
pub(super) fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}

fn opened(setup: &Setup) -> String {
    let control = setup.control.as_ref().map_or_else(|| "an external clock".to_owned(), ToString::to_string);
    let from = setup.position.as_ref().map(|fen| format!(" from {}", line(fen))).unwrap_or_default();
    let play = match setup.play {
        Play::Standard => "standard play",
        Play::RapidSupervised => "supervised rapid",
        Play::Rapid => "rapid",
        Play::BlitzSupervised => "supervised blitz",
        Play::Blitz => "blitz",
    };
    let (game, device, edition) = (line(&setup.game), line(&setup.device), line(&setup.edition));
    format!("game {game} was opened on {device}: {edition}, {play}, {control}, white {:?}{from}", setup.white_place)
}

fn turned(turn: Turn) -> &'static str {
    match turn {
        Turn::None => "the board lies as it should",
        Turn::Quarter => "the board lies a quarter turn wrong",
        Turn::Half => "the board lies the other way round",
        Turn::ThreeQuarters => "the board lies three quarters of a turn wrong",
    }
}

fn moved(ply: &Ply) -> String {
    let completed = if ply.completed { "completed" } else { "not completed yet" };
    format!("{}, {completed}; {}{}", ply.uci, pair(ply.left), credited(ply.before_credit, ply.credit))
}

fn credited(before: Option<Millis>, credit: Option<Millis>) -> String {
    match (before, credit) {
        (Some(before), Some(credit)) => format!(" ({} and {} credited)", time(Some(before)), time(Some(credit))),
        _ => String::new(),
    }
}

fn found(finding: &Finding) -> String {
    let Finding { case, kind, by, ply, article, fixed, evidence, facts } = finding;
    let weight = if *fixed { "fixed by the Laws" } else { "at the arbiter's discretion" };
    let seen = format!("{}{}", line(&evidence.seen.en), stated(facts));
    let (kind, by, article) = (kind.name(), by.name(), line(article));
    format!("case {case}: {kind} by {by} at ply {ply} (article {article}, {weight}): {seen}")
}

fn proposed(proposal: &Proposal) -> String {
    let remedies: Vec<_> = proposal.remedies.iter().map(remedy).collect();
    let running = if proposal.running { " while the clock runs" } else { "" };
    format!("case {}: {} ways out{running}: {}", proposal.case, remedies.len(), remedies.join(" | "))
}

/// What people stated beside what was seen.
fn stated(facts: &Facts) -> String {
    let Facts { claimed, elapsed, ran, set_as, moves, reply, next } = facts;
    let mut parts = Vec::new();
    parts.extend(claimed.then(|| "claimed by the opponent".to_owned()));
    parts.extend(elapsed.map(|ms| format!("{} have passed", time(Some(ms)))));
    parts.extend(ran.map(|ms| format!("the other clock ran {}", time(Some(ms)))));
    parts.extend(set_as.as_ref().map(|control| format!("the clock was set to {control}")));
    parts.extend(moves.map(|[white, black]| format!("{white} and {black} moves by the scoresheets")));
    parts.extend(reply.map(|kind| format!("{} in reply", kind.name())));
    parts.extend(next.map(|uci| format!("{uci} is written down")));
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn ruled(ruling: &Ruling) -> String {
    let note = if ruling.note.is_empty() { String::new() } else { format!(" ({})", line(&ruling.note)) };
    format!("case {} was decided by {}{note}: {}", ruling.case, line(&ruling.actor), remedy(&ruling.remedy))
}

/// A remedy with everything it changes.
fn remedy(remedy: &Remedy) -> String {
    let mut parts =
        vec![format!("{} (article {}): {}", line(&remedy.key), line(&remedy.article), line(&remedy.words.en))];
    parts.extend(remedy.annul_from.map(|ply| format!("ply {ply} and what follows is annulled")));
    parts.extend(remedy.place.map(|uci| format!("{uci} is put on the board")));
    parts.extend(remedy.position.as_ref().map(|fen| format!("position {}", line(fen))));
    parts.extend(remedy.hands.map(|hands| format!("clocks {}", both(&hands))));
    for (colour, given) in Colour::BOTH.into_iter().zip(remedy.given).filter(|&(_, given)| given != 0) {
        parts.push(format!("{given} ms of that given to {}", colour.name()));
    }
    for (colour, strikes) in Colour::BOTH.into_iter().zip(remedy.strikes).filter(|&(_, strikes)| strikes > 0) {
        parts.push(format!("{strikes} strike for {}", colour.name()));
    }
    parts.extend(remedy.outcome.map(|(outcome, ending)| format!("{}, {}", outcome.pgn(), ended(ending))));
    parts.extend(remedy.cancel.then(|| "the game is cancelled".to_owned()));
    parts.push(format!("{} to move", remedy.turn.name()));
    parts.join(", ")
}

fn issued(directive: &Directive) -> String {
    let said = if directive.words.en.is_empty() { String::new() } else { format!(", {:?}", line(&directive.words.en)) };
    format!("directive {} (as of event {}): {}{said}", directive.rev, directive.as_of_seq, act_in_words(&directive.act))
}

fn act_in_words(act: &Act) -> String {
    match act {
        Act::Prepare { control, white_place, position, .. } => {
            let control = control.as_ref().map_or_else(|| "external clock".to_owned(), ToString::to_string);
            format!("prepare {control}, white {white_place:?}, {}", line(position))
        }
        Act::Stop => "stop".to_owned(),
        Act::Set { hands, turn, run, position, .. } => {
            let (then, fen) = (if *run { "running" } else { "paused" }, position.as_deref().map(line));
            let fen = fen.map(|fen| format!(", position {fen}")).unwrap_or_default();
            format!("set {}, {} to move, {then}{fen}", both(hands), turn.name())
        }
        Act::Add(colour, amount) => format!("add {} to {}", time(Some(*amount)), colour.name()),
        Act::Conclude(outcome) => format!("conclude {}", Outcome::pgn(*outcome)),
        Act::Show => "show".to_owned(),
        Act::Run => "run".to_owned(),
    }
}

fn staged(stage: Stage, reason: Option<RejectReason>) -> String {
    if stage == Stage::Unknown && reason.is_some() {
        return "may have been carried out, and nobody can tell any more".to_owned();
    }
    let stage = match stage {
        Stage::Sent => "was sent",
        Stage::Received => "is on the clock's disk",
        Stage::Applied => "was carried out",
        Stage::Rejected => "was refused",
        Stage::Unknown => "may have been carried out, there is no word of it",
    };
    let reason = reason.map(|reason| match reason {
        RejectReason::Revision => ": the clock was at another revision",
        RejectReason::Overtaken => ": a move was completed meanwhile",
        RejectReason::Expired => ": too late",
        RejectReason::Superseded => ": a later one replaced it",
        RejectReason::Display => ": the physical clock did not take it",
        RejectReason::Unsupported => ": the clock cannot do that",
    });
    format!("{stage}{}", reason.unwrap_or_default())
}

fn ended(ending: Ending) -> &'static str {
    match ending {
        Ending::Checkmate => "mate",
        Ending::Stalemate => "stalemate",
        Ending::DeadPosition => "dead position",
        Ending::Fivefold => "fivefold repetition",
        Ending::SeventyFive => "seventy-five moves",
        Ending::Flag => "flag",
        Ending::Illegal => "illegal moves",
        Ending::Kings => "kings in the centre",
        Ending::Desk => "entered at the desk",
        Ending::Resignation => "resignation",
        Ending::Agreement => "agreement",
        Ending::Repetition => "repetition",
        Ending::FiftyMoves => "fifty moves",
        Ending::IllegalPosition => "illegal position",
        Ending::Penalty => "declared lost by the arbiter",
        Ending::Adjournment => "adjourned game",
        Ending::NormalMeans => "declared drawn by the arbiter",
    }
}

fn alarmed(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::ImpossibleBoard => "impossible board",
        Alarm::BoardDiffers => "the board differs",
        Alarm::Lost => "the moves are lost",
        Alarm::Device => "device",
        Alarm::Directive => "directive",
        Alarm::Binding => "sides of the clock",
        Alarm::Call => "call",
        Alarm::Claim => "claim",
        Alarm::FlagAfterControl => "flag after the control",
        Alarm::AfterEnd => "after the end",
        Alarm::Frozen => "frozen",
    }
}

fn claimed(claim: Claim) -> &'static str {
    match claim {
        Claim::Flag => "a flag",
        Claim::IllegalMove => "an illegal move",
        Claim::Draw => "a draw",
        Claim::Resignation => "the opponent's win by resigning",
        Claim::Agreement => "an agreed draw",
    }
}

fn faulty(fault: Fault) -> &'static str {
    match fault {
        Fault::PowerLost => "lost its power",
        Fault::BoardLost => "the board is gone",
        Fault::BoardBack => "the board is back",
        Fault::ClockLost => "the physical clock is gone",
        Fault::ClockBack => "the physical clock is back",
        Fault::BatteryLow => "a battery is low",
        Fault::Garbled => "garbled bytes",
        Fault::SourceEnded => "the replay has ended",
        Fault::PressesMissed => "was pressed while nobody read it",
    }
}

fn face(face: &Face) -> String {
    let going = match face.going {
        Going::Idle => "not started",
        Going::Running => "running",
        Going::Paused => "paused",
        Going::Over => "over",
    };
    let flag = face.first_flag.map(|colour| format!(", {}'s flag first", colour.name())).unwrap_or_default();
    format!("{}, {} to move, {going}{flag}", both(&face.hands), face.turn.name())
}

pub(super) fn both(hands: &[Hand; 2]) -> String {
    let [white, black] = hands.map(|hand| {
        let flag = if hand.flagged { " flag" } else { "" };
        format!("{}{flag} ({} moves)", time(hand.left), hand.moves)
    });
    format!("{white} – {black}")
}

fn pair(left: [Option<Millis>; 2]) -> String {
    let [white, black] = Colour::BOTH.map(|colour| time(left[colour.index()]));
    format!("{white} – {black}")
}

/// Hours, minutes and seconds, with as many decimals as there are.
pub(super) fn time(left: Option<Millis>) -> String {
    let Some(ms) = left else { return "?".to_owned() };
    let (sign, ms) = (if ms < 0 { "-" } else { "" }, ms.unsigned_abs());
    let (seconds, part) = (ms / 1_000, ms % 1_000);
    let part = if part == 0 { String::new() } else { format!(".{part:03}") };
    format!("{sign}{}:{:02}:{:02}{part}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use flagfall_rules::game::Uci;

    use super::*;

    #[test]
    fn times_and_moves_are_told_as_people_read_them() {
        assert_eq!(time(None), "?");
        assert_eq!(
            (time(Some(0)), time(Some(5_371_050)), time(Some(-1))),
            ("0:00:00".into(), "1:29:31.050".into(), "-0:00:00.001".into())
        );
        let ply = Ply {
            uci: Uci::parse("e2e4").expect("a move"),
            by: Colour::White,
            completed: true,
            left: [Some(5_400_000), None],
            before_credit: Some(5_370_000),
            credit: Some(30_000),
            at: None,
            position: 0,
        };
        assert_eq!(
            event(&Event::Made(ply)),
            "white played e2e4, completed; 1:30:00 – ? (1:29:30 and 0:00:30 credited)"
        );
    }

    #[test]
    fn foreign_text_stays_on_its_line() {
        assert_eq!(event(&Event::Admitted("a\nb\u{1b}[31m".into())), "request a b [31m was carried out");
    }
}
