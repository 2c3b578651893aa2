//! sled, guarded: every call to it is here, and none of its panics gets past.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    ops::Range,
    os::unix::fs::MetadataExt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime},
};

use super::{OpenError, Options, watch::Commits};
use crate::journal::{
    ReadError, Stored, StreamId, frame,
    keys::{self, Key},
    line::{Shelving, Write},
    shelf::Place,
    stored,
};

/// See [`super`] for why it is not sled's usual 512 KiB. A database keeps the size it was made with.
const SEGMENT_BYTES: usize = 8 << 20;

/// The system's number for a disk without room (ENOSPC).
const DISK_FULL: i32 = 28;

/// What sled said, or what it panicked with.
enum Trouble {
    Said(::sled::Error),
    Panicked(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // sled tells an error of the system as it is debugged, and its copies have lost the number.
            Trouble::Said(::sled::Error::Io(error)) if error.kind() == io::ErrorKind::StorageFull => {
                write!(f, "{}", io::Error::from_raw_os_error(DISK_FULL))
            }
            Trouble::Said(error) => write!(f, "{error}"),
            Trouble::Panicked(text) => write!(f, "sled panicked: {text}"),
        }
    }
}

/// Runs sled. After a panic its state is not trusted: at open there is none yet, and while running every error is final.
fn guarded<T>(call: impl FnOnce() -> ::sled::Result<T>) -> Result<T, Trouble> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(answer) => answer.map_err(Trouble::Said),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(Trouble::Panicked(text.unwrap_or("without a word").to_owned()))
        }
    }
}

/// The database with the file that makes it durable.
pub(super) struct Store {
    /// `None` only while it is dropped.
    db: Option<::sled::Db>,
    dir: PathBuf,
    log: File,
    /// The first commit was seen to change `log`.
    log_proven: AtomicBool,
    flush_only: bool,
    pub(super) commits: Commits,
}

impl Store {
    /// Opens the database; the lock was waited for before.
    pub(super) fn open(options: &Options) -> Result<Store, OpenError> {
        let dir = options.dir.clone();
        let config = ::sled::Config::new()
            .path(&dir)
            .cache_capacity(options.cache_bytes)
            .segment_size(SEGMENT_BYTES)
            // Whatever is written behind our back is neither ordered nor reported.
            .flush_every_ms(None);
        let db = match guarded(|| config.open()) {
            Ok(db) => db,
            Err(Trouble::Said(::sled::Error::Io(error))) if error.to_string().contains("could not acquire lock") => {
                return Err(OpenError::Held { dir });
            }
            Err(Trouble::Said(::sled::Error::Io(source))) => return Err(OpenError::Io { path: dir, source }),
            Err(trouble) => return Err(OpenError::Damaged { dir, reason: trouble.to_string() }),
        };
        let log = io(&log_path(&dir), |path| File::options().read(true).write(true).open(path))?;
        let (log_proven, commits) = (AtomicBool::new(false), Commits::default());
        Ok(Store { db: Some(db), dir, log, log_proven, flush_only: options.flush_only, commits })
    }

    fn db(&self) -> ::sled::Result<&::sled::Db> {
        self.db.as_ref().ok_or_else(|| ::sled::Error::Unsupported("the database is closed".to_owned()))
    }

    /// The directory.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Shows every key and value in order until told false.
    pub(super) fn each(&self, mut show: impl FnMut(&[u8], &[u8]) -> bool) -> Result<(), String> {
        let walked = guarded(|| {
            for pair in self.db()?.iter() {
                let (key, value) = pair?;
                if !show(&key, &value) {
                    break;
                }
            }
            Ok(())
        });
        walked.map_err(|trouble| trouble.to_string())
    }

    /// Where a stream lies on the shelf; `None` when it does not.
    pub(super) fn place(&self, stream: &StreamId) -> Result<Option<Place>, ReadError> {
        let failed = |reason: String| ReadError::Failed { stream: stream.clone(), reason };
        let value = guarded(|| self.db()?.get(keys::shelf(stream))).map_err(|trouble| failed(trouble.to_string()))?;
        value.map(|value| Place::parse(&value)).transpose().map_err(|error| failed(format!("its place: {error}")))
    }

    /// Where all streams lie that are on the shelf; one whose place is damaged is named when it is asked for.
    pub(super) fn places(&self) -> Result<BTreeMap<StreamId, Place>, ReadError> {
        let mut places = BTreeMap::new();
        let walked = guarded(|| {
            for pair in self.db()?.scan_prefix(keys::SHELVES) {
                let (key, value) = pair?;
                if let (Ok(Key::Shelf(stream)), Ok(place)) = (keys::parse(&key), Place::parse(&value)) {
                    places.insert(stream, place);
                }
            }
            Ok(())
        });
        let failed = |trouble: Trouble| ReadError::Failed { stream: StreamId::Desk, reason: trouble.to_string() };
        walked.map(|()| places).map_err(failed)
    }

    /// Makes entries durable and says how long the sync took. After an error nothing is known and nothing may be tried again; what a crash
    /// leaves of them are the first so many, for sled reads its log up to where it was torn.
    pub(super) fn commit<'w>(&self, writes: impl Iterator<Item = &'w Write>) -> Result<Duration, String> {
        self.apply(|db| {
            for write in writes {
                db.insert(keys::key(&write.stream, write.index), frame::frame(write.position, &write.entry))?;
            }
            Ok(())
        })
    }

    /// The file of a stream is on disk: its place goes into the tree and its entries leave it, all or none of it.
    pub(super) fn shelve(&self, shelving: &Shelving) -> Result<(), String> {
        let Shelving { stream, place, from, .. } = shelving;
        let mut batch = ::sled::Batch::default();
        batch.insert(keys::shelf(stream), place.value());
        (*from..=place.entries).for_each(|index| batch.remove(keys::key(stream, index)));
        self.apply(|db| db.apply_batch(batch)).map(drop)
    }

    fn apply(&self, change: impl FnOnce(&::sled::Db) -> ::sled::Result<()>) -> Result<Duration, String> {
        let unproven = !self.log_proven.load(Ordering::Relaxed);
        let failed = |what: &str, why: &dyn std::fmt::Display| format!("{} in {}: {why}", what, self.dir.display());
        if unproven {
            self.log.set_modified(SystemTime::UNIX_EPOCH).map_err(|error| failed("marking db", &error))?;
        }
        self.commits.begun_or_done();
        let written = guarded(|| {
            let db = self.db()?;
            change(db)?;
            db.flush().map(drop)
        });
        self.commits.begun_or_done();
        written.map_err(|trouble| failed("writing", &trouble))?;
        let syncing = Instant::now();
        if !self.flush_only {
            self.log.sync_data().map_err(|error| failed("syncing db", &error))?;
        }
        let synced = syncing.elapsed();
        if unproven {
            self.prove_log().map_err(|why| failed("looking for what was written", &why))?;
            self.log_proven.store(true, Ordering::Relaxed);
        }
        Ok(synced)
    }

    /// Hands to the disk what is there. Commits do so themselves; see [`watch`](super::watch) for who else does.
    pub(super) fn flush(&self) {
        // An error is told to those who wait.
        guarded(|| self.db()?.flush().map(drop)).ok();
    }

    /// All durability rests on sled's keeping its log in `<dir>/db`: the first commit must have changed that very file.
    fn prove_log(&self) -> Result<(), String> {
        let (ours, there) = match (self.log.metadata(), fs::metadata(log_path(&self.dir))) {
            (Ok(ours), Ok(there)) => (ours, there),
            (Err(error), _) | (_, Err(error)) => return Err(error.to_string()),
        };
        let same = (ours.dev(), ours.ino()) == (there.dev(), there.ino());
        let changed = ours.modified().is_ok_and(|at| at != SystemTime::UNIX_EPOCH);
        if same && changed { Ok(()) } else { Err("sled keeps its log elsewhere than in db".to_owned()) }
    }

    /// These entries of a stream, all of which should be there.
    pub(super) fn read(&self, stream: &StreamId, wanted: Range<u64>) -> Result<Vec<Stored>, ReadError> {
        let mut entries = Vec::new();
        if wanted.is_empty() {
            return Ok(entries);
        }
        let mut next = wanted.start;
        let missing = |index| Some(ReadError::Missing { stream: stream.clone(), index });
        let read = guarded(|| {
            // Keys between two of one stream are its own.
            for pair in self.db()?.range(keys::key(stream, wanted.start)..keys::key(stream, wanted.end)) {
                let (key, value) = pair?;
                if key != keys::key(stream, next) {
                    return Ok(missing(next));
                }
                match stored(stream, next, &value) {
                    Ok(entry) => entries.push(entry),
                    Err(error) => return Ok(Some(error)),
                }
                next += 1;
            }
            Ok(if next < wanted.end { missing(next) } else { None })
        });
        match read {
            Ok(None) => Ok(entries),
            Ok(Some(error)) => Err(error),
            Err(trouble) => Err(ReadError::Failed { stream: stream.clone(), reason: trouble.to_string() }),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // sled syncs once more when it is dropped, and panics when that fails.
        let db = self.db.take();
        guarded(|| {
            drop(db);
            Ok(())
        })
        .ok();
    }
}

/// Where sled keeps its log.
pub(super) fn log_path(dir: &Path) -> PathBuf {
    dir.join("db")
}

fn io<T>(path: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, OpenError> {
    act(path).map_err(|source| OpenError::Io { path: path.to_owned(), source })
}

fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Whether there is a database.
pub(super) fn exists(dir: &Path) -> bool {
    log_path(dir).exists()
}

/// Makes the directory, and its place in its parent durable.
pub(super) fn make_dir(dir: &Path) -> Result<(), OpenError> {
    if dir.is_dir() {
        return Ok(());
    }
    io(dir, |dir| fs::create_dir_all(dir))?;
    match dir.parent() {
        Some(parent) if parent != Path::new("") => io(parent, sync_dir),
        _ => io(Path::new("."), sync_dir),
    }
}

/// Tries a write and a sync before anything depends on them.
pub(super) fn probe(dir: &Path) -> io::Result<()> {
    let path = dir.join("probe");
    let mut file = File::create(&path)?;
    file.write_all(&[0; 4096])?;
    file.sync_all()?;
    fs::remove_file(path)
}

/// Makes the files that sled has made durable as such: it syncs what is in them, but not that they are there.
pub(super) fn settle(dir: &Path) -> Result<(), OpenError> {
    io(&dir.join("conf"), |path| File::open(path)?.sync_all())?;
    io(&log_path(dir), |path| File::open(path)?.sync_all())?;
    io(dir, sync_dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{journal::AppendError, wire::Refused};

    #[test]
    fn row_11_a_disk_without_room_is_told_as_one_whatever_sled_made_of_the_error() {
        let first = io::Error::from_raw_os_error(DISK_FULL);
        // Whoever asks later gets a copy, which has lost the number.
        let later = io::Error::new(first.kind(), format!("{first:?}"));
        for error in [first, later] {
            let told = Trouble::Said(::sled::Error::Io(error)).to_string();
            let failed = AppendError::Failed(format!("writing in journal: {told}"));
            assert!(matches!(Refused::from(&failed), Refused::JournalFull), "{told}");
        }
    }
}
