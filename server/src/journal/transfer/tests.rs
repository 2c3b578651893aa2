use std::fs;

use super::*;
use crate::journal::{codec::Session, hash, verify};

/// A chained stream of so many entries, each in a session of its own.
fn fill_stream(journal: &SledJournal, stream: &StreamId, count: u64) {
    let mut previous_hash = codec::NO_HASH;
    for after in 0..count {
        let session = Session { device: "a".into(), session_epoch: after + 1, spool_id: [1; 16], boot: 1 };
        let meta = Meta { previous_hash, wall_ms: 7, session_epoch: after + 1, spool_id: vec![1; 16] };
        let bytes = codec::entry("", "", &meta, &[Kept::Session(session)], &[]);
        previous_hash = hash(&bytes);
        journal.append(stream, after, bytes).wait().expect("appended");
    }
}

struct House {
    dir: tempfile::TempDir,
    games: [StreamId; 2],
    device: StreamId,
}

/// A game at hand, one on the shelf, a clock with nine sessions, and the desk.
fn house() -> House {
    let dir = tempfile::tempdir().expect("directory");
    let games = ["g", "h"].map(|name| StreamId::Game(name.into()));
    let device = StreamId::Device("clock-1".into());
    let journal = SledJournal::open(&Options::new(dir.path().join("data"))).expect("open");
    for (stream, count) in [(&games[0], 30), (&games[1], 300), (&device, 9), (&StreamId::Desk, 1)] {
        fill_stream(&journal, stream, count);
    }
    assert!(journal.shelve(&games[1], b"a note").expect("laid down"));
    House { dir, games, device }
}

impl House {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn journal(&self, name: &str) -> SledJournal {
        SledJournal::open(&Options::new(self.path(name))).expect("open")
    }

    fn exported(&self) -> Vec<u8> {
        let exported = export(&self.journal("data"), &self.path("file"), &mut |_, _| ()).expect("exported");
        let contents = Contents { streams: 4, entries: 340 };
        assert_eq!(exported, Exported { contents, findings: vec![], left_out: vec![] });
        fs::read(self.path("file")).expect("file")
    }
}

#[test]
fn a_journal_comes_back_with_every_clock_fenced() {
    let house = house();
    house.exported();
    let mut told = Vec::new();
    let restored = restore(&house.path("file"), &house.path("again"), &mut |done, of| told.push((done, of)));
    let contents = Contents { streams: 4, entries: 340 };
    assert_eq!(restored.expect("restored"), Restored { contents, clocks: 1, findings: vec![] });
    assert_eq!((told.len(), told.last()), (340, Some(&(340, 340))));
    assert!(!house.path("again/.restoring").exists());
    let (before, after) = (house.journal("data"), house.journal("again"));
    let bytes = |journal: &SledJournal, stream: &StreamId| -> Vec<_> {
        let read = journal.read(stream, 1, usize::MAX).expect("read");
        read.into_iter().map(|entry| (entry.index, entry.bytes)).collect()
    };
    for stream in [&house.games[0], &house.games[1], &StreamId::Desk] {
        assert_eq!(bytes(&before, stream), bytes(&after, stream), "{stream}");
    }
    assert_eq!(after.shelved(), Ok(vec![(house.games[1].clone(), b"a note".to_vec())]));
    assert_eq!(verify(&after).findings, []);
    // The clock's nine sessions had the epochs 1 to 9.
    let device = bytes(&after, &house.device);
    assert_eq!((device.len(), &device[..9]), (10, &bytes(&before, &house.device)[..]));
    let last = codec::decode_entry(&device[9].1).expect("an entry");
    assert_eq!(last.meta.session_epoch, 9 + (1 << 20));
    assert!(matches!(last.inputs[..], [Kept::Restored(_)]));
}

#[test]
fn row_09_a_cut_or_flipped_export_is_refused_with_its_place() {
    let house = house();
    let good = house.exported();
    let refused = |bytes: &[u8]| {
        fs::write(house.path("bad"), bytes).expect("write");
        let error = restore(&house.path("bad"), &house.path("again"), &mut |_, _| ()).expect_err("refused").to_string();
        assert!(!house.path("again").exists(), "nothing is left behind");
        error
    };
    let cut = refused(&good[..good.len() - 10]);
    assert!(cut.contains("/bad at byte ") && cut.contains("CUT_OFF"), "{cut}");
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x10;
    let flipped = refused(&flipped);
    assert!(flipped.contains(" at byte ") && flipped.contains("CHECKSUM"), "{flipped}");
    assert!(refused(b"PGN, perhaps").contains("NOT_AN_ARCHIVE"));
    assert!(refused(b"").contains("CUT_OFF"));
}

/// Every checksum is right, but an entry does not follow the one before it.
#[test]
fn an_export_whose_chain_is_broken_is_refused() {
    let house = house();
    let entry = |n: i64| codec::entry("", "", &Meta { wall_ms: n, ..Meta::default() }, &[Kept::Overdue(1)], &[]);
    let mut writer = Writer::new(File::create(house.path("bad")).expect("file")).expect("written");
    writer.stream(&house.games[0], 2, None).expect("written");
    writer.entry(&frame(1, &entry(1))).expect("written");
    writer.entry(&frame(2, &entry(2))).expect("written");
    writer.finish().expect("written");
    let error = restore(&house.path("bad"), &house.path("again"), &mut |_, _| ()).expect_err("refused");
    let broken = VerifyFinding::ChainBroken {
        stream: "game/g".into(),
        index: 2,
        named: "00".repeat(32),
        actual: crate::journal::keys::hex(&hash(&entry(1))),
    };
    assert!(matches!(&error, RestoreError::Finding { finding, .. } if *finding == broken), "{error}");
}

#[test]
fn nothing_is_overwritten() {
    let house = house();
    house.exported();
    let twice = export(&house.journal("data"), &house.path("file"), &mut |_, _| ()).expect_err("there already");
    assert!(matches!(twice, ExportError::Exists(_)), "{twice}");
    let full = restore(&house.path("file"), &house.path("data"), &mut |_, _| ()).expect_err("not empty");
    assert!(matches!(full, RestoreError::NotEmpty(_)), "{full}");
}

/// Where a disk is mounted nothing can be renamed to, and the disk has a folder of its own there.
#[test]
fn a_journal_is_restored_into_a_directory_that_stays_the_one_it_was() {
    let house = house();
    house.exported();
    let mounted = house.path("mounted");
    fs::create_dir_all(mounted.join("lost+found")).expect("made");
    fs::create_dir_all(mounted.join(".restoring/games")).expect("left by an attempt that was interrupted");
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).expect("there"));
    let before = inode(&mounted);
    restore(&house.path("file"), &mounted, &mut |_, _| ()).expect("restored");
    assert_eq!(inode(&mounted), before);
    assert!(!mounted.join(".restoring").exists() && mounted.join("lost+found").exists());
    assert_eq!(verify(&house.journal("mounted")).findings, []);

    // A database without its mark was moved in part: nothing is begun in its place, and nothing restored over it.
    fs::remove_file(mounted.join("high-water")).expect("there");
    let again = restore(&house.path("file"), &mounted, &mut |_, _| ()).expect_err("not empty");
    assert!(matches!(again, RestoreError::NotEmpty(_)), "{again}");
    assert!(matches!(SledJournal::open(&Options::new(&mounted)), Err(OpenError::NoMark { .. })));
}

/// Whole, chained, and nothing that this version knows: what a later version wrote, or an earlier one by mistake.
#[test]
fn an_entry_that_cannot_be_understood_is_carried_along_and_said() {
    let house = house();
    let entry = |previous_hash: &[u8], session_epoch| {
        let strange = Entry { schema: 2, previous_hash: previous_hash.to_vec(), session_epoch, ..Entry::default() };
        prost::Message::encode_to_vec(&strange)
    };
    let strange = [(&house.games[0], 30), (&house.device, 9)].map(|(stream, entries)| {
        let journal = house.journal("data");
        let (_, last) = journal.last(stream).expect("readable").expect("there");
        journal.append(stream, entries, entry(&last, 70)).wait().expect("appended");
        let finding = |finding: &VerifyFinding| matches!(finding, VerifyFinding::Unreadable { index, .. } if *index == entries + 1);
        assert!(verify(&journal).findings.iter().any(finding), "{}", verify(&journal));
        stream.to_string()
    });
    let exported = export(&house.journal("data"), &house.path("file"), &mut |_, _| ()).expect("exported");
    assert_eq!(exported.contents, Contents { streams: 4, entries: 342 });
    let named = |findings: &[VerifyFinding]| -> Vec<String> {
        let stream = |finding: &VerifyFinding| match finding {
            VerifyFinding::Unreadable { stream, .. } => stream.clone(),
            other => panic!("{other}"),
        };
        findings.iter().map(stream).collect()
    };
    assert_eq!((named(&exported.findings), &exported.left_out[..]), (strange.to_vec(), &[][..]));
    let restored = restore(&house.path("file"), &house.path("again"), &mut |_, _| ()).expect("restored");
    assert_eq!((named(&restored.findings), restored.contents), (strange.to_vec(), exported.contents));
    let (before, after) = (house.journal("data"), house.journal("again"));
    let last = |journal: &SledJournal| journal.read(&house.games[0], 31, 1).expect("readable")[0].bytes.clone();
    assert_eq!(last(&before), last(&after));
    // The epoch of the clock's entry counts, whatever else is in it.
    let raised = after.read(&house.device, 11, 1).expect("readable").remove(0);
    assert_eq!(codec::decode_entry(&raised.bytes).expect("an entry").meta.session_epoch, 70 + (1 << 20));
}

/// A game whose file is damaged is not exported in part: nothing would say later that its end is missing.
#[test]
fn a_game_that_cannot_be_read_is_left_out_and_said() {
    let house = house();
    let file = house.path("data/games/h.ffg");
    let mut bytes = fs::read(&file).expect("there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("spoilt");
    let exported = export(&house.journal("data"), &house.path("file"), &mut |_, _| ()).expect("exported");
    assert_eq!(exported.contents, Contents { streams: 3, entries: 40 });
    assert_eq!(exported.left_out, ["game/h"]);
    assert!(matches!(&exported.findings[..], [VerifyFinding::Damaged { stream, .. }] if stream == "game/h"));
    restore(&house.path("file"), &house.path("again"), &mut |_, _| ()).expect("restored");
}
