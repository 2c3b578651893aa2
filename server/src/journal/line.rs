//! The line before the disk, shared by all backends: who is admitted, in which order, and who is told what.
//!
//! ```text
//!            admit                take                    settle
//!   append ────────▶ waiting ───────────▶ a batch, written ────────▶ durable, tickets answered in order
//!               └──▶ refused (waits in the same line: what it was told is durable when it hears it)
//! ```

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use tokio::sync::oneshot;

use super::{
    AppendError, Batch, Durable, ENTRY_MAX, Health, NAME_MAX, Short, StreamId, Ticket, shelf::Place, sled::End,
};

/// The most entries that wait in memory: a stalled disk must not become a full memory.
const WAITING_MAX: usize = 65_536;
/// The most bytes that wait in memory.
const WAITING_BYTES_MAX: usize = 64 << 20;

/// An admitted entry.
#[derive(Clone)]
pub(super) struct Write {
    pub(super) stream: Arc<StreamId>,
    pub(super) index: u64,
    pub(super) position: u64,
    pub(super) entry: Vec<u8>,
}

/// Somebody who waits for an answer, and what it will be if the disk agrees.
pub(super) struct Waiting {
    pub(super) asked: Result<Write, AppendError>,
    answer: oneshot::Sender<Result<Durable, AppendError>>,
}

impl Waiting {
    /// Answers; the caller has made sure that the entry is durable. A caller that no longer listens is no error.
    pub(super) fn answer(self, batch: Batch) {
        let durable = self.asked.map(|write| Durable { index: write.index, position: write.position, batch });
        self.answer.send(durable).ok();
    }

    /// Answers that it is not known whether the entry was written.
    pub(super) fn refuse(self, error: AppendError) {
        self.answer.send(Err(error)).ok();
    }
}

/// What of a batch is to be written, in order.
pub(super) fn writes(batch: &[Waiting]) -> impl Iterator<Item = &Write> {
    batch.iter().filter_map(|waiting| waiting.asked.as_ref().ok())
}

/// The ends of one stream; both are indices of entries, 0 before the first.
#[derive(Clone, Copy, Default)]
struct Ends {
    /// What the next append must know.
    admitted: u64,
    /// What may be read.
    durable: u64,
}

enum State {
    Open,
    Closed,
    Failed(String),
}

/// A stream that goes to the shelf: its file is on disk, and the tree is to hear of it.
pub(super) struct Shelving {
    pub(super) stream: StreamId,
    pub(super) place: Place,
    /// The first of its entries that is in the tree.
    pub(super) from: u64,
    pub(super) answer: oneshot::Sender<Result<(), AppendError>>,
}

/// Everything that is known of the journal in memory.
pub(super) struct Line {
    /// Names are shared: whoever looks at all of them holds up those who append for as short as can be.
    ends: HashMap<Arc<StreamId>, Ends>,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    shelving: VecDeque<Shelving>,
    /// The last position given, and the last that is durable.
    admitted: u64,
    durable: u64,
    /// The last entry that streams once had which are shorter now.
    had: BTreeMap<StreamId, u64>,
    state: State,
}

impl Line {
    /// A line before a store that already holds streams up to these indices, and positions up to this one.
    pub(super) fn new(ends: BTreeMap<StreamId, u64>, position: u64, short: Vec<Short>) -> Line {
        let had = short.into_iter().map(|short| (short.stream, short.had)).collect();
        let ends =
            ends.into_iter().map(|(stream, end)| (Arc::new(stream), Ends { admitted: end, durable: end })).collect();
        let (waiting, shelving) = (VecDeque::new(), VecDeque::new());
        let (admitted, durable) = (position, position);
        Line { ends, waiting, waiting_bytes: 0, shelving, admitted, durable, had, state: State::Open }
    }

    /// Puts an entry into the line, or its refusal.
    pub(super) fn admit(&mut self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket {
        let (answer, ticket) = Ticket::pair();
        let refusal = match &self.state {
            State::Failed(reason) => Some(AppendError::Failed(reason.clone())),
            State::Closed => Some(AppendError::Closed),
            State::Open
                if self.waiting.len() >= WAITING_MAX || self.waiting_bytes + entry.len() > WAITING_BYTES_MAX =>
            {
                Some(AppendError::Full { stream: stream.clone() })
            }
            State::Open => None,
        };
        // These say nothing about the stream, so they need not wait their turn.
        if let Some(refusal) = refusal {
            Waiting { asked: Err(refusal), answer }.answer(Batch::default());
            return ticket;
        }
        let asked = self.judge(stream, after, entry);
        if let Ok(write) = &asked {
            self.waiting_bytes += write.entry.len();
        }
        self.waiting.push_back(Waiting { asked, answer });
        ticket
    }

    fn judge(&mut self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Result<Write, AppendError> {
        let too_large = |bytes, max| Err(AppendError::TooLarge { stream: stream.clone(), bytes, max });
        if entry.len() > ENTRY_MAX {
            return too_large(entry.len(), ENTRY_MAX);
        }
        if stream.name().len() > NAME_MAX {
            return too_large(stream.name().len(), NAME_MAX);
        }
        let known = self.ends.get_key_value(stream);
        let actual = known.map_or(0, |(_, ends)| ends.admitted);
        if actual != after {
            return Err(AppendError::Conflict { stream: stream.clone(), expected: after, actual });
        }
        let stream = known.map_or_else(|| Arc::new(stream.clone()), |(stream, _)| Arc::clone(stream));
        let index = actual + 1;
        self.admitted += 1;
        self.ends.entry(Arc::clone(&stream)).or_default().admitted = index;
        Ok(Write { stream, index, position: self.admitted, entry })
    }

    /// Takes in where a stream ends that was not spoken of because all of it lies on the shelf.
    pub(super) fn learn(&mut self, stream: &StreamId, end: u64) {
        self.ends.entry(Arc::new(stream.clone())).or_insert(Ends { admitted: end, durable: end });
    }

    /// Puts a stream that goes to the shelf into the line.
    pub(super) fn shelve(&mut self, shelving: Shelving) {
        match self.health() {
            Health::Ok => self.shelving.push_back(shelving),
            Health::Failed(reason) => drop(shelving.answer.send(Err(AppendError::Failed(reason)))),
        }
    }

    /// The next stream that goes to the shelf.
    pub(super) fn take_shelving(&mut self) -> Option<Shelving> {
        self.shelving.pop_front()
    }

    /// A stream is on the shelf up to this entry. When that is all of it, it needs not be spoken of any more.
    pub(super) fn laid(&mut self, stream: &StreamId, entries: u64) {
        if self.ends.get(stream).is_some_and(|ends| ends.admitted == entries) {
            self.ends.remove(stream);
        }
    }

    /// Takes the next batch off the line: at most so many waiting, and entries of about so many bytes, but at least one.
    pub(super) fn take(&mut self, count: usize, bytes: usize) -> Vec<Waiting> {
        let (mut batch, mut sum) = (Vec::new(), 0);
        while batch.len() < count && sum < bytes {
            let Some(waiting) = self.waiting.pop_front() else { break };
            sum += waiting.asked.as_ref().map_or(0, |write| write.entry.len());
            batch.push(waiting);
        }
        self.waiting_bytes -= sum;
        batch
    }

    /// A batch has become durable: up to which position all is now. The tickets are answered by the caller, outside the lock.
    pub(super) fn settle(&mut self, batch: &[Waiting]) -> u64 {
        writes(batch).for_each(|write| self.is_durable(write));
        self.durable
    }

    /// A write has become durable.
    pub(super) fn is_durable(&mut self, write: &Write) {
        self.durable = self.durable.max(write.position);
        if let Some(ends) = self.ends.get_mut(&write.stream) {
            ends.durable = write.index;
        }
    }

    /// Nothing more is admitted; what waits is still written.
    pub(super) fn close(&mut self) {
        if matches!(self.state, State::Open) {
            self.state = State::Closed;
        }
    }

    /// Nothing is written any more. Returns all who wait; the first reason stays.
    pub(super) fn fail(&mut self, reason: String) -> Vec<Waiting> {
        if !matches!(self.state, State::Failed(_)) {
            self.state = State::Failed(reason);
        }
        self.waiting_bytes = 0;
        // Dropped: who waits hears that it is not known.
        self.shelving.clear();
        self.waiting.drain(..).collect()
    }

    /// Forgets all that is not durable, as a crash does, and goes on from there: for simulations. Tickets say `Closed`.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
        self.waiting_bytes = 0;
        self.ends.retain(|_, ends| ends.durable > 0);
        self.ends.values_mut().for_each(|ends| ends.admitted = ends.durable);
        self.admitted = self.ends.values().map(|ends| ends.durable).sum();
        self.durable = self.admitted;
        self.state = State::Open;
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Nothing more is admitted.
    pub(super) fn is_closed(&self) -> bool {
        !matches!(self.state, State::Open)
    }

    /// Index of the last durable entry of a stream, 0 for none; `None` when the line was never told of it.
    pub(super) fn durable(&self, stream: &StreamId) -> Option<u64> {
        self.ends.get(stream).map(|ends| ends.durable)
    }

    /// Every stream that has a durable entry, in any order.
    pub(super) fn streams(&self) -> impl Iterator<Item = StreamId> {
        let known = self.ends.iter().filter(|(_, ends)| ends.durable > 0);
        known.map(|(stream, _)| (**stream).clone())
    }

    /// The streams that are shorter than they once were.
    pub(super) fn short(&self) -> Vec<Short> {
        let short = self.had.iter().map(|(stream, &had)| {
            let has = self.durable(stream).unwrap_or(0);
            Short { stream: stream.clone(), had, has }
        });
        short.filter(|short| short.has < short.had).collect()
    }

    /// A stream is believed as it is.
    pub(super) fn release(&mut self, stream: &StreamId) {
        self.had.remove(stream);
    }

    /// The last position that is durable, and with it where the streams of the tree end and what those once had that are shorter now.
    pub(super) fn ends(&self) -> (u64, Vec<(Arc<StreamId>, End)>) {
        let end = |(stream, ends): (&Arc<StreamId>, &Ends)| {
            let had = self.had.get(&**stream).copied().unwrap_or(0).max(ends.durable);
            (Arc::clone(stream), End { has: ends.durable, had })
        };
        let known = self.ends.iter().filter(|(_, ends)| ends.durable > 0).map(end);
        // One of which nothing is left is still missed.
        let gone = self.had.iter().filter(|(stream, _)| !self.ends.contains_key(*stream));
        (
            self.durable,
            known.chain(gone.map(|(stream, &had)| (Arc::new(stream.clone()), End { has: 0, had }))).collect(),
        )
    }

    /// Whether entries are still taken.
    pub(super) fn health(&self) -> Health {
        match &self.state {
            State::Open => Health::Ok,
            State::Closed => Health::Failed("closed".to_owned()),
            State::Failed(reason) => Health::Failed(reason.clone()),
        }
    }
}
