//! What was sent to the clock, and how far it has come.

use super::event::{Directive, RejectReason, Stage};
use crate::clock::Face;

/// A directive with how far it has come.
///
/// ```text
///   Sent ─┬─▶ Received ─┬─▶ Applied
///         │     │       ├─▶ Rejected(reason)            by the clock; EXPIRED and SUPERSEDED among them
///         │     │       └─▶ Unknown(reason)             the clock itself cannot tell
///         └─────┴─ patience ends ─▶ Unknown ─▶ any last word, when it comes after all
/// ```
///
/// The first last word stays. What a clock that lost the game was told stays without one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// What was sent.
    pub directive: Directive,
    /// How far.
    pub stage: Stage,
    /// Why, when rejected, or unknown for good.
    pub reason: Option<RejectReason>,
    /// The face before it was applied.
    pub before: Option<Face>,
    /// The face after.
    pub after: Option<Face>,
    /// How many plies were pressed before it was carried out, or issued as long as nobody knows of that.
    pub plies: u32,
    /// Moves of each player, White's first, that the record lacks, where this puts the counters right.
    pub lacks: [Option<i64>; 2],
}

impl Sent {
    /// The clock has not done it, since something else came first: what it gives is on no clock.
    #[must_use]
    pub const fn is_void(&self) -> bool {
        use RejectReason::{Expired, Overtaken, Revision, Superseded};
        let late = matches!(self.reason, Some(Revision | Overtaken | Expired | Superseded));
        matches!(self.stage, Stage::Rejected) && late
    }

    /// There is a last word on it: no other can follow, and it is not sent again.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        match self.stage {
            Stage::Applied | Stage::Rejected => true,
            Stage::Unknown => self.reason.is_some(),
            Stage::Sent | Stage::Received => false,
        }
    }
}
