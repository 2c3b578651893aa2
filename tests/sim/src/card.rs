//! A Pi's card: what is synced on it survives the Pi, and the power may go in the middle of a write.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

use flagfall_clock::{
    MemorySpool, Spool,
    core::{Stage, Stored},
    spool::{Record, SpoolError},
    wire::{self, Hash},
};

use crate::{
    mutation::Mutation,
    trace::{Trace, lock},
};

/// See the module. All clones are the same card.
#[derive(Clone)]
pub(crate) struct Card(Arc<Mutex<Inner>>);

struct Inner {
    name: String,
    id: [u8; 16],
    spool: MemorySpool,
    /// Every write, to begin again from when something of it is lost.
    writes: Vec<Vec<Record>>,
    /// The power goes in the write after so many, which reaches the card or does not.
    power: Option<(usize, bool)>,
    mutation: Option<Mutation>,
    trace: Trace,
}

impl Card {
    pub(crate) fn new(name: &str, mutation: Option<Mutation>, trace: Trace) -> Card {
        let mut id = [0; 16];
        id.copy_from_slice(&wire::hash(name.as_bytes())[..16]);
        let (spool, writes) = (MemorySpool::new(id), Vec::new());
        Card(Arc::new(Mutex::new(Inner { name: name.to_owned(), id, spool, writes, power: None, mutation, trace })))
    }

    /// The power will go in the write after so many; `kept`: that write reaches the card.
    pub(crate) fn cut_power(&self, after: usize, kept: bool) {
        lock(&self.0).power = Some((after, kept));
    }

    /// The power is gone, or back.
    pub(crate) fn power_lost(&self) {
        let mut inner = lock(&self.0);
        inner.power = None;
        if inner.mutation == Some(Mutation::CardForgets) {
            inner.writes.pop();
            inner.spool = written(inner.id, &inner.writes);
        }
    }
}

fn written(id: [u8; 16], writes: &[Vec<Record>]) -> MemorySpool {
    let mut spool = MemorySpool::new(id);
    for write in writes {
        spool.append(write).expect("it was taken before");
    }
    spool
}

impl Spool for Card {
    fn append(&mut self, records: &[Record]) -> Result<(), SpoolError> {
        let mut inner = lock(&self.0);
        let cut = match &mut inner.power {
            Some((0, kept)) => Some(*kept),
            Some((after, _)) => {
                *after -= 1;
                None
            }
            None => None,
        };
        if cut != Some(false) {
            inner.spool.append(records)?;
            inner.writes.push(records.to_vec());
            for record in records {
                inner.trace.step(&inner.name, told(record));
            }
        }
        match cut {
            None => Ok(()),
            Some(kept) => {
                let what = if kept { "is kept" } else { "is lost" };
                inner.trace.step(&inner.name, format_args!("power lost in a write of {}, which {what}", records.len()));
                Err(SpoolError::Failed { path: PathBuf::from(&inner.name) })
            }
        }
    }

    fn read(&self, from: u64, max: usize) -> Result<Vec<Vec<u8>>, SpoolError> {
        lock(&self.0).spool.read(from, max)
    }

    fn last_seq(&self) -> u64 {
        lock(&self.0).spool.last_seq()
    }

    fn chain_hash(&self, seq: u64) -> Result<Option<Hash>, SpoolError> {
        lock(&self.0).spool.chain_hash(seq)
    }

    fn spool_id(&self) -> [u8; 16] {
        lock(&self.0).spool.spool_id()
    }

    fn stored(&self) -> Stored {
        lock(&self.0).spool.stored()
    }

    fn size(&self) -> u64 {
        lock(&self.0).spool.size()
    }

    fn forget(&mut self) -> Result<(), SpoolError> {
        lock(&self.0).spool.forget()
    }

    fn blocks(&self) -> bool {
        false
    }
}

fn told(record: &Record) -> String {
    match record {
        Record::Event(bytes) => match wire::decode_event(bytes) {
            Ok(event) => {
                let (seq, at, what) = (event.draft.seq, event.draft.at, format!("{:?}", event.draft.what));
                let what: String = what.chars().take(80).collect();
                format!("spooled #{seq} at {at}: {what}")
            }
            Err(refused) => format!("spooled what is no event: {refused}"),
        },
        Record::Applied { applied, .. } => {
            let stage = match applied.stage {
                Stage::Received => "received",
                Stage::Applied => "applied",
                Stage::Rejected => "rejected",
                Stage::Unknown => "does not know of",
            };
            format!("{stage} {} {:?}", applied.directive.id, applied.reason)
        }
        Record::Checkpoint { checkpoint, .. } => format!("checkpoint at {}", checkpoint.at),
    }
}
