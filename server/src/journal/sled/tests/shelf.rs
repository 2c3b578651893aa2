//! Games on the shelf: read as before, laid down step by step, damaged and named.

use super::*;

fn stop(dir: &TempDir, after: Step) -> SledJournal {
    SledJournal::open(&Options { shelve_until: Some(after), ..Options::new(dir.path()) }).expect("open")
}

fn all(journal: &SledJournal, stream: &StreamId) -> Vec<Stored> {
    journal.read(stream, 1, usize::MAX).expect("readable")
}

/// How many entries of the stream are in sled itself.
fn in_tree(dir: &TempDir, stream: &StreamId) -> usize {
    let config = ::sled::Config::new().path(dir.path()).segment_size(8 << 20);
    let begun = std::time::Instant::now();
    let db = loop {
        match config.open() {
            // A process that another test is just starting still has the lock of the journal that was closed, until it has begun.
            Err(::sled::Error::Io(error)) if error.to_string().contains("lock") && begun.elapsed().as_secs() < 10 => {
                std::thread::yield_now();
            }
            opened => break opened.expect("sled"),
        }
    };
    db.scan_prefix(crate::journal::keys::prefix(stream)).count()
}

fn file(dir: &TempDir) -> PathBuf {
    dir.path().join("games/g.ffg")
}

#[test]
fn a_game_on_the_shelf_is_read_and_goes_on_as_before() {
    let dir = tempfile::tempdir().expect("directory");
    let journal = open(&dir);
    fill(&journal, &game("g"), 300);
    fill(&journal, &game("h"), 10);
    let before = all(&journal, &game("g"));
    assert!(journal.shelve(&game("g"), b"a note").expect("laid down"));
    assert!(journal.shelve(&game("g"), b"a note").expect("nothing to do"));
    assert!(!journal.shelve(&game("none"), b"").expect("nothing there"));
    assert!(matches!(journal.shelve(&StreamId::Desk, b""), Err(ShelveError::Name(_))));
    let as_before = |journal: &SledJournal| {
        assert_eq!(all(journal, &game("g")), before);
        assert_eq!(journal.last(&game("g")), Ok(before.last().map(|entry| (300, entry.hash))));
        assert_eq!(journal.read(&game("g"), 17, 2).expect("read"), before[16..18]);
        assert_eq!(journal.streams(), Ok(vec![game("g"), game("h")]));
        assert_eq!(journal.shelved(), Ok(vec![(game("g"), b"a note".to_vec())]));
    };
    as_before(&journal);
    drop(journal);
    assert_eq!(in_tree(&dir, &game("g")), 0, "it has left the tree");
    let journal = open(&dir);
    as_before(&journal);

    // A clock that comes back after the end: the game grows in the tree, behind what lies on the shelf.
    assert!(matches!(journal.append(&game("g"), 0, vec![9]).wait(), Err(AppendError::Conflict { actual: 300, .. })));
    let durable = journal.append(&game("g"), 300, vec![9]).wait().expect("appended");
    assert_eq!((durable.index, durable.position), (301, 311));
    assert_eq!(journal.shelved(), Ok(vec![]), "not all of it lies there");
    drop(journal);
    assert_eq!(in_tree(&dir, &game("g")), 1);
    let journal = open(&dir);
    assert_eq!(all(&journal, &game("g"))[..300], before[..]);
    assert_eq!(journal.read(&game("g"), 300, 5).expect("read").len(), 2);
    assert!(journal.shelve(&game("g"), b"another").expect("laid down again"));
    assert_eq!(journal.shelved(), Ok(vec![(game("g"), b"another".to_vec())]));
    drop(journal);
    assert_eq!((in_tree(&dir, &game("g")), all(&open(&dir), &game("g")).len()), (0, 301));
}

/// Stopped after each step, the first time and the second: there is one truth, it is whole, and the next attempt succeeds.
#[test]
fn a_crash_between_any_two_steps_leaves_one_truth() {
    for after in [Step::Draft, Step::Sync, Step::Rename, Step::Settle] {
        let dir = tempfile::tempdir().expect("directory");
        let mut whole = 0;
        for round in 0..2 {
            let journal = stop(&dir, after);
            fill(&journal, &game("g"), 40);
            whole += 40;
            let before = all(&journal, &game("g"));
            let stopped = journal.shelve(&game("g"), b"").expect_err("stopped");
            assert!(matches!(stopped, ShelveError::Stopped(step) if step == after), "{stopped}");
            drop(journal);
            assert_eq!(
                in_tree(&dir, &game("g")),
                40,
                "{after:?}: what is not in the tree's one batch has not happened"
            );

            let journal = open(&dir);
            assert_eq!((before.len(), all(&journal, &game("g"))), (whole, before.clone()), "{after:?}, round {round}");
            assert_eq!(journal.short(), []);
            let drafts = fs::read_dir(dir.path().join("games")).expect("games").flatten();
            assert_eq!(drafts.filter(|file| file.path().extension().is_some_and(|end| end == "new")).count(), 0);
            assert!(journal.shelve(&game("g"), b"").expect("laid down"));
            drop(journal);
            assert_eq!(in_tree(&dir, &game("g")), 0);
            assert_eq!(all(&open(&dir), &game("g")), before);
        }
    }
}

/// A journal with one game on the shelf and one in the tree.
fn with_one_laid() -> (TempDir, SledJournal) {
    let dir = tempfile::tempdir().expect("directory");
    let journal = open(&dir);
    fill(&journal, &game("g"), 20);
    fill(&journal, &game("h"), 20);
    assert!(journal.shelve(&game("g"), b"").expect("laid down"));
    (dir, journal)
}

#[test]
fn row_09_a_bit_flipped_on_the_shelf_is_named_with_its_file() {
    let (dir, journal) = with_one_laid();
    let good = fs::read(file(&dir)).expect("file");
    // Somewhere in entry 11: head, stream, ten entries of 8 + 1 + 13 + 200 bytes, and into the next.
    let at = 9 + (8 + 1 + 8 + 2 + 4 + 1) + 10 * 222 + 100;
    let mut bad = good.clone();
    bad[at] ^= 1;
    fs::write(file(&dir), &bad).expect("write");
    let refused = journal.read(&game("g"), 1, 99).expect_err("damaged");
    assert!(matches!(&refused, ReadError::OnShelf { index: 11, file: named, .. } if *named == file(&dir)), "{refused}");
    assert!(refused.to_string().contains("CHECKSUM"), "{refused}");
    assert_eq!(journal.read(&game("g"), 1, 10).expect("before it").len(), 10);
    assert_eq!(journal.read(&game("h"), 1, 99).expect("the other one").len(), 20);
    let findings = crate::journal::verify(&journal).findings;
    assert!(findings.iter().any(|finding| finding.to_string().contains("game/g entry 11 is damaged")), "{findings:?}");
    // A copy in its place, and all is well.
    fs::write(file(&dir), &good).expect("write");
    assert_eq!(all(&journal, &game("g")).len(), 20);
}

#[test]
fn row_09_a_file_that_is_gone_cut_or_anothers_is_noticed_when_the_journal_opens() {
    let (dir, journal) = with_one_laid();
    assert!(journal.shelve(&game("h"), b"").expect("laid down"));
    drop(journal);
    let good = fs::read(file(&dir)).expect("file");
    let gone = [Short { stream: game("g"), had: 20, has: 0 }];
    fs::write(file(&dir), &good[..good.len() - 1]).expect("cut");
    assert_eq!(open(&dir).short(), gone);
    fs::remove_file(file(&dir)).expect("removed");
    let journal = open(&dir);
    assert_eq!(journal.short(), gone);
    assert!(matches!(journal.read(&game("g"), 1, 9), Err(ReadError::OnShelf { index: 1, .. })));
    fs::copy(dir.path().join("games/h.ffg"), file(&dir)).expect("copied");
    let other = journal.read(&game("g"), 1, 9).expect_err("another's");
    assert!(other.to_string().contains("it is game/h's"), "{other}");
    drop(journal);
    fs::write(file(&dir), &good).expect("put back");
    let journal = open(&dir);
    assert_eq!((journal.short(), all(&journal, &game("g")).len()), (vec![], 20));
}

/// An older, whole file of the same game in its place: each checksum is right, and it is not what was laid down.
#[test]
fn row_09_an_older_file_in_its_place_is_noticed() {
    let (dir, journal) = with_one_laid();
    let older = fs::read(file(&dir)).expect("file");
    fill(&journal, &game("g"), 5);
    assert!(journal.shelve(&game("g"), b"").expect("laid down"));
    fs::write(file(&dir), older).expect("put back");
    assert!(matches!(journal.read(&game("g"), 1, 99), Err(ReadError::OnShelf { index: 21, .. })));
    drop(journal);
    assert_eq!(open(&dir).short(), [Short { stream: game("g"), had: 25, has: 0 }]);
}
