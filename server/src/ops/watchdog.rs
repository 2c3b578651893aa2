//! What systemd is told: ready, still at work, reloading, stopping. Where nobody listens, nothing is said.
//!
//! "Still at work" is the journal's word: it is passed on only while the thread that writes shows signs of life. A thread that
//! hangs in a sync for longer than the watchdog's patience has the service ended and started again.

use std::{sync::Arc, time::Duration};

use sd_notify::NotifyState;
use tokio::time::sleep;

use crate::journal::{Health, Journal, signs::BEAT};

/// The thread that writes is waited for so many of its beats before it counts as silent.
const BEATS: u32 = 3;

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}

/// Everything is served.
pub fn ready() {
    tell(&[NotifyState::Ready]);
}

/// Settings are read anew; [`ready`] follows.
pub fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "the service manager cannot be told"),
    }
}

/// The service drains.
pub fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// The thread that writes lives, or the journal has said that it takes nothing more: what then is to be done is the service's
/// business and not the watchdog's.
#[must_use]
pub fn is_alive(journal: &dyn Journal) -> bool {
    let silent = || journal.signs().map_or(Duration::ZERO, |signs| signs.silent());
    journal.health() != Health::Ok || silent() < BEAT * BEATS
}

/// Feeds the watchdog, if there is one.
pub async fn watch(journal: Arc<dyn Journal>) {
    let Some(patience) = sd_notify::watchdog_enabled() else { return };
    let mut warned = false;
    loop {
        if is_alive(&*journal) {
            tell(&[NotifyState::Watchdog]);
            warned = false;
        } else if !std::mem::replace(&mut warned, true) {
            tracing::error!("ALARM: the thread that writes the journal shows no sign of life; the watchdog is not fed");
        }
        sleep(patience / 3).await;
    }
}
