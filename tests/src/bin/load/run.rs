//! A whole run: the floors, the echo, the service, one after the other, so that none takes the processor from another.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use prost::Message as _;
use tempfile::TempDir;

use crate::{
    args::Args,
    figures::{AtRest, Cpus, Disk, Figures, Link, Memory, Service},
    floors, games,
    orders::{self, Measured},
    player::{CONTROL, Player},
    process::{self, Child},
    service::{self, Ports},
    traces::{self, Cost, Round, Traces},
};

/// How long the clocks rest in the middle of their games, to see what heartbeats cost.
const REST: Duration = Duration::from_secs(4);

/// The end of that.
const RESTED: &str = "rested";

/// Measures everything and prints it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let beside = beside()?;
    let dir = folder(args)?;
    let dir = dir.path();

    let frame = frame()?;
    eprintln!("load: floors of the disk, in {}", dir.display());
    let disk = Disk { fdatasync: floors::fdatasync(dir, &frame)?, sled_commit: floors::sled_commit(dir, &frame)? };
    eprintln!("load: echo, {} clocks", args.clocks);
    let echo = echo(args, dir)?;
    eprintln!("load: service, {} clocks", args.clocks);
    let agent = args.agent.clone().or_else(|| Some(beside.join("flagfall-clock")).filter(|path| path.exists()));
    if agent.is_none() {
        eprintln!("load: the agent is not measured: cargo build --release -p flagfall-clock");
    }
    let service = service(args, dir, agent, None)?;
    let costs = costs(args, dir)?;
    let figures = Figures { traces: costs, ..Figures::new(args, frame.len(), disk, echo, service) };
    if args.human {
        println!("{figures}");
    } else {
        println!("{}", serde_json::to_string(&figures)?);
    }
    Ok(())
}

/// Where this program is.
fn beside() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe().context("this program")?;
    Ok(program.parent().unwrap_or(Path::new(".")).to_owned())
}

/// A folder of the run's own, on the disk that is to be measured.
pub(crate) fn folder(args: &Args) -> anyhow::Result<TempDir> {
    let dir = args.dir.clone().map_or_else(beside, Ok)?;
    let dir = tempfile::Builder::new().prefix("flagfall-load-").tempdir_in(&dir);
    dir.context("a folder for the run; choose another place with --dir")
}

/// An ordinary press as it goes over the wire.
pub(crate) fn frame() -> anyhow::Result<Vec<u8>> {
    let control = CONTROL.parse().map_err(|error| anyhow::anyhow!("{CONTROL}: {error}"))?;
    let mut player = Player::new(0, Arc::new(games::all()), control);
    player.sit_down(player.next_game());
    player.start();
    let _first = player.frame();
    player.press();
    Ok(player.frame().encode_to_vec())
}

pub(crate) fn echo(args: &Args, dir: &Path) -> anyhow::Result<Link> {
    let [port] = process::free_ports()?;
    let command = Child::role(
        "echo",
        &[("clocks", args.clocks.to_string()), ("seconds", "1".into()), ("port", port.to_string())],
    )?;
    let server = Child::start("echo", command, Some(&dir.join("echo.log")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(listening(port))?;
    let mut looks = Looks { empty_kib: server.resident_kib()?, ..Looks::default() };
    let measured = clocks(args, port, 0, &mut |moment, clocks| looks.look(moment, &server, clocks, None))?;
    Ok(looks.link(args, measured))
}

/// The service again and again, with each of the wanted ways in turn, so that what changes on the machine changes for all of them.
fn costs(args: &Args, dir: &Path) -> anyhow::Result<Vec<Cost>> {
    let mut rounds = vec![Vec::new(); args.traces.len()];
    for round in 0..args.rounds as usize {
        for turn in 0..args.traces.len() {
            // Each is first as often as last.
            let which = (round + turn) % args.traces.len();
            let traces = args.traces[which];
            eprintln!("load: service, traces {traces:?}, {} of {}", round + 1, args.rounds);
            rounds[which].push(exporting(args, dir, traces)?);
        }
    }
    Ok(Cost::of(&args.traces, rounds))
}

/// The service once more, and what takes its traces beside it.
fn exporting(args: &Args, dir: &Path, traces: Traces) -> anyhow::Result<Round> {
    let dir = tempfile::Builder::new().prefix("traces-").tempdir_in(dir)?;
    let [port] = process::free_ports()?;
    let arguments = [("clocks", "1".to_owned()), ("seconds", "1".into()), ("port", port.to_string())];
    let _receiver = Child::start("receiver", Child::role("receiver", &arguments)?, Some(&dir.path().join("log")))?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(listening(port))?;
    let Service { link, spans_dropped, .. } = service(args, dir.path(), None, Some((traces, port)))?;
    let Link { server_cpu_us_per_press, per_second, .. } = link;
    Ok(Round { server_cpu_us_per_press, per_second, spans_dropped })
}

/// The service, in a process of its own.
pub(crate) struct Served {
    pub(crate) server: Child,
    pub(crate) ports: Ports,
    log: PathBuf,
}

impl Served {
    /// Starts it for so many clocks, and waits until it answers; its traces go to the receiver on a port, if they go anywhere.
    pub(crate) fn start(dir: &Path, clocks: u32, traces: Option<(Traces, u16)>) -> anyhow::Result<Served> {
        let [clocks_port, desk, ops] = process::free_ports()?;
        let (config, log) = (dir.join("flagfall.toml"), dir.join("service.log"));
        let ports = Ports { clocks: clocks_port, desk, ops };
        fs::write(&config, service::settings(&dir.join("data"), ports, clocks))?;
        let arguments =
            [("clocks", clocks.to_string()), ("seconds", "1".into()), ("config", config.display().to_string())];
        let mut command = Child::role("service", &arguments)?;
        traces.into_iter().for_each(|(traces, port)| traces.set(&mut command, port));
        let server = Child::start("service", command, Some(&log))?;
        let served = Served { server, ports, log };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(service::ready(ports)).map_err(|error| served.last_words(error))?;
        Ok(served)
    }

    /// An error, with what the service said last.
    pub(crate) fn last_words(&self, error: anyhow::Error) -> anyhow::Error {
        let said = fs::read_to_string(&self.log).unwrap_or_default();
        let last: Vec<&str> = said.lines().rev().take(5).collect();
        error.context(format!("the service said last: {}", last.into_iter().rev().collect::<Vec<_>>().join(" | ")))
    }
}

fn service(
    args: &Args,
    dir: &Path,
    agent: Option<PathBuf>,
    receiver: Option<(Traces, u16)>,
) -> anyhow::Result<Service> {
    let served = Served::start(dir, args.clocks, receiver)?;
    let (server, ports) = (&served.server, served.ports);
    let mut looks = Looks { empty_kib: server.resident_kib()?, ..Looks::default() };
    let agent = agent.map(|program| start_agent(&program, dir, ports)).transpose()?;
    let dropped = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(traces::dropped(ports.ops))
    };
    // What is lost while the games are set up, all at once, is no part of what is measured.
    let mut dropped_before = 0;
    let mut look = |moment: &'static str, clocks: &Child| {
        if moment == orders::BEGIN {
            dropped_before = dropped()?;
        }
        looks.look(moment, server, clocks, agent.as_ref())
    };
    let measured = clocks(args, ports.clocks, ports.desk, &mut look).map_err(|error| served.last_words(error))?;
    if agent.is_some() {
        let log = fs::read_to_string(&served.log)?;
        ensure!(log.contains(service::AGENT), "the agent never came to the service");
    }
    let agent = agent.is_some().then(|| AtRest::new(looks.agent_kib, looks.agent, looks.measured));
    let spans_dropped = dropped()?.saturating_sub(dropped_before);
    Ok(Service { link: looks.link(args, measured), agent, spans_dropped })
}

/// An agent that is connected and on which nobody plays, its display shown to nobody.
fn start_agent(program: &Path, dir: &Path, ports: Ports) -> anyhow::Result<Child> {
    let config = dir.join("agent.toml");
    let spool = dir.join("agent-spool").display().to_string();
    let text = format!(
        "device = {:?}\nserver = \"http://127.0.0.1:{}\"\nspool_dir = {spool:?}\n[clock]\ncontrol = \"{CONTROL}\"\n",
        service::AGENT,
        ports.clocks,
    );
    fs::write(&config, text)?;
    let mut command = Command::new(program);
    command.arg("--config").arg(&config).stdin(Stdio::null()).stdout(Stdio::null());
    Child::start("agent", command, Some(&dir.join("agent.log")))
}

/// Runs all clocks against a server, and says when it is time to look at that.
fn clocks(
    args: &Args,
    port: u16,
    desk: u16,
    look: &mut dyn FnMut(&'static str, &Child) -> anyhow::Result<()>,
) -> anyhow::Result<Measured> {
    let mut arguments = vec![
        ("clocks", args.clocks.to_string()),
        ("seconds", args.seconds.to_string()),
        ("port", port.to_string()),
        ("desk", desk.to_string()),
    ];
    arguments.extend(args.rate.map(|rate| ("rate", rate.to_string())));
    let mut command = Child::role("clocks", &arguments)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = Child::start("clocks", command, None)?;
    let mut talk = child.talk()?;
    for moment in [orders::CONNECTED, orders::PLAYING] {
        talk.expect(moment)?;
        look(moment, &child)?;
        eprintln!("load:   {moment}");
        if moment == orders::PLAYING {
            // Only heartbeats go over the link now.
            rest(REST)?;
            look(RESTED, &child)?;
        }
        talk.say(orders::GO)?;
    }
    for moment in [orders::BEGIN, orders::END] {
        talk.expect(moment)?;
        look(moment, &child)?;
        eprintln!("load:   {moment}");
    }
    let measured = serde_json::from_str(&talk.line()?)?;
    child.wait()?;
    Ok(measured)
}

/// What was seen of a server, and of who runs beside it, at the moments of a run.
#[derive(Default)]
struct Looks {
    empty_kib: u64,
    connected_kib: u64,
    playing_kib: u64,
    end_kib: u64,
    agent_kib: u64,
    began: Option<Instant>,
    measured: Duration,
    /// The server's, while the clocks rested.
    resting: Duration,
    /// While it was measured; before that since each process began.
    server: Duration,
    clocks: Duration,
    agent: Duration,
    /// Time of all processors that nobody used.
    idle: Duration,
}

impl Looks {
    fn look(&mut self, moment: &str, server: &Child, clocks: &Child, agent: Option<&Child>) -> anyhow::Result<()> {
        let memory = server.resident_kib()?;
        match moment {
            orders::CONNECTED => self.connected_kib = memory,
            orders::PLAYING => (self.playing_kib, self.resting) = (memory, server.processor_time()?),
            RESTED => self.resting = server.processor_time()?.saturating_sub(self.resting),
            _ => {
                self.end_kib = memory;
                if let Some(agent) = agent {
                    self.agent_kib = agent.resident_kib()?;
                    self.agent = agent.processor_time()?.saturating_sub(self.agent);
                }
                self.server = server.processor_time()?.saturating_sub(self.server);
                self.clocks = clocks.processor_time()?.saturating_sub(self.clocks);
                self.idle = process::idle_time()?.saturating_sub(self.idle);
                self.measured = self.began.replace(Instant::now()).map_or(Duration::ZERO, |began| began.elapsed());
            }
        }
        Ok(())
    }

    fn link(&self, args: &Args, measured: Measured) -> Link {
        let ours = self.server + self.clocks + self.agent;
        let others = (self.measured * process::processors()).saturating_sub(self.idle + ours);
        let cpus = Cpus {
            server: self.server,
            clocks: self.clocks,
            others,
            resting: self.resting.div_f64(REST.as_secs_f64()),
        };
        let memory = Memory::new(args.clocks, self.empty_kib, self.connected_kib, self.playing_kib, self.end_kib);
        Link::new(args.seconds, measured, cpus, memory)
    }
}

fn rest(time: Duration) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    // A sleep can only be made inside the runtime.
    runtime.block_on(async { tokio::time::sleep(time).await });
    Ok(())
}

/// Waits until somebody listens.
async fn listening(port: u16) -> anyhow::Result<()> {
    let trying = async {
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), trying).await.context("the echo does not listen within 10 s")
}
