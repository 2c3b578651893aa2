//! What is taken of a clock's frames: numbers without a gap, a chain that joins, each event once. No waiting in here.

use std::collections::VecDeque;

use flagfall_proto::clock::v1::{DeviceEvent, Events, device_event::What};
use flagfall_rules::game::{DeviceAct, DeviceInput};
use prost::Message;

use crate::{
    arena::Mark,
    journal::codec,
    trail::Stamp,
    wire::{Hash, Refused, sha256},
};

/// Hashes remembered of events taken, so that one that comes again can be told from a forged one.
const REMEMBERED: usize = 512;

/// The longest event in bytes; the longest a clock has reason to send is a fault with 200 characters of detail.
const EVENT_MAX: usize = 4 * 1024;

/// The longest detail of a fault, in characters.
const DETAIL: usize = 200;

/// Events in a frame.
const FRAME_EVENTS: usize = 256;

/// An event that is new and in its place.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) input: DeviceInput,
    /// The game that it is about: the one that a report names, else the one the clock had then; `None` when it says neither. It may be
    /// an earlier one than the clock has now.
    pub(super) game: Option<String>,
    pub(super) traceparent: String,
    pub(super) bytes: Vec<u8>,
    pub(super) hash: Hash,
    /// When it came in, and when the clock sent it, milliseconds of its boot.
    pub(super) received: Stamp,
    pub(super) sent_ms: u64,
}

/// What is to be done about a frame.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// New events, in order.
    pub(super) taken: Vec<Taken>,
    /// Something came again that is on disk: say so again.
    pub(super) again: bool,
    /// Something is missing: send again from here.
    pub(super) rewind: Option<u64>,
}

/// Why a frame is not taken.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// The session ends.
    Refused(Refused),
    /// Events from this number on must be looked up in the journal first, then the frame is tried again.
    Unremembered(u64),
}

impl From<Refused> for NotTaken {
    fn from(refused: Refused) -> NotTaken {
        NotTaken::Refused(refused)
    }
}

/// One spool in one session.
pub(super) struct Intake {
    device: String,
    epoch: u64,
    window: u32,
    /// The last event taken, and its hash.
    last: (u64, Hash),
    /// Hashes of the events before it, the newest last.
    remembered: VecDeque<(u64, Hash)>,
    /// A gap was reported and is not closed yet: what else comes behind it is dropped in silence, until the next heartbeat.
    rewinding: bool,
    /// The last event taken when the clock's heart last beat.
    at_beat: u64,
}

impl Intake {
    pub(super) fn new(device: &str, epoch: u64, window: u32, mark: Mark) -> Intake {
        let last = (mark.seq, mark.hash);
        let remembered = VecDeque::from([last]);
        Intake { device: device.to_owned(), epoch, window, last, remembered, rewinding: false, at_beat: u64::MAX }
    }

    /// The hash of an event taken or looked up.
    pub(super) fn hash_of(&self, seq: u64) -> Option<Hash> {
        self.remembered.iter().rev().find(|&&(known, _)| known == seq).map(|&(_, hash)| hash)
    }

    /// Takes in what the journal says of older events.
    pub(super) fn remember(&mut self, mut events: Vec<(u64, Hash)>) {
        events.retain(|&(seq, _)| self.hash_of(seq).is_none());
        events.sort_unstable_by_key(|&(seq, _)| std::cmp::Reverse(seq));
        events.into_iter().for_each(|event| self.remembered.push_front(event));
    }

    /// A frame of the clock names the session it belongs to.
    pub(super) fn check_epoch(&self, epoch: u64) -> Result<(), Refused> {
        match epoch == self.epoch {
            true => Ok(()),
            false => Err(Refused::StaleEpoch { device: self.device.clone(), epoch }),
        }
    }

    /// The clock's heart beats, and says how long its spool is. The number to send again from, when something was lost on the way: the
    /// spool has more, nothing has come since the last beat, and all that came is on disk, so that nothing keeps the clock from
    /// sending. To ask in vain does no harm.
    pub(super) fn beat(&mut self, last_seq: u64, durable: u64) -> Option<u64> {
        let (last, before) = (self.last.0, std::mem::replace(&mut self.at_beat, self.last.0));
        let stalled = last_seq > last && last == before && durable == last;
        self.rewinding |= stalled;
        stalled.then(|| last + 1)
    }

    /// Takes a frame, or nothing of it. `durable` is the last event on disk.
    pub(super) fn take(&mut self, frame: &Events, durable: u64) -> Result<Verdict, NotTaken> {
        self.check_epoch(frame.session_epoch)?;
        if !(1..=FRAME_EVENTS).contains(&frame.events.len()) {
            let why = format!("a frame has 1 to {FRAME_EVENTS} events, this has {}", frame.events.len());
            return Err(Refused::BadFrame { device: self.device.clone(), why }.into());
        }
        let mut verdict = Verdict::default();
        let mut last = self.last;
        for bytes in &frame.events {
            let next = last.0 + 1;
            let event = self.decode(bytes, next)?;
            if event.seq > next {
                verdict.rewind = (!self.rewinding).then_some(next);
                self.rewinding = true;
                break;
            }
            let hash = sha256(bytes);
            if event.seq < next {
                self.compare(event.seq, hash, &verdict.taken)?;
                verdict.again |= event.seq <= durable;
                continue;
            }
            if event.previous_hash != last.1 {
                return Err(self.forked(event.seq, "it does not chain to the event before it").into());
            }
            let taken = self.read(event, bytes, hash, frame.sent_ms)?;
            last = (next, hash);
            verdict.taken.push(taken);
            self.rewinding = false;
        }
        if last.0 - durable.min(last.0) > u64::from(self.window) {
            let (device, window) = (self.device.clone(), self.window);
            return Err(Refused::WindowExceeded { device, window }.into());
        }
        self.last = last;
        for taken in &verdict.taken {
            self.remembered.push_back((taken.input.seq, taken.hash));
        }
        let surplus = self.remembered.len().saturating_sub(REMEMBERED);
        self.remembered.drain(..surplus);
        Ok(verdict)
    }

    /// An event that comes again must be the one that came before.
    fn compare(&self, seq: u64, hash: Hash, just_taken: &[Taken]) -> Result<(), NotTaken> {
        let in_this_frame = just_taken.iter().find(|taken| taken.input.seq == seq).map(|taken| taken.hash);
        match in_this_frame.or_else(|| self.hash_of(seq)) {
            Some(known) if known == hash => Ok(()),
            Some(_) => Err(self.forked(seq, "the same number came before with other content").into()),
            None => Err(NotTaken::Unremembered(seq)),
        }
    }

    fn forked(&self, seq: u64, why: &'static str) -> Refused {
        Refused::ForkedSpool { device: self.device.clone(), seq, why }
    }

    fn bad(&self, seq: u64, what: impl ToString) -> Refused {
        Refused::BadEvent { device: self.device.clone(), seq, what: what.to_string() }
    }

    fn decode(&self, bytes: &[u8], expected: u64) -> Result<DeviceEvent, Refused> {
        if bytes.len() > EVENT_MAX {
            return Err(self.bad(expected, format!("{} bytes long, at most {EVENT_MAX} are taken", bytes.len())));
        }
        let event = DeviceEvent::decode(bytes).map_err(|error| self.bad(expected, error))?;
        if event.seq == 0 {
            return Err(self.bad(expected, "seq: 0, numbers begin at 1"));
        }
        Ok(event)
    }

    /// An event as the rules know it.
    fn read(&self, mut event: DeviceEvent, bytes: &[u8], hash: Hash, sent_ms: u64) -> Result<Taken, Refused> {
        let (seq, received) = (event.seq, Stamp::now());
        let traceparent = std::mem::take(&mut event.traceparent);
        let game = match &event.what {
            Some(What::Report(report)) => codec::parse_directive_id(&report.directive).map(|(game, _)| game.to_owned()),
            _ => Some(event.game.clone()).filter(|game| !game.is_empty()),
        };
        let input = codec::device_input(event).map_err(|refused| match refused.what {
            "scan.board" | "board.squares" => {
                Refused::MalformedBoard { device: self.device.clone(), seq, what: refused.to_string() }
            }
            _ => self.bad(seq, refused),
        })?;
        if let DeviceAct::Fault(_, detail) = &input.act
            && detail.chars().count() > DETAIL
        {
            return Err(self.bad(seq, format!("fault.detail: at most {DETAIL} characters")));
        }
        Ok(Taken { input, game, traceparent, bytes: bytes.to_vec(), hash, received, sent_ms })
    }
}

#[cfg(test)]
mod tests;
