//! The spool on disk: one file of frames in a folder, and a lock beside it.
//!
//! ```text
//!   folder/spool.lock   held as long as the agent lives
//!   folder/spool.ff     the frames; see `layout`
//!   folder/spool.new    the next spool while it is made; renamed over the other when it is whole
//! ```

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    ops::Range,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use super::{
    Record, Spool, SpoolError,
    layout::{self, Entry, FRAME_HEAD, FRAME_MAX, HEADER},
    ledger::Ledger,
};
use crate::{
    core::Stored,
    wire::{self, Hash, NO_HASH},
};

/// The spool of a real clock.
#[derive(Debug)]
pub struct FileSpool {
    folder: PathBuf,
    path: PathBuf,
    file: File,
    /// Held for its lock.
    _lock: File,
    id: [u8; 16],
    /// Where the next frame goes.
    end: u64,
    /// Where in the file each event's bytes are; number 1 first.
    index: Vec<Range<u64>>,
    ledger: Ledger,
    failed: bool,
}

/// What was found when a spool was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// What the clock remembers.
    pub stored: Stored,
    /// Bytes of an append that power interrupted and that were cut off; 0 as a rule. Nothing in them was ever told.
    pub torn: u64,
}

impl FileSpool {
    /// Opens the spool in a folder, or begins one. Cuts off what an interrupted append left behind.
    ///
    /// # Errors
    /// Another agent holds it, it is damaged before its end, it is no spool, or the disk fails.
    pub fn open(folder: &Path) -> Result<(FileSpool, Recovered), SpoolError> {
        fs::create_dir_all(folder).map_err(failed("create the folder of", folder))?;
        let lock_path = folder.join("spool.lock");
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).open(&lock_path);
        let lock = lock.map_err(failed("lock", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(SpoolError::Locked { path: folder.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(failed("lock", &lock_path)(source)),
        }
        let path = folder.join("spool.ff");
        let bytes = match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed("read", &path)(error)),
        };
        let Some(bytes) = bytes else {
            let id = uuid::Uuid::new_v4().into_bytes();
            let (file, end) = begin(folder, &path, &id, &[])?;
            let ledger = Ledger::default();
            let recovered = Recovered { stored: Stored::default(), torn: 0 };
            let folder = folder.to_owned();
            let spool =
                FileSpool { folder, path, file, _lock: lock, id, end, index: Vec::new(), ledger, failed: false };
            return Ok((spool, recovered));
        };
        let Scanned { id, end, index, ledger } = scan(&path, &bytes)?;
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(failed("open", &path))?;
        let torn = bytes.len() as u64 - end;
        if torn > 0 {
            // The next frame must not be read together with what is left of this one.
            file.set_len(end).and_then(|()| file.sync_all()).map_err(failed("cut the torn end off", &path))?;
        }
        let recovered = Recovered { stored: ledger.stored().clone(), torn };
        let folder = folder.to_owned();
        Ok((FileSpool { folder, path, file, _lock: lock, id, end, index, ledger, failed: false }, recovered))
    }

    fn event(&self, range: &Range<u64>) -> Result<Vec<u8>, SpoolError> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, range.start).map_err(failed("read", &self.path))?;
        Ok(bytes)
    }

    /// Puts another file under the spool, one that fails.
    #[cfg(test)]
    pub(super) fn stand_on(&mut self, file: File) {
        self.file = file;
    }

    fn range(&self, seq: u64) -> Option<&Range<u64>> {
        self.index.get(usize::try_from(seq.checked_sub(1)?).ok()?)
    }
}

impl Spool for FileSpool {
    fn append(&mut self, records: &[Record]) -> Result<(), SpoolError> {
        if self.failed {
            return Err(SpoolError::Failed { path: self.path.clone() });
        }
        if records.is_empty() {
            return Ok(());
        }
        let (ledger, entries) = self.ledger.after(records)?;
        let (frame, events) = layout::frame(&self.id, self.end, &entries);
        if frame.len() - FRAME_HEAD > FRAME_MAX {
            return Err(SpoolError::TooLong { bytes: frame.len() - FRAME_HEAD });
        }
        let write = || {
            #[cfg(feature = "failpoints")]
            fail::fail_point!("before-write");
            self.file.write_all_at(&frame, self.end)?;
            #[cfg(feature = "failpoints")]
            fail::fail_point!("before-fsync");
            self.file.sync_data()
        };
        let written = write();
        if let Err(source) = written {
            // Nobody knows what is on the disk now; only opening it again can tell.
            self.failed = true;
            return Err(failed("write", &self.path)(source));
        }
        self.index.extend(events.into_iter().map(|range| at(self.end, &range)));
        self.end += frame.len() as u64;
        self.ledger = ledger;
        Ok(())
    }

    fn read(&self, from: u64, max: usize) -> Result<Vec<Vec<u8>>, SpoolError> {
        let skip = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
        self.index.iter().skip(skip).take(max).map(|range| self.event(range)).collect()
    }

    fn last_seq(&self) -> u64 {
        self.ledger.last_seq()
    }

    fn chain_hash(&self, seq: u64) -> Result<Option<Hash>, SpoolError> {
        if seq == 0 {
            return Ok(Some(NO_HASH));
        }
        self.range(seq).map(|range| self.event(range).map(|event| wire::hash(&event))).transpose()
    }

    fn spool_id(&self) -> [u8; 16] {
        self.id
    }

    fn stored(&self) -> Stored {
        self.ledger.stored().clone()
    }

    fn size(&self) -> u64 {
        self.end
    }

    fn forget(&mut self) -> Result<(), SpoolError> {
        if self.failed {
            return Err(SpoolError::Failed { path: self.path.clone() });
        }
        let id = uuid::Uuid::new_v4().into_bytes();
        let ledger = self.ledger.next(self.id);
        let present = [Entry::Snapshot(Box::new(ledger.stored().clone()))];
        match begin(&self.folder, &self.path, &id, &present) {
            Ok((file, end)) => {
                (self.file, self.end, self.id, self.ledger) = (file, end, id, ledger);
                self.index.clear();
                Ok(())
            }
            Err(error) => {
                // Whether the new name is on the disk is not known.
                self.failed = true;
                Err(error)
            }
        }
    }
}

/// Makes a whole new spool beside the old one and puts it in its place.
fn begin(folder: &Path, path: &Path, id: &[u8; 16], entries: &[Entry]) -> Result<(File, u64), SpoolError> {
    let next = folder.join("spool.new");
    let mut bytes = layout::header(id).to_vec();
    if !entries.is_empty() {
        bytes.extend(layout::frame(id, HEADER as u64, entries).0);
    }
    let make = || {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&next)?;
        file.write_all_at(&bytes, 0)?;
        file.sync_all()?;
        fs::rename(&next, path)?;
        File::open(folder)?.sync_all()?;
        Ok(file)
    };
    let file = make().map_err(failed("begin", path))?;
    Ok((file, bytes.len() as u64))
}

/// What the bytes of a file say.
struct Scanned {
    id: [u8; 16],
    /// Where the last whole frame ends.
    end: u64,
    index: Vec<Range<u64>>,
    ledger: Ledger,
}

fn scan(path: &Path, bytes: &[u8]) -> Result<Scanned, SpoolError> {
    let damaged =
        |offset: usize, why: String| SpoolError::Damaged { path: path.to_owned(), offset: offset as u64, why };
    let id = layout::read_header(bytes).ok_or_else(|| {
        let lost = || damaged(bytes.len(), "it ends there: the disk has lost what was in it".to_owned());
        if layout::is_cut_header(bytes) { lost() } else { SpoolError::Foreign { path: path.to_owned() } }
    })?;
    let mut scanned = Scanned { id, end: HEADER as u64, index: Vec::new(), ledger: Ledger::default() };
    let mut offset = HEADER;
    while offset < bytes.len() {
        let Some(records) = layout::read_frame(&id, bytes, offset) else {
            // A torn append is the last thing in the file and no longer than one.
            let rest = bytes.len() - offset;
            let whole = |at: &usize| layout::may_begin(bytes, *at) && layout::read_frame(&id, bytes, *at).is_some();
            if rest > FRAME_HEAD + FRAME_MAX {
                return Err(damaged(offset, format!("{rest} bytes follow that are no record")));
            }
            if let Some(at) = (offset + 1..bytes.len()).find(whole) {
                return Err(damaged(offset, format!("whole records follow at byte {at}")));
            }
            break;
        };
        for (entry, range) in layout::entries(records).map_err(|refused| damaged(offset, refused.to_string()))? {
            scanned.ledger.take(&entry).map_err(|error| damaged(offset, error.to_string()))?;
            if matches!(entry, Entry::Record(Record::Event(_))) {
                let range = range.start + FRAME_HEAD..range.end + FRAME_HEAD;
                scanned.index.push(at(offset as u64, &range));
            }
        }
        offset += FRAME_HEAD + records.len();
        scanned.end = offset as u64;
    }
    Ok(scanned)
}

fn at(offset: u64, range: &Range<usize>) -> Range<u64> {
    offset + range.start as u64..offset + range.end as u64
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl Fn(io::Error) -> SpoolError + use<'a> {
    move |source| SpoolError::Io { action, path: path.to_owned(), source }
}
