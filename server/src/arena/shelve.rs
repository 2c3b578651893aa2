//! Finished games leave memory and the hot store, and come back when somebody needs them.
//!
//! ```text
//!   under way ─▶ over ─▶ its actor rests ─▶ at rest for long ─▶ on the shelf ──┐
//!       ▲                                                                     │ an act, an event of its clock
//!       └──────────────────────── awake, and at rest again ◀──────────────────┘
//! ```
//!
//! A game goes when it is over, no directive of it waits for a word and no question for an answer, and nobody keeps it at hand.

use std::{collections::HashSet, sync::Arc};

use tokio::time::{Instant, sleep};

use super::{
    Arena, Entry, Games,
    home::{Home, Tenant},
    lane::Lane,
    list, recover,
    roster::lock,
};
use crate::journal::{Health, Journal, ShelveError, codec::Note};

/// What became of a game that was to be laid down.
enum Laid {
    Down,
    /// It is not over, or waits for something.
    Stays,
    /// This journal has no shelf.
    NoShelf,
}

impl Arena {
    /// Lays games down as they come to rest, until the service stops.
    pub(super) fn begin_shelving(&self) {
        let arena = self.clone();
        self.tasks.spawn(async move {
            let every = arena.limits().shelve_check();
            loop {
                tokio::select! {
                    biased;
                    () = arena.shared.stop.cancelled() => return,
                    () = sleep(every) => {}
                }
                if arena.journal().health() != Health::Ok || arena.shelve().await.is_none() {
                    return;
                }
            }
        });
    }

    /// Asked each time which games stay at hand though they are over: those of rounds that are not closed. Replaces who was asked
    /// before.
    pub fn keep_at_hand(&self, games: impl Fn() -> HashSet<String> + Send + Sync + 'static) {
        lock(&self.games).kept = Some(Arc::new(games));
    }

    /// Lays down every game that has been at rest for long enough. How many; `None` when the journal has no shelf.
    pub async fn shelve(&self) -> Option<usize> {
        let mut count = 0;
        let asked = lock(&self.games).kept.clone();
        let kept = asked.map(|kept| kept()).unwrap_or_default();
        let due = lock(&self.games).at_rest(self.limits().shelve(), &kept);
        for name in due {
            if self.shared.quarantine.of(&name, self.journal()).is_some() {
                continue;
            }
            let (journal, game) = (Arc::clone(&self.shared.journal), Arc::clone(&name));
            match self.limits().beside.run(move || lay(&*journal, &game)).await {
                Ok(Ok(Laid::Down)) => {
                    count += 1;
                    lock(&self.games).forget(&name);
                }
                Ok(Ok(Laid::Stays)) => lock(&self.games).stays(&name),
                Ok(Ok(Laid::NoShelf)) => return None,
                Ok(Err(error)) => {
                    tracing::warn!(game = &*name, %error, "a finished game was not laid on the shelf; it is tried again after its next rest");
                    lock(&self.games).stays(&name);
                }
                Err(_) => return Some(count),
            }
        }
        if count > 0 {
            tracing::info!(count, "finished games were laid on the shelf");
        }
        Some(count)
    }

    /// The game is known, taken from the shelf when it lies there.
    pub(super) fn know(&self, games: &mut Games, name: &str) -> bool {
        if games.by_name.contains_key(name) {
            return true;
        }
        let note = self.journal().note(&list::stream(name)).ok().flatten();
        let Some(note) = note.and_then(|note| Note::parse(&note).ok()) else { return false };
        let mut slots: Vec<_> = note.stays.iter().map(|stay| self.roster.known(&stay.device, Lane::new)).collect();
        let Some(present) = slots.pop() else { return false };
        let name: Arc<str> = name.into();
        let tenant = Tenant::new(Arc::clone(&name));
        tenant.stands(true, true);
        tenant.put_away();
        let home = Arc::new(Home::new(tenant.clone(), slots, present));
        games.enlist(&name, home, None, tenant, note.request);
        true
    }
}

fn lay(journal: &dyn Journal, game: &Arc<str>) -> Result<Laid, ShelveError> {
    let read = recover::game(journal, game);
    if read.trouble.is_some() || !read.core.is_done() {
        return Ok(Laid::Stays);
    }
    let laid = journal.shelve(&list::stream(game), &read.note.to_bytes())?;
    Ok(if laid { Laid::Down } else { Laid::NoShelf })
}

impl Games {
    /// The games whose actors have rested for so long.
    fn at_rest(&mut self, long: std::time::Duration, kept: &HashSet<String>) -> Vec<Arc<str>> {
        let now = Instant::now();
        let mut due = Vec::new();
        for (name, entry) in &mut self.by_name {
            if !entry.is_asleep() || !entry.tenant.is_free() || entry.stays || kept.contains(&**name) {
                continue;
            }
            if now.duration_since(*entry.asleep.get_or_insert(now)) >= long {
                due.push((entry.number, Arc::clone(name)));
            }
        }
        due.sort_unstable();
        due.into_iter().map(|(_, name)| name).collect()
    }

    /// It lies on the shelf, unless somebody has woken it meanwhile.
    fn forget(&mut self, name: &str) {
        if self.by_name.get(name).is_some_and(Entry::is_asleep) {
            self.by_name.get(name).inspect(|entry| entry.tenant.put_away());
            self.strike(name);
        }
    }

    /// It is not asked again before it was woken.
    fn stays(&mut self, name: &str) {
        if let Some(entry) = self.by_name.get_mut(name) {
            entry.stays = true;
        }
    }

    /// Takes a game in.
    pub(super) fn enlist(
        &mut self,
        name: &Arc<str>,
        home: Arc<Home>,
        handle: Option<super::GameHandle>,
        tenant: Tenant,
        request: Option<String>,
    ) {
        self.opened += 1;
        let number = self.opened;
        self.order.insert(number, Arc::clone(name));
        self.opens.extend(request.clone().map(|request| (request, Arc::clone(name))));
        let entry = Entry { home, handle, tenant, number, request, asleep: None, stays: false };
        self.by_name.insert(Arc::clone(name), entry);
    }

    /// Forgets a game.
    pub(super) fn strike(&mut self, name: &str) {
        if let Some(entry) = self.by_name.remove(name) {
            entry.home.leave();
            self.order.remove(&entry.number);
            entry.request.map(|request| self.opens.remove(&request));
        }
    }
}

#[cfg(test)]
mod tests;
