//! One watch of all games for every page that looks: tiles, and which of them changed.
//!
//! Nobody looks: nothing is watched. Somebody looks: the games are listed once and then followed; a tile counts moves by itself and
//! asks for its game only when something happened that needs more. What changed goes out in batches.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use flagfall_proto::{
    desk::v1::{
        ClockSnapshot, GameSnapshot, GetGameRequest, ListClocksRequest, ListGamesRequest, WatchGamesRequest,
        WatchGamesResponse, desk_service_server::DeskService,
    },
    journal::v1::event::What,
};
use tokio::{
    sync::broadcast,
    time::{Instant, MissedTickBehavior, interval},
};
use tokio_stream::StreamExt;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};

use super::{
    asked_by,
    seats::{Seat, of_round, seats},
    tile::{Need, Tile},
};
use crate::{
    desk::{Desk, auth::Caller},
    event::{Events, round_of},
};

/// How often what changed is told.
const BATCH: Duration = Duration::from_millis(200);

/// How long the games are still followed when nobody looks any more.
const LINGER: Duration = Duration::from_secs(30);

/// How long ago a decision may be and still be shown with what waits.
const LATELY: Duration = Duration::from_secs(600);

/// How often it is asked who sits where while somebody looks.
const SEATS: Duration = Duration::from_secs(20);

/// Batches a page may be behind before it is told everything anew.
const BEHIND: usize = 64;

/// Tiles that changed.
pub(super) type Batch = Arc<Vec<Tile>>;

/// See the module.
pub struct Wall {
    desk: Desk,
    events: Events,
    drain: CancellationToken,
    /// Who sits where, as it was asked last.
    seats: Mutex<HashMap<String, Seat>>,
    tiles: Mutex<BTreeMap<String, Tile>>,
    /// Games of which more must be asked.
    stale: Mutex<BTreeSet<String>>,
    /// Games in which something was decided lately, and when.
    decided: Mutex<HashMap<String, Instant>>,
    following: AtomicBool,
    /// Held while the games are listed: whoever looks meanwhile waits for the list.
    listing: tokio::sync::Mutex<()>,
    changed: broadcast::Sender<Batch>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The wall looks for everybody; who may look at it was asked before.
fn looking<T>(message: T) -> Request<T> {
    asked_by(Some(Caller::service()), message)
}

/// A tile with its clock and the names of who sits there.
fn dress(tile: &mut Tile, clocks: &HashMap<String, ClockSnapshot>, seats: &HashMap<String, Seat>) {
    tile.clock(clocks.get(&tile.device));
    if let Some(seat) = seats.get(&tile.game) {
        seat.name(tile);
    }
}

impl Wall {
    /// A wall at which nobody looks yet.
    #[must_use]
    pub fn new(desk: Desk, events: Events, drain: CancellationToken) -> Wall {
        let changed = broadcast::Sender::new(BEHIND);
        let (seats, tiles, stale, decided, following, listing) = Default::default();
        Wall { desk, events, drain, seats, tiles, stale, decided, following, listing, changed }
    }

    /// Every tile as it is now, in the order of the games' names.
    ///
    /// # Errors
    /// The desk does not answer.
    pub async fn all(self: &Arc<Self>) -> Result<Vec<Tile>, Status> {
        self.follow().await?;
        self.sit_down().await?;
        let (clocks, seats) = (self.clocks().await?, lock(&self.seats).clone());
        let mut tiles: Vec<Tile> = lock(&self.tiles).values().cloned().collect();
        tiles.iter_mut().for_each(|tile| dress(tile, &clocks, &seats));
        Ok(tiles)
    }

    /// A game as a tile, also one that lies on the shelf.
    ///
    /// # Errors
    /// The desk does not answer.
    pub(super) async fn tile(self: &Arc<Self>, game: &GameSnapshot) -> Result<Tile, Status> {
        let mut tile = Tile::of(game);
        // Of a round that is closed the wall does not ask again what it counts; of games under way nobody knows while the journal does not
        // open, and finished ones are read all the same.
        let all = self.all().await.unwrap_or_default();
        let known = all.into_iter().find(|known| known.game == tile.game && !known.past);
        if let Some(known) = known {
            return Ok(known);
        }
        let seats = match round_of(&tile.game) {
            Some((event, round)) => of_round(&self.events, event, round).await?,
            None => HashMap::new(),
        };
        dress(&mut tile, &self.clocks().await?, &seats);
        Ok(tile)
    }

    /// Says on a tile what its board is called and how its clock is.
    ///
    /// # Errors
    /// The desk does not answer.
    pub(super) async fn at_board(&self, tile: &mut Tile) -> Result<(), Status> {
        dress(tile, &self.clocks().await?, &HashMap::new());
        Ok(())
    }

    /// What changes from now on.
    pub(super) fn watch(&self) -> broadcast::Receiver<Batch> {
        self.changed.subscribe()
    }

    /// Games in which something was decided in the last minutes, or of which there is no good word.
    pub(super) fn recent(&self) -> BTreeSet<String> {
        let mut decided = lock(&self.decided);
        decided.retain(|_, at| at.elapsed() < LATELY);
        let unconfirmed = |tile: &&Tile| tile.need == Need::Unconfirmed;
        let tiles = lock(&self.tiles);
        decided.keys().cloned().chain(tiles.values().filter(unconfirmed).map(|tile| tile.game.clone())).collect()
    }

    /// Something was decided in a game just now.
    pub(super) fn decided(&self, game: &str) {
        lock(&self.decided).insert(game.to_owned(), Instant::now());
    }

    /// The service drains: streams end.
    pub async fn drained(&self) {
        self.drain.cancelled().await;
    }

    /// Begins to follow the games unless they are followed.
    async fn follow(self: &Arc<Self>) -> Result<(), Status> {
        let _listing = self.listing.lock().await;
        if self.following.load(Ordering::Acquire) {
            return Ok(());
        }
        // The watch comes first: what happens after it is in the watch, what happened before is in the list.
        let watched = self.desk.watch_games(looking(WatchGamesRequest::default())).await?.into_inner();
        let (mut tiles, mut after) = (BTreeMap::new(), String::new());
        loop {
            let page = ListGamesRequest { after, ..ListGamesRequest::default() };
            let listed = self.desk.list_games(looking(page)).await?.into_inner();
            tiles.extend(listed.games.iter().map(Tile::of).map(|tile| (tile.game.clone(), tile)));
            after = listed.next;
            if after.is_empty() {
                break;
            }
        }
        *lock(&self.tiles) = tiles;
        self.following.store(true, Ordering::Release);
        let wall = Arc::clone(self);
        tokio::spawn(async move {
            let drain = wall.drain.clone();
            tokio::select! {
                () = wall.keep_up(watched) => {}
                () = drain.cancelled() => {}
            }
            wall.following.store(false, Ordering::Release);
        });
        Ok(())
    }

    async fn keep_up(&self, mut watched: crate::wire::WhileKnown<WatchGamesResponse>) {
        let mut beat = interval(BATCH);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut looked = Instant::now();
        let (mut told, mut seated) = (Instant::now(), Instant::now());
        let mut changed = BTreeSet::new();
        loop {
            tokio::select! {
                update = watched.next() => match update {
                    Some(Ok(update)) => self.take(update, &mut changed),
                    // The service drains, or this was too slow: whoever looks next begins again.
                    Some(Err(_)) | None => return,
                },
                _ = beat.tick() => {
                    if self.changed.receiver_count() > 0 {
                        looked = Instant::now();
                    } else if looked.elapsed() > LINGER {
                        return;
                    }
                    if seated.elapsed() > SEATS {
                        seated = Instant::now();
                        if let Err(status) = self.sit_down().await {
                            tracing::warn!(%status, "nobody says who sits where");
                        }
                    }
                    let all = told.elapsed() > Duration::from_secs(1);
                    if all {
                        told = Instant::now();
                    }
                    if let Err(status) = self.tell(std::mem::take(&mut changed), all).await {
                        tracing::warn!(%status, "the hall's tiles cannot be kept up");
                        return;
                    }
                }
            }
        }
    }

    fn take(&self, update: WatchGamesResponse, changed: &mut BTreeSet<String>) {
        let mut tiles = lock(&self.tiles);
        let tile = match (tiles.get_mut(&update.game), update.snapshot) {
            (Some(tile), _) if tile.entry >= update.entry => return,
            (Some(tile), None) => tile,
            (_, Some(snapshot)) => {
                tiles.insert(update.game.clone(), Tile::of(&snapshot));
                changed.insert(update.game);
                return;
            }
            (None, None) => return,
        };
        tile.entry = update.entry;
        if update.events.iter().any(|event| matches!(event.what, Some(What::Ruled(_)))) {
            self.decided(&update.game);
        }
        // Every event is counted, also after one that needs more.
        if update.events.iter().filter(|event| !tile.count(event)).count() > 0 {
            lock(&self.stale).insert(update.game.clone());
        }
        changed.insert(update.game);
    }

    /// Tells what changed; with `all` also whose clock came or went.
    async fn tell(&self, changed: BTreeSet<String>, all: bool) -> Result<(), Status> {
        let stale = std::mem::take(&mut *lock(&self.stale));
        for game in stale {
            let asked = self.desk.get_game(looking(GetGameRequest { game: game.clone() })).await;
            // A game whose opening was refused is none.
            let Some(snapshot) = asked.ok().and_then(|answer| answer.into_inner().game) else { continue };
            lock(&self.tiles).insert(game, Tile::of(&snapshot));
        }
        if changed.is_empty() && !all {
            return Ok(());
        }
        let (clocks, seats) = (self.clocks().await?, lock(&self.seats).clone());
        let mut batch = Vec::new();
        for (game, tile) in lock(&self.tiles).iter_mut() {
            let asked = changed.contains(game);
            if !asked && !all {
                continue;
            }
            let mut now = tile.clone();
            dress(&mut now, &clocks, &seats);
            if asked || !now.says_the_same(tile) {
                batch.push(now.clone());
            }
            *tile = now;
        }
        if !batch.is_empty() {
            // Nobody may be looking just now.
            let _told = self.changed.send(Arc::new(batch));
        }
        Ok(())
    }

    /// Asks anew who sits where.
    async fn sit_down(&self) -> Result<(), Status> {
        let (known, games) = (lock(&self.seats).clone(), lock(&self.tiles).keys().cloned().collect());
        let seats = seats(&self.events, &known, &games).await?;
        *lock(&self.seats) = seats;
        Ok(())
    }

    async fn clocks(&self) -> Result<HashMap<String, ClockSnapshot>, Status> {
        let clocks = self.desk.list_clocks(looking(ListClocksRequest {})).await?.into_inner().clocks;
        Ok(clocks.into_iter().map(|clock| (clock.device.clone(), clock)).collect())
    }
}
