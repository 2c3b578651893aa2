//! All clocks of a run, in one process.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use flagfall_proto::clock::v1::Control;
use flagfall_rules::clock;
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
    time::{Instant, interval, sleep_until, timeout},
};

use crate::{
    args::Args,
    desk::Desk,
    games::{self, Game, PLIES},
    orders::{self, Measured},
    player::{CONTROL, Player},
    session::{Session, Tally, Window},
};

/// Clocks that connect at the same time.
const AT_ONCE: usize = 64;

/// From the first press until presses count.
const WARM: Duration = Duration::from_secs(2);

/// How long nothing may come on before the run is given up.
const STUCK: Duration = Duration::from_secs(30);

/// Clocks whose games are compared at the end.
const CHECKED: usize = 32;

/// How far the run is.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Connect,
    Start,
    Play(Window),
}

/// What every clock is given.
struct Common {
    games: Arc<Vec<Game>>,
    control: clock::Control,
    clocks: u32,
    port: u16,
    desk: Option<Desk>,
    gate: Semaphore,
    /// Clocks that have come to the end of a stage, over all stages.
    done: AtomicUsize,
}

/// Plays until it is told to end.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(clocks(args))
}

async fn clocks(args: &Args) -> anyhow::Result<()> {
    let mut run = orders::heard();
    let desk = if args.desk == 0 { None } else { Some(Desk::connect(args.desk).await?) };
    let common = Arc::new(Common {
        games: Arc::new(games::all()),
        control: CONTROL.parse().map_err(|error| anyhow::anyhow!("{CONTROL}: {error}"))?,
        clocks: args.clocks,
        port: args.port,
        desk: desk.clone(),
        gate: Semaphore::new(AT_ONCE),
        done: AtomicUsize::new(0),
    });
    let (stage, stages) = watch::channel(Stage::Connect);
    let mut tasks = JoinSet::new();
    for number in 0..args.clocks {
        tasks.spawn(life(number, Arc::clone(&common), stages.clone()));
    }
    let all = args.clocks as usize;
    gathered(&common, &mut tasks, all, "connected").await?;
    orders::say(orders::CONNECTED)?;
    told(&mut run).await?;
    stage.send_replace(Stage::Start);
    gathered(&common, &mut tasks, 2 * all, "in play").await?;
    orders::say(orders::PLAYING)?;
    told(&mut run).await?;

    let now = Instant::now();
    let begin = now + WARM;
    let end = begin + Duration::from_secs(args.seconds);
    let pace = args.rate.map(|rate| (now, Duration::from_secs(1) / rate));
    stage.send_replace(Stage::Play(Window { begin, end, pace }));
    let mut kept = Vec::with_capacity(all);
    for (at, what) in [(begin, orders::BEGIN), (end, orders::END)] {
        tokio::select! {
            () = sleep_until(at) => {}
            // A clock that fails is told of at once; the last that ends well may be a moment before us.
            done = ended(&mut tasks, &mut kept) => done?,
        }
        sleep_until(at).await;
        orders::say(what)?;
    }
    timeout(STUCK, ended(&mut tasks, &mut kept)).await.context("clocks still wait for an answer")??;
    let mut tally = Tally::default();
    for session in &mut kept {
        let Tally { ack, directive, late } = std::mem::take(&mut session.tally);
        tally.ack.extend(ack);
        tally.directive.extend(directive);
        tally.late.extend(late);
    }
    let checked = match desk {
        Some(desk) => compare(desk, &kept).await?,
        None => 0,
    };
    let (ack, directive, late) = (tally.ack.quantiles(), tally.directive.quantiles(), tally.late.quantiles());
    orders::say(&serde_json::to_string(&Measured { ack, directive, late, checked })?)
}

/// A clock from the first connection to the end of the window.
async fn life(number: u32, common: Arc<Common>, mut stages: watch::Receiver<Stage>) -> anyhow::Result<Session> {
    let permit = common.gate.acquire().await?;
    let player = Player::new(number, Arc::clone(&common.games), common.control.clone());
    let desk = common.desk.clone().map(|desk| (desk, Control::from(&common.control)));
    let beginning = Session::begin(number, player, common.port, desk);
    let mut session = beginning.await.with_context(|| Player::device(number))?;
    drop(permit);
    common.done.fetch_add(1, Ordering::Relaxed);
    let mut started = false;
    loop {
        let now = *stages.borrow_and_update();
        match now {
            Stage::Start if !started => {
                started = true;
                // A hall in the middle of its games: each at another ply.
                session.start(number as usize * 37 % PLIES).await.with_context(|| Player::device(number))?;
                common.done.fetch_add(1, Ordering::Relaxed);
            }
            Stage::Play(mut window) => {
                // Clock n of N presses as the n-th of every N.
                window.pace = window.pace.map(|(first, gap)| (first + gap * number, gap * common.clocks));
                session.play(window).await.with_context(|| Player::device(number))?;
                return Ok(session);
            }
            _ => tokio::select! {
                changed = stages.changed() => changed?,
                done = session.step() => done.with_context(|| Player::device(number))?,
            },
        }
    }
}

/// Waits until so many stages have been come through.
async fn gathered(
    common: &Common,
    tasks: &mut JoinSet<anyhow::Result<Session>>,
    wanted: usize,
    what: &str,
) -> anyhow::Result<()> {
    let mut look = interval(Duration::from_millis(20));
    let (mut before, mut moved, mut told) = (0, Instant::now(), Instant::now());
    loop {
        look.tick().await;
        if let Some(ended) = tasks.try_join_next() {
            ended??;
            bail!("a clock ended before its time");
        }
        let done = common.done.load(Ordering::Relaxed);
        if done >= wanted {
            return Ok(());
        }
        if done != before {
            (before, moved) = (done, Instant::now());
        }
        ensure!(moved.elapsed() < STUCK, "{done} of {wanted} clocks {what}, and nothing comes on");
        if told.elapsed() > Duration::from_secs(2) {
            told = Instant::now();
            eprintln!("load:   {} clocks still to be {what}", wanted - done);
        }
    }
}

/// Waits for every clock, or for one that fails. Those that ended are kept: their connections stay until the end.
async fn ended(tasks: &mut JoinSet<anyhow::Result<Session>>, kept: &mut Vec<Session>) -> anyhow::Result<()> {
    while let Some(ended) = tasks.join_next().await {
        kept.push(ended??);
    }
    Ok(())
}

async fn told(run: &mut mpsc::UnboundedReceiver<String>) -> anyhow::Result<()> {
    let line = run.recv().await.context("the run is gone")?;
    ensure!(line == orders::GO, "an order that is none: {line}");
    Ok(())
}

/// Compares some of the games, spread over all clocks.
async fn compare(mut desk: Desk, sessions: &[Session]) -> anyhow::Result<usize> {
    let some = sessions.iter().step_by(sessions.len().div_ceil(CHECKED).max(1));
    let mut checked = 0;
    for session in some {
        let (game, plies, slips) = session.player.standing();
        desk.check(game, plies, slips).await?;
        checked += 1;
    }
    Ok(checked)
}
