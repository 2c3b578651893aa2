//! Writes a file of streams; the layout is documented in [`super`].

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::{Contents, END, ENTRY, MAGIC, STREAM, VERSION};
use crate::journal::{StreamId, keys};

/// A file that is being written.
pub struct Writer<W> {
    out: W,
    digest: Sha256,
    contents: Contents,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// The output takes no more.
    pub fn new(out: W) -> io::Result<Writer<W>> {
        let mut writer = Writer { out, digest: Sha256::new(), contents: Contents::default() };
        writer.put(MAGIC)?;
        writer.put(&[VERSION])?;
        Ok(writer)
    }

    /// Begins a stream of so many entries, with the note of one that lies on the shelf.
    ///
    /// # Errors
    /// The output takes no more.
    pub fn stream(&mut self, stream: &StreamId, entries: u64, note: Option<&[u8]>) -> io::Result<()> {
        self.contents.streams += 1;
        let prefix = keys::prefix(stream);
        let length = u16::try_from(prefix.len()).map_err(io::Error::other)?.to_be_bytes();
        let (shelved, note) = note.map_or((0, &[][..]), |note| (1, note));
        self.record(STREAM, &[&entries.to_be_bytes(), &length, &prefix, &[shelved], note])
    }

    /// The next entry of the stream, as [`frame`](crate::journal::frame::frame) made it.
    ///
    /// # Errors
    /// The output takes no more.
    pub fn entry(&mut self, value: &[u8]) -> io::Result<()> {
        self.contents.entries += 1;
        self.record(ENTRY, &[value])
    }

    /// Ends the file; making it durable is the caller's.
    ///
    /// # Errors
    /// The output takes no more.
    pub fn finish(mut self) -> io::Result<(W, Contents)> {
        let digest = self.digest.clone().finalize();
        let Contents { streams, entries } = self.contents;
        self.record(END, &[&streams.to_be_bytes(), &entries.to_be_bytes(), &digest])?;
        self.out.flush()?;
        Ok((self.out, self.contents))
    }

    fn record(&mut self, tag: u8, parts: &[&[u8]]) -> io::Result<()> {
        let length = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
        let length = u32::try_from(length).map_err(io::Error::other)?.to_be_bytes();
        let mut sum = crc32c::crc32c_append(crc32c::crc32c(&length), &[tag]);
        for part in parts {
            sum = crc32c::crc32c_append(sum, part);
        }
        self.put(&length)?;
        self.put(&sum.to_be_bytes())?;
        self.put(&[tag])?;
        parts.iter().try_for_each(|part| self.put(part))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.out.write_all(bytes)
    }
}
