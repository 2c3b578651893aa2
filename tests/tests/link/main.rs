//! The link as a clock meets it: a real server on loopback, a raw stream, no agent.

mod clock;
mod house;

mod durable;
mod refusals;
mod sessions;
