use std::{
    cell::RefCell,
    fs,
    process::Command,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::*;

mod shelf;
mod short;

use crate::journal::{AppendError, ENTRY_MAX, conformance};

fn game(name: &str) -> StreamId {
    StreamId::Game(name.to_owned())
}

fn open(dir: &TempDir) -> SledJournal {
    SledJournal::open(&Options::new(dir.path())).expect("open")
}

/// Appends `count` entries to a stream and waits for them.
fn fill(journal: &SledJournal, stream: &StreamId, count: u64) {
    let from = journal.last(stream).expect("last").map_or(0, |(index, _)| index);
    let tickets: Vec<_> =
        (from..from + count).map(|after| journal.append(stream, after, vec![after as u8; 200])).collect();
    tickets.into_iter().for_each(|ticket| assert!(ticket.wait().is_ok()));
}

#[test]
fn conforms() {
    let dirs = RefCell::new(Vec::new());
    conformance::all(|| {
        let dir = tempfile::tempdir().expect("directory");
        let journal = open(&dir);
        dirs.borrow_mut().push(dir);
        journal
    });
    for dir in dirs.borrow().iter() {
        let blobs = fs::read_dir(dir.path().join("blobs")).expect("blobs");
        assert_eq!(blobs.count(), 0, "no entry is kept where nothing syncs it");
    }
}

#[test]
fn a_restart_keeps_everything() {
    let dir = tempfile::tempdir().expect("directory");
    for round in 0..4 {
        let journal = open(&dir);
        for name in ["a", "b", "c"] {
            assert_eq!(journal.last(&game(name)).expect("last").map_or(0, |(index, _)| index), round * 50);
            fill(&journal, &game(name), 50);
        }
        assert_eq!(
            journal.append(&StreamId::Desk, round, vec![7]).wait().expect("appended").position,
            (round + 1) * 151
        );
    }
    let journal = open(&dir);
    assert_eq!(journal.streams().expect("streams"), [game("a"), game("b"), game("c"), StreamId::Desk]);
    for (n, entry) in journal.read(&game("b"), 1, 1_000).expect("read").iter().enumerate() {
        assert_eq!((entry.index, &entry.bytes), (n as u64 + 1, &vec![n as u8; 200]));
    }
}

#[test]
fn dropping_writes_what_waits() {
    let dir = tempfile::tempdir().expect("directory");
    let journal = open(&dir);
    let tickets: Vec<_> = (0..5_000).map(|after| journal.append(&game("g"), after, vec![1; 100])).collect();
    drop(journal);
    for ticket in tickets {
        assert!(ticket.wait().is_ok());
    }
    assert_eq!(open(&dir).last(&game("g")).expect("last").expect("there").0, 5_000);
}

#[test]
fn the_largest_entries_stay_in_the_log() {
    let dir = tempfile::tempdir().expect("directory");
    let journal = open(&dir);
    for name in ["a", "b"] {
        for after in 0..200 {
            assert!(journal.append(&game(name), after, vec![after as u8; ENTRY_MAX]).wait().is_ok());
        }
    }
    drop(journal);
    assert_eq!(fs::read_dir(dir.path().join("blobs")).expect("blobs").count(), 0);
    assert_eq!(open(&dir).read(&game("a"), 1, 999).expect("read").len(), 200);
}

#[test]
fn row_13_a_second_server_is_refused_and_a_killed_one_waited_for() {
    let dir = tempfile::tempdir().expect("directory");
    let journal = open(&dir);
    let refused = SledJournal::open(&Options::new(dir.path())).err().expect("held");
    assert!(matches!(refused, OpenError::Held { .. }), "{refused}");
    assert!(refused.to_string().contains("another server holds"), "{refused}");
    // The first one goes while the second is waiting.
    std::thread::scope(|scope| {
        let second = scope.spawn(|| SledJournal::open(&Options::new(dir.path())));
        std::thread::park_timeout(std::time::Duration::from_millis(300));
        drop(journal);
        assert!(second.join().expect("thread").is_ok());
    });
}

#[test]
fn a_database_shorter_than_its_mark_is_noticed() {
    let (dir, copy) = (tempfile::tempdir().expect("directory"), tempfile::tempdir().expect("directory"));
    fill(&open(&dir), &game("g"), 100);
    copy_dir(&dir, &copy);
    fill(&open(&dir), &game("g"), 50);
    fs::copy(dir.path().join("high-water"), copy.path().join("high-water")).expect("copy");

    let journal = open(&copy);
    assert_eq!(journal.short(), [Short { stream: game("g"), had: 150, has: 100 }]);
    assert!(copy.path().join("db.lost-150").exists(), "what was there stays as evidence");
    drop(journal);
    let mut options = Options::new(copy.path());
    options.accept_loss = true;
    let accepted = SledJournal::open(&options).expect("accepted");
    assert_eq!(accepted.short(), []);
    // Positions that were given once are not given again.
    assert_eq!(accepted.append(&game("g"), 100, vec![1]).wait().expect("appended").position, 151);
    drop(accepted);
    // The loss is accepted once and for all, and the next one is noticed again.
    fill(&open(&copy), &game("g"), 1);
    fs::remove_file(copy.path().join("db")).expect("remove");
    let refused = SledJournal::open(&Options::new(copy.path())).err().expect("gone");
    assert!(matches!(refused, OpenError::Gone { mark: 102, .. }), "{refused}");
    assert!(!copy.path().join("db").exists(), "a refusal makes nothing");
}

#[test]
fn row_09_an_entry_gone_from_the_end_or_the_middle_is_noticed() {
    let dir = tempfile::tempdir().expect("directory");
    fill(&open(&dir), &game("a"), 100);
    fill(&open(&dir), &game("b"), 100);
    let db = ::sled::Config::new().path(dir.path()).segment_size(8 << 20).open().expect("sled");
    db.remove(crate::journal::keys::key(&game("a"), 100)).expect("remove").expect("there");
    db.flush().expect("flush");
    drop(db);
    assert_eq!(open(&dir).short(), [Short { stream: game("a"), had: 100, has: 99 }]);
    let db = ::sled::Config::new().path(dir.path()).segment_size(8 << 20).open().expect("sled");
    db.remove(crate::journal::keys::key(&game("b"), 7)).expect("remove").expect("there");
    db.flush().expect("flush");
    drop(db);
    // One of the middle is nobody's end: reading its stream names it.
    let journal = open(&dir);
    assert_eq!(journal.short().len(), 1);
    assert_eq!(journal.read(&game("b"), 1, 99), Err(ReadError::Missing { stream: game("b"), index: 7 }));
    assert_eq!(journal.read(&game("b"), 8, 999).expect("the rest").len(), 93);
}

/// sled zeroes what it takes for the end of a damaged log, so the log is copied before it looks.
#[test]
fn row_09_a_damaged_log_is_kept_as_it_was() {
    let dir = tempfile::tempdir().expect("directory");
    fill(&open(&dir), &game("g"), 100);
    let (db, kept) = (dir.path().join("db"), dir.path().join("db.lost-100"));
    let good = fs::read(&db).expect("db");
    let mut bad = good.clone();
    let at = good.iter().rposition(|&byte| byte != 0).expect("something") / 2;
    bad[at] ^= 1;
    fs::write(&db, &bad).expect("write");
    let short = open(&dir).short();
    assert!(matches!(&short[..], [Short { had: 100, has: 0..100, .. }]), "{short:?}");
    assert!(!dir.path().join("db.before").exists());
    assert!(fs::read(&db).expect("db") != bad, "sled has overwritten the rest");
    // The operator has found the flipped bit in the copy.
    bad[at] ^= 1;
    assert!(fs::read(&kept).expect("kept") != bad);
    fs::write(&db, &bad).expect("write");
    for snap in fs::read_dir(dir.path()).expect("directory").filter_map(Result::ok) {
        if snap.file_name().to_string_lossy().starts_with("snap.") {
            fs::remove_file(snap.path()).expect("remove");
        }
    }
    let journal = open(&dir);
    assert_eq!((journal.read(&game("g"), 1, 999).expect("read").len(), journal.short()), (100, vec![]));
}

/// A start that is refused leaves the copy where the next attempt does not overwrite it.
#[test]
fn row_10_a_refused_start_destroys_nothing() {
    let dir = tempfile::tempdir().expect("directory");
    fill(&open(&dir), &game("g"), 100);
    let text = "flagfall high-water 1 position=100 lost=0";
    fs::write(dir.path().join("high-water"), format!("{text} crc={:08x}\n", crc32c::crc32c(text.as_bytes())))
        .expect("write");
    let db = dir.path().join("db");
    let mut bad = fs::read(&db).expect("db");
    let at = bad.iter().rposition(|&byte| byte != 0).expect("something") / 2;
    bad[at] ^= 1;
    fs::write(&db, &bad).expect("write");
    for _attempt in 0..3 {
        let refused = SledJournal::open(&Options::new(dir.path())).err().expect("short");
        assert!(matches!(refused, OpenError::ShorterThanMark { mark: 100, .. }), "{refused}");
        assert!(fs::read(dir.path().join("db.before")).expect("kept") == bad, "the first copy stays");
    }
}

#[test]
fn a_missing_or_damaged_mark_is_refused() {
    let dir = tempfile::tempdir().expect("directory");
    fill(&open(&dir), &game("g"), 3);
    let mark = dir.path().join("high-water");
    for spoil in [|path: &PathBuf| fs::remove_file(path), |path: &PathBuf| fs::write(path, "flagfall")] {
        spoil(&mark).expect("spoil");
        let refused = SledJournal::open(&Options::new(dir.path())).err().expect("no mark");
        assert!(matches!(refused, OpenError::NoMark { .. }), "{refused}");
        drop(SledJournal::open(&Options { accept_loss: true, ..Options::new(dir.path()) }).expect("accepted"));
        drop(open(&dir));
    }
}

#[test]
fn what_is_not_ours_is_refused() {
    let dir = tempfile::tempdir().expect("directory");
    fill(&open(&dir), &game("g"), 3);
    let db = ::sled::Config::new().path(dir.path()).segment_size(8 << 20).open().expect("sled");
    db.insert([9, 0, 0, 1], vec![1]).expect("insert");
    drop(db);
    let refused = SledJournal::open(&Options::new(dir.path())).err().expect("unknown");
    assert!(matches!(refused, OpenError::UnknownKey { .. }), "{refused}");
}

#[test]
fn a_mark_that_cannot_be_written_is_final() {
    let dir = tempfile::tempdir().expect("directory");
    let journal = open(&dir);
    // What it is written to before it takes the old one's place.
    fs::create_dir(dir.path().join("high-water.new")).expect("a directory");
    assert!(journal.append(&game("a"), 0, b"one".to_vec()).wait().is_ok(), "the entry itself is on disk");
    let begun = Instant::now();
    while journal.health() == Health::Ok {
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody noticed");
        std::thread::yield_now();
    }
    let refused = journal.append(&game("a"), 1, b"two".to_vec()).wait();
    assert!(matches!(refused, Err(AppendError::Failed(_))), "{refused:?}");
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let refused = SledJournal::open(&Options::new("/proc/flagfall")).err().expect("proc");
    assert!(matches!(refused, OpenError::Io { .. }), "{refused}");
}

#[test]
fn a_full_queue_is_refused_before_memory_is() {
    let mut line = Line::new(Default::default(), 0, Vec::new());
    let entry = || vec![0; ENTRY_MAX];
    let tickets: Vec<_> = (0..1_024).map(|after| line.admit(&game("g"), after, entry())).collect();
    assert_eq!(line.admit(&game("g"), 1_024, entry()).wait(), Err(AppendError::Full { stream: game("g") }));
    // The refused one took no place: after some are written the same append is admitted.
    let batch = line.take(10, usize::MAX);
    line.settle(&batch);
    batch.into_iter().for_each(|waiting| waiting.answer(crate::journal::Batch::default()));
    let again = line.admit(&game("g"), 1_024, entry());
    line.fail("over".to_owned()).into_iter().for_each(|waiting| waiting.refuse(AppendError::Failed("over".to_owned())));
    assert_eq!(again.wait(), Err(AppendError::Failed("over".to_owned())));
    let told = tickets.into_iter().map(Ticket::wait).filter(Result::is_ok).count();
    assert_eq!(told, 10);
}

#[test]
fn row_11_a_disk_that_takes_no_writes_is_read() {
    let dir = tempfile::tempdir().expect("directory");
    fill(&open(&dir), &game("g"), 3);
    fs::create_dir(dir.path().join("probe")).expect("in the way of the probe");
    let journal = open(&dir);
    let Health::Failed(reason) = journal.health() else { panic!("not ready") };
    assert!(reason.contains("takes no writes"), "{reason}");
    assert_eq!(journal.append(&game("g"), 3, vec![1]).wait(), Err(AppendError::Failed(reason)));
    assert_eq!(journal.read(&game("g"), 1, 9).expect("readable").len(), 3);
}

/// A disk that fills up, where root and a small tmpfs are to be had.
#[test]
fn row_11_a_full_disk_is_final() {
    let dir = tempfile::tempdir().expect("directory");
    let Some(_mounted) = Mounted::tmpfs(&dir, "24m") else { return println!("not run: mounting a tmpfs needs root") };
    let (mut durable, mut failed) = (0, None);
    let journal = open(&dir);
    for after in 0..5_000 {
        match journal.append(&game("g"), after, vec![0; 16 << 10]).wait() {
            Ok(at) => durable = at.index,
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    assert!(matches!(failed, Some(AppendError::Failed(_))), "{failed:?}");
    assert!(matches!(journal.health(), Health::Failed(_)));
    assert_eq!(journal.append(&game("g"), durable, vec![0]).wait(), Err(failed.expect("failed")));
    drop(journal);
    // Still full: not a crash loop, but a named refusal, or a journal that can be read.
    match SledJournal::open(&Options::new(dir.path())) {
        Ok(journal) => {
            println!("opened on a full disk: {:?}", journal.health());
            assert!(journal.last(&game("g")).expect("readable").expect("there").0 >= durable);
        }
        Err(error) => println!("refused on a full disk: {error}"),
    }
}

/// Unmounts even when the test fails.
struct Mounted(PathBuf);

impl Mounted {
    fn tmpfs(dir: &TempDir, size: &str) -> Option<Mounted> {
        let size = format!("size={size}");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(dir.path()).output();
        mount.is_ok_and(|output| output.status.success()).then(|| Mounted(dir.path().to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

fn copy_dir(from: &TempDir, to: &TempDir) {
    let copied = Command::new("cp").arg("-a").arg(from.path().join(".")).arg(to.path()).status().expect("cp");
    assert!(copied.success());
}
