//! What all clocks of a process share: the games, the way to the service, and how many have come how far.

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
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, interval},
};

use crate::{
    args::Args,
    desk::Desk,
    games::{self, Game},
    player::{CONTROL, Player},
    session::Session,
};

/// Clocks that connect at the same time.
const AT_ONCE: usize = 64;

/// How long nothing may come on before the run is given up.
pub(crate) const STUCK: Duration = Duration::from_secs(30);

/// See the module.
pub(crate) struct Hall {
    games: Arc<Vec<Game>>,
    control: clock::Control,
    /// How many of the run press.
    pub(crate) clocks: u32,
    /// Where the server listens for clocks.
    pub(crate) port: u16,
    /// `None`: the server is the echo.
    pub(crate) desk: Option<Desk>,
    gate: Semaphore,
    /// Clocks that have come to the end of a stage, over all stages.
    done: AtomicUsize,
}

impl Hall {
    /// Connects to the desk, when there is one.
    pub(crate) async fn open(args: &Args) -> anyhow::Result<Arc<Hall>> {
        Ok(Arc::new(Hall {
            games: Arc::new(games::all()),
            control: CONTROL.parse().map_err(|error| anyhow::anyhow!("{CONTROL}: {error}"))?,
            clocks: args.clocks,
            port: args.port,
            desk: if args.desk == 0 { None } else { Some(Desk::connect(args.desk).await?) },
            gate: Semaphore::new(AT_ONCE),
            done: AtomicUsize::new(0),
        }))
    }

    /// A clock is connected and has its game; no more than so many at the same time.
    pub(crate) async fn seat(&self, number: u32) -> anyhow::Result<Session> {
        let _permit = self.gate.acquire().await?;
        let player = Player::new(number, Arc::clone(&self.games), self.control.clone());
        let desk = self.desk.clone().map(|desk| (desk, Control::from(&self.control)));
        let session = Session::begin(number, player, self.port, desk).await;
        let session = session.with_context(|| Player::device(number))?;
        self.stage_is_over();
        Ok(session)
    }

    /// One more clock has come to the end of a stage.
    pub(crate) fn stage_is_over(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until so many stages have been come through. No clock ends before.
    pub(crate) async fn gathered<T: 'static>(
        &self,
        tasks: &mut JoinSet<anyhow::Result<T>>,
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
            let done = self.done.load(Ordering::Relaxed);
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
}
