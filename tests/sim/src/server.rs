//! The service's host: the real service behind simulated doors, on a disk that survives it.

use std::{
    future::pending,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use flagfall_server::{
    app::serve::{Service, ServiceSettings},
    arena::{Arena, Beside, Device, Limits},
};
use tokio_util::sync::CancellationToken;

use crate::{
    disk::Disk,
    net::{CLOCKS, DESK, OPS, doors},
    trace::{Trace, lock},
};

/// The service as the world sees it.
pub(crate) struct Server {
    pub(crate) disk: Arc<Disk>,
    pub(crate) devices: Vec<Device>,
    /// The arena of the service that runs.
    pub(crate) arena: Mutex<Option<Arena>>,
    /// It has ended by itself.
    pub(crate) ended: AtomicBool,
    /// Ends the service in good order.
    drain: Mutex<CancellationToken>,
    trace: Trace,
}

impl Server {
    pub(crate) fn new(disk: Arc<Disk>, devices: Vec<Device>, trace: Trace) -> Arc<Server> {
        Arc::new(Server {
            disk,
            devices,
            arena: Mutex::new(None),
            ended: AtomicBool::new(false),
            drain: Mutex::default(),
            trace,
        })
    }

    /// The host's software: serves until it is drained, the journal fails, or the power goes.
    pub(crate) fn run(self: &Arc<Server>) -> impl Future<Output = turmoil::Result> + use<> {
        let server = Arc::clone(self);
        async move {
            let drain = CancellationToken::new();
            *lock(&server.drain) = drain.clone();
            server.ended.store(false, Ordering::Relaxed);
            server.trace.step("server", "starts");
            let disk = Arc::clone(&server.disk);
            tokio::task::spawn_local(async move { disk.work().await });
            let at = |port| SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
            let settings = ServiceSettings {
                devices: server.devices.clone(),
                clocks: at(CLOCKS),
                desk: at(DESK),
                ops: at(OPS),
                // A game that nobody touches leaves the memory soon, and comes back when it is needed.
                limits: Limits { beside: Beside::Turns, idle_s: 20, drain_ms: 3_000, ..Limits::default() },
                ..ServiceSettings::loopback(Vec::new())
            };
            let running = Service::open(settings, doors().await?, Arc::clone(&server.disk) as _).await?;
            *lock(&server.arena) = Some(running.arena().clone());
            tokio::select! {
                biased;
                () = drain.cancelled() => server.trace.step("server", "drains"),
                () = running.failed() => server.trace.step("server", "cannot go on"),
            }
            // Connections that close in good order do so in an order of tokio's own choosing; here the process ends before.
            running.quiesce().await;
            *lock(&server.arena) = None;
            server.trace.step("server", "has ended");
            server.ended.store(true, Ordering::Relaxed);
            pending().await
        }
    }

    /// Asks the service to end in good order.
    pub(crate) fn drain(&self) {
        lock(&self.drain).cancel();
    }

    /// The power is gone.
    pub(crate) fn power_lost(&self) {
        *lock(&self.arena) = None;
        self.trace.step("server", "power lost");
    }
}
