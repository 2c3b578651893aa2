//! What is said to a game, and what a game says to a clock's session.

use std::sync::Arc;

use flagfall_proto::{clock::v1::Directive, desk::v1::GameSnapshot};
use flagfall_rules::{
    clock::Face,
    game::{DeskInput, DeviceInput, Event, Notice},
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{hub::Seat, roster::Slot};
use crate::{trail::Trail, wire::Refused};

/// The stub of a game's actor.
#[derive(Clone)]
pub struct GameHandle {
    pub(super) mailbox: mpsc::Sender<Message>,
    /// Cancelled once the actor has ended, with nothing of its doing under way.
    pub(super) gone: CancellationToken,
}

impl GameHandle {
    /// Waits for room in the game's mailbox; `None` when the actor has retired or died: ask the arena for it anew.
    pub async fn room(&self) -> Option<mpsc::OwnedPermit<Message>> {
        self.mailbox.clone().reserve_owned().await.ok()
    }

    /// It is the same actor's.
    #[must_use]
    pub fn is(&self, other: &GameHandle) -> bool {
        self.mailbox.same_channel(&other.mailbox)
    }

    /// Resolves once the actor has ended.
    pub async fn gone(self) {
        self.gone.cancelled().await;
    }

    /// The actor takes no more messages.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.mailbox.is_closed()
    }
}

/// What is said to a game.
pub enum Message {
    /// What happened at its clock, in order, all of it in one session.
    Heard(Vec<Heard>),
    /// Nothing more comes for now: what is held back is to be written.
    Flush,
    /// Somebody acts at the desk.
    Desk {
        /// The act, stamped.
        input: Box<DeskInput>,
        /// Answered once the act is on disk.
        reply: oneshot::Sender<Result<Answer, Refused>>,
    },
    /// What would follow from an act?
    Preview {
        /// The act.
        input: Box<DeskInput>,
        /// Answered with what would follow and the face it would follow from.
        reply: oneshot::Sender<Result<Foreseen, Refused>>,
    },
    /// A session begins: what is wanted of the clock?
    Wanted(Box<Greeted>, oneshot::Sender<Wanted>),
    /// The service noticed something of the clock.
    Noticed(Notice),
    /// How does the game stand?
    Snapshot(oneshot::Sender<GameSnapshot>),
    /// Somebody watches from here on.
    Watch(Seat),
}

/// An event of a clock on its way into a game.
pub struct Heard {
    /// As the rules know it.
    pub input: DeviceInput,
    /// The very bytes the clock spooled.
    pub bytes: Vec<u8>,
    /// The clock that says it.
    pub slot: Arc<Slot>,
    /// In which session it came, of which spool.
    pub origin: Origin,
    /// Where the ack goes.
    pub session: mpsc::Sender<ToSession>,
    /// What became of it so far.
    pub trail: Box<Trail>,
}

/// Where a device event came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Origin {
    /// The clock's session.
    pub epoch: u64,
    /// The clock's spool.
    pub spool: [u8; 16],
}

/// What a game says to a clock's session. Everything in it is on disk.
#[derive(Clone, Debug)]
pub enum ToSession {
    /// The session's events up to this one are on disk.
    Durable {
        /// The last of them.
        seq: u64,
        /// Their game.
        game: Arc<str>,
        /// The newest revision wanted in it after them.
        desired_rev: u64,
    },
    /// Something for the clock to do.
    Directive(Box<Directive>),
    /// The game could not write; what was not acknowledged is to be sent again later. Boxed: every clock has a queue with room for
    /// many of these, and it comes seldom.
    Lost(Box<Refused>),
}

/// What a desk's act led to; the same request gets it again.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Answer {
    /// The case it opened.
    pub case: Option<u32>,
    /// The directive it led to.
    pub rev: Option<u64>,
}

/// What would follow from an act, were it sent now.
#[derive(Clone, Debug)]
pub struct Foreseen {
    /// The events.
    pub events: Vec<Event>,
    /// The face last heard.
    pub before: Face,
}

/// What a clock says of itself when its session begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeted {
    /// Its spool.
    pub spool: [u8; 16],
    /// The game it has; empty when none.
    pub game: String,
    /// The last revision it handled there.
    pub applied_rev: u64,
}

/// What is wanted of a clock when its session begins.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The newest revision.
    pub desired_rev: u64,
    /// Directives without a final report, in order; not those that a later one among them replaces.
    pub directives: Vec<Directive>,
    /// The last event of the clock's spool before the game began on it; 0 when that is not known.
    pub before_game: u64,
}
