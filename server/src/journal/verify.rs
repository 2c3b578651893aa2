//! Whether the journal is still what was written: every entry there, whole, chained to the one before it, and readable.

use std::fmt;

use flagfall_proto::journal::v1::Entry;
use serde::Serialize;

use super::{Journal, ReadError, Short, Stored, StreamId, codec, keys::hex};

/// Entries read at a time.
const PAGE: usize = 256;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum VerifyFinding {
    /// An entry's bytes are not those that were written.
    Damaged {
        /// The stream.
        stream: String,
        /// The entry.
        index: u64,
        /// What is wrong.
        reason: String,
    },
    /// An entry is not there.
    Missing {
        /// The stream.
        stream: String,
        /// The entry.
        index: u64,
    },
    /// The stream once had more entries: it is in quarantine until they are sent again or the loss is accepted.
    Short {
        /// The stream.
        stream: String,
        /// The last entry that it is known to have had.
        had: u64,
        /// The last that is there.
        has: u64,
    },
    /// An entry does not chain to the one before it: one of the two is not the one that was written.
    ChainBroken {
        /// The stream.
        stream: String,
        /// The later of the two.
        index: u64,
        /// The hash it names.
        named: String,
        /// The hash of the entry before it.
        actual: String,
    },
    /// An entry is whole and yet no entry of this version.
    Unreadable {
        /// The stream.
        stream: String,
        /// The entry.
        index: u64,
        /// What is wrong.
        reason: String,
    },
    /// The database does not open: only what lies on the shelf was looked at.
    NotOpened {
        /// What opening it said.
        reason: String,
    },
    /// The database stopped answering.
    Failed {
        /// The stream; empty when they could not even be listed.
        stream: String,
        /// What it said.
        reason: String,
    },
}

impl fmt::Display for VerifyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyFinding::Damaged { stream, index, reason } => {
                write!(f, "{stream} entry {index} is damaged: {reason}")
            }
            VerifyFinding::Missing { stream, index } => write!(f, "{stream} entry {index} is missing"),
            VerifyFinding::Short { stream, had, has } => {
                write!(f, "{stream} is in quarantine: it had {had} entries and has {has}")
            }
            VerifyFinding::ChainBroken { stream, index, named, actual } => {
                write!(f, "{stream} entry {index} follows {named}, but the entry before it is {actual}")
            }
            VerifyFinding::Unreadable { stream, index, reason } => {
                write!(f, "{stream} entry {index} cannot be understood: {reason}")
            }
            VerifyFinding::NotOpened { reason } => write!(
                f,
                "{reason}. Only the finished games in games/ were looked at: nothing is said of games under way, clocks, desk, events \
                 and rounds"
            ),
            VerifyFinding::Failed { stream, reason } => write!(f, "{stream}: the database failed: {reason}"),
        }
    }
}

impl From<ReadError> for VerifyFinding {
    fn from(error: ReadError) -> VerifyFinding {
        match error {
            ReadError::Damaged { stream, index, reason } => {
                VerifyFinding::Damaged { stream: stream.to_string(), index, reason: reason.to_string() }
            }
            ReadError::Missing { stream, index } => VerifyFinding::Missing { stream: stream.to_string(), index },
            ReadError::OnShelf { ref stream, index, .. } => {
                VerifyFinding::Damaged { stream: stream.to_string(), index, reason: error.to_string() }
            }
            ReadError::Failed { stream, reason } => VerifyFinding::Failed { stream: stream.to_string(), reason },
        }
    }
}

/// What a verification looked at, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// How many streams there are.
    pub streams: usize,
    /// How many entries were read.
    pub entries: u64,
    /// Everything that is wrong, stream by stream.
    pub findings: Vec<VerifyFinding>,
}

/// A line for each finding, and one that counts.
impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        write!(f, "{} streams, {} entries, ", self.streams, self.entries)?;
        match self.findings.len() {
            0 => f.write_str("all as they were written"),
            1 => f.write_str("1 finding"),
            n => write!(f, "{n} findings"),
        }
    }
}

/// Reads the whole journal and reports what is not as it was written. Entries lost off the end of a stream were noticed when the
/// journal was opened, as far as the high-water mark knew of them; each clock's acknowledged number is compared when it connects.
#[must_use]
pub fn verify(journal: &dyn Journal) -> Verified {
    let short = journal.short().into_iter();
    let short = short.map(|Short { stream, had, has }| VerifyFinding::Short { stream: stream.to_string(), had, has });
    let mut verified = Verified { findings: short.collect(), ..Verified::default() };
    match journal.streams() {
        Ok(streams) => {
            verified.streams = streams.len();
            streams.iter().for_each(|stream| stream_of(journal, stream, &mut verified));
        }
        Err(error) => {
            verified.findings.push(VerifyFinding::Failed { stream: String::new(), reason: error.to_string() });
        }
    }
    verified
}

fn stream_of(journal: &dyn Journal, stream: &StreamId, verified: &mut Verified) {
    // Hash of the entry before; `None` when that could not be read.
    let mut previous = Some(codec::NO_HASH);
    walk(journal, stream, |step| {
        let stream = stream.to_string();
        let finding = match step {
            Ok(entry) => {
                verified.entries += 1;
                let before = previous.replace(entry.hash);
                check(stream, &entry, before)
            }
            Err(error) => {
                previous = None;
                Some(error.into())
            }
        };
        verified.findings.extend(finding);
    });
}

pub(super) fn check(stream: String, entry: &Stored, before: Option<[u8; 32]>) -> Option<VerifyFinding> {
    let index = entry.index;
    let named = match codec::message::<Entry>(&entry.bytes) {
        Ok(message) => message.previous_hash,
        Err(error) => return Some(VerifyFinding::Unreadable { stream, index, reason: error.to_string() }),
    };
    if let Some(actual) = before.filter(|hash| named != hash) {
        return Some(VerifyFinding::ChainBroken { stream, index, named: hex(&named), actual: hex(&actual) });
    }
    let unreadable = codec::decode_entry(&entry.bytes).err()?;
    Some(VerifyFinding::Unreadable { stream, index, reason: unreadable.to_string() })
}

/// Walks along a stream and past what cannot be read, one step for each entry that is or should be there. Ends with the
/// stream, or when the database answers no more.
pub(crate) fn walk(journal: &dyn Journal, stream: &StreamId, mut step: impl FnMut(Result<Stored, ReadError>)) {
    let (mut next, mut page) = (1, PAGE);
    loop {
        match journal.read(stream, next, page) {
            Ok(entries) if entries.is_empty() => return,
            Ok(entries) => {
                (next, page) = (next + entries.len() as u64, PAGE);
                entries.into_iter().for_each(|entry| step(Ok(entry)));
            }
            // First the entries before it, then it alone.
            Err(
                ReadError::Damaged { index, .. } | ReadError::Missing { index, .. } | ReadError::OnShelf { index, .. },
            ) if index > next => page = (index - next) as usize,
            // Nothing behind it can be read either.
            Err(error @ (ReadError::Failed { .. } | ReadError::OnShelf { .. })) => return step(Err(error)),
            Err(error) => {
                (next, page) = (next + 1, PAGE);
                step(Err(error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{
        MemoryJournal,
        codec::{Kept, Meta},
        hash,
    };

    fn game(name: &str) -> StreamId {
        StreamId::Game(name.to_owned())
    }

    /// A stream of chained entries.
    fn fill(journal: &MemoryJournal, stream: &StreamId, count: u64) {
        let mut previous_hash = codec::NO_HASH;
        for after in 0..count {
            let meta = Meta { previous_hash, wall_ms: after as i64, ..Meta::default() };
            let bytes = codec::entry("", "", &meta, &[Kept::Overdue(after)], &[]);
            previous_hash = hash(&bytes);
            assert!(journal.append(stream, after, bytes).wait().is_ok());
        }
    }

    #[test]
    fn a_good_journal_has_no_findings() {
        let journal = MemoryJournal::new();
        fill(&journal, &game("a"), 600);
        fill(&journal, &StreamId::Desk, 1);
        let verified = verify(&journal);
        assert_eq!(verified, Verified { streams: 2, entries: 601, findings: vec![] });
        assert_eq!(verified.to_string(), "2 streams, 601 entries, all as they were written");
    }

    #[test]
    fn every_kind_of_damage_is_found_and_the_rest_is_read() {
        let journal = MemoryJournal::new();
        fill(&journal, &game("a"), 300);
        journal.damage(&game("a"), 1);
        journal.damage(&game("a"), 280);
        fill(&journal, &game("b"), 5);
        let unchained = codec::entry("", "", &Meta::default(), &[Kept::Overdue(1)], &[]);
        assert!(journal.append(&game("b"), 5, unchained).wait().is_ok());
        assert!(journal.append(&game("c"), 0, b"\xff\xff".to_vec()).wait().is_ok());
        let verified = verify(&journal);
        assert_eq!((verified.streams, verified.entries), (3, 298 + 6 + 1));
        let brief = |finding: &VerifyFinding| match finding {
            VerifyFinding::Damaged { stream, index, .. } => format!("damaged {stream} {index}"),
            VerifyFinding::ChainBroken { stream, index, .. } => format!("chain {stream} {index}"),
            VerifyFinding::Unreadable { stream, index, .. } => format!("unreadable {stream} {index}"),
            other => other.to_string(),
        };
        let brief: Vec<_> = verified.findings.iter().map(brief).collect();
        assert_eq!(brief, ["damaged game/a 1", "damaged game/a 280", "chain game/b 6", "unreadable game/c 1"]);
        let json = serde_json::to_value(&verified).expect("json");
        assert_eq!(json["findings"][2]["finding"], "chain_broken");
        assert_eq!(json["findings"][2]["named"], "00".repeat(32));
    }
}
