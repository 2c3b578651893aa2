//! Events of a clock.

use flagfall_proto::{
    clock::v1::{self, device_event::What},
    convert::{self, Refused},
};
use flagfall_rules::game::{DeviceAct, DeviceInput, Report, Stage};

use super::{directive, event::colour, maybe, must, numbers::Numbered, required};

/// What the rules are told by an event of a clock. How it chains to the event before it, and whose trace it belongs to, is
/// for the link.
///
/// # Errors
/// Names the field; that of a malformed board begins with `board`.
pub fn device_input(event: v1::DeviceEvent) -> Result<DeviceInput, Refused> {
    if event.seq == 0 {
        return Err(Refused::new("event.seq", "events are numbered from 1"));
    }
    let act = match required("event.what", event.what)? {
        What::Started(_) => DeviceAct::Started,
        What::Press(press) => DeviceAct::Press(colour("press.colour", press.colour)?),
        What::Paused(_) => DeviceAct::Paused,
        What::Resumed(_) => DeviceAct::Resumed,
        What::Call(call) => {
            DeviceAct::Call(convert::maybe_colour(call.colour).map_err(|refused| refused.at("call.colour"))?)
        }
        What::Claim(claim) => {
            DeviceAct::Claim(colour("claim.colour", claim.colour)?, Numbered::named("claim.kind", claim.kind)?)
        }
        What::Scan(scan) => DeviceAct::Scan(required("board", scan.board)?.try_into()?),
        What::Quiet(quiet) => DeviceAct::Quiet(quiet.since_ms),
        What::Flag(flag) => DeviceAct::Flag(colour("flag.colour", flag.colour)?),
        What::Report(message) => DeviceAct::Report(report(message)?),
        What::Fault(fault) => DeviceAct::Fault(Numbered::named("fault.kind", fault.kind)?, fault.detail),
    };
    Ok(DeviceInput { seq: event.seq, at: must("event.at", event.at)?, face: must("event.face", event.face)?, act })
}

/// The game that a report names is for the link: it may be an earlier one than the clock has now.
fn report(report: v1::Report) -> Result<Report, Refused> {
    let rev = report.rev;
    if directive::parse_directive_id(&report.directive).is_none_or(|(_, named)| named != rev) {
        let why = format!("{:?} does not name revision {rev} of a game", report.directive);
        return Err(Refused::new("report.directive", why));
    }
    let (stage, reason) =
        (Numbered::named("report.stage", report.stage)?, Numbered::maybe("report.reason", report.reason)?);
    if stage == Stage::Sent || stage == Stage::Unknown && reason.is_none() {
        return Err(Refused::new(
            "report.stage",
            "a clock reports RECEIVED, APPLIED, REJECTED or, with a reason, UNKNOWN",
        ));
    }
    Ok(Report { rev, stage, reason, before: maybe("report.before", report.before)? })
}

#[cfg(test)]
mod tests {
    use flagfall_rules::{
        clock::{Colour, Face, Place},
        game::{Claim, Fault, RejectReason},
        time::Moment,
    };

    use super::*;

    fn event(what: What) -> v1::DeviceEvent {
        v1::DeviceEvent {
            seq: 7,
            previous_hash: vec![9; 32],
            at: Some(Moment { boot: 5, ms: 77 }.into()),
            face: Some(Face::unknown(Place::Left).into()),
            traceparent: "00-1-2-3".into(),
            what: Some(what),
            game: String::new(),
        }
    }

    fn read(what: What) -> DeviceInput {
        device_input(event(what)).expect("read")
    }

    #[test]
    fn every_act_is_read() {
        let act = |what| read(what).act;
        let board = flagfall_rules::board::Scan::from_fen("8/8/8/8/8/8/8/4K3").expect("fen");
        assert_eq!(act(What::Started(v1::Started {})), DeviceAct::Started);
        assert_eq!(act(What::Press(v1::Press { colour: 2 })), DeviceAct::Press(Colour::Black));
        assert_eq!(act(What::Paused(v1::Paused {})), DeviceAct::Paused);
        assert_eq!(act(What::Resumed(v1::Resumed {})), DeviceAct::Resumed);
        assert_eq!(act(What::Call(v1::Call { colour: 0 })), DeviceAct::Call(None));
        assert_eq!(act(What::Claim(v1::Claim { colour: 1, kind: 3 })), DeviceAct::Claim(Colour::White, Claim::Draw));
        assert_eq!(act(What::Scan(v1::Scan { board: Some(board.into()) })), DeviceAct::Scan(board));
        assert_eq!(act(What::Quiet(v1::Quiet { since_ms: 5 })), DeviceAct::Quiet(5));
        assert_eq!(act(What::Flag(v1::Flag { colour: 1 })), DeviceAct::Flag(Colour::White));
        assert_eq!(
            act(What::Fault(v1::Fault { kind: 1, detail: "d".into() })),
            DeviceAct::Fault(Fault::PowerLost, "d".into())
        );
        let report = v1::Report { directive: "r1.b2#4".into(), rev: 4, stage: 4, reason: 2, before: None };
        let expected = Report { rev: 4, stage: Stage::Rejected, reason: Some(RejectReason::Overtaken), before: None };
        assert_eq!(act(What::Report(report)), DeviceAct::Report(expected));
        let all = read(What::Started(v1::Started {}));
        assert_eq!((all.seq, all.at), (7, Moment { boot: 5, ms: 77 }));
    }

    #[test]
    fn what_is_refused_is_named() {
        let said = |spoil: &dyn Fn(&mut v1::DeviceEvent)| {
            let mut event = event(What::Paused(v1::Paused {}));
            spoil(&mut event);
            device_input(event).expect_err("spoilt").to_string()
        };
        assert_eq!(said(&|e| e.seq = 0), "event.seq: events are numbered from 1");
        assert_eq!(said(&|e| e.at = None), "event.at: missing");
        assert_eq!(said(&|e| e.face = Some(v1::Face::default())), "event.face: face.white: missing");
        assert_eq!(said(&|e| e.what = None), "event.what: missing");
        assert_eq!(said(&|e| e.what = Some(What::Scan(v1::Scan { board: None }))), "board: missing");
        let short = v1::Scan { board: Some(v1::Board { squares: vec![0] }) };
        assert_eq!(
            said(&|e| e.what = Some(What::Scan(short.clone()))),
            "board.squares: a board is 32 bytes long, this has 1"
        );
        let report =
            |directive: &str| v1::Report { directive: directive.into(), rev: 2, stage: 3, ..Default::default() };
        assert_eq!(
            said(&|e| e.what = Some(What::Report(report("g#1")))),
            "report.directive: \"g#1\" does not name revision 2 of a game"
        );
    }
}
