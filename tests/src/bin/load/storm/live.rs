//! The clocks that are played on, before the cut and in the storm.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};

use crate::{
    args::Args,
    games::PLIES,
    generator::{WARM, compare},
    hall::{Hall, STUCK},
    orders::{self, BACK, CUT, QUIET},
    player::Player,
    session::{Session, Tally, Window},
    stats::Quantiles,
};

/// Presses while it was quiet, and in the storm.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Presses {
    pub(crate) quiet: Measured,
    pub(crate) storm: Measured,
    /// Games whose score was compared with what was played.
    pub(crate) checked: usize,
}

/// What presses met.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// From sending a press to its durable acknowledgement.
    pub(crate) ack: Quantiles,
    /// How late it was sent: the press before it was not acknowledged yet, or this machine was too busy.
    pub(crate) late: Quantiles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weather {
    Connect,
    Start,
    /// From here on there are presses; until it is quiet they are not counted.
    Warm(Instant),
    Quiet(Instant),
    Storm(Instant),
    Over,
}

/// Plays until the run says that all are back.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(live(args))
}

async fn live(args: &Args) -> anyhow::Result<()> {
    let rate = args.rate.context("--rate")?;
    let mut run = orders::heard();
    let hall = Hall::open(args).await?;
    let (weather, now) = watch::channel(Weather::Connect);
    let mut tasks = JoinSet::new();
    for number in 0..args.clocks {
        tasks.spawn(life(number, Arc::clone(&hall), Duration::from_secs(1) / rate, now.clone()));
    }
    let all = args.clocks as usize;
    hall.gathered(&mut tasks, all, "connected").await?;
    orders::say(orders::CONNECTED)?;
    orders::go(&mut run).await?;
    weather.send_replace(Weather::Start);
    hall.gathered(&mut tasks, 2 * all, "in play").await?;
    orders::say(orders::PLAYING)?;
    orders::go(&mut run).await?;

    let first = Instant::now();
    weather.send_replace(Weather::Warm(first));
    let changes = async {
        sleep_until(first + WARM).await;
        weather.send_replace(Weather::Quiet(first));
        orders::say(orders::BEGIN)?;
        sleep_until(first + WARM + Duration::from_secs(args.seconds)).await;
        orders::say(QUIET)?;
        orders::wait_for(&mut run, CUT).await?;
        weather.send_replace(Weather::Storm(first));
        orders::wait_for(&mut run, BACK).await?;
        weather.send_replace(Weather::Over);
        anyhow::Ok(())
    };
    let mut kept = Vec::with_capacity(all);
    tokio::select! {
        done = changes => done?,
        // A clock that fails is told of at once.
        ended = ended(&mut tasks, &mut kept) => ended?,
    }
    timeout(STUCK, ended(&mut tasks, &mut kept)).await.context("clocks still wait for an answer")??;
    let (mut quiet, mut storm) = (Tally::default(), Tally::default());
    let mut sessions = Vec::with_capacity(all);
    for (session, tallies) in kept {
        sessions.push(session);
        for (all, tally) in [&mut quiet, &mut storm].into_iter().zip(tallies) {
            all.ack.extend(tally.ack);
            all.late.extend(tally.late);
        }
    }
    let checked = compare(hall.desk.clone().context("live clocks play at the service")?, &sessions).await?;
    let measured = |tally: Tally| Measured { ack: tally.ack.quantiles(), late: tally.late.quantiles() };
    let presses = Presses { quiet: measured(quiet), storm: measured(storm), checked };
    orders::say(&serde_json::to_string(&presses)?)
}

/// A clock and what was measured on it, quiet and in the storm.
type Lived = (Session, [Tally; 2]);

async fn ended(tasks: &mut JoinSet<anyhow::Result<Lived>>, kept: &mut Vec<Lived>) -> anyhow::Result<()> {
    while let Some(ended) = tasks.join_next().await {
        kept.push(ended??);
    }
    Ok(())
}

/// A clock from the first connection until the storm is over.
async fn life(
    number: u32,
    hall: Arc<Hall>,
    gap: Duration,
    mut weather: watch::Receiver<Weather>,
) -> anyhow::Result<Lived> {
    let mut session = hall.seat(number).await?;
    let mut started = false;
    loop {
        let now = *weather.borrow_and_update();
        match now {
            Weather::Start if !started => {
                started = true;
                session.start(number as usize * 37 % PLIES).await.with_context(|| Player::device(number))?;
                hall.stage_is_over();
            }
            Weather::Warm(first) | Weather::Quiet(first) | Weather::Storm(first) => {
                let (first, gap) = (first + gap * number, gap * hall.clocks);
                let tallies = play(&mut session, first, gap, &mut weather).await;
                return Ok((session, tallies.with_context(|| Player::device(number))?));
            }
            _ => tokio::select! {
                changed = weather.changed() => changed?,
                done = session.step() => done.with_context(|| Player::device(number))?,
            },
        }
    }
}

/// Presses at its pace; each counts to the weather in which it was due.
async fn play(
    session: &mut Session,
    first: Instant,
    gap: Duration,
    weather: &mut watch::Receiver<Weather>,
) -> anyhow::Result<[Tally; 2]> {
    let mut tallies = <[Tally; 2]>::default();
    for turn in 0u32.. {
        let due = first + gap * turn;
        loop {
            if *weather.borrow_and_update() == Weather::Over {
                return Ok(tallies);
            }
            tokio::select! {
                rested = session.rest_until(due) => break rested?,
                changed = weather.changed() => changed?,
            }
        }
        let at = match *weather.borrow() {
            Weather::Quiet(_) => Some(0),
            Weather::Storm(_) => Some(1),
            _ => None,
        };
        let late = due.elapsed();
        // Whatever comes of the press counts with it, however long it takes.
        session.turn(Window { begin: first, end: due + STUCK, pace: None }).await?;
        let measured = std::mem::take(&mut session.tally);
        if let Some(tally) = at.and_then(|at| tallies.get_mut(at)) {
            tally.ack.extend(measured.ack);
            tally.late.add(late);
        }
    }
    Ok(tallies)
}
