//! Those who watch games.
//!
//! A watcher gets a snapshot of each game first, then every entry after it. Both come from the game's actor in one order, so
//! an entry whose game has not begun for a watcher is in the snapshot that is still to come. A game opened later begins with its
//! first entry.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use flagfall_proto::desk::v1::{GameSnapshot, WatchGamesResponse};
use tonic::Status;

use super::roster::lock;
use crate::wire::{
    OutStream, Outgoing, Refused, outgoing,
    outgoing::{Room, Unsent},
};

/// Updates a watcher may be behind.
pub const BACKLOG: usize = 1_024;

/// Everybody who watches.
#[derive(Default)]
pub(super) struct Hub {
    watchers: Mutex<Vec<Watcher>>,
}

struct Watcher {
    id: Arc<()>,
    /// The games asked for; `None`: all.
    games: Option<HashSet<String>>,
    begun: HashSet<Arc<str>>,
    out: Outgoing<WatchGamesResponse>,
}

/// A watcher's place kept in one game: room for its snapshot.
pub struct Seat {
    pub(super) watcher: Arc<()>,
    pub(super) room: Room<WatchGamesResponse>,
}

/// A watcher that has just come in.
pub(super) struct Newcomer {
    pub(super) id: Arc<()>,
    pub(super) out: Outgoing<WatchGamesResponse>,
}

impl Hub {
    /// Somebody begins to watch: all games when `games` is `None`.
    pub(super) fn join(&self, games: Option<HashSet<String>>) -> (Newcomer, OutStream<WatchGamesResponse>) {
        let (out, stream) = outgoing(BACKLOG);
        let id = Arc::new(());
        let (watcher, begun) = (Arc::clone(&id), HashSet::new());
        lock(&self.watchers).push(Watcher { id: watcher, games, begun, out: out.clone() });
        (Newcomer { id, out }, stream)
    }

    /// Nobody watches: no update need be made.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.watchers).is_empty()
    }

    /// A game's snapshot goes to a watcher, and its later entries will.
    pub(super) fn seat(&self, seat: Seat, game: &Arc<str>, snapshot: GameSnapshot) {
        let mut watchers = lock(&self.watchers);
        let Some(watcher) = watchers.iter_mut().find(|watcher| Arc::ptr_eq(&watcher.id, &seat.watcher)) else { return };
        if watcher.begun.insert(Arc::clone(game)) {
            seat.room.send(first(game, snapshot));
        }
    }

    /// An entry of a game goes to all who watch it.
    pub(super) fn publish(&self, update: &WatchGamesResponse) {
        self.each(|watcher| match watcher.begun.contains(update.game.as_str()) {
            true => watcher.out.send(update.clone()),
            false => Ok(()),
        });
    }

    /// A game's first entry: those who asked for it or for all begin with it.
    pub(super) fn opened(&self, game: &Arc<str>, snapshot: &GameSnapshot) {
        self.each(|watcher| {
            let wanted = watcher.games.as_ref().is_none_or(|games| games.contains(&**game));
            match wanted && watcher.begun.insert(Arc::clone(game)) {
                true => watcher.out.send(first(game, snapshot.clone())),
                false => Ok(()),
            }
        });
    }

    fn each(&self, mut tell: impl FnMut(&mut Watcher) -> Result<(), Unsent>) {
        lock(&self.watchers).retain_mut(|watcher| match tell(watcher) {
            Ok(()) => true,
            Err(Unsent::Gone) => false,
            Err(Unsent::Full) => {
                let slow = Refused::SlowReader { who: "the watcher".to_owned(), limit: BACKLOG };
                watcher.out.abort(slow.into());
                false
            }
        });
    }

    /// A watcher is gone.
    pub(super) fn leave(&self, id: &Arc<()>) {
        lock(&self.watchers).retain(|watcher| !Arc::ptr_eq(&watcher.id, id));
    }

    /// Ends every watch after what is queued.
    pub(super) fn close(&self, status: &Status) {
        for watcher in lock(&self.watchers).drain(..) {
            watcher.out.finish(Some(status.clone()));
        }
    }
}

fn first(game: &Arc<str>, snapshot: GameSnapshot) -> WatchGamesResponse {
    let entry = snapshot.entry;
    WatchGamesResponse {
        game: game.to_string(),
        entry,
        events: Vec::new(),
        snapshot: Some(snapshot),
        trace_id: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;

    use super::*;

    fn update(game: &str, entry: u64) -> WatchGamesResponse {
        WatchGamesResponse { game: game.into(), entry, events: Vec::new(), snapshot: None, trace_id: String::new() }
    }

    fn snapshot(entry: u64) -> GameSnapshot {
        GameSnapshot { entry, ..GameSnapshot::default() }
    }

    #[tokio::test]
    async fn a_snapshot_comes_first_and_what_it_contains_does_not_come_again() {
        let hub = Hub::default();
        let (newcomer, stream) = hub.join(None);
        let (old, new): (Arc<str>, Arc<str>) = ("old".into(), "new".into());
        hub.publish(&update("old", 4));
        let room = newcomer.out.room().await.expect("room");
        hub.seat(Seat { watcher: newcomer.id, room }, &old, snapshot(4));
        hub.publish(&update("old", 5));
        hub.opened(&new, &snapshot(1));
        hub.publish(&update("new", 2));
        hub.close(&Status::unavailable("DRAINING"));
        let seen: Vec<_> = stream
            .map(|item| item.map(|u| (u.game, u.entry, u.snapshot.is_some())).map_err(|status| status.code()))
            .collect()
            .await;
        let expected = [("old", 4, true), ("old", 5, false), ("new", 1, true), ("new", 2, false)];
        assert_eq!(seen[..4], expected.map(|(game, entry, first)| Ok((game.to_owned(), entry, first))));
        assert_eq!(seen[4], Err(tonic::Code::Unavailable));
    }

    #[tokio::test]
    async fn a_slow_watcher_is_closed_and_the_others_are_not() {
        let hub = Hub::default();
        let (_slow, mut slow) = hub.join(None);
        hub.opened(&"g".into(), &snapshot(1));
        for entry in 2..=BACKLOG as u64 + 1 {
            hub.publish(&update("g", entry));
        }
        assert!(hub.is_empty());
        let status = slow.next().await.expect("an end").expect_err("a status");
        assert!(status.message().starts_with("SLOW_READER: "), "{status}");
    }
}
