//! A real agent with a spool of its own, killed and started again.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use flagfall_clock::{
    core::Stored,
    spool::{FileSpool, Spool as _},
};
use flagfall_tests::terminal::Terminal;
use rustix::process::Signal;

use crate::{armed, house::binaries};

/// Whose time an agent shows.
#[derive(Clone, Copy, Debug)]
pub enum Keeps<'a> {
    /// Its own, with the keyboard's keys as buttons.
    Own,
    /// That of a clock on a DGT board at this port.
    External(&'a Path),
}

/// An agent and its folder.
pub struct Agent {
    /// Its name.
    pub device: String,
    dir: PathBuf,
    terminal: Option<Terminal>,
    /// What its command line begins with.
    before: String,
}

/// What is on an agent's disk.
pub struct Disk {
    /// The spool.
    pub id: [u8; 16],
    /// Every event, number 1 first.
    pub events: Vec<Vec<u8>>,
    /// What it remembers.
    pub stored: Stored,
}

impl Agent {
    /// An agent of a service, not yet started. Its folder is made in `dir`.
    ///
    /// # Panics
    /// It cannot be made.
    #[must_use]
    pub fn new(device: &str, dir: &Path, service: SocketAddr, keeps: Keeps<'_>) -> Agent {
        let dir = dir.join(device);
        fs::create_dir(&dir).expect("a folder");
        let kind = match keeps {
            Keeps::Own => "[clock]\nkind = \"own\"\n[buttons]\nkind = \"keyboard\"\n[board]\nkind = \"none\"\n".into(),
            Keeps::External(port) => {
                format!("[clock]\nkind = \"external\"\n[board]\nkind = \"dgt\"\nport = {port:?}\n")
            }
        };
        let spool = dir.join("spool");
        let config = format!(
            "device = {device:?}\nserver = \"http://{service}\"\nspool_dir = {spool:?}\n{kind}[display]\nkind = \"terminal\"\n"
        );
        fs::write(dir.join("clock.toml"), config).expect("settings");
        Agent { device: device.to_owned(), dir, terminal: None, before: String::new() }
    }

    /// Starts it from now on by way of another command line, which ends with the agent's.
    pub fn by_way_of(&mut self, before: &str) {
        before.clone_into(&mut self.before);
    }

    /// Starts it; `at` is where it shall stand still.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn start(&mut self, at: Option<(&str, u64)>) -> &mut Terminal {
        let at = at.map(|(name, nth)| format!("{name}:{nth}"));
        let env: Vec<(&str, &str)> = at.iter().map(|at| (armed::AT, at.as_str())).collect();
        let line = format!("{}flagfall-clock-armed --config clock.toml", self.before);
        let terminal = Terminal::run(&line, &self.dir, &binaries(), &env).expect("a terminal");
        self.terminal.insert(terminal)
    }

    /// Its terminal.
    ///
    /// # Panics
    /// It does not run.
    pub fn terminal(&mut self) -> &mut Terminal {
        self.terminal.as_mut().expect("the agent was started")
    }

    /// Presses the buttons in turn until something is on the screen.
    ///
    /// # Panics
    /// It does not come.
    pub fn press_until(&mut self, text: &str) {
        for key in ["l", "a"].iter().cycle().take(2_000) {
            if self.terminal().came(text, std::time::Duration::from_millis(20)) {
                return;
            }
            self.terminal().press(key);
        }
        self.terminal().wait_for(text);
    }

    /// Waits until everything it has is at the service.
    pub fn told_all(&mut self) {
        self.picture("everything told", told_all);
    }

    /// Stops the clock, and waits until the service knows.
    pub fn rests(&mut self) {
        self.terminal().press(" ");
        self.picture("PAUSED, everything told", |picture| told_all(picture) && picture.contains("PAUSED"));
    }

    /// Waits until its last picture is as it should be.
    fn picture(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        self.terminal().wait_until(what, |shown| shown.rsplit_once("\u{1b}[H").is_some_and(|(_, last)| is_so(last)));
    }

    /// Kills it where it stands, and looks at its disk.
    ///
    /// # Panics
    /// It does not run, or its spool is damaged.
    pub fn kill(&mut self) -> Disk {
        let terminal = self.terminal.take().expect("the agent was started");
        terminal.signal(Signal::KILL);
        terminal.end();
        // By way of another program it may outlive that for a moment, and holds its spool until it is gone.
        let lock = File::open(self.dir.join("spool/spool.lock")).expect("a lock");
        lock.lock().and_then(|()| lock.unlock()).expect("nobody has it");
        self.disk()
    }

    /// What is on its disk; it does not run. Looks at a copy, so that the next start finds the very same.
    ///
    /// # Panics
    /// Its spool is damaged.
    #[must_use]
    pub fn disk(&self) -> Disk {
        let copy = tempfile::tempdir().expect("a folder");
        let copied = Command::new("cp").arg("-a").arg(self.dir.join("spool/.")).arg(copy.path()).status().expect("cp");
        assert!(copied.success(), "the spool is copied");
        let (spool, recovered) = FileSpool::open(copy.path()).expect("a whole spool");
        let events = spool.read(1, usize::MAX).expect("events");
        Disk { id: spool.spool_id(), events, stored: recovered.stored }
    }
}

/// A picture's first line ends with a count of unsent events, when there are any.
fn told_all(picture: &str) -> bool {
    picture.contains("на связи\u{1b}[K")
}
