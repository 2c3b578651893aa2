//! The ruling service: clocks on one side, arbiters on the other, a journal underneath.
//!
//! ```text
//!   clocks ──▶ link ──┐                    ┌──▶ watchers
//!                     ▼                    │
//!   desk ─────────▶ arena: one actor a game ──▶ journal (nothing leaves before it is on disk)
//!                     │
//!                     └──▶ flagfall_rules: decide, evolve
//! ```
//!
//! Dependencies point one way: rules ← [`wire`], [`seal`], [`journal`], [`trail`], [`arena`] ← [`link`], [`desk`], [`event`], [`broadcast`], [`ops`] ← [`app`] ← main.

pub mod app;
pub mod arena;
pub mod broadcast;
pub mod desk;
pub mod event;
pub mod journal;
pub mod link;
pub mod ops;
pub mod seal;
pub mod trail;
pub mod wire;
