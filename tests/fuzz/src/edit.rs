//! Samples spoilt in a few places, and shrunk to fewer when something breaks.

use proptest::{collection::vec, prelude::*};

use crate::{corpus::Sample, targets::LONGEST};

/// A part of whatever length there is, in 65,536ths: a place for any sample.
#[derive(Clone, Copy, Debug)]
struct Part(u16);

impl Part {
    fn of(self, length: usize) -> usize {
        (usize::from(self.0) * length) >> 16
    }
}

/// Something done to bytes.
#[derive(Clone, Debug)]
enum Edit {
    /// Another byte.
    Set(Part, u8),
    /// Another bit.
    Flip(Part, u8),
    /// A number at the edge of its width, as a varint or in fixed width.
    Number(Part, u64, bool),
    /// Bytes that were not there.
    Insert(Part, Vec<u8>),
    /// Bytes less.
    Cut(Part, usize),
    /// The same bytes again, so many times.
    Again(Part, usize, usize),
    /// Bytes of another sample, or of another place in this one.
    Graft(Part, Part, Part, usize),
    /// All that follows.
    End(Part),
}

fn edits() -> impl Strategy<Value = Edit> {
    let at = || any::<u16>().prop_map(Part);
    let edges = prop_oneof![
        Just(0),
        Just(u64::MAX),
        (0..64u32).prop_map(|bit| 1 << bit),
        (0..64u32).prop_map(|bit| (1 << bit) - 1),
        any::<u64>(),
    ];
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        2 => (at(), 0..8u8).prop_map(|(at, bit)| Edit::Flip(at, bit)),
        4 => (at(), edges, any::<bool>()).prop_map(|(at, number, fixed)| Edit::Number(at, number, fixed)),
        2 => (at(), vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        2 => (at(), 1..64usize).prop_map(|(at, length)| Edit::Cut(at, length)),
        2 => (at(), 1..64usize, 1..40usize).prop_map(|(at, length, times)| Edit::Again(at, length, times)),
        4 => (at(), at(), at(), 1..512usize).prop_map(|(at, sample, from, length)| Edit::Graft(at, sample, from, length)),
        1 => at().prop_map(Edit::End),
    ]
}

/// A sample with a few edits.
pub(crate) fn spoilt(samples: &[Sample]) -> impl Strategy<Value = Vec<u8>> {
    (any::<u16>(), vec(edits(), 0..8)).prop_map(|(sample, edits)| {
        let sample = samples.get(Part(sample).of(samples.len()));
        let mut bytes = sample.map_or_else(Vec::new, |sample| sample.bytes.clone());
        for edit in &edits {
            edit.apply(&mut bytes, samples);
            bytes.truncate(LONGEST);
        }
        bytes
    })
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>, samples: &[Sample]) {
        let place = |at: &Part, bytes: &[u8]| at.of(bytes.len() + 1);
        let end = |at: usize, length: usize, bytes: &[u8]| (at + length).min(bytes.len());
        match self {
            Edit::Set(at, byte) => {
                let at = place(at, bytes);
                if let Some(there) = bytes.get_mut(at) {
                    *there = *byte;
                }
            }
            Edit::Flip(at, bit) => {
                let at = place(at, bytes);
                if let Some(there) = bytes.get_mut(at) {
                    *there ^= 1 << bit;
                }
            }
            Edit::Number(at, number, fixed) => {
                let at = place(at, bytes);
                let mut new = Vec::new();
                if *fixed {
                    new.extend(&number.to_be_bytes()[4..]);
                } else {
                    prost::encoding::encode_varint(*number, &mut new);
                }
                let end = end(at, if *fixed { 4 } else { 1 }, bytes);
                bytes.splice(at..end, new);
            }
            Edit::Insert(at, new) => {
                let at = place(at, bytes);
                bytes.splice(at..at, new.iter().copied());
            }
            Edit::Cut(at, length) => {
                let at = place(at, bytes);
                bytes.drain(at..end(at, *length, bytes));
            }
            Edit::Again(at, length, times) => {
                let at = place(at, bytes);
                let end = end(at, *length, bytes);
                let again = bytes[at..end].repeat(*times);
                bytes.splice(end..end, again);
            }
            Edit::Graft(at, sample, from, length) => {
                let Some(Sample { bytes: other, .. }) = samples.get(sample.of(samples.len())) else { return };
                let from = place(from, other);
                let graft = &other[from..end(from, *length, other)];
                let at = place(at, bytes);
                bytes.splice(at..at, graft.iter().copied());
            }
            Edit::End(at) => bytes.truncate(place(at, bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(edit: Edit, bytes: &[u8]) -> Vec<u8> {
        let other = Sample { path: "other".into(), bytes: b"XYZ".to_vec() };
        let mut bytes = bytes.to_vec();
        edit.apply(&mut bytes, &[other]);
        bytes
    }

    #[test]
    fn edits_do_what_they_say() {
        // The middle of four bytes, counted with the end as a fifth place, is before the third.
        let middle = Part(1 << 15);
        let first = Part(0);
        let all: [(Edit, &[u8]); 8] = [
            (Edit::Set(middle, b'!'), b"ab!d"),
            (Edit::Flip(middle, 0), b"abbd"),
            (Edit::Number(middle, 300, false), b"ab\xac\x02d"),
            (Edit::Insert(middle, b"12".to_vec()), b"ab12cd"),
            (Edit::Cut(middle, 9), b"ab"),
            (Edit::Again(first, 2, 2), b"abababcd"),
            (Edit::Graft(middle, first, first, 2), b"abXYcd"),
            (Edit::End(middle), b"ab"),
        ];
        for (edit, expected) in all {
            let shown = format!("{edit:?}");
            assert_eq!(edited(edit, b"abcd"), expected, "{shown}");
        }
    }
}
