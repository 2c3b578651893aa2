//! Strange bytes for everything that reads bytes from outside: `cargo test -p flagfall-fuzz`
//!
//! ```text
//!   corpus/TARGET/*  ──▶ edit ──▶ hunt ──▶ target(&[u8])       any stable toolchain, a bounded time, in every test run
//!        ▲    ▲                     └────▶ a finding: shrunk, written down, exit code 1
//!        │    └──── minimised findings, under the name of what they broke
//!        └── fuzz samples: valid bytes, written by our own encoders
//!
//!   corpus/TARGET/*  ──▶ cargo fuzz, by bash tests/fuzz/guided ──▶ target(&[u8])     as long as one likes, guided by coverage
//! ```
//!
//! A target is a plain function: it reads the bytes as the program would, does with them what the program does next, and panics
//! when something that must hold does not. What else counts as broken is in [`hunt`].

pub mod corpus;
mod edit;
pub mod hunt;
pub mod samples;
pub mod targets;

pub use targets::{TARGETS, Target};
