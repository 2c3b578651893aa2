//! A queue by small whole priorities: lowest first, and first come first served among equals.

use alloc::{collections::VecDeque, vec::Vec};

/// See the module.
pub(super) struct Queue {
    buckets: Vec<VecDeque<u32>>,
    lowest: usize,
}

impl Queue {
    /// The highest priority told apart.
    const WORST: usize = 1023;

    pub(super) fn new() -> Queue {
        Queue { buckets: Vec::new(), lowest: 0 }
    }

    /// Puts an item in.
    pub(super) fn push(&mut self, priority: u32, item: u32) {
        let at = (priority as usize).min(Queue::WORST);
        if self.buckets.len() <= at {
            self.buckets.resize_with(at + 1, VecDeque::new);
        }
        self.buckets[at].push_back(item);
        self.lowest = self.lowest.min(at);
    }

    /// Takes the best item out.
    pub(super) fn pop(&mut self) -> Option<u32> {
        while self.lowest < self.buckets.len() {
            if let Some(item) = self.buckets[self.lowest].pop_back() {
                return Some(item);
            }
            self.lowest += 1;
        }
        None
    }
}

/// A bag that is asked for anything, and gives each kind of item an equal chance: what an order neglects turns up here.
/// The chance is arithmetic, so that the same question is searched in the same way every time.
pub(super) struct Bag {
    kinds: Vec<Vec<u32>>,
    filled: Vec<u32>,
    chance: u64,
}

impl Bag {
    pub(super) fn new() -> Bag {
        Bag { kinds: Vec::new(), filled: Vec::new(), chance: 0x9e37_79b9_7f4a_7c15 }
    }

    /// Puts an item in.
    pub(super) fn push(&mut self, kind: u32, item: u32) {
        let at = kind as usize;
        if self.kinds.len() <= at {
            self.kinds.resize_with(at + 1, Vec::new);
        }
        if self.kinds[at].is_empty() {
            self.filled.push(kind);
        }
        self.kinds[at].push(item);
    }

    /// Takes some item out.
    pub(super) fn pop(&mut self) -> Option<u32> {
        if self.filled.is_empty() {
            return None;
        }
        let which = self.draw(self.filled.len());
        let kind = self.filled[which] as usize;
        let item = self.draw(self.kinds[kind].len());
        let item = self.kinds[kind].swap_remove(item);
        if self.kinds[kind].is_empty() {
            self.filled.swap_remove(which);
        }
        Some(item)
    }

    fn draw(&mut self, below: usize) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance % below as u64) as usize
    }
}
