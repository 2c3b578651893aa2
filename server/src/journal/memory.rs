//! A journal in memory, for simulations: it can be slow, crash and fail on command.
//!
//! What was appended is *volatile* until it is synced. [`MemoryJournal::new`] syncs by itself at once;
//! [`MemoryJournal::manual`] waits for [`MemoryJournal::sync`], so that a simulation decides what is on disk when the power goes.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    AppendError, Health, Journal, ReadError, Stored, StreamId, Ticket, frame,
    line::{Line, Write},
};

struct Inner {
    line: Line,
    /// Framed as on disk, so that damage can be simulated too.
    kept: BTreeMap<(StreamId, u64), Vec<u8>>,
    /// What somebody was told is durable, and is not: see [`MemoryJournal::lie`].
    lied: Vec<Write>,
}

/// A journal in memory.
pub struct MemoryJournal {
    inner: Mutex<Inner>,
    automatic: bool,
}

impl Default for MemoryJournal {
    fn default() -> MemoryJournal {
        MemoryJournal::new()
    }
}

impl MemoryJournal {
    /// A journal in which every entry is durable as soon as it is appended.
    #[must_use]
    pub fn new() -> MemoryJournal {
        MemoryJournal::build(true)
    }

    /// A journal in which entries are durable when [`MemoryJournal::sync`] says so.
    #[must_use]
    pub fn manual() -> MemoryJournal {
        MemoryJournal::build(false)
    }

    fn build(automatic: bool) -> MemoryJournal {
        let inner = Inner { line: Line::new(BTreeMap::new(), 0, Vec::new()), kept: BTreeMap::new(), lied: Vec::new() };
        MemoryJournal { inner: Mutex::new(inner), automatic }
    }

    /// Makes everything appended so far durable and resolves its tickets in order.
    pub fn sync(&self) {
        self.sync_first(usize::MAX);
    }

    /// Makes the first `count` of the waiting appends durable, as a group commit that took only those does.
    pub fn sync_first(&self, count: usize) {
        let mut inner = self.lock();
        let lied = std::mem::take(&mut inner.lied);
        let batch = inner.line.take(count, usize::MAX);
        inner.keep(lied.iter());
        inner.keep(super::line::writes(&batch));
        drop(inner);
        let group = super::Batch { entries: u32::try_from(batch.len()).unwrap_or(u32::MAX), sync_us: 0 };
        batch.into_iter().for_each(|waiting| waiting.answer(group));
    }

    /// Says of everything that waits that it is durable, before it is: the defect that those who watch over a journal must
    /// notice. The next sync makes it good; a crash before it does not.
    pub fn lie(&self) {
        let mut inner = self.lock();
        let batch = inner.line.take(usize::MAX, usize::MAX);
        for waiting in batch {
            inner.lied.extend(waiting.asked.as_ref().ok().cloned());
            waiting.answer(super::Batch::default());
        }
    }

    /// How many appends wait to be synced.
    #[must_use]
    pub fn unsynced(&self) -> usize {
        let inner = self.lock();
        inner.line.waiting() + inner.lied.len()
    }

    /// The power goes and comes back: all that was not synced is forgotten, and its tickets say `Closed`.
    pub fn crash(&self) {
        self.crash_keeping(0);
    }

    /// As [`MemoryJournal::crash`], but the first `count` of the unsynced appends had reached the disk: nobody was ever told,
    /// and they are there. An unknown write is never assumed absent.
    pub fn crash_keeping(&self, count: usize) {
        let mut inner = self.lock();
        let batch = inner.line.take(count, usize::MAX);
        inner.lied.clear();
        inner.keep(super::line::writes(&batch));
        batch.into_iter().for_each(|waiting| waiting.refuse(AppendError::Closed));
        inner.line.forget();
    }

    /// The disk fails: all who wait, and all who come, are told this reason. Only a crash ends it.
    pub fn fail(&self, reason: &str) {
        let waiting = self.lock().line.fail(reason.to_owned());
        waiting.into_iter().for_each(|waiting| waiting.refuse(AppendError::Failed(reason.to_owned())));
    }

    /// Flips a bit of a durable entry, as a bad disk does; false when there is no such entry.
    pub fn damage(&self, stream: &StreamId, index: u64) -> bool {
        let mut inner = self.lock();
        let value = inner.kept.get_mut(&(stream.clone(), index));
        value.and_then(|value| value.last_mut()).map(|byte| *byte ^= 1).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn keep<'w>(&mut self, writes: impl Iterator<Item = &'w Write>) {
        for write in writes {
            self.kept.insert(((*write.stream).clone(), write.index), frame::frame(write.position, &write.entry));
            self.line.is_durable(write);
        }
    }

    fn stored(&self, stream: &StreamId, index: u64) -> Result<Stored, ReadError> {
        let Some(value) = self.kept.get(&(stream.clone(), index)) else {
            return Err(ReadError::Missing { stream: stream.clone(), index });
        };
        super::stored(stream, index, value)
    }
}

impl Journal for MemoryJournal {
    fn append(&self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket {
        let ticket = self.lock().line.admit(stream, after, entry);
        if self.automatic {
            self.sync();
        }
        ticket
    }

    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError> {
        let inner = self.lock();
        super::wanted(from, max, inner.line.durable(stream).unwrap_or(0))
            .map(|index| inner.stored(stream, index))
            .collect()
    }

    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError> {
        let inner = self.lock();
        match inner.line.durable(stream).unwrap_or(0) {
            0 => Ok(None),
            index => Ok(Some((index, inner.stored(stream, index)?.hash))),
        }
    }

    fn streams(&self) -> Result<Vec<StreamId>, ReadError> {
        let mut streams: Vec<StreamId> = self.lock().line.streams().collect();
        streams.sort_unstable();
        Ok(streams)
    }

    fn health(&self) -> Health {
        self.lock().line.health()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::conformance;

    #[test]
    fn conforms() {
        conformance::all(MemoryJournal::new);
    }

    #[test]
    fn only_what_was_synced_survives_a_crash() {
        let (journal, game) = (MemoryJournal::manual(), StreamId::Game("g".into()));
        let first = journal.append(&game, 0, b"1".to_vec());
        journal.sync();
        let tickets = [journal.append(&game, 1, b"2".to_vec()), journal.append(&game, 2, b"3".to_vec())];
        assert_eq!(journal.read(&game, 1, 9).expect("read").len(), 1, "volatile entries are not shown");
        journal.crash();
        assert_eq!(first.wait().expect("was synced").index, 1);
        for ticket in tickets {
            assert_eq!(ticket.wait(), Err(AppendError::Closed));
        }
        let again = journal.append(&game, 1, b"2".to_vec());
        journal.sync_first(1);
        assert_eq!(again.wait().map(|durable| (durable.index, durable.position)), Ok((2, 2)));
    }

    #[test]
    fn a_lie_is_found_out_by_a_crash_and_made_good_by_a_sync() {
        let (journal, game) = (MemoryJournal::manual(), StreamId::Game("g".into()));
        for (sync, kept) in [(true, 1), (false, 1)] {
            let after = journal.last(&game).expect("read").map_or(0, |(index, _)| index);
            let ticket = journal.append(&game, after, b"1".to_vec());
            journal.lie();
            assert!(ticket.wait().is_ok() && journal.unsynced() == 1);
            if sync {
                journal.sync()
            } else {
                journal.crash()
            }
            assert_eq!(journal.last(&game).expect("read").map_or(0, |(index, _)| index), kept);
        }
    }

    #[test]
    fn an_unknown_write_can_be_there() {
        let (journal, game) = (MemoryJournal::manual(), StreamId::Game("g".into()));
        let tickets = [journal.append(&game, 0, b"1".to_vec()), journal.append(&game, 1, b"2".to_vec())];
        journal.crash_keeping(1);
        for ticket in tickets {
            assert_eq!(ticket.wait(), Err(AppendError::Closed));
        }
        assert_eq!(journal.last(&game).expect("read"), Some((1, frame::hash(b"1"))));
    }

    #[test]
    fn a_failure_is_final_until_a_crash() {
        let (journal, game) = (MemoryJournal::manual(), StreamId::Game("g".into()));
        let waiting = journal.append(&game, 0, b"1".to_vec());
        journal.fail("EIO");
        assert_eq!(waiting.wait(), Err(AppendError::Failed("EIO".into())));
        assert_eq!(journal.append(&game, 0, b"1".to_vec()).wait(), Err(AppendError::Failed("EIO".into())));
        assert_eq!(journal.health(), Health::Failed("EIO".into()));
        journal.crash();
        assert_eq!((journal.health(), journal.streams()), (Health::Ok, Ok(vec![])));
    }

    #[test]
    fn damage_is_named_and_never_short() {
        let (journal, game) = (MemoryJournal::new(), StreamId::Game("g".into()));
        for after in 0..3 {
            assert!(journal.append(&game, after, vec![after as u8; 9]).wait().is_ok());
        }
        assert!(journal.damage(&game, 2));
        assert!(matches!(journal.read(&game, 1, 3), Err(ReadError::Damaged { index: 2, .. })));
        assert_eq!(journal.read(&game, 1, 1).expect("before it").len(), 1);
    }
}
