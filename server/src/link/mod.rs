//! The link: one stream a clock.
//!
//! ```text
//!              Hello within 5 s                     epoch on disk
//!   (stream) ───────────────────▶ greeting ─▶ lane ───────────────▶ Welcome, directives ─▶ live ──┐
//!                                    │                                              ▲             │ Events: taken ▶ routed
//!                                    │ UNKNOWN_DEVICE, BOARD_TAKEN,                  └─────────────┤ Durable ▶ Ack
//!                                    │ PROTOCOL_RANGE, BAD_HELLO                                   │ Directive ▶ Directive
//!                                    ▼                                                             │ 3 s ▶ Heartbeat
//!                                  closed ◀── all it sent is on disk ◀── ending ◀─────────────────┘
//!                                             or known not to be          │ Goodbye, drain, end of stream: acks still go out
//!                                                                         │ newer session, refusal, 15 s of silence: status now
//! ```
//!
//! - The clock says Hello; a newer session of the same clock throws the older one out, another clock on the board is refused.
//! - The session waits for the lane: until the older session's events are on disk or known not to be.
//! - Its epoch goes to disk, then Welcome goes out with how far the spool is on disk, and the directives not finally reported.
//! - Events are taken in order (`intake`) and go to the clock's game, or to the clock's own stream when it has none; reports
//!   go to the game they name. When the goal changes, what is under way to the former one gets to disk first, so that no
//!   later event of a spool is ever kept without an earlier one.
//! - What the game says comes back through the session's inbox, already on disk.

mod intake;
mod route;
mod session;
mod welcome;

use std::time::Duration;

use flagfall_proto::clock::v1::{LinkRequest, LinkResponse, clock_service_server};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::{Request, Response, Status, Streaming};

use crate::{
    arena::Arena,
    wire::{OutStream, Refused, outgoing},
};

/// The longest frame of a clock in bytes.
pub const FRAME_MAX: usize = 64 * 1024;

/// Messages that may wait for a clock.
pub const QUEUE: usize = 64;

/// How long a clock may take to say Hello.
pub const HELLO: Duration = Duration::from_secs(5);

/// How often each side says that it is there.
pub const HEARTBEAT: Duration = Duration::from_secs(3);

/// After how long without a word a stream is ended.
pub const SILENCE: Duration = Duration::from_secs(15);

/// The clocks' service.
#[derive(Clone)]
pub struct Link {
    arena: Arena,
    drain: CancellationToken,
    tasks: TaskTracker,
}

impl Link {
    /// A service over an arena. Once `drain` is cancelled every session says Goodbye and ends, and no new one begins.
    #[must_use]
    pub fn new(arena: Arena, drain: CancellationToken) -> Link {
        Link { arena, drain, tasks: TaskTracker::new() }
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
        let (arena, drain) = (self.arena.clone(), self.drain.clone());
        self.tasks.spawn(async move {
            let trails = arena.trails().clone();
            if let Err(refused) = welcome::serve(arena, drain, request.into_inner(), &out).await {
                tracing::warn!(%refused, "clock not taken in");
                trails.refused(&refused);
                out.finish(Some(refused.into()));
            }
        });
        Ok(Response::new(stream))
    }
}
