//! A live session: waits for one thing, turns it into a [`Step`], then changes state without waiting.

mod beat;
mod over;
mod refill;

use std::{collections::HashSet, ops::ControlFlow, pin::Pin, sync::Arc};

use flagfall_proto::clock::v1::{
    Ack, Directive, Events, Goodbye, LinkRequest, LinkResponse, Rewind, link_request, link_response::Frame,
};
use flagfall_rules::game::{DeviceAct, Notice};
use tokio::{
    task::JoinHandle,
    time::{Instant, Interval, MissedTickBehavior, Sleep, interval_at, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status, Streaming};

use self::over::{Over, Overs};
use super::{
    Gate, SILENCE, UNASKED,
    intake::{Intake, NotTaken, Taken, Verdict},
    route::{Next, Room, Router},
    welcome::slow_reader,
};
use crate::{
    arena::{Arena, Claim, LaneGuard, Message, Origin, Slot, ToSession},
    journal::{AppendError, Durable},
    trail::Presence,
    wire::{Hash, Outgoing, Refused, outgoing::Unsent},
};

/// What a session is made of.
pub(super) struct Parts {
    pub(super) arena: Arena,
    pub(super) gate: Gate,
    pub(super) claim: Claim,
    pub(super) lane: LaneGuard,
    pub(super) drain: CancellationToken,
    pub(super) incoming: Streaming<LinkRequest>,
    pub(super) out: Outgoing<LinkResponse>,
    pub(super) intake: Intake,
    pub(super) spool: [u8; 16],
    pub(super) epoch: u64,
    /// The session as operators see it.
    pub(super) presence: Arc<Presence>,
}

/// Where a session begins.
pub(super) struct Begin {
    /// The last event on disk.
    pub(super) durable: u64,
    /// The clock's game, and the newest revision wanted in it.
    pub(super) game: String,
    pub(super) desired_rev: u64,
    /// Events up to here were once acknowledged. Until they are on disk again, the journal is being filled.
    pub(super) refilled_at: u64,
    /// Directives that wait for that.
    pub(super) held: Vec<Directive>,
    /// Directives that got their last word meanwhile: game and revision.
    pub(super) answered: HashSet<(String, u64)>,
}

/// How a session ends.
struct Ending {
    /// `None`: the clock closed, and nothing is wrong.
    refused: Option<Refused>,
    /// Acks still go out, then the status; otherwise the status is out already.
    in_good_order: bool,
    /// When it is over, whatever is still under way.
    deadline: Instant,
}

/// See the module.
pub(super) struct Session {
    parts: Parts,
    device: String,
    router: Router,
    /// How far it has come from there.
    at: Begin,
    /// Since when the clock has been at another revision than is wanted, and whether the desk was told.
    differs: Option<(Instant, bool)>,
    /// The last revision sent in that game: what is in Welcome's directives does not go out twice.
    sent_rev: u64,
    /// A frame that waits until older events were looked up, from this number on.
    parked: Option<(Events, u64)>,
    lookup: Option<Lookup>,
    /// When the clock was last heard.
    heard: Instant,
    beat: Interval,
    /// Set anew only when it ends too early: a clock is heard many times before it.
    silence: Pin<Box<Sleep>>,
    overs: Overs,
    ending: Option<Ending>,
}

type Lookup = JoinHandle<Result<Vec<(u64, Hash)>, Refused>>;

/// The one thing that happened.
enum Step {
    Over(Over),
    Inbox,
    Frame(Result<Option<LinkRequest>, Status>),
    /// Room in the mailbox of the game that is next to be told something; `None`: it takes nothing.
    Room(Option<Room>),
    Own(Result<Durable, AppendError>),
    /// The actor that has this session's events is gone.
    GoalGone,
    Recorded(Result<Vec<(u64, Hash)>, Refused>),
    Beat,
    Silent,
    Deadline,
}

impl Session {
    pub(super) fn new(parts: Parts, at: Begin) -> Session {
        let device = parts.claim.slot().name().to_owned();
        let mut beat = interval_at(Instant::now() + UNASKED, UNASKED);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let heard = Instant::now();
        let overs = Overs::new(&parts.claim.superseded, &parts.out, &parts.drain);
        let silence = Box::pin(sleep_until(heard + SILENCE));
        let (router, sent_rev, differs) = (Router::default(), at.desired_rev, None);
        let (parked, lookup, ending) = (None, None, None);
        Session { parts, device, router, at, differs, sent_rev, parked, lookup, heard, beat, silence, overs, ending }
    }

    pub(super) async fn run(mut self) {
        let mut inbox = Vec::new();
        loop {
            let step = self.step(&mut inbox).await;
            if self.apply(step, &mut inbox).is_break() {
                break;
            }
        }
        let ending = self.ending.as_ref();
        let why =
            ending.and_then(|ending| ending.refused.as_ref()).map_or_else(|| "closed".to_owned(), ToString::to_string);
        tracing::info!(device = self.device, epoch = self.parts.epoch, durable = self.at.durable, why, "session over");
        self.parts.arena.trails().closed(&self.parts.presence, ending.and_then(|ending| ending.refused.as_ref()));
        if let Some(Ending { refused, in_good_order: true, .. }) = self.ending.take() {
            self.parts.out.finish(refused.map(Status::from));
        }
    }

    async fn step(&mut self, inbox: &mut Vec<ToSession>) -> Step {
        let Parts { arena, claim, incoming, .. } = &mut self.parts;
        let (live, parked) = (self.ending.is_none(), self.parked.is_some());
        let deadline = self.ending.as_ref().filter(|ending| ending.in_good_order).map(|ending| ending.deadline);
        let next = self.router.next_game(claim.slot(), arena, !live);
        let (own, goal_gone) = self.router.waits();
        tokio::select! {
            // In this order, so that a clock that never stops talking cannot talk over the rest.
            biased;
            over = self.overs.first(), if live => Step::Over(over),
            _ = claim.inbox.recv_many(inbox, 64) => Step::Inbox,
            result = own => Step::Own(result),
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => Step::Deadline,
            _ = self.beat.tick(), if live => Step::Beat,
            room = room(arena, next) => Step::Room(room),
            found = recorded(&mut self.lookup) => Step::Recorded(found),
            frame = incoming.message(), if live && !parked => Step::Frame(frame),
            () = self.silence.as_mut(), if live => Step::Silent,
            () = goal_gone => Step::GoalGone,
        }
    }

    fn apply(&mut self, step: Step, inbox: &mut Vec<ToSession>) -> ControlFlow<()> {
        match step {
            Step::Over(Over::Superseded) => {
                let refused = match self.parts.claim.is_newest() {
                    true => slow_reader(&self.device),
                    false => Refused::StaleEpoch { device: self.device.clone(), epoch: self.parts.epoch },
                };
                self.end_now(Some(refused));
            }
            Step::Inbox => self.hear(inbox.drain(..)),
            Step::Frame(Ok(Some(LinkRequest { frame }))) => {
                self.heard = Instant::now();
                self.frame(frame);
            }
            Step::Frame(Ok(None)) => self.end_in_order(None),
            Step::Frame(Err(status)) => self.end_now(frame_error(&status, &self.device)),
            Step::Room(room) => self.forward(room),
            Step::GoalGone => {
                self.router.reader_is_gone();
                // What it said before it ended may still be on its way here; what it did not say is not known to be on disk.
                while let Ok(message) = self.parts.claim.inbox.try_recv() {
                    inbox.push(message);
                }
                self.hear(inbox.drain(..));
                if self.router.is_flying() {
                    self.lose(Refused::JournalDown);
                }
            }
            Step::Own(Ok(_)) => {
                let seq = self.router.own_is_durable();
                self.on_disk(seq);
                self.ack();
            }
            Step::Own(Err(error)) => {
                self.lose(Refused::from(&error));
            }
            Step::Recorded(Ok(events)) => {
                self.parts.intake.remember(events);
                if let Some((frame, from)) = self.parked.take() {
                    self.events(&frame, Some(from));
                }
            }
            Step::Recorded(Err(refused)) => self.end_now(Some(refused)),
            Step::Beat => self.beat(),
            Step::Silent if self.heard + SILENCE > Instant::now() => self.silence.as_mut().reset(self.heard + SILENCE),
            Step::Silent => {
                self.end_now(Some(Refused::Silent { device: self.device.clone(), seconds: SILENCE.as_secs() }));
            }
            Step::Over(Over::Gone) => self.end_now(None),
            Step::Over(Over::Drain) => {
                let resume_after_ms = self.resume_after_ms();
                self.send(Frame::Goodbye(Goodbye { resume_after_ms, reason: "the service drains".to_owned() }));
                self.end_in_order(Some(Refused::Draining));
            }
            Step::Deadline => {
                if let Some(ending) = &mut self.ending {
                    ending.in_good_order = false;
                    self.parts.out.finish(ending.refused.clone().map(Status::from));
                }
            }
        }
        self.write_own();
        match self.ending.is_some() && self.router.is_idle() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn frame(&mut self, frame: Option<link_request::Frame>) {
        match frame {
            Some(link_request::Frame::Events(events)) => self.events(&events, None),
            Some(link_request::Frame::Heartbeat(beat)) => {
                self.heartbeat(beat);
                self.beat();
            }
            Some(link_request::Frame::Goodbye(Goodbye { reason, .. })) => {
                tracing::debug!(device = self.device, reason, "goodbye");
                self.end_in_order(None);
            }
            Some(link_request::Frame::Hello(_)) => self.bad_frame("a second Hello"),
            None => self.bad_frame("an empty frame"),
        }
    }

    fn bad_frame(&mut self, why: &str) {
        self.end_now(Some(Refused::BadFrame { device: self.device.clone(), why: why.to_owned() }));
    }

    /// Takes a frame of events; `looked_up` says from where on the journal was asked for it.
    fn events(&mut self, frame: &Events, looked_up: Option<u64>) {
        match self.parts.intake.take(frame, self.at.durable) {
            Ok(Verdict { taken, again, rewind }) => {
                self.parts.presence.sent(frame.sent_ms);
                taken.last().inspect(|last| self.parts.presence.spooled(last.input.seq));
                taken.iter().for_each(|taken| self.note_answer(taken));
                watched(self.parts.claim.slot(), &taken);
                self.router.queue(taken);
                if again {
                    self.ack();
                }
                if let Some(from_seq) = rewind {
                    self.send(Frame::Rewind(Rewind { from_seq }));
                }
            }
            Err(NotTaken::Unremembered(seq)) if looked_up.is_none_or(|from| from > seq) => {
                let (arena, slot, spool) =
                    (self.parts.arena.clone(), Arc::clone(self.parts.claim.slot()), self.parts.spool);
                self.lookup = Some(tokio::spawn(async move { arena.recorded(&slot, spool, seq).await }));
                self.parked = Some((frame.clone(), seq));
            }
            Err(NotTaken::Unremembered(seq)) => {
                let (device, why) = (self.device.clone(), "the journal has another history");
                self.end_now(Some(Refused::ForkedSpool { device, seq, why }));
            }
            Err(NotTaken::Refused(refused)) => self.end_now(Some(refused)),
        }
    }

    /// Takes what games say. Acks that follow each other become one, but none passes a directive.
    fn hear(&mut self, messages: impl Iterator<Item = ToSession>) {
        let mut acked = false;
        for message in messages {
            match message {
                ToSession::Durable { seq, game, desired_rev } => {
                    if *game == *self.at.game {
                        self.at.desired_rev = self.at.desired_rev.max(desired_rev);
                    }
                    self.on_disk(seq);
                    acked = true;
                }
                ToSession::Directive(directive) => {
                    if std::mem::take(&mut acked) {
                        self.ack();
                    }
                    self.directive(*directive);
                }
                ToSession::Lost(refused) => {
                    self.lose(*refused);
                }
            }
        }
        if acked {
            self.ack();
        }
    }

    fn directive(&mut self, directive: Directive) {
        if self.parts.claim.slot().game().is_some_and(|game| *game != *directive.game) {
            // The clock has gone on to another game; the desk hears that there is no word of it. One whose game has gone to
            // another clock is still told to let it go.
            return;
        }
        if directive.game != self.at.game {
            self.at.game.clone_from(&directive.game);
            (self.at.desired_rev, self.sent_rev) = (0, 0);
        }
        if directive.rev > self.sent_rev {
            self.sent_rev = directive.rev;
            self.at.desired_rev = self.at.desired_rev.max(directive.rev);
            self.parts.presence.wants(self.at.desired_rev);
            match self.is_refilling() {
                true => self.at.held.push(directive),
                false => self.send(Frame::Directive(directive)),
            }
        }
    }

    fn on_disk(&mut self, seq: u64) {
        if let Some(hash) = self.router.on_disk(seq) {
            self.parts.lane.advance(self.parts.spool, seq, hash);
            self.parts.presence.durable(seq);
            self.at.durable = seq;
        }
        self.release_held();
    }

    fn ack(&mut self) {
        let (durable_through, desired_rev) = (self.at.durable, self.at.desired_rev);
        self.send(Frame::Ack(Ack { durable_through, desired_rev }));
    }

    /// Tells a game what is next: an event, or that it should write what it holds.
    fn forward(&mut self, room: Option<Room>) {
        let Some(room) = room else {
            // Its actor can neither be reached nor made: the journal cannot be read.
            return self.lose(Refused::JournalDown);
        };
        let Parts { arena, claim, spool, epoch, presence, .. } = &self.parts;
        // Asked again, for another game may have been opened while this one had no room.
        match self.router.next(claim.slot(), arena, self.ending.is_some()) {
            Next::Flush(next) if next == room.name => {
                self.router.flushed();
                room.room.send(Message::Flush);
            }
            Next::Events(next) if next == room.name => {
                let origin = Origin { epoch: *epoch, spool: *spool };
                let heard = self.router.forward(&room, (claim.slot(), arena), origin, &claim.sender, presence);
                room.room.send(Message::Heard(heard));
            }
            _ => {}
        }
    }

    /// Events that belong to no game go to the clock's own stream, all that wait in one entry.
    fn write_own(&mut self) {
        let Parts { arena, claim, lane, spool, epoch, .. } = &mut self.parts;
        let origin = Origin { epoch: *epoch, spool: *spool };
        while let Next::Own = self.router.next(claim.slot(), arena, self.ending.is_some()) {
            let (inputs, seq) = self.router.take_own(claim.slot(), arena);
            let ticket = lane.append(arena.journal(), &inputs, origin);
            self.router.own_is_written(ticket, seq);
        }
    }

    fn send(&mut self, frame: Frame) {
        if let Err(error) = self.parts.out.send(LinkResponse { frame: Some(frame) })
            && self.ending.is_none()
        {
            self.end_now((error == Unsent::Full).then(|| slow_reader(&self.device)));
        }
    }

    /// What is under way will not be heard of again; what of it is on disk is for the next session to look up.
    fn lose(&mut self, refused: Refused) {
        self.parts.lane.doubt();
        self.router.lost();
        self.end_now(Some(refused));
    }

    /// What was taken still goes to disk and is acknowledged; then the stream ends.
    fn end_in_order(&mut self, refused: Option<Refused>) {
        let deadline = Instant::now() + self.parts.arena.limits().drain();
        self.ending.get_or_insert(Ending { refused, in_good_order: true, deadline });
    }

    /// The stream ends. What is under way still goes to disk; what is not will come again.
    fn end_now(&mut self, refused: Option<Refused>) {
        if let Some(Refused::ForkedSpool { seq, .. }) = refused {
            tracing::error!(device = self.device, seq, "ALARM: the spool has two histories; the board is frozen");
            self.parts.lane.freeze(self.parts.spool);
            if let Some(refused) = &refused {
                let game = self.parts.claim.slot().game();
                self.parts.arena.notice(game, Notice::Frozen(refused.to_string()));
            }
        }
        self.router.drop_queue();
        (self.parked, self.lookup) = (None, None);
        let in_good_order = self.ending.as_ref().is_some_and(|ending| ending.in_good_order);
        if self.ending.is_none() || in_good_order {
            let status = refused.clone().map(Status::from);
            match (&refused, status) {
                // It does not read: what is queued stands in the way of the status.
                (Some(Refused::SlowReader { .. } | Refused::Silent { .. }), Some(status)) => {
                    self.parts.out.abort(status)
                }
                (_, status) => self.parts.out.finish(status),
            }
            self.ending = Some(Ending { refused, in_good_order: false, deadline: Instant::now() });
        }
    }
}

/// What a clock says is also seen at once by whoever watches it; nothing is ruled on that.
fn watched(slot: &Slot, taken: &[Taken]) {
    let mut pulse = slot.pulse();
    for Taken { input, .. } in taken {
        pulse.beat(Some(input.face.into()));
        if let DeviceAct::Fault(fault, _) = &input.act {
            pulse.fault(*fault);
        }
    }
}

/// A broken frame, by the status tonic gives it; `None` when the stream itself broke.
pub(super) fn frame_error(status: &Status, device: &str) -> Option<Refused> {
    let device = device.to_owned();
    match status.code() {
        Code::OutOfRange => {
            let why = format!("a frame is at most {} bytes long", super::FRAME_MAX);
            Some(Refused::BadFrame { device, why })
        }
        Code::Internal if status.message().contains("Protobuf") => {
            Some(Refused::BadFrame { device, why: status.message().to_owned() })
        }
        _ => None,
    }
}

/// Room in a game's mailbox, when there is something to tell it. A game that retired this moment is woken; one that cannot be
/// read is given up.
async fn room(arena: &Arena, game: Option<Arc<str>>) -> Option<Room> {
    const TRIES: usize = 3;
    let Some(name) = game else { return std::future::pending().await };
    for _ in 0..TRIES {
        let actor = arena.game(&name)?;
        if let Some(room) = actor.room().await {
            return Some(Room { name, actor, room });
        }
    }
    None
}

async fn recorded(lookup: &mut Option<Lookup>) -> Result<Vec<(u64, Hash)>, Refused> {
    match lookup {
        None => std::future::pending().await,
        Some(handle) => {
            let found = handle.await.unwrap_or(Err(Refused::JournalDown));
            *lookup = None;
            found
        }
    }
}
