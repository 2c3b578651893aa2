//! The games: one actor each, born when somebody needs it, gone when nobody does.
//!
//! ```text
//!              ┌──────────── Arena ────────────┐
//!   link ─────▶│ Roster: clocks, live sessions │
//!              │ games: name ─▶ GameHandle ────┼──▶ GameActor ──▶ journal
//!   desk ─────▶│ Hub: watchers                 │        │
//!              └───────────────────────────────┘◀───────┘ what is on disk
//! ```
//!
//! [`Arena::start`] reads the journal and knows every game; a game that is over or idle has no actor until it is asked for.

mod actor;
mod beside;
mod core;
mod entry;
pub mod handle;
mod home;
mod hub;
pub mod lane;
mod leaving;
mod limits;
mod list;
mod open;
mod oracle;
mod place;
pub mod pulse;
mod quarantine;
mod recover;
mod roster;
mod shared;
mod shelve;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use flagfall_proto::desk::v1::WatchGamesResponse;
use flagfall_rules::game::{DeskInput, Notice};
use tokio::{
    sync::oneshot,
    time::{Instant, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::{
    actor::GameActor,
    beside::Beside,
    handle::{Answer, Foreseen, GameHandle, Greeted, Heard, Message, Origin, ToSession, Wanted},
    home::Released,
    hub::{BACKLOG, Seat},
    lane::{Lane, LaneGuard, Mark},
    limits::Limits,
    list::Page,
    open::Opening,
    pulse::Vital,
    recover::{RecoverError, Walked},
    roster::{Claim, Device, Identity, Roster, Slot},
};
use self::{
    actor::actor,
    home::{Home, Tenant},
    hub::Hub,
    quarantine::Quarantine,
    roster::lock,
    shared::Shared,
};
pub(crate) use self::{quarantine::Trouble, recover::each};
use crate::{
    journal::{Journal, Stored, StreamId, codec::Note},
    trail::Trails,
    wire::{Hash, OutStream, Refused},
};

/// All games and clocks. Cheap to clone.
#[derive(Clone)]
pub struct Arena {
    roster: Arc<Roster>,
    shared: Arc<Shared>,
    games: Arc<Mutex<Games>>,
    tasks: TaskTracker,
    walked: Walked,
}

/// What is known of games without asking them.
#[derive(Default)]
struct Games {
    by_name: HashMap<Arc<str>, Entry>,
    /// In the order they were opened, by a number that is given once.
    order: BTreeMap<u64, Arc<str>>,
    /// The last number.
    opened: u64,
    /// Which game a desk's request opened: the same request opens no second one.
    opens: HashMap<String, Arc<str>>,
    /// Says which games stay at hand though they are over.
    kept: Option<Arc<dyn Fn() -> HashSet<String> + Send + Sync>>,
}

struct Entry {
    home: Arc<Home>,
    handle: Option<GameHandle>,
    tenant: Tenant,
    /// Its place in the order.
    number: u64,
    /// The desk's request that opened it.
    request: Option<String>,
    /// Since when nobody has needed it, as far as was noticed.
    asleep: Option<Instant>,
    /// It was found not to be done, and nobody has needed it since.
    stays: bool,
}

impl Entry {
    fn is_asleep(&self) -> bool {
        self.handle.as_ref().is_none_or(GameHandle::is_closed)
    }
}

impl Arena {
    /// Reads the journal and wakes the games that are not over. What becomes of their inputs is told to `trails`.
    ///
    /// # Errors
    /// The journal cannot be read or understood.
    pub async fn start(
        journal: Arc<dyn Journal>,
        devices: Vec<Device>,
        limits: Limits,
        trails: Trails,
    ) -> Result<Arena, RecoverError> {
        let reader = Arc::clone(&journal);
        let reading = limits.beside.run(move || recover::everything(&*reader));
        let mut found = reading.await.map_err(|_| RecoverError::Interrupted)??;
        let (hub, stop, failed) = (Hub::default(), CancellationToken::new(), tokio::sync::Notify::new());
        let (roster, games, tasks) = (Arc::<Roster>::default(), Arc::default(), TaskTracker::new());
        let quarantine = Quarantine::default();
        let roster_too = Arc::clone(&roster);
        let shared = Arc::new(Shared { journal, roster: roster_too, limits, hub, trails, stop, failed, quarantine });
        let arena = Arena { roster, shared, games, tasks, walked: found.walked };
        for (device, lane) in found.lanes.drain() {
            arena.roster.known(&device, |_| lane);
        }
        devices.into_iter().for_each(|device| arena.roster.admit(device));
        for (stream, trouble) in found.troubled {
            if let (StreamId::Device(device), Trouble::Damaged(_)) = (&stream, &trouble) {
                arena.roster.set_apart(device, trouble.to_string());
            }
            arena.shared.quarantine.put(stream, trouble);
        }
        // A clock whose games are all on the shelf still shows the last of them.
        for (device, (_, name)) in &found.former {
            let tenant = Tenant::new(Arc::clone(name));
            tenant.stands(true, true);
            tenant.put_away();
            arena.roster.known(device, Lane::new).give(tenant);
        }
        let mut tenants = Vec::with_capacity(found.games.len());
        for game in found.games {
            tenants.extend(arena.remember(game));
        }
        // Each clock has the game that took it last, unless another is under way on it.
        tenants.sort_by_key(|(_, since, ..)| *since);
        for (slot, (since, _), tenant) in tenants {
            let under_way = slot.tenant().is_some_and(|before| !before.is_free());
            // One that is over gives way to one on the shelf that took the clock later.
            let later = found.former.get(slot.name()).is_some_and(|(shelved, _)| *shelved > since);
            if !(tenant.is_free() && (under_way || later)) {
                slot.give(tenant);
            }
        }
        arena.begin_shelving();
        Ok(arena)
    }

    fn remember(&self, found: recover::Found) -> Option<(Arc<Slot>, (i64, u64), Tenant)> {
        let recover::Found { core, request, former, since_ms, trouble, .. } = found;
        let name = Arc::clone(&core.name);
        let damaged = matches!(trouble, Some(Trouble::Damaged(_)));
        if let Some(trouble) = trouble {
            self.shared.quarantine.put(list::stream(&name), trouble);
        }
        // What cannot be played on leaves its clock to others.
        let free = core.is_free() || damaged;
        let slot = self.roster.known(&core.game().setup.device, Lane::new);
        let former = former.iter().map(|device| self.roster.known(device, Lane::new)).collect();
        let asleep = damaged || (free && core.unanswered().next().is_none());
        let tenant = Tenant::new(Arc::clone(&name));
        tenant.stands(free, core.game().ended.is_some());
        let home = Arc::new(Home::new(tenant.clone(), former, Arc::clone(&slot)));
        let origin = actor::Origin::Core(Box::new(core));
        let handle = (!asleep).then(|| self.spawn(tenant.clone(), origin, Arc::clone(&home)));
        let mut games = lock(&self.games);
        games.enlist(&name, home, handle, tenant.clone(), request);
        (!damaged).then_some((slot, (since_ms, games.opened), tenant))
    }

    fn spawn(&self, tenant: Tenant, origin: actor::Origin, home: Arc<Home>) -> GameHandle {
        let (handle, actor) = actor(tenant, origin, home, Arc::clone(&self.shared));
        self.tasks.spawn(actor.run());
        handle
    }

    /// The clocks.
    #[must_use]
    pub fn roster(&self) -> &Arc<Roster> {
        &self.roster
    }

    /// The journal, for streams that are not a game's.
    #[must_use]
    pub fn journal(&self) -> &dyn Journal {
        &*self.shared.journal
    }

    /// What was read of the journal when it was started.
    #[must_use]
    pub fn walked(&self) -> Walked {
        self.walked
    }

    /// Where trails end.
    #[must_use]
    pub fn trails(&self) -> &Trails {
        &self.shared.trails
    }

    /// Patience and sizes.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// How many messages wait for games.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let games = lock(&self.games);
        let mailboxes = games.by_name.values().filter_map(|entry| entry.handle.as_ref().map(|handle| &handle.mailbox));
        mailboxes.map(|mailbox| mailbox.max_capacity() - mailbox.capacity()).sum()
    }

    /// Resolves when an append failed.
    pub async fn failed(&self) {
        self.shared.failed.notified().await;
    }

    /// A game's stub, its actor woken when it slept; `None` when there is no such game.
    #[must_use]
    pub fn game(&self, name: &str) -> Option<GameHandle> {
        let mut games = lock(&self.games);
        self.know(&mut games, name);
        let entry = games.by_name.get(name)?;
        if let Some(handle) = entry.handle.as_ref().filter(|handle| !handle.is_closed()) {
            return Some(handle.clone());
        }
        let origin = actor::Origin::Journal(entry.handle.as_ref().map(|handle| handle.gone.clone()));
        let handle = self.spawn(entry.tenant.clone(), origin, Arc::clone(&entry.home));
        let entry = games.by_name.get_mut(name)?;
        entry.handle = Some(handle.clone());
        (entry.asleep, entry.stays) = (None, false);
        Some(handle)
    }

    /// The game belongs to this clock: it was opened on it, or went on on it last.
    #[must_use]
    pub fn is_on(&self, game: &str, slot: &Arc<Slot>) -> bool {
        let mut games = lock(&self.games);
        self.know(&mut games, game);
        games.by_name.get(game).is_some_and(|entry| entry.home.is(slot))
    }

    /// The clock that a game of this one has gone to; `None` when it is here, or is none of its games.
    #[must_use]
    pub fn gone_to(&self, game: &str, slot: &Arc<Slot>) -> Option<String> {
        let had = slot.had().names().any(|name| **name == *game);
        let (device, _) = self.place_of(game).filter(|_| had)?;
        (device != slot.name()).then_some(device)
    }

    /// The clock of a game and the board that it reads, as far as it is listed; `None` when there is no such game.
    #[must_use]
    pub fn place_of(&self, game: &str) -> Option<(String, Option<String>)> {
        let mut games = lock(&self.games);
        self.know(&mut games, game);
        let home = Arc::clone(&games.by_name.get(game)?.home);
        drop(games);
        home.present().map(|slot| (slot.name().to_owned(), slot.board()))
    }

    /// Nothing is known of a game: there is none, or the journal does not open.
    fn unknown(&self, game: &str) -> Refused {
        match self.journal().shut() {
            Some(reason) => Refused::JournalShut { reason },
            None => Refused::NoSuchGame { game: game.to_owned() },
        }
    }

    /// Says something to a game; it may have to be woken first.
    async fn tell(&self, game: &str, message: Message) -> Result<(), Refused> {
        loop {
            if self.shared.quarantine.is_damaged(game) {
                self.shared.quarantine.admit(game, self.journal())?;
            }
            let handle = self.game(game).ok_or_else(|| self.unknown(game))?;
            if let Some(room) = handle.room().await {
                room.send(message);
                return Ok(());
            }
            // It retired or died this moment; the next handle is another one, unless nothing can be read any more.
            if self.shared.stop.is_cancelled() {
                return Err(Refused::Draining);
            }
            if self.journal().health() != crate::journal::Health::Ok {
                return Err(Refused::JournalDown);
            }
        }
    }

    /// Asks a game; `JOURNAL_DOWN` when it dies over the question.
    async fn ask<T>(&self, game: &str, message: impl FnOnce(oneshot::Sender<T>) -> Message) -> Result<T, Refused> {
        let (reply, answer) = oneshot::channel();
        self.tell(game, message(reply)).await?;
        answer.await.map_err(|_| Refused::JournalDown)
    }

    /// Carries out an act at the desk; the same request twice acts once.
    ///
    /// # Errors
    /// There is no such game, the rules refuse the act, or the journal does not take it.
    pub async fn act(&self, game: &str, input: DeskInput) -> Result<Answer, Refused> {
        self.shared.quarantine.admit(game, self.journal())?;
        let input = Box::new(input);
        self.ask(game, |reply| Message::Desk { input, reply }).await?
    }

    /// What would follow from an act; nothing does.
    ///
    /// # Errors
    /// As the act itself.
    pub async fn preview(&self, game: &str, input: DeskInput) -> Result<Foreseen, Refused> {
        let input = Box::new(input);
        self.ask(game, |reply| Message::Preview { input, reply }).await?
    }

    /// Entries of a game's stream that are on disk.
    ///
    /// # Errors
    /// There is no such game, or the journal cannot be read.
    pub async fn entries(&self, game: &str, from: u64, max: usize) -> Result<Vec<Stored>, Refused> {
        let known = {
            let mut games = lock(&self.games);
            self.know(&mut games, game);
            games.by_name.contains_key(game)
        };
        if !known {
            return Err(self.unknown(game));
        }
        let (journal, stream) = (Arc::clone(&self.shared.journal), StreamId::Game(game.to_owned()));
        let read = self.shared.limits.beside.run(move || journal.read(&stream, from, max)).await;
        read.map_err(|_| Refused::JournalDown)?.map_err(|error| {
            tracing::error!(game, %error, "a game cannot be read");
            Refused::JournalDown
        })
    }

    /// What is wanted of a clock whose session begins.
    ///
    /// # Errors
    /// There is no such game, or it cannot be read.
    pub async fn wanted(&self, game: &str, greeted: Greeted) -> Result<Wanted, Refused> {
        self.ask(game, |reply| Message::Wanted(Box::new(greeted), reply)).await
    }

    /// Puts on a game's record, where the desk sees it, that something is amiss with its clock. Nobody waits for it: what cannot be
    /// written now is noticed again.
    pub fn notice(&self, game: Option<Arc<str>>, notice: Notice) {
        let Some(game) = game else { return };
        let arena = self.clone();
        self.tasks.spawn(async move {
            if let Err(refused) = arena.tell(&game, Message::Noticed(notice)).await {
                tracing::warn!(game = &*game, %refused, "an alarm could not be put on record");
            }
        });
    }

    /// The round of these games is closed: once they are over their clocks need not keep what they said.
    pub fn put_away<'g>(&self, games: impl Iterator<Item = &'g str>) {
        let known = lock(&self.games);
        games.filter_map(|game| known.by_name.get(game)).for_each(|entry| entry.tenant.put_away());
    }

    /// Follows games, all of them when `names` is empty: a snapshot of each, then every entry.
    ///
    /// # Errors
    /// One of the names is no game's.
    pub fn watch(&self, names: Vec<String>) -> Result<OutStream<WatchGamesResponse>, Refused> {
        let all = names.is_empty();
        let mut seen = HashSet::new();
        let names: Vec<String> = names.into_iter().filter(|name| seen.insert(name.clone())).collect();
        {
            let mut games = lock(&self.games);
            if let Some(game) = names.iter().find(|name| !self.know(&mut games, name)) {
                return Err(self.unknown(game));
            }
        }
        // Joined before the list is read: a game opened in between begins with its first entry.
        let (newcomer, stream) = self.shared.hub.join((!all).then_some(seen));
        let names = if all { self.whole() } else { names };
        let arena = self.clone();
        self.tasks.spawn(async move {
            let seats = async {
                for name in names {
                    // One snapshot at a time, as fast as the watcher reads.
                    let Some(room) = newcomer.out.room().await else { return };
                    let seat = Seat { watcher: Arc::clone(&newcomer.id), room };
                    if let Err(refused) = arena.tell(&name, Message::Watch(seat)).await {
                        return newcomer.out.finish(Some(refused.into()));
                    }
                }
            };
            tokio::select! {
                biased;
                () = arena.shared.stop.cancelled() => {}
                () = seats => {}
            }
            tokio::select! {
                biased;
                () = newcomer.out.gone() => {}
                () = arena.shared.stop.cancelled() => {}
            }
            arena.shared.hub.leave(&newcomer.id);
        });
        Ok(stream)
    }

    /// Every game at hand that can be read.
    fn whole(&self) -> Vec<String> {
        let damaged = self.shared.quarantine.damaged_games();
        let games = lock(&self.games);
        games.order.values().filter(|name| !damaged.contains(name)).map(ToString::to_string).collect()
    }

    /// The hashes of a spool's events from a number on, out of the journal.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn recorded(&self, slot: &Arc<Slot>, spool: [u8; 16], from: u64) -> Result<Vec<(u64, Hash)>, Refused> {
        let mut streams = HashSet::from([StreamId::Device(slot.name().to_owned())]);
        streams.extend(slot.had().names().map(|name| StreamId::Game(name.to_string())));
        let on_it =
            |note: &[u8]| Note::parse(note).is_ok_and(|note| note.stays.iter().any(|stay| stay.device == slot.name()));
        let shelved = self.journal().shelved().unwrap_or_default();
        streams.extend(shelved.into_iter().filter(|(_, note)| on_it(note)).map(|(stream, _)| stream));
        let journal = Arc::clone(&self.shared.journal);
        let read = move || recover::events_of(&*journal, &streams, spool, from);
        let hashes = self.limits().beside.run(read).await.map_err(|_| Refused::JournalDown)?;
        hashes.map_err(|error| {
            tracing::error!(device = slot.name(), %error, "old events cannot be compared");
            Refused::JournalDown
        })
    }

    /// Ends every watch, lets every game write what it holds, and waits for the actors.
    pub async fn stop(&self, patience: Duration) {
        self.shared.hub.close(&Refused::Draining.into());
        self.shared.stop.cancel();
        self.tasks.close();
        if timeout(patience, self.tasks.wait()).await.is_err() {
            tracing::error!(
                "games are still waiting for the disk at the deadline; what was not acknowledged is sent again"
            );
        }
    }
}
