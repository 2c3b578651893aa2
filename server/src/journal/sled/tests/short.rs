//! A log cut short behind our back: whose entries are gone stays on record.

use super::*;

/// A journal that lost the end of `g` and nothing of `h`, as after a torn tail; with the mark of the whole.
fn torn() -> TempDir {
    let (dir, copy) = (tempfile::tempdir().expect("directory"), tempfile::tempdir().expect("directory"));
    let journal = open(&dir);
    fill(&journal, &game("g"), 60);
    fill(&journal, &game("h"), 40);
    drop(journal);
    copy_dir(&dir, &copy);
    fill(&open(&dir), &game("g"), 50);
    fs::copy(dir.path().join("high-water"), copy.path().join("high-water")).expect("copy");
    copy
}

#[test]
fn row_09_a_torn_tail_is_told_and_the_others_go_on() {
    let dir = torn();
    let short = [Short { stream: game("g"), had: 110, has: 60 }];
    for _start in 0..3 {
        let journal = open(&dir);
        assert_eq!(journal.short(), short, "it is told at every start until somebody looked after it");
        fill(&journal, &game("h"), 10);
        assert_eq!(journal.read(&game("g"), 1, 999).expect("what is left can be read").len(), 60);
    }
    assert!(dir.path().join("db.lost-150").exists(), "what was there stays as evidence");
    let journal = open(&dir);
    assert_eq!(journal.read(&game("h"), 1, 999).expect("read").len(), 70);
    // Positions that were given once are not given again.
    assert_eq!(journal.append(&game("h"), 70, vec![1]).wait().expect("appended").position, 181);
    journal.release(&game("g"));
    assert_eq!(journal.short(), []);
    fill(&journal, &game("h"), 1);
    drop(journal);
    assert_eq!(open(&dir).short(), [], "released for good");
}

#[test]
fn row_09_what_is_sent_again_makes_a_stream_whole() {
    let dir = torn();
    fill(&open(&dir), &game("g"), 49);
    assert_eq!(open(&dir).short(), [Short { stream: game("g"), had: 110, has: 109 }]);
    fill(&open(&dir), &game("g"), 1);
    assert_eq!(open(&dir).short(), []);
}

#[test]
fn row_09_a_loss_that_nobody_can_be_named_for_is_refused() {
    let dir = torn();
    // The mark of the first layout says how many, and not whose.
    let text = "flagfall high-water 1 position=150 lost=0";
    fs::write(dir.path().join("high-water"), format!("{text} crc={:08x}\n", crc32c::crc32c(text.as_bytes())))
        .expect("write");
    let refused = SledJournal::open(&Options::new(dir.path())).err().expect("short");
    assert!(matches!(refused, OpenError::ShorterThanMark { mark: 150, found: 100, .. }), "{refused}");
    let accepted = SledJournal::open(&Options { accept_loss: true, ..Options::new(dir.path()) }).expect("accepted");
    assert_eq!(accepted.short(), []);
}
