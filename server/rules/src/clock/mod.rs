//! Clocks: what they show ([`face`]), what they were set to ([`control`]), and how they run ([`run`]).

pub mod control;
pub mod face;
pub mod run;

pub use control::{Advance, Compensation, Control, ControlError, Period};
pub use face::{Colour, Face, Going, Hand, Place};
pub use run::{Clock, Tick};
