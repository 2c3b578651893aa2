//! What the journal says, read as it becomes durable: the oracle's own memory of it, which no crash shortens.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_clock::wire::Hash;
use flagfall_proto::{clock::v1::DeviceEvent, desk::v1::GameSnapshot};
use flagfall_rules::game::{Event, Game, Stage, evolve};
use flagfall_server::{
    journal::{
        Journal, StreamId,
        codec::{self, Kept},
        dump::plain,
    },
    wire::{sha256, snapshot},
};
use prost::Message;

use crate::trace::Trace;

/// What is wrong, and which invariant says so.
pub(crate) type Wrong = String;

/// Entries read at a time.
const PAGE: usize = 256;

#[derive(Default)]
struct Stream {
    last: u64,
    hash: Hash,
}

/// A game as its entries tell it.
#[derive(Default)]
struct Told {
    /// The events of every entry.
    entries: Vec<Vec<Event>>,
    /// The game after `at` entries: as far as somebody has asked.
    game: Option<Game>,
    at: usize,
    /// The final word on every directive.
    finals: BTreeMap<u64, Stage>,
}

/// A spool as the journal has it: the hash of every event, from number 1.
#[derive(Default)]
struct Spool {
    hashes: Vec<Hash>,
    epoch: u64,
}

/// See the module.
pub(crate) struct Ledger {
    trace: Trace,
    streams: BTreeMap<StreamId, Stream>,
    games: BTreeMap<String, Told>,
    spools: BTreeMap<[u8; 16], Spool>,
    /// The newest session of a clock.
    epochs: BTreeMap<String, u64>,
    requests: BTreeSet<(String, String)>,
}

/// A device event on its way into a [`Spool`].
struct Heard {
    spool: [u8; 16],
    seq: u64,
    hash: Hash,
    epoch: u64,
}

impl Ledger {
    pub(crate) fn new(trace: Trace) -> Ledger {
        let (streams, games, spools) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Ledger { trace, streams, games, spools, epochs: BTreeMap::new(), requests: BTreeSet::new() }
    }

    /// Takes in what is new, and says what is wrong with it.
    pub(crate) fn follow(&mut self, journal: &dyn Journal) -> Result<(), Wrong> {
        let mut heard = Vec::new();
        for stream in journal.streams().map_err(|error| format!("I1: {error}"))? {
            let known = self.streams.entry(stream.clone()).or_default().last;
            let (last, _) = journal.last(&stream).map_err(|error| format!("I7: {error}"))?.unwrap_or_default();
            if last < known {
                return Err(format!("I1: {stream} had {known} durable entries and has {last}"));
            }
            let mut from = known + 1;
            while from <= last {
                let page = journal.read(&stream, from, PAGE).map_err(|error| format!("I7: {error}"))?;
                for stored in page {
                    if stored.index != from {
                        return Err(format!("I2: {stream} goes from entry {} to {}", from - 1, stored.index));
                    }
                    from += 1;
                    self.entry(&stream, &stored.bytes, &mut heard)?;
                }
            }
        }
        // A clock's events are spread over streams; within a spool they are in order.
        heard.sort_by_key(|heard: &Heard| (heard.spool, heard.seq));
        heard.into_iter().try_for_each(|heard| self.heard(&heard))
    }

    fn entry(&mut self, stream: &StreamId, bytes: &[u8], heard: &mut Vec<Heard>) -> Result<(), Wrong> {
        let entry = codec::decode_entry(bytes).map_err(|error| format!("I7: {stream}: {error}"))?;
        let end = self.streams.entry(stream.clone()).or_default();
        end.last += 1;
        if entry.meta.previous_hash != end.hash {
            return Err(format!("I7: {stream} entry {} does not chain to the one before it", end.last));
        }
        end.hash = sha256(bytes);
        for input in &entry.inputs {
            match input {
                Kept::Device(bytes) => {
                    let seq = DeviceEvent::decode(bytes.as_slice()).map_err(|error| format!("I7: {error}"))?.seq;
                    let spool = entry.meta.spool_id.as_slice().try_into();
                    let spool = spool.map_err(|_| format!("I2: {stream}: event {seq} of no spool"))?;
                    heard.push(Heard { spool, seq, hash: sha256(bytes), epoch: entry.meta.session_epoch });
                }
                Kept::Session(session) => {
                    let newest = self.epochs.entry(session.device.clone()).or_default();
                    if session.session_epoch <= *newest {
                        return Err(format!(
                            "I4: {} is taken in with epoch {} after epoch {newest}",
                            session.device, session.session_epoch
                        ));
                    }
                    *newest = session.session_epoch;
                }
                _ => {}
            }
        }
        if let StreamId::Game(name) = stream {
            for event in &entry.events {
                self.trace.step(name, format_args!("journal: {}", plain::event(event)));
                self.event(name, event)?;
            }
            self.games.entry(name.clone()).or_default().entries.push(entry.events);
        }
        Ok(())
    }

    fn event(&mut self, game: &str, event: &Event) -> Result<(), Wrong> {
        match event {
            Event::Admitted(request) if !self.requests.insert((game.to_owned(), request.clone())) => {
                return Err(format!("I3: {game}: request {request} was carried out twice"));
            }
            Event::Staged { rev, stage, .. } if matches!(stage, Stage::Applied | Stage::Rejected) => {
                let told = self.games.entry(game.to_owned()).or_default();
                if let Some(before) = told.finals.insert(*rev, *stage)
                    && before != *stage
                {
                    return Err(format!("I3: {game}#{rev} was {before:?} and is {stage:?}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn heard(&mut self, heard: &Heard) -> Result<(), Wrong> {
        let Heard { spool: id, seq, hash, epoch } = heard;
        let spool = self.spools.entry(*id).or_default();
        let expected = spool.hashes.len() as u64 + 1;
        if *seq != expected {
            return Err(format!("I2: spool {}: event {seq} follows event {}", hex(id), expected - 1));
        }
        if *epoch < spool.epoch {
            let newer = spool.epoch;
            return Err(format!("I4: spool {}: event {seq} came in epoch {epoch} after epoch {newer}", hex(id)));
        }
        spool.epoch = *epoch;
        spool.hashes.push(*hash);
        Ok(())
    }

    /// Whether an acknowledged event is there, with the hash it has on the clock.
    pub(crate) fn holds(&self, spool: &[u8; 16], seq: u64, hash: Hash) -> Result<(), Wrong> {
        let at = usize::try_from(seq).unwrap_or(usize::MAX).wrapping_sub(1);
        match self.spools.get(spool).and_then(|spool| spool.hashes.get(at)) {
            Some(known) if *known == hash => Ok(()),
            Some(_) => Err(format!("I1: event {seq} is acknowledged and is another in the journal")),
            None => Err(format!("I1: event {seq} is acknowledged and not in the journal")),
        }
    }

    /// Whether an answered act is there.
    pub(crate) fn admitted(&self, game: &str, request: &str) -> bool {
        self.requests.contains(&(game.to_owned(), request.to_owned()))
    }

    /// Whether a game as somebody was shown it is what its entries say.
    pub(crate) fn replays(&mut self, shown: &GameSnapshot) -> Result<(), Wrong> {
        let name = shown.setup.as_ref().map_or_else(String::new, |setup| setup.game.clone());
        let entry = usize::try_from(shown.entry).unwrap_or(usize::MAX);
        let told =
            self.games.get_mut(&name).ok_or_else(|| format!("I1: {name} was shown and is not in the journal"))?;
        if entry > told.entries.len() {
            return Err(format!("I1: {name} was shown after entry {entry}; {} are durable", told.entries.len()));
        }
        if told.game.is_none() || told.at > entry {
            (told.game, told.at) = (Some(Game::new(&name)), 0);
        }
        let Some(game) = &mut told.game else { return Ok(()) };
        told.entries[told.at..entry].iter().flatten().for_each(|event| evolve(game, event));
        told.at = entry;
        match snapshot::of(game, shown.entry) == *shown {
            true => Ok(()),
            false => Err(format!("I5: {name} after entry {entry} is not what its entries lead to")),
        }
    }

    /// The journal's newest word on a game.
    pub(crate) fn game(&self, name: &str) -> Option<Game> {
        let told = self.games.get(name)?;
        Some(Game::replay(name, told.entries.iter().flatten()))
    }

    /// How many entries and events there are, and a hash over the ends of all streams.
    pub(crate) fn summary(&self) -> (u64, usize, Hash) {
        let entries = self.streams.values().map(|stream| stream.last).sum();
        let events = self.spools.values().map(|spool| spool.hashes.len()).sum();
        let ends: Vec<u8> = self.streams.values().flat_map(|stream| stream.hash).collect();
        (entries, events, sha256(&ends))
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
