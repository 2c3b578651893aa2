//! The ground floor of Flagfall: the Laws of Chess as data and pure functions.
//!
//! No IO, no async, no wall clock, no floats. [`clock`] is the arithmetic of a chess clock and is all that a clock's agent
//! needs; with the feature `chess` come [`board`] (which legal moves explain what a board shows), [`game`] (what has
//! happened and what follows from it) and [`laws`] (every edition as data, every article as a function).
#![no_std]

extern crate alloc;

#[cfg(feature = "chess")]
pub mod adjourn;
pub mod board;
pub mod clock;
#[cfg(feature = "chess")]
pub mod game;
#[cfg(feature = "chess")]
pub mod laws;
pub mod time;
#[cfg(feature = "chess")]
pub mod unwinnable;
