//! A spool in memory, for replay, load and simulation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    Record, Spool, SpoolError,
    layout::{self, FRAME_MAX},
    ledger::Ledger,
};
use crate::{
    core::Stored,
    wire::{self, Hash, NO_HASH},
};

/// Keeps everything as long as one clone of it is held: it survives the end of an agent, as a disk does, but not that of
/// the process. Only one agent at a time may use it, for the clones know nothing of each other's appends.
#[derive(Clone, Debug)]
pub struct MemorySpool {
    shared: Arc<Mutex<Shared>>,
    ledger: Ledger,
}

#[derive(Debug, Default)]
struct Shared {
    id: [u8; 16],
    events: Vec<Vec<u8>>,
    ledger: Ledger,
    size: u64,
}

impl MemorySpool {
    /// An empty spool with this name.
    #[must_use]
    pub fn new(id: [u8; 16]) -> MemorySpool {
        let shared = Shared { id, ..Shared::default() };
        MemorySpool { shared: Arc::new(Mutex::new(shared)), ledger: Ledger::default() }
    }

    /// The spool as another agent finds it now.
    #[must_use]
    pub fn reopened(&self) -> MemorySpool {
        let ledger = self.shared().ledger.clone();
        MemorySpool { shared: Arc::clone(&self.shared), ledger }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // Nothing in here can be left half done.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spool for MemorySpool {
    fn append(&mut self, records: &[Record]) -> Result<(), SpoolError> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let (ledger, entries) = shared.ledger.after(records)?;
        let (bytes, _) = layout::frame(&shared.id, 0, &entries);
        if bytes.len() > FRAME_MAX {
            return Err(SpoolError::TooLong { bytes: bytes.len() });
        }
        shared.events.extend(records.iter().filter_map(|record| match record {
            Record::Event(event) => Some(event.clone()),
            Record::Applied { .. } | Record::Checkpoint { .. } => None,
        }));
        shared.size += bytes.len() as u64;
        shared.ledger = ledger.clone();
        self.ledger = ledger;
        Ok(())
    }

    fn read(&self, from: u64, max: usize) -> Result<Vec<Vec<u8>>, SpoolError> {
        let skip = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
        Ok(self.shared().events.iter().skip(skip).take(max).cloned().collect())
    }

    fn last_seq(&self) -> u64 {
        self.ledger.last_seq()
    }

    fn chain_hash(&self, seq: u64) -> Result<Option<Hash>, SpoolError> {
        if seq == 0 {
            return Ok(Some(NO_HASH));
        }
        Ok(self.read(seq, 1)?.first().map(|event| wire::hash(event)))
    }

    fn spool_id(&self) -> [u8; 16] {
        self.shared().id
    }

    fn stored(&self) -> &Stored {
        self.ledger.stored()
    }

    fn size(&self) -> u64 {
        self.shared().size
    }

    fn forget(&mut self) -> Result<(), SpoolError> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let ledger = Ledger::begun(shared.ledger.stored());
        let [name @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = wire::hash(&shared.id);
        *shared = Shared { id: name, ledger: ledger.clone(), ..Shared::default() };
        self.ledger = ledger;
        Ok(())
    }

    fn blocks(&self) -> bool {
        false
    }
}
