//! The actor of a game: waits for one thing, turns it into a [`Step`], then changes state without waiting.
//!
//! ```text
//!   mailbox ──┐                      ┌─ append ──▶ journal
//!   tickets ──┼─ select ─▶ Step ─▶ apply
//!   timers  ──┘                      └─ queue: what leaves when its entry is on disk, in order:
//!                                       ack ▶ directives ▶ watchers ▶ the desk's answer
//! ```
//!
//! State may run ahead of the disk, and entries follow each other into the journal without waiting; nothing leaves before its
//! entry is durable. When an append fails, what is known of the game may be more than what is kept: the actor dies, tells those
//! who wait, and the game is read from the journal again when somebody needs it.

use std::{collections::VecDeque, future::pending, ops::ControlFlow, pin::Pin, sync::Arc};

use flagfall_proto::desk::v1::{GameSnapshot, WatchGamesResponse};
use flagfall_rules::game::{Event, Notice, Question};
use flagfall_trace::log;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, Sleep, sleep_until},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::{
    core::Core,
    handle::{Answer, GameHandle, Heard, Message, ToSession, Wanted},
    home::{Home, Tenant},
    hub::Seat,
    leaving::{Leaving, Outcome},
    list,
    oracle::Oracle,
    place::Place,
    quarantine::Trouble,
    recover,
    shared::Shared,
};
use crate::{
    journal::{AppendError, Durable, codec},
    trail::{Stamp, Track},
    wire::Refused,
};

/// Messages that may wait for a game: a clock's window, and the desk's acts.
const MAILBOX: usize = 512;

/// What may wait for the disk before the actor stops taking messages.
const QUEUE: usize = 1_024;

/// Where a game begins: in the journal, or in memory.
pub(super) enum Origin {
    /// To be read, once the actor before it has ended.
    Journal(Option<CancellationToken>),
    /// Just opened, or just read.
    Core(Box<Core>),
}

/// What waits in the queue.
enum Leave {
    /// An entry that is not on disk yet, and the answer to the desk's act in it.
    Entry(Box<Leaving>, Option<Reply>),
    /// What was asked meanwhile leaves after all entries before it.
    Answer(Reply),
    Wanted(oneshot::Sender<Wanted>, Wanted),
    Snapshot(oneshot::Sender<GameSnapshot>, Box<GameSnapshot>),
    Watch(Seat, Box<GameSnapshot>),
}

type Reply = (oneshot::Sender<Result<Answer, Refused>>, Result<Answer, Refused>);

/// The one thing that happened.
enum Step {
    Message(Option<Message>),
    Written(Result<Durable, AppendError>),
    HoldOver,
    Overdue,
    Answered(u32, Option<bool>),
    Idle,
    Stop,
}

/// The actor; [`GameActor::run`] drives it.
pub struct GameActor {
    tenant: Tenant,
    origin: Origin,
    mailbox: mpsc::Receiver<Message>,
    gone: CancellationToken,
    home: Arc<Home>,
    shared: Arc<Shared>,
}

/// Stub and actor of a game, born together; the caller decides where the actor runs.
pub(super) fn actor(tenant: Tenant, origin: Origin, home: Arc<Home>, shared: Arc<Shared>) -> (GameHandle, GameActor) {
    let (sender, mailbox) = mpsc::channel(MAILBOX);
    let gone = CancellationToken::new();
    let handle = GameHandle { mailbox: sender, gone: gone.clone() };
    (handle, GameActor { tenant, origin, mailbox, gone, home, shared })
}

impl GameActor {
    /// Runs until the game has been idle for long, the service stops, or the journal fails.
    pub async fn run(self) {
        let GameActor { tenant, origin, mailbox, gone, home, shared } = self;
        let _gone = gone.drop_guard();
        let name = Arc::clone(&tenant.name);
        let core = match origin {
            Origin::Core(core) => core,
            Origin::Journal(before) => {
                if let Some(before) = before {
                    before.cancelled().await;
                }
                let (journal, game) = (Arc::clone(&shared.journal), Arc::clone(&name));
                let Ok(read) = shared.limits.beside.run(move || recover::game(&*journal, &game)).await else { return };
                if let Some(error) = read.trouble {
                    return shared.quarantine.put(list::stream(&name), Trouble::Damaged(error.to_string()));
                }
                Box::new(read.core)
            }
        };
        tenant.stands(core.is_free(), core.game().ended.is_some());
        let place = Place::new(tenant, home, &core, &shared.roster);
        let patience = Instant::now() + shared.limits.directive();
        let overdue = core.unanswered().map(|rev| (patience, rev)).collect();
        let (queue, hold_until, touched) = (VecDeque::new(), None, Instant::now());
        let (stopping, drained) = (false, false);
        let asked: Vec<Question> = core.game().unanswered().cloned().collect();
        let oracle = Oracle::new(shared.limits.beside);
        asked.into_iter().for_each(|question| oracle.ask(question));
        let rest = Box::pin(sleep_until(touched + shared.limits.idle()));
        let stop = Box::pin(shared.stop.clone().cancelled_owned());
        let table = Table {
            core,
            mailbox,
            place,
            shared,
            queue,
            overdue,
            oracle,
            track: Track::default(),
            hold_until,
            touched,
            rest,
            stop,
            stopping,
            drained,
        };
        table.run().await;
    }
}

struct Table {
    /// Boxed: a future keeps room for it in each of its states.
    core: Box<Core>,
    mailbox: mpsc::Receiver<Message>,
    /// The clock, and those that the game has left.
    place: Place,
    shared: Arc<Shared>,
    /// What leaves, in order; every entry in it has been given to the journal.
    queue: VecDeque<Leave>,
    /// Directives without a final word, and when the desk is told; the oldest first.
    overdue: VecDeque<(Instant, u64)>,
    /// Answers what takes longer than a press may.
    oracle: Oracle,
    /// What became of the inputs before.
    track: Track,
    /// When held scans are written at the latest.
    hold_until: Option<Instant>,
    /// When the last message came.
    touched: Instant,
    /// Nothing came for long. Set anew only when it ends too early: messages are many.
    rest: Pin<Box<Sleep>>,
    /// The service stops. One wait for the whole life: all games share what it waits for.
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The mailbox is closed and only what is in it is still done.
    stopping: bool,
    /// The mailbox is closed and empty: only what is on its way to the disk is still waited for.
    drained: bool,
}

impl Table {
    async fn run(mut self) {
        loop {
            let step = self.step().await;
            if self.apply(step).is_break() {
                return;
            }
        }
    }

    async fn step(&mut self) -> Step {
        let idle = self.queue.is_empty() && self.overdue.is_empty() && self.hold_until.is_none() && !self.stopping;
        let overdue_at = self.overdue.front().map(|&(at, _)| at);
        let room = self.queue.len() < QUEUE;
        let ticket = match self.queue.front_mut() {
            Some(Leave::Entry(leaving, _)) => Some(&mut leaving.ticket),
            _ => None,
        };
        tokio::select! {
            // Never by chance; what comes seldom first, so that messages that never end cannot talk over it.
            biased;
            () = self.stop.as_mut(), if !self.stopping => Step::Stop,
            result = or_never(ticket) => Step::Written(result),
            () = at(self.hold_until) => Step::HoldOver,
            () = at(overdue_at), if room => Step::Overdue,
            (number, can_mate) = self.oracle.answer(), if room => Step::Answered(number, can_mate),
            message = self.mailbox.recv(), if room && !self.drained => Step::Message(message),
            () = self.rest.as_mut(), if idle => Step::Idle,
        }
    }

    fn apply(&mut self, step: Step) -> ControlFlow<()> {
        match step {
            Step::Message(Some(message)) => {
                self.touched = Instant::now();
                self.take(message);
            }
            Step::Message(None) => {
                self.drained = true;
                self.flush();
            }
            Step::Written(Ok(durable)) => {
                if let Some(Leave::Entry(leaving, _)) = self.queue.front_mut()
                    && let Some(trail) = &mut leaving.trail
                {
                    (trail.durable, trail.batch) = (Stamp::now(), durable.batch);
                }
                self.leave();
            }
            Step::Written(Err(error)) => {
                self.die(&error);
                return ControlFlow::Break(());
            }
            Step::HoldOver => self.flush(),
            Step::Overdue => {
                if let Some((_, rev)) = self.overdue.pop_front()
                    && let Some(outcome) = self.core.overdue(rev, &*self.shared.journal)
                {
                    self.queue(outcome, None);
                }
            }
            Step::Answered(number, can_mate) => {
                if let Some(outcome) = self.core.answer(number, can_mate, &*self.shared.journal) {
                    self.queue(outcome, None);
                }
            }
            Step::Idle if self.rest_at() > Instant::now() => {
                let rest_at = self.rest_at();
                self.rest.as_mut().reset(rest_at);
            }
            Step::Idle | Step::Stop => {
                self.stopping = true;
                self.mailbox.close();
            }
        }
        // What waits only for entries that are gone by now.
        while !matches!(self.queue.front(), None | Some(Leave::Entry(..))) {
            self.leave();
        }
        match self.drained && self.queue.is_empty() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn rest_at(&self) -> Instant {
        self.touched + self.shared.limits.idle()
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Heard(heard) => heard.into_iter().for_each(|heard| self.hear(heard)),
            Message::Flush => self.flush(),
            Message::Desk { input, reply } => match self.core.answered(&input.request) {
                Some(answer) => self.queue.push_back(Leave::Answer((reply, Ok(answer)))),
                None => match self.place.act(&mut self.core, *input, &self.shared) {
                    Ok((outcome, answer)) => self.queue(outcome, Some((reply, Ok(answer)))),
                    Err(refused) => self.queue.push_back(Leave::Answer((reply, Err(refused)))),
                },
            },
            Message::Preview { input, reply } => {
                // Nobody may wait for it any more.
                let _gone = reply.send(self.place.preview(&self.core, *input, &self.shared));
            }
            Message::Wanted(greeted, reply) => {
                self.flush();
                if self.core.has_lost_its_clock(&greeted) {
                    if let Some(shows) = self.place.shows(&self.core) {
                        self.notice(shows);
                    }
                    self.notice(Notice::Replaced);
                }
                self.queue.push_back(Leave::Wanted(reply, self.core.wanted(&greeted)));
            }
            Message::Noticed(notice) => self.notice(notice),
            Message::Snapshot(reply) => {
                self.flush();
                self.queue.push_back(Leave::Snapshot(reply, Box::new(self.core.snapshot())));
            }
            Message::Watch(seat) => {
                self.flush();
                self.queue.push_back(Leave::Watch(seat, Box::new(self.core.snapshot())));
            }
        }
    }

    fn hear(&mut self, heard: Heard) {
        if !self.place.is(&heard.slot) {
            // Said before the clock heard that its game has gone: the next session keeps it in the clock's own stream.
            let (game, device) = (self.core.name.to_string(), heard.slot.name().to_owned());
            let moved = Box::new(Refused::GameMoved { game, device });
            return drop(heard.session.try_send(ToSession::Lost(moved)));
        }
        let hold = self.core.held() + 1 < self.shared.limits.scans_held;
        for outcome in self.core.heard(heard, hold, &*self.shared.journal) {
            self.queue(outcome, None);
        }
    }

    fn notice(&mut self, notice: Notice) {
        if let Some(outcome) = self.core.notice(notice, &*self.shared.journal) {
            self.queue(outcome, None);
        }
    }

    fn flush(&mut self) {
        if let Some(outcome) = self.core.flush(&*self.shared.journal) {
            self.queue(outcome, None);
        }
    }

    fn queue(&mut self, outcome: Outcome, reply: Option<Reply>) {
        match outcome {
            Outcome::Held => {
                let hold = self.shared.limits.scan_hold();
                self.hold_until.get_or_insert_with(|| Instant::now() + hold);
            }
            Outcome::Entry(leaving) => {
                self.hold_until = None;
                let patience = Instant::now() + self.shared.limits.directive();
                self.overdue.extend(leaving.directives.iter().map(|directive| (patience, directive.rev)));
                let asked = leaving.events.iter().filter_map(|event| match event {
                    Event::Asked(question) => Some((**question).clone()),
                    _ => None,
                });
                asked.for_each(|question| self.oracle.ask(question));
                self.queue.push_back(Leave::Entry(leaving, reply));
            }
        }
    }

    /// The front of the queue leaves: its entry, and all before it, are on disk.
    fn leave(&mut self) {
        match self.queue.pop_front() {
            Some(Leave::Entry(leaving, reply)) => {
                self.entry_leaves(*leaving);
                answer(reply);
            }
            Some(Leave::Answer(reply)) => answer(Some(reply)),
            // Whoever asked and went away needs no answer.
            Some(Leave::Wanted(reply, wanted)) => drop(reply.send(wanted)),
            Some(Leave::Snapshot(reply, snapshot)) => drop(reply.send(*snapshot)),
            Some(Leave::Watch(seat, snapshot)) => self.shared.hub.seat(seat, &self.core.name, *snapshot),
            None => {}
        }
    }

    fn entry_leaves(&mut self, leaving: Leaving) {
        let Leaving { index, ack, desired_rev, directives, events, first, free, trail, .. } = leaving;
        let game = &self.core.name;
        if let Some(ack) = ack {
            let durable = ToSession::Durable { seq: ack.seq, game: Arc::clone(game), desired_rev };
            // A session that ended meanwhile goes on from what is on disk.
            let _ended = ack.session.try_send(durable);
        }
        #[cfg(feature = "failpoints")]
        if !directives.is_empty() {
            fail::fail_point!("after-ack");
        }
        for directive in directives {
            self.place.tell(directive);
        }
        if let Some(first) = first {
            self.shared.hub.opened(game, &first);
        } else if !self.shared.hub.is_empty() {
            let traced = trail.as_ref().filter(|_| codec::is_traced(&events));
            let trace_id = traced.map_or_else(String::new, |trail| trail.context.trace());
            let events = events.iter().map(|event| codec::event_to_proto(game, event)).collect();
            let update = WatchGamesResponse { game: game.to_string(), entry: index, events, snapshot: None, trace_id };
            self.shared.hub.publish(&update);
        }
        if let Some(trail) = trail {
            self.track.end(trail, &events, &self.shared.trails);
        }
        let over = free && self.core.game().ended.is_some();
        self.place.on_disk(&events, free && self.core.is_free(), over);
    }

    /// An append failed. What waits is told, and nothing of it leaves.
    fn die(&mut self, error: &AppendError) {
        let failed = match self.queue.front() {
            Some(Leave::Entry(leaving, _)) => leaving.trail.as_ref().map(|trail| trail.context),
            _ => None,
        };
        let _within = failed.map(log::within);
        tracing::error!(game = &*self.core.name, %error, "an entry was not written; the game is read again when it is needed");
        let refused = Refused::from(error);
        self.place.undo();
        self.shared.failed.notify_one();
        // A session that has ended needs not be told.
        let lost =
            |session: &mpsc::Sender<ToSession>| drop(session.try_send(ToSession::Lost(Box::new(refused.clone()))));
        self.core.waiting().inspect(|ack| lost(&ack.session));
        for leave in self.queue.drain(..) {
            match leave {
                Leave::Entry(leaving, reply) => {
                    if let Some(mut trail) = leaving.trail {
                        trail.error = Some(refused.to_string());
                        self.track.end(trail, &[], &self.shared.trails);
                    }
                    leaving.ack.inspect(|ack| lost(&ack.session));
                    answer(reply.map(|(to, _)| (to, Err(refused.clone()))));
                }
                Leave::Answer((to, _)) => answer(Some((to, Err(refused.clone())))),
                // Dropped: who asked sees that no answer comes.
                Leave::Wanted(..) | Leave::Snapshot(..) | Leave::Watch(..) => {}
            }
        }
        self.mailbox.close();
        while let Ok(message) = self.mailbox.try_recv() {
            match message {
                Message::Heard(heard) => heard.iter().for_each(|heard| lost(&heard.session)),
                Message::Desk { reply, .. } => answer(Some((reply, Err(refused.clone())))),
                _ => {}
            }
        }
    }
}

fn answer(reply: Option<Reply>) {
    if let Some((to, answer)) = reply {
        // A desk that went away sends the request again and gets the same answer.
        let _gone = to.send(answer);
    }
}

async fn at(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => pending().await,
    }
}

async fn or_never<F: Future + Unpin>(future: Option<F>) -> F::Output {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}
