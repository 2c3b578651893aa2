//! The checks, each by itself.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write as _},
    net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    super::config::{Limits, Listen},
    Finding,
    State::{Look, Wrong},
};

/// How many syncs are tried, and after how long no more of them once there are enough to say something.
const SYNCS: usize = 256;
const ENOUGH: usize = 32;
const LONG: Duration = Duration::from_secs(5);

/// From when on presses wait for the disk noticeably, and from when on a round is not played on it.
const SLOW: Duration = Duration::from_millis(20);
const TOO_SLOW: Duration = Duration::from_millis(100);

/// The same for one sync in a hundred: a display that waits a tenth of a second for its directive now and then is seen to, and one that
/// waits a second has players look up.
const STALLS: Duration = Duration::from_millis(100);
const STANDS_STILL: Duration = Duration::from_secs(1);

/// Where ports of outgoing connections begin on Linux.
const OUTGOING: u16 = 32_768;

/// The nearest directory that is there. A path that names none is meant from here.
fn existing(dir: &Path) -> PathBuf {
    dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new(".")).to_owned()
}

/// A file in the directory that is gone again when it is dropped.
struct Probe {
    path: PathBuf,
    file: File,
}

impl Probe {
    fn new(dir: &Path) -> io::Result<Probe> {
        let path = dir.join(format!(".flagfall-doctor-{}", std::process::id()));
        let file = File::create_new(&path)?;
        Ok(Probe { path, file })
    }

    fn sync(&mut self, bytes: &[u8]) -> io::Result<Duration> {
        let begun = Instant::now();
        self.file.write_all(bytes)?;
        self.file.sync_data()?;
        Ok(begun.elapsed())
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

/// The service can write there.
pub(super) fn directory(dir: &Path) -> Finding {
    const CHECK: &str = "data_dir";
    if dir.exists() && !dir.is_dir() {
        return Finding::new(
            CHECK,
            Wrong,
            format!("{} is no directory", dir.display()),
            "name a directory as data_dir",
        );
    }
    let there = existing(dir);
    match Probe::new(&there) {
        Ok(_) if dir.is_dir() => Finding::ok(CHECK, format!("{} takes writes", dir.display())),
        Ok(_) => Finding::ok(CHECK, format!("{} will be made in {}", dir.display(), there.display())),
        Err(error) => {
            let advice = "run as the user of the service; give that user the directory, and the disk space and a mount that is not read-only";
            Finding::new(CHECK, Wrong, format!("{}: {error}", there.display()), advice)
        }
    }
}

/// The service can read a file of its settings: it runs as the user whose the journal is, and whoever looks may be another.
pub(super) fn readable(file: &Path, data_dir: &Path) -> Finding {
    const CHECK: &str = "may read";
    let told = file.display();
    let (found, service) = match (fs::metadata(file), fs::metadata(data_dir)) {
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => {
            return Finding::ok(CHECK, format!("{told} is not there"));
        }
        (Err(error), _) => return Finding::new(CHECK, Look, format!("{told}: {error}"), ""),
        // Whoever makes it can read what was read just now.
        (Ok(_), Err(_)) => return Finding::ok(CHECK, format!("{told} can be read")),
        (Ok(found), Ok(service)) => (found, service),
    };
    let (user, group) = (service.uid(), service.gid());
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let may_enter = fs::metadata(folder).is_ok_and(|folder| may(user, group, &folder, 0o1));
    match may_enter && may(user, group, &found, 0o4) {
        true => Finding::ok(CHECK, format!("{told}: by user {user}, whose data_dir is")),
        false => {
            let (owner, of, mode) = (found.uid(), found.gid(), found.mode() & 0o777);
            let found = format!("{told} is {owner}:{of} {mode:o}, and user {user}, whose data_dir is, cannot read it");
            let advice = format!("chown root:{group} the file and its folder, chmod 640 the file and 750 the folder");
            Finding::new(CHECK, Wrong, found, advice)
        }
    }
}

/// Whether a user may do this with a file: 4 is to read, 1 to go in.
fn may(user: u32, group: u32, file: &Metadata, what: u32) -> bool {
    let shift = match () {
        () if user == 0 => return true,
        () if file.uid() == user => 6,
        () if file.gid() == group => 3,
        () => 0,
    };
    file.mode() >> shift & what == what
}

/// There is room for a tournament.
pub(super) fn space(dir: &Path) -> Finding {
    const CHECK: &str = "space";
    const ENOUGH_MIB: u64 = 1_024;
    match rustix::fs::statvfs(existing(dir)) {
        Ok(disk) => {
            let mib = disk.f_bavail.saturating_mul(disk.f_frsize) >> 20;
            let found = format!("{mib} MiB free");
            match mib {
                ENOUGH_MIB.. => Finding::ok(CHECK, found),
                64.. => Finding::new(CHECK, Look, found, "a full disk stops the service: make room before the round"),
                _ => Finding::new(CHECK, Wrong, found, "make room: a full disk stops the service"),
            }
        }
        Err(error) => Finding::new(CHECK, Look, format!("cannot be told: {error}"), ""),
    }
}

/// What a sync takes: each press waits for one.
pub(super) fn disk(dir: &Path) -> Finding {
    let begun = Instant::now();
    let measured = Probe::new(&existing(dir)).and_then(|mut probe| {
        let mut times = Vec::with_capacity(SYNCS);
        while times.len() < SYNCS && (times.len() < ENOUGH || begun.elapsed() < LONG) {
            times.push(probe.sync(&[7; 4_096])?);
        }
        Ok(times)
    });
    match measured {
        Ok(times) => syncs(times),
        Err(error) => {
            let advice = "look after the disk and its permissions";
            Finding::new("disk", Wrong, format!("cannot be synced: {error}"), advice)
        }
    }
}

/// What these times of syncs say of a disk: the usual one, and the one in a hundred that a hall still notices.
fn syncs(mut times: Vec<Duration>) -> Finding {
    const CHECK: &str = "disk";
    times.sort_unstable();
    let at =
        |hundredths: usize| times.get((times.len() * hundredths).div_ceil(100).max(1) - 1).copied().unwrap_or_default();
    let (median, p99, worst) = (at(50), at(99), at(100));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let count = times.len();
    let found = format!("{count} syncs: median {:.2} ms, p99 {:.2} ms, worst {:.2} ms", ms(median), ms(p99), ms(worst));
    let stalls = "it stalls: see what else writes there (backups, images of containers, a log), give data_dir a disk of its own, \
                  and replace a card or an SSD that is nearly full or worn";
    match () {
        () if median >= TOO_SLOW => {
            Finding::new(CHECK, Wrong, found, "put data_dir on an SSD: every press waits for a sync")
        }
        () if p99 >= STANDS_STILL => Finding::new(CHECK, Wrong, found, stalls),
        () if median >= SLOW => {
            Finding::new(CHECK, Look, found, "presses will wait for the disk; an SSD syncs in a millisecond")
        }
        () if p99 >= STALLS => Finding::new(CHECK, Look, found, stalls),
        () => Finding::ok(CHECK, found),
    }
}

/// Reading the time is cheap and steady.
pub(super) fn clock_source() -> Finding {
    const CHECK: &str = "clock source";
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match fs::read_to_string(path).as_deref().map(str::trim) {
        Ok(source @ ("hpet" | "acpi_pm" | "jiffies" | "refined-jiffies")) => {
            let advice = "slow to read: look in the kernel's log why it gave up the processor's own counter";
            Finding::new(CHECK, Look, source, advice)
        }
        Ok(source) => Finding::ok(CHECK, source),
        Err(error) => Finding::new(CHECK, Look, format!("cannot be told: {error}"), ""),
    }
}

/// Wall time only labels entries; a label of another year confuses people.
pub(super) fn calendar() -> Finding {
    let now = jiff::Timestamp::now();
    match now.strftime("%Y").to_string().parse() {
        Ok(2_026..2_100) => Finding::ok("calendar", now.strftime("%Y-%m-%d %H:%M UTC").to_string()),
        _ => {
            Finding::new("calendar", Look, now.to_string(), "set the date: nothing is ruled by it, but people read it")
        }
    }
}

/// Every address can be listened on.
pub(super) fn ports(listen: &Listen) -> Vec<Finding> {
    let all = [("clocks", listen.clocks), ("desk", listen.desk), ("web", listen.web), ("ops", listen.ops)];
    all.map(|(key, address)| port(key, address)).into()
}

fn port(key: &str, address: SocketAddr) -> Finding {
    const CHECK: &str = "port";
    match TcpListener::bind(address) {
        Ok(_) if address.port() >= OUTGOING => {
            let advice = "below 32768 no outgoing connection can take it first";
            Finding::new(CHECK, Look, format!("{key}: {address} is free now"), advice)
        }
        Ok(_) => Finding::ok(CHECK, format!("{key}: {address} is free")),
        Err(error) => {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => {
                    "stop what listens there (is the service running already?), or choose another under [listen]"
                }
                io::ErrorKind::AddrNotAvailable => "this machine does not have the address: correct it under [listen]",
                _ => "choose another under [listen]",
            };
            Finding::new(CHECK, Wrong, format!("{key}: {address}: {error}"), advice)
        }
    }
}

/// Every connection is an open file, and what the service takes of them it leaves to its journal.
pub(super) fn files(most: usize, clocks: usize, limits: &Limits) -> Finding {
    const CHECK: &str = "open files";
    let (needed, within) = (limits.files(), limits.within(most));
    let advice = || format!("LimitNOFILE={} in the unit, or ulimit -Hn", needed.next_power_of_two());
    let allowed = if most == usize::MAX { "no limit".to_owned() } else { format!("{most} allowed") };
    let found = format!(
        "{allowed}: {} clocks, and {} programs, browsers and probes each, can be connected",
        within.connections, within.visitors
    );
    match () {
        () if within.connections < clocks => {
            Finding::new(CHECK, Wrong, format!("{found}; {clocks} clocks are listed"), advice())
        }
        () if needed > most => Finding::new(CHECK, Look, format!("{found}; [limits] say more"), advice()),
        () => Finding::ok(CHECK, found),
    }
}

/// All clocks may knock at once: after a cut of the network, say.
pub(super) fn backlog(clocks: usize) -> Finding {
    match fs::read_to_string("/proc/sys/net/core/somaxconn").map(|text| text.trim().parse::<usize>()) {
        Ok(Ok(most)) => queue(most, clocks),
        _ => Finding::new("backlog", Look, "cannot be told", ""),
    }
}

fn queue(most: usize, clocks: usize) -> Finding {
    const CHECK: &str = "backlog";
    let found = format!("{most} connections may wait to be accepted, {clocks} clocks may come at once");
    match most >= clocks {
        true => Finding::ok(CHECK, found),
        false => {
            let advice = format!(
                "sysctl net.core.somaxconn={}, and in /etc/sysctl.d: else some find nobody and try again seconds later",
                clocks.next_power_of_two()
            );
            Finding::new(CHECK, Look, found, advice)
        }
    }
}

/// There are none yet.
pub(super) fn certificates() -> Finding {
    let found = "none are configured: connections are not encrypted, and nothing runs out";
    Finding::new("certificates", Look, found, "keep clocks and desks in a network of their own")
}

/// Traces go somewhere.
pub(super) fn collector(named: Option<String>) -> Finding {
    const CHECK: &str = "collector";
    const PATIENCE: Duration = Duration::from_secs(2);
    let Some(url) = named else {
        return Finding::ok(CHECK, "none: the last traces are kept in memory, see /traces on the ops port");
    };
    let host =
        url.split_once("://").map_or(url.as_str(), |(_, rest)| rest).split('/').next().unwrap_or_default().to_owned();
    let address = host.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    let reached = address.is_some_and(|address| TcpStream::connect_timeout(&address, PATIENCE).is_ok());
    match reached {
        true => Finding::ok(CHECK, format!("{url} answers")),
        false => {
            let advice =
                "no press waits for it, but its spans are dropped: start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT";
            Finding::new(CHECK, Look, format!("{url} does not answer"), advice)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::{super::State, *};

    #[test]
    fn what_is_not_there_yet_is_looked_for_from_here_or_from_the_root() {
        assert_eq!(existing(Path::new("a-journal/of-a-round")), Path::new("."));
        assert_eq!(existing(Path::new("/nowhere/at/all")), Path::new("/"));
    }

    #[test]
    fn a_disk_is_judged_by_its_usual_sync_and_by_the_one_in_a_hundred() {
        // So many of a hundred syncs take this long, the others a millisecond.
        let of = |slow: usize, ms: u64| {
            let times = (0..100).map(|n| Duration::from_millis(if n < slow { ms } else { 1 })).collect();
            let Finding { state, found, advice, .. } = syncs(times);
            (state, found, advice)
        };
        let (state, found, advice) = of(0, 0);
        assert_eq!((state, advice.as_str()), (State::Ok, ""));
        assert_eq!(found, "100 syncs: median 1.00 ms, p99 1.00 ms, worst 1.00 ms");
        assert_eq!(of(1, 5_000).0, State::Ok, "one of them is chance, and is said");
        assert!(of(1, 5_000).1.ends_with("p99 1.00 ms, worst 5000.00 ms"));
        assert_eq!(of(2, 99).0, State::Ok);
        assert_eq!(of(2, 100).0, State::Look);
        assert!(of(2, 100).2.starts_with("it stalls: see what else writes there"));
        assert_eq!((of(2, 999).0, of(2, 1_000).0), (State::Look, State::Wrong));
        assert_eq!(
            (of(51, 19).0, of(51, 20).0, of(51, 99).0, of(51, 100).0),
            (State::Ok, State::Look, State::Look, State::Wrong)
        );
        assert!(of(51, 20).2.starts_with("presses will wait") && of(51, 100).2.starts_with("put data_dir on an SSD"));
        assert_eq!(syncs(vec![]).state, State::Ok, "nothing was measured, and nothing breaks");
    }

    #[test]
    fn a_file_is_read_by_its_owner_its_group_or_whoever_may() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("users.toml");
        fs::write(&file, "").expect("written");
        let of = |mode| {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("given");
            fs::metadata(&file).expect("there")
        };
        let (mine, closed) = (of(0o640), of(0o600));
        let (owner, group) = (mine.uid(), mine.gid());
        let (other, strange) = (owner + 65_532, group + 65_532);
        assert!(may(owner, strange, &mine, 4) && may(other, group, &mine, 4) && !may(other, strange, &mine, 4));
        assert!(!may(other, group, &closed, 4), "what `flagfall user add` once left to root alone");
        assert!(may(other, strange, &of(0o644), 4) && !may(other, strange, &of(0o644), 1));
        assert!(may(0, 0, &closed, 4), "root reads everything");
    }

    #[test]
    fn open_files_are_counted_with_all_that_may_connect() {
        let limits = Limits { connections: 100, visitors: 10, ..Limits::default() };
        // 100 + 3 × 10 + 256
        let of = |most, clocks| files(most, clocks, &limits);
        assert_eq!(of(386, 100), Finding::ok("open files", of(386, 100).found));
        let less = of(385, 99);
        assert_eq!((less.state, less.advice.as_str()), (State::Look, "LimitNOFILE=512 in the unit, or ulimit -Hn"));
        assert!(less.found.starts_with("385 allowed: 99 clocks, and 10 programs, "), "{}", less.found);
        assert_eq!((of(385, 100).state, of(usize::MAX, 100).state), (State::Wrong, State::Ok));
    }

    #[test]
    fn a_queue_that_is_shorter_than_the_hall_is_said() {
        assert_eq!(queue(4_096, 4_096).state, State::Ok);
        let Finding { state, advice, .. } = queue(4_096, 5_000);
        assert_eq!(state, State::Look);
        assert!(advice.starts_with("sysctl net.core.somaxconn=8192, "), "{advice}");
    }
}
