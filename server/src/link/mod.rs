//! The link: one stream a clock.
//!
//! ```text
//!   connection, once there is a place ── no Hello within 5 s, or too many connections ──▶ closed (`gate`)
//!        │ Hello
//!        ▼
//!    greeting ─▶ board ─▶ lane ─▶ turn ─▶ epoch on disk ─▶ Welcome, directives ─▶ live ──┐
//!        │         │                │                                        ▲           │ Events: taken ▶ routed
//!        │         │                │ CROWDED, after Goodbye                 └───────────┤ Durable ▶ Ack
//!        │         │ UNKNOWN_DEVICE, BOARD_TAKEN, DEVICE_TAKEN                           │ Directive ▶ Directive
//!        │ BAD_HELLO, PROTOCOL_RANGE                                                     │ Heartbeat: gap ▶ Rewind
//!        ▼                                                                               │            differs ▶ alarm
//!      closed ◀──── all it sent is on disk ◀──── ending ◀────────────────────────────────┘ Heartbeat ▶ Heartbeat
//!                   or known not to be             │ Goodbye, drain, end of stream: acks still go out
//!                                                  │ newer session, refusal, 15 s of silence: status now
//! ```
//!
//! - The clock says Hello; a newer session of the same clock throws the older one out, another clock on the board is refused, and so
//!   is a second one of the same name.
//! - The session waits for the lane: until the older session's events are on disk or known not to be. Then for its turn: so many
//!   clocks are taken in at a time, whatever comes at once; most of those that come at once wait before they are accepted.
//! - Its epoch goes to disk, then Welcome goes out with how far the spool is on disk, and the directives without a last word. A clock
//!   that came in the place of another is first given the game.
//! - Events are taken in order (`intake`) and go to the game they name, to the clock's game when they name none, or to the clock's own
//!   stream. When the goal changes, what is under way to the former one gets to disk first, so that no later event of a spool is
//!   ever kept without an earlier one.
//! - What the game says comes back through the session's inbox, already on disk. While a journal that lost its end is filled again from
//!   the spool, directives that follow wait until all of it is there: most have their last word further on in it.
//!
//! Out, there is one queue of 64 messages in the order in which they were said; an ack stands before the directives that its events
//! led to, acks that nothing passed are one, and a heartbeat is like any other message. In, a frame is taken when the one before it
//! was: the window alone holds a clock back.

mod gate;
mod intake;
mod route;
mod session;
mod welcome;

use std::time::Duration;

use flagfall_proto::clock::v1::{LinkRequest, LinkResponse, clock_service_server};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::{Request, Response, Status, Streaming};

pub use self::gate::Gate;
use crate::{
    arena::Arena,
    wire::{OutStream, Refused, guest::Pass, outgoing},
};

/// The longest frame of a clock in bytes.
pub const FRAME_MAX: usize = 64 * 1024;

/// Messages that may wait for a clock.
pub const QUEUE: usize = 64;

/// How often a clock says that it is there; the service answers.
pub const HEARTBEAT: Duration = Duration::from_secs(3);

/// After how long without such an answer the service says so by itself.
pub const UNASKED: Duration = Duration::from_secs(4);

/// After how long without a word a stream is ended.
pub const SILENCE: Duration = Duration::from_secs(15);

/// The clocks' service.
#[derive(Clone)]
pub struct Link {
    arena: Arena,
    drain: CancellationToken,
    tasks: TaskTracker,
    gate: Gate,
}

/// What every session of a service is given.
pub(crate) struct House {
    pub(crate) arena: Arena,
    pub(crate) drain: CancellationToken,
    pub(crate) gate: Gate,
}

impl Link {
    /// A service over an arena. Once `drain` is cancelled every session says Goodbye and ends, and no new one begins.
    #[must_use]
    pub fn new(arena: Arena, drain: CancellationToken) -> Link {
        let gate = Gate::new(arena.limits().connections, arena.limits().greetings);
        Link { arena, drain, tasks: TaskTracker::new(), gate }
    }

    /// The door that clocks' connections come through.
    #[must_use]
    pub fn gate(&self) -> Gate {
        self.gate.clone()
    }

    /// Waits for the sessions; they end when drained.
    pub async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[tonic::async_trait]
impl clock_service_server::ClockService for Link {
    type LinkStream = OutStream<LinkResponse>;

    async fn link(&self, request: Request<Streaming<LinkRequest>>) -> Result<Response<Self::LinkStream>, Status> {
        if self.drain.is_cancelled() {
            return Err(Refused::Draining.into());
        }
        let (out, stream) = outgoing(QUEUE);
        let house = House { arena: self.arena.clone(), drain: self.drain.clone(), gate: self.gate.clone() };
        let pass = request.extensions().get::<Pass>().cloned().unwrap_or_default();
        self.tasks.spawn(async move {
            let trails = house.arena.trails().clone();
            let served = welcome::serve(house, &pass, request.into_inner(), &out).await;
            pass.is_through();
            if let Err(refused) = served {
                tracing::warn!(%refused, "clock not taken in");
                trails.refused(&refused);
                out.finish(Some(refused.into()));
            }
        });
        Ok(Response::new(stream))
    }
}
