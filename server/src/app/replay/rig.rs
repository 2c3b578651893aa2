//! A real agent in lockstep with whoever plays its hardware: nothing more is sensed before everything sensed so far has had
//! all its consequences, at the clock, in the journal and on the clock again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use flagfall_clock::{
    AgentHandle, ClockKind, Hardware, MemorySpool, Server, Settings, Setup, Timeline, agent,
    hw::dgt::{board::Purpose, driver, pty::FakeBoard},
    sense::{Ask, Sensed, Shown},
};
use flagfall_rules::clock::{Face, Place};
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep_until, timeout},
};

use super::desk::{DeskError, Followed, Follower};

/// How long one step may take before it is taken to be stuck. A disk that syncs slowly is not: nothing here is a benchmark.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many senses may be on their way.
const SENSES: usize = 1_024;

/// How long a board must stand still, milliseconds of device time.
const SETTLE_MS: u64 = 1_000;

/// Why a game cannot be played on.
#[derive(Debug, thiserror::Error)]
pub enum Stuck {
    /// Nothing happened for long.
    #[error("nothing followed within a minute: {0}")]
    Waiting(String),
    /// The agent ended.
    #[error("the agent ended: {0}")]
    Agent(String),
    /// The desk cannot be reached or refuses.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// The pseudo-terminal.
    #[error("the pseudo-terminal: {0}")]
    Terminal(#[from] std::io::Error),
    /// The driver.
    #[error("the driver of the board: {0}")]
    Driver(#[from] flagfall_clock::hw::HardwareError),
    /// The address of the service.
    #[error(transparent)]
    Address(#[from] flagfall_clock::uplink::BadServer),
}

/// How fast device time runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// As fast as everything follows.
    Max,
    /// So many times as fast as it did.
    Factor(f64),
}

impl std::str::FromStr for Speed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Speed, Self::Err> {
        match text.parse::<f64>() {
            _ if text == "max" => Ok(Speed::Max),
            Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(Speed::Factor(factor)),
            _ => Err("expected max or a factor above zero, such as 1 or 60"),
        }
    }
}

/// Who plays the hardware.
enum Played {
    /// Somebody who answers what the clock is asked.
    Hands(mpsc::Receiver<Ask>),
    /// A recording behind the real driver, with its own device time.
    Board { board: FakeBoard, driver: driver::Driver, senses: mpsc::Receiver<Sensed>, now: Arc<AtomicU64> },
}

/// An agent and its hardware.
pub struct Rig {
    senses: mpsc::Sender<Sensed>,
    played: Played,
    agent: AgentHandle,
    task: JoinHandle<Result<(), flagfall_clock::AgentError>>,
    /// How many senses went in.
    sent: u64,
    speed: Speed,
    begun: Instant,
}

impl Rig {
    /// An agent whose hardware is played by hand.
    ///
    /// # Errors
    /// The service's address is none.
    pub fn hands(device: &str, uri: &str, white: Place, speed: Speed) -> Result<Rig, Stuck> {
        let (asks, asked) = mpsc::channel(SENSES);
        let (senses, sensed) = mpsc::channel(SENSES);
        let hardware = Hardware { senses: sensed, asks };
        Rig::start((device, ClockKind::External), uri, white, speed, senses, hardware, Played::Hands(asked))
    }

    /// An agent that keeps the time itself, its buttons and its board played by hand.
    ///
    /// # Errors
    /// The service's address is none.
    pub fn own(device: &str, uri: &str, white: Place) -> Result<Rig, Stuck> {
        let (asks, asked) = mpsc::channel(SENSES);
        let (senses, sensed) = mpsc::channel(SENSES);
        let hardware = Hardware { senses: sensed, asks };
        Rig::start((device, ClockKind::Own), uri, white, Speed::Max, senses, hardware, Played::Hands(asked))
    }

    /// An agent on a recorded board, read through a pseudo-terminal by the real driver.
    ///
    /// # Errors
    /// The service's address is none, or the system has no pseudo-terminal left.
    pub fn board(device: &str, uri: &str, white: Place, speed: Speed) -> Result<Rig, Stuck> {
        let board = FakeBoard::open()?;
        board.set_acks(true);
        let (asks, asked) = mpsc::channel(SENSES);
        let (senses, sensed) = mpsc::channel(SENSES);
        let (from_driver, driven) = mpsc::channel(SENSES);
        let now = Arc::new(AtomicU64::new(0));
        let stamp: driver::Stamp = Arc::new({
            let now = Arc::clone(&now);
            move || now.load(Ordering::Acquire)
        });
        let driver = driver::spawn(board.path(), Purpose::Recording, stamp, from_driver, asked)?;
        let played = Played::Board { board, driver, senses: driven, now };
        let hardware = Hardware { senses: sensed, asks };
        Rig::start((device, ClockKind::External), uri, white, speed, senses, hardware, played)
    }

    fn start(
        (device, clock): (&str, ClockKind),
        uri: &str,
        white_place: Place,
        speed: Speed,
        senses: mpsc::Sender<Sensed>,
        hardware: Hardware,
        played: Played,
    ) -> Result<Rig, Stuck> {
        let spool = MemorySpool::new(*uuid::Uuid::new_v4().as_bytes());
        let settings = Settings {
            device: device.to_owned(),
            clock,
            default_control: None,
            white_place,
            boot: uuid::Uuid::new_v4().as_u128(),
            settle_ms: SETTLE_MS,
        };
        let server = Server::uri(uri)?;
        let setup = Setup { settings, server, spool: Box::new(spool), timeline: Timeline::Scripted };
        let (agent, actor) = agent(setup, hardware);
        Ok(Rig { senses, played, agent, task: tokio::spawn(actor.run()), sent: 0, speed, begun: Instant::now() })
    }

    /// Lets the hardware sense these.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn feed(&mut self, senses: Vec<Sensed>) -> Result<(), Stuck> {
        for sensed in senses {
            self.pace(sensed.at).await;
            self.sent += 1;
            self.senses.send(sensed).await.map_err(|_| Stuck::Agent("it takes no more senses".into()))?;
        }
        Ok(())
    }

    /// Lets a recorded board say these bytes at an instant of device time.
    ///
    /// # Errors
    /// The driver does not read them, or the agent has ended.
    pub async fn say(&mut self, bytes: &[u8], at: u64) -> Result<(), Stuck> {
        self.pace(at).await;
        let Played::Board { board, driver, now, .. } = &mut self.played else { return Ok(()) };
        now.store(at, Ordering::Release);
        board.write(bytes)?;
        let (mut read, written) = (driver.bytes(), board.written());
        let caught_up = timeout(PATIENCE, read.wait_for(|read| *read >= written)).await;
        let ended = caught_up.map_err(|_| Stuck::Waiting("the driver does not read the line".into()))?.is_err();
        if ended { Err(Stuck::Agent("the driver has ended".into())) } else { Ok(()) }
    }

    /// Waits until everything sensed has had all its consequences, and the desk knows them. `answer` plays a clock that is
    /// asked to show a face.
    ///
    /// # Errors
    /// Nothing follows any more, or somebody has ended.
    pub async fn settle(
        &mut self,
        desk: &mut Follower,
        mut answer: impl FnMut(&Face) -> Vec<Sensed>,
    ) -> Result<(Shown, Followed), Stuck> {
        loop {
            self.drain(&mut answer).await?;
            let shown = self.agent.shown.borrow_and_update().clone();
            let followed = desk.followed.borrow_and_update().clone();
            if let Some(trouble) = followed.trouble {
                return Err(Stuck::Waiting(trouble));
            }
            if self.is_settled(&shown, &followed) {
                return Ok((shown, followed));
            }
            let news = async {
                let recorded = async {
                    match &mut self.played {
                        Played::Hands(asks) => match asks.recv().await {
                            Some(ask) => Some(News::Asked(ask)),
                            None => std::future::pending().await,
                        },
                        Played::Board { senses, .. } => match senses.recv().await {
                            Some(sensed) => Some(News::Sensed(sensed)),
                            None => std::future::pending().await,
                        },
                    }
                };
                tokio::select! {
                    shown = self.agent.shown.changed() => shown.ok().map(|()| News::Shown),
                    followed = desk.followed.changed() => followed.ok().map(|()| News::Shown),
                    news = recorded => news,
                }
            };
            match timeout(PATIENCE, news).await {
                Ok(Some(News::Shown)) => {}
                Ok(Some(News::Asked(ask))) => self.answer(ask, &mut answer).await?,
                Ok(Some(News::Sensed(sensed))) => self.feed(vec![sensed]).await?,
                Ok(None) => return Err(Stuck::Agent("it shows nothing more".into())),
                Err(_) => return Err(Stuck::Waiting(self.standing(&shown, &followed))),
            }
        }
    }

    fn is_settled(&self, shown: &Shown, followed: &Followed) -> bool {
        let clock = shown.online && shown.taken >= self.sent && shown.acked >= shown.spooled;
        let orders = shown.applied_rev >= shown.desired_rev && shown.applied_rev >= followed.rev && followed.rev > 0;
        clock && orders && followed.seq >= shown.acked && followed.is_calm()
    }

    fn standing(&self, shown: &Shown, followed: &Followed) -> String {
        let Shown { online, taken, spooled, acked, applied_rev, desired_rev, trouble, .. } = shown;
        let link = if *online { "online" } else { "offline" };
        let Followed { seq, rev, waiting, open, .. } = followed;
        format!(
            "{link}, senses {taken}/{}, events {acked}/{spooled}, directives {applied_rev}/{desired_rev}; desk: event {seq}, \
             directive {rev}, waiting {waiting:?}, cases {open:?} {trouble:?}",
            self.sent
        )
    }

    /// Takes what has come in meanwhile.
    async fn drain(&mut self, answer: &mut impl FnMut(&Face) -> Vec<Sensed>) -> Result<(), Stuck> {
        loop {
            match &mut self.played {
                Played::Hands(asks) => match asks.try_recv() {
                    Ok(ask) => self.answer(ask, answer).await?,
                    Err(_) => return Ok(()),
                },
                Played::Board { senses, .. } => match senses.try_recv() {
                    Ok(sensed) => self.feed(vec![sensed]).await?,
                    Err(_) => return Ok(()),
                },
            }
        }
    }

    async fn answer(&mut self, ask: Ask, answer: &mut impl FnMut(&Face) -> Vec<Sensed>) -> Result<(), Stuck> {
        match ask {
            Ask::Dial(face) => self.feed(answer(&face)).await,
            Ask::Beep | Ask::Board => Ok(()),
        }
    }

    async fn pace(&self, at: u64) {
        if let Speed::Factor(factor) = self.speed {
            let due = Duration::from_millis(at).as_secs_f64() / factor;
            // Longer than anybody waits is for ever.
            sleep_until(self.begun + Duration::try_from_secs_f64(due).unwrap_or(Duration::from_secs(1 << 32))).await;
        }
    }

    /// Ends the agent in good order.
    pub async fn end(self) {
        self.agent.cancel.cancel();
        // What it still has to say was acknowledged before; a replay that is stuck does not wait for it twice.
        let _ended = timeout(Duration::from_secs(5), self.task).await;
    }
}

enum News {
    Shown,
    Asked(Ask),
    Sensed(Sensed),
}
