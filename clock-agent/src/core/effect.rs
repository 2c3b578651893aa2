//! What the core wants done, as values: whoever runs the core executes them in order.

use flagfall_rules::{
    board::Scan,
    clock::{Colour, Face},
};

use super::directive::{Directive, RejectReason, Stage};
use crate::sense::{Ask, ClaimKind, FaultKind};

/// Something to be done. Effects of one call belong together: their records go to disk in one write, and only then may
/// anything of them be seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Spool this event; the service is told.
    Spool(Draft),
    /// Spool how a directive fared, in the same write as what follows from it.
    Applied(Box<Applied>),
    /// Spool the face of a running clock, so that a loss of power costs at most a second.
    Checkpoint(Checkpoint),
    /// Ask the hardware; not before the records are on disk.
    Ask(Ask),
}

/// An event, not yet encoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its number in the spool, from 1 without gaps.
    pub seq: u64,
    /// When it happened, milliseconds of the device's monotonic clock.
    pub at: u64,
    /// The face just after it.
    pub face: Face,
    /// W3C traceparent that the event continues; empty when it continues none.
    pub traceparent: String,
    /// The game on the clock then; empty when none.
    pub game: String,
    /// What happened.
    pub what: What,
}

/// What can happen at a clock.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The clock was started for the first time.
    Started,
    /// The running side completed a move.
    Press(Colour),
    /// The clock was paused by hand.
    Paused,
    /// The clock was resumed by hand.
    Resumed,
    /// A player wants the arbiter; `None` when there is one button for both.
    Call(Option<Colour>),
    /// A player claims something.
    Claim(Colour, ClaimKind),
    /// The board changed to this.
    Scan(Scan),
    /// The board stands still.
    Quiet {
        /// When it last changed, milliseconds of the device's monotonic clock.
        since: u64,
    },
    /// The device shows a flag.
    Flag(Colour),
    /// How a directive fared.
    Report(Report),
    /// Something is wrong, or right again, with words for the operator.
    Fault(FaultKind, String),
}

/// How a directive fared, as the service is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The directive's id.
    pub id: String,
    /// Its revision.
    pub rev: u64,
    /// How far it has come.
    pub stage: Stage,
    /// Why, when it was rejected or nobody knows.
    pub reason: Option<RejectReason>,
    /// The face before it was applied.
    pub before: Option<Face>,
}

/// What the clock remembers of a directive. It holds the whole directive, so that a clock that lost power between
/// storing and carrying out knows what it was about to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The directive.
    pub directive: Directive,
    /// How far it has come.
    pub stage: Stage,
    /// Why, when it was rejected.
    pub reason: Option<RejectReason>,
    /// When, milliseconds of the device's monotonic clock.
    pub at: u64,
    /// The face before.
    pub before: Face,
    /// The face after; the face wanted while the stage is RECEIVED.
    pub after: Face,
}

/// The face of a clock at an instant between events.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// When, milliseconds of the device's monotonic clock.
    pub at: u64,
    /// The face.
    pub face: Face,
}
