//! Work that would hold up a game: reading the journal, looking for a mate.

use serde::Deserialize;
use tokio::task::{JoinHandle, spawn, spawn_blocking};

/// Where it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Beside {
    /// On threads of its own.
    #[default]
    Threads,
    /// Between the steps of the others, on their thread: a simulation has one thread, and the same seed the same order.
    Turns,
}

impl Beside {
    /// Begins it.
    pub fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        match self {
            Beside::Threads => spawn_blocking(work),
            Beside::Turns => spawn(async { work() }),
        }
    }
}
