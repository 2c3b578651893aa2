//! What an entry's bytes mean: the rules' words as the contract's messages, and back.
//!
//! Encoding is total. Decoding believes nothing and names the field it refuses. Entries are encoded once, when they are
//! admitted, and then only read: what is hashed and compared is always the stored bytes.
//!
//! [`entry`] and [`decode_entry`] are for the whole; [`event`](fn@event) for what follows, [`desk_input`] and [`device_input`]
//! [`organiser`](fn@organiser) for what came in, [`directive`](fn@directive) for what goes out, [`Numbered`] for the closed lists.

mod adjourn;
mod desk;
mod device;
mod directive;
mod event;
mod facts;
mod note;
mod numbers;
mod organiser;
mod remedy;
mod setup;

#[cfg(test)]
pub(super) mod samples;

use flagfall_proto::{
    convert::Refused,
    journal::v1::{self, event::What, input::Source},
};
use flagfall_rules::game::{DeskInput, Event, Notice};
use flagfall_trace::TraceContext;
use prost::Message;

pub use adjourn::{
    envelope_to_proto, hands_to_proto, proposal_to_proto as adjournment_proposal_to_proto, resumption_to_proto,
    seal_to_proto, session_to_proto,
};
pub use desk::{desk_input, desk_to_proto};
pub use device::device_input;
pub use directive::{act, act_to_proto, directive, directive_id, directive_to_proto, parse_directive_id};
pub use event::{event, event_to_proto, finding_to_proto};
pub use note::{Note, Spools, Stay};
pub use numbers::Numbered;
pub use organiser::{
    bye, bye_to_proto, event_settings_to_proto, organiser, organiser_bytes, player, player_to_proto, seat, sector,
};
pub use remedy::{proposal_to_proto, ruling_to_proto};
pub use setup::{overlay, overlay_to_proto, setup, setup_to_proto};

/// The version of the entries written here. Older ones are raised to it as they are read; there are none yet.
pub const SCHEMA: u32 = 1;

/// What the first entry of a stream has in place of a hash.
pub const NO_HASH: [u8; 32] = [0; 32];

/// Why bytes are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// They are no message at all.
    #[error("no protobuf message ({0}): the writer is broken or the bytes are damaged")]
    Protobuf(String),
    /// They are of a version that this service does not read.
    #[error("schema {0}: it was written by a later service, which can read it")]
    Schema(u32),
    /// A field says what it cannot.
    #[error("{0}")]
    Refused(Refused),
}

impl From<Refused> for CodecError {
    fn from(refused: Refused) -> CodecError {
        CodecError::Refused(refused)
    }
}

/// Reads any message of the contract.
///
/// # Errors
/// The bytes are none.
pub fn message<M: Message + Default>(bytes: &[u8]) -> Result<M, CodecError> {
    M::decode(bytes).map_err(|error| CodecError::Protobuf(error.to_string()))
}

/// What an entry says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Hash of the entry before it in the stream; [`NO_HASH`] for the first.
    pub previous_hash: [u8; 32],
    /// Wall time when it was admitted, milliseconds since 1970: a label, never compared.
    pub wall_ms: i64,
    /// Clock session in which the input came; 0 when it was not a clock's.
    pub session_epoch: u64,
    /// Spool of the device events; empty when there are none.
    pub spool_id: Vec<u8>,
}

/// An input as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// An encoded `DeviceEvent`, the very bytes that the clock stored and hashed: [`message`] and [`device_input`] read them.
    Device(Vec<u8>),
    /// An act at the desk.
    Desk(Box<DeskInput>),
    /// Patience with the directive of this revision ran out.
    Overdue(u64),
    /// A clock was taken in.
    Session(Session),
    /// A question of the game was answered: its number, and whether the side can mate.
    Answered(u32, Option<bool>),
    /// Something was noticed of the clock.
    Noticed(Notice),
    /// An encoded `OrganiserInput`, an act on an event or a round: [`organiser`](fn@organiser) reads it.
    Organiser(Vec<u8>),
    /// The journal was restored from the export that ends with this SHA-256.
    Restored([u8; 32]),
}

/// A clock was taken in: written to its device stream before it is welcomed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The device.
    pub device: String,
    /// Fences the session; greater than any before.
    pub session_epoch: u64,
    /// The clock's spool.
    pub spool_id: [u8; 16],
    /// The clock's boot.
    pub boot: u128,
}

/// An entry, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// What it says of itself.
    pub meta: Meta,
    /// Scans that led to no event, then the input that did.
    pub inputs: Vec<Kept>,
    /// Everything that follows from them.
    pub events: Vec<Event>,
    /// The traceparents of the directives among them, in order: a directive sent again is the same to the letter.
    pub traceparents: Vec<String>,
    /// That of the span in which the input was taken; empty when nothing was found, ruled or ordered.
    pub traceparent: String,
}

/// The bytes of an entry. `game` is the game whose stream it goes to, which names the directives; `traceparent` is that of the span
/// in which the input was taken, and each directive goes on from it. Both are empty elsewhere.
#[must_use]
pub fn entry(game: &str, traceparent: &str, meta: &Meta, inputs: &[Kept], events: &[Event]) -> Vec<u8> {
    let traced = |what: &Event| {
        let mut message = event_to_proto(game, what);
        if let Some(What::Issued(directive)) = &mut message.what {
            directive.traceparent = directive_trace(traceparent, directive.rev);
        }
        message
    };
    let entry = v1::Entry {
        schema: SCHEMA,
        previous_hash: meta.previous_hash.into(),
        wall_ms: meta.wall_ms,
        inputs: inputs.iter().map(|input| v1::Input { source: Some(source(input)) }).collect(),
        events: events.iter().map(traced).collect(),
        session_epoch: meta.session_epoch,
        spool_id: meta.spool_id.clone(),
        traceparent: if is_traced(events) { traceparent.to_owned() } else { String::new() },
    };
    entry.encode_to_vec()
}

/// Something was found, ruled or ordered: the entry says in which trace.
#[must_use]
pub fn is_traced(events: &[Event]) -> bool {
    let notable = |event: &Event| {
        matches!(event, Event::Found(_) | Event::Proposed(_) | Event::Ruled(_) | Event::Issued(_) | Event::Ended { .. })
    };
    events.iter().any(notable)
}

/// The traceparent of a directive, by that of the span in which its input was taken; empty for one that is none.
#[must_use]
pub fn directive_trace(traceparent: &str, rev: u64) -> String {
    let told = |context: TraceContext| context.child("directive", rev).to_string();
    traceparent.parse().map_or_else(|_| String::new(), told)
}

/// Reads the bytes of an entry. Device events stay the bytes they are.
///
/// # Errors
/// Names the first thing that is not as it should be.
pub fn decode_entry(bytes: &[u8]) -> Result<Decoded, CodecError> {
    let entry: v1::Entry = message(bytes)?;
    if entry.schema != SCHEMA {
        return Err(CodecError::Schema(entry.schema));
    }
    let traceparents = entry.events.iter().filter_map(|event| match &event.what {
        Some(What::Issued(directive)) => Some(directive.traceparent.clone()),
        _ => None,
    });
    Ok(Decoded {
        traceparents: traceparents.collect(),
        traceparent: entry.traceparent,
        meta: Meta {
            previous_hash: fixed("entry.previous_hash", entry.previous_hash)?,
            wall_ms: entry.wall_ms,
            session_epoch: entry.session_epoch,
            spool_id: entry.spool_id,
        },
        inputs: entry.inputs.into_iter().map(kept).collect::<Result<_, _>>()?,
        events: entry.events.into_iter().map(event).collect::<Result<_, _>>()?,
    })
}

fn source(input: &Kept) -> Source {
    match input {
        Kept::Device(bytes) => Source::DeviceEvent(bytes.clone()),
        Kept::Desk(input) => Source::Desk(desk_to_proto(input)),
        Kept::Overdue(rev) => Source::OverdueRev(*rev),
        Kept::Organiser(bytes) => Source::Organiser(bytes.clone()),
        Kept::Restored(export) => Source::Restored(v1::Restored { export: export.into() }),
        Kept::Answered(number, can_mate) => Source::Answered(v1::Answered { number: *number, can_mate: *can_mate }),
        Kept::Noticed(notice) => Source::Noticed(notice_to_proto(notice)),
        Kept::Session(session) => Source::Session(v1::SessionOpened {
            device: session.device.clone(),
            session_epoch: session.session_epoch,
            spool_id: session.spool_id.into(),
            boot_id: session.boot.to_be_bytes().into(),
        }),
    }
}

fn notice_to_proto(notice: &Notice) -> v1::Notice {
    let what = match notice {
        Notice::Replaced => v1::notice::What::Replaced(v1::ClockReplaced {}),
        Notice::Differs(applied) => v1::notice::What::DiffersAtRev(*applied),
        Notice::Trouble(text) => v1::notice::What::Trouble(text.clone()),
        Notice::Frozen(text) => v1::notice::What::Frozen(text.clone()),
        Notice::Shows { at, face } => {
            v1::notice::What::Shows(v1::ClockShows { at: Some((*at).into()), face: Some((*face).into()) })
        }
    };
    v1::Notice { what: Some(what) }
}

fn read_notice(notice: v1::Notice) -> Result<Notice, Refused> {
    Ok(match required("notice.what", notice.what)? {
        v1::notice::What::Replaced(_) => Notice::Replaced,
        v1::notice::What::DiffersAtRev(applied) => Notice::Differs(applied),
        v1::notice::What::Trouble(text) => Notice::Trouble(text),
        v1::notice::What::Frozen(text) => Notice::Frozen(text),
        v1::notice::What::Shows(shows) => {
            let (at, face) = (required("shows.at", shows.at)?, required("shows.face", shows.face)?);
            Notice::Shows { at: at.try_into()?, face: face.try_into()? }
        }
    })
}

fn kept(input: v1::Input) -> Result<Kept, Refused> {
    Ok(match required("input.source", input.source)? {
        Source::DeviceEvent(bytes) => Kept::Device(bytes),
        Source::Desk(input) => Kept::Desk(Box::new(desk_input(input)?)),
        Source::OverdueRev(rev) => Kept::Overdue(rev),
        Source::Organiser(bytes) => Kept::Organiser(bytes),
        Source::Restored(restored) => Kept::Restored(fixed("restored.export", restored.export)?),
        Source::Answered(answered) => Kept::Answered(answered.number, answered.can_mate),
        Source::Noticed(notice) => Kept::Noticed(read_notice(notice)?),
        Source::Session(session) => Kept::Session(Session {
            device: session.device,
            session_epoch: session.session_epoch,
            spool_id: fixed("session.spool_id", session.spool_id)?,
            boot: u128::from_be_bytes(fixed("session.boot_id", session.boot_id)?),
        }),
    })
}

/// A field that must be there.
fn required<T>(what: &'static str, field: Option<T>) -> Result<T, Refused> {
    field.ok_or_else(|| Refused::new(what, "missing"))
}

/// A field of so many bytes.
fn fixed<const N: usize>(what: &'static str, bytes: Vec<u8>) -> Result<[u8; N], Refused> {
    bytes.try_into().map_err(|bytes: Vec<u8>| Refused::new(what, format!("{} bytes, not {N}", bytes.len())))
}

/// A text that is there, or not.
fn text(field: String) -> Option<String> {
    (!field.is_empty()).then_some(field)
}

/// A message that may be absent; what it refuses is told of this field.
fn maybe<M, T: TryFrom<M, Error = Refused>>(what: &'static str, field: Option<M>) -> Result<Option<T>, Refused> {
    field.map(T::try_from).transpose().map_err(|refused| within(what, refused))
}

/// A message that must be there; what it refuses is told of this field.
fn must<M, T: TryFrom<M, Error = Refused>>(what: &'static str, field: Option<M>) -> Result<T, Refused> {
    T::try_from(required(what, field)?).map_err(|refused| within(what, refused))
}

/// The same fault, told of the field that the faulty message stands in.
fn within(what: &'static str, inner: Refused) -> Refused {
    Refused { what, why: inner.to_string() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept_inputs() -> impl Strategy<Value = Kept> {
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80).prop_map(Kept::Device),
            samples::desk_inputs().prop_map(|input| Kept::Desk(Box::new(input))),
            any::<u64>().prop_map(Kept::Overdue),
            prop::collection::vec(any::<u8>(), 0..80).prop_map(Kept::Organiser),
            any::<[u8; 32]>().prop_map(Kept::Restored),
            any::<(u32, Option<bool>)>().prop_map(|(number, can_mate)| Kept::Answered(number, can_mate)),
            (".{0,9}", any::<u64>(), any::<[u8; 16]>(), any::<u128>()).prop_map(
                |(device, session_epoch, spool_id, boot)| {
                    Kept::Session(Session { device, session_epoch, spool_id, boot })
                }
            ),
        ]
    }

    proptest! {
        #[test]
        fn an_entry_comes_back(
            previous_hash: [u8; 32], wall_ms: i64, session_epoch: u64, spool_id: Vec<u8>,
            inputs in prop::collection::vec(kept_inputs(), 1..4),
            events in prop::collection::vec(samples::events(), 0..6),
        ) {
            let meta = Meta { previous_hash, wall_ms, session_epoch, spool_id };
            let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
            let bytes = entry(samples::GAME, traceparent, &meta, &inputs, &events);
            let decoded = decode_entry(&bytes).expect("an entry");
            let issued = events.iter().filter(|event| matches!(event, Event::Issued(_))).count();
            prop_assert_eq!(decoded.traceparents.len(), issued);
            let trace = &traceparent[..36];
            prop_assert!(decoded.traceparents.iter().all(|told| told.starts_with(trace) && told != traceparent));
            prop_assert_eq!(decoded.traceparent.as_str(), if is_traced(&events) { traceparent } else { "" });
            prop_assert_eq!((decoded.meta, decoded.inputs, decoded.events), (meta, inputs, events));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_entry(&bytes);
            let _ = message(&bytes).map(device_input);
        }

        /// Spoilt entries get further than noise does.
        #[test]
        fn a_spoilt_entry_is_read_or_refused(
            events in prop::collection::vec(samples::events(), 1..4), at: prop::sample::Index, byte: u8,
        ) {
            let mut bytes = entry(samples::GAME, "", &Meta::default(), &[Kept::Overdue(1)], &events);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = decode_entry(&bytes);
        }
    }

    #[test]
    fn what_is_refused_is_named() {
        let good = v1::Entry { schema: 1, previous_hash: vec![0; 32], ..Default::default() };
        let said = |spoil: &dyn Fn(&mut v1::Entry)| {
            let mut entry = good.clone();
            spoil(&mut entry);
            decode_entry(&entry.encode_to_vec()).expect_err("spoilt").to_string()
        };
        assert!(decode_entry(&good.encode_to_vec()).is_ok());
        assert!(said(&|entry| entry.schema = 2).starts_with("schema 2: "));
        assert_eq!(said(&|entry| entry.previous_hash = vec![0; 31]), "entry.previous_hash: 31 bytes, not 32");
        assert_eq!(said(&|entry| entry.inputs = vec![v1::Input::default()]), "input.source: missing");
        assert_eq!(said(&|entry| entry.events = vec![v1::Event::default()]), "event.what: missing");
        assert!(matches!(decode_entry(b"\xff"), Err(CodecError::Protobuf(_))));
    }
}
