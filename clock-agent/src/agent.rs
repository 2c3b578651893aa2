//! The actor that ties core, spool, hardware and uplink together.
//!
//! ```text
//!   select ─▶ Next ─▶ core (sync) ─▶ effects ─▶ records: one append, one fsync ─▶ Shown ─▶ asks ─▶ answers to the link
//! ```
//!
//! - It waits for one thing, takes along what else is ready, and changes state in plain functions.
//! - Nothing of a batch is seen, asked or sent before all of it is on disk. [`Shown`] changes once a batch: it never
//!   says that everything is acknowledged while a sense it counts as taken has still to be spooled.
//! - The core lives a few milliseconds in the past: what the kernel stamped a moment ago and is still on its way here
//!   keeps its time, so a press and the flag it races are decided by when they happened, not by which was heard first.

mod commit;

use std::{sync::Arc, time::Duration};

use flagfall_trace::log;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    core::{Core, Effect, LinkNews, Settings},
    sense::{Ask, Sensed, Shown},
    spool::{Spool, SpoolError},
    telemetry::Telemetry,
    uplink::{FromLink, Server, Uplink, Verdict},
    wire::{
        self, Hash,
        frame::{Standing, Welcome},
    },
};

/// The most senses in a batch: as many as one write may delay.
const BATCH_MAX: usize = 64;

/// How many words of the link are taken along with a batch.
const LINK_BATCH_MAX: usize = 16;

/// How long a sense may take from its time stamp to the core, milliseconds. Nothing that falls due is late for it: what
/// is due happens at its own instant.
const LAG_MS: u64 = 5;

/// How often the face of a running clock is shown anew, milliseconds.
const REFRESH_MS: u64 = 100;

/// A spool longer than this is begun anew when its game is over and the service has everything, though the round is not closed,
/// bytes. A game needs a few hundred thousand.
pub const SPOOL_MAX: u64 = 64 << 20;

/// How long the link may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// Whose time the agent lives by.
#[derive(Clone)]
pub enum Timeline {
    /// A clock in milliseconds, [`monotonic_ms`] as a rule: things fall due by themselves.
    Clock(Arc<dyn Fn() -> u64 + Send + Sync>),
    /// The time stamps of the senses alone: nothing happens between them, so that a script gives the same events
    /// however fast it is played. A last [`Sense::Tick`](crate::sense::Sense::Tick) lets what is still due happen.
    Scripted,
}

impl Timeline {
    /// CLOCK_MONOTONIC.
    #[must_use]
    pub fn monotonic() -> Timeline {
        Timeline::Clock(Arc::new(monotonic_ms))
    }

    fn now(&self, core: &Core) -> u64 {
        match self {
            Timeline::Clock(clock) => clock().saturating_sub(LAG_MS),
            Timeline::Scripted => core.now(),
        }
    }

    /// What a frame says of when it was sent; a script has no time between its events.
    pub(crate) fn sent_ms(&self) -> u64 {
        match self {
            Timeline::Clock(clock) => clock(),
            Timeline::Scripted => 0,
        }
    }
}

/// CLOCK_MONOTONIC in milliseconds: the time of everything that happens at a real clock.
#[must_use]
pub fn monotonic_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let (seconds, nanos) = (u64::try_from(now.tv_sec).unwrap_or(0), u64::try_from(now.tv_nsec).unwrap_or(0));
    seconds.saturating_mul(1_000).saturating_add(nanos / 1_000_000)
}

/// What an agent is made of.
pub struct Setup {
    /// What the core must know.
    pub settings: Settings,
    /// The ruling service.
    pub server: Server,
    /// The durable queue; what it remembers of a former run is taken up again.
    pub spool: Box<dyn Spool>,
    /// Whose time counts.
    pub timeline: Timeline,
}

/// The two channels to the hardware, or to a script that plays it.
pub struct Hardware {
    /// What the hardware noticed, in the order of its times. When it is closed the agent lives on with its link.
    pub senses: mpsc::Receiver<Sensed>,
    /// What the hardware is asked to do. An ask that finds no room counts as refused by the hardware.
    pub asks: mpsc::Sender<Ask>,
}

/// The stub: what others hold of a running agent.
#[derive(Clone, Debug)]
pub struct AgentHandle {
    /// What the display shows, changed once a batch and only after the batch is on disk. The face of a running own
    /// clock is shown anew ten times a second on [`Timeline::Clock`].
    pub shown: watch::Receiver<Shown>,
    /// Ends the agent in good order.
    pub cancel: CancellationToken,
}

/// Why an agent ended.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The spool cannot be trusted any more.
    #[error("{device}: the clock can no longer remember a press: {source}")]
    Spool {
        /// The device's name.
        device: String,
        /// What the spool said.
        source: SpoolError,
    },
    /// The thread that writes the spool is gone.
    #[error("{device}: the spool's thread ended, restart the agent")]
    SpoolThread {
        /// The device's name.
        device: String,
    },
}

/// The actor; [`Agent::run`] drives it.
pub struct Agent {
    core: Core,
    settings: Settings,
    server: Server,
    /// Absent only while its thread has it.
    spool: Option<Box<dyn Spool>>,
    /// SHA-256 of the last event; known when the agent runs.
    head: Hash,
    timeline: Timeline,
    hardware: Hardware,
    shown: watch::Sender<Shown>,
    standing: watch::Sender<Standing>,
    cancel: CancellationToken,
    /// The hardware is there to sense.
    senses: bool,
    /// See [`SPOOL_MAX`].
    spool_max: u64,
    /// What is told to a trace collector.
    telemetry: Telemetry,
}

/// What the actor waits for.
enum Next {
    Senses,
    Due,
    Link(FromLink),
    Cancelled,
}

/// What a batch leads to.
#[derive(Default)]
struct Batch {
    effects: Vec<Effect>,
    /// What the link wants to know when the batch is on disk.
    questions: Vec<Question>,
}

enum Question {
    Welcome(Welcome, oneshot::Sender<Verdict>),
    Pull(u64, usize, oneshot::Sender<Vec<Vec<u8>>>),
}

/// An agent and the stub to it; the caller decides where it runs.
#[must_use]
pub fn agent(setup: Setup, hardware: Hardware) -> (AgentHandle, Agent) {
    let Setup { settings, server, spool, timeline } = setup;
    let core = Core::new(settings.clone(), Some(spool.stored()));
    let (shown, shown_to) = watch::channel(core.shown());
    let (standing, _) = watch::channel(standing(&core, spool.spool_id()));
    let cancel = CancellationToken::new();
    let handle = AgentHandle { shown: shown_to, cancel: cancel.clone() };
    let agent = Agent {
        core,
        settings,
        server,
        spool: Some(spool),
        head: wire::NO_HASH,
        timeline,
        hardware,
        shown,
        standing,
        cancel,
        senses: true,
        spool_max: SPOOL_MAX,
        telemetry: Telemetry::default(),
    };
    (handle, agent)
}

fn standing(core: &Core, spool_id: [u8; 16]) -> Standing {
    let memory = core.memory();
    Standing {
        spool_id,
        last_seq: memory.last_seq,
        game: memory.game.clone(),
        applied_rev: memory.rev,
        face: core.face(),
        busy: core.busy(),
        past: memory.past,
        acked: core.acked(),
    }
}

impl Agent {
    /// The same agent, telling a trace collector what it does.
    #[must_use]
    pub fn traced(self, telemetry: Telemetry) -> Agent {
        Agent { telemetry, ..self }
    }

    /// Keeps at most so many bytes of acknowledged events in its spool: see [`SPOOL_MAX`], which is the default.
    #[must_use]
    pub fn keeping(self, spool_max: u64) -> Agent {
        Agent { spool_max, ..self }
    }

    /// The board answers [`Ask::Board`], and is called quiet only when it has.
    #[must_use]
    pub fn with_a_board_that_answers(mut self) -> Agent {
        self.core.board_answers();
        self
    }

    /// Runs until cancelled. When the future is dropped the link ends with it, as if power were lost.
    ///
    /// # Errors
    /// The spool failed.
    pub async fn run(mut self) -> Result<(), AgentError> {
        let (actor, mut from_link) = mpsc::channel(LINK_BATCH_MAX);
        let mut link = JoinSet::new();
        let uplink = Uplink {
            server: self.server.clone(),
            device: self.settings.device.clone(),
            boot: self.settings.boot,
            timeline: self.timeline.clone(),
            last_epoch: 0,
            tried: None,
            forgotten: None,
            standing: self.standing.subscribe(),
            actor,
            cancel: self.cancel.clone(),
        };
        self.head = self.with_spool(|spool| spool.chain_hash(spool.last_seq())).await?.unwrap_or(wire::NO_HASH);
        link.spawn(uplink.run());
        // What was interrupted is told before anything else happens; without it, no time passes before the first sense.
        let now = self.timeline.now(&self.core);
        let overdue = self.core.due().is_some_and(|due| due <= now);
        let effects = if overdue { self.core.wake(now) } else { Vec::new() };
        self.commit(Batch { effects, ..Batch::default() }).await?;
        let mut senses = Vec::new();
        loop {
            let next = self.next(&mut senses, &mut from_link).await;
            let cancelled = matches!(next, Next::Cancelled);
            let mut batch = self.take(next, &mut senses);
            while batch.questions.len() < LINK_BATCH_MAX
                && let Ok(news) = from_link.try_recv()
            {
                self.hear(news, &mut batch);
            }
            self.commit(batch).await?;
            if cancelled {
                break;
            }
        }
        drop(from_link);
        let _ = timeout(GOODBYE, link.join_next()).await;
        Ok(())
    }

    /// Waits for one thing.
    async fn next(&mut self, senses: &mut Vec<Sensed>, from_link: &mut mpsc::Receiver<FromLink>) -> Next {
        let due = match &self.timeline {
            Timeline::Scripted => None,
            Timeline::Clock(clock) => self.due(clock()),
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => {
                while senses.len() < BATCH_MAX && let Ok(sensed) = self.hardware.senses.try_recv() {
                    senses.push(sensed);
                }
                Next::Cancelled
            }
            taken = self.hardware.senses.recv_many(senses, BATCH_MAX), if self.senses => {
                self.senses = taken > 0;
                Next::Senses
            }
            () = sleep(due.unwrap_or_default()), if due.is_some() => Next::Due,
            Some(news) = from_link.recv() => Next::Link(news),
        }
    }

    /// How long until something is due, or a running face wants to be shown anew.
    fn due(&self, now: u64) -> Option<Duration> {
        let refresh = self.core.keeps_running().then(|| now.saturating_add(REFRESH_MS));
        let due = self.core.due().map(|due| due.saturating_add(LAG_MS));
        let due = [due, refresh].into_iter().flatten().min()?;
        Some(Duration::from_millis(due.saturating_sub(now)))
    }

    /// What it leads to; no waiting in here.
    fn take(&mut self, next: Next, senses: &mut Vec<Sensed>) -> Batch {
        let mut batch = Batch::default();
        for Sensed { at, sense } in senses.drain(..) {
            batch.effects.extend(self.core.handle(at, sense));
        }
        match next {
            Next::Senses | Next::Cancelled => {}
            Next::Due => batch.effects.extend(self.core.wake(self.timeline.now(&self.core))),
            Next::Link(news) => self.hear(news, &mut batch),
        }
        batch
    }

    fn hear(&mut self, news: FromLink, batch: &mut Batch) {
        match news {
            FromLink::Ack { through, desired_rev } => {
                self.telemetry.acked(through);
                self.core.link(LinkNews::Acked { through, desired_rev });
            }
            FromLink::Desired(rev) => self.core.link(LinkNews::Desired(rev)),
            FromLink::Down(reason) => self.core.link(LinkNews::Down(reason)),
            FromLink::Directive(directive) => {
                let now = self.timeline.now(&self.core);
                let _within = directive.traceparent.parse().ok().map(log::within);
                self.telemetry.directive(&directive);
                batch.effects.extend(self.core.directive(now, *directive));
            }
            FromLink::Welcome(welcome, reply) => batch.questions.push(Question::Welcome(welcome, reply)),
            FromLink::Pull { from, max, reply } => batch.questions.push(Question::Pull(from, max, reply)),
        }
    }
}

#[cfg(test)]
mod tests;
