//! Small containers that copy without an allocation and have one form for one content, as every state is copied and hashed.

use std::fmt;

/// The most events a spool may have in the model.
pub const SEQ_MAX: u8 = 15;

/// A short queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fifo<T, const N: usize> {
    len: u8,
    items: [T; N],
}

impl<T: Copy + Default, const N: usize> Default for Fifo<T, N> {
    fn default() -> Self {
        Fifo { len: 0, items: [T::default(); N] }
    }
}

impl<T: Copy + Default + PartialEq, const N: usize> Fifo<T, N> {
    /// The items, the first in front.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }

    /// How many more fit.
    #[must_use]
    pub fn room(&self) -> usize {
        N - usize::from(self.len)
    }

    /// Nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The item in front.
    #[must_use]
    pub fn first(&self) -> Option<T> {
        self.items().first().copied()
    }

    /// Puts an item at the end.
    ///
    /// # Panics
    /// There is no room: who pushes has asked before.
    pub fn push(&mut self, item: T) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    /// Puts an item at the end, in the place of the last one when `replaces` says so.
    pub fn push_or_replace(&mut self, item: T, replaces: impl Fn(T) -> bool) {
        match self.items().last().copied() {
            Some(last) if replaces(last) => self.items[usize::from(self.len) - 1] = item,
            _ => self.push(item),
        }
    }

    /// Takes the item in front.
    pub fn pop(&mut self) -> Option<T> {
        let first = self.first()?;
        self.items.copy_within(1..usize::from(self.len), 0);
        self.len -= 1;
        self.items[usize::from(self.len)] = T::default();
        Some(first)
    }

    /// Puts the item in front twice.
    pub fn repeat_first(&mut self) {
        if let Some(first) = self.first() {
            self.items.copy_within(0..usize::from(self.len), 1);
            self.items[0] = first;
            self.len += 1;
        }
    }

    /// Exchanges the first two.
    pub fn swap_first(&mut self) {
        self.items.swap(0, 1);
    }

    /// Throws everything away.
    pub fn clear(&mut self) {
        *self = Fifo::default();
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Fifo<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items[..usize::from(self.len)]).finish()
    }
}

/// How far a directive has come, in the words of the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Issued by the service.
    #[default]
    Sent,
    /// On the clock's disk.
    Received,
    /// Carried out.
    Applied,
    /// Not carried out, and never will be.
    Rejected,
    /// No word within the service's patience.
    Unknown,
    /// The clock itself cannot tell: UNKNOWN with a reason.
    Untold,
}

impl Stage {
    /// Nothing more is expected of it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Stage::Applied | Stage::Rejected | Stage::Untold)
    }

    /// The service waits for a word, and its patience is not yet at an end.
    #[must_use]
    pub const fn is_awaited(self) -> bool {
        matches!(self, Stage::Sent | Stage::Received)
    }
}

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// A press; each has a number of its own, so that no two events look alike.
    Press(u8),
    /// A report on the directive with this revision.
    Report(u8, Stage),
}

impl Default for What {
    fn default() -> What {
        What::Press(0)
    }
}

const STAGES: [Stage; 4] = [Stage::Received, Stage::Applied, Stage::Rejected, Stage::Untold];

impl What {
    fn code(self) -> u64 {
        match self {
            What::Press(number) => u64::from(number),
            What::Report(rev, stage) => {
                let stage = STAGES.iter().position(|&known| known == stage).unwrap_or(0);
                4 * u64::from(rev) + stage as u64
            }
        }
    }

    fn of(code: u64) -> What {
        match code {
            0..4 => What::Press(code as u8),
            _ => What::Report((code / 4) as u8, STAGES[(code % 4) as usize]),
        }
    }
}

/// The events of a spool from number 1 on, four bits each. Its bits are its own chain hash, one that never collides.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Log {
    len: u8,
    bits: u64,
}

impl Log {
    /// The last number; 0 when it is empty.
    #[must_use]
    pub const fn len(self) -> u8 {
        self.len
    }

    /// Nothing is in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Adds an event.
    ///
    /// # Panics
    /// There is no room: the bounds are too wide for the model's arrays.
    pub fn push(&mut self, what: What) {
        assert!(self.len < SEQ_MAX, "a spool of the model has no room for another event: narrow the bounds");
        self.bits |= what.code() << (4 * u32::from(self.len));
        self.len += 1;
    }

    /// The event with a number.
    #[must_use]
    pub fn get(self, seq: u8) -> Option<What> {
        (1..=self.len).contains(&seq).then(|| What::of(self.bits >> (4 * u32::from(seq - 1)) & 15))
    }

    /// What chains the event after this number to all before it.
    #[must_use]
    pub const fn chain(self, through: u8) -> u64 {
        self.bits & ((1 << (4 * through as u32)) - 1)
    }

    /// Forgets all after a number.
    pub fn truncate(&mut self, through: u8) {
        (self.len, self.bits) = (through, self.chain(through));
    }

    /// The events with their numbers.
    pub fn events(self) -> impl Iterator<Item = (u8, What)> {
        (1..=self.len).filter_map(move |seq| Some((seq, self.get(seq)?)))
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.events().map(|(_, what)| what)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gives_back_what_was_put_into_it() {
        let all = [What::Press(0), What::Press(3), What::Report(1, Stage::Applied), What::Report(3, Stage::Rejected)];
        let mut log = Log::default();
        all.into_iter().for_each(|what| log.push(what));
        assert_eq!(log.events().map(|(_, what)| what).collect::<Vec<_>>(), all);
        assert_eq!((log.get(0), log.get(5)), (None, None));
        let mut shorter = log;
        shorter.truncate(2);
        assert_eq!(shorter.chain(2), log.chain(2));
        shorter.push(What::Press(1));
        assert_ne!(shorter.chain(3), log.chain(3));
    }

    #[test]
    fn queues_of_one_content_are_equal() {
        let mut a = Fifo::<u8, 3>::default();
        a.push(7);
        a.push(8);
        assert_eq!(a.pop(), Some(7));
        let mut b = Fifo::default();
        b.push(8);
        assert_eq!(a, b);
        b.repeat_first();
        assert_eq!((b.items(), b.room()), (&[8, 8][..], 1));
    }
}
