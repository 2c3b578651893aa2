//! The power fails: what was acknowledged is there, and without the sync it would not be.
//!
//! A process writes into a file system in an image and tells of each entry that is durable; it is stopped, and the image is copied
//! as the disk has it: what the kernel still keeps in memory is not in the copy.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::Command,
};

use flagfall_crash::mount::{Mounted, ext4};
use flagfall_server::journal::{
    Journal, SledJournal, StreamId,
    codec::{self, Kept, Meta},
    hash,
    sled::Options,
    verify,
};
use flagfall_tests::journal::{Child, role};
use rustix::process::{Pid, Signal, kill_process};

/// Entries told before the power fails.
const TOLD: u64 = 300;

/// Plays the writer.
#[test]
fn writer() {
    let Some((role, dir)) = role() else { return };
    let journal = SledJournal::open(&Options { flush_only: role == "flush only", ..Options::new(dir) }).expect("open");
    let stream = StreamId::Game("g".to_owned());
    let mut previous_hash = codec::NO_HASH;
    let mut out = std::io::stdout().lock();
    for n in 0.. {
        let meta = Meta { previous_hash, ..Meta::default() };
        let entry = codec::entry("g", "", &meta, &[Kept::Device(vec![n as u8; 200])], &[]);
        previous_hash = hash(&entry);
        let durable = journal.append(&stream, n, entry).wait().expect("appended");
        // Past what the test's own harness may hold back.
        out.write_all(format!("ack {}\n", durable.index).as_bytes()).and_then(|()| out.flush()).expect("told");
    }
}

/// How many entries were told, and how many the disk has; the error says why this machine cannot tell.
fn power_failure(role: &str) -> Result<(u64, Result<u64, String>), String> {
    let dir = tempfile::tempdir().expect("a folder");
    let (image, copy) = (ext4(dir.path(), 128 << 20)?, dir.path().join("copy"));
    let mounted = Mounted::image(&image)?;
    let mut child = Child::command("power::writer", role, &mounted.path().join("journal")).spawn().expect("started");
    let told = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    // The harness has begun the first line with the name of the test.
    let told = told.filter_map(|line| line.rsplit_once("ack ").and_then(|(_, index)| index.parse::<u64>().ok()));
    let told = told.take_while(|&index| index <= TOLD).last();
    kill_process(Pid::from_child(&child), Signal::STOP).expect("stopped");
    let copied = Command::new("cp").arg("--sparse=always").arg(&image).arg(&copy).status().expect("cp");
    assert!(copied.success(), "the image is copied");
    child.kill().expect("killed");
    child.wait().expect("gone");
    drop(mounted);
    let told = told.expect("something was told");
    assert_eq!(told, TOLD, "the writer wrote on");
    Ok((told, found(&copy)))
}

fn found(copy: &Path) -> Result<u64, String> {
    let mounted = Mounted::image(copy)?;
    let data = mounted.path().join("journal");
    // Nothing there at all opens as an empty journal, which is what the disk has.
    let journal = SledJournal::open(&Options::new(&data)).map_err(|error| error.to_string())?;
    let verified = verify(&journal);
    drop(journal);
    let whole = verified.findings.is_empty();
    fs::remove_dir_all(&data).expect("removed");
    if whole { Ok(verified.entries) } else { Err(verified.to_string()) }
}

#[test]
fn row_08_a_loss_of_power_takes_nothing_that_was_told() {
    for run in 1..=3 {
        match power_failure("synced") {
            Err(why) => return println!("not run: no file system of its own: {why}"),
            Ok((told, found)) => {
                println!("run {run}: {told} told, {found:?} on the disk");
                assert!(found.as_ref().is_ok_and(|&entries| entries >= told), "{told} told, {found:?}");
            }
        }
    }
}

/// The same with the sync left out: were this journal whole too, the test above would show nothing.
#[test]
fn row_08_without_the_sync_the_same_loss_is_seen() {
    for run in 1..=10 {
        match power_failure("flush only") {
            Err(why) => return println!("not run: no file system of its own: {why}"),
            Ok((told, found)) => {
                println!("run {run}: {told} told, {found:?} on the disk");
                if !found.is_ok_and(|entries| entries >= told) {
                    return;
                }
            }
        }
    }
    panic!("ten losses of power, and never was anything gone: this test sees none");
}
