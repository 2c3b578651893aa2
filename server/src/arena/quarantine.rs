//! Games, clocks, events and rounds whose journal is not what it was: set apart, so that the others go on.
//!
//! ```text
//!                       acts          a game's clock's events    watched, listed
//!   damaged             refused       kept in the clock's own    as far as it can be read
//!                                     stream
//!   short               refused       taken: they are what the   as it is
//!                                     clock sends again
//! ```
//!
//! A short stream leaves by itself once it is as long as it was; any leaves when the service is started with `--accept-loss`, or on a
//! journal that was restored.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex},
};

use super::{Arena, roster::lock};
use crate::{
    journal::{Journal, Short, StreamId},
    wire::Refused,
};

/// By how many a clock's epoch goes on when some of its sessions are gone from the journal: more than a clock ever had in a second,
/// which is how far the journal's mark may lag behind.
pub(super) const EPOCHS_SKIPPED: u64 = 1_000;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
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
            Trouble::Damaged(reason) => {
                write!(f, "{reason}; go on by hand, and restore the journal from an export when the round is over")
            }
            Trouble::Short { had, has } => write!(
                f,
                "its journal had {had} entries and has {has}: what a clock said it sends again when it connects, acts of the desk \
                 must be done again; to go on with what is there, restart the service with --accept-loss"
            ),
        }
    }
}

fn refuse(what: &str, trouble: Option<Trouble>) -> Result<(), Refused> {
    trouble.map_or(Ok(()), |trouble| Err(Refused::Quarantined { what: what.to_owned(), why: trouble.to_string() }))
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
        // The name is only copied where somebody is set apart at all.
        let nobody = lock(&self.0).is_empty();
        if nobody { None } else { self.of_stream(&StreamId::Game(game.to_owned()), journal) }
    }

    fn of_stream(&self, stream: &StreamId, journal: &dyn Journal) -> Option<Trouble> {
        let mut kept = lock(&self.0);
        let trouble = kept.get(stream)?.clone();
        if matches!(trouble, Trouble::Short { .. }) && !journal.short().iter().any(|short| short.stream == *stream) {
            kept.remove(stream);
            tracing::info!(%stream, "out of quarantine: it is as long as it was");
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
        refuse(game, self.of(game, journal))
    }

    /// Refuses an act on whatever else is set apart.
    pub(super) fn admit_stream(&self, stream: &StreamId, journal: &dyn Journal) -> Result<(), Refused> {
        refuse(&stream.to_string(), self.of_stream(stream, journal))
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

impl Arena {
    /// Sets apart what is kept beside games and clocks.
    pub(crate) fn set_apart(&self, stream: StreamId, trouble: Trouble) {
        self.shared.quarantine.put(stream, trouble);
    }

    /// Whether acts on it are taken.
    ///
    /// # Errors
    /// `QUARANTINED`: what is wrong with it, and what to do.
    pub(crate) fn admits(&self, stream: &StreamId) -> Result<(), Refused> {
        self.shared.quarantine.admit_stream(stream, self.journal())
    }
}
