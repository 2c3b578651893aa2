//! A storm: everybody but a few loses the link at once and comes back, while those few are played on.
//!
//! ```text
//!   load (this process) ─┬─ floors: fdatasync, one sled commit, the echo under the same presses
//!                        ├─ service ◀── crowd: connected, games set up, nothing going on ──┬─ cut ─▶ back, by the agent's pauses
//!                        └─          ◀── live: pressed at a pace, before the cut and in it ─┘
//! ```
//!
//! The crowd and the live clocks are processes of their own, and the crowd has the lowest priority, so that coming back delays nobody's
//! press but through the service. The links are cut by the crowd: every stream and connection is dropped in the same moment.

mod crowd;
mod figures;
mod live;

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::Context as _;

pub(crate) use crowd::run as crowd;
pub(crate) use live::run as live;

use self::{
    crowd::Returned,
    figures::{Busy, Figures},
    live::Presses,
};
use crate::{
    args::Args,
    figures::Disk,
    floors,
    orders::{self, BACK, CUT, QUIET},
    process::{self, Child, Talk},
    run::{self, Served},
};

/// A live board is pressed every so many seconds: blitz.
const EVERY: u32 = 5;

/// Measures everything and prints it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let storm = args.storm.context("--storm")?;
    let rate = args.rate.unwrap_or(args.clocks.div_ceil(EVERY));
    let args = Args { rate: Some(rate), ..args.clone() };
    let dir = run::folder(&args)?;
    let dir = dir.path();
    let frame = run::frame()?;
    eprintln!("load: floors of the disk, in {}", dir.display());
    let disk = Disk { fdatasync: floors::fdatasync(dir, &frame)?, sled_commit: floors::sled_commit(dir, &frame)? };
    eprintln!("load: echo, {} clocks", args.clocks);
    let echo = run::echo(&args, dir)?;
    eprintln!("load: service, {storm} clocks and {} that are played on", args.clocks);
    let served = Served::start(dir, args.clocks + storm, None)?;
    let (busy, presses, returned) = weather(&args, storm, &served).map_err(|error| served.last_words(error))?;
    let figures = Figures::new(storm, &args, disk, echo.ack, busy, presses, returned);
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

/// Quiet, cut, storm, all back.
fn weather(args: &Args, storm: u32, served: &Served) -> anyhow::Result<([Busy; 2], Presses, Returned)> {
    let (mut crowd, mut in_crowd) = process_of("crowd", args, storm, served)?;
    in_crowd.expect(orders::CONNECTED)?;
    eprintln!("load:   the crowd is connected");
    let (live, mut in_live) = process_of("clocks", args, storm, served)?;
    for stage in [orders::CONNECTED, orders::PLAYING] {
        in_live.expect(stage)?;
        in_live.say(orders::GO)?;
    }
    in_live.expect(orders::BEGIN)?;
    let looked = Look::at(served, &crowd, &live)?;
    in_live.expect(QUIET)?;
    let quiet = looked.until(Look::at(served, &crowd, &live)?);
    eprintln!("load:   it was quiet; now the links are cut");
    let looked = Look::at(served, &crowd, &live)?;
    in_live.say(CUT)?;
    in_crowd.say(CUT)?;
    in_crowd.expect(BACK)?;
    in_live.say(BACK)?;
    let stormy = looked.until(Look::at(served, &crowd, &live)?);
    eprintln!("load:   all are back");
    let presses = serde_json::from_str(&in_live.line()?).context("what the live clocks measured")?;
    live.wait()?;
    in_crowd.say(orders::GO)?;
    let returned = serde_json::from_str(&in_crowd.line()?).context("what the crowd measured")?;
    crowd.end();
    Ok(([quiet, stormy], presses, returned))
}

fn process_of(role: &'static str, args: &Args, storm: u32, served: &Served) -> anyhow::Result<(Child, Talk)> {
    let mut arguments = vec![
        ("storm", storm.to_string()),
        ("clocks", args.clocks.to_string()),
        ("seconds", args.seconds.to_string()),
        ("port", served.ports.clocks.to_string()),
        ("desk", served.ports.desk.to_string()),
    ];
    arguments.extend(args.rate.map(|rate| ("rate", rate.to_string())));
    let mut command = Child::role(role, &arguments)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = Child::start(role, command, None)?;
    let talk = child.talk()?;
    Ok((child, talk))
}

/// Processor time used so far.
struct Look {
    at: Instant,
    service: Duration,
    crowd: Duration,
    live: Duration,
    idle: Duration,
}

impl Look {
    fn at(served: &Served, crowd: &Child, live: &Child) -> anyhow::Result<Look> {
        Ok(Look {
            at: Instant::now(),
            service: served.server.processor_time()?,
            crowd: crowd.processor_time()?,
            live: live.processor_time()?,
            idle: process::idle_time()?,
        })
    }

    fn until(&self, later: Look) -> Busy {
        let took = later.at - self.at;
        let [service, crowd, live, idle] = [
            later.service.saturating_sub(self.service),
            later.crowd.saturating_sub(self.crowd),
            later.live.saturating_sub(self.live),
            later.idle.saturating_sub(self.idle),
        ];
        let others = (took * process::processors()).saturating_sub(idle + service + crowd + live);
        Busy::new(took, service, crowd, live, others)
    }
}
