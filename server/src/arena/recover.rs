//! What the journal says: every game, every clock's epoch, every spool's end.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use flagfall_rules::game::Event;

use super::{beside::Beside, core::Core, entry, lane::Lane};
use crate::{
    journal::{
        Journal, ReadError, StreamId,
        codec::{self, CodecError, Decoded, Kept},
    },
    wire::{Hash, sha256},
};

/// Entries read at a time.
const PAGE: usize = 256;

/// Why the journal cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An entry is no entry.
    #[error("{stream} entry {index}: {reason}: written by a later version? `flagfall journal verify`")]
    Entry {
        /// The stream.
        stream: StreamId,
        /// The entry.
        index: u64,
        /// What is wrong.
        reason: CodecError,
    },
    /// A game was opened under an edition that this build does not have.
    #[error("game {game} is played by {edition:?}, which this build does not know: run the version that opened it")]
    Edition {
        /// The game.
        game: String,
        /// Its edition.
        edition: String,
    },
    /// The reading thread ended early.
    #[error("reading the journal was interrupted")]
    Interrupted,
}

/// A game as the journal has it.
pub(super) struct Found {
    pub(super) core: Core,
    /// When it was opened; orders the list.
    pub(super) opened_ms: i64,
    /// The desk's request that opened it.
    pub(super) request: Option<String>,
    /// The clocks it was on before.
    pub(super) former: Vec<String>,
    /// When it took its clock.
    pub(super) since_ms: i64,
}

/// Everything the journal says.
#[derive(Default)]
pub(super) struct Recovered {
    /// In the order they were opened.
    pub(super) games: Vec<Found>,
    pub(super) lanes: HashMap<String, Lane>,
}

/// Reads a game again.
pub(super) async fn game(journal: &Arc<dyn Journal>, name: &Arc<str>, beside: Beside) -> Result<Core, RecoverError> {
    let (journal, name) = (Arc::clone(journal), Arc::clone(name));
    let read = move || {
        let mut core = Core::new(Arc::clone(&name));
        each(&*journal, &StreamId::Game(name.to_string()), |entry, index, hash| core.recall(&entry, index, hash))?;
        checked(core)
    };
    beside.run(read).await.map_err(|_| RecoverError::Interrupted)?
}

fn checked(core: Core) -> Result<Core, RecoverError> {
    let setup = &core.game().setup;
    if core.game().opened && flagfall_rules::laws::edition(&setup.edition).is_none() {
        return Err(RecoverError::Edition { game: setup.game.clone(), edition: setup.edition.clone() });
    }
    Ok(core)
}

/// Reads everything; blocks.
pub(super) fn everything(journal: &dyn Journal) -> Result<Recovered, RecoverError> {
    let mut found = Recovered::default();
    for stream in journal.streams()? {
        match &stream {
            StreamId::Game(name) => {
                let mut core = Core::new(name.as_str().into());
                let (mut opened_ms, mut since_ms, mut request) = (0, 0, None);
                let mut clocks: Vec<(String, Spools)> = Vec::new();
                each(journal, &stream, |entry, index, hash| {
                    if index == 1 {
                        (opened_ms, request) =
                            (entry.meta.wall_ms, entry::answer(&entry.events).map(|(request, _)| request));
                    } else if let Some((_, spools)) = clocks.last_mut() {
                        // With the entry that moves the game to another clock come the last events of the former one.
                        note_spool(spools, &entry);
                    }
                    core.recall(&entry, index, hash);
                    let device = &core.game().setup.device;
                    if entry.events.iter().any(|event| matches!(event, Event::Opened(_) | Event::Moved { .. })) {
                        clocks.push((device.clone(), Spools::new()));
                        since_ms = entry.meta.wall_ms;
                    }
                })?;
                let core = checked(core)?;
                let mut former = Vec::new();
                for (device, spools) in clocks {
                    let lane = found.lane(&device);
                    spools.into_iter().for_each(|(spool, (seq, hash))| lane.advance(spool, seq, hash));
                    former.push(device);
                }
                former.pop();
                found.games.push(Found { core, opened_ms, request, former, since_ms });
            }
            StreamId::Device(name) => {
                let (mut end, mut epoch, mut spools) = ((0, [0; 32]), 0, Spools::new());
                each(journal, &stream, |entry, index, hash| {
                    end = (index, hash);
                    epoch = epoch.max(entry.meta.session_epoch);
                    note_spool(&mut spools, &entry);
                })?;
                let lane = found.lane(name);
                lane.ends_at(end.0, end.1);
                lane.heard_of_epoch(epoch);
                spools.into_iter().for_each(|(spool, (seq, hash))| lane.advance(spool, seq, hash));
            }
            StreamId::Desk | StreamId::Round(_) | StreamId::Event(_) => {}
        }
    }
    // A game under way is its clock's: no other can take it before that one ends or is adjourned. Among the others wall time
    // decides, which may err when somebody set the service's clock back; then an ended game records what comes after the end.
    found.games.sort_by_cached_key(|game| (game.opened_ms, game.core.name.clone()));
    Ok(found)
}

impl Recovered {
    fn lane(&mut self, device: &str) -> &mut Lane {
        self.lanes.entry(device.to_owned()).or_insert_with(|| Lane::new(device))
    }
}

/// The bytes of an entry's device events.
fn device_events(entry: &Decoded) -> impl Iterator<Item = &[u8]> {
    entry.inputs.iter().filter_map(|input| match input {
        Kept::Device(bytes) => Some(bytes.as_slice()),
        _ => None,
    })
}

/// The last event of each spool, and its hash.
type Spools = HashMap<[u8; 16], (u64, Hash)>;

/// The last event of a spool in an entry.
fn note_spool(spools: &mut Spools, entry: &Decoded) {
    let Some((last, spool)) = device_events(entry).last().zip(entry.meta.spool_id.as_slice().try_into().ok()) else {
        return;
    };
    let mark = spools.entry(spool).or_default();
    let seq = entry::seq(last);
    if seq >= mark.0 {
        *mark = (seq, sha256(last));
    }
}

/// Hashes of a spool's events from a number on, looked for in these streams; blocks. Only asked when a clock sends again what
/// is older than the session remembers.
pub(super) fn events_of(
    journal: &dyn Journal,
    streams: &HashSet<StreamId>,
    spool: [u8; 16],
    from: u64,
) -> Result<Vec<(u64, Hash)>, RecoverError> {
    let mut hashes = Vec::new();
    for stream in streams {
        each(journal, stream, |entry, _, _| {
            if entry.meta.spool_id == spool {
                let known = device_events(&entry).map(|bytes| (entry::seq(bytes), sha256(bytes)));
                hashes.extend(known.filter(|&(seq, _)| seq >= from));
            }
        })?;
    }
    Ok(hashes)
}

/// Every entry of a stream with its index and hash.
fn each(
    journal: &dyn Journal,
    stream: &StreamId,
    mut take: impl FnMut(Decoded, u64, Hash),
) -> Result<(), RecoverError> {
    let mut next = 1;
    loop {
        let page = journal.read(stream, next, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        next = last.index + 1;
        for stored in &page {
            let entry = codec::decode_entry(&stored.bytes).map_err(|reason| RecoverError::Entry {
                stream: stream.clone(),
                index: stored.index,
                reason,
            })?;
            take(entry, stored.index, stored.hash);
        }
    }
}
