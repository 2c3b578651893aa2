//! A world: the service, clocks and desks on a simulated network, tables with players, what goes wrong, and the oracle.
//!
//! ```text
//!   chaos ──────────▶ everything is mended ──────────▶ all games at their results, all acknowledged, desired = reported
//!     └── the oracle looks after every step, to the end ──┘
//! ```

use std::{sync::Arc, sync::atomic::Ordering, time::Duration};

use flagfall_clock::ClockKind;
use flagfall_proto::clock::v1::{self, Colour};
use flagfall_server::arena::Device;
use rand::{Rng, SeedableRng, rngs::StdRng};
use turmoil::Sim;

use crate::{
    Options, Outcome,
    arbiter::Arbiter,
    card::Card,
    deed::Deed,
    disk::Disk,
    fault::{Broken, Fault},
    hall::Hall,
    net::SERVER,
    oracle::{Oracle, verified},
    pi::Pi,
    script::{Ending, Script},
    server::Server,
    table::Table,
    trace::{Trace, lock},
};

/// A step of the world, milliseconds.
pub(crate) const STEP: u64 = 10;

/// The second clock on the first board.
pub(crate) const RIVAL: &str = "rival";

/// How long everything may take to recover, milliseconds.
const RECOVERY: u64 = 180_000;

/// After how long a game that is played to its end and has no result is not followed, milliseconds.
const UNFOLLOWED: u64 = 20_000;

/// Who takes part, and can lose power.
pub(crate) struct Hosts {
    pub(crate) server: Arc<Server>,
    pub(crate) pis: Vec<Arc<Pi>>,
    arbiters: Vec<&'static str>,
}

impl Hosts {
    pub(crate) fn pi(&self, name: &str) -> &Arc<Pi> {
        self.pis.iter().find(|pi| pi.name == name).unwrap_or(&self.pis[0])
    }

    /// All that can lose power.
    pub(crate) fn names(&self) -> Vec<String> {
        self.pis.iter().map(|pi| pi.name.clone()).chain([SERVER.to_owned()]).collect()
    }

    /// It has ended by itself.
    pub(crate) fn has_ended(&self, name: &str) -> bool {
        let ended = if name == SERVER { &self.server.ended } else { &self.pi(name).ended };
        ended.load(Ordering::Relaxed)
    }

    /// All that have a line to the service.
    pub(crate) fn reachable(&self) -> Vec<String> {
        self.pis.iter().map(|pi| pi.name.clone()).chain(self.arbiters.iter().map(|&name| name.to_owned())).collect()
    }
}

/// See the module.
pub(crate) struct World<'a> {
    pub(crate) sim: Sim<'a>,
    pub(crate) hosts: Hosts,
    pub(crate) tables: Vec<Table>,
    pub(crate) hall: Arc<Hall>,
    pub(crate) oracle: Oracle,
    pub(crate) broken: Broken,
    pub(crate) chance: StdRng,
    pub(crate) trace: Trace,
    /// Resignations and results that an arbiter was asked to enter.
    resigned: Vec<String>,
}

impl World<'_> {
    /// A world in which nothing has happened yet.
    pub(crate) fn new(options: &Options, trace: Trace) -> World<'static> {
        let mut chance = StdRng::seed_from_u64(options.seed);
        let mut builder = turmoil::Builder::new();
        builder
            .rng_seed(chance.random())
            .tick_duration(Duration::from_millis(STEP))
            .simulation_duration(Duration::from_secs(3_600))
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(40))
            .tcp_capacity(4_096)
            .epoch(std::time::UNIX_EPOCH + Duration::from_secs(1_773_576_000));
        let mut sim = builder.build();
        let disk = Arc::new(Disk::new(chance.random(), options.mutation, trace.clone()));
        let mut devices = Vec::new();
        let (mut pis, mut tables, mut plan) = (Vec::new(), Vec::new(), Vec::new());
        for n in 1..=options.tables {
            let (device, board, game) = (format!("clock-{n}"), format!("board-{n}"), format!("game-{n}"));
            devices.push(Device { device: device.clone(), board });
            let kind = if chance.random_bool(0.5) { ClockKind::External } else { ClockKind::Own };
            let card = Card::new(&device, options.mutation, trace.clone());
            let pi = Pi::new(&device, kind, chance.random_range(-3_000..3_000), card, trace.clone());
            let script = Script::new(&mut chance);
            let hands = StdRng::seed_from_u64(chance.random());
            tables.push(Table::new(Arc::clone(&pi), &game, script, hands, options.mutation, trace.clone()));
            let (external, confirms) = (kind == ClockKind::External, chance.random_bool(0.5));
            plan.push(Deed::Open { game, device, external, confirms });
            pis.push(pi);
        }
        if options.rival {
            // Another clock was put on the first board, and nobody took the first one off it.
            devices.push(Device { device: RIVAL.to_owned(), board: "board-1".to_owned() });
            let card = Card::new(RIVAL, None, trace.clone());
            pis.push(Pi::new(RIVAL, ClockKind::Own, 0, card, trace.clone()));
        }
        let server = Server::new(Arc::clone(&disk), devices, trace.clone());
        let hall = Arc::new(Hall::default());
        {
            let server = Arc::clone(&server);
            sim.host(SERVER, move || server.run());
        }
        for pi in &pis {
            let pi = Arc::clone(pi);
            sim.host(pi.name.clone(), move || pi.boot());
        }
        let arbiters = vec!["arbiter-1", "arbiter-2"];
        for &name in &arbiters {
            let (hall, plan, seed) = (Arc::clone(&hall), plan.clone(), chance.random());
            let arbiter = Arbiter { name, hall, plan, seed, trace: trace.clone() };
            sim.host(name, move || arbiter.clone().work());
        }
        let hosts = Hosts { server, pis, arbiters };
        let oracle = Oracle::new(trace.clone());
        let broken = Broken::default();
        World { sim, hosts, tables, hall, oracle, broken, chance, trace, resigned: Vec::new() }
    }

    /// One step of everything.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        self.trace.set_now(self.trace.now() + STEP);
        let now = self.trace.now();
        for table in &mut self.tables {
            let calm = self.hall.is_calm(&table.game, now);
            table.step(STEP, calm);
            if table.is_done() && table.script.ending == Ending::Resigns && !self.resigned.contains(&table.game) {
                let played = self.hall.game(&table.game);
                if played.is_some_and(|game| game.plies.len() >= table.script.moves.len() && game.ended.is_none()) {
                    let mover = table.script.moves.len();
                    let by = if mover.is_multiple_of(2) { Colour::White } else { Colour::Black };
                    let game = table.game.clone();
                    self.resigned.push(game.clone());
                    self.hall.want(format!("resignation-{game}"), Deed::Resign { game, by });
                }
            }
        }
        self.broken.step(&self.hosts, &mut self.sim, &mut self.chance, &self.trace);
        self.sim.step().map_err(|error| format!("the world ended: {error}"))?;
        let arena = lock(&self.hosts.server.arena).clone();
        self.oracle.look(&self.hosts.server.disk, &self.hall, &self.hosts.pis, &self.tables, arena.as_ref())
    }

    /// A game that was played to its end and has none, because the service could not follow it: it must have said so, and an
    /// arbiter enters the result.
    fn conclude(&mut self, healed: u64) -> Result<(), String> {
        let now = self.trace.now();
        for table in &self.tables {
            let long = table.done_at().is_some_and(|at| at.max(healed) + UNFOLLOWED < now);
            let game = self.hall.game(&table.game).filter(|game| long && game.ended.is_none());
            let request = format!("result-{}", table.game);
            let Some(game) = game.filter(|_| !self.resigned.contains(&request)) else { continue };
            if game.alarms.is_empty() && game.cases.is_empty() && !table.is_excused() {
                return Err(format!(
                    "I6: {} was played to its end, is not followed, and nobody was alarmed",
                    table.game
                ));
            }
            let outcome = match table.script.result {
                "1-0" => v1::Outcome::WhiteWins,
                "0-1" => v1::Outcome::BlackWins,
                _ => v1::Outcome::Draw,
            };
            self.hall.want(request.clone(), Deed::Conclude { game: table.game.clone(), outcome });
            self.resigned.push(request);
        }
        Ok(())
    }

    /// Something goes wrong now.
    pub(crate) fn fault(&mut self, fault: &Fault) {
        self.broken.happen(fault, &self.hosts, &mut self.sim, &mut self.chance, &self.trace);
    }

    /// Everything is mended, and goes on until it has recovered.
    pub(crate) fn recover(&mut self) -> Result<(), String> {
        self.broken.heal(&self.hosts, &mut self.sim, &self.trace);
        self.hall.busy.store(false, Ordering::Relaxed);
        let healed = self.trace.now();
        let until = healed + RECOVERY;
        loop {
            for _ in 0..50 {
                self.step()?;
            }
            self.conclude(healed)?;
            let missing = self.tables.iter().find_map(|table| self.oracle.recovered(table).err());
            match missing {
                None => break,
                Some(missing) if self.trace.now() > until => return Err(format!("not recovered: {missing}")),
                Some(_) => {}
            }
        }
        verified(&*self.hosts.server.disk)
    }

    /// Chaos, then recovery.
    fn live(&mut self, options: &Options) -> Result<(), String> {
        self.hall.busy.store(options.faults, Ordering::Relaxed);
        let pis: Vec<String> = self.hosts.pis.iter().map(|pi| pi.name.clone()).collect();
        let reachable = self.hosts.reachable();
        // Some worlds break seldom, others all the time.
        let every = self.chance.random_range(800..6_000);
        let mut next = self.chance.random_range(1_000..10_000);
        while options.faults && self.trace.now() < options.chaos_ms {
            if self.trace.now() >= next {
                let fault = Fault::draw(&pis, &reachable, &mut self.chance);
                self.fault(&fault);
                next = self.trace.now() + self.chance.random_range(every / 4..every * 2);
            }
            self.step()?;
        }
        self.recover()
    }
}

/// Runs the world of a seed to its end.
#[must_use]
pub fn run(options: &Options) -> Outcome {
    let trace = Trace::default();
    let kept = trace.clone();
    trace.with_logs(|| {
        let mut world = World::new(options, trace.clone());
        let wrong = world.live(options).err();
        match &wrong {
            Some(wrong) => trace.step("oracle", format_args!("WRONG: {wrong}")),
            None => trace.step("oracle", "everything has recovered"),
        }
        let (entries, events, journal) = world.oracle.ledger().summary();
        trace.step(
            "oracle",
            format_args!("{entries} entries, {events} events, journal {}", crate::ledger::hex(&journal)),
        );
        drop(world);
        Outcome {
            seed: options.seed,
            wrong,
            entries,
            events,
            simulated_ms: kept.now(),
            steps: kept.steps(),
            trace: kept,
        }
    })
}
