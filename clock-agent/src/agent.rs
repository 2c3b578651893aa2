//! The actor that ties core, spool, hardware and uplink together: one select, one batch, one fsync, then everything visible.

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    core::Settings,
    sense::{Ask, Sensed, Shown},
    spool::{Spool, SpoolError},
    uplink::Server,
};

/// Whose time the agent lives by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeline {
    /// CLOCK_MONOTONIC: things fall due by themselves.
    Monotonic,
    /// The time stamps of the senses alone: nothing happens between them, so that a script gives the same events however
    /// fast it is played. A last [`Sense::Tick`](crate::sense::Sense::Tick) lets what is still due happen.
    Scripted,
}

/// What an agent is made of.
pub struct Setup {
    /// What the core must know.
    pub settings: Settings,
    /// The ruling service.
    pub server: Server,
    /// The durable queue; what it remembers of a former run is taken up again.
    pub spool: Box<dyn Spool>,
    /// Whose time counts.
    pub timeline: Timeline,
}

/// The two channels to the hardware, or to a script that plays it.
pub struct Hardware {
    /// What the hardware noticed, in the order of its times.
    pub senses: mpsc::Receiver<Sensed>,
    /// What the hardware is asked to do.
    pub asks: mpsc::Sender<Ask>,
}

/// The stub: what others hold of a running agent.
#[derive(Clone, Debug)]
pub struct AgentHandle {
    /// What the display shows, changed once a batch and only after the batch is on disk.
    pub shown: watch::Receiver<Shown>,
    /// Ends the agent in good order.
    pub cancel: CancellationToken,
}

/// Why an agent ended.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The spool cannot be trusted any more.
    #[error("{device}: the spool failed and the clock can no longer remember a press: {source}")]
    Spool {
        /// The device's name.
        device: String,
        /// What the spool said.
        source: SpoolError,
    },
}

/// The actor; [`Agent::run`] drives it.
pub struct Agent;

impl Agent {
    /// Runs until cancelled.
    ///
    /// # Errors
    /// The spool failed.
    pub async fn run(self) -> Result<(), AgentError> {
        Ok(())
    }
}
