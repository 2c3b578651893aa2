//! Situations as arbiters tell them, and what the Laws make of them.
//!
//! ```text
//!   CASE.toml ── read ──▶ Case ── rule ──▶ Ruled ── render ──▶ what an arbiter reads, in English or Russian
//!                          └───── check ──▶ nothing, or the differences from what the file expects
//! ```
//!
//! A case says what stood on the board and on the clocks and what happened; it is played through the very rules that serve live
//! games, input by input. `README.md` beside this crate documents every key of a file.

mod check;
mod control;
mod dir;
mod error;
mod facts;
mod read;
mod render;
mod ruled;
mod run;
mod table;
mod words;

pub use check::Difference;
pub use dir::{Failure, Report, check_dir, check_file, rule_file};
pub use error::Error;
pub use facts::{Case, Pair};
pub use read::{SECTIONS, Section, read};
pub use render::Lang;
pub use ruled::{Finding, Named, Noted, Refused, Ruled, Said, Shown, TheEnd, Way};
