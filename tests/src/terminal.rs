//! Programs on pseudo-terminals of their own, as a person would run them.

use std::{
    io::{Read, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    sync::{Arc, Condvar, Mutex},
    time::{Duration, Instant},
};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

/// How long anything may take before it is taken to be stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program and its terminal. It is killed when dropped.
pub struct Terminal {
    child: Child,
    keys: std::fs::File,
    screen: Arc<(Mutex<String>, Condvar)>,
    what: String,
}

impl Terminal {
    /// Runs a command line in a folder, with a folder of binaries first in the path.
    ///
    /// # Errors
    /// There is no pseudo-terminal, or the program does not start.
    pub fn run(line: &str, folder: &Path, binaries: &Path, env: &[(&str, &str)]) -> std::io::Result<Terminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        tcsetwinsize(&master, Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 })?;
        let path = PathBuf::from(ptsname(&master, Vec::new())?.to_string_lossy().into_owned());
        let slave = || rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty());
        let mut command = bash(line, folder, binaries, env);
        let child = command.stdin(slave()?).stdout(slave()?).stderr(slave()?).spawn()?;
        let keys = std::fs::File::from(master);
        let screen = Arc::new((Mutex::new(String::new()), Condvar::new()));
        read_into(keys.try_clone()?.into(), Arc::clone(&screen));
        Ok(Terminal { child, keys, screen, what: line.to_owned() })
    }

    /// Waits until the program has printed a text since the last [`Terminal::forget`].
    ///
    /// # Panics
    /// It does not come; the panic shows what did.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(text, |shown| shown.contains(text));
    }

    /// Waits until what the program has printed since the last [`Terminal::forget`] is as it should be.
    ///
    /// # Panics
    /// It never is; the panic shows how it is.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let (shown, changed) = &*self.screen;
        let shown = shown.lock().expect("the reader does not panic");
        let (shown, late) =
            changed.wait_timeout_while(shown, PATIENCE, |shown| !is_so(shown)).expect("the reader does not panic");
        assert!(!late.timed_out(), "{} never printed {what:?}; it printed:\n{}", self.what, *shown);
    }

    /// Whether the program has printed a text since the last [`Terminal::forget`], or does so in this time.
    ///
    /// # Panics
    /// The reader has.
    #[must_use]
    pub fn came(&self, text: &str, within: Duration) -> bool {
        let (shown, changed) = &*self.screen;
        let shown = shown.lock().expect("the reader does not panic");
        let (shown, _) = changed
            .wait_timeout_while(shown, within, |shown| !shown.contains(text))
            .expect("the reader does not panic");
        shown.contains(text)
    }

    /// Forgets what was printed so far.
    pub fn forget(&self) {
        self.screen.0.lock().expect("the reader does not panic").clear();
    }

    /// Everything printed since the last [`Terminal::forget`].
    ///
    /// # Panics
    /// The reader has.
    #[must_use]
    pub fn shown(&self) -> String {
        self.screen.0.lock().expect("the reader does not panic").clone()
    }

    /// Types.
    ///
    /// # Panics
    /// The terminal is gone.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Sends a signal.
    ///
    /// # Panics
    /// The process is gone.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("the process runs");
    }

    /// Sends a signal to the programs that this one runs.
    ///
    /// # Panics
    /// The process is gone.
    pub fn signal_children(&self, signal: rustix::process::Signal) {
        let pid = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("the process runs");
        for child in children.split_whitespace().filter_map(|pid| rustix::process::Pid::from_raw(pid.parse().ok()?)) {
            // One that is just ending needs no signal.
            let _ended = rustix::process::kill_process(child, signal);
        }
    }

    /// How much memory the program has, KiB.
    ///
    /// # Panics
    /// The process is gone.
    #[must_use]
    pub fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("the process runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// It does not come.
    pub fn end(mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                return status;
            }
            assert!(Instant::now() < deadline, "{} never ended; it printed:\n{}", self.what, self.shown());
            // Nothing but a signal tells when a process ends.
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command line as `bash` runs it; the program replaces the shell, so that signals reach it.
#[must_use]
pub fn bash(line: &str, folder: &Path, binaries: &Path, env: &[(&str, &str)]) -> Command {
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
    let script = if line.contains('\n') { format!("set -euo pipefail\n{line}") } else { format!("exec {line}") };
    let mut command = Command::new("bash");
    command.arg("-c").arg(script).current_dir(folder).env("PATH", path).env("TERM", "xterm");
    command.envs(env.iter().copied());
    command
}

fn read_into(fd: OwnedFd, screen: Arc<(Mutex<String>, Condvar)>) {
    let mut file = std::fs::File::from(fd);
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        // The read fails once the last process has left the terminal.
        while let Ok(n @ 1..) = file.read(&mut bytes) {
            let (shown, changed) = &*screen;
            if let Ok(mut shown) = shown.lock() {
                shown.push_str(&String::from_utf8_lossy(&bytes[..n]));
                changed.notify_all();
            }
        }
    });
}

/// The folder of the binaries this test was built with; builds them if they are not there.
///
/// # Panics
/// They cannot be built.
#[must_use]
pub fn binaries() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").to_owned();
    if ["flagfall", "flagfall-clock"].iter().any(|name| !folder.join(name).exists()) {
        let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        build.args(["build", "--quiet", "-p", "flagfall-server", "-p", "flagfall-clock", "--bins"]);
        if folder.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().is_ok_and(|status| status.success()), "the binaries cannot be built");
    }
    folder
}
