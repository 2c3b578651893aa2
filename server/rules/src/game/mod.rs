//! A game as it is followed: what comes in ([`input`]), what follows from it ([`event`]), what is known ([`state`]).
//!
//! ```text
//!   Input ── decide(edition, &game, &input) ──▶ events ── evolve(&mut game, &event) ──▶ game
//!
//!   a case:   Found ──▶ Issued(Stop) ──▶ Staged(APPLIED, face) ──▶ fixed:      Ruled ──▶ Issued(Set | Conclude)
//!                                                             └─▶ discretion: Proposed ──▶ desk decides ──▶ Ruled …
//!   one that stops nothing, for the desk alone:
//!             Found ──▶ Proposed ──▶ Chosen, by who may ──▶ Issued(Stop) ──▶ Staged ──▶ Ruled ──▶ Issued(Set | Conclude)
//!                                └─▶ left alone, or its window shut ───────────────────▶ Ruled
//!   and left alone by the arbiter the opponent can still claim it: Found once more ──▶ Chosen …
//! ```
//!
//! `decide` is pure and may refuse; `evolve` is total and only records. Corrections are new events; nothing is rewritten.

mod adjourned;
mod adrift;
mod base;
mod begins;
mod by_hand;
mod case;
mod claim;
mod count;
mod decide;
mod desk;
mod device;
mod ends;
pub mod event;
mod evolve;
mod follow;
mod given;
pub mod input;
pub mod irregularity;
mod leapt;
mod meanwhile;
mod moved;
mod notice;
mod reading;
mod reasons;
mod refusal;
pub mod score;
mod sent;
pub mod setup;
mod shown;
mod standing;
pub mod state;
mod unseen;

pub use base::{Adrift, Base};
pub use decide::{decide, decide_into};
pub use event::{
    About, Act, Alarm, Article, Directive, Ending, Event, Outcome, Proposal, Question, RejectReason, Remedy, Ruling,
    Stage, Words,
};
pub use evolve::evolve;
pub use input::{Claim, DeskAct, DeskInput, DeviceAct, DeviceInput, Fault, Input, Notice, Report, ServiceAct, Terms};
pub use irregularity::{Evidence, Facts, Finding, Irregularity};
pub(crate) use reading::{replying, unpressed, untold, went_on};
pub use reasons::reason;
pub use refusal::{Amount, Refusal};
pub use score::{Ply, Press, Uci};
pub use sent::Sent;
pub use setup::{Overlay, Setup};
pub use state::{Case, CasePhase, Game};
