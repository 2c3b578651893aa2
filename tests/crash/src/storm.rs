//! Many boards at one service that is killed again and again.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use flagfall_proto::{
    clock::v1::Stage,
    desk::v1::{DirectiveSnapshot, GameSnapshot},
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::{runtime::Runtime, sync::watch, time::timeout};

use crate::{
    check::Found,
    desk::{self, Desk, Log},
    house::{House, PATIENCE, lasts, runtime},
    player::{Player, Record, Table, look},
};

/// Boards at a service.
const BOARDS: usize = 8;

/// About how often something happens at each board.
const PACE: Duration = Duration::from_millis(8);

/// How often the desk is asked whether all has ended that ends by time alone.
const LOOK: Duration = Duration::from_millis(200);

/// When the service is killed.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// At a moment, the Nth time it is come to, N drawn up to this.
    At(&'static str, u64),
    /// Some time after it serves, drawn up to this.
    After(Duration),
}

/// See the module.
pub struct Storm {
    house: House,
    runtime: Runtime,
    busy: watch::Sender<bool>,
    told: watch::Receiver<()>,
    records: Vec<Arc<Mutex<Record>>>,
    log: Arc<Mutex<Log>>,
    rng: StdRng,
    /// Games as the service showed them when all was quiet.
    shown: Vec<GameSnapshot>,
    name: String,
}

impl Storm {
    /// Boards, players and a desk, without a service yet.
    ///
    /// # Panics
    /// The machine has no room for them.
    #[must_use]
    pub fn new(name: &str, seed: u64) -> Storm {
        Storm::in_house(name, seed, |devices| House::new(devices, ""))
    }

    /// The same, with the journal in a folder of the test's.
    ///
    /// # Panics
    /// The machine has no room for them.
    #[must_use]
    pub fn on(name: &str, seed: u64, data: &Path) -> Storm {
        Storm::in_house(name, seed, |devices| House::with_data(data, devices, ""))
    }

    fn in_house(name: &str, seed: u64, house: impl FnOnce(&[&str]) -> House) -> Storm {
        let devices: Vec<String> = (1..=BOARDS).map(|n| format!("clock-{n}")).collect();
        let house = house(&devices.iter().map(String::as_str).collect::<Vec<_>>());
        let runtime = runtime();
        let (busy, busy_seen) = watch::channel(true);
        let (told, told_seen) = watch::channel(());
        let table = Table { busy: busy_seen.clone(), told, pace: PACE };
        let mut records = Vec::new();
        for (device, id) in devices.iter().zip(1..) {
            let (player, record) = Player::new(device, id, house.listens.clocks, table.clone(), seed);
            runtime.spawn(player.play());
            records.push(record);
        }
        let (desk, log) = Desk::new(house.listens.desk, &records, busy_seen, seed);
        runtime.spawn(desk.work());
        let rng = StdRng::seed_from_u64(seed);
        let (told, shown, name) = (told_seen, Vec::new(), format!("{name}, seed {seed:#x}"));
        Storm { house, runtime, busy, told, records, log, rng, shown, name }
    }

    /// Starts the service, lets everybody play, kills it, and checks what is left.
    ///
    /// # Panics
    /// Something is not as it must be.
    pub fn round(&mut self, round: u64, when: When) {
        let begun = Instant::now();
        match when {
            When::At(name, most) => {
                let nth = self.rng.random_range(1..=most);
                self.house.launch(Some((name, nth))).wait_for(&format!("reached {name}"));
            }
            When::After(most) => {
                self.house.start(None);
                // The fault is that it may be any moment.
                lasts(most.mul_f64(self.rng.random()));
            }
        }
        self.house.kill();
        let entries = self.check();
        let (name, took) = (&self.name, begun.elapsed());
        println!("{name}, round {round}: {when:?}, {entries} entries as they must be, {took:.1?}");
    }

    /// The house, for those who do something to its journal.
    #[must_use]
    pub fn house(&self) -> &House {
        &self.house
    }

    /// Starts the service, lets everybody play for a while, and tells it to end: its exit code, how long it took, and the
    /// rests that it asked of the clocks, milliseconds.
    ///
    /// # Panics
    /// It cannot be started, or is killed by a signal.
    pub fn drain(&mut self, after: Duration) -> (i32, Duration, Vec<u64>) {
        self.house.start(None);
        lasts(after);
        let begun = Instant::now();
        let code = self.house.stop();
        let rests = self.records.iter().flat_map(|record| std::mem::take(&mut look(record).rests)).collect();
        (code, begun.elapsed(), rests)
    }

    /// Starts the service, by way of another command line where there is one, and lets everybody play until it ends by
    /// itself; its exit code.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn until_it_ends(&mut self, before: Option<&str>) -> Option<i32> {
        self.house.launch_by(before.unwrap_or_default(), None);
        self.house.ended()
    }

    /// Starts the service, waits until everybody has everything, and kills it.
    ///
    /// # Panics
    /// Something is not as it must be, or is never told or done.
    pub fn quiet(&mut self) {
        self.busy.send_replace(false);
        self.house.start(None);
        let desk = self.house.listens.desk;
        let quiet = async { timeout(PATIENCE, all_quiet(&self.records, &mut self.told, desk)).await };
        let Ok(shown) = self.runtime.block_on(quiet) else { panic!("{}: {}", self.name, self.waits()) };
        let heard: u64 = self.records.iter().map(|record| look(record).spool.last()).sum();
        println!("{}: all is quiet after {heard} events in {} games", self.name, shown.len());
        self.shown = shown;
        self.settled();
        self.house.kill();
        self.check();
        self.busy.send_replace(true);
    }

    /// I6: every directive ended, or the desk was alarmed; I8: the service is no larger than it should be.
    fn settled(&self) {
        for game in &self.shown {
            let setup = game.setup.as_ref().map_or("", |setup| &setup.game);
            let waiting = waiting(game);
            assert_eq!(waiting, 0, "{}: I6: {setup}: {waiting} directives without an end: {game:?}", self.name);
        }
        let kib = self.house.service().resident_kib();
        assert!(kib < 400 << 10, "{}: I8: {kib} KiB", self.name);
    }

    fn waits(&self) -> String {
        let each = self.records.iter().map(|record| {
            let record = look(record);
            let (device, at) = (&record.spool.device, &record.at);
            format!(
                "{device}: online {}, {} of {} acknowledged, {at:?} of {} done",
                record.online,
                record.acked,
                record.spool.last(),
                record.desired_rev
            )
        });
        format!("this never ends:\n{}\n{}", each.collect::<Vec<_>>().join("\n"), self.house.service().shown())
    }

    /// Checks what a service that is dead has left; how many entries that are.
    ///
    /// # Panics
    /// Something is not as it must be.
    pub fn check(&mut self) -> u64 {
        let copy = self.house.copy();
        let mut found = Found::read(copy.path());
        found.house(&self.records, &self.log);
        found.shown(&self.shown);
        let Found { complaints, entries, .. } = found;
        assert!(complaints.is_empty(), "{}: kept in {}:\n{}", self.name, copy.keep().display(), complaints.join("\n"));
        entries
    }
}

/// How many directives of a game have no end.
fn waiting(game: &GameSnapshot) -> usize {
    let ended = |sent: &&DirectiveSnapshot| matches!(sent.stage(), Stage::Applied | Stage::Rejected | Stage::Unknown);
    // What a later one replaced is not sent any more, and no word comes of it.
    let told = || game.directives.iter().filter_map(|sent| sent.directive.as_ref());
    let replaced = |sent: &&DirectiveSnapshot| {
        sent.directive.as_ref().is_some_and(|sent| told().any(|later| later.supersedes.contains(&sent.id)))
    };
    game.directives.iter().filter(|sent| !ended(sent) && !replaced(sent)).count()
}

/// Waits until every clock has a game, was told all and has done all; the games as they then stand. What was told to a game whose clock
/// had just gone on to the next ends by time alone, so the desk is asked again now and then.
async fn all_quiet(
    records: &[Arc<Mutex<Record>>],
    told: &mut watch::Receiver<()>,
    desk: SocketAddr,
) -> Vec<GameSnapshot> {
    let (mut before, begun) = (Vec::new(), Instant::now());
    loop {
        told.borrow_and_update();
        if records.iter().all(|record| look(record).is_quiet())
            && let Ok(shown) = desk::games(desk).await
        {
            // What was done last may have led to more.
            let open = shown.iter().filter(|game| game.ended.is_none()).count();
            let settled = shown.iter().all(|game| waiting(game) == 0) || begun.elapsed() > PATIENCE / 2;
            if open == records.len() && settled && shown == before {
                return shown;
            }
            let news = shown != before;
            before = shown;
            if news {
                continue;
            }
        }
        drop(timeout(LOOK, told.changed()).await);
    }
}
