//! Everything that the journal says of events, and how an act gets into it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    act::{Act, Input},
    game_name, round_name,
    state::{Round, Tournament},
};
use crate::{
    arena::{RecoverError, Trouble, each},
    journal::{
        AppendError, ENTRY_MAX, Journal, StreamId, Ticket,
        codec::{self, Kept, Meta},
    },
    wire::{Hash, hash},
};

/// What an entry keeps free for its own hash and numbers.
const HEAD: usize = 256;

/// All events.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// By name.
    pub events: BTreeMap<String, Tournament>,
    /// The end of every stream: index and hash of its last entry.
    ends: HashMap<StreamId, (u64, Hash)>,
}

/// An event by its name, or the round it speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened<'n> {
    /// The event.
    pub event: &'n str,
    /// The round; `None`: the event itself.
    pub round: Option<u32>,
}

impl Opened<'_> {
    /// Where it is kept.
    pub(super) fn stream(self) -> StreamId {
        match self.round {
            None => StreamId::Event(self.event.to_owned()),
            Some(round) => StreamId::Round(round_name(self.event, round)),
        }
    }
}

impl Book {
    /// The games of rounds that are not closed: they stay at hand, though they are over.
    #[must_use]
    pub fn games_of_open_rounds(&self) -> HashSet<String> {
        self.games_of(|round| round.closed_ms.is_none())
    }

    /// The games of rounds that are closed, whichever way they ended.
    pub fn games_of_closed_rounds(&self) -> HashSet<String> {
        self.games_of(|round| round.closed_ms.is_some())
    }

    fn games_of(&self, these: impl Fn(&Round) -> bool) -> HashSet<String> {
        let rounds = self
            .events
            .iter()
            .flat_map(|(event, t)| t.rounds.iter().map(move |(number, round)| (event, number, round)));
        let these = rounds.filter(|(.., round)| these(round));
        these
            .flat_map(|(event, &number, round)| {
                round.prepared.iter().map(move |&board| game_name(event, number, board))
            })
            .collect()
    }

    /// Reads every event and round, as far as each can be read, and says which are not whole; blocks.
    ///
    /// # Errors
    /// The journal cannot be read at all.
    pub(super) fn read(journal: &dyn Journal) -> Result<(Book, Vec<(StreamId, Trouble)>), RecoverError> {
        let (mut book, mut troubled) = (Book::default(), Vec::new());
        // Rounds come before events in the order of streams, and they need theirs.
        let streams = journal.streams()?;
        let named = |kind: &'static str| streams.iter().filter(move |stream| stream.kind() == kind);
        for stream in named("event").chain(named("round")) {
            match book.recall(journal, stream) {
                Err(error) if !error.is_local() => return Err(error),
                Err(error) => troubled.push((stream.clone(), Trouble::Damaged(error.to_string()))),
                Ok(()) => {}
            }
        }
        let short = journal.short().into_iter().filter(|short| matches!(short.stream.kind(), "event" | "round"));
        troubled.extend(short.map(|short| (short.stream.clone(), Trouble::from(&short))));
        Ok((book, troubled))
    }

    /// Takes in one of them.
    fn recall(&mut self, journal: &dyn Journal, stream: &StreamId) -> Result<(), RecoverError> {
        let place = match stream {
            StreamId::Round(name) => name.rsplit_once('/').map(|(event, round)| (event, round.parse().ok())),
            other => Some((other.name(), None)),
        };
        let mut unread = None;
        each(journal, stream, |entry, index, hash| {
            self.ends.insert(stream.clone(), (index, hash));
            for kept in entry.inputs {
                let (Kept::Organiser(bytes), Some((event, round))) = (kept, place) else { continue };
                match codec::organiser(&bytes) {
                    Ok(input) if unread.is_none() => self.evolve(Opened { event, round }, input),
                    Ok(_) => {}
                    Err(reason) => unread = unread.take().or(Some((index, reason))),
                }
            }
        })?;
        match unread {
            Some((index, reason)) => Err(RecoverError::Entry { stream: stream.clone(), index, reason }),
            None => Ok(()),
        }
    }

    /// Queues an act for the journal. The book goes on by [`Book::written`] once it is on disk, and not before.
    ///
    /// # Errors
    /// The act is too long to be kept: how long it is, and how long it may be.
    pub(super) fn append(
        &self,
        journal: &dyn Journal,
        place: Opened<'_>,
        input: &Input,
    ) -> Result<(Ticket, Hash), (usize, usize)> {
        let stream = place.stream();
        let (after, previous_hash) = self.ends.get(&stream).copied().unwrap_or((0, hash::NONE));
        let meta = Meta { previous_hash, wall_ms: input.wall_ms, ..Meta::default() };
        let bytes = codec::entry("", "", &meta, &[Kept::Organiser(codec::organiser_bytes(input))], &[]);
        if bytes.len() > ENTRY_MAX - HEAD {
            return Err((bytes.len(), ENTRY_MAX - HEAD));
        }
        let end = hash::sha256(&bytes);
        Ok((journal.append(&stream, after, bytes), end))
    }

    /// An act is on disk, as the last of its stream.
    pub(super) fn written(&mut self, place: Opened<'_>, input: Input, index: u64, end: Hash) {
        self.ends.insert(place.stream(), (index, end));
        self.evolve(place, input);
    }

    /// An act may be on disk or not: the ends are read again before the next one.
    pub(super) fn unsure(&mut self, journal: &dyn Journal, error: &AppendError) {
        if matches!(error, AppendError::Conflict { .. })
            && let Ok((book, _)) = Book::read(journal)
        {
            *self = book;
        }
    }

    fn evolve(&mut self, place: Opened<'_>, input: Input) {
        match (place.round, &input.act) {
            (None, Act::Create(settings)) => {
                let settings = (**settings).clone();
                let tournament = self.events.entry(place.event.to_owned()).or_insert_with(|| Tournament::new(settings));
                tournament.evolve(input);
            }
            (None, _) => {
                if let Some(tournament) = self.events.get_mut(place.event) {
                    tournament.evolve(input);
                }
            }
            (Some(round), _) => {
                if let Some(tournament) = self.events.get_mut(place.event) {
                    tournament.rounds.entry(round).or_insert_with(Round::default).evolve(input);
                }
            }
        }
    }
}
