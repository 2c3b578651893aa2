//! The edge where the contract's messages become words of the house, and refusals become gRPC statuses.

pub mod guest;
pub mod hash;
pub mod hello;
pub mod known;
pub mod name;
pub mod organising;
pub mod outgoing;
pub mod reasons;
pub mod refused;
pub mod snapshot;

pub use hash::{Hash, sha256};
pub use hello::Greeting;
pub use known::WhileKnown;
pub use name::{is_name, is_text};
pub use organising::Unfit;
pub use outgoing::{OutStream, Outgoing, outgoing};
pub use refused::Refused;
