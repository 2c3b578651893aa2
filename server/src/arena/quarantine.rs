//! Games and clocks whose journal is not what it was: set apart, so that the others go on.
//!
//! ```text
//!                       desk acts     its clock's events         watched, listed
//!   damaged             refused       kept in the clock's own    as far as it can be read
//!                                     stream
//!   short               refused       taken: they are what the   as it is
//!                                     clock sends again
//! ```
//!
//! A short game leaves by itself once it is as long as it was; any leaves when the service is started with `--accept-loss`, or on a
//! journal that was restored.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex},
};

use super::roster::lock;
use crate::{
    journal::{Journal, Short, StreamId},
    wire::Refused,
};

/// By how many a clock's epoch goes on when some of its sessions are gone from the journal: more than a clock ever had in a second,
/// which is how far the journal's mark may lag behind.
pub(super) const EPOCHS_SKIPPED: u64 = 1_000;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It cannot be read to its end, for this reason.
    Damaged(String),
    /// Its end is gone.
    Short {
        /// The last entry it had.
        had: u64,
        /// The last it has.
        has: u64,
    },
}

impl From<&Short> for Trouble {
    fn from(short: &Short) -> Trouble {
        Trouble::Short { had: short.had, has: short.has }
    }
}

/// What happened and what to do.
impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Damaged(reason) => write!(
                f,
                "{reason}; keep the score by hand, and restore the journal from an export when the round is over"
            ),
            Trouble::Short { had, has } => write!(
                f,
                "its journal had {had} entries and has {has}: its clock sends the rest again when it connects, acts of the desk \
                 must be done again; to go on with what is there, restart the service with --accept-loss"
            ),
        }
    }
}

/// Who is in quarantine.
#[derive(Default)]
pub(super) struct Quarantine(Mutex<HashMap<StreamId, Trouble>>);

impl Quarantine {
    /// Sets a stream apart.
    pub(super) fn put(&self, stream: StreamId, trouble: Trouble) {
        tracing::error!(%stream, %trouble, "ALARM: in quarantine, the others go on");
        lock(&self.0).insert(stream, trouble);
    }

    /// What is wrong with a game; one that is as long as it was again is let go.
    pub(super) fn of(&self, game: &str, journal: &dyn Journal) -> Option<Trouble> {
        let mut kept = lock(&self.0);
        if kept.is_empty() {
            return None;
        }
        let stream = StreamId::Game(game.to_owned());
        let trouble = kept.get(&stream)?.clone();
        if matches!(trouble, Trouble::Short { .. }) && !journal.short().iter().any(|short| short.stream == stream) {
            kept.remove(&stream);
            tracing::info!(game, "out of quarantine: it is as long as it was");
            return None;
        }
        Some(trouble)
    }

    /// A game that cannot be read: nothing is asked of it.
    pub(super) fn is_damaged(&self, game: &str) -> bool {
        let kept = lock(&self.0);
        !kept.is_empty() && matches!(kept.get(&StreamId::Game(game.to_owned())), Some(Trouble::Damaged(_)))
    }

    /// Refuses an act in a game that is set apart.
    pub(super) fn admit(&self, game: &str, journal: &dyn Journal) -> Result<(), Refused> {
        match self.of(game, journal) {
            Some(trouble) => Err(Refused::Quarantined { what: game.to_owned(), why: trouble.to_string() }),
            None => Ok(()),
        }
    }

    /// The games that cannot be read.
    pub(super) fn damaged_games(&self) -> Vec<Arc<str>> {
        let damaged = |(stream, trouble): (&StreamId, &Trouble)| match (stream, trouble) {
            (StreamId::Game(name), Trouble::Damaged(_)) => Some(name.as_str().into()),
            _ => None,
        };
        lock(&self.0).iter().filter_map(damaged).collect()
    }
}
