//! The games of a round as PGN, for everybody.
//!
//! ```text
//!   GET /broadcast/EVENT/round-3.pgn      every board, in their order
//!   GET /broadcast/EVENT/round-3/7.pgn    one
//!
//!   journal ─▶ Follow: a game's entries, folded as far as the delay allows ─┐
//!   book of events: players, boards, results ──────────────────────────────┴─▶ tags, score ─▶ pgn
//! ```
//!
//! What is shown is the surviving score as the journal has it: a corrected move takes the place of the wrong one, with a comment that says
//! from which move on. Nothing of a case that the arbiter has not decided is shown. Order and ids are those of the boards. No name of a
//! player is part of an address.

mod board;
mod follow;
pub mod pgn;
mod router;

pub use router::router;
