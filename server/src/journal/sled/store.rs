//! sled, guarded: every call to it is here, and none of its panics gets past.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    ops::Range,
    os::unix::fs::MetadataExt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime},
};

use super::{Census, OpenError, Options};
use crate::journal::{ReadError, Stored, StreamId, frame, keys, line::Write, stored};

/// See [`super`] for why it is not sled's usual 512 KiB. A database keeps the size it was made with.
const SEGMENT_BYTES: usize = 8 << 20;

/// What sled said, or what it panicked with.
enum Trouble {
    Said(::sled::Error),
    Panicked(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
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
        let log_proven = AtomicBool::new(false);
        Ok(Store { db: Some(db), dir, log, log_proven, flush_only: options.flush_only })
    }

    fn db(&self) -> ::sled::Result<&::sled::Db> {
        self.db.as_ref().ok_or_else(|| ::sled::Error::Unsupported("the database is closed".to_owned()))
    }

    /// Reads everything once. A damaged value is counted: reading its stream will name it.
    pub(super) fn census(&self) -> Result<Census, OpenError> {
        let mut census = Census { ends: Default::default(), entries: 0, highest: 0 };
        let mut unknown = None;
        let walked = guarded(|| {
            for pair in self.db()?.iter() {
                let (key, value) = pair?;
                match keys::parse(&key) {
                    Ok((stream, index)) => census.ends.insert(stream, index),
                    Err(error) => {
                        unknown = Some(error);
                        break;
                    }
                };
                census.entries += 1;
                let position = frame::unframe(&value).map_or(0, |(position, _)| position);
                census.highest = census.highest.max(position);
            }
            Ok(())
        });
        let dir = self.dir.clone();
        match (walked, unknown) {
            (Ok(()), None) => Ok(census),
            (Ok(()), Some(source)) => Err(OpenError::UnknownKey { dir, source }),
            (Err(trouble), _) => Err(OpenError::Damaged { dir, reason: trouble.to_string() }),
        }
    }

    /// Makes entries durable, all or none of them, and says how long the sync took. After an error nothing is known and nothing may
    /// be tried again.
    pub(super) fn commit<'w>(&self, writes: impl Iterator<Item = &'w Write>) -> Result<Duration, String> {
        let mut batch = ::sled::Batch::default();
        for write in writes {
            batch.insert(keys::key(&write.stream, write.index), frame::frame(write.position, &write.entry));
        }
        let unproven = !self.log_proven.load(Ordering::Relaxed);
        let failed = |what: &str, why: &dyn std::fmt::Display| format!("{} in {}: {why}", what, self.dir.display());
        if unproven {
            self.log.set_modified(SystemTime::UNIX_EPOCH).map_err(|error| failed("marking db", &error))?;
        }
        guarded(|| {
            let db = self.db()?;
            db.apply_batch(batch)?;
            db.flush().map(drop)
        })
        .map_err(|trouble| failed("writing", &trouble))?;
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
