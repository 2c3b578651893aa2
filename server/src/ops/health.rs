//! Health, for probes: serving once the journal is replayed, not serving once it has failed or the service drains.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use flagfall_proto::{
    clock::v1::clock_service_server::SERVICE_NAME as CLOCKS, desk::v1::desk_service_server::SERVICE_NAME as DESK,
};
use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;
use tonic_health::{
    ServingStatus,
    pb::health_server::HealthServer,
    server::{HealthReporter, HealthService},
};

use crate::{
    arena::{Arena, Walked},
    journal::{self, Journal},
};

/// How often the journal is asked when nothing has failed that would have said so.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// What is told to probes.
#[derive(Clone)]
pub struct Health {
    reporter: HealthReporter,
    serves: Arc<AtomicBool>,
    walked: Arc<OnceLock<Walked>>,
}

impl Health {
    /// Nothing is served yet.
    pub async fn starting() -> Health {
        let health = Health { reporter: HealthReporter::new(), serves: Arc::default(), walked: Arc::default() };
        health.set(false).await;
        health
    }

    /// Everything is served, or nothing.
    pub async fn set(&self, serving: bool) {
        self.serves.store(serving, Ordering::Relaxed);
        let status = if serving { ServingStatus::Serving } else { ServingStatus::NotServing };
        // The empty name stands for the whole.
        for service in ["", CLOCKS, DESK] {
            self.reporter.set_service_status(service, status).await;
        }
    }

    /// Everything is served.
    #[must_use]
    pub fn serves(&self) -> bool {
        self.serves.load(Ordering::Relaxed)
    }

    /// The chain of every game at hand was walked.
    pub fn chain(&self, walked: Walked) {
        // Nothing is walked twice.
        let _before = self.walked.set(walked);
    }

    /// See [`Health::chain`]; `None`: not yet.
    #[must_use]
    pub fn walked(&self) -> Option<Walked> {
        self.walked.get().copied()
    }

    /// The service that answers probes.
    #[must_use]
    pub fn service(&self) -> HealthServer<HealthService> {
        HealthServer::new(HealthService::from_health_reporter(self.reporter.clone()))
    }
}

/// Waits until the journal takes nothing more, says so to probes, and cancels `failed`.
pub async fn watch(health: Health, arena: Arena, journal: Arc<dyn Journal>, failed: CancellationToken) {
    loop {
        if let journal::Health::Failed(reason) = journal.health() {
            tracing::error!(reason, "ALARM: the journal takes no more entries; nothing more is ruled until a restart");
            health.set(false).await;
            return failed.cancel();
        }
        select! {
            biased;
            () = arena.failed() => {}
            () = sleep(ASK_EVERY) => {}
        }
    }
}
