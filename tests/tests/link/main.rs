//! The link as a clock meets it: a real server on loopback, a raw stream; an agent only where a game goes to another clock.

use flagfall_tests::clock;

mod house;

mod adjourned;
mod durable;
mod moved;
mod questions;
mod refill;
mod refusals;
mod replaced;
mod sessions;
