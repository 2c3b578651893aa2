//! The whole system in a simulated world: the real service and the real agents on a simulated network, with disks that
//! forget what was not synced, clocks that drift, arbiters who click twice, and everything that can break breaking.
//!
//! ```text
//!   table: players, board, physical clock ── senses, asks ──▶ pi: agent on a card ──┐
//!                                                                                   │ turmoil
//!   arbiter-1, arbiter-2 ──────────────────────────────────── desk ─────────────────┤
//!                                                                                   ▼
//!   oracle ◀── journal, what clocks and desks were told ──────────── server on a disk
//! ```
//!
//! One thread, one seed: the same seed gives the same [trace](Trace), byte for byte. After every step the oracle checks what
//! must always hold; in the end everything is mended and must recover.

mod arbiter;
mod card;
mod deed;
mod dial;
mod disk;
mod fault;
mod hall;
mod ledger;
mod mutation;
mod net;
mod oracle;
mod pi;
#[cfg(test)]
mod rows;
mod script;
mod server;
pub mod sweep;
mod table;
mod trace;
mod world;

use serde::Serialize;

pub use self::{
    fault::{Fault, Way},
    mutation::Mutation,
    trace::Trace,
    world::run,
};

/// What world it is.
#[derive(Clone, Debug)]
pub struct Options {
    /// Everything by chance follows from it.
    pub seed: u64,
    /// How many tables there are.
    pub tables: usize,
    /// A second clock claims the first board.
    pub rival: bool,
    /// Things go wrong.
    pub faults: bool,
    /// For how long, milliseconds.
    pub chaos_ms: u64,
    /// A defect put in on purpose.
    pub mutation: Option<Mutation>,
}

impl Options {
    /// The world of a seed as it is searched.
    #[must_use]
    pub fn of(seed: u64) -> Options {
        Options { seed, tables: 3, rival: seed.is_multiple_of(3), faults: true, chaos_ms: 60_000, mutation: None }
    }
}

/// What became of a world.
#[derive(Clone, Serialize)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// What was wrong; absent when nothing was.
    pub wrong: Option<String>,
    /// Entries in the journal.
    pub entries: u64,
    /// Events of clocks in it.
    pub events: usize,
    /// How long it lived, milliseconds.
    pub simulated_ms: u64,
    /// Steps in its trace.
    pub steps: u64,
    /// What happened.
    #[serde(skip)]
    pub trace: Trace,
}
