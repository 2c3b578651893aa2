//! The journal on disk as seen from outside: its system calls, its sudden death, its damaged files.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Seek, SeekFrom, Write},
    os::unix::fs::FileExt,
    path::Path,
    process::Command,
    time::Duration,
};

use flagfall_server::journal::{
    Journal, SledJournal, StreamId,
    codec::{self, Kept, Meta},
    hash,
    sled::{OpenError, Options},
    verify,
};
use flagfall_tests::journal::{Child, Step, role, run, steps};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// Plays the roles of the other tests' children; see [`flagfall_tests::journal`].
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    match role.as_str() {
        "one by one" => one_by_one(&dir, 100),
        "groups" => groups(&dir, 40, 50),
        "for ever" => one_by_one(&dir, u64::MAX),
        "look" => look(&dir),
        other => panic!("no such role: {other}"),
    }
}

fn game(name: &str) -> StreamId {
    StreamId::Game(name.to_owned())
}

fn entry(previous_hash: [u8; 32], n: u64) -> Vec<u8> {
    let meta = Meta { previous_hash, wall_ms: n as i64, ..Meta::default() };
    codec::entry("", "", &meta, &[Kept::Device(vec![n as u8; 200])], &[])
}

/// Tells on standard output, past what the test harness may hold back.
fn tell(line: std::fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).expect("told");
    out.flush().expect("told");
}

/// Every entry is a group commit of its own.
fn one_by_one(dir: &Path, count: u64) {
    let journal = SledJournal::open(&Options::new(dir)).expect("open");
    let mut previous = codec::NO_HASH;
    for n in 0..count {
        let entry = entry(previous, n);
        previous = hash(&entry);
        let durable = journal.append(&game("g"), n, entry).wait().expect("appended");
        tell(format_args!("ack {}", durable.position));
    }
}

/// Many entries are on their way at once.
fn groups(dir: &Path, rounds: u64, each: u64) {
    let journal = SledJournal::open(&Options::new(dir)).expect("open");
    for round in 0..rounds {
        let tickets: Vec<_> =
            (0..each).map(|n| journal.append(&game(&format!("g{n}")), round, vec![n as u8; 200])).collect();
        for ticket in tickets {
            tell(format_args!("ack {}", ticket.wait().expect("appended").position));
        }
    }
}

/// Opens what may be damaged and tells what is to be seen.
fn look(dir: &Path) {
    match SledJournal::open(&Options::new(dir)) {
        Ok(journal) => {
            let verified = verify(&journal);
            let whole = if verified.findings.is_empty() { hex(&digest(&journal)) } else { "-".to_owned() };
            tell(format_args!(
                "opened entries={} findings={} whole={whole}",
                verified.entries,
                verified.findings.len()
            ));
        }
        Err(error) => {
            let name = match &error {
                OpenError::Held { .. } => "held",
                OpenError::Io { .. } => "io",
                OpenError::Damaged { .. } => "damaged",
                OpenError::ShorterThanMark { .. } => "short",
                OpenError::Gone { .. } => "gone",
                OpenError::NoMark { .. } => "no-mark",
                OpenError::UnknownKey { .. } => "unknown-key",
            };
            tell(format_args!("refused {name}: {error}"));
        }
    }
}

/// Everything that can be read, in one hash.
fn digest(journal: &SledJournal) -> [u8; 32] {
    let mut all = Vec::new();
    for stream in journal.streams().expect("streams") {
        for stored in journal.read(&stream, 1, usize::MAX).expect("read") {
            all.extend_from_slice(stream.to_string().as_bytes());
            all.extend_from_slice(&stored.hash);
        }
    }
    hash(&all)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs a role under strace; `None` where there is none.
fn traced(role: &str) -> Option<(Vec<Step>, TempDir)> {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("not run: strace missing");
        return None;
    }
    let dir = tempfile::tempdir().expect("directory");
    let (trace, data) = (dir.path().join("trace"), dir.path().join("data"));
    let child = Child::command("child", role, &data);
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-e", "trace=fdatasync,fsync,sync_file_range,write", "-o"]).arg(&trace);
    strace.arg(child.get_program()).args(child.get_args());
    strace.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let output = run(strace, PATIENCE).expect("strace ended");
    if !output.status.success() && !trace.exists() {
        println!("not run: strace may not trace here: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some((steps(&String::from_utf8_lossy(&fs::read(trace).expect("trace"))), dir))
}

#[test]
fn every_commit_is_synced_once_and_before_it_is_told() {
    let Some((steps, dir)) = traced("one by one") else { return };
    let db = dir.path().join("data/db");
    let mut steps = steps.into_iter().skip_while(|step| matches!(step, Step::Ranged(_)));
    for position in 1..=100 {
        // sled hands over its bytes, in one piece or several, and this is not enough; then the sync, then the word.
        let mut synced = 0;
        loop {
            match steps.next().expect("a step") {
                Step::Ranged(path) => assert_eq!((path, synced), (db.clone(), 0), "nothing is written after the sync"),
                Step::Synced(path, true) => {
                    assert_eq!(path, db);
                    synced += 1;
                }
                Step::Told(told) => break assert_eq!((told, synced), (position, 1), "one sync before the word"),
                failed @ Step::Synced(_, false) => panic!("{failed:?}"),
            }
        }
    }
    let later = steps.filter(|step| matches!(step, Step::Synced(..))).count();
    assert_eq!(later, 0, "closing needs no further commit");
}

#[test]
fn a_group_shares_a_sync() {
    let Some((steps, _dir)) = traced("groups") else { return };
    let (mut synced, mut told) = (0, 0);
    for step in steps {
        match step {
            Step::Synced(_, ok) => {
                assert!(ok);
                synced += 1;
            }
            Step::Told(position) => {
                told += 1;
                assert!(position == told && synced > 0, "told in order, and not before the first sync");
            }
            Step::Ranged(_) => {}
        }
    }
    println!("{told} entries in {synced} commits");
    assert_eq!(told, 2_000);
    assert!(synced < 400, "{synced} syncs for 40 rounds of 50 entries");
}

/// Killed as soon as it told of something: all that was told is there, and the next server gets the lock.
#[test]
fn row_02_what_was_told_outlives_a_kill() {
    let dir = tempfile::tempdir().expect("directory");
    for round in 1..=5u64 {
        let data = dir.path().join(round.to_string());
        let mut child = Child::command("child", "for ever", &data).spawn().expect("started");
        let told = BufReader::new(child.stdout.take().expect("piped"));
        let mut last = 0;
        for line in told.lines().map_while(Result::ok) {
            if let Some(position) = line.strip_prefix("ack ") {
                last = position.parse().expect("a position");
                if last == round * 150 {
                    child.kill().expect("killed");
                }
            }
        }
        // The next one does not wait until the killed one is gone.
        let journal = SledJournal::open(&Options::new(&data)).expect("opens after a kill");
        child.wait().expect("gone");
        let verified = verify(&journal);
        assert_eq!(verified.findings, []);
        assert!(verified.entries >= last, "{last} were told, {} are there", verified.entries);
    }
}

/// A way to spoil a copy of a journal.
struct Spoil {
    name: String,
    act: Box<dyn Fn(&Path)>,
}

fn spoil(name: impl Into<String>, act: impl Fn(&Path) + 'static) -> Spoil {
    Spoil { name: name.into(), act: Box::new(act) }
}

fn open_file(path: &Path) -> File {
    File::options().read(true).write(true).open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn flip(file: &File, at: u64, mask: u8) {
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).expect("read");
    file.write_all_at(&[byte[0] ^ mask], at).expect("write");
}

/// Flips, cuts and holes all over the log, of which `used` bytes are written.
fn spoils_of_the_log(used: u64) -> Vec<Spoil> {
    let mut spoils = Vec::new();
    let places = |count: u64, end: u64| (0..count).map(move |n| n * (end - 1) / (count - 1));
    for at in places(20, used) {
        spoils.push(spoil(format!("bit flipped in db at {at}"), move |dir| flip(&open_file(&dir.join("db")), at, 4)));
    }
    for at in places(8, used) {
        spoils.push(spoil(format!("db cut at {at}"), move |dir| open_file(&dir.join("db")).set_len(at).expect("cut")));
    }
    for at in places(6, used - 512) {
        spoils.push(spoil(format!("512 zeros in db at {at}"), move |dir| {
            let mut file = open_file(&dir.join("db"));
            file.seek(SeekFrom::Start(at)).expect("seek");
            file.write_all(&[0; 512]).expect("write");
        }));
    }
    spoils
}

/// Flips all over the small files beside the log, and their loss.
fn spoils_of_the_rest(snap: &str) -> Vec<Spoil> {
    let mut spoils = Vec::new();
    for (file, count) in [(snap, 6), ("conf", 4), ("high-water", 2)] {
        for n in 0..count {
            let path = file.to_owned();
            spoils.push(spoil(format!("bit flipped in {file}, place {n} of {count}"), move |dir| {
                let file = open_file(&dir.join(&path));
                let len = file.metadata().expect("metadata").len();
                flip(&file, n * (len - 1) / (count - 1), 1);
            }));
        }
        let path = file.to_owned();
        spoils.push(spoil(format!("{file} gone"), move |dir| fs::remove_file(dir.join(&path)).expect("removed")));
    }
    spoils
}

fn used(dir: &Path) -> u64 {
    let db = fs::read(dir.join("db")).expect("db");
    db.iter().rposition(|&byte| byte != 0).expect("something is written") as u64 + 1
}

fn newest_snap(dir: &Path) -> String {
    let files = fs::read_dir(dir).expect("directory").filter_map(|file| file.ok()?.file_name().into_string().ok());
    files.filter(|name| name.starts_with("snap.")).max().expect("a snapshot")
}

/// Spoils a copy and lets a child look at it. A child that hangs, panics or says nothing fails the test.
fn looked_at(good: &Path, Spoil { name, act }: &Spoil) -> String {
    let copy = tempfile::tempdir().expect("directory");
    let copied = Command::new("cp").arg("-a").arg(good.join(".")).arg(copy.path()).status().expect("cp");
    assert!(copied.success());
    act(copy.path());
    let output = run(Child::command("child", "look", copy.path()), PATIENCE);
    let output = output.unwrap_or_else(|| panic!("{name}: it hung"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: ended by {}: {out}{err}", output.status);
    // The harness has begun the line with the name of the test.
    let word = |line| ["opened ", "refused "].iter().find_map(|word| str::find(line, word)).map(|at| &line[at..]);
    let said = out.lines().find_map(word).unwrap_or_else(|| panic!("{name}: said nothing: {out}{err}"));
    println!("{name}: {said}");
    said.to_owned()
}

#[test]
fn row_09_a_damaged_journal_is_whole_or_the_damage_is_named() {
    let good = tempfile::tempdir().expect("directory");
    // Several lives, so that the log goes back before the snapshot.
    for life in 0..4 {
        let journal = SledJournal::open(&Options::new(good.path())).expect("open");
        for name in ["a", "b", "c", "d"] {
            let mut previous = journal.last(&game(name)).expect("last").map_or(codec::NO_HASH, |(_, hash)| hash);
            for n in life * 40..(life + 1) * 40 {
                let entry = entry(previous, n);
                previous = hash(&entry);
                drop(journal.append(&game(name), n, entry));
            }
        }
    }
    let journal = SledJournal::open(&Options::new(good.path())).expect("open");
    let whole = format!("opened entries=640 findings=0 whole={}", hex(&digest(&journal)));
    drop(journal);
    let spoils = spoils_of_the_log(used(good.path())).into_iter().chain(spoils_of_the_rest(&newest_snap(good.path())));
    let (mut wholes, mut named) = (0, 0);
    for spoil in spoils {
        match looked_at(good.path(), &spoil) {
            said if said == whole => wholes += 1,
            said if said.starts_with("refused ") || !said.contains("findings=0 ") => named += 1,
            said => panic!("{}: silently not what it was: {said}", spoil.name),
        }
    }
    println!("{wholes} whole, {named} named");
    assert!(named > 30, "the places are where the data is");
}

/// After a kill sled reads its log from the last snapshot on and takes damage for the end of it: the mark knows better.
#[test]
fn row_09_a_log_cut_short_by_damage_is_never_shorter_than_its_mark() {
    let good = tempfile::tempdir().expect("directory");
    let mut child = Child::command("child", "for ever", good.path()).spawn().expect("started");
    let told = BufReader::new(child.stdout.take().expect("piped"));
    let mark = || {
        let line = fs::read_to_string(good.path().join("high-water")).expect("a mark");
        let position = line.split_once("position=").and_then(|(_, rest)| rest.split_once(' ')).expect("a position");
        position.0.parse::<u64>().expect("a number")
    };
    for line in told.lines().map_while(Result::ok) {
        if line.starts_with("ack ") && mark() > 0 {
            child.kill().expect("killed");
        }
    }
    child.wait().expect("gone");
    let mark = mark();
    let (mut short, mut opened) = (0, 0);
    for spoil in spoils_of_the_log(used(good.path())) {
        let said = looked_at(good.path(), &spoil);
        match said.strip_prefix("opened entries=").and_then(|rest| rest.split_once(' ')) {
            // In quarantine: the stream's end is missing, and that is said.
            Some(_) if !said.contains("findings=0 ") => short += 1,
            Some((entries, _)) => {
                opened += 1;
                assert!(
                    entries.parse::<u64>().expect("a number") >= mark,
                    "{}: {said}, the mark is {mark}",
                    spoil.name
                );
            }
            None => short += usize::from(said.starts_with("refused short: ")),
        }
    }
    println!("{short} short of the mark {mark}, {opened} opened");
    assert!(short > 10, "sled takes damage for the end of its log");
}
