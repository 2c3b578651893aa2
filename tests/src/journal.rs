//! Children that use a journal and die, and the traces that they leave.
//!
//! A test that needs a process of its own starts its own binary again: [`Child::command`] names the test that plays the child,
//! and that test does nothing unless [`role`] says so.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

const ROLE: &str = "FLAGFALL_TEST_ROLE";
const DIR: &str = "FLAGFALL_TEST_DIR";

/// What this process was started to do, and in which directory; `None` in an ordinary run of the tests.
#[must_use]
pub fn role() -> Option<(String, PathBuf)> {
    Some((env::var(ROLE).ok()?, env::var_os(DIR)?.into()))
}

/// A process that plays a role.
pub struct Child;

impl Child {
    /// This very binary, running only the test `test`, which plays the role.
    ///
    /// # Panics
    /// The binary is gone.
    #[must_use]
    pub fn command(test: &str, role: &str, dir: &Path) -> Command {
        let mut command = Command::new(env::current_exe().expect("this binary"));
        command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
        command.env(ROLE, role).env(DIR, dir).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Runs a command to its end; `None` when it had to be killed because it took longer than `patience`.
///
/// # Panics
/// It cannot be started.
#[must_use]
pub fn run(mut command: Command, patience: Duration) -> Option<Output> {
    let child = command.spawn().expect("started");
    let pid = Pid::from_child(&child);
    let (done, end) = mpsc::channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    match end.recv_timeout(patience) {
        Ok(output) => Some(output.expect("output")),
        Err(_) => {
            kill_process(pid, Signal::KILL).ok();
            None
        }
    }
}

/// What a trace by `strace -f -y` says, as far as durability goes, in the order in which it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// sled handed bytes of this file to the disk.
    Ranged(PathBuf),
    /// This file was synced by `fdatasync`; how that ended.
    Synced(PathBuf, bool),
    /// The writer began to tell that this position is durable.
    Told(u64),
}

/// Reads a trace. Syncs count when they have ended, telling when it begins.
#[must_use]
pub fn steps(trace: &str) -> Vec<Step> {
    let mut begun = std::collections::HashMap::new();
    let mut steps = Vec::new();
    for line in trace.lines() {
        let Some((pid, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        let path = || Some(PathBuf::from(call.split_once('<')?.1.split_once('>')?.0));
        if let Some(position) = call.split_once("\"ack ").and_then(|(_, rest)| rest.split_once("\\n")) {
            steps.extend(position.0.parse().map(Step::Told));
        } else if call.starts_with("sync_file_range(") {
            steps.extend(path().map(Step::Ranged));
        } else if call.starts_with("fdatasync(") && call.ends_with("<unfinished ...>") {
            begun.insert(pid, path());
        } else if call.starts_with("fdatasync(") {
            steps.extend(path().map(|path| Step::Synced(path, call.ends_with("= 0"))));
        } else if call.starts_with("<... fdatasync resumed>") {
            steps.extend(begun.remove(pid).flatten().map(|path| Step::Synced(path, call.ends_with("= 0"))));
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_calls_are_put_in_order() {
        let trace = "\
            11 sync_file_range(5</t/db>, 0, 4096, 0x7) = 0\n\
            12 fdatasync(6</t/db> <unfinished ...>\n\
            13 write(1<pipe:[9]>, \"hello\\n\", 6) = 6\n\
            12 <... fdatasync resumed>)          = 0\n\
            13 write(1<pipe:[9]>, \"ack 7\\n\", 6 <unfinished ...>\n\
            12 fdatasync(6</t/db>) = -1 EIO (Input/output error)\n";
        let db = || PathBuf::from("/t/db");
        assert_eq!(
            steps(trace),
            [Step::Ranged(db()), Step::Synced(db(), true), Step::Told(7), Step::Synced(db(), false)]
        );
    }
}
