//! A game as it is followed: what comes in ([`input`]), what follows from it ([`event`]), what is known ([`state`]).
//!
//! ```text
//!   Input ── decide(edition, &game, &input) ──▶ events ── evolve(&mut game, &event) ──▶ game
//!
//!   a case:   Found ──▶ Issued(Stop) ──▶ Staged(APPLIED, face) ──▶ fixed:      Ruled ──▶ Issued(Set | Conclude)
//!                                                             └─▶ discretion: Proposed ──▶ desk decides ──▶ Ruled …
//! ```
//!
//! `decide` is pure and may refuse; `evolve` is total and only records. Corrections are new events; nothing is rewritten.

mod case;
mod decide;
mod desk;
mod device;
pub mod event;
mod evolve;
mod follow;
pub mod input;
pub mod score;
pub mod state;

pub use decide::{Refusal, decide};
pub use event::{
    About, Act, Alarm, Article, Directive, Ending, Event, Evidence, Finding, Irregularity, Outcome, Proposal, Question,
    RejectReason, Remedy, Ruling, Setup, Stage, Words,
};
pub use evolve::evolve;
pub use input::{Claim, DeskAct, DeskInput, DeviceAct, DeviceInput, Fault, Input, Report, ServiceAct};
pub use score::{Ply, Uci};
pub use state::{Case, CasePhase, Game, Sent};
