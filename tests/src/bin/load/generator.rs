//! All clocks of a run, in one process.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};

use crate::{
    args::Args,
    desk::Desk,
    games::PLIES,
    hall::{Hall, STUCK},
    orders::{self, Measured},
    player::Player,
    session::{Session, Tally, Window},
};

/// From the first press until presses count.
pub(crate) const WARM: Duration = Duration::from_secs(2);

/// Clocks whose games are compared at the end.
const CHECKED: usize = 32;

/// How far the run is.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Connect,
    Start,
    Play(Window),
}

/// Plays until it is told to end.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(clocks(args))
}

async fn clocks(args: &Args) -> anyhow::Result<()> {
    let mut run = orders::heard();
    let hall = Hall::open(args).await?;
    let (stage, stages) = watch::channel(Stage::Connect);
    let mut tasks = JoinSet::new();
    for number in 0..args.clocks {
        tasks.spawn(life(number, Arc::clone(&hall), stages.clone()));
    }
    let all = args.clocks as usize;
    hall.gathered(&mut tasks, all, "connected").await?;
    orders::say(orders::CONNECTED)?;
    orders::go(&mut run).await?;
    stage.send_replace(Stage::Start);
    hall.gathered(&mut tasks, 2 * all, "in play").await?;
    orders::say(orders::PLAYING)?;
    orders::go(&mut run).await?;

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
    let checked = match hall.desk.clone() {
        Some(desk) => compare(desk, &kept).await?,
        None => 0,
    };
    let (ack, directive, late) = (tally.ack.quantiles(), tally.directive.quantiles(), tally.late.quantiles());
    orders::say(&serde_json::to_string(&Measured { ack, directive, late, checked })?)
}

/// A clock from the first connection to the end of the window.
async fn life(number: u32, hall: Arc<Hall>, mut stages: watch::Receiver<Stage>) -> anyhow::Result<Session> {
    let mut session = hall.seat(number).await?;
    let mut started = false;
    loop {
        let now = *stages.borrow_and_update();
        match now {
            Stage::Start if !started => {
                started = true;
                // A hall in the middle of its games: each at another ply.
                session.start(number as usize * 37 % PLIES).await.with_context(|| Player::device(number))?;
                hall.stage_is_over();
            }
            Stage::Play(mut window) => {
                // Clock n of N presses as the n-th of every N.
                window.pace = window.pace.map(|(first, gap)| (first + gap * number, gap * hall.clocks));
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

/// Waits for every clock, or for one that fails. Those that ended are kept: their connections stay until the end.
pub(crate) async fn ended(tasks: &mut JoinSet<anyhow::Result<Session>>, kept: &mut Vec<Session>) -> anyhow::Result<()> {
    while let Some(ended) = tasks.join_next().await {
        kept.push(ended??);
    }
    Ok(())
}

/// Compares some of the games, spread over all clocks.
pub(crate) async fn compare(mut desk: Desk, sessions: &[Session]) -> anyhow::Result<usize> {
    let some = sessions.iter().step_by(sessions.len().div_ceil(CHECKED).max(1));
    let mut checked = 0;
    for session in some {
        let (game, plies, slips) = session.player.standing();
        desk.check(game, plies, slips).await?;
        checked += 1;
    }
    Ok(checked)
}
