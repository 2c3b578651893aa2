//! What the screen shows, kept up from the desk's service.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use flagfall_proto::desk::v1::{
    GameSnapshot, GetGameRequest, ListClocksRequest, WatchGamesRequest, WatchGamesResponse,
};
use tokio::time::{MissedTickBehavior, interval};
use tonic::Code;

use crate::{
    app::desk::{Call, DeskError, Seats, Service, record, tile, waiting},
    desk::web::{Lang, Tile},
};

/// How often what changed is asked for.
const LOOK: Duration = Duration::from_millis(500);

/// What is shown at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// Every board.
    pub(super) tiles: Vec<Tile>,
    /// What waits, the oldest first.
    pub(super) calls: Vec<Call>,
}

/// Every game as the service last told it.
pub(super) struct Feed {
    service: Service,
    lang: Lang,
    games: BTreeMap<String, GameSnapshot>,
    changed: BTreeSet<String>,
    seats: Seats,
    /// What waited at the last look.
    calls: Vec<Call>,
}

impl Feed {
    /// Nothing is known yet.
    #[must_use]
    pub(super) fn new(service: Service, lang: Lang) -> Feed {
        let (games, changed) = (BTreeMap::new(), BTreeSet::new());
        Feed { service, lang, games, changed, seats: Seats::default(), calls: Vec::new() }
    }

    /// Follows the games until the service closes, and tells at each look what there is to see.
    ///
    /// # Errors
    /// The service closes or refuses; `tell` says that nobody looks any more by returning false, which is no error.
    pub(super) async fn follow(&mut self, mut tell: impl FnMut(Shown) -> bool) -> Result<(), DeskError> {
        self.games.clear();
        // A round may have been paired anew while nobody looked.
        self.seats = Seats::default();
        let mut watched = self.service.desk.watch_games(WatchGamesRequest::default()).await?.into_inner();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                update = watched.message() => match update? {
                    Some(update) => self.take(update),
                    None => return Err(DeskError::Unfit("the service closed".to_owned())),
                },
                _ = look.tick() => {
                    let shown = self.look().await?;
                    if !tell(shown) {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn take(&mut self, update: WatchGamesResponse) {
        match update.snapshot {
            Some(snapshot) => drop(self.games.insert(update.game, snapshot)),
            None => drop(self.changed.insert(update.game)),
        }
    }

    async fn look(&mut self) -> Result<Shown, DeskError> {
        for game in std::mem::take(&mut self.changed) {
            match self.service.desk.get_game(GetGameRequest { game: game.clone() }).await {
                Ok(answer) => {
                    let snapshot = answer.into_inner().game.unwrap_or_default();
                    self.games.insert(game, snapshot);
                }
                // A game whose opening was refused is none.
                Err(status) if status.code() == Code::NotFound => drop(self.games.remove(&game)),
                Err(status) => return Err(status.into()),
            }
        }
        self.seats.learn(&mut self.service, self.games.keys().map(String::as_str)).await?;
        let clocks = self.service.desk.list_clocks(ListClocksRequest {}).await?.into_inner().clocks;
        let (mut tiles, mut calls) = (Vec::new(), Vec::new());
        for game in self.games.values() {
            let tile = tile(game, &clocks, &self.seats);
            calls.extend(waiting(game, &tile, self.lang));
            tiles.push(tile);
        }
        for call in &mut calls {
            let known = self.calls.iter().find(|known| known.game == call.game && known.what.is_the_same(call.what));
            call.since = match known {
                Some(known) => known.since,
                None => call.what.since(&record(&mut self.service.desk, &call.game).await?),
            };
        }
        calls.sort_by(Call::by_age);
        self.calls.clone_from(&calls);
        Ok(Shown { tiles, calls })
    }
}
