//! How a journal on disk is doing, for operators: whether the thread that writes it lives, and what its syncs take.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

use super::Batch;

/// How often the thread that writes shows that it lives, at least.
pub const BEAT: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Debug)]
pub struct Signs {
    dir: PathBuf,
    born: Instant,
    /// Milliseconds after it was born.
    beat: AtomicU64,
    position: AtomicU64,
    mark: AtomicU64,
    /// What a sync takes, seconds.
    pub sync: Histogram,
    /// How many entries one sync makes durable.
    pub group: Histogram,
}

impl Signs {
    /// Of a journal in this directory.
    #[must_use]
    pub fn new(dir: &Path) -> Signs {
        Signs {
            dir: dir.to_owned(),
            born: Instant::now(),
            beat: AtomicU64::new(0),
            position: AtomicU64::new(0),
            mark: AtomicU64::new(0),
            sync: Histogram::new(exponential_buckets(0.000_02, 2.0, 20)),
            group: Histogram::new(exponential_buckets(1.0, 2.0, 11)),
        }
    }

    /// The thread that writes lives.
    pub(super) fn beats(&self) {
        self.beat.store(u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// A group is on disk.
    pub(super) fn committed(&self, entries: usize, synced: Duration) -> Batch {
        self.sync.observe(synced.as_secs_f64());
        self.group.observe(entries as f64);
        let number = |number: u128| u32::try_from(number).unwrap_or(u32::MAX);
        Batch { entries: number(entries as u128), sync_us: number(synced.as_micros()) }
    }

    /// The journal reaches so far.
    pub(super) fn reached(&self, position: u64) {
        self.position.store(position, Ordering::Relaxed);
    }

    /// Its high-water mark says so much of it.
    pub(super) fn marked(&self, position: u64) {
        self.mark.store(position, Ordering::Relaxed);
    }

    /// For how long the thread that writes has shown no sign of life: it is in a sync, or gone.
    #[must_use]
    pub fn silent(&self) -> Duration {
        self.born.elapsed().saturating_sub(Duration::from_millis(self.beat.load(Ordering::Relaxed)))
    }

    /// The last entry on disk, over all streams.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// The high-water mark.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.mark.load(Ordering::Relaxed)
    }

    /// Bytes of the database on disk; 0 when it cannot be looked at.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        std::fs::metadata(self.dir.join("db")).map_or(0, |file| file.len())
    }
}
