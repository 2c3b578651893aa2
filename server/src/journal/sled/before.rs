//! The log as it was before sled opened it.
//!
//! sled takes the first damage after its last snapshot for the end of its log, and overwrites the rest with zeros while it
//! opens: one flipped bit would cost all that was written after it, before anybody could make a copy. So a copy is made first:
//!
//! ```text
//!   copy db → db.before ──▶ open ──┬── whole ─────────▶ db.before is removed
//!                                  ├── refused ───────▶ db.before stays, and is not overwritten by the next attempt
//!                                  └── something lost ─▶ db.before stays as db.lost-<highest position>
//! ```
//!
//! The copy is synced only when it stays: a start that finds all in order has no use for it, and a sync of the whole log would be
//! most of its time.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{FlockOperation, flock};

use super::{OpenError, store::log_path};

/// How long the lock of a killed server may linger.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// How often the lock is tried meanwhile.
const LOCK_RETRY: Duration = Duration::from_millis(50);

/// The copy, or none where there was no log or no room.
pub(super) struct Before {
    dir: PathBuf,
    /// It stays when it is dropped.
    stays: bool,
}

impl Before {
    /// Waits until nobody else has the log, and copies it. Without room for a copy the journal opens all the same.
    pub(super) fn take(dir: &Path) -> Result<Before, OpenError> {
        let mut before = Before { dir: dir.to_owned(), stays: false };
        let log = log_path(dir);
        if !log.exists() {
            return Ok(before);
        }
        let _ours = hold(dir, &log)?;
        if before.path().exists() {
            before.stays = true;
            tracing::warn!(kept = %before.path().display(), "a copy from a refused start is still here and is kept");
        } else if let Err(error) = fs::copy(&log, before.path()) {
            fs::remove_file(before.path()).ok();
            tracing::warn!(%error, "the log was not copied before it is opened: if it is damaged, its end will be lost");
        } else {
            before.stays = true;
        }
        Ok(before)
    }

    /// All is there: the copy is needed no more.
    pub(super) fn whole(mut self) {
        self.stays = false;
        fs::remove_file(self.path()).ok();
    }

    /// Not all is there, and the operator accepts it: the copy stays as evidence, out of the way.
    pub(super) fn lost(mut self, position: u64) {
        let kept = self.dir.join(format!("db.lost-{position}"));
        if self.stays && fs::rename(self.path(), &kept).is_ok() {
            self.stays = false;
            sync(&kept);
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.join("db.before")
    }
}

/// The lock on the log. Closing the file is not enough to let go: a process that is just being started elsewhere in this one
/// has the file open too, until it becomes itself.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        flock(&self.0, FlockOperation::Unlock).ok();
    }
}

/// Locks the log as sled does.
fn hold(dir: &Path, log: &Path) -> Result<Lock, OpenError> {
    let io = |source: io::Error| OpenError::Io { path: log.to_owned(), source };
    let file = File::options().read(true).write(true).open(log).map_err(io)?;
    let deadline = Instant::now() + LOCK_PATIENCE;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Lock(file)),
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() >= deadline => {
                return Err(OpenError::Held { dir: dir.to_owned() });
            }
            // Nothing tells when a lock is released, and a killed process holds it until it is buried.
            Err(rustix::io::Errno::WOULDBLOCK) => thread::park_timeout(LOCK_RETRY),
            Err(error) => return Err(io(error.into())),
        }
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        if self.stays {
            sync(&self.path());
        }
    }
}

fn sync(copy: &Path) {
    let synced = File::open(copy).and_then(|copy| copy.sync_all());
    synced.inspect_err(|error| tracing::warn!(%error, "the copy of the log may not outlive a power loss")).ok();
}
