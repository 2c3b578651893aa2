//! Starts the service on the journal, and waits until it rules.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader},
    net::{Ipv4Addr, TcpListener},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use flagfall_proto::clock::v1::{
    Events, Hello, LinkRequest, clock_service_client::ClockServiceClient, link_request, link_response::Frame,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;

use crate::{
    Args, boards,
    sitting::{CONTROL, Sitting},
};

/// Nothing here may take longer.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often the service is asked whether it is there.
const ASK_EVERY: Duration = Duration::from_millis(5);

/// A child that does not outlive the run.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Fails only when it has ended by itself.
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// Makes the journal if it is not there, and measures.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let dir = args.dir.clone().unwrap_or_else(|| scratch.path().join("journal"));
    if !dir.join("db").exists() {
        make(&dir, args)?;
    }
    let bytes = fs::metadata(dir.join("db"))?.len();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut figures = Vec::new();
    for start in 1..=args.starts {
        let figure = runtime.block_on(once(&dir, scratch.path(), args, start))?;
        eprintln!(
            "start {start}: serving after {} ms, a press acknowledged after {} ms, {} KiB resident",
            figure.0, figure.1, figure.2
        );
        figures.push(figure);
    }
    figures.sort_unstable();
    let (serving_ms, ruling_ms, resident_kib) = figures[figures.len() / 2];
    let line = serde_json::json!({
        "games": args.games, "over": args.over, "plies": args.plies, "log_bytes": bytes, "starts": args.starts,
        "serving_ms": serving_ms, "ruling_ms": ruling_ms, "resident_kib": resident_kib,
    });
    println!("{line}");
    Ok(())
}

fn make(dir: &Path, args: &Args) -> anyhow::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--make").arg("--dir").arg(dir);
    let numbers = [args.games.to_string(), args.plies.to_string(), args.over.to_string()];
    let [games, plies, over] = &numbers;
    command.args(["--games", games, "--plies", plies, "--over", over]);
    let begun = Instant::now();
    let mut child = Running(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?);
    let out = child.0.stdout.take().context("a pipe")?;
    let last = BufReader::new(out).lines().next().context("it ended early")??;
    ensure!(last == "made", "it said {last:?}");
    // The kill: nothing is written in good order.
    drop(child);
    eprintln!("made in {} s and killed", begun.elapsed().as_secs());
    Ok(())
}

/// Milliseconds to serving and to ruling, and memory in KiB.
async fn once(dir: &Path, scratch: &Path, args: &Args, start: u32) -> anyhow::Result<(u128, u128, u64)> {
    let [clocks, desk, ops] = ports()?;
    let config = scratch.join("flagfall.toml");
    let at = |port| format!("{}:{port}", Ipv4Addr::LOCALHOST);
    let mut text = format!(
        "data_dir = {:?}\n[listen]\nclocks = {:?}\ndesk = {:?}\nops = {:?}\nweb = {:?}\n",
        dir.display().to_string(),
        at(clocks),
        at(desk),
        at(ops),
        at(0)
    );
    for number in 0..args.games {
        let device = Sitting::device(number);
        write!(text, "[[clocks]]\ndevice = \"{device}\"\nboard = \"{device}\"\n")?;
    }
    fs::write(&config, text)?;
    let flagfall = std::env::current_exe()?.with_file_name("flagfall");
    ensure!(flagfall.exists(), "{} is not there: build flagfall-server too", flagfall.display());
    let log = fs::File::create(scratch.join("log"))?;
    let begun = Instant::now();
    let mut command = Command::new(flagfall);
    command.args(["serve", "--config"]).arg(&config).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    let child = Running(command.spawn()?);
    // Clocks are listened for at once and answered when the journal is read.
    let endpoint = Endpoint::from_shared(format!("http://{}", at(clocks)))?;
    let channel = loop {
        match endpoint.connect().await {
            Ok(channel) => break channel,
            Err(error) if begun.elapsed() > PATIENCE => return Err(error).context("the service does not listen"),
            Err(_) => tokio::time::sleep(ASK_EVERY).await,
        }
    };
    let played = boards::games(args.plies);
    let mut sitting = Sitting::new(0, CONTROL.parse()?);
    let game = Sitting::game(0);
    // What it played before, so that it goes on where its spool ends: each start so far added a ply.
    let plies = args.plies + start as usize - 1;
    let _before = sitting.events(&game, &played[0][..=plies]);
    let (out, frames) = mpsc::channel(8);
    let hello = Hello {
        protocol_min: 1,
        protocol_max: 1,
        device: Sitting::device(0),
        spool_id: sitting.spool.to_vec(),
        boot_id: sitting.boot.to_be_bytes().to_vec(),
        last_seq: sitting.seq,
        game,
        applied_rev: 1,
        face: Some(sitting.face()),
        state_digest: vec![0; 32],
        software: "recovery".to_owned(),
        ..Hello::default()
    };
    out.send(LinkRequest { frame: Some(link_request::Frame::Hello(hello)) }).await?;
    let mut heard = ClockServiceClient::new(channel).link(ReceiverStream::new(frames)).await?.into_inner();
    let Some(Frame::Welcome(welcome)) = heard.message().await?.and_then(|response| response.frame) else {
        bail!("no Welcome")
    };
    let serving = begun.elapsed();
    ensure!(welcome.durable_through == sitting.seq, "{} of {} events are there", welcome.durable_through, sitting.seq);
    let events = sitting.ply(&played[0][plies + 1]).to_vec();
    let events = Events { session_epoch: welcome.session_epoch, events, sent_ms: 0 };
    out.send(LinkRequest { frame: Some(link_request::Frame::Events(events)) }).await?;
    loop {
        match heard.message().await?.and_then(|response| response.frame).context("the stream ended")? {
            Frame::Ack(ack) if ack.durable_through >= sitting.seq => break,
            Frame::Ack(_) | Frame::Heartbeat(_) => {}
            other => bail!("a frame that nothing called for: {other:?}"),
        }
    }
    let ruling = begun.elapsed();
    let status = fs::read_to_string(format!("/proc/{}/status", child.0.id()))?;
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    Ok((serving.as_millis(), ruling.as_millis(), resident.context("no VmRSS")?))
}

/// Ports that are free now.
fn ports() -> anyhow::Result<[u16; 3]> {
    let held: Vec<_> = (0..3).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect::<Result<_, _>>()?;
    let mut ports = [0; 3];
    for (port, listener) in ports.iter_mut().zip(&held) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}
