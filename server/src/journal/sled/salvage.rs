//! What can be read when the database cannot: the games on the shelf. Nothing is written.

use std::path::Path;

use crate::journal::{
    AppendError, Health, Journal, ReadError, Stored, StreamId, Ticket,
    shelf::{Shelf, has_file},
    wanted,
};

/// A journal whose database does not open. Its finished games can be read, as far as their files are whole; every append fails
/// with the reason.
pub struct Salvage {
    shelf: Shelf,
    reason: String,
}

impl Salvage {
    /// What is left in a directory that was not opened for this reason.
    #[must_use]
    pub fn of(dir: &Path, reason: String) -> Salvage {
        Salvage { shelf: Shelf::new(dir, None, false), reason }
    }

    fn whole(&self, stream: &StreamId) -> (Vec<Stored>, Option<ReadError>) {
        if has_file(stream) {
            return self.shelf.salvage(stream);
        }
        let failed = ReadError::Failed { stream: stream.clone(), reason: self.reason.clone() };
        (Vec::new(), Some(failed))
    }
}

impl Journal for Salvage {
    fn append(&self, _: &StreamId, _: u64, _: Vec<u8>) -> Ticket {
        Ticket::refused(AppendError::Failed(self.reason.clone()))
    }

    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError> {
        let (entries, error) = self.whole(stream);
        let range = wanted(from, max, u64::MAX - 1);
        let read: Vec<_> = entries.into_iter().filter(|entry| range.contains(&entry.index)).collect();
        match error {
            Some(error) if (read.len() as u64) < range.end - range.start => Err(error),
            _ => Ok(read),
        }
    }

    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError> {
        match self.whole(stream) {
            (_, Some(error)) => Err(error),
            (entries, None) => Ok(entries.last().map(|entry| (entry.index, entry.hash))),
        }
    }

    fn streams(&self) -> Result<Vec<StreamId>, ReadError> {
        Ok(self.shelf.games())
    }

    fn health(&self) -> Health {
        Health::Failed(self.reason.clone())
    }

    fn shut(&self) -> Option<String> {
        Some(self.reason.clone())
    }

    fn shelved(&self) -> Result<Vec<(StreamId, Vec<u8>)>, ReadError> {
        Ok(self.shelf.games().into_iter().map(|game| (game, Vec::new())).collect())
    }
}
