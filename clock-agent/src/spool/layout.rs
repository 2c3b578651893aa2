//! The bytes of a spool file. All numbers are little-endian; a file lives until the clock has told everything in it.
//!
//! ```text
//! file    header frame*
//! header  "FFSPOOL" 0x01 | spool id, 16 bytes | crc32c of these 24 bytes, u32
//! frame   length of the records, u32, 1 to FRAME_MAX | crc32c, u32 | records
//!         the crc covers spool id, offset of the frame in the file (u64), length and records
//! record  kind, u8 | length, u32 | bytes
//!         1 event: an encoded flagfall.clock.v1.DeviceEvent, as it is sent and hashed
//!         2 applied, 3 checkpoint, 4 snapshot: the messages below
//! ```
//!
//! A frame is one append: it is there as a whole or not at all. Because each append is synced before the next begins,
//! only the last frame can be torn, and a frame after a bad one means damage. The offset in the checksum keeps the
//! bytes of an older file in a reused block from passing for a frame.

use flagfall_proto::{clock::v1, convert::Refused};
use flagfall_rules::{clock::Face, time::Moment};
use prost::Message;

use super::Record;
use crate::{
    core::{Applied, Checkpoint, Past, Stored},
    wire,
};

/// The most bytes of records in a frame.
pub(super) const FRAME_MAX: usize = 1 << 20;

/// The length of the header, bytes.
pub(super) const HEADER: usize = 28;

/// The length of a frame before its records, bytes.
pub(super) const FRAME_HEAD: usize = 8;

/// The length of a record before its bytes.
const RECORD_HEAD: usize = 5;

const MAGIC: [u8; 8] = *b"FFSPOOL\x01";

/// How a directive fared.
#[derive(Clone, PartialEq, Message)]
struct AppliedRecord {
    #[prost(message, optional, tag = "1")]
    directive: Option<v1::Directive>,
    #[prost(enumeration = "v1::Stage", tag = "2")]
    stage: i32,
    #[prost(enumeration = "v1::RejectReason", tag = "3")]
    reason: i32,
    #[prost(message, optional, tag = "4")]
    at: Option<v1::Instant>,
    #[prost(message, optional, tag = "5")]
    before: Option<v1::Face>,
    #[prost(message, optional, tag = "6")]
    after: Option<v1::Face>,
}

/// The face of a running clock.
#[derive(Clone, PartialEq, Message)]
struct CheckpointRecord {
    #[prost(message, optional, tag = "1")]
    at: Option<v1::Instant>,
    #[prost(message, optional, tag = "2")]
    face: Option<v1::Face>,
}

/// The present, at the head of a spool that was begun anew.
#[derive(Clone, PartialEq, Message)]
struct SnapshotRecord {
    #[prost(message, optional, tag = "1")]
    at: Option<v1::Instant>,
    #[prost(message, optional, tag = "2")]
    face: Option<v1::Face>,
    #[prost(string, tag = "3")]
    game: String,
    #[prost(uint64, tag = "4")]
    rev: u64,
    #[prost(message, optional, tag = "5")]
    control: Option<v1::Control>,
    #[prost(message, optional, tag = "6")]
    words: Option<v1::Words>,
    #[prost(string, tag = "7")]
    position: String,
    #[prost(enumeration = "v1::Outcome", tag = "8")]
    outcome: i32,
    #[prost(message, optional, tag = "9")]
    past: Option<v1::Past>,
}

/// A record as it is read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// One that was appended.
    Record(Record),
    /// The present at the head of a spool.
    Snapshot(Box<Stored>),
}

/// The header of a spool with this id.
pub(super) fn header(id: &[u8; 16]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..24].copy_from_slice(id);
    let crc = crc32c::crc32c(&header[..24]);
    header[24..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// The id in a header, or `None` when it is none.
pub(super) fn read_header(bytes: &[u8]) -> Option<[u8; 16]> {
    let head = bytes.get(..HEADER)?;
    let id = head.get(8..24)?.try_into().ok()?;
    (header(&id) == head).then_some(id)
}

/// Bytes that are the beginning of some header, and nothing else. No spool is left so by its agent, which puts a whole one in its
/// place: the disk has lost it.
pub(super) fn is_cut_header(bytes: &[u8]) -> bool {
    let magic = &MAGIC[..bytes.len().min(MAGIC.len())];
    bytes.len() < HEADER && bytes.starts_with(magic)
}

/// A frame at an offset of the file, and where in it the bytes of each event lie.
pub(super) fn frame(id: &[u8; 16], offset: u64, entries: &[Entry]) -> (Vec<u8>, Vec<std::ops::Range<usize>>) {
    let mut bytes = vec![0; FRAME_HEAD];
    let mut events = Vec::new();
    for entry in entries {
        let (kind, body) = match entry {
            Entry::Record(Record::Event(event)) => (1, event.clone()),
            Entry::Record(Record::Applied { boot, applied }) => (2, write_applied(*boot, applied).encode_to_vec()),
            Entry::Record(Record::Checkpoint { boot, checkpoint }) => {
                let at = Some(Moment { boot: *boot, ms: checkpoint.at }.into());
                (3, CheckpointRecord { at, face: Some(checkpoint.face.into()) }.encode_to_vec())
            }
            Entry::Snapshot(stored) => (4, write_snapshot(stored).encode_to_vec()),
        };
        bytes.push(kind);
        // Longer than four bytes can say is far beyond FRAME_MAX, which the caller checks.
        bytes.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes());
        if kind == 1 {
            events.push(bytes.len()..bytes.len() + body.len());
        }
        bytes.extend(body);
    }
    let length = u32::try_from(bytes.len() - FRAME_HEAD).unwrap_or(u32::MAX).to_le_bytes();
    let crc = checksum(id, offset, length, &bytes[FRAME_HEAD..]);
    bytes[..4].copy_from_slice(&length);
    bytes[4..FRAME_HEAD].copy_from_slice(&crc.to_le_bytes());
    (bytes, events)
}

/// The records of the frame at an offset of the file, or `None` when there is no whole one.
pub(super) fn read_frame<'a>(id: &[u8; 16], file: &'a [u8], offset: usize) -> Option<&'a [u8]> {
    let head = file.get(offset..)?.get(..FRAME_HEAD)?;
    let length: [u8; 4] = head[..4].try_into().ok()?;
    let crc = u32::from_le_bytes(head[4..].try_into().ok()?);
    let long = usize::try_from(u32::from_le_bytes(length)).ok()?;
    if !(1..=FRAME_MAX).contains(&long) {
        return None;
    }
    let records = file.get(offset + FRAME_HEAD..)?.get(..long)?;
    (checksum(id, offset as u64, length, records) == crc).then_some(records)
}

/// Whether a frame that somebody wrote can begin at an offset of the file: asked at every byte of a torn end, where most bytes look
/// like the length of something and a checksum of each would take minutes.
pub(super) fn may_begin(file: &[u8], offset: usize) -> bool {
    let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let Some((head, records)) = file.get(offset..).and_then(|rest| rest.split_at_checked(FRAME_HEAD)) else {
        return false;
    };
    match (number(head), records) {
        (Some(long), [1..=4, record @ ..]) => {
            long <= records.len() && number(record).is_some_and(|body| body.saturating_add(RECORD_HEAD) <= long)
        }
        _ => false,
    }
}

fn checksum(id: &[u8; 16], offset: u64, length: [u8; 4], records: &[u8]) -> u32 {
    let head = [&id[..], &offset.to_le_bytes(), &length].concat();
    crc32c::crc32c_append(crc32c::crc32c(&head), records)
}

/// Reads the records of a frame, each with the range of its bytes.
///
/// # Errors
/// Names what cannot be what it says. The checksum was right, so this is a fault of whoever wrote it, or a later
/// version.
pub(super) fn entries(records: &[u8]) -> Result<Vec<(Entry, std::ops::Range<usize>)>, Refused> {
    let cut = || Refused::new("record", "cut short");
    let mut entries = Vec::new();
    let mut at = 0;
    while at < records.len() {
        let head = records.get(at..at + RECORD_HEAD).ok_or_else(cut)?;
        let long = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let range = at + RECORD_HEAD..(at + RECORD_HEAD).checked_add(long).ok_or_else(cut)?;
        let body = records.get(range.clone()).ok_or_else(cut)?;
        let entry = match head[0] {
            1 => Entry::Record(Record::Event(body.to_vec())),
            2 => Entry::Record(read_applied(body)?),
            3 => Entry::Record(read_checkpoint(body)?),
            4 => Entry::Snapshot(Box::new(read_snapshot(body)?)),
            kind => return Err(Refused::new("record.kind", format!("{kind} is not known"))),
        };
        at = range.end;
        entries.push((entry, range));
    }
    Ok(entries)
}

fn write_applied(boot: u128, applied: &Applied) -> AppliedRecord {
    AppliedRecord {
        directive: Some(wire::directive::write(&applied.directive)),
        stage: wire::stage(applied.stage).into(),
        reason: wire::reason(applied.reason).into(),
        at: Some(Moment { boot, ms: applied.at }.into()),
        before: Some(applied.before.into()),
        after: Some(applied.after.into()),
    }
}

fn read_applied(bytes: &[u8]) -> Result<Record, Refused> {
    let record = decode::<AppliedRecord>(bytes)?;
    let at = moment(record.at)?;
    let applied = Applied {
        directive: wire::directive::read(record.directive.ok_or_else(|| Refused::new("directive", "missing"))?)?,
        stage: wire::staged(record.stage)?,
        reason: wire::reasoned(record.reason)?,
        at: at.ms,
        before: face(record.before)?,
        after: face(record.after)?,
    };
    Ok(Record::Applied { boot: at.boot, applied: Box::new(applied) })
}

fn read_checkpoint(bytes: &[u8]) -> Result<Record, Refused> {
    let record = decode::<CheckpointRecord>(bytes)?;
    let at = moment(record.at)?;
    Ok(Record::Checkpoint { boot: at.boot, checkpoint: Checkpoint { at: at.ms, face: face(record.face)? } })
}

fn write_snapshot(stored: &Stored) -> SnapshotRecord {
    let [en, ru] = stored.words.clone();
    SnapshotRecord {
        at: Some(stored.at.into()),
        face: stored.face.map(Into::into),
        game: stored.game.clone(),
        rev: stored.rev,
        control: stored.control.as_ref().map(Into::into),
        words: Some(v1::Words { en, ru }),
        position: stored.position.clone(),
        outcome: wire::directive::outcome(stored.result).into(),
        past: stored.past.map(|past| v1::Past { spool_id: past.spool.to_vec(), last_seq: past.last_seq }),
    }
}

fn read_snapshot(bytes: &[u8]) -> Result<Stored, Refused> {
    let record = decode::<SnapshotRecord>(bytes)?;
    let v1::Words { en, ru } = record.words.unwrap_or_default();
    Ok(Stored {
        at: moment(record.at)?,
        face: record.face.map(TryInto::try_into).transpose()?,
        game: record.game,
        rev: record.rev,
        control: record.control.map(TryInto::try_into).transpose()?,
        words: [en, ru],
        position: record.position,
        result: wire::directive::result_text(record.outcome),
        past: record.past.map(past).transpose()?,
        ..Stored::default()
    })
}

fn past(past: v1::Past) -> Result<Past, Refused> {
    let spool = past.spool_id.try_into().map_err(|_| Refused::new("past.spool_id", "not 16 bytes"))?;
    Ok(Past { spool, last_seq: past.last_seq })
}

fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M, Refused> {
    M::decode(bytes).map_err(|error| Refused::new("record", error.to_string()))
}

fn moment(instant: Option<v1::Instant>) -> Result<Moment, Refused> {
    instant.ok_or_else(|| Refused::new("at", "missing"))?.try_into()
}

fn face(face: Option<v1::Face>) -> Result<Face, Refused> {
    face.ok_or_else(|| Refused::new("face", "missing"))?.try_into()
}
