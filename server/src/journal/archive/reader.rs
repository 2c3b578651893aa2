//! Reads a file of streams and believes nothing of it; the layout is documented in [`super`].

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::{ArchiveError, BODY_MAX, Contents, END, ENTRY, MAGIC, Reason, STREAM, VERSION};
use crate::journal::{ReadError, Stored, StreamId, keys, stored};

/// The next thing in a file.
#[derive(Debug)]
pub enum Record {
    /// A stream begins.
    Stream {
        /// Its name.
        stream: StreamId,
        /// How many entries it has; all of them follow.
        entries: u64,
        /// Its note, when it lay on the shelf.
        note: Option<Vec<u8>>,
    },
    /// The next entry of that stream.
    Entry {
        /// The entry.
        stored: Stored,
    },
    /// The file ends here, and is whole.
    End {
        /// What was in it.
        contents: Contents,
        /// SHA-256 of all before its last record: it stands for the whole.
        digest: [u8; 32],
    },
}

/// A file that is being read.
pub struct Reader<R> {
    input: R,
    digest: Sha256,
    /// Where the next record begins.
    at: u64,
    found: Contents,
    /// The stream that is being read, how many entries it has and how many were read.
    stream: Option<(StreamId, u64, u64)>,
}

impl<R: Read> Reader<R> {
    /// Reads the head.
    ///
    /// # Errors
    /// It is none of flagfall's, or of a later layout.
    pub fn new(input: R) -> Result<Reader<R>, ArchiveError> {
        let (digest, found) = (Sha256::new(), Contents::default());
        let mut reader = Reader { input, digest, at: 0, found, stream: None };
        let mut head = [0; 9];
        reader.fill(&mut head).map_err(|reason| ArchiveError { at: 0, reason })?;
        let (magic, version) = head.split_at(8);
        let reason = match version {
            _ if magic != MAGIC => Reason::NotOurs,
            &[version] if version != VERSION => Reason::Version(version),
            _ => return Ok(reader),
        };
        Err(ArchiveError { at: 0, reason })
    }

    /// The next record. Behind the end there is none; asking again is an error.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn record(&mut self) -> Result<Record, ArchiveError> {
        let (at, before) = (self.at, self.digest.clone());
        let record = self.body().and_then(|body| self.understand(&body, before));
        let record = record.map_err(|reason| ArchiveError { at, reason })?;
        if let Record::End { .. } = record {
            match self.input.read(&mut [0]) {
                Ok(0) => {}
                Ok(_) => return Err(ArchiveError { at: self.at, reason: Reason::Trailing }),
                Err(error) => return Err(ArchiveError { at: self.at, reason: error.into() }),
            }
        }
        Ok(record)
    }

    fn understand(&mut self, body: &[u8], before: Sha256) -> Result<Record, Reason> {
        let (&tag, rest) = body.split_first().ok_or(Reason::Length(0))?;
        match tag {
            STREAM => {
                self.is_complete()?;
                let (stream, entries, note) = beginning(rest).ok_or(Reason::Key)?;
                self.stream = Some((stream.clone(), entries, 0));
                self.found.streams += 1;
                Ok(Record::Stream { stream, entries, note })
            }
            ENTRY => {
                let Some((stream, entries, read)) = &mut self.stream else {
                    return Err(Reason::Order("an entry before any stream"));
                };
                if read == entries {
                    return Err(Reason::Order("a stream with more entries than it says"));
                }
                *read += 1;
                self.found.entries += 1;
                match stored(stream, *read, rest) {
                    Ok(stored) => Ok(Record::Entry { stored }),
                    Err(ReadError::Damaged { reason, .. }) => Err(Reason::Frame(reason)),
                    Err(error) => Err(Reason::Io(io::Error::other(error))),
                }
            }
            END => {
                self.is_complete()?;
                let (streams, rest) = rest.split_first_chunk().ok_or(Reason::CutOff)?;
                let (entries, digest) = rest.split_first_chunk().ok_or(Reason::CutOff)?;
                let said = Contents { streams: u64::from_be_bytes(*streams), entries: u64::from_be_bytes(*entries) };
                if said != self.found {
                    return Err(Reason::Count { found: self.found, said });
                }
                let found: [u8; 32] = before.finalize().into();
                if found[..] != *digest {
                    return Err(Reason::Digest);
                }
                Ok(Record::End { contents: said, digest: found })
            }
            other => Err(Reason::Tag(other)),
        }
    }

    fn is_complete(&self) -> Result<(), Reason> {
        match &self.stream {
            Some((_, entries, read)) if entries != read => {
                Err(Reason::Order("a stream with fewer entries than it says"))
            }
            _ => Ok(()),
        }
    }

    /// The body of the next record.
    fn body(&mut self) -> Result<Vec<u8>, Reason> {
        let (mut length, mut sum) = ([0; 4], [0; 4]);
        self.fill(&mut length)?;
        self.fill(&mut sum)?;
        let (bytes, stored) = (u32::from_be_bytes(length), u32::from_be_bytes(sum));
        let mut body = match bytes as usize {
            bytes @ 1..=BODY_MAX => vec![0; bytes],
            _ => return Err(Reason::Length(bytes)),
        };
        self.fill(&mut body)?;
        let found = crc32c::crc32c_append(crc32c::crc32c(&length), &body);
        if stored == found { Ok(body) } else { Err(Reason::Checksum { stored, found }) }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Reason> {
        match self.input.read_exact(bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(Reason::CutOff),
            Err(error) => return Err(error.into()),
        }
        self.digest.update(&*bytes);
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// Name, number of entries and note of a stream.
fn beginning(body: &[u8]) -> Option<(StreamId, u64, Option<Vec<u8>>)> {
    let (entries, rest) = body.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (prefix, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let (shelved, note) = rest.split_first()?;
    let note = match shelved {
        0 if note.is_empty() => None,
        1 => Some(note.to_vec()),
        _ => return None,
    };
    Some((keys::parse_prefix(prefix)?, u64::from_be_bytes(*entries), note))
}
