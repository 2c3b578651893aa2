//! What leaves a game: an entry for the disk, and once it is there what the service says.

use flagfall_proto::{clock::v1, desk::v1::GameSnapshot};
use flagfall_rules::game::Event;
use tokio::sync::mpsc;

use super::handle::ToSession;
use crate::{journal::Ticket, trail::Trail};

/// A session to be told, and the last of its events in an entry.
pub(super) struct Ack {
    pub(super) session: mpsc::Sender<ToSession>,
    pub(super) seq: u64,
}

/// An entry on its way to the disk, and what leaves the service once it is there.
pub(super) struct Leaving {
    pub(super) ticket: Ticket,
    pub(super) index: u64,
    pub(super) ack: Option<Ack>,
    pub(super) desired_rev: u64,
    pub(super) directives: Vec<v1::Directive>,
    pub(super) events: Vec<Event>,
    /// The game after its first entry.
    pub(super) first: Option<Box<GameSnapshot>>,
    /// The game needs its clock no more, or not for now.
    pub(super) free: bool,
    /// What became of the input so far; `None` for scans that were only held.
    pub(super) trail: Option<Box<Trail>>,
}

/// What became of an input.
pub(super) enum Outcome {
    /// It waits for the next one.
    Held,
    /// It is on its way to the disk, after what was held before it.
    Entry(Box<Leaving>),
}
