//! The service's disk: a journal in memory that is synced when the simulated disk comes to it, and forgets the rest when
//! the power goes.

use std::sync::{
    Mutex,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use flagfall_server::journal::{
    Health, Journal, MemoryJournal, ReadError, Stored, StreamId, Ticket,
    codec::{self, Kept},
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::{
    sync::Notify,
    time::{Duration, sleep},
};

use crate::{
    mutation::Mutation,
    trace::{Trace, lock},
};

/// When the simulated world begins, milliseconds since 1970.
const EPOCH_MS: i64 = 1_773_576_000_000;

/// See the module. It survives its service.
pub(crate) struct Disk {
    memory: MemoryJournal,
    appended: Notify,
    /// Nothing is synced before this instant.
    stalled_until: AtomicU64,
    /// What somebody did to the service's calendar, milliseconds.
    wall_jump: AtomicI64,
    chance: Mutex<StdRng>,
    mutation: Option<Mutation>,
    trace: Trace,
    synced: AtomicU64,
}

impl Disk {
    pub(crate) fn new(seed: u64, mutation: Option<Mutation>, trace: Trace) -> Disk {
        Disk {
            memory: MemoryJournal::manual(),
            appended: Notify::new(),
            stalled_until: AtomicU64::new(0),
            wall_jump: AtomicI64::new(0),
            chance: Mutex::new(StdRng::seed_from_u64(seed)),
            mutation,
            trace,
            synced: AtomicU64::new(0),
        }
    }

    /// Syncs what waits, for as long as the service lives.
    pub(crate) async fn work(&self) {
        loop {
            self.appended.notified().await;
            while self.memory.unsynced() > 0 {
                let stalled = self.stalled_until.load(Ordering::Relaxed).saturating_sub(self.trace.now());
                let latency = lock(&self.chance).random_range(1..=25);
                sleep(Duration::from_millis(stalled.max(latency))).await;
                // A stall may have begun meanwhile.
                if self.stalled_until.load(Ordering::Relaxed) <= self.trace.now() {
                    let count = self.memory.unsynced();
                    self.memory.sync();
                    self.synced.fetch_add(1, Ordering::Relaxed);
                    self.trace.step("disk", format_args!("synced {count}"));
                }
            }
        }
    }

    /// Nothing is synced for so long.
    pub(crate) fn stall(&self, ms: u64) {
        self.stalled_until.store(self.trace.now() + ms, Ordering::Relaxed);
    }

    /// Somebody sets the service's calendar.
    pub(crate) fn jump(&self, ms: i64) {
        self.wall_jump.store(ms, Ordering::Relaxed);
    }

    /// The power goes. A part of what was on its way had reached the disk all the same.
    pub(crate) fn power_lost(&self, chance: &mut StdRng) {
        let waiting = self.memory.unsynced();
        let kept = if self.lies() { 0 } else { chance.random_range(0..=waiting) };
        self.memory.crash_keeping(kept);
        self.synced.fetch_add(1, Ordering::Relaxed);
        self.trace.step("disk", format_args!("power lost: {waiting} were on their way, {kept} of them are kept"));
    }

    /// The disk is well again.
    pub(crate) fn heal(&self) {
        self.stalled_until.store(0, Ordering::Relaxed);
        self.wall_jump.store(0, Ordering::Relaxed);
    }

    /// How many appends wait.
    pub(crate) fn unsynced(&self) -> usize {
        self.memory.unsynced()
    }

    /// Changes whenever there is something new to read.
    pub(crate) fn version(&self) -> u64 {
        self.synced.load(Ordering::Relaxed)
    }

    fn lies(&self) -> bool {
        matches!(self.mutation, Some(Mutation::AckBeforeCommit | Mutation::EpochNotPersisted))
    }

    fn lies_about(&self, entry: &[u8]) -> bool {
        match self.mutation {
            Some(Mutation::AckBeforeCommit) => true,
            Some(Mutation::EpochNotPersisted) => {
                let decoded = codec::decode_entry(entry);
                decoded.is_ok_and(|entry| matches!(entry.inputs.as_slice(), [Kept::Session(_)]))
            }
            _ => false,
        }
    }
}

impl Journal for Disk {
    fn append(&self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket {
        let (lies, bytes) = (self.lies_about(&entry), entry.len());
        let ticket = self.memory.append(stream, after, entry);
        self.trace.step("disk", format_args!("append {stream} #{} {bytes} bytes", after + 1));
        if lies {
            self.memory.lie();
            if self.mutation == Some(Mutation::EpochNotPersisted) {
                self.stall(2_000);
            }
        }
        self.appended.notify_one();
        ticket
    }

    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError> {
        self.memory.read(stream, from, max)
    }

    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError> {
        self.memory.last(stream)
    }

    fn streams(&self) -> Result<Vec<StreamId>, ReadError> {
        self.memory.streams()
    }

    fn health(&self) -> Health {
        self.memory.health()
    }

    fn wall_ms(&self) -> i64 {
        EPOCH_MS + i64::try_from(self.trace.now()).unwrap_or(i64::MAX) + self.wall_jump.load(Ordering::Relaxed)
    }
}
