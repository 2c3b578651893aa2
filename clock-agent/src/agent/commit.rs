//! How a batch becomes durable and then visible.

use flagfall_rules::clock::Going;
use tokio::{sync::oneshot, task::spawn_blocking};

use super::{Agent, AgentError, Batch, Question, standing};
use crate::{
    core::{Effect, LinkNews},
    sense::Ask,
    spool::{Record, Spool, SpoolError},
    uplink::Verdict,
    wire::{self, frame::Welcome},
};

/// An answer that waits until everything before it can be seen. A link that is gone needs none.
enum Answer {
    Verdict(oneshot::Sender<Verdict>, Verdict),
    Events(oneshot::Sender<Vec<Vec<u8>>>, Vec<Vec<u8>>),
}

impl Agent {
    /// Makes a batch durable, and only then lets anything of it be seen.
    pub(super) async fn commit(&mut self, batch: Batch) -> Result<(), AgentError> {
        let Batch { mut effects, questions } = batch;
        while !effects.is_empty() {
            let (records, asks) = self.records(effects);
            #[cfg(feature = "failpoints")]
            let applied = records.iter().any(Record::is_applied);
            if !records.is_empty() {
                self.with_spool(move |spool| spool.append(&records)).await?;
                self.telemetry.spooled();
            }
            #[cfg(feature = "failpoints")]
            if asks.iter().any(|ask| matches!(ask, Ask::Dial(_))) {
                fail::fail_point!("directive-stored");
            }
            #[cfg(feature = "failpoints")]
            if applied {
                fail::fail_point!("before-report");
            }
            effects = asks.into_iter().flat_map(|ask| self.ask(ask)).collect();
        }
        let mut answers = Vec::new();
        for question in questions {
            answers.push(match question {
                Question::Welcome(welcome, reply) => Answer::Verdict(reply, self.judge(welcome).await?),
                Question::Pull(from, max, reply) => {
                    let events = self.with_spool(move |spool| spool.read(from, max)).await?;
                    self.telemetry.sent(from, events.len());
                    Answer::Events(reply, events)
                }
            });
        }
        self.publish();
        self.telemetry.shown();
        for answer in answers {
            match answer {
                Answer::Verdict(reply, verdict) => drop(reply.send(verdict)),
                Answer::Events(reply, events) => drop(reply.send(events)),
            }
        }
        Ok(())
    }

    /// Encodes what is to be remembered, each event with the hash of the one before it.
    fn records(&mut self, effects: Vec<Effect>) -> (Vec<Record>, Vec<Ask>) {
        let boot = self.settings.boot;
        let spool_id = self.standing.borrow().spool_id;
        let (mut records, mut asks) = (Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                Effect::Spool(draft) => {
                    self.telemetry.spooling(&draft, &spool_id);
                    let event = wire::encode_event(&draft, boot, &self.head, &spool_id);
                    self.head = wire::hash(&event);
                    records.push(Record::Event(event));
                }
                Effect::Applied(applied) => {
                    self.telemetry.applying(&applied);
                    records.push(Record::Applied { boot, applied });
                }
                Effect::Checkpoint(checkpoint) => records.push(Record::Checkpoint { boot, checkpoint }),
                Effect::Ask(ask) => asks.push(ask),
            }
        }
        (records, asks)
    }

    fn ask(&mut self, ask: Ask) -> Vec<Effect> {
        match self.hardware.asks.try_send(ask) {
            Ok(()) => Vec::new(),
            Err(error) => {
                tracing::warn!(device = self.settings.device, %error, "the hardware does not listen");
                match error.into_inner() {
                    Ask::Dial(_) => self.core.not_asked("the hardware does not listen"),
                    Ask::Beep | Ask::Board => Vec::new(),
                }
            }
        }
    }

    /// Whether this spool and what the service knows of it are of one piece.
    async fn judge(&mut self, welcome: Welcome) -> Result<Verdict, AgentError> {
        let through = welcome.durable_through;
        let (last, hash, size) =
            self.with_spool(move |spool| Ok((spool.last_seq(), spool.chain_hash(through)?, spool.size()))).await?;
        let device = &self.settings.device;
        if through > last {
            return Ok(Verdict::Forked([
                format!(
                    "{device}: begin a new spool: the card is an old copy, the service has {through} events of it and \
                     the clock {last}"
                ),
                format!("{device}: начните новый журнал нажатий: карта памяти — старая копия"),
            ]));
        }
        if through > 0 && hash != welcome.chain_hash {
            return Ok(Verdict::Forked([
                format!(
                    "{device}: begin a new spool: two clocks have used this one, event {through} is another at the service"
                ),
                format!("{device}: начните новый журнал нажатий: этим пользовались двое часов"),
            ]));
        }
        let acked = self.core.acked();
        if through < acked {
            tracing::warn!(device, through, acked, "the service has less than it had acknowledged; it is sent again");
        }
        let over = self.core.face().going == Going::Over && !self.core.busy();
        let needless = welcome.released_through >= last || size > self.spool_max;
        if over && through == last && last > 0 && needless {
            let former = self.standing.borrow().spool_id;
            let spool_id = self.with_spool(|spool| spool.forget().map(|()| spool.spool_id())).await?;
            self.head = wire::NO_HASH;
            self.core.forgotten(former);
            self.standing.send_modify(|standing| standing.spool_id = spool_id);
            return Ok(Verdict::Anew);
        }
        let Welcome { game, desired_rev, moved_to, .. } = welcome;
        self.core.link(LinkNews::Up { acked: through, game, desired_rev });
        if !moved_to.is_empty() {
            self.core.link(LinkNews::Moved(moved_to));
        }
        Ok(Verdict::Go)
    }

    /// Lets everybody see what is now on disk, in one step.
    fn publish(&mut self) {
        let shown = self.core.shown();
        self.shown.send_if_modified(|old| {
            let changed = *old != shown;
            *old = shown;
            changed
        });
        self.standing.send_if_modified(|old| {
            let new = standing(&self.core, old.spool_id);
            let changed = *old != new;
            *old = new;
            changed
        });
    }

    /// Lends the spool to where waiting for a disk holds nobody up.
    pub(super) async fn with_spool<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut dyn Spool) -> Result<T, SpoolError> + Send + 'static,
    ) -> Result<T, AgentError> {
        let device = || self.settings.device.clone();
        let mut spool = self.spool.take().ok_or_else(|| AgentError::SpoolThread { device: device() })?;
        let (spool, done) = if spool.blocks() {
            let lent = spawn_blocking(move || {
                let done = work(&mut *spool);
                (spool, done)
            });
            lent.await.map_err(|_| AgentError::SpoolThread { device: device() })?
        } else {
            let done = work(&mut *spool);
            (spool, done)
        };
        self.spool = Some(spool);
        done.map_err(|source| AgentError::Spool { device: device(), source })
    }
}
