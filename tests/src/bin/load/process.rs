//! Processes of a run: started, looked at in `/proc`, ended.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Lines, Write as _},
    net::{Ipv4Addr, TcpListener},
    path::Path,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use rustix::process::{Resource, getrlimit, setrlimit};

/// Ports to listen on: client connections get theirs from 32768 up.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// How many files a process may have open at most.
pub(crate) fn open_files_limit() -> u64 {
    getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX)
}

/// Lets this process open as many files as it may.
pub(crate) fn raise_open_files() -> anyhow::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("raising the number of open files")
}

/// Ports that are free now, all different.
pub(crate) fn free_ports<const N: usize>() -> anyhow::Result<[u16; N]> {
    // From another place each time, so that two runs on one machine do not meet.
    let from = PORTS.start + (std::process::id() % u32::from(PORTS.end - PORTS.start)) as u16;
    let mut free = (from..PORTS.end).chain(PORTS.start..from);
    let mut ports = [0; N];
    for port in &mut ports {
        let found = free.find(|&port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
        *port = found.with_context(|| format!("no port from {} to {} is free", PORTS.start, PORTS.end))?;
    }
    Ok(ports)
}

/// A process of the run; it is killed when nobody needs it any more.
pub(crate) struct Child {
    child: std::process::Child,
    name: &'static str,
}

impl Child {
    /// Starts a program whose standard error goes to a file, or to the run's own.
    pub(crate) fn start(name: &'static str, mut command: Command, log: Option<&Path>) -> anyhow::Result<Child> {
        let stderr = match log {
            Some(path) => File::create(path).with_context(|| path.display().to_string())?.into(),
            None => Stdio::inherit(),
        };
        let child = command.stderr(stderr).spawn().with_context(|| format!("starting the {name}"))?;
        Ok(Child { child, name })
    }

    /// This program again.
    pub(crate) fn role(role: &str, arguments: &[(&str, String)]) -> anyhow::Result<Command> {
        let mut command = Command::new(std::env::current_exe().context("this program")?);
        command.args(["--role", role]).stdin(Stdio::null()).stdout(Stdio::null());
        for (name, value) in arguments {
            command.arg(format!("--{name}")).arg(value);
        }
        Ok(command)
    }

    /// Standard input and output, when both were asked for as pipes.
    pub(crate) fn talk(&mut self) -> anyhow::Result<Talk> {
        let (Some(input), Some(output)) = (self.child.stdin.take(), self.child.stdout.take()) else {
            bail!("the {} has no pipes", self.name);
        };
        Ok(Talk { input, lines: BufReader::new(output).lines(), name: self.name })
    }

    /// It is needed no more.
    pub(crate) fn end(&mut self) {
        // Fails only when it has ended by itself.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }

    /// It ended well.
    pub(crate) fn wait(mut self) -> anyhow::Result<()> {
        let status = self.child.wait()?;
        ensure!(status.success(), "the {} ended with {status}", self.name);
        Ok(())
    }

    /// Memory in use, in KiB.
    pub(crate) fn resident_kib(&self) -> anyhow::Result<u64> {
        let status = self.proc("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).context("no VmRSS")
    }

    /// Processor time used so far, by programs and kernel for it.
    pub(crate) fn processor_time(&self) -> anyhow::Result<Duration> {
        let stat = self.proc("stat")?;
        ticks(&stat).map(of_ticks)
    }

    fn proc(&self, file: &str) -> anyhow::Result<String> {
        let path = format!("/proc/{}/{file}", self.child.id());
        fs::read_to_string(&path).with_context(|| format!("{path}: the {} is gone", self.name))
    }
}

/// Processor time that nobody on this machine has used since it was started. What was used is counted by the tick and misses
/// who wakes just behind one; what was not is measured.
pub(crate) fn idle_time() -> anyhow::Result<Duration> {
    let stat = fs::read_to_string("/proc/stat").context("/proc/stat")?;
    idle_ticks(&stat).map(of_ticks).context("/proc/stat has no line for all processors")
}

/// Processors of this machine.
pub(crate) fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(1))
}

/// idle and iowait of the first line.
fn idle_ticks(stat: &str) -> Option<u64> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let times: Vec<u64> = line.split_ascii_whitespace().filter_map(|field| field.parse().ok()).collect();
    Some(times.get(3)? + times.get(4)?)
}

fn of_ticks(ticks: u64) -> Duration {
    Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100)
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

/// utime and stime of `/proc/PID/stat`, fields 14 and 15; the second field is a name in brackets that may contain anything.
fn ticks(stat: &str) -> anyhow::Result<u64> {
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_ascii_whitespace()).context("no stat")?;
    let times: Vec<u64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    ensure!(times.len() == 2, "no times in {stat}");
    Ok(times.iter().sum())
}

/// A conversation with a child, line by line.
pub(crate) struct Talk {
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    name: &'static str,
}

impl Talk {
    /// The next line.
    pub(crate) fn line(&mut self) -> anyhow::Result<String> {
        self.lines.next().with_context(|| format!("the {} ended before its time", self.name))?.map_err(Into::into)
    }

    /// The next line must be this one.
    pub(crate) fn expect(&mut self, line: &str) -> anyhow::Result<()> {
        let said = self.line()?;
        ensure!(said == line, "the {} said {said:?} instead of {line:?}", self.name);
        Ok(())
    }

    /// Says a line.
    pub(crate) fn say(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.input, "{line}").with_context(|| format!("the {} does not listen", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 0 0 0 12 30 0 0 20 0 3 0 5 6 7";
        assert_eq!(ticks(stat).expect("times"), 42);
        assert!(ticks("7 (load").is_err());
        assert_eq!(idle_ticks("cpu  1 2 4 1000 2000 8 16 4000 0 0\ncpu0 1"), Some(3000));
    }

    #[test]
    fn free_ports_are_different_and_below_those_of_clients() {
        let [a, b, c] = free_ports().expect("three ports");
        assert!(a != b && b != c && a != c && [a, b, c].iter().all(|port| PORTS.contains(port)));
    }
}
