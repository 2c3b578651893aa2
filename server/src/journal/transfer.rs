//! A whole journal into one file, and back.
//!
//! ```text
//!   export:   every stream ─▶ FILE.new ─▶ synced ─▶ FILE
//!   restore:  FILE, read to its end and checked ─▶ DIR/.restoring ─▶ every clock's epoch raised ─▶ DIR, its mark last
//! ```
//!
//! The directory is filled from within: it may be where a disk is mounted, and nothing is renamed from one disk to another. A database
//! without its mark does not open, so one that was moved in part is none.
//!
//! An entry that is whole and that this version does not understand is carried like any other, and said: its game is set apart at the
//! next start, and the event is not lost for it. A game that cannot be read to its end is left out, and said.
//!
//! A restored journal is the same streams, entry by entry and chain by chain; positions are given anew. The journal that was exported
//! may have gone on for a while before it died: each clock's session epoch goes on far above any that it can have given.

use std::{
    collections::{BTreeMap, VecDeque},
    ffi::OsString,
    fs::{self, File},
    io::{self, BufReader, BufWriter},
    path::{Path, PathBuf},
};

use flagfall_proto::journal::v1::Entry;

use super::{
    AppendError, Journal, ReadError, ShelveError, Short, SledJournal, StreamId, Ticket,
    archive::{ArchiveError, Contents, Reader, Record, Writer},
    codec::{self, Kept, Meta},
    frame::frame,
    sled::{OpenError, Options},
    verify::{self, VerifyFinding},
};

/// How far a clock's epoch is raised: a clock that connects anew every second for eleven days stays below.
pub const EPOCHS: u64 = 1 << 20;

/// Entries read, and written, at a time.
const PAGE: usize = 256;

/// Where a journal is made that is not whole yet.
const DRAFT: &str = ".restoring";

/// Told how many entries are done, of how many.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64);

/// Why a journal was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The file is there already.
    #[error("{0} is there already: choose another name, nothing is overwritten")]
    Exists(PathBuf),
    /// A stream lost its end.
    #[error("{} had {} entries and has {}: an export would hide that; accept it first with --accept-loss", .0.stream, .0.had, .0.has)]
    Short(Short),
    /// A stream cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output takes no more.
    #[error("{path}: {source}")]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Why a journal was not restored. Nothing is left behind but what the message names.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// There is something in the directory.
    #[error("{0} is not empty: restore into a directory of its own")]
    NotEmpty(PathBuf),
    /// The file cannot be opened, or the directory not made.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what was exported.
    #[error("{file} {error}")]
    Archive {
        /// The file.
        file: PathBuf,
        /// What is wrong with it, and at which byte.
        error: ArchiveError,
    },
    /// The entries in it are not those of a journal.
    #[error("{file}: {finding}: the journal was damaged when it was exported, or the file was made by something else")]
    Finding {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        finding: VerifyFinding,
    },
    /// The new journal cannot be made.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It does not take an entry.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A finished game does not go to the shelf.
    #[error(transparent)]
    Shelve(#[from] ShelveError),
}

/// What came of an export.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Exported {
    /// What is in the file.
    #[serde(flatten)]
    pub contents: Contents,
    /// What is in it and cannot be understood, and why games are not in it.
    pub findings: Vec<VerifyFinding>,
    /// The games that are not in it, for they cannot be read.
    pub left_out: Vec<String>,
}

/// What came of a restore.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Restored {
    /// What was in the file.
    #[serde(flatten)]
    pub contents: Contents,
    /// Clocks whose epoch was raised.
    pub clocks: u64,
    /// What was carried along and cannot be understood.
    pub findings: Vec<VerifyFinding>,
}

/// What a file is found to hold.
struct Checked {
    contents: Contents,
    /// The SHA-256 that stands for it.
    digest: [u8; 32],
    findings: Vec<VerifyFinding>,
}

/// Writes every stream of a journal into a new file, and checks each entry that it writes.
///
/// # Errors
/// The file is there, a stream is not whole, or the disk takes no more. The file is not made then.
pub fn export(journal: &dyn Journal, path: &Path, progress: Progress<'_>) -> Result<Exported, ExportError> {
    if path.exists() {
        return Err(ExportError::Exists(path.to_owned()));
    }
    if let Some(short) = journal.short().into_iter().next() {
        return Err(ExportError::Short(short));
    }
    let draft = beside(path, "new");
    let exported = write(journal, &draft, progress).and_then(|exported| {
        let named = fs::rename(&draft, path).and_then(|()| sync_parent(path));
        named.map_err(|source| ExportError::Output { path: path.to_owned(), source })?;
        Ok(exported)
    });
    exported.inspect_err(|_| drop(fs::remove_file(&draft)))
}

fn write(journal: &dyn Journal, draft: &Path, progress: Progress<'_>) -> Result<Exported, ExportError> {
    let output = |source| ExportError::Output { path: draft.to_owned(), source };
    let mut notes: BTreeMap<_, _> = journal.shelved()?.into_iter().collect();
    let (mut streams, mut findings, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for stream in journal.streams()? {
        match journal.last(&stream) {
            Ok(last) => streams.push((stream, last.map_or(0, |(index, _)| index))),
            Err(error @ ReadError::OnShelf { .. }) => {
                findings.push(error.into());
                left_out.push(stream.to_string());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let (mut done, of) = (0, streams.iter().map(|(_, entries)| entries).sum());
    let file = File::options().write(true).create_new(true).open(draft).map_err(output)?;
    let mut writer = Writer::new(BufWriter::new(file)).map_err(output)?;
    for (stream, entries) in streams {
        writer.stream(&stream, entries, notes.remove(&stream).as_deref()).map_err(output)?;
        let (mut next, mut before) = (1, codec::NO_HASH);
        while next <= entries {
            for entry in journal.read(&stream, next, PAGE)?.into_iter().take_while(|entry| entry.index <= entries) {
                findings.extend(verify::check(stream.to_string(), &entry, Some(before)));
                before = entry.hash;
                writer.entry(&frame(entry.position, &entry.bytes)).map_err(output)?;
                next = entry.index + 1;
                done += 1;
            }
            progress(done, of);
        }
    }
    let (out, contents) = writer.finish().map_err(output)?;
    let file = out.into_inner().map_err(|error| output(error.into_error()))?;
    file.sync_all().map_err(output)?;
    Ok(Exported { contents, findings, left_out })
}

/// Reads a file to its end and checks all of it: every checksum, every chain, every entry.
fn check(file: &Path) -> Result<Checked, RestoreError> {
    let mut reader = open(file)?;
    let (mut name, mut before, mut findings) = (String::new(), codec::NO_HASH, Vec::new());
    loop {
        match reader.record().map_err(|error| RestoreError::Archive { file: file.to_owned(), error })? {
            Record::Stream { stream, .. } => (name, before) = (stream.to_string(), codec::NO_HASH),
            Record::Entry { stored } => {
                match verify::check(name.clone(), &stored, Some(before)) {
                    Some(finding @ VerifyFinding::Unreadable { .. }) => findings.push(finding),
                    Some(finding) => return Err(RestoreError::Finding { file: file.to_owned(), finding }),
                    None => {}
                }
                before = stored.hash;
            }
            Record::End { contents, digest } => return Ok(Checked { contents, digest, findings }),
        }
    }
}

fn open(file: &Path) -> Result<Reader<BufReader<File>>, RestoreError> {
    let opened = File::open(file).map_err(|source| RestoreError::Io { path: file.to_owned(), source })?;
    Reader::new(BufReader::new(opened)).map_err(|error| RestoreError::Archive { file: file.to_owned(), error })
}

/// Makes the journal of a directory from a file, after all of the file was checked. The directory may be there and empty, but for what a
/// disk has of itself and what an attempt that was interrupted left.
///
/// # Errors
/// The directory is not empty, or the file is not what was exported.
pub fn restore(file: &Path, dir: &Path, progress: Progress<'_>) -> Result<Restored, RestoreError> {
    const OF_NOBODY: [&str; 2] = ["lost+found", DRAFT];
    let io = |source| RestoreError::Io { path: dir.to_owned(), source };
    let (was_there, draft) = (dir.exists(), dir.join(DRAFT));
    if was_there && !names(dir).map_err(io)?.iter().all(|name| OF_NOBODY.iter().any(|other| name == other)) {
        return Err(RestoreError::NotEmpty(dir.to_owned()));
    }
    let checked = check(file)?;
    if !was_there {
        fs::create_dir_all(dir).and_then(|()| sync_parent(dir)).map_err(io)?;
    }
    drop(fs::remove_dir_all(&draft));
    let restored = fill(file, &draft, &checked, progress).and_then(|clocks| {
        settle(&draft, dir).map_err(io)?;
        let Checked { contents, findings, .. } = checked;
        Ok(Restored { contents, clocks, findings })
    });
    restored.inspect_err(|_| {
        drop(fs::remove_dir_all(&draft));
        // Fails when something is in it.
        drop(if was_there { Ok(()) } else { fs::remove_dir(dir) });
    })
}

/// A stream that is being filled.
struct Filling {
    stream: StreamId,
    note: Option<Vec<u8>>,
    end: (u64, [u8; 32]),
    epoch: u64,
}

fn fill(file: &Path, dir: &Path, checked: &Checked, progress: Progress<'_>) -> Result<u64, RestoreError> {
    let &Checked { contents, digest: export, .. } = checked;
    let journal = SledJournal::open(&Options::new(dir))?;
    let mut reader = open(file)?;
    let (mut done, mut clocks, mut tickets) = (0, 0, VecDeque::new());
    let mut filling: Option<Filling> = None;
    loop {
        let record = reader.record().map_err(|error| RestoreError::Archive { file: file.to_owned(), error })?;
        if let Record::Entry { stored } = record {
            let Some(filling) = &mut filling else { continue };
            if matches!(filling.stream, StreamId::Device(_)) {
                // Of one that cannot be understood as a whole, too.
                let epoch = codec::message::<Entry>(&stored.bytes).map_or(0, |entry| entry.session_epoch);
                filling.epoch = filling.epoch.max(epoch);
            }
            filling.end = (stored.index, stored.hash);
            tickets.push_back(journal.append(&filling.stream, stored.index - 1, stored.bytes));
            if tickets.len() >= PAGE {
                tickets.pop_front().map_or(Ok(()), |ticket: Ticket| ticket.wait().map(drop))?;
            }
            done += 1;
            progress(done, contents.entries);
            continue;
        }
        if let Some(Filling { stream, note, end: (index, previous_hash), epoch }) = filling.take() {
            if matches!(stream, StreamId::Device(_)) {
                let meta = Meta {
                    previous_hash,
                    session_epoch: epoch + EPOCHS,
                    wall_ms: journal.wall_ms(),
                    spool_id: Vec::new(),
                };
                let raised = codec::entry("", "", &meta, &[Kept::Restored(export)], &[]);
                tickets.push_back(journal.append(&stream, index, raised));
                clocks += 1;
            }
            tickets.drain(..).try_for_each(|ticket| ticket.wait().map(drop))?;
            if let Some(note) = note {
                journal.shelve(&stream, &note)?;
            }
        }
        match record {
            Record::Stream { stream, note, .. } => {
                filling = Some(Filling { stream, note, end: (0, codec::NO_HASH), epoch: 0 });
            }
            _ => return Ok(clocks),
        }
    }
}

/// What is in a directory.
fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect()
}

/// Moves a journal out of its draft: the database first, so that none is begun in its place, and the mark that opens it last.
fn settle(draft: &Path, dir: &Path) -> io::Result<()> {
    let mut moved = names(draft)?;
    moved.sort_by_key(|name| (name == "high-water", name != "db"));
    for name in moved {
        if name == "high-water" {
            File::open(dir)?.sync_all()?;
        }
        fs::rename(draft.join(&name), dir.join(&name))?;
    }
    fs::remove_dir(draft)?;
    File::open(dir)?.sync_all()
}

/// Makes a name durable.
fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    File::open(parent)?.sync_all()
}

/// A name beside another: `FILE.END`.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{end}"));
    path.with_file_name(name)
}

/// A line for people.
impl std::fmt::Display for Contents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} streams, {} entries", self.streams, self.entries)
    }
}

#[cfg(test)]
mod tests;
