//! Where the agent's words become the contract's bytes and back. Nothing behind this module knows protobuf.
//!
//! An event's bytes are made once, here, and never again: the spool keeps them, the chain hashes them, the service
//! journals them. Directives are in [`directive`], the frames of the link in [`frame`].

pub mod directive;
pub mod frame;

use flagfall_proto::{
    clock::v1::{self, device_event::What as Wire},
    convert::{self, Refused},
};
use flagfall_rules::{board::Scan, clock::Face, time::Moment};
use flagfall_trace::TraceContext;
use prost::Message;
use sha2::{Digest, Sha256};

use crate::{
    core::{Draft, RejectReason, Report, Stage, What},
    sense::{ClaimKind, FaultKind},
};

/// SHA-256.
pub type Hash = [u8; 32];

/// What the first event of a spool names as the hash of the one before it.
pub const NO_HASH: Hash = [0; 32];

/// The version of the contract that this agent speaks.
pub const PROTOCOL: u32 = 1;

/// SHA-256 of an encoded event: what the next one names.
#[must_use]
pub fn hash(event: &[u8]) -> Hash {
    Sha256::digest(event).into()
}

/// What the service compares clocks by: SHA-256 of the encoded face and the revision, big-endian.
#[must_use]
pub fn state_digest(face: &Face, applied_rev: u64) -> Hash {
    let mut sha = Sha256::new();
    sha.update(v1::Face::from(*face).encode_to_vec());
    sha.update(applied_rev.to_be_bytes());
    sha.finalize().into()
}

/// Encodes an event. A press begins a trace of its own, and so does what else a player does; it is named after the spool and the
/// number, so that no clock needs randomness to be told apart. A board's events are many and begin none.
#[must_use]
pub fn encode_event(draft: &Draft, boot: u128, previous: &Hash, spool: &[u8; 16]) -> Vec<u8> {
    let traceparent = match draft.what {
        What::Scan(_) | What::Quiet { .. } | What::Report(_) => draft.traceparent.clone(),
        _ if draft.traceparent.is_empty() => TraceContext::of_event(spool, draft.seq).to_string(),
        _ => draft.traceparent.clone(),
    };
    let event = v1::DeviceEvent {
        seq: draft.seq,
        previous_hash: previous.to_vec(),
        at: Some(Moment { boot, ms: draft.at }.into()),
        face: Some(draft.face.into()),
        traceparent,
        what: Some(what(&draft.what)),
        game: draft.game.clone(),
    };
    event.encode_to_vec()
}

/// An event read back.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedEvent {
    /// The hash it names as that of the event before it.
    pub previous: Hash,
    /// Its boot.
    pub boot: u128,
    /// The rest.
    pub draft: Draft,
}

/// Reads an event back.
///
/// # Errors
/// Names the first field that cannot be what it says.
pub fn decode_event(bytes: &[u8]) -> Result<DecodedEvent, Refused> {
    let event = v1::DeviceEvent::decode(bytes).map_err(|error| Refused::new("event", error.to_string()))?;
    let previous = Hash::try_from(event.previous_hash.as_slice())
        .map_err(|_| Refused::new("previous_hash", format!("{} bytes, not 32", event.previous_hash.len())))?;
    let at: Moment = event.at.ok_or_else(|| Refused::new("at", "missing"))?.try_into()?;
    let face: Face = event.face.ok_or_else(|| Refused::new("face", "missing"))?.try_into()?;
    let what = happened(event.what.ok_or_else(|| Refused::new("what", "missing"))?)?;
    let (traceparent, game) = (event.traceparent, event.game);
    let draft = Draft { seq: event.seq, at: at.ms, face, traceparent, game, what };
    Ok(DecodedEvent { previous, boot: at.boot, draft })
}

fn what(what: &What) -> Wire {
    match what {
        What::Started => Wire::Started(v1::Started {}),
        What::Press(colour) => Wire::Press(v1::Press { colour: v1::Colour::from(*colour).into() }),
        What::Paused => Wire::Paused(v1::Paused {}),
        What::Resumed => Wire::Resumed(v1::Resumed {}),
        What::Call(colour) => Wire::Call(v1::Call { colour: v1::Colour::from(*colour).into() }),
        What::Claim(colour, kind) => {
            Wire::Claim(v1::Claim { colour: v1::Colour::from(*colour).into(), kind: claim(*kind).into() })
        }
        What::Scan(scan) => Wire::Scan(v1::Scan { board: Some((*scan).into()) }),
        What::Quiet { since } => Wire::Quiet(v1::Quiet { since_ms: *since }),
        What::Flag(colour) => Wire::Flag(v1::Flag { colour: v1::Colour::from(*colour).into() }),
        What::Report(report) => Wire::Report(v1::Report {
            directive: report.id.clone(),
            rev: report.rev,
            stage: stage(report.stage).into(),
            reason: reason(report.reason).into(),
            before: report.before.map(Into::into),
        }),
        What::Fault(kind, detail) => Wire::Fault(v1::Fault { kind: fault(*kind).into(), detail: detail.clone() }),
    }
}

fn happened(what: Wire) -> Result<What, Refused> {
    Ok(match what {
        Wire::Started(_) => What::Started,
        Wire::Press(press) => What::Press(convert::colour(press.colour)?),
        Wire::Paused(_) => What::Paused,
        Wire::Resumed(_) => What::Resumed,
        Wire::Call(call) => What::Call(convert::maybe_colour(call.colour)?),
        Wire::Claim(claim) => {
            let kind = v1::ClaimKind::try_from(claim.kind).unwrap_or_default();
            What::Claim(convert::colour(claim.colour)?, claimed(kind)?)
        }
        Wire::Scan(scan) => {
            What::Scan(Scan::try_from(scan.board.ok_or_else(|| Refused::new("scan.board", "missing"))?)?)
        }
        Wire::Quiet(quiet) => What::Quiet { since: quiet.since_ms },
        Wire::Flag(flag) => What::Flag(convert::colour(flag.colour)?),
        Wire::Report(report) => What::Report(Report {
            stage: staged(report.stage)?,
            reason: reasoned(report.reason)?,
            id: report.directive,
            rev: report.rev,
            before: report.before.map(TryInto::try_into).transpose()?,
        }),
        Wire::Fault(fault) => {
            let kind = v1::FaultKind::try_from(fault.kind).unwrap_or_default();
            What::Fault(faulted(kind)?, fault.detail)
        }
    })
}

/// A stage in the contract's words.
pub(crate) fn stage(stage: Stage) -> v1::Stage {
    match stage {
        Stage::Received => v1::Stage::Received,
        Stage::Applied => v1::Stage::Applied,
        Stage::Rejected => v1::Stage::Rejected,
        Stage::Unknown => v1::Stage::Unknown,
    }
}

/// A stage that a clock can be at.
pub(crate) fn staged(stage: i32) -> Result<Stage, Refused> {
    match v1::Stage::try_from(stage) {
        Ok(v1::Stage::Received) => Ok(Stage::Received),
        Ok(v1::Stage::Applied) => Ok(Stage::Applied),
        Ok(v1::Stage::Rejected) => Ok(Stage::Rejected),
        Ok(v1::Stage::Unknown) => Ok(Stage::Unknown),
        _ => Err(Refused::new("stage", format!("{stage} is none of a clock's"))),
    }
}

/// A reason in the contract's words.
pub(crate) fn reason(reason: Option<RejectReason>) -> v1::RejectReason {
    match reason {
        None => v1::RejectReason::Unspecified,
        Some(RejectReason::Revision) => v1::RejectReason::Revision,
        Some(RejectReason::Overtaken) => v1::RejectReason::Overtaken,
        Some(RejectReason::Expired) => v1::RejectReason::Expired,
        Some(RejectReason::Superseded) => v1::RejectReason::Superseded,
        Some(RejectReason::Display) => v1::RejectReason::Display,
        Some(RejectReason::Unsupported) => v1::RejectReason::Unsupported,
    }
}

/// A reason read back.
pub(crate) fn reasoned(reason: i32) -> Result<Option<RejectReason>, Refused> {
    let known =
        v1::RejectReason::try_from(reason).map_err(|_| Refused::new("reason", format!("{reason} is not known")))?;
    Ok(match known {
        v1::RejectReason::Unspecified => None,
        v1::RejectReason::Revision => Some(RejectReason::Revision),
        v1::RejectReason::Overtaken => Some(RejectReason::Overtaken),
        v1::RejectReason::Expired => Some(RejectReason::Expired),
        v1::RejectReason::Superseded => Some(RejectReason::Superseded),
        v1::RejectReason::Display => Some(RejectReason::Display),
        v1::RejectReason::Unsupported => Some(RejectReason::Unsupported),
    })
}

fn claim(kind: ClaimKind) -> v1::ClaimKind {
    match kind {
        ClaimKind::Flag => v1::ClaimKind::Flag,
        ClaimKind::IllegalMove => v1::ClaimKind::IllegalMove,
        ClaimKind::Draw => v1::ClaimKind::Draw,
        ClaimKind::Resignation => v1::ClaimKind::Resignation,
        ClaimKind::Agreement => v1::ClaimKind::Agreement,
    }
}

fn claimed(kind: v1::ClaimKind) -> Result<ClaimKind, Refused> {
    match kind {
        v1::ClaimKind::Unspecified => Err(Refused::new("claim.kind", "not specified")),
        v1::ClaimKind::Flag => Ok(ClaimKind::Flag),
        v1::ClaimKind::IllegalMove => Ok(ClaimKind::IllegalMove),
        v1::ClaimKind::Draw => Ok(ClaimKind::Draw),
        v1::ClaimKind::Resignation => Ok(ClaimKind::Resignation),
        v1::ClaimKind::Agreement => Ok(ClaimKind::Agreement),
    }
}

fn fault(kind: FaultKind) -> v1::FaultKind {
    match kind {
        FaultKind::PowerLost => v1::FaultKind::PowerLost,
        FaultKind::BoardLost => v1::FaultKind::BoardLost,
        FaultKind::BoardBack => v1::FaultKind::BoardBack,
        FaultKind::ClockLost => v1::FaultKind::ClockLost,
        FaultKind::ClockBack => v1::FaultKind::ClockBack,
        FaultKind::BatteryLow => v1::FaultKind::BatteryLow,
        FaultKind::Garbled => v1::FaultKind::Garbled,
        FaultKind::SourceEnded => v1::FaultKind::SourceEnded,
        FaultKind::PressesMissed => v1::FaultKind::PressesMissed,
    }
}

fn faulted(kind: v1::FaultKind) -> Result<FaultKind, Refused> {
    match kind {
        v1::FaultKind::Unspecified => Err(Refused::new("fault.kind", "not specified")),
        v1::FaultKind::PowerLost => Ok(FaultKind::PowerLost),
        v1::FaultKind::BoardLost => Ok(FaultKind::BoardLost),
        v1::FaultKind::BoardBack => Ok(FaultKind::BoardBack),
        v1::FaultKind::ClockLost => Ok(FaultKind::ClockLost),
        v1::FaultKind::ClockBack => Ok(FaultKind::ClockBack),
        v1::FaultKind::BatteryLow => Ok(FaultKind::BatteryLow),
        v1::FaultKind::Garbled => Ok(FaultKind::Garbled),
        v1::FaultKind::SourceEnded => Ok(FaultKind::SourceEnded),
        v1::FaultKind::PressesMissed => Ok(FaultKind::PressesMissed),
    }
}

#[cfg(test)]
mod tests;
