//! A Pi: the real agent on a card, a drifting monotonic clock, and a plug for what it senses.

use std::{
    future::{Future, pending},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use flagfall_clock::{
    ClockKind, Hardware, Server, Settings, Setup, Spool, Timeline, agent,
    sense::{Ask, Sense, Sensed, Shown},
    wire,
};
use flagfall_rules::clock::Place;
use tokio::sync::{mpsc, watch};

use crate::{
    card::Card,
    net::{CLOCKS, connect},
    trace::{Trace, lock},
};

/// What a running agent is connected to.
pub(crate) struct Plug {
    /// Which start of the agent this is.
    pub(crate) boot: u64,
    pub(crate) senses: mpsc::Sender<Sensed>,
    pub(crate) asks: mpsc::Receiver<Ask>,
    pub(crate) shown: watch::Receiver<Shown>,
}

/// See the module.
pub(crate) struct Pi {
    /// The device's name.
    pub(crate) name: String,
    /// Its card.
    pub(crate) card: Card,
    pub(crate) kind: ClockKind,
    /// How much faster its clock runs, millionths.
    drift_ppm: i64,
    /// Instant of the world and reading of the clock at the last boot.
    booted: Mutex<(u64, u64)>,
    boots: AtomicU64,
    /// The agent has ended by itself.
    pub(crate) ended: AtomicBool,
    pub(crate) plug: Mutex<Option<Plug>>,
    trace: Trace,
}

impl Pi {
    pub(crate) fn new(name: &str, kind: ClockKind, drift_ppm: i64, card: Card, trace: Trace) -> Arc<Pi> {
        let booted = Mutex::new((0, 0));
        let (name, plug) = (name.to_owned(), Mutex::new(None));
        Arc::new(Pi {
            name,
            card,
            kind,
            drift_ppm,
            booted,
            boots: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            plug,
            trace,
        })
    }

    /// What its monotonic clock shows at an instant of the world.
    pub(crate) fn monotonic(&self, world_ms: u64) -> u64 {
        let (at, reading) = *lock(&self.booted);
        let passed = i64::try_from(world_ms.saturating_sub(at)).unwrap_or(i64::MAX);
        let passed = passed + passed.saturating_mul(self.drift_ppm) / 1_000_000;
        reading + u64::try_from(passed).unwrap_or(0)
    }

    /// The host's software: boots, and runs the agent until it ends or its power goes.
    pub(crate) fn boot(self: &Arc<Pi>) -> impl Future<Output = turmoil::Result> + use<> {
        let pi = Arc::clone(self);
        async move {
            pi.ended.store(false, Ordering::Relaxed);
            let boot = pi.boots.fetch_add(1, Ordering::Relaxed) + 1;
            // Monotonic clocks begin anew with every boot, after some seconds of starting up.
            let reading = 3_000 + 977 * (boot % 7);
            *lock(&pi.booted) = (world_ms(), reading);
            let (senses, sensed) = mpsc::channel(1_024);
            let (asks, asked) = mpsc::channel(64);
            let name = wire::hash(format!("{} {boot}", pi.name).as_bytes());
            let settings = Settings {
                device: pi.name.clone(),
                clock: pi.kind,
                default_control: None,
                white_place: Place::Left,
                boot: u128::from_be_bytes(name[..16].try_into().expect("16 bytes")),
                settle_ms: 1_000,
            };
            let timeline = {
                let pi = Arc::clone(&pi);
                Timeline::Clock(Arc::new(move || pi.monotonic(world_ms())))
            };
            let server = Server::dialled("the service", || Box::pin(connect(CLOCKS)));
            let spool = Box::new(pi.card.clone());
            let (handle, agent) = agent(Setup { settings, server, spool, timeline }, Hardware { senses: sensed, asks });
            pi.trace.step(&pi.name, format_args!("boots, number {boot}"));
            *lock(&pi.plug) = Some(Plug { boot, senses, asks: asked, shown: handle.shown.clone() });
            let ended = agent.run().await;
            *lock(&pi.plug) = None;
            pi.trace.step(&pi.name, format_args!("ends: {ended:?}"));
            pi.ended.store(true, Ordering::Relaxed);
            pending().await
        }
    }

    /// The power is gone: nothing is plugged in any more.
    pub(crate) fn power_lost(&self) {
        *lock(&self.plug) = None;
        self.card.power_lost();
        self.trace.step(&self.name, "power lost");
    }

    /// What it shows; nothing when it is dark.
    pub(crate) fn shown(&self) -> Option<Shown> {
        lock(&self.plug).as_ref().map(|plug| plug.shown.borrow().clone())
    }

    /// Lets it sense something now; `false` when it is dark.
    pub(crate) fn sense(&self, sense: Sense) -> bool {
        let at = self.monotonic(self.trace.now());
        let plug = lock(&self.plug);
        plug.as_ref().is_some_and(|plug| plug.senses.try_send(Sensed { at, sense }).is_ok())
    }

    /// The last event on its card, and the name of the spool.
    pub(crate) fn spooled(&self) -> ([u8; 16], u64) {
        (self.card.spool_id(), self.card.last_seq())
    }
}

/// The world's time on the host that runs, milliseconds.
fn world_ms() -> u64 {
    turmoil::sim_elapsed().map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}
