//! The service as systemd runs it: it says when it is ready, feeds the watchdog, reads its settings again without dropping a stream, and
//! stops in time under load.

use std::{
    io::{BufRead, BufReader, ErrorKind, Read},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::net::UnixDatagram,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use flagfall_proto::clock::v1::DeviceEvent;
use flagfall_rules::clock::Place;
use flagfall_server::journal::{
    Journal, SledJournal, StreamId,
    codec::{self, Kept},
    sled::Options,
};
use flagfall_tests::{
    clock::{self, Spool},
    terminal::binaries,
};
use prost::Message;
use rustix::{
    pipe::fcntl_setpipe_size,
    process::{Pid, Signal, kill_process},
};
use serde_json::Value;

use crate::{
    bench::{Clock, open},
    pages::get,
    receiver::PATIENCE,
};

struct Process {
    child: Child,
    lines: Receiver<String>,
    told: UnixDatagram,
    clocks: SocketAddr,
    desk: SocketAddr,
    ops: SocketAddr,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port")
}

fn settings(folder: &Path, listen: &[SocketAddr; 4], clocks: usize) {
    let [at, desk, web, ops] = listen;
    let mut text = format!(
        "data_dir = {:?}\n[listen]\nclocks = '{at}'\ndesk = '{desk}'\nweb = '{web}'\nops = '{ops}'\n",
        folder.join("journal")
    );
    for n in 1..=clocks {
        text += &format!("[[clocks]]\ndevice = 'clock-{n}'\nboard = 'board-{n}'\n");
    }
    std::fs::write(folder.join("flagfall.toml"), text).expect("written");
}

/// A service on a folder, its log in a pipe.
fn spawn(folder: &Path) -> (Child, UnixDatagram) {
    spawn_by(Command::new(binaries().join("flagfall")), folder)
}

/// The same by a command that becomes the service.
fn spawn_by(mut command: Command, folder: &Path) -> (Child, UnixDatagram) {
    let socket = folder.join("notify");
    let told = UnixDatagram::bind(&socket).expect("a socket");
    told.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let child = command
        .args(["serve", "--log-json", "--config"])
        .arg(folder.join("flagfall.toml"))
        .env("NOTIFY_SOCKET", &socket)
        // So that it is fed every second.
        .env("WATCHDOG_USEC", "3000000")
        .stderr(Stdio::piped())
        .spawn()
        .expect("flagfall runs");
    (child, told)
}

impl Process {
    /// Its log is read as it comes.
    fn start(folder: &Path, listen: &[SocketAddr; 4]) -> Process {
        let (child, told) = spawn(folder);
        Process::of(child, told, listen, true)
    }

    /// It may have so many files open, and is told of fewer, as by a shell.
    fn with_files(folder: &Path, listen: &[SocketAddr; 4], files: u32) -> Process {
        let mut command = Command::new("sh");
        let limits = format!("ulimit -Sn {}; ulimit -Hn {files}; exec \"$0\" \"$@\"", files / 2);
        command.args(["-c", &limits]).arg(binaries().join("flagfall"));
        let (child, told) = spawn_by(command, folder);
        Process::of(child, told, listen, true)
    }

    /// Nobody reads its log, and little of it goes into the pipe.
    fn unread(folder: &Path, listen: &[SocketAddr; 4]) -> Process {
        let (child, told) = spawn(folder);
        fcntl_setpipe_size(child.stderr.as_ref().expect("piped"), 4096).expect("a small pipe");
        Process::of(child, told, listen, false)
    }

    fn of(mut child: Child, told: UnixDatagram, listen: &[SocketAddr; 4], is_read: bool) -> Process {
        let (sender, lines) = channel();
        if is_read {
            let log = BufReader::new(child.stderr.take().expect("piped"));
            std::thread::spawn(move || log.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        }
        let [clocks, desk, _, ops] = *listen;
        Process { child, lines, told, clocks, desk, ops }
    }

    /// Waits until the service manager is told this.
    fn tells(&self, what: &str) {
        let mut buffer = [0; 256];
        loop {
            let length = self.told.recv(&mut buffer).unwrap_or_else(|error| panic!("never told {what}: {error}"));
            if String::from_utf8_lossy(&buffer[..length]).lines().any(|line| line == what) {
                return;
            }
        }
    }

    /// Waits for a line of the log.
    fn logs(&self, what: &str) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("never logged {what}: {error}"));
            let line: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if line["fields"]["message"] == what {
                return line;
            }
        }
    }

    /// Waits until it has ended by itself.
    async fn ends(&mut self) -> ExitStatus {
        let stopping = Instant::now();
        loop {
            match self.child.try_wait().expect("its state") {
                Some(status) => return status,
                None if stopping.elapsed() > Duration::from_secs(20) => panic!("it does not stop"),
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("it runs");
        kill_process(id, signal).expect("signalled");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn systemd_is_told_settings_are_read_again_and_a_stop_under_load_keeps_what_was_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let listen = [free(), free(), free(), free()];
    settings(folder, &listen, 2);
    let mut process = Process::start(folder, &listen);
    process.tells("READY=1");
    process.tells("WATCHDOG=1");
    process.tells("WATCHDOG=1");
    assert_eq!(get(process.ops, "/readyz").await.0, 200);

    let mut first = Clock::start("clock-1", process.clocks, None);
    open(process.desk, "g1", "clock-1").await;
    first.has_game("g1").await;
    settings(folder, &listen, 3);
    process.signal(Signal::HUP);
    process.tells("RELOADING=1");
    process.tells("READY=1");
    let read = process.logs("settings read again");
    assert_eq!(read["fields"]["taken"], "clock-3 on board board-3 is taken in", "{read}");
    assert_eq!(read["fields"]["needs_a_restart"], "", "{read}");
    let mut third = Clock::start("clock-3", process.clocks, None);
    open(process.desk, "g3", "clock-3").await;
    third.has_game("g3").await;
    let page = get(process.ops, "/metrics").await.1;
    assert!(page.contains("flagfall_sessions_opened_total 2\n"), "no stream was dropped: {page}");
    // Settings that cannot be read change nothing.
    std::fs::write(folder.join("flagfall.toml"), "data_dir = 7").expect("written");
    process.signal(Signal::HUP);
    process.logs("the new settings are not taken, those before them stay");

    first.begin_blind().await;
    third.begin_blind().await;
    let mut acked = Vec::new();
    for n in 0..200_u32 {
        if n == 100 {
            process.signal(Signal::TERM);
        }
        let place = if n % 2 == 0 { Place::Left } else { Place::Right };
        first.press(place).await;
        third.press(place).await;
    }
    process.tells("STOPPING=1");
    let status = process.ends().await;
    assert!(status.success(), "{status}");
    for clock in [&first, &third] {
        acked.push(clock.handle.shown.borrow().acked);
    }
    let journal = SledJournal::open(&Options::new(folder.join("journal"))).expect("a journal that can be opened");
    let kept = |game: &str| {
        let entries = journal.read(&StreamId::Game(game.into()), 1, 10_000).expect("readable");
        let read = entries.iter().map(|entry| codec::decode_entry(&entry.bytes).expect("an entry"));
        let inputs = read.flat_map(|entry| entry.inputs);
        let seqs = inputs.filter_map(|input| match input {
            Kept::Device(bytes) => Some(DeviceEvent::decode(bytes.as_slice()).expect("an event").seq),
            _ => None,
        });
        seqs.max().unwrap_or(0)
    };
    for (game, acked) in [("g1", acked[0]), ("g3", acked[1])] {
        let kept = kept(game);
        assert!(kept >= acked && acked > 0, "{game}: {kept} on disk, {acked} acknowledged");
    }
    first.end().await;
    third.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_nobody_reads_holds_up_no_press_and_no_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let listen = [free(), free(), free(), free()];
    settings(folder, &listen, 1);
    let mut process = Process::unread(folder, &listen);
    process.tells("READY=1");
    // A line each, of two hundred bytes: many times what the pipe takes.
    for n in 0..200 {
        let refused = clock::Clock::connect(process.clocks, &Spool::new(&format!("stranger-{n}"), 1)).await;
        assert!(refused.is_err(), "nobody knows it");
    }
    let mut clock = Clock::start("clock-1", process.clocks, None);
    open(process.desk, "g1", "clock-1").await;
    clock.has_game("g1").await;
    clock.begin_blind().await;
    clock.press(Place::Left).await;
    let page = get(process.ops, "/metrics").await.1;
    assert!(page.contains("flagfall_log_lines_lost_total 0\n"), "they wait: {page}");
    process.signal(Signal::TERM);
    let status = process.ends().await;
    assert!(status.success(), "{status}");
    clock.end().await;
    let log = BufReader::new(process.child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    let lines: Vec<String> = log.collect();
    assert!(lines.iter().any(|line| line.contains("serving")) && lines.len() < 100, "{} lines", lines.len());
}

/// Whoever only connects, at whatever port, has no part in the files that the journal needs, and does not stay.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_that_says_nothing_takes_no_file_from_the_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let listen = [free(), free(), free(), free()];
    settings(folder, &listen, 1);
    // 256 are the service's own; of the 64 that are left, 8 go to each port of visitors and 40 to clocks.
    let mut process = Process::with_files(folder, &listen, 320);
    let fewer = process.logs("fewer connections than in [limits]: so many files may be open");
    let told = ["files", "clocks", "visitors"].map(|key| fewer["fields"][key].as_u64());
    assert_eq!(told, [Some(320), Some(40), Some(8)], "{fewer}");
    process.tells("READY=1");
    let mut clock = Clock::start("clock-1", process.clocks, None);
    open(process.desk, "g1", "clock-1").await;
    clock.has_game("g1").await;
    clock.begin_blind().await;

    let [_, desk, web, ops] = listen;
    let connect = |at: SocketAddr| (0..150).map(move |_| TcpStream::connect(at).expect("the system takes it"));
    let crowd: Vec<_> = [desk, web, ops].into_iter().flat_map(connect).collect();
    for place in [Place::Left, Place::Right, Place::Left] {
        let before = clock.handle.shown.borrow().acked;
        clock.press(place).await;
        clock.shown(|shown| shown.acked > before && shown.acked == shown.spooled).await;
    }
    // Those beyond the eight at once, and the eight when they have not asked anything for five seconds.
    let closed = tokio::task::spawn_blocking(move || {
        for mut silent in crowd {
            silent.set_read_timeout(Some(PATIENCE)).expect("a timeout");
            match silent.read(&mut [0; 64]) {
                Ok(0) => {}
                // Its side of HTTP/2 is said before anybody asked.
                Ok(_) => assert!(matches!(silent.read(&mut [0; 64]), Ok(0)), "more is said"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
            }
        }
    });
    closed.await.expect("each of them is closed");
    assert_eq!(get(process.ops, "/readyz").await.0, 200);
    process.signal(Signal::TERM);
    let status = process.ends().await;
    assert!(status.success(), "{status}");
    clock.end().await;
}
