//! The high-water mark: how far the journal once reached, kept outside sled because sled cannot know what it has lost.
//!
//! ```text
//!   flagfall high-water 1 position=123456 lost=0 crc=8f1c02aa⏎
//! ```
//!
//! One line of text in `<dir>/high-water`: the version of this layout; the highest position ever durable, at most a second
//! old; how many entries up to there were lost with the operator's consent; CRC-32C in hexadecimal of all before ` crc=`.
//! Written to `high-water.new`, synced and renamed, so that it is always whole. It lags behind the database and is never
//! ahead of it. Lifetime: that of the directory.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::OpenError;

/// How far a journal reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The highest position ever durable.
    pub(super) position: u64,
    /// How many entries up to it were lost with consent.
    pub(super) lost: u64,
}

impl Mark {
    /// The mark, raised to a position that is known to be durable.
    pub(super) fn raised(self, position: u64) -> Mark {
        Mark { position: self.position.max(position), ..self }
    }

    fn line(self) -> String {
        let text = format!("flagfall high-water 1 position={} lost={}", self.position, self.lost);
        format!("{text} crc={:08x}\n", crc32c::crc32c(text.as_bytes()))
    }

    fn parse(line: &str) -> Option<Mark> {
        let fields = line.strip_prefix("flagfall high-water 1 position=")?.split_once(" crc=")?.0;
        let (position, lost) = fields.split_once(" lost=")?;
        let mark = Mark { position: position.parse().ok()?, lost: lost.parse().ok()? };
        // Comparing the whole line checks the checksum, and that there is one way only to write a mark.
        (mark.line() == line).then_some(mark)
    }
}

/// The file of a mark.
pub(super) struct MarkFile {
    path: PathBuf,
    draft: PathBuf,
}

impl MarkFile {
    pub(super) fn new(dir: &Path) -> MarkFile {
        MarkFile { path: dir.join("high-water"), draft: dir.join("high-water.new") }
    }

    /// The mark; `None` when there is no file.
    pub(super) fn read(&self) -> Result<Option<Mark>, String> {
        match fs::read(&self.path) {
            Ok(bytes) => match std::str::from_utf8(&bytes).ok().and_then(Mark::parse) {
                Some(mark) => Ok(Some(mark)),
                None => Err("is damaged".to_owned()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot be read ({error})")),
        }
    }

    /// Replaces the mark.
    pub(super) fn write(&self, mark: Mark) -> Result<(), OpenError> {
        self.replace(mark).map_err(|source| OpenError::Io { path: self.path.clone(), source })
    }

    fn replace(&self, mark: Mark) -> io::Result<()> {
        let mut draft = File::create(&self.draft)?;
        draft.write_all(mark.line().as_bytes())?;
        draft.sync_all()?;
        fs::rename(&self.draft, &self.path)
    }

    pub(super) fn unusable(&self, reason: &str) -> OpenError {
        OpenError::NoMark { path: self.path.clone(), reason: reason.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_mark_comes_back(position: u64, lost: u64) {
            let mark = Mark { position, lost };
            prop_assert_eq!(Mark::parse(&mark.line()), Some(mark));
        }

        #[test]
        fn a_changed_mark_is_none(position: u64, lost: u64, at: prop::sample::Index, to in 0..128u8) {
            let mut line = Mark { position, lost }.line().into_bytes();
            let at = at.index(line.len());
            prop_assume!(line[at] != to);
            line[at] = to;
            prop_assert_eq!(std::str::from_utf8(&line).ok().and_then(Mark::parse), None);
        }
    }

    #[test]
    fn it_is_missing_damaged_or_whole() {
        let dir = tempfile::tempdir().expect("directory");
        let file = MarkFile::new(dir.path());
        assert_eq!(file.read(), Ok(None));
        file.write(Mark { position: 7, lost: 1 }).expect("written");
        assert_eq!(file.read(), Ok(Some(Mark { position: 7, lost: 1 })));
        fs::write(dir.path().join("high-water"), "flagfall high-water 1 position=9 lost=1 crc=00000000\n")
            .expect("write");
        assert_eq!(file.read(), Err("is damaged".to_owned()));
    }
}
