//! The journal: what the service remembers. Streams of entries, numbered from 1 without gaps, each durable before anything
//! that follows from it leaves the house.
//!
//! ```text
//!   append(stream, after, entry) ──▶ Ticket          queued at once: order of calls = order in the journal
//!            │                          │
//!            ▼                          │
//!   committer: drain ─▶ one batch ─▶ sync ─▶ all tickets of the batch, in order ─▶ ack, directives, watchers
//! ```
//!
//! [`Journal`] is the port; [`sled`] keeps it on disk, [`memory`] in a simulation. [`keys`] and [`frame`] define the bytes,
//! [`codec`] what an entry's bytes mean, [`verify`](mod@verify) whether they are still what they were. Finished games go to the
//! [`shelf`]; files that hold streams, one or all of them, are [`archive`]s.

pub mod archive;
pub mod codec;
pub mod dump;
pub mod frame;
pub mod keys;
pub mod memory;
pub mod shelf;
pub mod signs;
pub mod sled;
pub mod transfer;
pub mod verify;

#[cfg(test)]
mod conformance;
mod line;

use std::{
    fmt,
    future::Future,
    pin::Pin,
    str::FromStr,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::sync::oneshot;

pub use frame::hash;
pub use memory::MemoryJournal;
pub use shelf::ShelveError;
pub use signs::Signs;
pub use sled::SledJournal;
pub use verify::{Verified, VerifyFinding, verify};

/// The longest entry in bytes. sled spills a page that outgrows a quarter of its segment into a file that it never syncs, and
/// a page holds up to 17 entries: see [`sled`].
pub const ENTRY_MAX: usize = 64 * 1024;

/// The longest name of a stream in bytes; the contract's names are shorter.
pub const NAME_MAX: usize = 256;

/// Names a stream. The order is that of the keys on disk.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StreamId {
    /// A game, by its name.
    Game(String),
    /// A clock, by its name: sessions, and events that belong to no game.
    Device(String),
    /// What is done at the desk outside games.
    Desk,
    /// A round, by its name.
    Round(String),
    /// An event (a tournament), by its name.
    Event(String),
}

impl StreamId {
    /// The kind, as `Display` and the command line write it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            StreamId::Game(_) => "game",
            StreamId::Device(_) => "device",
            StreamId::Desk => "desk",
            StreamId::Round(_) => "round",
            StreamId::Event(_) => "event",
        }
    }

    /// The name within the kind; empty for the desk, of which there is one.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            StreamId::Game(name) | StreamId::Device(name) | StreamId::Round(name) | StreamId::Event(name) => name,
            StreamId::Desk => "",
        }
    }
}

/// A text that names no stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no stream: it is game/NAME, device/NAME, desk, round/NAME or event/NAME")]
pub struct StreamIdError(String);

/// As [`StreamId`] is displayed.
impl FromStr for StreamId {
    type Err = StreamIdError;

    fn from_str(text: &str) -> Result<StreamId, StreamIdError> {
        match text.split_once('/') {
            Some(("game", name)) => Ok(StreamId::Game(name.to_owned())),
            Some(("device", name)) => Ok(StreamId::Device(name.to_owned())),
            Some(("round", name)) => Ok(StreamId::Round(name.to_owned())),
            Some(("event", name)) => Ok(StreamId::Event(name.to_owned())),
            None if text == "desk" => Ok(StreamId::Desk),
            _ => Err(StreamIdError(text.to_owned())),
        }
    }
}

/// `game/NAME`, or `desk`.
impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamId::Desk => f.write_str("desk"),
            named => write!(f, "{}/{}", named.kind(), named.name()),
        }
    }
}

/// One entry as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its number in the stream, from 1.
    pub index: u64,
    /// Its number in the whole journal, from 1.
    pub position: u64,
    /// An encoded `flagfall.journal.v1.Entry`, the very bytes that were appended.
    pub bytes: Vec<u8>,
    /// SHA-256 of the bytes: what the next entry of the stream chains to.
    pub hash: [u8; 32],
}

/// An entry is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Durable {
    /// Its number in the stream, from 1.
    pub index: u64,
    /// Its number in the whole journal, from 1: the order in which entries were admitted, over all streams.
    pub position: u64,
    /// The group it was synced with.
    pub batch: Batch,
}

/// Entries that one sync made durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// How many.
    pub entries: u32,
    /// What the sync took, microseconds; 0 where nothing is synced.
    pub sync_us: u32,
}

/// Why an entry was not appended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The caller does not know the end of the stream. Nothing was written.
    #[error(
        "{stream} ends at entry {actual}, the writer believed {expected}: read it again from {expected} and decide anew"
    )]
    Conflict {
        /// The stream.
        stream: StreamId,
        /// The last entry the caller knew of.
        expected: u64,
        /// The last entry, counting those that were still on their way to the disk.
        actual: u64,
    },
    /// More waits for the disk than is kept in memory. Nothing was written; the same append may succeed later.
    #[error("{stream}: too much is waiting for the disk: let the sender wait and try again")]
    Full {
        /// The stream.
        stream: StreamId,
    },
    /// The entry or the name of its stream is too long. Nothing was written.
    #[error("{stream}: {bytes} bytes, at most {max} are kept: refuse the input that led here")]
    TooLarge {
        /// The stream.
        stream: StreamId,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// The journal was closed, or its crash simulated, before the entry was written. Whether it was is unknown.
    #[error("the journal was closed before the entry was durable: read the stream after it is opened again")]
    Closed,
    /// The disk failed, now or earlier. Whether the entry was written is unknown, and nothing more will be: a failed sync is
    /// never tried again, because a second one can succeed without the data.
    #[error("the journal failed ({0}): end the process, look after the disk, and start again")]
    Failed(String),
}

/// Why a stream cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// An entry's bytes are not those that were written.
    #[error(
        "{stream} entry {index} is damaged ({reason}): `flagfall journal verify`, then restore the stream from a copy"
    )]
    Damaged {
        /// The stream.
        stream: StreamId,
        /// The entry.
        index: u64,
        /// What is wrong with it.
        reason: frame::FrameError,
    },
    /// An entry is not there though a later one is, or was.
    #[error("{stream} entry {index} is missing: `flagfall journal verify`, then restore the stream from a copy")]
    Missing {
        /// The stream.
        stream: StreamId,
        /// The entry.
        index: u64,
    },
    /// The file of a game on the shelf is not what was laid there.
    #[error(
        "{stream} cannot be read from entry {index} on: {file} is damaged ({reason}): put a copy of the file in its place"
    )]
    OnShelf {
        /// The stream.
        stream: StreamId,
        /// The first entry that cannot be read.
        index: u64,
        /// The file.
        file: std::path::PathBuf,
        /// What is wrong with it, and at which byte.
        reason: String,
    },
    /// The database did not answer.
    #[error("{stream} cannot be read ({reason}): `flagfall journal verify` on a stopped server")]
    Failed {
        /// The stream.
        stream: StreamId,
        /// What it said.
        reason: String,
    },
}

/// A stream that ends before an entry it once had: a log that was damaged and cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// The stream.
    pub stream: StreamId,
    /// The last entry that it is known to have had.
    pub had: u64,
    /// The last that is there.
    pub has: u64,
}

/// Whether the journal still takes entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It does.
    Ok,
    /// It does not, for this reason. Reading may fail as well: sled answers nothing more after an I/O error.
    Failed(String),
}

/// A promise of durability. Resolves when the entry is on disk, after the tickets of all entries that were appended before it.
#[derive(Debug)]
#[must_use = "nothing may leave the service before the ticket has resolved"]
pub struct Ticket(oneshot::Receiver<Result<Durable, AppendError>>);

impl Ticket {
    /// Blocks until the entry is durable; for threads outside the async runtime.
    ///
    /// # Errors
    /// The entry was not appended, or it is unknown whether it was.
    ///
    /// # Panics
    /// Inside an async task: await the ticket there.
    pub fn wait(self) -> Result<Durable, AppendError> {
        self.0.blocking_recv().unwrap_or(Err(AppendError::Closed))
    }

    /// A ticket that says this.
    pub(crate) fn refused(error: AppendError) -> Ticket {
        let (answer, ticket) = Ticket::pair();
        answer.send(Err(error)).ok();
        ticket
    }

    /// A ticket with what resolves it. Dropped unused, it says `Closed`: silence is never success.
    pub(crate) fn pair() -> (oneshot::Sender<Result<Durable, AppendError>>, Ticket) {
        let (sender, receiver) = oneshot::channel();
        (sender, Ticket(receiver))
    }
}

impl Future for Ticket {
    type Output = Result<Durable, AppendError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(Pin::new(&mut self.0).poll(cx));
        Poll::Ready(answer.unwrap_or(Err(AppendError::Closed)))
    }
}

/// An entry out of its value.
fn stored(stream: &StreamId, index: u64, value: &[u8]) -> Result<Stored, ReadError> {
    match frame::unframe(value) {
        Ok((position, entry)) => Ok(Stored { index, position, bytes: entry.to_vec(), hash: hash(entry) }),
        Err(reason) => Err(ReadError::Damaged { stream: stream.clone(), index, reason }),
    }
}

/// The indices that a read asks for, as far as the stream is durable.
fn wanted(from: u64, max: usize, durable: u64) -> std::ops::Range<u64> {
    let from = from.max(1);
    from..from.saturating_add(max as u64).min(durable.saturating_add(1))
}

/// Where entries are kept.
///
/// What survives a crash of the process or the machine: every entry whose ticket resolved `Ok`, whole and in its place. Of
/// the entries whose tickets had not resolved, a prefix of each stream may be there and may not: a caller never assumes that
/// an unknown write is absent. Entries admitted in one order are never kept without those admitted before them.
///
/// Reading shows durable entries only, so nothing that is read can be lost.
pub trait Journal: Send + Sync + 'static {
    /// Queues an entry for the end of a stream and returns at once; the order of calls is the order in the journal. `after` is
    /// the index of the last entry of this stream that the caller knows, 0 for none: entries still on their way count, so a
    /// caller may append 5, 6 and 7 without waiting.
    fn append(&self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket;

    /// At most `max` durable entries of a stream from index `from` on (0 is 1), in order and without gaps; fewer only at the
    /// end of the stream, none for a stream that is not there. Blocks while the disk is read.
    ///
    /// # Errors
    /// One of them cannot be read; to get those before it, ask for fewer.
    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError>;

    /// Index and hash of the last durable entry; `None` for a stream that is not there.
    ///
    /// # Errors
    /// It cannot be read.
    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError>;

    /// Every stream that has a durable entry, in the order of [`StreamId`].
    ///
    /// # Errors
    /// The store does not answer.
    fn streams(&self) -> Result<Vec<StreamId>, ReadError>;

    /// Whether entries are still taken. Once failed it stays so until the process ends.
    fn health(&self) -> Health;

    /// Why the database does not open, so that nobody knows which games are under way; `None` when it is open. What is on the shelf can
    /// be read all the same.
    fn shut(&self) -> Option<String> {
        None
    }

    /// How it is doing, for operators; `None` where nothing is written to a disk.
    fn signs(&self) -> Option<Arc<Signs>> {
        None
    }

    /// Lays a stream on the shelf, as far as it is durable: what waits for nothing any more leaves the store, and can be read and
    /// appended to as before. The note is kept beside it. False where there is no shelf. Blocks while files are written.
    ///
    /// # Errors
    /// It stays where it is.
    fn shelve(&self, stream: &StreamId, note: &[u8]) -> Result<bool, ShelveError> {
        let _nothing_to_do = (stream, note);
        Ok(false)
    }

    /// The streams of which every entry lies on the shelf, with their notes, in order. They are among [`Journal::streams`].
    ///
    /// # Errors
    /// The store does not answer.
    fn shelved(&self) -> Result<Vec<(StreamId, Vec<u8>)>, ReadError> {
        Ok(Vec::new())
    }

    /// The note of a stream that lies on the shelf, all of it or its beginning; `None` for any other.
    ///
    /// # Errors
    /// The store does not answer.
    fn note(&self, stream: &StreamId) -> Result<Option<Vec<u8>>, ReadError> {
        let _not_there = stream;
        Ok(None)
    }

    /// The streams that lost their end, in order: what is there of them is not all there was. They take entries all the same;
    /// who writes to one must know what he does.
    fn short(&self) -> Vec<Short> {
        Vec::new()
    }

    /// What a stream lost was sent again, or is given up: it is no longer among [`Journal::short`].
    fn release(&self, stream: &StreamId) {
        let _whole = stream;
    }

    /// The date on what is admitted now, milliseconds since 1970. A label: nothing is ordered or decided by it.
    fn wall_ms(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}
