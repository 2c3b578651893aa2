//! An adjourned game: the sealed move from the end of one session to the resumption in another.
//!
//! Two procedures, as data ([`mod@procedure`]): the appendix of the older Laws (A1–A13, in FIDE's edition of 2009 G) and
//! Guidelines I of the later ones. Pure: every act brings its own time, and the text of the sealed move is not known here
//! before the envelope is opened.
//!
//! ```text
//!   Act ── decide(procedure, &adjournment, &act) ──▶ steps ── Noted(event): evolve(&mut adjournment, &event)
//!                                                        └─ the rest: Stop, SetClock, Run, Play, End … for the game
//!
//!                       sheets in, sealed,                  set up           at the time agreed
//!   Playing ──▶ Sealing ── own clock stopped ──▶ Adjourned ────────▶ SetUp ──┬─ responder here ───▶ Opening
//!    session ends, or     (flag: Ended)                                      └─ he is not ─▶ Waiting ──┘ he arrives
//!    adjourned early                                                            his clock runs   and may stop it
//!
//!   Opening ── opened, readable ──▶ Open (sealer absent) ──┬─ replies normally ───────────────────▶ Resumed
//!      │                       └──▶ Resumed (both here)    └─ seals his reply ─▶ ReplySealed ── opened ──┘
//!      │                                                                    sealer's clock runs
//!      ├─ ambiguous or illegal, mate, stalemate, dead position ──▶ Ended
//!      └─ somebody is too late: the sealed move may still decide ──▶ Judging ── opened ──▶ Ended
//!
//!   anywhere: agreement, resignation, flag, lateness ──▶ Ended;   position lost with the envelope ──▶ Annulled
//! ```

pub mod act;
mod agreed;
pub mod decide;
mod evolve;
mod late;
pub mod notation;
mod opening;
pub mod procedure;
pub mod refusal;
mod resume;
mod sealing;
pub mod state;
pub mod step;

pub use act::{Act, Deed, Situation};
pub use decide::decide;
pub use evolve::evolve;
pub use notation::{Reading, read};
pub use procedure::{CLASSIC, CLASSIC_2009, GUIDELINES, GUIDELINES_2023, PROCEDURES, Procedure, of_edition, procedure};
pub use refusal::Refusal;
pub use state::{Adjournment, Custody, Envelope, Phase, Resumption, Seal, Session};
pub use step::{Event, Fact, Proposal, Reason, Step, Then, Way, Which};
