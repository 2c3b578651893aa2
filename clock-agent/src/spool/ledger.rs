//! What a spool's records say: the chain that the next event must continue, and the fold of all of them.

use flagfall_rules::time::Moment;

use super::{Record, SpoolError, layout::Entry};
use crate::{
    core::{Past, Stored},
    wire::{self, DecodedEvent, Hash, NO_HASH},
};

/// The running fold of a spool.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// SHA-256 of the last event.
    head: Hash,
    stored: Stored,
}

impl Ledger {
    /// The fold of a spool that was begun anew with the present of another.
    pub(super) fn begun(present: &Stored) -> Ledger {
        let Stored { at, face, game, rev, control, words, position, result, past, .. } = present.clone();
        let stored = Stored { at, face, game, rev, control, words, position, result, past, ..Stored::default() };
        Ledger { head: NO_HASH, stored }
    }

    /// The fold of the spool that comes after this one, which has this name.
    pub(super) fn next(&self, name: [u8; 16]) -> Ledger {
        let past = Some(Past { spool: name, last_seq: self.last_seq() });
        Ledger::begun(&Stored { past, power_lost: false, ..self.stored.clone() })
    }

    pub(super) fn last_seq(&self) -> u64 {
        self.stored.last_seq
    }

    pub(super) fn stored(&self) -> &Stored {
        &self.stored
    }

    /// Takes in a record that continues the spool.
    ///
    /// # Errors
    /// It does not; the ledger is unchanged.
    pub(super) fn take(&mut self, entry: &Entry) -> Result<(), SpoolError> {
        match entry {
            Entry::Snapshot(stored) => *self = Ledger::begun(stored),
            Entry::Record(Record::Event(bytes)) => {
                let last = self.last_seq();
                let unfit = |seq, why: String| SpoolError::Unfit { seq, last, why };
                let event = wire::decode_event(bytes).map_err(|refused| unfit(0, refused.to_string()))?;
                let DecodedEvent { previous, boot, draft } = event;
                if Some(draft.seq) != last.checked_add(1) {
                    return Err(unfit(draft.seq, "the numbers do not join".to_owned()));
                }
                if previous != self.head {
                    return Err(unfit(draft.seq, "it names another event before it".to_owned()));
                }
                self.head = wire::hash(bytes);
                self.stored.event(draft.seq, Moment { boot, ms: draft.at }, draft.face, &draft.what);
            }
            Entry::Record(Record::Applied { boot, applied }) => {
                self.stored.applied(Moment { boot: *boot, ms: applied.at }, applied);
            }
            Entry::Record(Record::Checkpoint { boot, checkpoint }) => {
                self.stored.checkpoint(Moment { boot: *boot, ms: checkpoint.at }, checkpoint.face);
            }
        }
        Ok(())
    }

    /// The ledger after these records.
    ///
    /// # Errors
    /// One of them does not continue the spool.
    pub(super) fn after(&self, records: &[Record]) -> Result<(Ledger, Vec<Entry>), SpoolError> {
        let entries: Vec<Entry> = records.iter().cloned().map(Entry::Record).collect();
        let mut ledger = self.clone();
        entries.iter().try_for_each(|entry| ledger.take(entry))?;
        Ok((ledger, entries))
    }
}
