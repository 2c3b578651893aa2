//! What is told of a game on the shelf without reading it.

use std::collections::BTreeMap;

use flagfall_proto::{convert::Refused, journal::v1};
use prost::Message as _;

use super::{CodecError, fixed, message};

/// The last event of each spool, and its SHA-256.
pub type Spools = BTreeMap<[u8; 16], (u64, [u8; 32])>;

/// A game's time on a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stay {
    /// The clock.
    pub device: String,
    /// How far the game heard it.
    pub spools: Spools,
}

/// An encoded `flagfall.journal.v1.ShelfNote`, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// When the game was opened, milliseconds since 1970.
    pub opened_ms: i64,
    /// When it took its last clock, milliseconds since 1970.
    pub since_ms: i64,
    /// The desk's request that opened it.
    pub request: Option<String>,
    /// The clocks it was on, in order.
    pub stays: Vec<Stay>,
}

impl Note {
    /// As it is kept beside the game's place.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let spool = |(spool, (seq, hash)): (&[u8; 16], &(u64, [u8; 32]))| v1::SpoolEnd {
            spool_id: spool.into(),
            seq: *seq,
            hash: hash.into(),
        };
        let stay = |stay: &Stay| v1::ClockStay {
            device: stay.device.clone(),
            spools: stay.spools.iter().map(spool).collect(),
        };
        let Note { opened_ms, since_ms, request, stays } = self;
        let (request, stays) = (request.clone().unwrap_or_default(), stays.iter().map(stay).collect());
        v1::ShelfNote { opened_ms: *opened_ms, since_ms: *since_ms, request, stays }.encode_to_vec()
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(bytes: &[u8]) -> Result<Note, CodecError> {
        let v1::ShelfNote { opened_ms, since_ms, request, stays } = message(bytes)?;
        let spool = |end: v1::SpoolEnd| -> Result<_, Refused> {
            Ok((fixed("spool_id", end.spool_id)?, (end.seq, fixed("hash", end.hash)?)))
        };
        let stay = |stay: v1::ClockStay| -> Result<_, Refused> {
            Ok(Stay { device: stay.device, spools: stay.spools.into_iter().map(spool).collect::<Result<_, _>>()? })
        };
        let (request, stays) = (super::text(request), stays.into_iter().map(stay).collect::<Result<_, _>>()?);
        Ok(Note { opened_ms, since_ms, request, stays })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_note_comes_back(
            opened_ms: i64, since_ms: i64, request in prop::option::of(".{1,9}"),
            stays in prop::collection::vec(
                (".{0,9}", prop::collection::btree_map(any::<[u8; 16]>(), any::<(u64, [u8; 32])>(), 0..3)), 0..3
            ),
        ) {
            let stays = stays.into_iter().map(|(device, spools)| Stay { device, spools }).collect();
            let note = Note { opened_ms, since_ms, request, stays };
            prop_assert_eq!(Note::parse(&note.to_bytes()), Ok(note));
        }

        #[test]
        fn any_bytes_are_a_note_or_none(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Note::parse(&bytes);
        }
    }
}
