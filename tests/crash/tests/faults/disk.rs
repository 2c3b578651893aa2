//! The disk fails the service, or somebody does something to it.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    os::unix::fs::FileExt,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use flagfall_crash::{
    agent::{Agent, Keeps},
    check::Found,
    desk::open,
    house::{House, PATIENCE, SERVES, runtime},
    mount::Mounted,
    storm::{Storm, When},
};
use flagfall_tests::journal::{Step, steps};
use rustix::process::Signal;

/// How a service that was started on a spoilt journal did.
enum Did {
    /// It serves; all it said until then.
    Serves(String),
    /// It ended; how, and all it said.
    Ended(ExitStatus, String),
}

/// Starts a service and waits until it serves or ends. A service that serves is killed.
fn did(house: &House) -> Did {
    let mut child = house.command().stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("started");
    let (mut said, mut lines) = (String::new(), BufReader::new(child.stderr.take().expect("piped")));
    let serves = loop {
        let before = said.len();
        match lines.read_line(&mut said).expect("text") {
            0 => break false,
            _ if said[before..].contains(SERVES) => break true,
            _ => {}
        }
    };
    if serves {
        child.kill().expect("killed");
        lines.read_to_string(&mut said).expect("text");
    }
    let status = child.wait().expect("an end");
    if serves { Did::Serves(said) } else { Did::Ended(status, said) }
}

/// A journal that a storm has left behind, and how many entries it has. The service ended in good order: how far it came
/// is on its disk to the last entry, and not as of a second ago.
fn left_behind(name: &str) -> (Storm, u64) {
    let mut storm = Storm::new(name, 9);
    storm.round(1, When::After(Duration::from_millis(500)));
    storm.drain(Duration::from_millis(200));
    let entries = storm.check();
    (storm, entries)
}

fn flip(path: &Path, at: u64) {
    let file = File::options().read(true).write(true).open(path).expect("a file");
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).expect("read");
    file.write_all_at(&[byte[0] ^ 0x10], at).expect("written");
}

fn used(db: &Path) -> u64 {
    fs::read(db).expect("db").iter().rposition(|&byte| byte != 0).expect("something is written") as u64
}

/// A service on spoilt data serves all of it, or says what is wrong: by its exit code and a reason, or by an alarm.
fn told(good: &Path, entries: u64, name: &str, spoil: impl Fn(&Path)) -> bool {
    let copy = tempfile::tempdir().expect("a folder");
    let copied = Command::new("cp").arg("-a").arg(good.join(".")).arg(copy.path()).status().expect("cp");
    assert!(copied.success());
    spoil(copy.path());
    let devices: Vec<String> = (1..=8).map(|n| format!("clock-{n}")).collect();
    let house = House::with_data(copy.path(), &devices.iter().map(String::as_str).collect::<Vec<_>>(), "");
    match did(&house) {
        Did::Ended(status, said) => {
            assert_eq!(status.code(), Some(4), "{name}: {status}: {said}");
            let reason = said.lines().rfind(|line| line.starts_with("flagfall: ")).unwrap_or_default();
            assert!(reason.contains(&*copy.path().to_string_lossy()), "{name}: it names no folder: {said}");
            true
        }
        Did::Serves(said) if said.contains("ALARM") || said.contains("read-only") => true,
        Did::Serves(said) => {
            let found = Found::read(copy.path());
            assert_eq!((found.entries, found.complaints), (entries, vec![]), "{name}: less than there was: {said}");
            false
        }
    }
}

#[test]
fn row_09_a_service_on_a_damaged_journal_serves_all_of_it_or_says_what_is_wrong() {
    let (storm, entries) = left_behind("damaged");
    let good = storm.house().data.as_path();
    let used = used(&good.join("db"));
    let (mut named, mut whole) = (0, 0);
    for n in 0..8 {
        let at = used * (2 * n + 1) / 16;
        let flipped = told(good, entries, &format!("bit flipped at {at}"), |dir| flip(&dir.join("db"), at));
        let cut = told(good, entries, &format!("cut at {at}"), |dir| {
            let db = File::options().write(true).open(dir.join("db")).expect("db");
            db.set_len(at).expect("cut");
        });
        for told in [flipped, cut] {
            *if told { &mut named } else { &mut whole } += 1;
        }
    }
    println!("{entries} entries: {named} damages named, {whole} journals whole");
    assert!(named >= 8, "the places are where the data is: {named}");
}

#[test]
fn row_10_a_database_that_does_not_open_is_said_once_with_what_to_do() {
    let (storm, entries) = left_behind("unreadable");
    let good = storm.house().data.as_path();
    type Spoil = fn(&Path);
    let spoils: [(&str, Spoil); 4] = [
        ("conf overwritten", |dir| fs::write(dir.join("conf"), [0xff; 64]).expect("written")),
        ("conf emptied", |dir| fs::write(dir.join("conf"), []).expect("written")),
        ("db is a folder", |dir| {
            fs::remove_file(dir.join("db")).and_then(|()| fs::create_dir(dir.join("db"))).expect("a folder");
        }),
        ("the head of db overwritten", |dir| {
            File::options()
                .write(true)
                .open(dir.join("db"))
                .expect("db")
                .write_all_at(&[0xff; 4096], 0)
                .expect("written");
        }),
    ];
    let named = spoils.iter().filter(|(name, spoil)| told(good, entries, name, spoil)).count();
    assert!(named >= 3, "{named} of {} are noticed", spoils.len());
}

#[test]
fn row_13_a_second_service_on_the_same_data_is_refused() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    let second = House::with_data(&house.data, &["clock-1"], "");
    let Did::Ended(status, said) = did(&second) else { panic!("two services on one journal") };
    assert_eq!(status.code(), Some(5), "{said}");
    assert!(said.contains("another server holds"), "{said}");
    // The first has noticed nothing.
    assert_eq!(house.stop(), 0);
}

#[test]
fn row_11_a_full_disk_ends_the_service_and_what_was_acknowledged_is_there_when_there_is_room() {
    let disk = match Mounted::memory("20m") {
        Ok(disk) => disk,
        Err(why) => return println!("not run: no small disk: {why}"),
    };
    // The log grows by segments of 8 MiB, and the rest is for the copy that is made when it is opened.
    fs::write(disk.path().join("ballast"), vec![1; 3 << 20]).expect("room");
    let mut storm = Storm::on("full disk", 11, &disk.path().join("journal"));
    let begun = Instant::now();
    let code = storm.until_it_ends(None);
    assert_eq!(code, Some(4), "the journal failed");
    println!("full after {:.1?}", begun.elapsed());
    disk.grow("100m");
    storm.check();
    storm.quiet();
}

#[test]
fn row_11_a_disk_that_fails_to_sync_is_never_tried_again() {
    failing_disk("fdatasync", "fdatasync:error=EIO:when=120");
}

#[test]
fn row_11_a_disk_that_fails_to_write_ends_the_service() {
    failing_disk("pwrite64", "pwrite64:error=EIO:when=40");
}

/// From its Nth use on a system call fails once, as a disk that is dying does: the service ends, and syncs nothing more.
fn failing_disk(name: &str, inject: &str) {
    if Command::new("strace").arg("-V").output().is_err() {
        return println!("not run: strace missing");
    }
    let mut storm = Storm::new(name, 12);
    let trace = storm.house().dir().join("trace");
    let strace = format!(
        "strace -f -y -qq -e signal=none -e trace=fdatasync,pwrite64,sync_file_range -e inject={inject} -o {} ",
        trace.display()
    );
    let code = storm.until_it_ends(Some(&strace));
    let traced = fs::read_to_string(&trace).unwrap_or_default();
    if traced.is_empty() {
        return println!("not run: strace may not trace here");
    }
    assert_eq!(code, Some(4), "the journal failed: {}", storm.house().data.display());
    let failed = traced.find("EIO").expect("the fault came");
    let synced = steps(&traced[failed..]).into_iter().filter(|step| matches!(step, Step::Synced(_, true))).count();
    assert!(synced <= usize::from(name != "fdatasync"), "{synced} syncs after the fault");
    storm.check();
    storm.quiet();
}

/// One sync takes ten seconds. The clock plays on and stays in touch; what it pressed meanwhile is acknowledged when the disk is back.
#[test]
fn row_12_a_disk_that_stands_still_keeps_acks_waiting_and_nobody_else() {
    if Command::new("strace").arg("-V").output().is_err() {
        return println!("not run: strace missing");
    }
    let mut house = House::new(&["clock-1"], "");
    let strace = "strace -f -qq -e signal=none -e trace=fdatasync -e inject=fdatasync:delay_enter=10000000:when=30 -o /dev/null ";
    if !house.launch_by(strace, None).came(SERVES, PATIENCE) {
        return println!("not run: strace may not trace here: {}", house.service().shown());
    }
    let mut agent = Agent::new("clock-1", house.dir(), house.listens.clocks, Keeps::Own);
    agent.start(None).wait_for("online");
    runtime().block_on(open(house.listens.desk, "game", "clock-1", "300+3")).expect("open");
    agent.terminal().wait_for("ready");
    agent.terminal().forget();
    agent.press_until("unsent 20");
    let begun = Instant::now();
    agent.told_all();
    let waited = begun.elapsed();
    println!("acks waited {waited:.1?}");
    assert!(waited > Duration::from_secs(5), "the disk stood still: {waited:?}");
    assert!(!agent.terminal().shown().contains("OFFLINE"), "heartbeats went on");
    assert!(!house.service().shown().contains("session over"), "and so did the session");
    let disk = agent.kill();
    house.service().signal_children(Signal::TERM);
    assert_eq!(house.ended(), Some(0));
    let mut found = Found::read(&house.data);
    found.spool("clock-1", disk.id, &disk.events, disk.events.len() as u64);
    assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
}
