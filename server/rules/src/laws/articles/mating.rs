//! Can this side still mate by any series of legal moves?

use shakmaty::{Chess, Position};

use crate::clock::Colour;

/// Whether `side` could mate from `position` by any series of legal moves.
///
/// Decided by material alone: a lone king, and king with one minor piece where the other side has nothing to help with,
/// cannot. That errs on the side of "can" in blocked positions; it never says "cannot" of a side that can.
#[must_use]
pub fn can_mate(position: &Chess, side: Colour) -> bool {
    !position.has_insufficient_material(side.into())
}
