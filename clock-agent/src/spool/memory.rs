//! A spool in memory, for replay, load and simulation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Record, Spool, SpoolError, layout::FRAME_MAX, ledger::Ledger};
use crate::{
    core::Stored,
    wire::{self, Hash, NO_HASH},
};

/// Keeps everything as long as one clone of it is held: it survives the end of an agent, as a disk does, but not that
/// of the process. All clones are the same spool; one agent at a time may use it.
#[derive(Clone, Debug)]
pub struct MemorySpool(Arc<Mutex<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    id: [u8; 16],
    events: Vec<Vec<u8>>,
    ledger: Ledger,
    size: usize,
}

impl MemorySpool {
    /// An empty spool with this name.
    #[must_use]
    pub fn new(id: [u8; 16]) -> MemorySpool {
        MemorySpool(Arc::new(Mutex::new(Shared { id, ..Shared::default() })))
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // Nothing in here is ever left half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spool for MemorySpool {
    fn append(&mut self, records: &[Record]) -> Result<(), SpoolError> {
        let mut shared = self.shared();
        let (ledger, _) = shared.ledger.after(records)?;
        let events = records.iter().filter_map(|record| match record {
            Record::Event(event) => Some(event.clone()),
            Record::Applied { .. } | Record::Checkpoint { .. } => None,
        });
        let before = shared.events.len();
        shared.events.extend(events);
        let bytes = shared.events[before..].iter().map(Vec::len).sum();
        if bytes > FRAME_MAX {
            shared.events.truncate(before);
            return Err(SpoolError::TooLong { bytes });
        }
        shared.size += bytes;
        shared.ledger = ledger;
        Ok(())
    }

    fn read(&self, from: u64, max: usize) -> Result<Vec<Vec<u8>>, SpoolError> {
        let skip = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
        Ok(self.shared().events.iter().skip(skip).take(max).cloned().collect())
    }

    fn last_seq(&self) -> u64 {
        self.shared().ledger.last_seq()
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

    fn stored(&self) -> Stored {
        self.shared().ledger.stored().clone()
    }

    fn size(&self) -> u64 {
        self.shared().size as u64
    }

    fn forget(&mut self) -> Result<(), SpoolError> {
        let mut shared = self.shared();
        let ledger = shared.ledger.next(shared.id);
        let mut id = [0; 16];
        // Another name, but the same one each time a simulation is run.
        id.copy_from_slice(&wire::hash(&shared.id)[..16]);
        *shared = Shared { id, ledger, ..Shared::default() };
        Ok(())
    }

    fn blocks(&self) -> bool {
        false
    }
}
