//! The agent on a clock: keeps time, spools every press, carries out directives.
//!
//! ```text
//! hw ── Sensed ──▶ agent (actor) ──▶ core (sans-io): effects
//!  ▲                  │ spool: one append, one fsync ── only then:
//!  └────── Ask ◀──────┤
//!                     ├──▶ Shown (watch): display, tests
//!                     └──▶ uplink: Events ──▶ service; Ack, Directive ◀──
//! ```
//!
//! [`core`] decides and never waits, [`spool`] remembers, [`wire`] translates, [`uplink`] talks, [`agent`](mod@agent)
//! ties them together, [`config`] and [`app`] make a real clock of it. [`sense`] is the whole vocabulary between the
//! core and the hardware. The clock never depends on the link.

pub mod agent;
pub mod app;
pub mod cli;
pub mod config;
pub mod core;
pub mod hw;
pub mod sense;
pub mod spool;
pub mod telemetry;
pub mod uplink;
pub mod wire;

pub use crate::{
    agent::{Agent, AgentError, AgentHandle, Hardware, Setup, Timeline, agent},
    core::{ClockKind, Settings},
    spool::{FileSpool, MemorySpool, Spool},
    telemetry::Telemetry,
    uplink::Server,
};
