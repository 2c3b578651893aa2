//! What a database holds, counted once when it is opened.

use std::collections::BTreeMap;

use super::{OpenError, Store};
use crate::journal::{
    StreamId, frame,
    keys::{self, Key},
    shelf::Place,
};

/// Where the streams end, and how many entries there are.
#[derive(Default)]
pub(super) struct Census {
    /// The last entry of each stream that has one in the tree.
    pub(super) ends: BTreeMap<StreamId, u64>,
    /// How many entries of a stream lie on the shelf.
    laid: BTreeMap<StreamId, u64>,
    /// How many there are, in the tree and on the shelf.
    pub(super) entries: u64,
    /// How many are not there though a later one of the stream is.
    pub(super) gaps: u64,
    /// The highest position of any.
    pub(super) highest: u64,
    /// The stream whose keys are passing: the first and the last of them, and how many.
    passing: Option<(StreamId, u64, u64, u64)>,
    begins: BTreeMap<StreamId, (u64, u64)>,
}

impl Store {
    /// Reads everything once. A damaged value is counted: reading its stream will name it.
    pub(super) fn census(&self) -> Result<Census, OpenError> {
        let mut census = Census::default();
        let mut unknown = None;
        let walked = self.each(|key, value| {
            match keys::parse(key) {
                Ok(Key::Entry(stream, index)) => census.entry(stream, index, value),
                Ok(Key::Shelf(stream)) => census.place(stream, value),
                Err(error) => unknown = Some(error),
            }
            unknown.is_none()
        });
        let dir = self.dir().to_owned();
        match (walked, unknown) {
            (Ok(()), None) => Ok(census.counted()),
            (Ok(()), Some(source)) => Err(OpenError::UnknownKey { dir, source }),
            (Err(reason), _) => Err(OpenError::Damaged { dir, reason }),
        }
    }
}

impl Census {
    fn entry(&mut self, stream: StreamId, index: u64, value: &[u8]) {
        self.highest = self.highest.max(frame::unframe(value).map_or(0, |(position, _)| position));
        match &mut self.passing {
            Some((passing, _, last, count)) if *passing == stream => (*last, *count) = (index, *count + 1),
            _ => {
                self.passed();
                self.passing = Some((stream, index, index, 1));
            }
        }
    }

    fn passed(&mut self) {
        if let Some((stream, first, last, count)) = self.passing.take() {
            self.begins.insert(stream.clone(), (first, count));
            self.ends.insert(stream, last);
        }
    }

    /// A place that cannot be read makes the stream look shorter than it was, which the mark notices.
    fn place(&mut self, stream: StreamId, value: &[u8]) {
        if let Ok(place) = Place::parse(value) {
            self.highest = self.highest.max(place.position);
            self.laid.insert(stream, place.entries);
        }
    }

    /// All keys have passed.
    fn counted(mut self) -> Census {
        self.passed();
        self.entries = self.laid.values().sum();
        for (stream, (first, count)) in &self.begins {
            let laid = self.laid.get(stream).copied().unwrap_or(0);
            let last = self.ends.get(stream).copied().unwrap_or(0);
            // What the shelf has too is counted once.
            let twice = (laid + 1).saturating_sub(*first).min(*count);
            self.entries += count - twice;
            self.gaps += last.saturating_sub(laid).saturating_sub(count - twice);
        }
        self
    }

    /// The last entry of a stream, wherever it is; 0 for none.
    pub(super) fn end(&self, stream: &StreamId) -> u64 {
        let of = |ends: &BTreeMap<StreamId, u64>| ends.get(stream).copied().unwrap_or(0);
        of(&self.ends).max(of(&self.laid))
    }
}
