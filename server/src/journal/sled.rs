//! The journal on disk, in sled, by one committer thread.
//!
//! ```text
//!   <dir>/db          sled's log, and all that counts      <dir>/high-water   how far it once reached: see [`mark`]
//!   <dir>/conf        its segment size                     <dir>/snap.*       where to begin reading db; can be deleted
//!   <dir>/blobs/      always empty, see below              <dir>/db.before    db before a refused start: see [`before`]
//! ```
//!
//! What sled 0.34.7 does not do, and what is done here instead:
//! - `flush()` does not fsync on Linux (`sync_file_range`): `File::sync_data` on `<dir>/db` follows every one.
//! - `flush_async()` deadlocks under load: one thread commits for all.
//! - A page of more than a quarter of a segment goes to a file in `blobs` that is never synced. A leaf holds up to 17 entries
//!   of at most [`ENTRY_MAX`](super::ENTRY_MAX), and a segment here is 8 MiB: no page ever outgrows its quarter.
//! - A segment whose pages were all rewritten is used again once a whole later segment is written, synced or not. A batch is
//!   far smaller than a segment, so a sync always lies between.
//! - A damaged log opens as a shorter one without a word, and the rest is overwritten: hence the high-water mark and the copy.
//! - It panics on some damaged files: every call is guarded, and a panic is an error like another.

mod before;
mod committer;
mod mark;
mod store;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use super::{Health, Journal, ReadError, Signs, Stored, StreamId, Ticket, keys::KeyError, line::Line};
use before::Before;
use mark::{Mark, MarkFile};
use store::Store;

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
}

impl Options {
    /// The usual options for a directory.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Options {
        Options { dir: dir.into(), cache_bytes: 32 << 20, accept_loss: false, flush_only: false }
    }
}

/// Why a journal on disk was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("another server holds {dir}: stop it, or use its live command, or give this one a directory of its own")]
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
        "{dir} is damaged ({reason}): put {dir}/db.before in the place of {dir}/db and try without {dir}/snap.*, else restore \
         the last copy and let the clocks send again, or begin with an empty directory"
    )]
    Damaged {
        /// The directory.
        dir: PathBuf,
        /// What sled said, or panicked with.
        reason: String,
    },
    /// Entries that were durable once are not there.
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
            Ok(None) if fresh && probe.is_ok() => file.write(Mark::default()).map(|()| Mark::default())?,
            Ok(Some(mark)) if fresh => expect(dir, mark, 0, options.accept_loss).map(|_| mark)?,
            Ok(Some(mark)) => mark,
            _ if options.accept_loss || fresh => Mark::default(),
            Ok(None) => return Err(file.unusable("is missing")),
            Err(reason) => return Err(file.unusable(&reason)),
        };
        let before = Before::take(dir)?;
        let store = Store::open(options)?;
        let census = store.census()?;
        let raised = mark.raised(census.highest);
        let mark = expect(dir, raised, census.entries, options.accept_loss)?;
        if mark == raised {
            before.whole()
        } else {
            before.lost(mark.position)
        }
        if probe.is_ok() {
            store::settle(dir)?;
            file.write(mark)?;
        }
        let shared = Arc::new(Shared { line: Mutex::new(Line::new(census.ends, mark.position)), bell: Condvar::new() });
        let store = Arc::new(store);
        let signs = Arc::new(Signs::new(dir));
        let committer = match probe {
            Ok(()) => Some(committer::start(shared.clone(), store.clone(), file, mark, signs.clone())?),
            Err(source) => {
                shared.line().fail(format!("{} takes no writes: {source}", dir.display()));
                None
            }
        };
        Ok(SledJournal { shared, store, signs, committer })
    }
}

/// Compares what is there with what was there. The mark to go on from counts what was lost with consent, so that positions
/// are never given twice and a loss is accepted once.
fn expect(dir: &Path, mark: Mark, found: u64, accept_loss: bool) -> Result<Mark, OpenError> {
    let expected = mark.position.saturating_sub(mark.lost);
    if found >= expected {
        return Ok(mark);
    }
    if accept_loss {
        return Ok(Mark { lost: mark.position.saturating_sub(found), ..mark });
    }
    Err(OpenError::ShorterThanMark { dir: dir.to_owned(), mark: expected, found })
}

/// Where the streams of a database end, and how many entries it holds.
struct Census {
    ends: BTreeMap<StreamId, u64>,
    entries: u64,
    /// The highest position of any.
    highest: u64,
}

impl Journal for SledJournal {
    fn append(&self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket {
        let ticket = self.shared.line().admit(stream, after, entry);
        self.shared.bell.notify_one();
        ticket
    }

    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError> {
        let durable = self.shared.line().durable(stream);
        self.store.read(stream, super::wanted(from, max, durable))
    }

    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError> {
        let durable = self.shared.line().durable(stream);
        if durable == 0 {
            return Ok(None);
        }
        let last = self.store.read(stream, durable..durable + 1)?;
        Ok(last.last().map(|entry| (entry.index, entry.hash)))
    }

    fn streams(&self) -> Result<Vec<StreamId>, ReadError> {
        Ok(self.shared.line().streams())
    }

    fn health(&self) -> Health {
        self.shared.line().health()
    }

    fn signs(&self) -> Option<Arc<Signs>> {
        Some(Arc::clone(&self.signs))
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
