//! The protocol between clock and service as a model, checked in every state that is reachable within bounds.
//!
//! ```text
//!        the clock                                                    the service
//!  ┌───────────────────────────┐                            ┌─────────────────────────────────┐
//!  │ spool            on disk  │   Hello, Events            │ session ─▶ mailbox ─▶ queue     │ in memory
//!  │  events 1, 2, 3 …         │ ─────────────────────────▶ │    ▲                    │ commit│
//!  │  directives handled, rev, │   stream: keeps its order, │    │ Ack, directive     ▼       │
//!  │  the pending one          │   breaks on either side    │    └────────────── journal      │ on disk
//!  │ asked, waiting  in memory │ ◀───────────────────────── │  epoch · events of each spool · │
//!  │ ┌─────────────────┐       │   Welcome, Ack, Rewind,    │  directives and how each fares  │
//!  │ │ physical clock  │       │   Directive                │ lane: one session at a time     │
//!  └─┴─────────────────┴───────┘                            └─────────────────────────────────┘
//!  instance A, instance B: one device name, two spools        streams: the one in use and one
//!                                                             that somebody does not know to be dead
//! ```
//!
//! - A press is spooled and sent; a press without a move makes the service issue a directive, and so does the desk. The clock
//!   records a directive, changes the physical clock, records that, and reports it as an event like any other.
//! - Power is lost on either side at any step: memory is gone, and of the entries on their way to the service's disk any first
//!   part has got there. Streams break on one side while the other still believes in them and what was sent still arrives.
//! - [`invariant`] has what must hold in every state, [`bounds`] how much may happen and what can be broken on purpose.
//!   [`check::check`] visits every state, in order of the number of steps, so the first trace found is a shortest one.
//!
//! The model follows `server/src/link`, `server/src/arena` and `clock-agent/src/{core,spool,uplink}` step by step; README.md
//! says what it leaves out. The search is stateright's: its licence fits, it goes breadth first, it stands on current versions
//! of what it needs, and a state is any type that hashes. Two things of it are not used as they come: its `eventually` (see
//! [`heal`]), and its choice among several failures (see [`check::Protocol`]).

pub mod action;
mod agent;
pub mod bounds;
pub mod check;
pub mod heal;
pub mod invariant;
pub mod milestone;
pub mod pack;
mod server;
pub mod state;
