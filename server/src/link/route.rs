//! Where the events of a session go, one after the other.
//!
//! The goal of an event is the game that it names, the clock's game when it names none, or the clock's own stream. While events are under
//! way to one goal nothing goes to another: otherwise the journal could keep a later event of the spool and lose an earlier.

use std::{collections::VecDeque, future::pending, pin::Pin, sync::Arc};

use tokio::sync::mpsc;

use super::intake::Taken;
use crate::{
    arena::{Arena, GameHandle, Heard, Message, Origin, Slot, ToSession},
    journal::{AppendError, Durable, ENTRY_MAX, Ticket, codec::Kept},
    trail::{Presence, Trail},
    wire::Hash,
};

/// Bytes of events that go into one entry of the clock's own stream.
const OWN_BYTES: usize = ENTRY_MAX / 4;

/// Events that go to a game together: a frame of a press has two, one of a spool that catches up has many.
const TOGETHER: usize = 64;

/// Where an event goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Goal {
    Game(Arc<str>),
    /// The clock's own stream.
    Own,
}

/// Room in a game's mailbox.
pub(super) struct Room {
    pub(super) name: Arc<str>,
    pub(super) actor: GameHandle,
    pub(super) room: mpsc::OwnedPermit<Message>,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Give the first events to this game.
    Events(Arc<str>),
    /// Let this game write what it holds: something waits for it.
    Flush(Arc<str>),
    /// Write events to the clock's own stream.
    Own,
    /// Wait.
    Nothing,
}

/// The wait for an actor's end.
type Gone = Pin<Box<dyn Future<Output = ()> + Send>>;

/// See the module.
#[derive(Default)]
pub(super) struct Router {
    /// Taken, not under way yet.
    queue: VecDeque<Taken>,
    /// Under way to `goal`, not known to be on disk.
    flying: VecDeque<(u64, Hash)>,
    goal: Option<Goal>,
    /// The actor that was last given events, and the wait for its end: begun once, for a session looks at it with every step.
    reader: Option<(GameHandle, Gone)>,
    /// The goal was asked to write what it holds, and got nothing since.
    flushed: bool,
    /// Entries of the own stream under way, with the last event in each.
    own: VecDeque<(Ticket, u64)>,
}

impl Router {
    pub(super) fn queue(&mut self, taken: Vec<Taken>) {
        self.queue.extend(taken);
    }

    /// Nothing waits and nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.flying.is_empty()
    }

    pub(super) fn drop_queue(&mut self) {
        self.queue.clear();
    }

    /// What is to be done next; `ending`: nothing more will come to push out what the goal holds.
    pub(super) fn next(&self, slot: &Arc<Slot>, arena: &Arena, ending: bool) -> Next {
        let flush = || match &self.goal {
            Some(Goal::Game(game)) if !self.flushed && !self.flying.is_empty() => Next::Flush(Arc::clone(game)),
            _ => Next::Nothing,
        };
        let Some(first) = self.queue.front() else { return if ending { flush() } else { Next::Nothing } };
        match goal_of(first, slot, arena) {
            goal if !self.flying.is_empty() && self.goal.as_ref() != Some(&goal) => flush(),
            Goal::Game(game) => Next::Events(game),
            Goal::Own => Next::Own,
        }
    }

    /// The game that is next to be told something.
    pub(super) fn next_game(&self, slot: &Arc<Slot>, arena: &Arena, ending: bool) -> Option<Arc<str>> {
        match self.next(slot, arena, ending) {
            Next::Events(game) | Next::Flush(game) => Some(game),
            Next::Own | Next::Nothing => None,
        }
    }

    /// The goal was asked to write what it holds.
    pub(super) fn flushed(&mut self) {
        self.flushed = true;
    }

    /// The first events that are this game's, on their way to it together.
    pub(super) fn forward(
        &mut self,
        to: &Room,
        (slot, arena): (&Arc<Slot>, &Arena),
        origin: Origin,
        session: &mpsc::Sender<ToSession>,
        presence: &Arc<Presence>,
    ) -> Vec<Heard> {
        let goal = Goal::Game(Arc::clone(&to.name));
        let mut heard = Vec::with_capacity(self.queue.len().min(TOGETHER));
        while heard.len() < TOGETHER
            && let Some(taken) = self.queue.pop_front_if(|first| goal_of(first, slot, arena) == goal)
        {
            let Taken { input, traceparent, bytes, hash, received, sent_ms, .. } = taken;
            self.flying.push_back((input.seq, hash));
            let mut trail = Box::new(Trail::of_event(&input, &traceparent, &origin.spool, Arc::clone(presence)));
            (trail.received, trail.sent_ms) = (received, sent_ms);
            heard.push(Heard { input, bytes, slot: Arc::clone(slot), origin, session: session.clone(), trail });
        }
        if !heard.is_empty() {
            (self.goal, self.flushed) = (Some(goal), false);
            self.reads(&to.actor);
        }
        heard
    }

    /// This actor has the session's events now.
    fn reads(&mut self, actor: &GameHandle) {
        if self.reader.as_ref().is_none_or(|(reader, _)| !reader.is(actor)) {
            self.reader = Some((actor.clone(), Box::pin(actor.clone().gone())));
        }
    }

    /// Two waits. One resolves when the first entry of the own stream is on disk, or is not; the other when the actor that has
    /// events under way is gone: it tells what became of them, unless it broke.
    pub(super) fn waits(
        &mut self,
    ) -> (impl Future<Output = Result<Durable, AppendError>> + use<'_>, impl Future<Output = ()> + use<'_>) {
        let own = self.own.front_mut().map(|(ticket, _)| ticket);
        let in_a_game = !self.flying.is_empty() && matches!(self.goal, Some(Goal::Game(_)));
        let reader = self.reader.as_mut().filter(|_| in_a_game).map(|(_, gone)| gone);
        (or_never(own), or_never(reader))
    }

    /// That actor is gone.
    pub(super) fn reader_is_gone(&mut self) {
        self.reader = None;
    }

    /// Something is under way.
    pub(super) fn is_flying(&self) -> bool {
        !self.flying.is_empty()
    }

    /// The first events, on their way to the clock's own stream, and the number of the last.
    pub(super) fn take_own(&mut self, slot: &Arc<Slot>, arena: &Arena) -> (Vec<Kept>, u64) {
        let (mut inputs, mut bytes, mut last) = (Vec::new(), 0, 0);
        while let Some(taken) =
            self.queue.pop_front_if(|first| bytes < OWN_BYTES && goal_of(first, slot, arena) == Goal::Own)
        {
            bytes += taken.bytes.len();
            last = taken.input.seq;
            self.flying.push_back((last, taken.hash));
            inputs.push(Kept::Device(taken.bytes));
        }
        self.goal = Some(Goal::Own);
        (inputs, last)
    }

    /// An entry of the own stream is under way, up to this event.
    pub(super) fn own_is_written(&mut self, ticket: Ticket, seq: u64) {
        self.own.push_back((ticket, seq));
    }

    /// The first entry of the own stream is on disk; the last event in it.
    pub(super) fn own_is_durable(&mut self) -> u64 {
        self.own.pop_front().map_or(0, |(_, seq)| seq)
    }

    /// What is under way will not be heard of again.
    pub(super) fn lost(&mut self) {
        self.own.clear();
        self.flying.clear();
    }

    /// Events up to this one are on disk; the hash of the last, when there is one that was not before.
    pub(super) fn on_disk(&mut self, seq: u64) -> Option<Hash> {
        let mut last = None;
        while let Some((_, hash)) = self.flying.pop_front_if(|&mut (flying, _)| flying <= seq) {
            last = Some(hash);
        }
        last
    }
}

async fn or_never<F: Future + Unpin>(future: Option<F>) -> F::Output {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}

fn goal_of(taken: &Taken, slot: &Arc<Slot>, arena: &Arena) -> Goal {
    let current = slot.game();
    match &taken.game {
        // What belongs to an earlier game may come after the next one was opened: a last report, or all of it when a journal is
        // filled again.
        Some(game) if current.as_ref().is_none_or(|current| **current != **game) => match arena.is_on(game, slot) {
            true => Goal::Game(game.as_str().into()),
            false => Goal::Own,
        },
        _ => current.map_or(Goal::Own, Goal::Game),
    }
}
