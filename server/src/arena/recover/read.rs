//! One stream, read to its end or to where it cannot be read.

use std::sync::Arc;

use flagfall_rules::game::Event;

use super::RecoverError;
use crate::{
    arena::{core::Core, entry},
    journal::{
        Journal, StreamId,
        codec::{self, Decoded, Kept, Note, Spools, Stay},
    },
    wire::{Hash, hash, sha256},
};

/// Entries read at a time.
const PAGE: usize = 256;

/// A game, as far as it can be read.
pub(in crate::arena) struct GameRead {
    pub(in crate::arena) core: Core,
    pub(in crate::arena) note: Note,
    /// Why no further.
    pub(in crate::arena) trouble: Option<RecoverError>,
}

/// Reads a game; blocks.
pub(in crate::arena) fn game(journal: &dyn Journal, name: &Arc<str>) -> GameRead {
    let (mut core, mut note) = (Core::new(Arc::clone(name)), Note::default());
    // Only the last event of a spool is hashed: they are many.
    let mut last: Option<([u8; 16], u64, Vec<u8>)> = None;
    let read = each(journal, &StreamId::Game(name.to_string()), |entry, index, hash| {
        if index == 1 {
            (note.opened_ms, note.request) =
                (entry.meta.wall_ms, entry::answer(&entry.events).map(|(request, _)| request));
        } else if !note.stays.is_empty() {
            // With the entry that moves the game to another clock come the last events of the former one.
            hear(&mut note, &mut last, &entry);
        }
        core.recall(&entry, index, hash);
        if entry.events.iter().any(|event| matches!(event, Event::Opened(_) | Event::Moved { .. })) {
            settle(&mut note, &mut last);
            note.stays.push(Stay { device: core.game().setup.device.clone(), spools: Spools::new() });
            note.since_ms = entry.meta.wall_ms;
        }
    });
    settle(&mut note, &mut last);
    let trouble = read.err().or_else(|| unknown_edition(&core));
    GameRead { core, note, trouble }
}

fn unknown_edition(core: &Core) -> Option<RecoverError> {
    let setup = &core.game().setup;
    let unknown = core.game().opened && flagfall_rules::laws::edition(&setup.edition).is_none();
    unknown.then(|| RecoverError::Edition { game: setup.game.clone(), edition: setup.edition.clone() })
}

/// The last event of an entry, kept until it is known to be its spool's last.
fn hear(note: &mut Note, last: &mut Option<([u8; 16], u64, Vec<u8>)>, entry: &Decoded) {
    let Some((bytes, spool)) = device_events(entry).last().zip(entry.meta.spool_id.as_slice().try_into().ok()) else {
        return;
    };
    if last.as_ref().is_some_and(|(before, ..)| *before != spool) {
        settle(note, last);
    }
    let seq = entry::seq(bytes);
    if last.as_ref().is_none_or(|(_, before, _)| seq >= *before) {
        *last = Some((spool, seq, bytes.to_vec()));
    }
}

fn settle(note: &mut Note, last: &mut Option<([u8; 16], u64, Vec<u8>)>) {
    if let (Some((spool, seq, bytes)), Some(stay)) = (last.take(), note.stays.last_mut()) {
        let mark = stay.spools.entry(spool).or_default();
        if seq >= mark.0 {
            *mark = (seq, sha256(&bytes));
        }
    }
}

/// A clock's own stream, as far as it can be read.
pub(super) struct DeviceRead {
    pub(super) end: (u64, Hash),
    /// The highest of all that can be read, also behind what cannot.
    pub(super) epoch: u64,
    pub(super) spools: Spools,
    pub(super) trouble: Option<RecoverError>,
}

/// Reads a clock's own stream; blocks.
pub(super) fn device(journal: &dyn Journal, stream: &StreamId) -> DeviceRead {
    let mut read = DeviceRead { end: (0, hash::NONE), epoch: 0, spools: Spools::new(), trouble: None };
    let told = each(journal, stream, |entry, index, hash| {
        read.end = (index, hash);
        read.epoch = read.epoch.max(entry.meta.session_epoch);
        let last = device_events(&entry).last().zip(entry.meta.spool_id.as_slice().try_into().ok());
        if let Some((bytes, spool)) = last {
            let mark = read.spools.entry(spool).or_default();
            let seq = entry::seq(bytes);
            if seq >= mark.0 {
                *mark = (seq, sha256(bytes));
            }
        }
    });
    if let Err(error) = told {
        crate::journal::verify::walk(journal, stream, |step| {
            let epoch = step.ok().and_then(|stored| codec::decode_entry(&stored.bytes).ok());
            read.epoch = read.epoch.max(epoch.map_or(0, |entry| entry.meta.session_epoch));
        });
        read.trouble = Some(error);
    }
    read
}

/// Hashes of a spool's events in a stream, from a number on; blocks.
pub(in crate::arena) fn spool_events(
    journal: &dyn Journal,
    stream: &StreamId,
    spool: [u8; 16],
    from: u64,
) -> Result<Vec<(u64, Hash)>, RecoverError> {
    let mut hashes = Vec::new();
    each(journal, stream, |entry, _, _| {
        if entry.meta.spool_id == spool {
            let known = device_events(&entry).map(|bytes| (entry::seq(bytes), sha256(bytes)));
            hashes.extend(known.filter(|&(seq, _)| seq >= from));
        }
    })?;
    Ok(hashes)
}

/// The bytes of an entry's device events.
fn device_events(entry: &Decoded) -> impl Iterator<Item = &[u8]> {
    entry.inputs.iter().filter_map(|input| match input {
        Kept::Device(bytes) => Some(bytes.as_slice()),
        _ => None,
    })
}

/// Every entry of a stream with its index and hash, each of which must follow the one before it.
pub(crate) fn each(
    journal: &dyn Journal,
    stream: &StreamId,
    mut take: impl FnMut(Decoded, u64, Hash),
) -> Result<(), RecoverError> {
    let (mut next, mut page, mut previous) = (1, PAGE, hash::NONE);
    loop {
        let read = match journal.read(stream, next, page) {
            Ok(read) => read,
            // First what can be read before it.
            Err(error) => match before(&error).filter(|&bad| bad > next) {
                Some(bad) => {
                    page = usize::try_from(bad - next).unwrap_or(PAGE);
                    continue;
                }
                None => return Err(error.into()),
            },
        };
        let Some(last) = read.last() else { return Ok(()) };
        next = last.index + 1;
        for stored in &read {
            let entry = codec::decode_entry(&stored.bytes).map_err(|reason| RecoverError::Entry {
                stream: stream.clone(),
                index: stored.index,
                reason,
            })?;
            if entry.meta.previous_hash != previous {
                return Err(RecoverError::Chain { stream: stream.clone(), index: stored.index });
            }
            previous = stored.hash;
            take(entry, stored.index, stored.hash);
        }
    }
}

/// The entry that cannot be read.
fn before(error: &crate::journal::ReadError) -> Option<u64> {
    use crate::journal::ReadError;
    match error {
        ReadError::Damaged { index, .. } | ReadError::Missing { index, .. } | ReadError::OnShelf { index, .. } => {
            Some(*index)
        }
        ReadError::Failed { .. } => None,
    }
}
