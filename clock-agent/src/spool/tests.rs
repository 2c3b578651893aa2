use std::{fs, time::Duration};

use flagfall_rules::{
    clock::{Colour, Face, Going, Place},
    time::Moment,
};
use proptest::prelude::*;

use super::*;
use crate::{
    core::{Act, Directive, Draft, Stage, What, Words},
    wire::{self, NO_HASH},
};

const BOOT: u128 = 3;

fn face() -> Face {
    let mut face = Face { going: Going::Running, ..Face::unknown(Place::Left) };
    face.hands[0].left = Some(5_000);
    face
}

/// The next event of a spool.
fn event(spool: &dyn Spool, what: What) -> Record {
    let seq = spool.last_seq() + 1;
    let previous = spool.chain_hash(seq - 1).expect("readable").expect("there");
    let (traceparent, game) = (String::new(), "g".to_owned());
    let draft = Draft { seq, at: seq * 10, face: face(), traceparent, game, what };
    Record::Event(wire::encode_event(&draft, BOOT, &previous, &spool.spool_id()))
}

fn applied(rev: u64) -> Record {
    let act = Act::Prepare {
        control: "300".parse().ok(),
        white_place: Place::Left,
        position: "8".to_owned(),
        words: Words::default(),
        stands: None,
    };
    let act = if rev == 1 { act } else { Act::Show { words: ["Hush".to_owned(), String::new()] } };
    let directive = Directive {
        id: format!("g#{rev}"),
        game: "g".to_owned(),
        rev,
        expected_rev: rev - 1,
        as_of_seq: 0,
        not_after: None,
        supersedes: Vec::new(),
        traceparent: String::new(),
        act,
    };
    let (before, after) = (face(), face());
    let applied = Applied { directive, stage: Stage::Applied, reason: None, at: 1, before, after };
    Record::Applied { boot: BOOT, applied: Box::new(applied) }
}

fn checkpoint(at: u64) -> Record {
    let face = Face { turn: Colour::Black, ..face() };
    Record::Checkpoint { boot: BOOT, checkpoint: Checkpoint { at, face } }
}

fn bytes(record: &Record) -> Vec<u8> {
    match record {
        Record::Event(bytes) => bytes.clone(),
        other => panic!("no event: {other:?}"),
    }
}

/// What every spool must do. `open` opens the same spool again, as after a crash.
fn conforms<S: Spool>(mut open: impl FnMut() -> S) {
    let mut spool = open();
    assert_eq!((spool.last_seq(), spool.chain_hash(0).ok()), (0, Some(Some(NO_HASH))));
    assert_eq!(spool.read(1, 10).expect("readable"), Vec::<Vec<u8>>::new());
    assert_eq!(spool.stored(), Stored::default());
    let mut all = Vec::new();
    for what in [What::Started, What::Press(Colour::White), What::Press(Colour::Black), What::Paused] {
        let record = event(&spool, what);
        all.push(bytes(&record));
        spool.append(&[checkpoint(7), record]).expect("appended");
    }
    spool.append(&[]).expect("nothing is nothing");
    spool.append(&[applied(1), applied(2), checkpoint(99)]).expect("appended");
    let (id, stored) = (spool.spool_id(), spool.stored());
    drop(spool);

    // What was appended is there after a crash, and reads the same.
    let mut spool = open();
    assert_eq!((spool.spool_id(), spool.last_seq()), (id, 4));
    assert_eq!(spool.read(1, 100).expect("readable"), all);
    assert_eq!(spool.read(0, 1).expect("readable"), all[..1]);
    assert_eq!(spool.read(3, 1).expect("readable"), all[2..3]);
    assert_eq!(spool.read(5, 9).expect("readable"), Vec::<Vec<u8>>::new());
    assert_eq!(spool.chain_hash(4).expect("readable"), Some(wire::hash(&all[3])));
    assert_eq!(spool.chain_hash(5).expect("readable"), None);
    assert_eq!(spool.stored(), stored);
    assert_eq!((stored.last_press, stored.rev, stored.at), (3, 2, Moment { boot: BOOT, ms: 99 }));
    assert_eq!((stored.face.map(|face| face.turn), stored.words[0].as_str()), (Some(Colour::Black), "Hush"));
    assert_eq!(stored.handled.keys().collect::<Vec<_>>(), ["g#1", "g#2"]);

    // What does not continue it is refused, and leaves no trace.
    let next = event(&spool, What::Resumed);
    let stray = bytes(&event(&spool, What::Started));
    assert!(matches!(spool.append(&[Record::Event(all[0].clone())]), Err(SpoolError::Unfit { seq: 1, last: 4, .. })));
    assert!(matches!(
        spool.append(&[next.clone(), Record::Event(stray)]),
        Err(SpoolError::Unfit { seq: 5, last: 5, .. })
    ));
    assert!(spool.append(&[Record::Event(vec![0xff; 9])]).is_err());
    assert_eq!(spool.stored(), stored);
    spool.append(&[next]).expect("appended");
    assert!(spool.size() > 0);

    // Begun anew, it knows the present and nothing else.
    spool.forget().expect("forgotten");
    assert_ne!(spool.spool_id(), id);
    let first = event(&spool, What::Press(Colour::White));
    spool.append(&[first]).expect("appended");
    drop(spool);
    let spool = open();
    assert_eq!((spool.last_seq(), spool.read(1, 9).expect("readable").len()), (1, 1));
    let again = spool.stored();
    assert_eq!((again.game.as_str(), again.rev, again.handled.len()), ("g", 2, 0));
    assert_eq!(again.past, Some(crate::core::Past { spool: id, last_seq: 5 }));
    assert_eq!(again.control, "300".parse().ok());
}

#[test]
fn the_spool_in_memory_conforms() {
    let spool = MemorySpool::new([1; 16]);
    conforms(|| spool.clone());
}

#[test]
fn the_spool_on_disk_conforms() {
    let folder = tempfile::tempdir().expect("a folder");
    conforms(|| FileSpool::open(folder.path()).expect("opened").0);
}

#[test]
fn two_agents_cannot_share_a_spool() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = FileSpool::open(folder.path()).expect("opened");
    assert!(matches!(FileSpool::open(folder.path()), Err(SpoolError::Locked { .. })));
    drop(first);
    FileSpool::open(folder.path()).expect("free again");
}

#[test]
fn what_is_no_spool_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    for foreign in [&b"hello, world, this is no spool at all"[..], b"FFSPOOL\x02and twenty more bytes....", b"x"] {
        fs::write(folder.path().join("spool.ff"), foreign).expect("written");
        assert!(matches!(FileSpool::open(folder.path()), Err(SpoolError::Foreign { .. })));
    }
}

/// A spool of several appends: its bytes, and after each append how long it was and what it held.
fn written(folder: &std::path::Path) -> (Vec<u8>, Vec<(u64, Stored)>) {
    let (mut spool, _) = FileSpool::open(folder).expect("opened");
    let mut states = vec![(spool.size(), spool.stored())];
    for n in 1..=6u64 {
        let what = if n % 2 == 0 { What::Press(Colour::Black) } else { What::Quiet { since: n } };
        let record = event(&spool, what);
        spool.append(&[applied(n), record, checkpoint(n * 1_000)]).expect("appended");
        states.push((spool.size(), spool.stored()));
    }
    (fs::read(folder.join("spool.ff")).expect("readable"), states)
}

#[test]
fn a_hole_in_the_middle_is_damage_and_one_at_the_end_is_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, states) = written(folder.path());
    let path = folder.path().join("spool.ff");
    let zeroed = |from: u64, to: u64| {
        let mut bytes = bytes.clone();
        bytes[from as usize..to as usize].fill(0);
        fs::write(&path, bytes).expect("written");
        FileSpool::open(folder.path()).map(|(spool, recovered)| (spool.last_seq(), recovered.torn))
    };
    let [.., (third, _), (fourth, _), _] = &states[..5] else { panic!("too few appends") };
    match zeroed(third + 20, third + 40) {
        Err(SpoolError::Damaged { offset, why, .. }) => {
            assert_eq!((offset, why), (*third, format!("whole records follow at byte {fourth}")));
        }
        other => panic!("damage was not seen: {other:?}"),
    }
    // Power was lost while the last append was written: its first page is not there, its last is.
    let (last, end) = (states[5].0, states[6].0);
    assert_eq!(zeroed(last, end - 10).expect("opened"), (5, end - last));
}

#[test]
fn a_torn_end_that_looks_like_many_frames_is_looked_through_at_once() {
    let used = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bytes, states) = written(folder.path());
    let whole = bytes.len() as u64;
    // Three of four bytes begin a length that would fit: 8, 2 KiB and 512 KiB.
    bytes.extend([0, 0, 8, 0].repeat(1 << 18));
    fs::write(folder.path().join("spool.ff"), bytes).expect("written");
    let begun = used();
    let (spool, recovered) = FileSpool::open(folder.path()).expect("opened");
    assert_eq!((recovered.torn, spool.size(), spool.stored()), (1 << 20, whole, states[6].1.clone()));
    // A checksum for each of them takes minutes of a slow processor.
    assert!(used() - begun < Duration::from_secs(5), "{:?}", used() - begun);
}

#[test]
fn an_emptied_spool_is_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(FileSpool::open(folder.path()).expect("begun"));
    fs::write(folder.path().join("spool.ff"), []).expect("written");
    let Err(error) = FileSpool::open(folder.path()) else { panic!("begun anew") };
    let text = error.to_string();
    assert!(text.contains("damaged at byte 0 (it ends there") && text.contains("keep a copy"), "{text}");
}

#[test]
fn a_disk_that_fails_once_is_not_trusted_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut spool, _) = FileSpool::open(folder.path()).expect("opened");
    let record = event(&spool, What::Started);
    spool.stand_on(std::fs::File::open(folder.path().join("spool.ff")).expect("read only"));
    assert!(matches!(spool.append(std::slice::from_ref(&record)), Err(SpoolError::Io { .. })));
    assert!(matches!(spool.append(&[record]), Err(SpoolError::Failed { .. })));
    assert_eq!(spool.last_seq(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_cut_anywhere_holds_what_was_whole(cut in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let (bytes, states) = written(folder.path());
        let cut = cut.index(bytes.len() + 1);
        fs::write(folder.path().join("spool.ff"), &bytes[..cut]).expect("written");
        if cut < super::layout::HEADER {
            let refused = FileSpool::open(folder.path()).err();
            let named = matches!(refused, Some(SpoolError::Damaged { offset, .. }) if offset == cut as u64);
            prop_assert!(named, "a spool that the disk has lost is not begun anew without a word: {:?}", refused);
            return Ok(());
        }
        let (spool, recovered) = FileSpool::open(folder.path()).expect("opened");
        let (size, stored) = states.iter().rev().find(|(size, _)| *size <= cut as u64).unwrap_or(&states[0]);
        prop_assert_eq!(&spool.stored(), stored);
        prop_assert_eq!(recovered.torn, (cut as u64).saturating_sub(*size));
        drop(spool);
        // Cut off once, it is whole.
        let (spool, recovered) = FileSpool::open(folder.path()).expect("opened");
        prop_assert_eq!((recovered.torn, &spool.stored()), (0, stored));
    }

    #[test]
    fn a_flipped_byte_is_seen_or_costs_the_end_and_never_panics(at in any::<prop::sample::Index>(), flip in 1..=255u8) {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut bytes, states) = written(folder.path());
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        fs::write(folder.path().join("spool.ff"), bytes).expect("written");
        match FileSpool::open(folder.path()) {
            Ok((spool, _)) => prop_assert!(states[..6].iter().any(|(_, stored)| *stored == spool.stored())),
            Err(error) => {
                let named = matches!(error, SpoolError::Damaged { .. } | SpoolError::Foreign { .. });
                prop_assert!(named, "{}", error);
            }
        }
    }
}
