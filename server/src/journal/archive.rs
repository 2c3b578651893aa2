//! Files of streams: one finished game (`games/NAME.ffg`), or a whole journal (`flagfall journal export`).
//!
//! ```text
//!   offset   size   field
//!   0        8      "flagfall"
//!   8        1      version of this layout, 1
//!   9        …      records, up to the one that ends the file
//!
//!   a record
//!   0        4      n, the length of its body, 1 to 131,072, big-endian
//!   4        4      CRC-32C of the length and the body, big-endian
//!   8        n      the body: a tag and what it says
//!
//!   tag      body behind it
//!   'S'      a stream begins: number of its entries (8, big-endian), length m of its key prefix (2, big-endian), the key prefix as
//!            in [`keys`](super::keys) (m), 00 for a stream of the store or 01 for one on the shelf, and then its note
//!   'E'      an entry: its value as in [`frame`](super::frame); the first of a stream is entry 1
//!   'Z'      the end: streams (8), entries (8), both big-endian, and SHA-256 (32) of every byte before this record
//! ```
//!
//! Scope: a file of its own, the same on every machine. Lifetime: for ever; a tag is never given another meaning. Every byte is
//! under a checksum of its record, and all of them under the last one: a file that was cut, changed or added to is refused with
//! the byte at which it shows.

mod reader;
mod writer;

pub use reader::{Reader, Record};
pub use writer::Writer;

use super::frame::FrameError;

const MAGIC: &[u8; 8] = b"flagfall";
const VERSION: u8 = 1;
const BODY_MAX: usize = 128 * 1024;

const STREAM: u8 = b'S';
const ENTRY: u8 = b'E';
const END: u8 = b'Z';

/// What a file holds, as its last record says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Contents {
    /// How many streams.
    pub streams: u64,
    /// How many entries in all of them.
    pub entries: u64,
}

/// A file is not what was written, or cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("at byte {at}: {reason}")]
pub struct ArchiveError {
    /// Where the record begins that shows it.
    pub at: u64,
    /// What shows.
    pub reason: Reason,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// The disk does not give it.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It ends before its end.
    #[error("CUT_OFF: the file ends in the middle: copy it again")]
    CutOff,
    /// It begins otherwise.
    #[error("NOT_AN_ARCHIVE: the file is none of flagfall's")]
    NotOurs,
    /// A later layout.
    #[error("LAYOUT: its layout is version {0}, this program reads version 1: use the program that wrote it")]
    Version(u8),
    /// A length that no record has.
    #[error("RECORD_LENGTH: a record of {0} bytes: the file is damaged")]
    Length(u32),
    /// The bytes are not those that were written.
    #[error("CHECKSUM: the record's checksum is {found:08x}, {stored:08x} was stored: the file is damaged")]
    Checksum {
        /// As stored.
        stored: u32,
        /// As the bytes are.
        found: u32,
    },
    /// A record of no kind that is known.
    #[error("UNKNOWN_RECORD: a record of kind {0:#04x}: use the program that wrote it")]
    Tag(u8),
    /// The name of a stream is none.
    #[error("BAD_STREAM: a stream without a name that can be read")]
    Key,
    /// An entry's value is damaged.
    #[error("BAD_ENTRY: {0}")]
    Frame(FrameError),
    /// Records do not follow each other as they do.
    #[error("OUT_OF_ORDER: {0}")]
    Order(&'static str),
    /// The end counts otherwise.
    #[error("COUNT: {found:?} were read, the end says {said:?}")]
    Count {
        /// As read.
        found: Contents,
        /// As the end says.
        said: Contents,
    },
    /// The whole is not what was written.
    #[error("DIGEST: the checksum of the whole file differs")]
    Digest,
    /// There is something behind the end.
    #[error("TRAILING: something stands behind the end of the file")]
    Trailing,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::journal::{StreamId, frame};

    type Streams = Vec<(StreamId, Option<Vec<u8>>, Vec<Vec<u8>>)>;

    fn streams() -> impl Strategy<Value = Streams> {
        let name = "[a-z0-9.]{1,8}";
        let stream = prop_oneof![
            name.prop_map(StreamId::Game),
            name.prop_map(StreamId::Device),
            Just(StreamId::Desk),
            name.prop_map(StreamId::Round),
        ];
        let bytes = |most| prop::collection::vec(any::<u8>(), 0..most);
        let note = prop::option::of(bytes(40));
        prop::collection::vec((stream, note, prop::collection::vec(bytes(60), 0..5)), 0..5)
    }

    fn written(streams: &Streams) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).expect("written");
        let mut position = 0;
        for (stream, note, entries) in streams {
            writer.stream(stream, entries.len() as u64, note.as_deref()).expect("written");
            for entry in entries {
                position += 1;
                writer.entry(&frame::frame(position, entry)).expect("written");
            }
        }
        writer.finish().expect("written").0
    }

    fn read(file: &[u8]) -> Result<Streams, ArchiveError> {
        let mut reader = Reader::new(file)?;
        let mut streams = Streams::new();
        loop {
            match reader.record()? {
                Record::Stream { stream, note, entries: _ } => streams.push((stream, note, Vec::new())),
                Record::Entry { stored } => {
                    let entries = &mut streams.last_mut().expect("a stream").2;
                    entries.push(stored.bytes);
                    assert_eq!(stored.index, entries.len() as u64);
                }
                Record::End { .. } => return Ok(streams),
            }
        }
    }

    proptest! {
        #[test]
        fn a_file_comes_back(streams in streams()) {
            prop_assert_eq!(read(&written(&streams)).expect("whole"), streams);
        }

        #[test]
        fn a_changed_bit_is_refused(streams in streams(), at: prop::sample::Index, bit in 0..8u8) {
            let mut file = written(&streams);
            let at = at.index(file.len());
            file[at] ^= 1 << bit;
            prop_assert!(read(&file).is_err());
        }

        #[test]
        fn a_cut_is_refused_and_so_is_more(streams in streams(), at: prop::sample::Index) {
            let mut file = written(&streams);
            let cut = &file[..at.index(file.len())];
            let refused = read(cut).expect_err("cut");
            prop_assert!(matches!(refused.reason, Reason::CutOff), "{}", refused);
            file.push(0);
            prop_assert!(matches!(read(&file).expect_err("more").reason, Reason::Trailing));
        }

        #[test]
        fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..200), ours: bool) {
            if ours {
                bytes.splice(..bytes.len().min(9), [MAGIC.as_slice(), &[VERSION]].concat());
            }
            let _ = read(&bytes);
        }
    }

    /// The checksum of a record can be right and the file wrong all the same: records left out, and put in twice.
    #[test]
    fn records_out_of_place_are_named_with_their_byte() {
        let (first, second) = (StreamId::Game("a".into()), StreamId::Desk);
        let file = written(&vec![(first, None, vec![vec![1; 3], vec![2; 3]]), (second, None, vec![vec![3; 3]])]);
        // The layout by hand: the head has 9 bytes; a stream record 8 + 1 + 8 + 2 + the prefix, which is 4 bytes for game/a, + 1; an entry
        // 8 + 1 + 13 + 3.
        let (stream, entry) = (8 + 1 + 8 + 2 + 4 + 1, 8 + 1 + 13 + 3);
        let without = |from: usize, len: usize| {
            let mut file = file.clone();
            file.drain(from..from + len);
            read(&file).expect_err("not whole")
        };
        let said = without(9, stream).to_string();
        assert_eq!(said, "at byte 9: OUT_OF_ORDER: an entry before any stream");
        let said = without(9 + stream, entry).to_string();
        assert_eq!(
            said,
            format!("at byte {}: OUT_OF_ORDER: a stream with fewer entries than it says", 9 + stream + entry)
        );
        let twice = [&file[..9 + stream + entry], &file[9 + stream..]].concat();
        let said = read(&twice).expect_err("too many").to_string();
        assert_eq!(
            said,
            format!("at byte {}: OUT_OF_ORDER: a stream with more entries than it says", 9 + stream + 2 * entry)
        );
    }
}
