//! Recorded games through the whole house: real gRPC, real sled, real agents, the real driver behind a pseudo-terminal.
//!
//! The real recordings lie beside the repository, or where `FLAGFALL_SHARED` says; without them those tests say "not run".

mod replay {
    mod dgt;
    mod inject;
    mod pgn;
    mod real;
    mod recorded;
    mod support;
}
