//! The whole system under test: real gRPC, real sled, real agents, and models of what surrounds them.

pub mod clock;
pub mod journal;
pub mod noise;
pub mod pages;
pub mod terminal;
