//! What a clock's sessions hand on to each other: the epoch, how far each spool is on disk, and the clock's own stream.
//!
//! Only the session that holds the lane writes here, so one epoch writes at a time.

use std::collections::HashMap;

use tokio::sync::OwnedMutexGuard;

use super::{entry, handle::Origin};
use crate::{
    journal::{
        Journal, ReadError, StreamId, Ticket,
        codec::{self, Kept},
    },
    wire::{Hash, hash},
};

/// A lane held by one session.
pub type LaneGuard = OwnedMutexGuard<Lane>;

/// How far a spool is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The last event; 0 when there is none.
    pub seq: u64,
    /// Its hash: what the next one chains to.
    pub hash: Hash,
    /// The spool showed two histories: nothing more is taken of it until an operator has looked.
    pub forked: bool,
}

impl Default for Mark {
    fn default() -> Mark {
        Mark { seq: 0, hash: hash::NONE, forked: false }
    }
}

/// See the module.
pub struct Lane {
    stream: StreamId,
    epoch: u64,
    end: (u64, Hash),
    /// What is on disk is not known: an append failed, or its writer broke.
    doubtful: bool,
    spools: HashMap<[u8; 16], Mark>,
}

impl Lane {
    /// The lane of a clock that was never heard of.
    #[must_use]
    pub fn new(device: &str) -> Lane {
        let stream = StreamId::Device(device.to_owned());
        Lane { stream, epoch: 0, end: (0, hash::NONE), doubtful: false, spools: HashMap::new() }
    }

    /// Takes in what the journal says of a session.
    pub(super) fn heard_of_epoch(&mut self, epoch: u64) {
        self.epoch = self.epoch.max(epoch);
    }

    /// The clock remembers an epoch; the journal may have been restored from before it.
    pub fn not_below(&mut self, epoch: u64) {
        // One that leaves no room above it is no epoch that was ever given.
        if epoch < u64::MAX / 2 {
            self.heard_of_epoch(epoch);
        }
    }

    /// Nothing is on record of the clock at all.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.end.0 == 0 && self.spools.is_empty()
    }

    /// Takes in where the journal says the clock's stream ends.
    pub(super) fn ends_at(&mut self, index: u64, hash: Hash) {
        self.end = (index, hash);
    }

    /// How far a spool is.
    #[must_use]
    pub fn mark(&self, spool: &[u8; 16]) -> Mark {
        self.spools.get(spool).copied().unwrap_or_default()
    }

    /// A spool's events are on disk up to this one.
    pub fn advance(&mut self, spool: [u8; 16], seq: u64, hash: Hash) {
        let mark = self.spools.entry(spool).or_default();
        if seq > mark.seq {
            (mark.seq, mark.hash) = (seq, hash);
        }
    }

    /// Freezes a spool.
    pub fn freeze(&mut self, spool: [u8; 16]) {
        self.spools.entry(spool).or_default().forked = true;
    }

    /// A greater epoch than any before; never given twice, whether it gets to disk or not.
    pub fn next_epoch(&mut self) -> u64 {
        self.epoch += 1;
        self.epoch
    }

    /// Appends to the clock's own stream.
    pub fn append(&mut self, journal: &dyn Journal, inputs: &[Kept], origin: Origin) -> Ticket {
        let (index, previous) = self.end;
        let entry = codec::entry("", "", &entry::admitted_now(journal, previous, origin), inputs, &[]);
        self.end = (index + 1, hash::sha256(&entry));
        journal.append(&self.stream, index, entry)
    }

    /// An append failed, and an unknown write is never assumed absent: the next session looks up what is on disk.
    pub fn doubt(&mut self) {
        self.doubtful = true;
    }

    /// See [`Lane::doubt`].
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// Looks up where the stream ends. Blocks, as rarely as journals fail.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn look_up(&mut self, journal: &dyn Journal) -> Result<(), ReadError> {
        self.end = journal.last(&self.stream)?.unwrap_or((0, hash::NONE));
        self.doubtful = false;
        Ok(())
    }
}
