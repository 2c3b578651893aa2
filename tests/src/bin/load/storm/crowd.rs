//! The clocks that lose their links: connected, each with its game set up, and saying no more than that they are there.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use flagfall_clock::uplink::pause::Pause;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use crate::{
    args::Args,
    hall::{Hall, STUCK},
    orders::{self, BACK, CUT},
    session::{NotTaken, Session},
    stats::{Quantiles, Samples},
};

/// How the crowd came back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Returned {
    /// Clocks that were taken in again.
    pub(crate) clocks: u64,
    /// From the cut to Welcome.
    pub(crate) back: Quantiles,
    /// Connections that were tried for it, over all clocks.
    pub(crate) tries: u64,
    /// Times that the service asked a clock to come later.
    pub(crate) asked_to_wait: u64,
    /// The first few reasons why a try failed, each once.
    pub(crate) reasons: Vec<String>,
}

/// A clock is back.
struct Back {
    took: Duration,
    tries: u64,
    asked_to_wait: u64,
    reason: Option<String>,
}

/// Reasons that are kept.
const REASONS: usize = 5;

/// The lowest priority there is.
const LAST: i32 = 19;

/// Connects, is cut, comes back. In a hall each clock has a processor of its own: here the crowd gets what the service and the live clocks
/// leave, or its own ten thousand ends and greetings would be measured as theirs.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    rustix::process::nice(LAST).context("giving way to the service")?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(crowd(args))
}

async fn crowd(args: &Args) -> anyhow::Result<()> {
    let storm = args.storm.context("--storm")?;
    let mut run = orders::heard();
    let hall = Hall::open(args).await?;
    let (cut, is_cut) = watch::channel(None);
    let (say_back, mut backs) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    // The clocks before these are played on.
    for number in args.clocks..args.clocks + storm {
        tasks.spawn(life(number, Arc::clone(&hall), is_cut.clone(), say_back.clone()));
    }
    hall.gathered(&mut tasks, storm as usize, "connected").await?;
    orders::say(orders::CONNECTED)?;
    orders::wait_for(&mut run, CUT).await?;
    cut.send_replace(Some(Instant::now()));
    let mut samples = Samples::default();
    let (mut tries, mut asked_to_wait, mut reasons) = (0, 0, Vec::new());
    for count in 0..storm {
        let back = tokio::select! {
            back = timeout(STUCK, backs.recv()) => back.ok().flatten(),
            Some(ended) = tasks.join_next() => match ended? {
                Ok(()) => bail!("a clock ended before its time"),
                Err(error) => return Err(error),
            },
        };
        let Some(back) = back else {
            bail!("{count} of {storm} clocks are back, and for {STUCK:?} no other; reasons: {reasons:?}");
        };
        samples.add(back.took);
        tries += back.tries;
        asked_to_wait += back.asked_to_wait;
        if let Some(reason) = back.reason.filter(|reason| reasons.len() < REASONS && !reasons.contains(reason)) {
            reasons.push(reason);
        }
    }
    orders::say(BACK)?;
    orders::go(&mut run).await?;
    let returned = Returned { clocks: u64::from(storm), back: samples.quantiles(), tries, asked_to_wait, reasons };
    orders::say(&serde_json::to_string(&returned)?)?;
    // The run ends this process; a crowd that leaves would only be in its way.
    std::future::pending().await
}

/// A clock that nobody plays on.
async fn life(
    number: u32,
    hall: Arc<Hall>,
    mut cut: watch::Receiver<Option<Instant>>,
    say: mpsc::UnboundedSender<Back>,
) -> anyhow::Result<()> {
    let mut session = hall.seat(number).await?;
    let at = loop {
        tokio::select! {
            changed = cut.changed() => changed.context("the crowd is gone")?,
            done = session.step() => done.context("before the cut")?,
        }
        if let Some(at) = *cut.borrow() {
            break at;
        }
    };
    let mut pause = Pause::new(u64::from(number));
    loop {
        let (next, mut back) = return_of(session, hall.port, &mut pause).await?;
        session = next;
        back.took = at.elapsed();
        // Those that are lost a second time were counted when they came the first time.
        let _counted = say.send(back);
        pause.reset();
        while session.step().await.is_ok() {}
    }
}

/// Comes back as the agent does.
async fn return_of(session: Session, port: u16, pause: &mut Pause) -> anyhow::Result<(Session, Back)> {
    let mut cut = session.cut().context("a clock of the echo")?;
    let mut back = Back { took: Duration::ZERO, tries: 0, asked_to_wait: 0, reason: None };
    let mut wait = pause.after_loss();
    loop {
        sleep(wait).await;
        back.tries += 1;
        let why = match cut.back(port).await {
            Ok(session) => return Ok((session, back)),
            Err((still, why)) => {
                cut = still;
                why
            }
        };
        wait = match why {
            NotTaken::Goodbye(rest) => {
                back.asked_to_wait += 1;
                pause.after_goodbye(rest)
            }
            NotTaken::Lost(error) => {
                back.reason.get_or_insert_with(|| format!("{error:#}"));
                pause.after_loss()
            }
        };
    }
}
