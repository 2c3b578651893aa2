//! The contract between clocks, desks, the ruling service and its journal, as Rust types.
//!
//! The `.proto` files beside this crate are the contract; their comments say what each message means, in which order messages
//! come, who closes a stream and with which status. [`convert`] turns the shared words (faces, boards, controls) into those
//! of the rules and back, and names what it refuses.

mod codec;
pub mod convert;

/// Generated from `flagfall/*/v1/*.proto`; each item's documentation is the comment of the contract.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
mod generated {
    pub mod clock {
        pub mod v1 {
            tonic::include_proto!("flagfall.clock.v1");
        }
    }
    pub mod journal {
        pub mod v1 {
            tonic::include_proto!("flagfall.journal.v1");
        }
    }
    pub mod desk {
        pub mod v1 {
            tonic::include_proto!("flagfall.desk.v1");
        }
    }
}

pub use generated::{clock, desk, journal};

/// The compiled contract, for gRPC reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
