//! A game as its actor holds it: inputs in, entries out. No waiting, no clock of its own; the actor does both.
//!
//! ```text
//!   Input ─▶ decide ─▶ game and events ──┬─▶ held: a scan that led to nothing waits for the next input
//!                                        └─▶ entry: held scans + this input ─▶ journal, with what leaves once it is on disk
//! ```

use std::{
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use flagfall_proto::{clock::v1, desk::v1::GameSnapshot};
use flagfall_rules::{
    adjourn::Deed,
    game::{self, Alarm, DeskAct, DeskInput, DeviceAct, Event, Game, Input, Notice, ServiceAct, Stage},
    laws::{self, Edition},
};
use flagfall_trace::{TraceContext, log};

use super::{
    entry,
    handle::{Answer, Foreseen, Greeted, Heard, Origin, Wanted},
    leaving::{Ack, Leaving, Outcome},
};
use crate::{
    journal::{
        ENTRY_MAX, Journal, StreamId,
        codec::{self, Decoded, Kept, Meta},
    },
    seal,
    trail::{Stamp, Trail, What},
    wire::{Hash, Refused, hash, snapshot},
};

/// Bytes of held scans after which they are written, whatever their number.
const HELD_BYTES: usize = ENTRY_MAX / 8;

/// What an entry keeps free for held scans, their events, its own hashes and numbers: an event says no more than its scan.
const HELD_ROOM: usize = ENTRY_MAX / 4 + 1_024;

/// Scans that led to nothing, waiting for the next input.
#[derive(Default)]
struct Held {
    inputs: Vec<Kept>,
    events: Vec<Event>,
    bytes: usize,
    origin: Origin,
    ack: Option<Ack>,
}

/// Runs the rules so that a defect in them ends one decision and not the service. The panic is in the log.
fn contained<T>(rule: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(rule)).inspect_err(|_| tracing::error!("ALARM: the rules panicked")).ok()
}

/// See the module.
pub(super) struct Core {
    pub(super) name: Arc<str>,
    stream: StreamId,
    game: Game,
    edition: Option<&'static Edition>,
    end: (u64, Hash),
    held: Held,
    answers: HashMap<String, Answer>,
    /// The traceparent of every directive, by revision.
    traces: Vec<String>,
    /// Where each case was found: what is decided about it later goes on from there.
    cases: HashMap<u32, TraceContext>,
    /// The clock's span of the last press: what its board leads to later goes on from there.
    press: Option<TraceContext>,
    /// The spool of the clock that has the game, and the first event heard of it here; `None` before any was.
    clock: Option<([u8; 16], u64)>,
}

impl Core {
    /// A game of which nothing is known.
    pub(super) fn new(name: Arc<str>) -> Core {
        let (stream, game) = (StreamId::Game(name.to_string()), Game::new(&name));
        let (answers, traces, cases) = (HashMap::new(), Vec::new(), HashMap::new());
        let (end, held) = ((0, hash::NONE), Held::default());
        Core { name, stream, game, edition: None, end, held, answers, traces, cases, press: None, clock: None }
    }

    /// Takes in an entry of the journal.
    pub(super) fn recall(&mut self, entry: &Decoded, index: u64, hash: Hash) {
        for event in &entry.events {
            game::evolve(&mut self.game, event);
        }
        self.admit(&entry.events);
        self.heard_of(entry.meta.spool_id.as_slice().try_into().ok(), &entry.inputs, &entry.events);
        self.traces.extend(entry.traceparents.iter().cloned());
        if let Ok(context) = entry.traceparent.parse() {
            self.found(&entry.events, context);
        }
        self.end = (index, hash);
    }

    /// How many entries it has.
    pub(super) fn entries(&self) -> u64 {
        self.end.0
    }

    fn found(&mut self, events: &[Event], context: TraceContext) {
        for event in events {
            if let Event::Found(finding) = event {
                self.cases.insert(finding.case, context);
            }
        }
    }

    /// The game.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// Another game may take its clock: it is over, or adjourned.
    pub(super) fn is_free(&self) -> bool {
        self.game.ended.is_some() || self.game.is_adjourned()
    }

    /// It is over, and nothing of it waits for a word: it may go to the shelf.
    pub(super) fn is_done(&self) -> bool {
        let waits = self.unanswered().next().is_some() || self.game.unanswered().next().is_some();
        self.game.ended.is_some() && !waits
    }

    /// How many scans are held.
    pub(super) fn held(&self) -> usize {
        self.held.inputs.len()
    }

    /// The session that waits for held scans.
    pub(super) fn waiting(&self) -> Option<&Ack> {
        self.held.ack.as_ref()
    }

    /// Takes in which clock spoke in an entry; of one that comes after the game has moved nothing is known yet.
    fn heard_of(&mut self, spool: Option<[u8; 16]>, inputs: &[Kept], events: &[Event]) {
        let first = inputs.iter().find_map(|input| match input {
            Kept::Device(bytes) => Some(bytes),
            _ => None,
        });
        if let Some((spool, first)) = spool.zip(first)
            && self.clock.is_none_or(|(known, _)| known != spool)
        {
            self.clock = Some((spool, entry::seq(first)));
        }
        if events.iter().any(|event| matches!(event, Event::Moved { .. })) {
            self.clock = None;
        }
    }

    /// The clock that greets has come in the place of the one that had the game, and has not got it.
    pub(super) fn has_lost_its_clock(&self, greeted: &Greeted) -> bool {
        let other = self.clock.is_some_and(|(spool, _)| spool != greeted.spool);
        let has_it = *greeted.game == *self.name && greeted.applied_rev > self.game.left_rev;
        other && !has_it && !self.is_free()
    }

    /// Revisions without a final word, in order.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = u64> {
        let waiting = |stage| matches!(stage, Stage::Sent | Stage::Received);
        self.game.directives.iter().filter(move |sent| waiting(sent.stage)).map(|sent| sent.directive.rev)
    }

    /// What the same request was answered before.
    pub(super) fn answered(&self, request: &str) -> Option<Answer> {
        self.answers.get(request).cloned()
    }

    /// Takes an event of the clock. Its word is a fact: what the rules cannot use is kept all the same.
    pub(super) fn heard(&mut self, heard: Heard, hold: bool, journal: &dyn Journal) -> Vec<Outcome> {
        let Heard { input, bytes, slot: _, origin, session, mut trail } = heard;
        let _within = log::within(trail.context);
        let mut outcomes = Vec::new();
        if self.held.ack.is_some() && self.held.origin != origin {
            // An entry names one session and one spool.
            outcomes.extend(self.flush(journal));
        }
        let may_wait = matches!(input.act, DeviceAct::Scan(_) | DeviceAct::Quiet(_));
        let seq = input.seq;
        trail.ruling = Stamp::now();
        let events = self.rule(Input::Device(input)).unwrap_or_else(|refused| {
            tracing::error!(game = &*self.name, seq, %refused, "a clock's event means nothing to the rules; it is only kept");
            trail.error = Some(refused.to_string());
            Vec::new()
        });
        trail.is_ruled(&events, self.edition);
        let ack = Some(Ack { session, seq });
        let nothing = events.iter().all(|event| matches!(event, Event::Heard { .. } | Event::Looked(_)));
        if hold && may_wait && nothing && self.held.bytes + bytes.len() <= HELD_BYTES {
            self.held.bytes += bytes.len();
            self.held.inputs.push(Kept::Device(bytes));
            self.held.events.extend(events);
            (self.held.origin, self.held.ack) = (origin, ack);
            outcomes.push(Outcome::Held);
            return outcomes;
        }
        match self.press {
            Some(press) if may_wait && !nothing => trail.goes_on_from(press),
            _ if trail.what == What::Press => self.press = trail.from,
            _ => {}
        }
        outcomes.push(self.append(vec![Kept::Device(bytes)], events, (origin, ack), trail, journal));
        outcomes
    }

    /// Takes an act at the desk; it goes by what the clock `shows`, where that is known.
    ///
    /// # Errors
    /// The rules refuse it, or it is too long to be kept.
    pub(super) fn desk(
        &mut self,
        input: DeskInput,
        shows: Option<Notice>,
        journal: &dyn Journal,
    ) -> Result<(Outcome, Answer), Refused> {
        if let DeskAct::Open(setup) = &input.act {
            self.edition = Some(laws::edition(&setup.edition).ok_or_else(|| Refused::edition(&setup.edition))?);
        }
        self.check_seal(&input.act)?;
        let request = input.request.clone();
        let from = match &input.act {
            DeskAct::Decide { case, .. } => self.cases.get(case).copied(),
            _ => None,
        };
        let mut trail = self.trail(What::Act, from, &request);
        let before = self.game.clone();
        let (mut given, mut events) = (Vec::new(), Vec::new());
        if let Some(shows) = shows.filter(|_| before.opened) {
            events = self.rule(Input::Service(ServiceAct::Noticed(shows.clone()))).unwrap_or_default();
            given.extend((!events.is_empty()).then_some(Kept::Noticed(shows)));
        }
        match self.rule(Input::Desk(input.clone())) {
            Ok(more) => events.extend(more),
            Err(refused) => {
                self.game = before;
                return Err(refused);
            }
        }
        given.push(Kept::Desk(Box::new(input)));
        let alone = codec::entry(&self.name, "", &Meta::default(), &given, &events).len();
        if alone > ENTRY_MAX - HELD_ROOM {
            self.game = before;
            self.answers.remove(&request);
            return Err(Refused::request("act", format!("{alone} bytes with what follows from it: shorten its words")));
        }
        trail.is_ruled(&events, self.edition);
        let outcome = self.append(given, events, (Origin::default(), None), trail, journal);
        Ok((outcome, self.answered(&request).unwrap_or_default()))
    }

    /// What would follow from an act; nothing does. The rules see a copy of the game.
    ///
    /// # Errors
    /// As the act itself.
    pub(super) fn preview(&self, input: DeskInput, shows: Option<Notice>) -> Result<Foreseen, Refused> {
        let not_open = || Refused::Rules { game: self.name.to_string(), refusal: game::Refusal::NotOpen };
        let edition = self.edition.ok_or_else(not_open)?;
        self.check_seal(&input.act)?;
        let mut copy = self.game.clone();
        if let Some(shows) = shows.map(|shows| Input::Service(ServiceAct::Noticed(shows))) {
            // What it leads to is no part of the act.
            let _heard = contained(|| game::decide(edition, &mut copy, &shows));
        }
        let (mut events, before) = (Vec::new(), copy.face);
        contained(|| game::decide_into(&mut events, edition, &mut copy, &Input::Desk(input)))
            .ok_or_else(|| Refused::request("act", "the rules failed on it: a defect; see the log"))?
            .map_err(|refusal| Refused::Rules { game: self.name.to_string(), refusal })?;
        Ok(Foreseen { events, before })
    }

    /// An opened text must be the one that was sealed; only then do the rules, and the journal, hear it.
    fn check_seal(&self, act: &DeskAct) -> Result<(), Refused> {
        let DeskAct::Adjourn { deed, nonce } = act else { return Ok(()) };
        let adjournment = self.game.adjournment.as_ref();
        let (text, seal) = match &**deed {
            Deed::Opened(text) => (text, adjournment.and_then(|adjournment| adjournment.seal.as_ref())),
            Deed::ReplyOpened(text) => (text, adjournment.and_then(|adjournment| adjournment.reply_seal.as_ref())),
            _ => return Ok(()),
        };
        match seal {
            Some(seal) if !seal::is_unchanged(&seal.commitment, &self.name, text, nonce) => {
                Err(Refused::SealBroken { game: self.name.to_string() })
            }
            // Nothing was sealed: the rules say what is to be done now.
            _ => Ok(()),
        }
    }

    /// The service's patience with a directive ran out; `None` when word came in time.
    pub(super) fn overdue(&mut self, rev: u64, journal: &dyn Journal) -> Option<Outcome> {
        if !self.unanswered().any(|waiting| waiting == rev) {
            return None;
        }
        let trail = self.trail(What::Overdue, self.trace(rev).parse().ok(), "");
        self.service(ServiceAct::Overdue(rev), Kept::Overdue(rev), trail, journal)
    }

    /// A question of the game was answered; `None` when it had an answer already.
    pub(super) fn answer(&mut self, number: u32, can_mate: Option<bool>, journal: &dyn Journal) -> Option<Outcome> {
        let trail = self.trail(What::Answer, self.press, &number.to_string());
        self.service(ServiceAct::Answered(number, can_mate), Kept::Answered(number, can_mate), trail, journal)
    }

    /// Something was noticed of the clock; `None` when nothing follows from it.
    pub(super) fn notice(&mut self, notice: Notice, journal: &dyn Journal) -> Option<Outcome> {
        let trail = self.trail(What::Notice, None, &self.end.0.to_string());
        self.service(ServiceAct::Noticed(notice.clone()), Kept::Noticed(notice), trail, journal)
    }

    /// What the service itself found, and what follows from it; nothing is kept of what led to nothing.
    fn service(
        &mut self,
        act: ServiceAct,
        kept: Kept,
        mut trail: Box<Trail>,
        journal: &dyn Journal,
    ) -> Option<Outcome> {
        let events = self.rule(Input::Service(act)).unwrap_or_default();
        trail.is_ruled(&events, self.edition);
        (!events.is_empty()).then(|| self.append(vec![kept], events, (Origin::default(), None), trail, journal))
    }

    /// Writes what is held.
    pub(super) fn flush(&mut self, journal: &dyn Journal) -> Option<Outcome> {
        let held = std::mem::take(&mut self.held);
        let ack = held.ack?;
        Some(self.write(held.inputs, held.events, (held.origin, Some(ack)), None, journal))
    }

    /// The trail of what no clock said, which the next entry will hold.
    fn trail(&self, what: What, from: Option<TraceContext>, name: &str) -> Box<Trail> {
        let mut trail = Trail::own(what, from, &self.name, name, self.end.0 + 1);
        trail.ruling = trail.received;
        Box::new(trail)
    }

    /// How the game stands; what is held must be flushed before, and may leave only after all entries so far.
    pub(super) fn snapshot(&self) -> GameSnapshot {
        snapshot::of(&self.game, self.end.0)
    }

    /// What is wanted of the clock, under the same conditions.
    pub(super) fn wanted(&self, greeted: &Greeted) -> Wanted {
        // What a former clock was told is not for this one.
        let open: Vec<_> = self.game.directives.iter().filter(|sent| sent.directive.rev > self.game.left_rev).collect();
        let open = || open.iter().filter(|sent| !sent.is_final());
        let replaced: HashSet<u64> = open().flat_map(|sent| sent.directive.supersedes.iter().copied()).collect();
        let sent = open().filter(|sent| !replaced.contains(&sent.directive.rev));
        let before_game = match self.clock {
            Some((spool, first)) if spool == greeted.spool => first.saturating_sub(1),
            _ => 0,
        };
        let directives = sent.map(|sent| v1::Directive {
            traceparent: self.trace(sent.directive.rev).to_owned(),
            ..codec::directive_to_proto(&self.name, &sent.directive)
        });
        Wanted { desired_rev: self.game.rev(), directives: directives.collect(), before_game }
    }

    fn trace(&self, rev: u64) -> &str {
        usize::try_from(rev).ok().and_then(|rev| self.traces.get(rev.checked_sub(1)?)).map_or("", String::as_str)
    }

    /// What follows from an input; the game has moved on by it.
    fn rule(&mut self, input: Input) -> Result<Vec<Event>, Refused> {
        let not_open = || Refused::Rules { game: self.name.to_string(), refusal: game::Refusal::NotOpen };
        let edition = self.edition.ok_or_else(not_open)?;
        let mut events = Vec::new();
        match contained(|| game::decide_into(&mut events, edition, &mut self.game, &input)) {
            Some(decided) => decided.map_err(|refusal| Refused::Rules { game: self.name.to_string(), refusal })?,
            // What a person asked can be asked otherwise; what a clock said is on record, or it would say it for ever.
            None if matches!(input, Input::Desk(_)) => {
                return Err(Refused::request(
                    "act",
                    "the rules failed on it: a defect; see the log, and decide by hand",
                ));
            }
            None => {
                let said =
                    "the rules failed on what the clock said: a defect; look at the game and set the clock by hand";
                let alarm = Event::Alarmed(Alarm::Lost, said.to_owned());
                game::evolve(&mut self.game, &alarm);
                events.push(alarm);
            }
        }
        self.admit(&events);
        Ok(events)
    }

    /// Keeps the answer to a request, and the edition once the game is open.
    fn admit(&mut self, events: &[Event]) {
        if let Some((request, answer)) = entry::answer(events) {
            self.answers.insert(request, answer);
        }
        if self.edition.is_none() {
            self.edition = laws::edition(&self.game.setup.edition);
        }
    }

    /// Inputs with their events become an entry, behind the scans that waited for it.
    fn append(
        &mut self,
        given: Vec<Kept>,
        events: Vec<Event>,
        (mut origin, mut ack): (Origin, Option<Ack>),
        trail: Box<Trail>,
        journal: &dyn Journal,
    ) -> Outcome {
        let held = std::mem::take(&mut self.held);
        if ack.is_none() && held.ack.is_some() {
            // A desk's act takes along the scans before it, and they name their session.
            (origin, ack) = (held.origin, held.ack);
        }
        let inputs = held.inputs.into_iter().chain(given).collect();
        let events = held.events.into_iter().chain(events).collect();
        self.write(inputs, events, (origin, ack), Some(trail), journal)
    }

    fn write(
        &mut self,
        inputs: Vec<Kept>,
        events: Vec<Event>,
        (origin, ack): (Origin, Option<Ack>),
        mut trail: Option<Box<Trail>>,
        journal: &dyn Journal,
    ) -> Outcome {
        let traced = trail.as_ref().filter(|_| codec::is_traced(&events)).map(|trail| trail.sampled());
        let traceparent = traced.map_or_else(String::new, |context| context.to_string());
        let mut directives = Vec::new();
        for event in &events {
            let Event::Issued(directive) = event else { continue };
            let told = codec::directive_trace(&traceparent, directive.rev);
            self.traces.push(told.clone());
            directives.push(v1::Directive { traceparent: told, ..codec::directive_to_proto(&self.name, directive) });
            trail.iter_mut().for_each(|trail| trail.tells(directive));
        }
        traced.into_iter().for_each(|context| self.found(&events, context));
        let (before, previous) = self.end;
        let bytes =
            codec::entry(&self.name, &traceparent, &entry::admitted_now(journal, previous, origin), &inputs, &events);
        debug_assert!(codec::decode_entry(&bytes).is_ok(), "what is written can be read: {events:?}");
        let index = before + 1;
        self.end = (index, hash::sha256(&bytes));
        let spool = (origin != Origin::default()).then_some(origin.spool);
        self.heard_of(spool, &inputs, &events);
        if let Some(trail) = &mut trail {
            trail.game = Arc::clone(&self.name);
            (trail.entry, trail.appended) = (index, Stamp::now());
        }
        let ticket = journal.append(&self.stream, before, bytes);
        let first = (index == 1).then(|| Box::new(self.snapshot()));
        let (desired_rev, free) = (self.game.rev(), self.is_free());
        let leaving = Leaving { ticket, index, ack, desired_rev, directives, events, first, free, trail };
        Outcome::Entry(Box::new(leaving))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_rules_ends_one_decision() {
        let mut game = Game::new("g");
        let failed: Option<()> = contained(|| {
            game.started = true;
            panic!("a defect");
        });
        assert_eq!((failed, game.started, contained(|| 7)), (None, true, Some(7)));
    }
}
