//! Games as they stand, a page at a time.

use std::{str::FromStr, sync::Arc};

use flagfall_proto::desk::v1::GameSnapshot;
use prost::Message as _;

use super::{Arena, Refused, handle::Message, quarantine::Trouble, recover, roster::lock};
use crate::journal::{Health, StreamId};

/// Games of a page when nothing is said.
const USUAL: usize = 200;
/// The most games of a page.
const MOST: usize = 1_000;
/// About the most bytes of a page: half of what a client reads that was told nothing.
const BYTES: usize = 2 << 20;

/// A page of games.
#[derive(Debug, Default)]
pub struct Page {
    /// In order.
    pub games: Vec<GameSnapshot>,
    /// Where the next page begins; empty after the last.
    pub next: String,
}

/// The last game of a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// At hand, by the number of its opening; games in quarantine come before all others.
    AtHand(u64),
    /// On the shelf, by its name.
    Shelf(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::AtHand(number) => write!(f, "h{number}"),
            Place::Shelf(name) => write!(f, "s{name}"),
        }
    }
}

impl FromStr for Place {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Place, Refused> {
        let number = |text: &str| text.strip_prefix('h')?.parse().ok().map(Place::AtHand);
        let name = |text: &str| text.strip_prefix('s').map(|name| Place::Shelf(name.to_owned()));
        let unknown = || Refused::request("after", "it is no `next` of a page: begin without it".to_owned());
        if text.is_empty() { Ok(Place::AtHand(0)) } else { number(text).or_else(|| name(text)).ok_or_else(unknown) }
    }
}

impl Arena {
    /// A page of games as they stand on disk: those at hand in the order they were opened, then, when asked for, those on the
    /// shelf by name. `size` 0 is 200, at most 1,000; `after` is the `next` of the page before.
    ///
    /// # Errors
    /// `BAD_REQUEST` for an `after` that no page gave; `JOURNAL_DOWN` for games under way while the journal does not open; a game that is
    /// in no quarantine cannot be read.
    pub async fn list(&self, finished: bool, size: usize, after: &str) -> Result<Page, Refused> {
        let after: Place = after.parse()?;
        if let Some(reason) = self.journal().shut().filter(|_| !finished) {
            // An empty hall would say that nobody plays.
            return Err(Refused::JournalShut { reason });
        }
        let size = if size == 0 { USUAL } else { size.min(MOST) };
        let wanted = self.places(finished, &after, size + 1);
        let (mut page, mut bytes, mut last) = (Page::default(), 0, after);
        for (place, name) in wanted {
            if page.games.len() == size || bytes >= BYTES {
                page.next = last.to_string();
                return Ok(page);
            }
            last = place;
            match self.snapshot(&name).await {
                Ok(snapshot) => {
                    bytes += snapshot.encoded_len();
                    page.games.push(snapshot);
                }
                // Its opening was refused this moment.
                Err(Refused::NoSuchGame { .. }) => {}
                Err(refused) => return Err(refused),
            }
        }
        Ok(page)
    }

    fn places(&self, finished: bool, after: &Place, count: usize) -> Vec<(Place, Arc<str>)> {
        let mut places = Vec::new();
        if let Place::AtHand(number) = after {
            let games = lock(&self.games);
            let behind = games.order.range(number + 1..).take(count);
            places.extend(behind.map(|(number, name)| (Place::AtHand(*number), Arc::clone(name))));
        }
        if finished && places.len() < count {
            let shelved = self.journal().shelved().unwrap_or_default().into_iter();
            let behind = shelved.filter_map(|(stream, _)| {
                let place = Place::Shelf(stream.name().to_owned());
                (place > *after).then(|| (place, stream.name().into()))
            });
            let behind: Vec<_> = behind.take(count - places.len()).collect();
            places.extend(behind);
        }
        places
    }

    /// A game as it stands on disk, wherever it is kept, as far as it can be read.
    ///
    /// # Errors
    /// There is no such game, or it cannot be read.
    pub async fn snapshot(&self, game: &str) -> Result<GameSnapshot, Refused> {
        let quarantine = &self.shared.quarantine;
        let at_hand = lock(&self.games).by_name.contains_key(game) && !quarantine.is_damaged(game);
        let mut snapshot = match at_hand {
            true => match self.ask(game, Message::Snapshot).await {
                // Found out when it was woken: it cannot be read.
                Err(_) if quarantine.is_damaged(game) => self.read(game).await?,
                asked => asked?,
            },
            false => self.read(game).await?,
        };
        match (quarantine.of(game, self.journal()), self.journal().health()) {
            (Some(trouble), _) => snapshot.quarantine = trouble.to_string(),
            (None, Health::Failed(reason)) if snapshot.quarantine.is_empty() => snapshot.quarantine = reason,
            (None, _) => {}
        }
        Ok(snapshot)
    }

    /// Out of the journal, without waking anybody.
    async fn read(&self, game: &str) -> Result<GameSnapshot, Refused> {
        let (journal, name) = (Arc::clone(&self.shared.journal), Arc::<str>::from(game));
        let reading = self.limits().beside.run(move || recover::game(&*journal, &name));
        let read = reading.await.map_err(|_| Refused::JournalDown)?;
        if read.core.entries() == 0 && self.journal().shut().is_some() {
            return Err(self.unknown(game));
        }
        let mut snapshot = read.core.snapshot();
        if let Some(error) = read.trouble {
            snapshot.setup.get_or_insert_default().game = game.to_owned();
            snapshot.quarantine = Trouble::Damaged(error.to_string()).to_string();
        } else if snapshot.entry == 0 && !self.shared.quarantine.is_damaged(game) {
            return Err(self.unknown(game));
        }
        Ok(snapshot)
    }
}

/// The stream of a game.
pub(super) fn stream(game: &str) -> StreamId {
    StreamId::Game(game.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back_and_the_shelf_is_behind_what_is_at_hand() {
        for place in [Place::AtHand(7), Place::AtHand(u64::MAX), Place::Shelf("s.h1".into())] {
            assert_eq!(place.to_string().parse::<Place>().expect("a place"), place);
        }
        assert_eq!("".parse::<Place>().expect("the beginning"), Place::AtHand(0));
        assert!(Place::AtHand(u64::MAX) < Place::Shelf(String::new()));
        assert!("12".parse::<Place>().is_err() && "h".parse::<Place>().is_err());
    }
}
