//! A service and its boards, in a folder of their own, that is killed and started again on the same addresses.

use std::{
    fmt::Write as _,
    fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU16, Ordering},
    thread,
    time::{Duration, Instant},
};

use flagfall_tests::terminal::Terminal;
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::armed;

/// Where a service listens.
#[derive(Clone, Copy, Debug)]
pub struct Listens {
    /// For clocks.
    pub clocks: SocketAddr,
    /// For desks.
    pub desk: SocketAddr,
    /// For browsers.
    pub web: SocketAddr,
    /// For probes.
    pub ops: SocketAddr,
}

impl Listens {
    /// Addresses on the loopback interface that nobody has.
    ///
    /// # Panics
    /// There are none.
    #[must_use]
    pub fn free() -> Listens {
        let [clocks, desk, web, ops] = [(); 4].map(|()| free());
        Listens { clocks, desk, web, ops }
    }
}

/// A free address on the loopback interface, below the ports that outgoing connections get: a service that is started again
/// must find it free again.
///
/// # Panics
/// There is none.
#[must_use]
pub fn free() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Tests of two processes begun one after the other keep out of each other's way.
    let spread = (std::process::id().wrapping_mul(397) % 12_000) as u16;
    loop {
        let port = 20_000 + (spread + NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// See the module.
pub struct House {
    dir: TempDir,
    /// Where the journal is.
    pub data: PathBuf,
    /// Where the service listens.
    pub listens: Listens,
    devices: Vec<String>,
    service: Option<Terminal>,
}

impl House {
    /// A house with these clocks, each on a board of its own, and these lines more in its settings. Nothing runs yet.
    ///
    /// # Panics
    /// There is no folder for it.
    #[must_use]
    pub fn new(devices: &[&str], more: &str) -> House {
        let dir = tempfile::tempdir().expect("a folder");
        let data = dir.path().join("journal");
        House::at(dir, data, devices, more)
    }

    /// The same, with its journal in a folder that is there already.
    ///
    /// # Panics
    /// There is no folder for the rest.
    #[must_use]
    pub fn with_data(data: &Path, devices: &[&str], more: &str) -> House {
        House::at(tempfile::tempdir().expect("a folder"), data.to_owned(), devices, more)
    }

    fn at(dir: TempDir, data: PathBuf, devices: &[&str], more: &str) -> House {
        let devices = devices.iter().map(ToString::to_string).collect();
        let house = House { dir, data, listens: Listens::free(), devices, service: None };
        fs::write(house.config(), house.settings(more)).expect("settings");
        house
    }

    fn config(&self) -> PathBuf {
        self.dir.path().join("flagfall.toml")
    }

    fn settings(&self, more: &str) -> String {
        let Listens { clocks, desk, web, ops } = self.listens;
        let mut text = format!(
            "data_dir = {:?}\nlog_json = true\n{more}\n[listen]\nclocks = \"{clocks}\"\ndesk = \"{desk}\"\nweb = \"{web}\"\nops = \"{ops}\"\n",
            self.data
        );
        for device in &self.devices {
            writeln!(text, "\n[[clocks]]\ndevice = {device:?}\nboard = \"board-of-{device}\"").expect("a string");
        }
        text
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The command line of the service.
    #[must_use]
    pub fn line(&self) -> String {
        format!("flagfall-armed serve --config {}", self.config().display())
    }

    /// The service as a command, for those who run it under another program.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(binaries().join("flagfall-armed"));
        command.arg("serve").arg("--config").arg(self.config());
        command
    }

    /// Starts the service without waiting; `at` is where it shall stand still.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn launch(&mut self, at: Option<(&str, u64)>) -> &Terminal {
        self.launch_by("", at)
    }

    /// The same, with another command before the service's own.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn launch_by(&mut self, before: &str, at: Option<(&str, u64)>) -> &Terminal {
        let at = at.map(|(name, nth)| format!("{name}:{nth}"));
        let env: Vec<(&str, &str)> = at.iter().map(|at| (armed::AT, at.as_str())).collect();
        let service =
            Terminal::run(&format!("{before}{}", self.line()), self.dir(), &binaries(), &env).expect("a terminal");
        self.service.insert(service)
    }

    /// Starts the service and waits until it serves.
    ///
    /// # Panics
    /// It does not.
    pub fn start(&mut self, at: Option<(&str, u64)>) {
        self.launch(at).wait_for(SERVES);
    }

    /// The service.
    ///
    /// # Panics
    /// It does not run.
    #[must_use]
    pub fn service(&self) -> &Terminal {
        self.service.as_ref().expect("the service was started")
    }

    /// Kills the service where it stands.
    ///
    /// # Panics
    /// It does not run.
    pub fn kill(&mut self) {
        let service = self.service.take().expect("the service was started");
        service.signal(Signal::KILL);
        service.end();
    }

    /// Tells the service to end, and waits; its exit code.
    ///
    /// # Panics
    /// It does not run, or ended by a signal.
    pub fn stop(&mut self) -> i32 {
        let service = self.service.take().expect("the service was started");
        service.signal(Signal::TERM);
        service.end().code().expect("it ended by itself")
    }

    /// Waits until the service ends by itself; its exit code.
    ///
    /// # Panics
    /// It does not run.
    pub fn ended(&mut self) -> Option<i32> {
        self.service.take().expect("the service was started").end().code()
    }

    /// A copy of the journal of a service that is dead, so that looking at it changes nothing for the next one.
    ///
    /// # Panics
    /// It cannot be copied.
    #[must_use]
    pub fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().expect("a folder");
        let mut cp = Command::new("cp");
        let copied = cp.args(["-a", "--sparse=always"]).arg(self.data.join(".")).arg(copy.path()).status();
        assert!(copied.expect("cp").success(), "the journal is copied");
        copy
    }
}

/// The folder of the programs that this crate builds.
///
/// # Panics
/// A test stands elsewhere than cargo puts it.
#[must_use]
pub fn binaries() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").to_owned()
}

/// How many rounds of a kind: `few`, or a share of `CRASH_ROUNDS` when that asks for more than the usual hundred.
#[must_use]
pub fn rounds(few: u64) -> u64 {
    let asked = std::env::var("CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse::<u64>().ok());
    asked.map_or(few, |asked| (asked * few).div_ceil(100))
}

/// What a service logs when it is up.
pub const SERVES: &str = "\"message\":\"serving\"";

/// How long anything may take on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What chance starts from: `CRASH_SEED`, or else the same in every run.
#[must_use]
pub fn seed(name: &str) -> u64 {
    let asked = std::env::var("CRASH_SEED").ok().and_then(|seed| seed.parse().ok());
    let own = name.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))) % 0x1_0000;
    asked.unwrap_or(own)
}

/// Lets a fault last so long.
pub fn lasts(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        thread::park_timeout(until.saturating_duration_since(Instant::now()));
    }
}

/// A runtime for what a test says to a service, and for its proxies.
///
/// # Panics
/// There is no thread for it.
#[must_use]
pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}
