//! The search for a helpmate: best first, over a table that keeps every position once.
//!
//! Both sides help, so this is no game but a way to be found. Several orders take turns: the one that steers to mate, one
//! that values every irreversible step, and plain breadth, so that no order that misjudges a position starves the search.
//! A position after an irreversible move goes through the material test and the structure analysis first; what they
//! exclude is not searched. When nothing is left to expand there is no mate.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use super::{
    guide,
    pack::{Frame, Packed},
    queue::{Bag, Queue},
    score::{self, Ground},
    screen::{self, Screen},
    table::{Met, Table},
};

/// What a search found.
pub(super) enum Found {
    /// A line that ends in mate.
    Mate(Vec<Move>),
    /// Every position that can arise was seen, and none is such a mate.
    Nothing,
    /// The budget or the table ended first.
    Budget,
}

/// Not an order, but its opposite: anything.
const BAG: usize = 5;
/// Whose turn it is among the orders (hunt, work, threat, lair, den, bag) on a board with room to move.
const SPARSE: [u8; 16] = [5, 0, 1, 2, 3, 0, 4, 2, 5, 0, 1, 3, 5, 0, 2, 4];
/// The same on a crowded board, where the king is mated where it stands.
const CROWDED: [u8; 16] = [5, 2, 2, 0, 5, 2, 1, 2, 5, 0, 2, 3, 5, 2, 4, 2];
/// The same for minor men alone, which mate only a king shut in by its own men.
const MINORS: [u8; 16] = [5, 4, 3, 2, 0, 4, 3, 0, 5, 4, 3, 1, 0, 4, 3, 0];

/// A guided line is tried from every so many expanded positions.
const WALK_EVERY: u32 = 64;
const WALK: usize = 32;

/// One question under search.
pub(super) struct Search<'a> {
    winner: Color,
    budget: u64,
    /// Positions looked at: one for each move made, transpositions included.
    pub(super) nodes: u64,
    frame: Frame,
    table: Table,
    queues: [Queue; 5],
    bag: Bag,
    turns: [u8; 16],
    expanded: Vec<u64>,
    screen: Screen,
    ground: Ground,
    go_on: &'a mut dyn FnMut() -> bool,
}

fn turns(position: &Chess, winner: Color) -> [u8; 16] {
    let board = position.board();
    if (board.by_color(winner) & board.rooks_and_queens()).is_empty()
        && (board.by_color(winner) & board.pawns()).count() < 2
    {
        MINORS
    } else if board.occupied().count() > 14 {
        CROWDED
    } else {
        SPARSE
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(position: &Chess, winner: Color, budget: u64, go_on: &'a mut dyn FnMut() -> bool) -> Search<'a> {
        Search {
            winner,
            budget,
            nodes: 0,
            frame: Frame::of(position),
            table: Table::new(),
            queues: core::array::from_fn(|_| Queue::new()),
            bag: Bag::new(),
            turns: turns(position, winner),
            expanded: Vec::new(),
            screen: Screen::new(winner),
            ground: screen::ground(position, winner),
            go_on,
        }
    }

    /// Searches from a position that is neither mate nor excluded.
    pub(super) fn run(&mut self, root: &Chess) -> Found {
        if let Met::New(number) = self.table.meet(self.frame.pack(root), 0, 0) {
            self.enqueue(number, root, 0);
        }
        let mut turn = 0;
        let mut complete = true;
        let mut rounds = 0;
        while let Some(number) = self.next(&mut turn) {
            rounds += 1;
            let node = self.table.node(number);
            let Some(position) = self.frame.unpack(&node.packed) else {
                complete = false;
                continue;
            };
            if rounds % WALK_EVERY == 0
                && let Some(rest) = guide::walk(&position, self.winner, WALK, rounds / WALK_EVERY, &mut self.nodes)
            {
                let mut line = self.line(root, number);
                line.extend(rest);
                return Found::Mate(line);
            }
            for m in position.legal_moves() {
                if self.nodes >= self.budget || (self.nodes % 4096 == 4095 && !(self.go_on)()) {
                    return Found::Budget;
                }
                self.nodes += 1;
                let mut child = position.clone();
                child.play_unchecked(m);
                if child.turn() != self.winner && child.is_checkmate() {
                    let mut line = self.line(root, number);
                    line.push(m);
                    return Found::Mate(line);
                }
                match self.table.meet(self.frame.pack(&child), number, node.depth.saturating_add(1)) {
                    Met::Known => {}
                    Met::Full => return Found::Budget,
                    Met::New(fresh) => {
                        if !(m.is_zeroing() && self.screen.excludes(&child)) {
                            self.enqueue(fresh, &child, node.depth.saturating_add(1));
                        }
                    }
                }
            }
        }
        if complete { Found::Nothing } else { Found::Budget }
    }

    fn enqueue(&mut self, number: u32, position: &Chess, depth: u16) {
        let outlook = score::outlook(position, self.winner, self.ground);
        let depth = u32::from(depth);
        self.queues[0].push(outlook.hunt * 8 + depth, number);
        self.queues[1].push(outlook.work * 8 + depth, number);
        self.queues[2].push(outlook.threat * 8 + depth, number);
        self.queues[3].push(outlook.lair * 8 + depth, number);
        self.queues[4].push(outlook.den * 8 + depth, number);
        self.bag.push(depth.min(63) * 16 + outlook.threat.min(15), number);
    }

    /// The next node to expand: the orders take turns, the first of them most often.
    fn next(&mut self, turn: &mut usize) -> Option<u32> {
        loop {
            *turn = (*turn + 1) % 16;
            let order = usize::from(self.turns[*turn]);
            let number = if order < BAG { self.queues[order].pop()? } else { self.bag.pop()? };
            let (word, mask) = (number as usize / 64, 1 << (number % 64));
            if self.expanded.len() <= word {
                self.expanded.resize(word + 64, 0);
            }
            if self.expanded[word] & mask == 0 {
                self.expanded[word] |= mask;
                return Some(number);
            }
        }
    }

    /// The moves from the root to a node.
    fn line(&self, root: &Chess, number: u32) -> Vec<Move> {
        let path: Vec<Packed> = self.table.path(number);
        let mut line = Vec::with_capacity(path.len());
        let mut position = root.clone();
        for next in path.iter().skip(1) {
            let step = position.legal_moves().into_iter().find_map(|m| {
                let mut child = position.clone();
                child.play_unchecked(m);
                (self.frame.pack(&child) == *next).then_some((m, child))
            });
            let Some((m, child)) = step else { break };
            line.push(m);
            position = child;
        }
        line
    }
}
