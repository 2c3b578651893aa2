//! What must hold of a journal, whatever happened to its service, against a record of what the service said.
//!
//! | | |
//! |---|---|
//! | I1 | what was acknowledged to a clock or a desk is there |
//! | I2 | a spool's events are there from the first on, each once, as the clock has them; entries without gaps |
//! | I3 | a directive stands there as it was sent, is issued once, and carried out at most once |
//! | I4 | session numbers only grow, and every one that a clock was greeted with is there |
//! | I5 | the events lead to the game as the service showed it |
//! | I7 | every entry is whole and chained to the one before it |

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, Mutex},
};

use flagfall_proto::{
    clock::v1::{DeviceEvent, Stage, device_event::What},
    desk::v1::GameSnapshot,
};
use flagfall_rules::game::{self, Event, Game};
use flagfall_server::{
    journal::{
        Journal, SledJournal, StreamId,
        codec::{self, Decoded, Kept},
        sled::Options,
        verify,
    },
    wire::snapshot,
};
use prost::Message;

use crate::{
    desk::{self, Log},
    player::{Record, look},
};

/// A journal as it is found.
pub struct Found {
    streams: BTreeMap<StreamId, Vec<Decoded>>,
    /// Everything that is wrong.
    pub complaints: Vec<String>,
    /// How many entries there are.
    pub entries: u64,
}

impl Found {
    /// Reads the journal of a folder; I2 of entries, and I7.
    ///
    /// # Panics
    /// It does not open.
    #[must_use]
    pub fn read(data: &Path) -> Found {
        let journal = SledJournal::open(&Options::new(data)).unwrap_or_else(|error| panic!("I1: {error}"));
        let verified = verify(&journal);
        let complaints = verified.findings.iter().map(|finding| format!("I7: {finding}")).collect();
        let mut found = Found { streams: BTreeMap::new(), complaints, entries: verified.entries };
        for stream in journal.streams().expect("streams") {
            let stored = journal.read(&stream, 1, usize::MAX).expect("entries");
            let decoded = stored.iter().map(|stored| codec::decode_entry(&stored.bytes).expect("an entry")).collect();
            found.streams.insert(stream, decoded);
        }
        found
    }

    fn complain(&mut self, what: String) {
        self.complaints.push(what);
    }

    /// The clock's events in the journal: number and bytes, in the order of each stream.
    #[must_use]
    pub fn events(&self, spool: [u8; 16]) -> Vec<(u64, &[u8])> {
        let entries = self.streams.values().flatten().filter(|entry| entry.meta.spool_id == spool);
        let bytes = entries.flat_map(|entry| &entry.inputs).filter_map(|input| match input {
            Kept::Device(bytes) => Some(bytes.as_slice()),
            _ => None,
        });
        bytes.map(|bytes| (DeviceEvent::decode(bytes).expect("an event").seq, bytes)).collect()
    }

    /// I1 and I2 of a spool: `events` is what the clock has, of which so many were acknowledged.
    pub fn spool(&mut self, device: &str, spool: [u8; 16], events: &[Vec<u8>], acked: u64) {
        let there = self.events(spool);
        let kept: BTreeMap<u64, &[u8]> = there.iter().copied().collect();
        let mut wrong = Vec::new();
        if kept.len() != there.len() {
            wrong.push(format!("I2: {device}: {} events, {} numbers", there.len(), kept.len()));
        }
        let last = kept.last_key_value().map_or(0, |(&last, _)| last);
        if last != kept.len() as u64 {
            wrong.push(format!("I2: {device}: {} events up to {last}", kept.len()));
        }
        if last < acked {
            wrong.push(format!("I1: {device}: {acked} acknowledged, {last} there"));
        }
        for (seq, bytes) in kept {
            if events.get(seq as usize - 1).map(Vec::as_slice) != Some(bytes) {
                wrong.push(format!("I2: {device}: event {seq} is not the clock's"));
            }
        }
        self.complaints.extend(wrong);
    }

    /// I4 of a clock: its sessions, and those that it was greeted with.
    pub fn sessions(&mut self, device: &str, greeted: &[u64]) {
        let stream = self.streams.get(&StreamId::Device(device.to_owned())).map_or(&[][..], Vec::as_slice);
        let opened = stream.iter().flat_map(|entry| &entry.inputs).filter_map(|input| match input {
            Kept::Session(session) => Some(session.session_epoch),
            _ => None,
        });
        let opened: Vec<u64> = opened.collect();
        let mut wrong = Vec::new();
        if !opened.is_sorted_by(|earlier, later| earlier < later) {
            wrong.push(format!("I4: {device}: sessions {opened:?}"));
        }
        let missing: Vec<_> = greeted.iter().filter(|epoch| opened.binary_search(epoch).is_err()).collect();
        if !missing.is_empty() {
            wrong.push(format!("I4: {device}: greeted with {missing:?}, of which nothing is known"));
        }
        // Within a stream no session writes after a later one.
        for (stream, entries) in &self.streams {
            let epochs = entries.iter().map(|entry| entry.meta.session_epoch).filter(|&epoch| epoch > 0);
            if !epochs.is_sorted() {
                wrong.push(format!("I4: {stream}: an older session writes after a newer one"));
            }
        }
        self.complaints.extend(wrong);
    }

    fn game(&self, name: &str) -> &[Decoded] {
        self.streams.get(&StreamId::Game(name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// I3 of a clock that was sent these directives.
    pub fn directives(&mut self, record: &Record) {
        let mut wrong = Vec::new();
        for (id, sent) in &record.directives {
            let (game, rev) = codec::parse_directive_id(id).expect("an id");
            let issued: Vec<_> = self
                .game(game)
                .iter()
                .flat_map(|entry| &entry.events)
                .filter_map(|event| match event {
                    Event::Issued(directive) if directive.rev == rev => Some(directive),
                    _ => None,
                })
                .collect();
            match issued.as_slice() {
                [one] => {
                    let mut one = codec::directive_to_proto(game, one);
                    one.traceparent.clone_from(&sent.traceparent);
                    if one != *sent {
                        wrong.push(format!("I3: {id} was sent as {sent:?} and stands there as {one:?}"));
                    }
                }
                others => wrong.push(format!("I3: {id} was sent and stands there {} times", others.len())),
            }
        }
        self.complaints.extend(wrong);
    }

    /// I3 of a clock with a spool of its own: how often it said that it carried out each directive, with what was before.
    #[must_use]
    pub fn applied(&self, spool: [u8; 16]) -> BTreeMap<String, usize> {
        let mut applied = BTreeMap::new();
        for (_, bytes) in self.events(spool) {
            if let Some(What::Report(report)) = DeviceEvent::decode(bytes).expect("an event").what
                && report.stage() == Stage::Applied
            {
                *applied.entry(report.directive).or_default() += 1;
            }
        }
        applied
    }

    /// I1 and I3 of a desk.
    pub fn desk(&mut self, log: &Log) {
        let mut seen = BTreeSet::new();
        let mut wrong: Vec<String> = log.complaints.iter().map(|what| format!("the desk was told: {what}")).collect();
        for (stream, entries) in &self.streams {
            for input in entries.iter().flat_map(|entry| &entry.inputs) {
                if let Kept::Desk(input) = input
                    && !seen.insert(input.request.clone())
                {
                    wrong.push(format!("I3: {stream}: request {} acted twice", input.request));
                }
            }
        }
        for (request, (game, rev)) in &log.answers {
            let issued = self.game(game).iter().flat_map(|entry| &entry.events);
            let there =
                issued.filter(|event| matches!(event, Event::Issued(directive) if directive.rev == *rev)).count();
            if !seen.contains(request) || there != 1 {
                wrong.push(format!("I1: {request} was answered {game}#{rev}, which stands there {there} times"));
            }
        }
        self.complaints.extend(wrong);
    }

    /// I5: games as the service showed them, computed again from their events.
    pub fn shown(&mut self, shown: &[GameSnapshot]) {
        for live in shown {
            let name = live.setup.as_ref().map_or("", |setup| &setup.game);
            let entries = self.game(name);
            if (entries.len() as u64) < live.entry {
                self.complain(format!(
                    "I1: {name} was shown after {} entries, {} are there",
                    live.entry,
                    entries.len()
                ));
                continue;
            }
            let mut game = Game::new(name);
            let upto = usize::try_from(live.entry).unwrap_or(usize::MAX);
            entries[..upto].iter().flat_map(|entry| &entry.events).for_each(|event| game::evolve(&mut game, event));
            let again = snapshot::of(&game, live.entry);
            if again != *live {
                self.complain(format!("I5: {name} was shown as\n  {live:?}\nand its events say\n  {again:?}"));
            }
        }
    }

    /// Everything that is known of a house.
    pub fn house(&mut self, records: &[Arc<Mutex<Record>>], log: &Mutex<Log>) {
        for record in records {
            let record = look(record);
            let device = &record.spool.device;
            self.spool(device, record.spool.id, &record.spool.events, record.acked);
            self.sessions(device, &record.epochs);
            self.directives(&record);
            self.complaints.extend(record.complaints.iter().map(|what| format!("{device} was told: {what}")));
        }
        self.desk(&desk::read(log));
    }
}
