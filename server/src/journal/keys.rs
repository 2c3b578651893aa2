//! Keys: one tree, in which the entries of a stream lie side by side and in order.
//!
//! ```text
//!   offset   size   field
//!   0        1      kind of the stream: 01 game, 02 device, 03 desk, 04 round, 05 event
//!   1        n      name in UTF-8, every 00 written as 00 FF
//!   1 + n    2      00 00, the end of the name
//!   3 + n    8      index in the stream, big-endian, from 1
//!
//!   0        1      20: where the first entries of a stream are that have left the tree, see [`shelf`](super::shelf)
//!   1        n      the beginning of the keys of its entries, up to and with the end of the name
//! ```
//!
//! Kinds 06 to 1F are free for more streams. Scope: the default tree of the sled database. Lifetime: for ever; a kind is never given another meaning. Bytes sort as
//! `(StreamId, index)` does: the end of a name sorts below every letter, so `a` comes before `ab`, and an escaped 00 sorts
//! above the end. A name with a 00 in it is nobody's wish, but keys are total: what can be asked for can be stored.

use super::StreamId;

const GAME: u8 = 1;
const DEVICE: u8 = 2;
const DESK: u8 = 3;
const ROUND: u8 = 4;
const EVENT: u8 = 5;
const SHELF: u8 = 0x20;

/// Bytes that are no key of this journal: written by something else, or by a later version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("key {} is none of this version's", hex(.0))]
pub struct KeyError(pub Vec<u8>);

/// The key of an entry.
#[must_use]
pub fn key(stream: &StreamId, index: u64) -> Vec<u8> {
    let mut key = prefix(stream);
    key.extend_from_slice(&index.to_be_bytes());
    key
}

/// What the keys of all entries of a stream begin with, and no other key does.
#[must_use]
pub fn prefix(stream: &StreamId) -> Vec<u8> {
    let kind = match stream {
        StreamId::Game(_) => GAME,
        StreamId::Device(_) => DEVICE,
        StreamId::Desk => DESK,
        StreamId::Round(_) => ROUND,
        StreamId::Event(_) => EVENT,
    };
    let mut prefix = Vec::with_capacity(stream.name().len() + 11);
    prefix.push(kind);
    for &byte in stream.name().as_bytes() {
        prefix.push(byte);
        if byte == 0 {
            prefix.push(0xff);
        }
    }
    prefix.extend_from_slice(&[0, 0]);
    prefix
}

/// The key of a stream's place on the shelf.
#[must_use]
pub fn shelf(stream: &StreamId) -> Vec<u8> {
    [&[SHELF], prefix(stream).as_slice()].concat()
}

/// What the keys of all places on the shelf begin with, and no other key does.
pub const SHELVES: [u8; 1] = [SHELF];

/// What a key is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// An entry of a stream, by its index.
    Entry(StreamId, u64),
    /// The place of a stream on the shelf.
    Shelf(StreamId),
}

/// What a key is for.
///
/// # Errors
/// The bytes are no key.
pub fn parse(key: &[u8]) -> Result<Key, KeyError> {
    let entry = |key: &[u8]| {
        let (prefix, index) = key.split_last_chunk::<8>()?;
        Some(Key::Entry(parse_prefix(prefix)?, u64::from_be_bytes(*index)))
    };
    let parsed = match key.split_first() {
        Some((&SHELF, prefix)) => parse_prefix(prefix).map(Key::Shelf),
        _ => entry(key),
    };
    parsed.ok_or_else(|| KeyError(key.to_vec()))
}

/// The stream whose keys begin so; `None` for other bytes.
#[must_use]
pub fn parse_prefix(prefix: &[u8]) -> Option<StreamId> {
    let (&kind, rest) = prefix.split_first()?;
    let escaped = rest.strip_suffix(&[0, 0])?;
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        if byte == 0 && bytes.next() != Some(&0xff) {
            return None;
        }
        name.push(byte);
    }
    let name = String::from_utf8(name).ok()?;
    match kind {
        GAME => Some(StreamId::Game(name)),
        DEVICE => Some(StreamId::Device(name)),
        DESK if name.is_empty() => Some(StreamId::Desk),
        ROUND => Some(StreamId::Round(name)),
        EVENT => Some(StreamId::Event(name)),
        _ => None,
    }
}

/// Bytes in hexadecimal, for messages.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Names are drawn from few letters so that prefixes, equal names and zeros are common.
    fn stream() -> impl Strategy<Value = StreamId> {
        let name = prop_oneof![
            prop::collection::vec(prop::sample::select(vec!['\0', '\u{1}', 'a', 'b', 'ÿ']), 0..4)
                .prop_map(String::from_iter),
            any::<String>(),
        ];
        (0..5u8, name).prop_map(|(kind, name)| match kind {
            0 => StreamId::Game(name),
            1 => StreamId::Device(name),
            2 => StreamId::Desk,
            3 => StreamId::Round(name),
            _ => StreamId::Event(name),
        })
    }

    proptest! {
        #[test]
        fn a_key_says_which_entry_it_is(stream in stream(), index: u64) {
            let key = key(&stream, index);
            prop_assert!(key.starts_with(&prefix(&stream)));
            prop_assert_eq!(stream.to_string().parse(), Ok(stream.clone()));
            prop_assert_eq!(parse_prefix(&prefix(&stream)), Some(stream.clone()));
            prop_assert_eq!(parse(&shelf(&stream)), Ok(Key::Shelf(stream.clone())));
            prop_assert!(shelf(&stream) > key, "behind all entries");
            prop_assert_eq!(parse(&key), Ok(Key::Entry(stream, index)));
        }

        #[test]
        fn keys_sort_by_stream_then_index(a in stream(), b in stream(), i: u64, j: u64) {
            prop_assert_eq!(key(&a, i).cmp(&key(&b, j)), (&a, i).cmp(&(&b, j)));
            prop_assert_eq!(key(&b, j).starts_with(&prefix(&a)), a == b);
        }

        #[test]
        fn bytes_that_parse_are_a_key(bytes in prop::collection::vec(prop::sample::select(vec![0, 1, 3, 32, 97, 255u8]), 0..24)) {
            match parse(&bytes) {
                Ok(Key::Entry(stream, index)) => prop_assert_eq!(key(&stream, index), bytes),
                Ok(Key::Shelf(stream)) => prop_assert_eq!(shelf(&stream), bytes),
                Err(_) => {}
            }
        }
    }
}
