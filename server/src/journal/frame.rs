//! Values: an entry's bytes with what is needed to trust them.
//!
//! ```text
//!   offset   size   field
//!   0        1      version of this layout, 1
//!   1        4      CRC-32C of everything after it, big-endian
//!   5        8      position: number of the entry in the whole journal, from 1, big-endian
//!   13       n      an encoded flagfall.journal.v1.Entry, raw: hash-chained, never encoded again
//! ```
//!
//! Scope: one value of the tree, or one record of another backend. Lifetime: for ever. Positions have no gaps, so an entry
//! that vanished anywhere shows as a count that is smaller than the highest position, without a second index to keep true.

use sha2::{Digest, Sha256};

const VERSION: u8 = 1;
const HEADER: usize = 13;

/// Why a value is no frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Fewer bytes than the header has.
    #[error("it is cut off after {0} bytes")]
    Short(usize),
    /// Another version: written by a later service.
    #[error("its layout is version {0}, this service reads version 1")]
    Version(u8),
    /// The checksum differs.
    #[error("its checksum is {found:08x}, {stored:08x} was stored")]
    Checksum {
        /// As stored.
        stored: u32,
        /// As the bytes are.
        found: u32,
    },
}

/// SHA-256 of an entry's bytes: what the next entry of the stream chains to.
#[must_use]
pub fn hash(entry: &[u8]) -> [u8; 32] {
    Sha256::digest(entry).into()
}

/// The value of an entry.
#[must_use]
pub fn frame(position: u64, entry: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(HEADER + entry.len());
    value.push(VERSION);
    value.extend_from_slice(&[0; 4]);
    value.extend_from_slice(&position.to_be_bytes());
    value.extend_from_slice(entry);
    let checksum = crc32c::crc32c(&value[5..]);
    value[1..5].copy_from_slice(&checksum.to_be_bytes());
    value
}

/// The position and the entry of a value.
///
/// # Errors
/// The value is not one that [`frame`] made.
pub fn unframe(value: &[u8]) -> Result<(u64, &[u8]), FrameError> {
    let Some((&[version, a, b, c, d], body)) = value.split_first_chunk() else {
        return Err(FrameError::Short(value.len()));
    };
    if version != VERSION {
        return Err(FrameError::Version(version));
    }
    let Some((position, entry)) = body.split_first_chunk() else { return Err(FrameError::Short(value.len())) };
    let (stored, found) = (u32::from_be_bytes([a, b, c, d]), crc32c::crc32c(body));
    if stored != found {
        return Err(FrameError::Checksum { stored, found });
    }
    Ok((u64::from_be_bytes(*position), entry))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_framed_comes_back(position: u64, entry: Vec<u8>) {
            let value = frame(position, &entry);
            prop_assert_eq!(unframe(&value), Ok((position, entry.as_slice())));
        }

        #[test]
        fn a_changed_bit_is_refused(position: u64, entry: Vec<u8>, at: prop::sample::Index, bit in 0..8u8) {
            let mut value = frame(position, &entry);
            let at = at.index(value.len());
            value[at] ^= 1 << bit;
            prop_assert!(unframe(&value).is_err());
        }

        #[test]
        fn a_cut_is_refused(position: u64, entry: Vec<u8>, at: prop::sample::Index) {
            let value = frame(position, &entry);
            prop_assert!(unframe(&value[..at.index(value.len())]).is_err());
        }
    }
}
