//! One session: greet, then talk until it ends.

use std::{ops::RangeInclusive, time::Duration};

use flagfall_proto::clock::v1::{LinkRequest, LinkResponse, clock_service_client::ClockServiceClient};
use flagfall_rules::{clock::Going, time::Moment};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::{Ended, FromLink, Uplink, Verdict, flow::Flow, pause::Pause, wanted::Wanted};
use crate::{
    agent::Timeline,
    wire::frame::{self, Said, Welcome},
};

/// How often each side says that it is there.
const BEAT: Duration = Duration::from_secs(3);

/// How long the service may say nothing.
const SILENCE: Duration = Duration::from_secs(15);

/// How long the clock may be behind without a directive arriving.
const BEHIND: Duration = Duration::from_secs(5);

/// How long the service may take to close after its goodbye, acknowledging what it still has.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// How long our own goodbye may take.
const OUR_GOODBYE: Duration = Duration::from_millis(500);

/// The largest message, bytes, both ways.
const MESSAGE_MAX: usize = 64 << 10;

/// The most bytes of events in a frame; what is around them must fit into the message too.
const EVENTS_MAX: usize = 48 << 10;

/// What a session waits for.
enum Next {
    Cancelled,
    Heard(Box<Result<Option<LinkResponse>, Status>>),
    Silent,
    Behind,
    Beat,
    Room(mpsc::OwnedPermit<LinkRequest>, RangeInclusive<u64>),
    Changed,
    Closed,
}

impl Uplink {
    /// Connects, greets and talks.
    pub(super) async fn session(&mut self, pause: &mut Pause) -> Ended {
        let connecting = async {
            let channel = (self.server.dial)().await.map_err(|error| Ended::Lost(chain(&error)))?;
            let client = ClockServiceClient::new(channel);
            let mut client = client.max_decoding_message_size(MESSAGE_MAX).max_encoding_message_size(MESSAGE_MAX);
            let (out, frames) = mpsc::channel(8);
            let hello = frame::hello(&self.device, self.boot, self.last_epoch, &self.standing.borrow_and_update());
            let _ = out.try_send(hello);
            let answer = client.link(ReceiverStream::new(frames)).await.map_err(Ended::Refused)?;
            let mut inbound = answer.into_inner();
            match said(inbound.message().await)? {
                Said::Welcome(welcome) => Ok((out, inbound, welcome)),
                Said::Goodbye { resume_after_ms, .. } => Err(Ended::Goodbye(Duration::from_millis(resume_after_ms))),
                other => Err(Ended::Lost(format!("the service did not greet but said {other:?}"))),
            }
        };
        let connected = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Ended::Cancelled,
            connected = timeout(SILENCE, connecting) => connected,
        };
        let (out, inbound, welcome) = match connected {
            Ok(Ok(connected)) => connected,
            Ok(Err(ended)) => return ended,
            Err(_) => return Ended::Lost("the service did not answer the greeting".to_owned()),
        };
        self.last_epoch = self.last_epoch.max(welcome.epoch);
        let (reply, verdict) = oneshot::channel();
        if !self.tell(FromLink::Welcome(welcome.clone(), reply)).await {
            return Ended::Cancelled;
        }
        match verdict.await {
            Ok(Verdict::Go) => self.talk(pause, welcome, out, inbound).await,
            Ok(Verdict::Forked(why)) => Ended::Forked(why),
            Ok(Verdict::Anew) => Ended::Anew,
            Err(_) => Ended::Cancelled,
        }
    }

    async fn talk(
        &mut self,
        pause: &mut Pause,
        welcome: Welcome,
        out: mpsc::Sender<LinkRequest>,
        mut inbound: Streaming<LinkResponse>,
    ) -> Ended {
        let mut flow = Flow::new(welcome.window, welcome.durable_through);
        let mut wanted = Wanted::new(&welcome, &self.standing.borrow().game);
        let mut heard = Instant::now();
        let mut beat = interval_at(heard + BEAT, BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let (ready, behind) = {
                let standing = self.standing.borrow_and_update();
                let goal = wanted.goal(&standing);
                let behind = wanted.since(&standing).filter(|_| self.tried.as_ref() != Some(&goal));
                (flow.next(standing.last_seq), behind)
            };
            let next = tokio::select! {
                biased;
                () = self.cancel.cancelled() => Next::Cancelled,
                message = inbound.message() => Next::Heard(Box::new(message)),
                () = sleep_until(heard + SILENCE) => Next::Silent,
                () = sleep_until(behind.unwrap_or(heard) + BEHIND), if behind.is_some() => Next::Behind,
                _ = beat.tick() => Next::Beat,
                permit = out.clone().reserve_owned(), if ready.is_some() => match (permit, ready) {
                    (Ok(permit), Some(range)) => Next::Room(permit, range),
                    _ => Next::Closed,
                },
                changed = self.standing.changed() => if changed.is_ok() { Next::Changed } else { Next::Cancelled },
            };
            match next {
                Next::Cancelled => return farewell(out, inbound).await,
                Next::Silent => return Ended::Lost("the service has said nothing for 15 s".to_owned()),
                Next::Behind => {
                    self.tried = Some(wanted.goal(&self.standing.borrow()));
                    return Ended::Lost("a directive is wanted and has not come for 5 s".to_owned());
                }
                // The transport ends the stream in the other direction too, and says why there.
                Next::Closed => return Ended::Lost("the stream was closed".to_owned()),
                Next::Changed => {}
                Next::Beat => {
                    // A full queue says by itself that we are here.
                    let now = match &self.timeline {
                        Timeline::Clock(clock) => Some(Moment { boot: self.boot, ms: clock() }),
                        Timeline::Scripted => None,
                    };
                    let _ = out.try_send(frame::heartbeat(welcome.epoch, now, &self.standing.borrow()));
                }
                Next::Room(permit, range) => {
                    let Some(events) = self.pull(range).await else { return Ended::Cancelled };
                    if events.is_empty() {
                        return Ended::Lost("the spool was begun anew".to_owned());
                    }
                    flow.sent(events.len() as u64);
                    permit.send(frame::events(welcome.epoch, events, self.timeline.sent_ms()));
                }
                Next::Heard(message) => {
                    heard = Instant::now();
                    let said = match said(*message) {
                        Ok(said) => said,
                        Err(ended) => return ended,
                    };
                    let news = match said {
                        Said::Welcome(_) => return Ended::Lost("the service greeted twice".to_owned()),
                        Said::Ack { through, desired_rev } => {
                            if !flow.acked(through) {
                                return Ended::Lost(format!(
                                    "the service acknowledged {through}, which it cannot have"
                                ));
                            }
                            pause.reset();
                            wanted.rev = desired_rev;
                            FromLink::Ack { through, desired_rev }
                        }
                        Said::Rewind(from) => {
                            if !flow.rewind(from) {
                                return Ended::Lost(format!("the service asked for {from}, which makes no sense"));
                            }
                            continue;
                        }
                        Said::Heartbeat { desired_rev, released_through } => {
                            pause.reset();
                            if self.may_forget(released_through) {
                                return Ended::Anew;
                            }
                            wanted.rev = desired_rev;
                            FromLink::Desired(desired_rev)
                        }
                        Said::Directive(Ok(directive)) => {
                            wanted.arrived();
                            FromLink::Directive(directive)
                        }
                        Said::Directive(Err(refused)) => {
                            // It does not even name itself, so there is nothing to report on.
                            tracing::error!(device = self.device, %refused, "a directive that is none");
                            continue;
                        }
                        Said::Goodbye { resume_after_ms, reason } => {
                            tracing::info!(device = self.device, reason, "the service says goodbye");
                            let rest = Duration::from_millis(resume_after_ms);
                            return self.last_words(flow, rest, out, inbound).await;
                        }
                    };
                    if !self.tell(news).await {
                        return Ended::Cancelled;
                    }
                }
            }
        }
    }

    /// The round is closed and nothing of the spool is needed any more: the next Welcome says so too, and there the spool is begun anew.
    /// Tried once for each end of a spool.
    fn may_forget(&mut self, released: u64) -> bool {
        let (spool, last, over) = {
            let standing = self.standing.borrow();
            (standing.spool_id, standing.last_seq, standing.face.going == Going::Over && !standing.busy)
        };
        let may = over && last > 0 && released >= last && self.forgotten != Some((spool, last));
        if may {
            self.forgotten = Some((spool, last));
        }
        may
    }

    /// Asks the actor for events; `None` when it is no more. At least one comes, however long it is.
    async fn pull(&self, range: RangeInclusive<u64>) -> Option<Vec<Vec<u8>>> {
        let (reply, events) = oneshot::channel();
        let from = *range.start();
        let max = usize::try_from(range.end() - from + 1).unwrap_or(1);
        if !self.tell(FromLink::Pull { from, max, reply }).await {
            return None;
        }
        let mut events = events.await.ok()?;
        let mut room = EVENTS_MAX;
        let fits = events.iter().take_while(|event| match room.checked_sub(event.len() + 8) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        });
        let fits = fits.count().max(1);
        events.truncate(fits);
        Some(events)
    }

    /// The service is leaving: nothing more is sent to it, but what it still acknowledges counts.
    async fn last_words(
        &mut self,
        mut flow: Flow,
        rest: Duration,
        out: mpsc::Sender<LinkRequest>,
        mut inbound: Streaming<LinkResponse>,
    ) -> Ended {
        let _ = out.try_send(frame::goodbye("the service is leaving"));
        drop(out);
        let listening = async {
            // A directive that still comes is sent again in the next session.
            while let Ok(said) = said(inbound.message().await) {
                let Said::Ack { through, desired_rev } = said else { continue };
                if !flow.acked(through) || !self.tell(FromLink::Ack { through, desired_rev }).await {
                    break;
                }
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Ended::Cancelled,
            _ = timeout(LAST_WORDS, listening) => {}
        }
        Ended::Goodbye(rest)
    }
}

/// We are leaving: say so, and give the transport the time to carry it.
async fn farewell(out: mpsc::Sender<LinkRequest>, mut inbound: Streaming<LinkResponse>) -> Ended {
    let _ = out.try_send(frame::goodbye("the clock is shut down"));
    drop(out);
    let _ = timeout(OUR_GOODBYE, async { while let Ok(Some(_)) = inbound.message().await {} }).await;
    Ended::Cancelled
}

fn said(message: Result<Option<LinkResponse>, Status>) -> Result<Said, Ended> {
    match message {
        Ok(Some(message)) => {
            frame::read(message).map_err(|refused| Ended::Lost(format!("the service broke the contract: {refused}")))
        }
        Ok(None) => Err(Ended::Lost("the service closed the stream".to_owned())),
        Err(status) => Err(Ended::Refused(status)),
    }
}

/// An error with its causes: tonic's own text says no more than "transport error".
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
