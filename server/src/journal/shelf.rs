//! The shelf: games that are finished lie in files of their own, and the tree keeps only where.
//!
//! ```text
//!   <dir>/games/NAME.ffg        the game, as in [`archive`](super::archive)       <dir>/games/NAME.ffg.new   one that is being written
//!
//!   draft ─▶ sync it ─▶ rename ─▶ sync the directory ─▶ one batch: the place goes into the tree, the entries leave it
//! ```
//!
//! The tree decides what is true. A file counts as far as the place in the tree says, and not at all without one: a crash before
//! the batch leaves the entries where they were and a file that nobody asks for; after it, the file alone has them. What comes
//! later to a game on the shelf is kept in the tree behind it, until all of it is laid down again.
//!
//! A place is the value of its key, framed as an entry's value is (module `frame`), with the highest position of its
//! entries and this body:
//!
//! ```text
//!   offset   size   field
//!   0        8      how many entries of the file count, big-endian
//!   8        8      the least length of the file in bytes, big-endian
//!   16       32     SHA-256 of the last of those entries
//!   48       n      note: what is told of the stream without reading it, see [`codec::Note`](super::codec::Note)
//! ```

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter},
    ops::Range,
    path::{Path, PathBuf},
};

use super::{
    ReadError, Stored, StreamId,
    archive::{self, Reader, Record, Writer},
    frame::{self, FrameError},
};
use crate::wire::is_name;

/// The longest name of a game that gets a file, in bytes.
const NAME: usize = 128;

const FILE: &str = ".ffg";
const DRAFT: &str = ".new";

/// Why a stream was not laid on the shelf. Where it was before it still is.
#[derive(Debug, thiserror::Error)]
pub enum ShelveError {
    /// Its name is none for a file.
    #[error("{0} stays in the store: only games named by [A-Za-z0-9._-] get a file of their own")]
    Name(StreamId),
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The disk does not take the file.
    #[error("{path}: {source}: the game stays in the store; look after the disk and its space")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The store did not take the change.
    #[error(transparent)]
    Append(#[from] super::AppendError),
    /// A test wanted it to end here.
    #[error("stopped after {0:?}")]
    Stopped(Step),
}

/// What is done one after the other, for tests that stop in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The draft is written.
    Draft,
    /// The draft is on disk.
    Sync,
    /// It has its name.
    Rename,
    /// The name is on disk.
    Settle,
}

/// Where a stream lies, as the tree keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) entries: u64,
    pub(super) bytes: u64,
    /// The highest position of its entries.
    pub(super) position: u64,
    pub(super) hash: [u8; 32],
    pub(super) note: Vec<u8>,
}

impl Place {
    pub(super) fn value(&self) -> Vec<u8> {
        let Place { entries, bytes, position, hash, note } = self;
        frame::frame(*position, &[&entries.to_be_bytes()[..], &bytes.to_be_bytes(), hash, note].concat())
    }

    pub(super) fn parse(value: &[u8]) -> Result<Place, FrameError> {
        let (position, body) = frame::unframe(value)?;
        let parse = || {
            let (entries, body) = body.split_first_chunk()?;
            let (bytes, body) = body.split_first_chunk()?;
            let (hash, note) = body.split_first_chunk()?;
            let (entries, bytes) = (u64::from_be_bytes(*entries), u64::from_be_bytes(*bytes));
            Some(Place { entries, bytes, position, hash: *hash, note: note.to_vec() })
        };
        parse().ok_or(FrameError::Short(value.len()))
    }
}

/// A stream that may have a file: a game by a name that leads nowhere else.
pub(super) fn has_file(stream: &StreamId) -> bool {
    matches!(stream, StreamId::Game(name) if is_name(name, NAME))
}

/// The directory.
pub(super) struct Shelf {
    dir: PathBuf,
    stop_after: Option<Step>,
}

impl Shelf {
    /// The shelf of a journal's directory; drafts that a crash left are thrown away when `tidy`.
    pub(super) fn new(dir: &Path, stop_after: Option<Step>, tidy: bool) -> Shelf {
        let shelf = Shelf { dir: dir.join("games"), stop_after };
        let drafts = fs::read_dir(&shelf.dir).into_iter().flatten().flatten().map(|file| file.path());
        drafts
            .filter(|path| tidy && path.to_string_lossy().ends_with(DRAFT))
            .for_each(|path| drop(fs::remove_file(path)));
        shelf
    }

    /// The file of a stream; only names that cannot lead out of the directory have one.
    pub(super) fn path(&self, stream: &StreamId) -> Result<PathBuf, ShelveError> {
        match has_file(stream) {
            true => Ok(self.dir.join(format!("{}{FILE}", stream.name()))),
            false => Err(ShelveError::Name(stream.clone())),
        }
    }

    /// Lays a whole stream down, up to the last step before the tree hears of it.
    pub(super) fn lay(&self, stream: &StreamId, entries: &[Stored], note: &[u8]) -> Result<Place, ShelveError> {
        let path = self.path(stream)?;
        let draft = path.with_file_name(format!("{}{FILE}{DRAFT}", stream.name()));
        let write = || {
            fs::create_dir_all(&self.dir)?;
            let mut writer = Writer::new(BufWriter::new(File::create(&draft)?))?;
            writer.stream(stream, entries.len() as u64, Some(note))?;
            for entry in entries {
                writer.entry(&frame::frame(entry.position, &entry.bytes))?;
            }
            writer.finish()?.0.into_inner().map_err(io::IntoInnerError::into_error)
        };
        let at = |path: &Path| {
            let path = path.to_owned();
            |source| ShelveError::Io { path, source }
        };
        let file = write().map_err(at(&draft))?;
        self.after(Step::Draft)?;
        file.sync_all().map_err(at(&draft))?;
        let bytes = file.metadata().map_err(at(&draft))?.len();
        self.after(Step::Sync)?;
        fs::rename(&draft, &path).map_err(at(&path))?;
        self.after(Step::Rename)?;
        for dir in [Some(self.dir.as_path()), self.dir.parent()].into_iter().flatten() {
            File::open(dir).and_then(|dir| dir.sync_all()).map_err(at(dir))?;
        }
        self.after(Step::Settle)?;
        let (position, hash) = entries.last().map_or((0, [0; 32]), |entry| (entry.position, entry.hash));
        Ok(Place { entries: entries.len() as u64, bytes, position, hash, note: note.to_vec() })
    }

    fn after(&self, step: Step) -> Result<(), ShelveError> {
        if self.stop_after == Some(step) { Err(ShelveError::Stopped(step)) } else { Ok(()) }
    }

    /// The file is there, and as long as it was: what is in it is seen when it is read.
    pub(super) fn holds(&self, stream: &StreamId, place: &Place) -> bool {
        let len = self.path(stream).ok().and_then(|path| fs::metadata(path).ok()).map(|file| file.len());
        len.is_some_and(|len| len >= place.bytes)
    }

    /// Entries of a stream that lies here; `place` says how far the file counts.
    pub(super) fn read(&self, stream: &StreamId, place: &Place, wanted: Range<u64>) -> Result<Vec<Stored>, ReadError> {
        let (mut read, mut next) = (Vec::new(), 1);
        let wanted = wanted.start..wanted.end.min(place.entries + 1);
        if wanted.is_empty() {
            return Ok(read);
        }
        let told = self.each(stream, |entry| {
            next = entry.index + 1;
            if entry.index == place.entries && entry.hash != place.hash {
                return Err("its last entry is another one than was laid down".to_owned());
            }
            if wanted.contains(&entry.index) {
                read.push(entry);
            }
            Ok(next < wanted.end)
        });
        match told {
            Ok(()) if next >= wanted.end => Ok(read),
            Ok(()) => Err(self.damaged(stream, next, "it has fewer entries than were laid down".to_owned())),
            Err(reason) => Err(self.damaged(stream, next.max(wanted.start), reason)),
        }
    }

    /// Everything that can be read of a game whose place is not known, because the tree cannot be read.
    pub(super) fn salvage(&self, stream: &StreamId) -> (Vec<Stored>, Option<ReadError>) {
        let mut read = Vec::new();
        let told = self.each(stream, |entry| {
            read.push(entry);
            Ok(true)
        });
        let next = read.len() as u64 + 1;
        let error = told.err().map(|reason| self.damaged(stream, next, reason));
        (read, error)
    }

    /// The games that have a file.
    pub(super) fn games(&self) -> Vec<StreamId> {
        let files = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let names = files.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(FILE)?.to_owned()));
        let mut games: Vec<_> = names.map(StreamId::Game).filter(has_file).collect();
        games.sort_unstable();
        games
    }

    fn each(&self, stream: &StreamId, mut take: impl FnMut(Stored) -> Result<bool, String>) -> Result<(), String> {
        let path = self.path(stream).map_err(|error| error.to_string())?;
        let file = File::open(&path).map_err(|error| error.to_string())?;
        let told = |error: archive::ArchiveError| error.to_string();
        let mut reader = Reader::new(BufReader::new(file)).map_err(told)?;
        loop {
            match reader.record().map_err(told)? {
                Record::Stream { stream: other, .. } if other != *stream => return Err(format!("it is {other}'s")),
                Record::Stream { .. } => {}
                Record::Entry { stored } => {
                    if !take(stored)? {
                        return Ok(());
                    }
                }
                Record::End { .. } => return Ok(()),
            }
        }
    }

    fn damaged(&self, stream: &StreamId, index: u64, reason: String) -> ReadError {
        let file = self.path(stream).unwrap_or_else(|_| self.dir.clone());
        ReadError::OnShelf { stream: stream.clone(), index, file, reason }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_place_comes_back(entries: u64, bytes: u64, position: u64, hash: [u8; 32], note: Vec<u8>) {
            let place = Place { entries, bytes, position, hash, note };
            prop_assert_eq!(Place::parse(&place.value()), Ok(place));
        }

        #[test]
        fn any_value_is_a_place_or_none(value: Vec<u8>, position: u64) {
            let _ = Place::parse(&value);
            let _ = Place::parse(&frame::frame(position, &value));
        }
    }

    #[test]
    fn no_name_leads_out_of_the_directory() {
        let shelf = Shelf::new(Path::new("/data"), None, false);
        let path = |name: &str| shelf.path(&StreamId::Game(name.to_owned()));
        assert_eq!(path("r1.b07").expect("a name"), Path::new("/data/games/r1.b07.ffg"));
        // Dots are letters of a file's name here, not a way up.
        assert_eq!(path("..").expect("a name"), Path::new("/data/games/...ffg"));
        for name in ["", "../x", "a/b", "/etc/passwd", "a\0b", "партия", &"n".repeat(129)] {
            assert!(matches!(path(name), Err(ShelveError::Name(_))), "{name:?}");
        }
        for other in [StreamId::Desk, StreamId::Device("a".into()), StreamId::Round("1".into())] {
            assert!(shelf.path(&other).is_err(), "{other}");
        }
    }
}
