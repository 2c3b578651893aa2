//! What the screen shows, kept up from the desk's service.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use flagfall_proto::{
    clock::v1::Words,
    desk::v1::{
        CaseSnapshot, ClockSnapshot, GameSnapshot, GetGameRequest, ListClocksRequest, WatchGamesRequest,
        WatchGamesResponse,
    },
    journal::v1::{Alarmed, Remedy},
};
use tokio::time::{MissedTickBehavior, interval};
use tonic::{Code, Status};

use super::screen::{Call, Way, What};
use crate::{
    app::desk::Client,
    desk::web::{
        Lang, Tile,
        tile::{attention, is_open},
        words,
    },
};

/// How often what changed is asked for.
const LOOK: Duration = Duration::from_millis(500);

/// What is shown at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// Every board.
    pub(super) tiles: Vec<Tile>,
    /// What waits, in the order in which it came up.
    pub(super) calls: Vec<Call>,
}

/// Every game as the service last told it.
pub(super) struct Feed {
    client: Client,
    lang: Lang,
    games: BTreeMap<String, GameSnapshot>,
    changed: BTreeSet<String>,
    /// What waits, in the order in which it was first seen here.
    order: Vec<(String, What)>,
}

impl Feed {
    /// Nothing is known yet.
    #[must_use]
    pub(super) fn new(client: Client, lang: Lang) -> Feed {
        Feed { client, lang, games: BTreeMap::new(), changed: BTreeSet::new(), order: Vec::new() }
    }

    /// Follows the games until the service closes, and tells at each look what there is to see.
    ///
    /// # Errors
    /// The service closes or refuses; `tell` says that nobody looks any more by returning false, which is no error.
    pub(super) async fn follow(&mut self, mut tell: impl FnMut(Shown) -> bool) -> Result<(), Status> {
        self.games.clear();
        let mut watched = self.client.watch_games(WatchGamesRequest::default()).await?.into_inner();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                update = watched.message() => match update? {
                    Some(update) => self.take(update),
                    None => return Err(Status::unavailable("the service closed")),
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

    async fn look(&mut self) -> Result<Shown, Status> {
        for game in std::mem::take(&mut self.changed) {
            match self.client.get_game(GetGameRequest { game: game.clone() }).await {
                Ok(answer) => {
                    let snapshot = answer.into_inner().game.unwrap_or_default();
                    self.games.insert(game, snapshot);
                }
                // A game whose opening was refused is none.
                Err(status) if status.code() == Code::NotFound => drop(self.games.remove(&game)),
                Err(status) => return Err(status),
            }
        }
        let clocks = self.client.list_clocks(ListClocksRequest {}).await?.into_inner().clocks;
        let clocks: HashMap<&str, &ClockSnapshot> = clocks.iter().map(|clock| (clock.device.as_str(), clock)).collect();
        let mut shown = Shown::default();
        let mut calls = Vec::new();
        for game in self.games.values() {
            let mut tile = Tile::of(game);
            tile.clock(clocks.get(tile.device.as_str()).copied());
            calls.extend(waiting(game, &tile, self.lang));
            shown.tiles.push(tile);
        }
        let is = |call: &Call, (game, what): &(String, What)| call.game == *game && call.what.is_the_same(*what);
        self.order.retain(|known| calls.iter().any(|call| is(call, known)));
        for call in &calls {
            if !self.order.iter().any(|known| is(call, known)) {
                self.order.push((call.game.clone(), call.what));
            }
        }
        calls.sort_by_key(|call| self.order.iter().position(|known| is(call, known)));
        shown.calls = calls;
        Ok(shown)
    }
}

/// What waits in a game.
fn waiting(game: &GameSnapshot, tile: &Tile, lang: Lang) -> Vec<Call> {
    if game.ended.is_some() {
        return Vec::new();
    }
    let edition = game.setup.as_ref().map_or("", |setup| setup.edition.as_str());
    let unheeded = game.alarms.iter().enumerate().skip(game.heeded as usize);
    let players = unheeded.filter(|(_, alarm)| attention(alarm)).map(|(index, alarm)| player(tile, index, alarm, lang));
    let cases = game.cases.iter().filter(|case| is_open(case)).filter_map(|case| self::case(tile, case, edition, lang));
    players.chain(cases).collect()
}

fn player(tile: &Tile, index: usize, alarm: &Alarmed, lang: Lang) -> Call {
    Call {
        game: tile.game.clone(),
        board: tile.board.clone(),
        what: What::Player { through: u32::try_from(index + 1).unwrap_or(u32::MAX) },
        title: words::alarm(lang, alarm.alarm()).to_owned(),
        article: String::new(),
        seen: alarm.detail.clone(),
        ways: Vec::new(),
    }
}

fn case(tile: &Tile, case: &CaseSnapshot, edition: &str, lang: Lang) -> Option<Call> {
    let finding = case.finding.as_ref()?;
    let seen = finding.evidence.as_ref().and_then(|evidence| evidence.seen.as_ref());
    let proposal = case.proposal.as_ref();
    Some(Call {
        game: tile.game.clone(),
        board: tile.board.clone(),
        what: What::Case { case: finding.case, running: proposal.is_some_and(|proposal| proposal.running) },
        title: words::irregularity(lang, finding.kind()).to_owned(),
        article: format!("{} {edition}", finding.article),
        seen: said(lang, seen),
        ways: proposal.map_or_else(Vec::new, |proposal| ways(&proposal.remedies, lang)),
    })
}

/// The ways of a proposal, and that nothing was wrong, which is always one.
fn ways(remedies: &[Remedy], lang: Lang) -> Vec<Way> {
    let mut ways: Vec<Way> = remedies.iter().map(|remedy| way(remedy, lang)).collect();
    if !ways.iter().any(|way| words::PLAY_ON.contains(&way.key.as_str())) {
        let (key, words) = (words::DISMISS.to_owned(), words::dismissed(lang).to_owned());
        ways.push(Way { key, words, clocks: String::new() });
    }
    ways
}

fn way(remedy: &Remedy, lang: Lang) -> Way {
    let clocks =
        words::hands(remedy.white.as_ref(), remedy.black.as_ref()).map(|[white, black]| format!("{white} – {black}"));
    Way { key: remedy.key.clone(), words: said(lang, remedy.words.as_ref()), clocks: clocks.unwrap_or_default() }
}

fn said(lang: Lang, words: Option<&Words>) -> String {
    lang.of(words).to_owned()
}
