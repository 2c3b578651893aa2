//! The journal on disk, in sled, by one committer thread.
//!
//! ```text
//!   <dir>/db          sled's log, and all that counts      <dir>/high-water   how far it once reached: see [`mark`]
//!   <dir>/conf        its segment size                     <dir>/snap.*       where to begin reading db; can be deleted
//!   <dir>/blobs/      always empty, see below              <dir>/db.before    db before a refused start: see [`before`]
//!   <dir>/games/      finished games: see [`shelf`](super::shelf)
//! ```
//!
//! What sled 0.34.7 does not do, and what is done here instead:
//! - `flush()` does not fsync on Linux (`sync_file_range`): `File::sync_data` on `<dir>/db` follows every one.
//! - `flush_async()` deadlocks under load: one thread commits for all.
//! - A `Batch` closes sled's buffer twice before its first entry, and each time seven threads wake for the write: entries of a commit are
//!   inserted one by one, in order, and flushed once. Only what must not be there in part, a game that goes to the shelf, is a batch.
//! - A page of more than a quarter of a segment goes to a file in `blobs` that is never synced. A leaf holds up to 17 entries
//!   of at most [`ENTRY_MAX`](super::ENTRY_MAX), and a segment here is 8 MiB: no page ever outgrows its quarter.
//! - A segment whose pages were all rewritten is used again once a whole later segment is written, synced or not. A batch is
//!   far smaller than a segment, so a sync always lies between.
//! - A damaged log opens as a shorter one without a word, and the rest is overwritten: hence the high-water mark and the copy.
//! - A write that fails may leave the committer asleep: the module `watch` wakes it.
//! - It panics on some damaged files: every call is guarded, and a panic is an error like another.

mod before;
mod census;
mod committer;
mod mark;
mod marker;
mod salvage;
mod store;
mod watch;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use tokio::sync::oneshot;

use super::{
    AppendError, Health, Journal, ReadError, ShelveError, Short, Signs, Stored, StreamId, Ticket,
    keys::KeyError,
    line::{Line, Shelving},
    shelf::{Shelf, Step},
};
use before::Before;
pub(super) use mark::End;
use mark::{Mark, MarkFile};
pub use salvage::Salvage;
use store::Store;

/// The least page cache: for what is read once, and for a few thousand games.
const CACHE_BYTES: u64 = 32 << 20;

/// Page cache of a clock, at the most. A page holds up to 17 entries, most of them below half a kilobyte, and its last changes lie beside
/// it; with a third of this, ten thousand games read pages again and again.
const CLOCK_CACHE_BYTES: u64 = 40 << 10;

/// How to open a journal on disk.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory; made when it is not there.
    pub dir: PathBuf,
    /// sled's page cache in bytes.
    pub cache_bytes: u64,
    /// Open even though entries that were once there are missing, and believe what is left: `--accept-loss`.
    pub accept_loss: bool,
    /// Commit without the sync that makes it durable. For the test that shows that the sync is needed, and nothing else.
    #[doc(hidden)]
    pub flush_only: bool,
    /// Stop in the middle of laying a game on the shelf, as a crash there does. For tests.
    #[doc(hidden)]
    pub shelve_until: Option<Step>,
}

impl Options {
    /// The usual options for a directory.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Options {
        Options { dir: dir.into(), cache_bytes: CACHE_BYTES, accept_loss: false, flush_only: false, shelve_until: None }
    }

    /// As many clocks may have a game under way: the last page of each is changed with every press, and one that is not in the cache has
    /// to be read for it first.
    #[must_use]
    pub fn for_clocks(self, clocks: usize) -> Options {
        Options { cache_bytes: CACHE_BYTES.max(clocks as u64 * CLOCK_CACHE_BYTES), ..self }
    }
}

/// Why a journal on disk was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error(
        "another server holds {dir}: stop it first, or ask it while it runs (`flagfall boards --finished`, `flagfall \
         watch`), or give this one a directory of its own"
    )]
    Held {
        /// The directory.
        dir: PathBuf,
    },
    /// The file system refuses.
    #[error("{path}: {source}: look after the disk, its space and its permissions, and start again")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What it says.
        source: std::io::Error,
    },
    /// The database cannot be read.
    #[error(
        "{dir} is damaged ({reason}): put {dir}/db.before in the place of {dir}/db and try without {dir}/snap.*, else make a \
         journal of the last export (`flagfall journal restore FILE --data-dir DIR`) and let the clocks send again"
    )]
    Damaged {
        /// The directory.
        dir: PathBuf,
        /// What sled said, or panicked with.
        reason: String,
    },
    /// There is a mark and no database.
    #[error(
        "{dir} has no database, but {mark} entries were durable once: put the files of a copy back, or make a journal of the last export \
         (`flagfall journal restore FILE --data-dir DIR`) and let the clocks send again, or accept the loss with --accept-loss"
    )]
    Gone {
        /// The directory.
        dir: PathBuf,
        /// How many entries there should at least be.
        mark: u64,
    },
    /// Entries that were durable once are not there, and nothing says whose they were.
    #[error(
        "{dir} holds {found} entries, but {mark} were durable once: keep {dir}/db.before, which may hold the rest, restore a \
         longer copy and let the clocks send again, or accept the loss with --accept-loss"
    )]
    ShorterThanMark {
        /// The directory.
        dir: PathBuf,
        /// How many entries there should at least be.
        mark: u64,
        /// How many there are.
        found: u64,
    },
    /// There are entries, but nothing says how many there once were.
    #[error(
        "{path} {reason}: bring it back with the rest of the copy, or believe the database as it is with --accept-loss"
    )]
    NoMark {
        /// The high-water file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Something in the database is not this journal's.
    #[error("{dir}: {source}: it was written by a later version, start that one")]
    UnknownKey {
        /// The directory.
        dir: PathBuf,
        /// Which.
        source: KeyError,
    },
}

impl OpenError {
    /// Something was written and is not there any more: a person must look, and what is left may be read meanwhile.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        use OpenError::{Damaged, Gone, NoMark, ShorterThanMark};
        matches!(self, Damaged { .. } | Gone { .. } | ShorterThanMark { .. } | NoMark { .. })
    }
}

/// What the committer and all callers share.
struct Shared {
    line: Mutex<Line>,
    /// Rung when there is something for the committer.
    bell: Condvar,
}

impl Shared {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A journal on disk. Dropping it writes what still waits, then closes.
pub struct SledJournal {
    shared: Arc<Shared>,
    store: Arc<Store>,
    signs: Arc<Signs>,
    shelf: Shelf,
    committer: Option<JoinHandle<()>>,
}

impl SledJournal {
    /// Opens the journal of a directory, and reads all of it once to know where its streams end and that none is shorter than
    /// it was. Waits up to two seconds for a server that is just being killed.
    ///
    /// When the disk takes no writes, the journal opens for reading: [`Journal::health`] says so and every append fails.
    ///
    /// # Errors
    /// See [`OpenError`]. What sled has overwritten meanwhile is still in `db.before`.
    pub fn open(options: &Options) -> Result<SledJournal, OpenError> {
        let dir = options.dir.as_path();
        store::make_dir(dir)?;
        let probe = store::probe(dir);
        let file = MarkFile::new(dir);
        let fresh = !store::exists(dir);
        let mark = match file.read() {
            // Before anything else is written, so that a mark is missing only when somebody took it away.
            Ok(None) if fresh && probe.is_ok() => file.write(&Mark::default()).map(|()| Mark::default())?,
            // Looked at before sled makes anything: nothing at all is left.
            Ok(Some(mark)) if fresh && mark.position > mark.lost && !options.accept_loss => {
                let mark = mark.position - mark.lost;
                return Err(OpenError::Gone { dir: dir.to_owned(), mark });
            }
            Ok(Some(mark)) => mark,
            _ if options.accept_loss || fresh => Mark::default(),
            Ok(None) => return Err(file.unusable("is missing")),
            Err(reason) => return Err(file.unusable(&reason)),
        };
        let before = Before::take(dir)?;
        let store = Store::open(options)?;
        let shelf = Shelf::new(dir, options.shelve_until, probe.is_ok());
        let census = store.census()?;
        let raised = mark.clone().raised(census.highest);
        let mark = expect(dir, &raised, &census, options.accept_loss)?;
        if mark.lost == raised.lost {
            before.whole()
        } else {
            before.lost(mark.position)
        }
        let (position, mut short) = (mark.position, mark.short());
        short.extend(gone(&store, &shelf));
        if probe.is_ok() {
            store::settle(dir)?;
            file.write(&mark)?;
        }
        let line = Line::new(census.ends, position, short);
        let shared = Arc::new(Shared { line: Mutex::new(line), bell: Condvar::new() });
        let store = Arc::new(store);
        let signs = Arc::new(Signs::new(dir));
        let committer = match probe {
            Ok(()) => {
                watch::start(&store).map_err(|source| OpenError::Io { path: dir.to_owned(), source })?;
                Some(committer::start(shared.clone(), store.clone(), file, mark, signs.clone())?)
            }
            Err(source) => {
                shared.line().fail(format!("{} takes no writes: {source}", dir.display()));
                None
            }
        };
        Ok(SledJournal { shared, store, signs, shelf, committer })
    }

    /// Index of the last durable entry of a stream, wherever it is; 0 for none.
    fn durable(&self, stream: &StreamId) -> Result<u64, ReadError> {
        match self.shared.line().durable(stream) {
            Some(durable) => Ok(durable),
            None => Ok(self.store.place(stream)?.map_or(0, |place| place.entries)),
        }
    }

    /// These entries, the first of them perhaps on the shelf and the rest in the tree.
    fn fetch(&self, stream: &StreamId, wanted: std::ops::Range<u64>) -> Result<Vec<Stored>, ReadError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let place = self.store.place(stream)?;
        let laid = place.as_ref().map_or(0, |place| place.entries);
        let from_shelf = |place| self.shelf.read(stream, place, wanted.clone());
        let mut entries = place.as_ref().map_or(Ok(Vec::new()), from_shelf)?;
        match self.store.read(stream, wanted.start.max(laid + 1)..wanted.end) {
            Ok(rest) => entries.extend(rest),
            // They went to the shelf this moment.
            Err(ReadError::Missing { .. }) if self.store.place(stream)? != place => return self.fetch(stream, wanted),
            Err(error) => return Err(error),
        }
        Ok(entries)
    }
}

/// Compares what is there with what was there. The mark to go on from counts what is gone, so that positions are never given
/// twice; whose it was stays on record until somebody releases it.
fn expect(dir: &Path, mark: &Mark, census: &census::Census, accept_loss: bool) -> Result<Mark, OpenError> {
    let expected = mark.position.saturating_sub(mark.lost);
    let missing = expected.saturating_sub(census.entries);
    let gone = Mark { lost: mark.lost + missing, ..mark.clone() };
    if accept_loss {
        return Ok(gone.settled(&census.ends));
    }
    let held = gone.compared(|stream| census.end(stream));
    let owned = held.newly_missing(mark) + census.gaps;
    if owned < missing {
        return Err(OpenError::ShorterThanMark { dir: dir.to_owned(), mark: expected, found: census.entries });
    }
    for short in held.short() {
        let Short { stream, had, has } = short;
        tracing::error!(%stream, had, has, "ALARM: entries of this stream are gone; it is in quarantine, the others go on");
    }
    Ok(held)
}

/// Games on the shelf whose file is not there, or shorter than it was: looked for at once, not only when somebody reads them.
fn gone(store: &Store, shelf: &Shelf) -> Vec<Short> {
    let places = store.places().unwrap_or_default();
    let gone = places.into_iter().filter(|(stream, place)| !shelf.holds(stream, place));
    let short = gone.map(|(stream, place)| Short { stream, had: place.entries, has: 0 });
    short
        .inspect(|Short { stream, .. }| tracing::error!(%stream, "ALARM: the file of this game on the shelf is gone or cut off"))
        .collect()
}

impl Journal for SledJournal {
    fn append(&self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket {
        let mut line = self.shared.line();
        if line.durable(stream).is_none() {
            // Looked up under the lock: nothing comes between what is found and what is admitted.
            match self.store.place(stream) {
                Ok(place) => place.into_iter().for_each(|place| line.learn(stream, place.entries)),
                Err(error) => return Ticket::refused(AppendError::Failed(error.to_string())),
            }
        }
        let ticket = line.admit(stream, after, entry);
        drop(line);
        self.shared.bell.notify_one();
        ticket
    }

    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError> {
        self.fetch(stream, super::wanted(from, max, self.durable(stream)?))
    }

    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError> {
        match self.durable(stream)? {
            0 => Ok(None),
            durable => Ok(self.fetch(stream, durable..durable + 1)?.last().map(|entry| (entry.index, entry.hash))),
        }
    }

    fn streams(&self) -> Result<Vec<StreamId>, ReadError> {
        let mut streams: Vec<StreamId> = self.shared.line().streams().collect();
        streams.extend(self.store.places()?.into_keys());
        streams.sort_unstable();
        streams.dedup();
        Ok(streams)
    }

    fn health(&self) -> Health {
        self.shared.line().health()
    }

    fn signs(&self) -> Option<Arc<Signs>> {
        Some(Arc::clone(&self.signs))
    }

    fn shelve(&self, stream: &StreamId, note: &[u8]) -> Result<bool, ShelveError> {
        self.shelf.path(stream)?;
        let (durable, place) = (self.durable(stream)?, self.store.place(stream)?);
        let laid = place.map_or(0, |place| place.entries);
        if durable == laid {
            return Ok(durable > 0);
        }
        let entries = self.fetch(stream, 1..durable + 1)?;
        let place = self.shelf.lay(stream, &entries, note)?;
        let (answer, told) = oneshot::channel();
        self.shared.line().shelve(Shelving { stream: stream.clone(), place, from: laid + 1, answer });
        self.shared.bell.notify_one();
        told.blocking_recv().unwrap_or(Err(AppendError::Closed))?;
        Ok(true)
    }

    fn shelved(&self) -> Result<Vec<(StreamId, Vec<u8>)>, ReadError> {
        let places = self.store.places()?;
        let line = self.shared.line();
        let whole = places.into_iter().filter(|(stream, _)| line.durable(stream).is_none());
        Ok(whole.map(|(stream, place)| (stream, place.note)).collect())
    }

    fn note(&self, stream: &StreamId) -> Result<Option<Vec<u8>>, ReadError> {
        Ok(self.store.place(stream)?.map(|place| place.note))
    }

    fn short(&self) -> Vec<Short> {
        self.shared.line().short()
    }

    fn release(&self, stream: &StreamId) {
        self.shared.line().release(stream);
    }
}

impl Drop for SledJournal {
    fn drop(&mut self) {
        self.shared.line().close();
        self.shared.bell.notify_one();
        if let Some(committer) = self.committer.take() {
            committer.join().ok();
        }
    }
}

#[cfg(test)]
mod tests;
