//! What the journal says: every game at hand, every clock's epoch, every spool's end. What cannot be read is set apart, and the
//! others go on.
//!
//! Time and memory go by what is under way: of games on the shelf only the notes are read.

mod read;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    num::NonZero,
    sync::Arc,
    thread,
};

pub(crate) use read::each;
pub(super) use read::{GameRead, game, spool_events};

use super::{
    core::Core,
    lane::Lane,
    quarantine::{EPOCHS_SKIPPED, Trouble},
};
use crate::{
    journal::{
        Journal, ReadError, Short, StreamId,
        codec::{CodecError, Note},
    },
    wire::Hash,
};

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
    /// An entry follows another one than the one before it.
    #[error("{stream} entry {index} does not follow the entry before it: one of the two is not what was written")]
    Chain {
        /// The stream.
        stream: StreamId,
        /// The later of the two.
        index: u64,
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

impl RecoverError {
    /// It is this stream's alone: the others can be read.
    pub(crate) fn is_local(&self) -> bool {
        !matches!(self, RecoverError::Read(ReadError::Failed { .. }) | RecoverError::Interrupted)
    }
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
    /// What is wrong with it.
    pub(super) trouble: Option<Trouble>,
}

/// What was read at a start, entry by entry, each seen to follow the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Streams of games at hand and of clocks.
    pub streams: usize,
    /// Their entries.
    pub entries: u64,
    /// How many of the streams are set apart: not all that was written could be walked.
    pub apart: usize,
}

/// Everything the journal says.
#[derive(Default)]
pub(super) struct Recovered {
    pub(super) walked: Walked,
    /// In the order they were opened.
    pub(super) games: Vec<Found>,
    pub(super) lanes: HashMap<String, Lane>,
    /// The game on the shelf that took each clock last, and when.
    pub(super) former: BTreeMap<String, (i64, Arc<str>)>,
    /// Games on the shelf, and clocks, that something is wrong with.
    pub(super) troubled: Vec<(StreamId, Trouble)>,
}

/// Reads everything that is at hand; blocks.
pub(super) fn everything(journal: &dyn Journal) -> Result<Recovered, RecoverError> {
    let mut found = Recovered::default();
    let shelved: BTreeMap<_, _> = journal.shelved()?.into_iter().collect();
    let short: BTreeMap<_, _> = journal.short().into_iter().map(|short| (short.stream.clone(), short)).collect();
    let (mut names, mut devices): (Vec<Arc<str>>, Vec<String>) = (Vec::new(), Vec::new());
    for stream in journal.streams()?.into_iter().filter(|stream| !shelved.contains_key(stream)) {
        match stream {
            StreamId::Game(name) => names.push(name.into()),
            StreamId::Device(name) => devices.push(name),
            StreamId::Desk | StreamId::Round(_) | StreamId::Event(_) => {}
        }
    }
    // A stream of which nothing is left is listed nowhere any more.
    names.extend(short.values().filter(|short| short.has == 0).filter_map(|short| match &short.stream {
        game @ StreamId::Game(name) if !shelved.contains_key(game) => Some(name.as_str().into()),
        _ => None,
    }));
    for read in games(journal, &names) {
        found.game(read?, &short)?;
    }
    for device in devices {
        found.device(journal, device, &short)?;
    }
    for (stream, note) in shelved {
        found.shelved(stream, &note, &short);
    }
    // A game under way is its clock's: no other can take it before that one ends or is adjourned. Among the others wall time
    // decides, which may err when somebody set the service's clock back; then an ended game records what comes after the end.
    found.games.sort_by_cached_key(|game| (game.opened_ms, game.core.name.clone()));
    Ok(found)
}

/// Reads games, on as many threads as there are processors: replaying them is most of a start.
fn games(journal: &dyn Journal, names: &[Arc<str>]) -> Vec<Result<GameRead, RecoverError>> {
    /// A thread is not worth less.
    const EACH: usize = 32;
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(names.len().div_ceil(EACH)).max(1);
    if threads == 1 {
        return names.iter().map(|name| Ok(game(journal, name))).collect();
    }
    let read = |names: &[Arc<str>]| -> Vec<_> { names.iter().map(|name| Ok(game(journal, name))).collect() };
    thread::scope(|scope| {
        let parts: Vec<_> =
            names.chunks(names.len().div_ceil(threads)).map(|part| scope.spawn(|| read(part))).collect();
        let joined = parts.into_iter().map(|part| part.join().unwrap_or_else(|_| vec![Err(RecoverError::Interrupted)]));
        joined.flatten().collect()
    })
}

impl Recovered {
    fn game(&mut self, read: GameRead, short: &BTreeMap<StreamId, Short>) -> Result<(), RecoverError> {
        let GameRead { core, note, trouble } = read;
        let trouble = match trouble {
            Some(error) if !error.is_local() => return Err(error),
            Some(error) => Some(Trouble::Damaged(error.to_string())),
            None => short.get(&StreamId::Game(core.name.to_string())).map(Trouble::from),
        };
        self.walk(core.entries(), trouble.as_ref());
        self.spools(&note);
        let Note { opened_ms, since_ms, request, stays } = note;
        let mut former: Vec<_> = stays.into_iter().map(|stay| stay.device).collect();
        former.pop();
        self.games.push(Found { core, opened_ms, request, former, since_ms, trouble });
        Ok(())
    }

    fn device(
        &mut self,
        journal: &dyn Journal,
        name: String,
        short: &BTreeMap<StreamId, Short>,
    ) -> Result<(), RecoverError> {
        let stream = StreamId::Device(name.clone());
        let read = read::device(journal, &stream);
        let lane = self.lane(&name);
        lane.ends_at(read.end.0, read.end.1);
        lane.heard_of_epoch(read.epoch);
        read.spools.into_iter().for_each(|(spool, (seq, hash))| lane.advance(spool, seq, hash));
        let trouble = match read.trouble {
            Some(error) if !error.is_local() => return Err(error),
            Some(error) => Some(Trouble::Damaged(error.to_string())),
            None => short.get(&stream).map(Trouble::from),
        };
        let lane = self.walk(read.end.0, trouble.as_ref()).lane(&name);
        if let Some(trouble) = trouble {
            // Sessions are gone that may still be spoken in.
            lane.heard_of_epoch(read.epoch + EPOCHS_SKIPPED);
            self.troubled.push((stream, trouble));
        }
        Ok(())
    }

    /// A game on the shelf: its note says what its clocks must know.
    fn shelved(&mut self, stream: StreamId, note: &[u8], short: &BTreeMap<StreamId, Short>) {
        if let Some(short) = short.get(&stream) {
            self.troubled
                .push((stream, Trouble::Damaged(format!("its file is gone or cut off, of {} entries", short.had))));
            return;
        }
        // One without a note, of a journal that is only looked at, is known by its name.
        let Ok(note) = Note::parse(note) else { return };
        self.spools(&note);
        if let Some(stay) = note.stays.last() {
            let last = (note.since_ms, stream.name().into());
            let known = self.former.entry(stay.device.clone()).or_insert_with(|| last.clone());
            if known.0 < last.0 {
                *known = last;
            }
        }
    }

    fn walk(&mut self, entries: u64, trouble: Option<&Trouble>) -> &mut Recovered {
        let Walked { streams, entries: before, apart } = self.walked;
        let apart = apart + usize::from(trouble.is_some());
        self.walked = Walked { streams: streams + 1, entries: before + entries, apart };
        self
    }

    fn spools(&mut self, note: &Note) {
        for stay in &note.stays {
            let lane = self.lane(&stay.device);
            stay.spools.iter().for_each(|(spool, &(seq, hash))| lane.advance(*spool, seq, hash));
        }
    }

    fn lane(&mut self, device: &str) -> &mut Lane {
        self.lanes.entry(device.to_owned()).or_insert_with(|| Lane::new(device))
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
        hashes.extend(spool_events(journal, stream, spool, from)?);
    }
    Ok(hashes)
}
