//! The file of a spool, opened as an agent does after a loss of power.

use std::{
    fs,
    path::{Path, PathBuf},
};

use flagfall_clock::{FileSpool, Spool, core::Checkpoint, spool::Record};
use flagfall_rules::clock::{Face, Place};

/// Length of the header and of what stands before a frame's records; `layout` of the spool draws them.
const HEADER: usize = 28;
const FRAME_HEAD: usize = 8;

/// The first byte says whether the checksums are made right: damage is one thing, a file that somebody wrote so another.
pub(super) fn run(bytes: &[u8]) {
    let Some((&how, file)) = bytes.split_first() else { return };
    let mut file = file.to_vec();
    if how % 2 == 1 {
        seal(&mut file);
    }
    let folder = tempfile::tempdir_in(quick_disk()).expect("a folder");
    open(folder.path(), &file);
}

fn open(folder: &Path, bytes: &[u8]) {
    fs::write(folder.join("spool.ff"), bytes).expect("written");
    let Ok((mut spool, found)) = FileSpool::open(folder) else { return };
    assert!(found.torn <= bytes.len() as u64);
    let last = spool.last_seq();
    let events = spool.read(1, usize::MAX).expect("what was found can be read");
    assert_eq!(events.len() as u64, last, "numbers have no gaps");
    assert!(spool.chain_hash(last).expect("read").is_some());
    // The clock goes on, and finds itself again.
    let checkpoint = Checkpoint { at: 5, face: Face::unknown(Place::Left) };
    spool.append(&[Record::Checkpoint { boot: 9, checkpoint }]).expect("appended");
    let (stored, id) = (spool.stored(), spool.spool_id());
    drop(spool);
    let (spool, found) = FileSpool::open(folder).expect("opened again");
    assert_eq!((found.torn, spool.spool_id(), spool.last_seq()), (0, id, last));
    assert_eq!(found.stored, stored);
}

/// Every open writes and syncs: in memory where there is a disk of it.
fn quick_disk() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Makes the checksums of header and frames right, as far as there are whole frames.
pub fn seal(file: &mut [u8]) {
    let Some((header, _)) = file.split_first_chunk_mut::<HEADER>() else { return };
    let crc = crc32c::crc32c(&header[..24]);
    header[24..].copy_from_slice(&crc.to_le_bytes());
    let id: [u8; 16] = std::array::from_fn(|at| header[8 + at]);
    let mut at = HEADER;
    while let Some(length) = file.get(at..at + 4).and_then(|bytes| bytes.first_chunk::<4>()).copied() {
        let end = at + FRAME_HEAD + u32::from_le_bytes(length) as usize;
        let Some(frame) = file.get_mut(at..end).filter(|frame| frame.len() > FRAME_HEAD) else { return };
        let head = [&id[..], &(at as u64).to_le_bytes(), &length].concat();
        let crc = crc32c::crc32c_append(crc32c::crc32c(&head), &frame[FRAME_HEAD..]);
        frame[4..FRAME_HEAD].copy_from_slice(&crc.to_le_bytes());
        at = end;
    }
}
