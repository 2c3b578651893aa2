//! The table of positions met by one search: each kept once, found by hash, compared in full.
//!
//! It is bounded. When it is full the search ends undetermined; nothing is ever forgotten, so that a search which runs
//! dry has seen everything.

use alloc::{vec, vec::Vec};

use super::pack::Packed;

/// Positions a table holds at most; a full one takes about 700 MB.
pub(super) const CAPACITY: usize = 1 << 24;

/// A position met, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) packed: Packed,
    /// The node it was first met from; the root is its own.
    pub(super) parent: u32,
    /// Plies from the root.
    pub(super) depth: u16,
}

/// What a look-up found.
pub(super) enum Met {
    /// For the first time; kept under this number.
    New(u32),
    /// Again.
    Known,
    /// For the first time, but the table is full.
    Full,
}

/// See the module.
pub(super) struct Table {
    nodes: Vec<Node>,
    /// Node number plus one, 0 is free. Its length is a power of two.
    slots: Vec<u32>,
}

impl Table {
    /// An empty table, small: it grows with the search.
    pub(super) fn new() -> Table {
        Table { nodes: Vec::with_capacity(512), slots: vec![0; 1024] }
    }

    /// Looks a position up, and keeps it when it is new.
    pub(super) fn meet(&mut self, packed: Packed, parent: u32, depth: u16) -> Met {
        let mask = self.slots.len() - 1;
        let mut at = packed.hash() as usize & mask;
        while let Some(number) = self.slots[at].checked_sub(1) {
            if self.nodes[number as usize].packed == packed {
                return Met::Known;
            }
            at = (at + 1) & mask;
        }
        if self.nodes.len() >= CAPACITY {
            return Met::Full;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { packed, parent, depth });
        self.slots[at] = number + 1;
        if self.nodes.len() * 2 > self.slots.len() {
            self.widen();
        }
        Met::New(number)
    }

    /// A node by its number.
    pub(super) fn node(&self, number: u32) -> Node {
        self.nodes[number as usize]
    }

    /// The positions from the root to a node, both included.
    pub(super) fn path(&self, number: u32) -> Vec<Packed> {
        let mut path = Vec::new();
        let mut at = number;
        loop {
            let node = self.node(at);
            path.push(node.packed);
            if node.parent == at {
                break;
            }
            at = node.parent;
        }
        path.reverse();
        path
    }

    fn widen(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![0; self.slots.len() * 2];
        for (number, node) in self.nodes.iter().enumerate() {
            let mut at = node.packed.hash() as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = number as u32 + 1;
        }
        self.slots = slots;
    }
}
