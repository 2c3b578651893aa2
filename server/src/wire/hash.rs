//! SHA-256, which chains a spool and a stream.

use sha2::{Digest, Sha256};

/// A SHA-256.
pub type Hash = [u8; 32];

/// What stands in the place of a hash before the first link of a chain.
pub const NONE: Hash = [0; 32];

/// The hash of the very bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}
