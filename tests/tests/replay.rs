//! Recorded games through the whole house: real gRPC, real sled, real agents, the real driver behind a pseudo-terminal.
//!
//! The real recordings lie beside the repository, or where `TEST_DATA` says; without them those tests say "not run".

mod replay {
    mod dgt;
    mod inject;
    mod pgn;
    mod real;
    mod recorded;
    mod support;
}
