//! The frames of the link, both ways.

use flagfall_proto::{
    clock::v1::{self, link_request::Frame as Out, link_response::Frame as In},
    convert::Refused,
};
use flagfall_rules::{clock::Face, time::Moment};

use super::{Hash, PROTOCOL, directive, state_digest};
use crate::core::{Directive, Past};

/// What a clock says of itself: in its greeting, and with each heartbeat.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Names the spool.
    pub spool_id: [u8; 16],
    /// The last event's number.
    pub last_seq: u64,
    /// The game on the clock; empty when none.
    pub game: String,
    /// The last revision handled in it.
    pub applied_rev: u64,
    /// The face.
    pub face: Face,
    /// A directive is on its way to an external clock: being behind is no sign of a bad link.
    pub busy: bool,
    /// The spool before this one.
    pub past: Option<Past>,
    /// The last event that was acknowledged.
    pub acked: u64,
}

/// The first frame of a session; `last_epoch` is the greatest epoch so far.
#[must_use]
pub fn hello(device: &str, boot: u128, last_epoch: u64, standing: &Standing) -> v1::LinkRequest {
    request(Out::Hello(v1::Hello {
        protocol_min: PROTOCOL,
        protocol_max: PROTOCOL,
        device: device.to_owned(),
        spool_id: standing.spool_id.to_vec(),
        boot_id: boot.to_be_bytes().to_vec(),
        last_seq: standing.last_seq,
        game: standing.game.clone(),
        applied_rev: standing.applied_rev,
        face: Some(standing.face.into()),
        state_digest: state_digest(&standing.face, standing.applied_rev).to_vec(),
        software: concat!("flagfall-clock ", env!("CARGO_PKG_VERSION")).to_owned(),
        last_epoch,
        acked_through: standing.acked,
        past: standing.past.map(|past| v1::Past { spool_id: past.spool.to_vec(), last_seq: past.last_seq }),
    }))
}

/// Encoded events in order, sent at this millisecond of the boot; 0: not said.
#[must_use]
pub fn events(session_epoch: u64, events: Vec<Vec<u8>>, sent_ms: u64) -> v1::LinkRequest {
    request(Out::Events(v1::Events { session_epoch, events, sent_ms }))
}

/// Still here; `at` is now, where the clock's time goes by itself.
#[must_use]
pub fn heartbeat(session_epoch: u64, at: Option<Moment>, standing: &Standing) -> v1::LinkRequest {
    request(Out::Heartbeat(v1::ClockHeartbeat {
        session_epoch,
        last_seq: standing.last_seq,
        game: standing.game.clone(),
        applied_rev: standing.applied_rev,
        face: Some(standing.face.into()),
        at: at.map(Into::into),
    }))
}

/// The clock leaves on purpose.
#[must_use]
pub fn goodbye(reason: &str) -> v1::LinkRequest {
    request(Out::Goodbye(v1::Goodbye { resume_after_ms: 0, reason: reason.to_owned() }))
}

fn request(frame: Out) -> v1::LinkRequest {
    v1::LinkRequest { frame: Some(frame) }
}

/// The service takes the clock in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// Fences the session.
    pub epoch: u64,
    /// Events up to here are durable.
    pub durable_through: u64,
    /// SHA-256 of that event; `None` when there is none.
    pub chain_hash: Option<Hash>,
    /// How many events may be outstanding, at least one.
    pub window: u64,
    /// The game wanted on the clock; empty when none.
    pub game: String,
    /// The newest revision wanted in it.
    pub desired_rev: u64,
    /// Events up to here are never asked for again.
    pub released_through: u64,
    /// The clock on which the game of this one goes on by now; empty when it has gone nowhere.
    pub moved_to: String,
}

/// What the service can say.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// The session begins.
    Welcome(Welcome),
    /// Events are durable.
    Ack {
        /// Up to here.
        through: u64,
        /// The newest revision wanted after them.
        desired_rev: u64,
    },
    /// Send again from this number.
    Rewind(u64),
    /// Something to do, or what keeps it from being a directive.
    Directive(Result<Box<Directive>, Refused>),
    /// Still here.
    Heartbeat {
        /// The newest revision wanted.
        desired_rev: u64,
        /// The service will ask for no event up to this one again.
        released_through: u64,
    },
    /// The service leaves on purpose.
    Goodbye {
        /// Not to be disturbed for so long, milliseconds.
        resume_after_ms: u64,
        /// Why.
        reason: String,
    },
}

/// Reads a frame of the service.
///
/// # Errors
/// It breaks the contract; names the field.
pub fn read(response: v1::LinkResponse) -> Result<Said, Refused> {
    Ok(match response.frame.ok_or_else(|| Refused::new("frame", "none that this clock knows"))? {
        In::Welcome(welcome) => {
            let chain_hash = match (welcome.durable_through, Hash::try_from(welcome.chain_hash.as_slice())) {
                (0, _) => None,
                (_, Ok(hash)) => Some(hash),
                (_, Err(_)) => {
                    let why = format!("{} bytes, not 32", welcome.chain_hash.len());
                    return Err(Refused::new("welcome.chain_hash", why));
                }
            };
            if welcome.protocol != PROTOCOL {
                return Err(Refused::new("welcome.protocol", format!("{}, not {PROTOCOL}", welcome.protocol)));
            }
            Said::Welcome(Welcome {
                epoch: welcome.session_epoch,
                durable_through: welcome.durable_through,
                chain_hash,
                window: u64::from(welcome.window).max(1),
                game: welcome.game,
                desired_rev: welcome.desired_rev,
                released_through: welcome.released_through,
                moved_to: welcome.moved_to,
            })
        }
        In::Ack(ack) => Said::Ack { through: ack.durable_through, desired_rev: ack.desired_rev },
        In::Rewind(rewind) => Said::Rewind(rewind.from_seq),
        In::Directive(message) => Said::Directive(directive::read(message).map(Box::new)),
        In::Heartbeat(v1::ServerHeartbeat { desired_rev, released_through }) => {
            Said::Heartbeat { desired_rev, released_through }
        }
        In::Goodbye(goodbye) => Said::Goodbye { resume_after_ms: goodbye.resume_after_ms, reason: goodbye.reason },
    })
}
