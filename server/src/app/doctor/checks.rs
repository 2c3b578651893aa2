//! The checks, each by itself.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::process::{Resource, getrlimit};

use super::{
    super::config::Listen,
    Finding,
    State::{Look, Wrong},
};

/// How many syncs are tried.
const SYNCS: usize = 32;

/// From when on a press waits for the disk noticeably, and from when on a round is not played on it.
const SLOW: Duration = Duration::from_millis(20);
const TOO_SLOW: Duration = Duration::from_millis(100);

/// Where ports of outgoing connections begin on Linux.
const OUTGOING: u16 = 32_768;

/// The nearest directory that is there.
fn existing(dir: &Path) -> PathBuf {
    dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("/")).to_owned()
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
    const CHECK: &str = "disk";
    let measured = Probe::new(&existing(dir))
        .and_then(|mut probe| (0..SYNCS).map(|_| probe.sync(&[7; 4_096])).collect::<io::Result<Vec<_>>>());
    let mut times = match measured {
        Ok(times) => times,
        Err(error) => {
            return Finding::new(
                CHECK,
                Wrong,
                format!("cannot be synced: {error}"),
                "look after the disk and its permissions",
            );
        }
    };
    times.sort_unstable();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let found = format!("{SYNCS} syncs: median {:.2} ms, worst {:.2} ms", ms(median), ms(worst));
    match median {
        _ if median >= TOO_SLOW => {
            Finding::new(CHECK, Wrong, found, "put data_dir on an SSD: every press waits for a sync")
        }
        _ if median >= SLOW => {
            Finding::new(CHECK, Look, found, "presses will wait for the disk; an SSD syncs in a millisecond")
        }
        _ => Finding::ok(CHECK, found),
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

/// Every clock is an open connection.
pub(super) fn files(clocks: usize) -> Finding {
    const CHECK: &str = "open files";
    let needed = clocks as u64 + 256;
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < needed => {
            let advice = format!("LimitNOFILE={} in the unit, or ulimit -n", needed.next_power_of_two());
            Finding::new(CHECK, Wrong, format!("{limit} allowed, {clocks} clocks need {needed}"), advice)
        }
        Some(limit) => Finding::ok(CHECK, format!("{limit} allowed, {needed} needed")),
        None => Finding::ok(CHECK, "unlimited"),
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
