//! Start and stop of the whole service; replay, demo and tests run it in their own process on port 0.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use flagfall_proto::{
    DESCRIPTORS,
    clock::v1::clock_service_server::ClockServiceServer,
    desk::v1::{desk_service_server::DeskServiceServer, event_service_server::EventServiceServer},
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    time::{Instant, timeout},
};
use tokio_stream::{Stream, StreamExt, wrappers::TcpListenerStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::{
    service::Routes,
    transport::{Server, server::Connected},
};

use crate::{
    arena::{Arena, Device, Limits, RecoverError},
    broadcast,
    desk::{
        Desk,
        auth::{self, Users},
        refusals::counted,
        service::REQUEST_MAX,
        web::{self, Web},
    },
    event::{self, Events, Organiser},
    journal::{self, Journal},
    link::{FRAME_MAX, HEARTBEAT, Link, SILENCE},
    ops::{
        health::{self, Health},
        http::{self, Ops},
        watchdog,
    },
    seal::Recipient,
    trail::Trails,
    wire::guest::{self, Door, QUIET},
};

/// Streams a connection may carry: a clock has one, a desk's program a few.
const STREAMS: u32 = 64;

/// Connections that may wait to be accepted: as many as the system lets (`net.core.somaxconn`). When it is too few, clocks that come
/// back all at once find nobody and try again later and later.
const BACKLOG: u32 = 65_535;

/// What a service is started with.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// The clocks it takes in; [`Running::admit`] adds more later.
    pub devices: Vec<Device>,
    /// Where clocks connect; port 0 lets the system choose.
    pub clocks: SocketAddr,
    /// Where desks connect.
    pub desk: SocketAddr,
    /// Where browsers connect.
    pub web: SocketAddr,
    /// Where probes connect.
    pub ops: SocketAddr,
    /// Patience and sizes.
    pub limits: Limits,
    /// Whom moves are sealed for; `None`: none can be.
    pub recipient: Option<Recipient>,
    /// Where it is told what becomes of presses.
    pub trails: Trails,
    /// Whom the desk knows; nobody: anybody may do everything. [`Running::know`] changes it later.
    pub users: Users,
    /// The games of rounds are shown to everybody.
    pub broadcast: bool,
    /// Where people reach the pages of the ops port; `None`: nowhere.
    pub ops_url: Option<String>,
}

impl ServiceSettings {
    /// A service on the loopback interface, every port the system's choice.
    #[must_use]
    pub fn loopback(devices: Vec<Device>) -> ServiceSettings {
        let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (limits, recipient, trails, users) = (Limits::default(), None, Trails::default(), Users::default());
        ServiceSettings {
            devices,
            clocks: local,
            desk: local,
            web: local,
            ops: local,
            limits,
            recipient,
            trails,
            users,
            broadcast: true,
            ops_url: None,
        }
    }
}

/// Why a service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address is taken, or not this machine's.
    #[error("cannot listen for {whom} on {address}: {reason}")]
    Bind {
        /// Who would have connected there.
        whom: &'static str,
        /// The address.
        address: SocketAddr,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The journal cannot be read or understood.
    #[error(transparent)]
    Journal(#[from] RecoverError),
    /// The contract built into this program cannot be served by reflection.
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Where a service takes in those who connect: streams of connections, of whatever network.
pub struct Doors<S> {
    /// For clocks.
    pub clocks: S,
    /// For desks.
    pub desk: S,
    /// For probes.
    pub ops: S,
    /// For browsers, which only a real network has.
    pub web: Option<S>,
}

/// A service about to start.
pub struct Service;

impl Service {
    /// Binds, replays the journal, then serves: a service that cannot listen says so at once, and probes are answered while
    /// a long journal is read.
    ///
    /// # Errors
    /// An address is taken, or the journal cannot be read or understood.
    pub async fn start(settings: ServiceSettings, journal: Arc<dyn Journal>) -> Result<Running, StartError> {
        let (clocks, clocks_at) = bind("clocks", settings.clocks)?;
        let (desk, desk_at) = bind("desks", settings.desk)?;
        let (web, web_at) = bind("browsers", settings.web)?;
        let (ops, ops_at) = bind("probes", settings.ops)?;
        let settings = ServiceSettings { clocks: clocks_at, desk: desk_at, web: web_at, ops: ops_at, ..settings };
        let nodelay = |stream: io::Result<TcpStream>| stream.inspect(|stream| drop(stream.set_nodelay(true)));
        let arrivals = |listener| TcpListenerStream::new(listener).filter(is_there).map(nodelay);
        let [clocks, desk, web, ops] = [clocks, desk, web, ops].map(arrivals);
        Service::open(settings, Doors { clocks, desk, ops, web: Some(web) }, journal).await
    }

    /// As [`Service::start`], behind doors that are open already.
    ///
    /// # Errors
    /// The journal cannot be read or understood.
    pub async fn open<S, C>(
        settings: ServiceSettings,
        doors: Doors<S>,
        journal: Arc<dyn Journal>,
    ) -> Result<Running, StartError>
    where
        S: Stream<Item = io::Result<C>> + Send + 'static,
        C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let ServiceSettings { devices, limits, recipient, trails, users, broadcast, ops_url, .. } = settings;
        let (clocks_at, desk_at, web_at, ops_at) = (settings.clocks, settings.desk, settings.web, settings.ops);
        let known = auth::Gate::new(&users);
        let Doors { clocks, desk, ops, web } = doors;
        let (drain, close, failed) = (CancellationToken::new(), CancellationToken::new(), CancellationToken::new());
        let servers = TaskTracker::new();
        // An error before the end closes what was begun.
        let unless_started = close.clone().drop_guard();
        let most = limits.visitors;
        let serve = |whom: &'static str, incoming: S, server: Server, answers: axum::Router| {
            let (mut server, close) = (server, close.clone());
            let guests = Door::new(whom, most, Some(QUIET)).guests(incoming);
            let router = server.add_routes(Routes::from(guest::heard(answers)));
            servers.spawn(async move {
                if let Err(error) = router.serve_with_incoming_shutdown(guests, close.cancelled_owned()).await {
                    tracing::error!(%error, "the listener of {whom} ended");
                }
            });
        };

        let health = Health::starting().await;
        let pages = http::router(Ops { trails: trails.clone(), journal: Arc::clone(&journal), health: health.clone() });
        let probes = Routes::from(pages).add_service(health.service());
        serve("probes", ops, server().accept_http1(true), probes.into_axum_router());
        let arena = Arena::start(Arc::clone(&journal), devices, limits, trails.clone()).await?;
        health.chain(arena.walked());
        let link = Link::new(arena.clone(), drain.clone());
        let clocks_service = ClockServiceServer::new(link.clone()).max_decoding_message_size(FRAME_MAX);
        let guests = link.gate().guests(clocks);
        let (router, closing) = (server().add_service(clocks_service), close.clone());
        servers.spawn(async move {
            if let Err(error) = router.serve_with_incoming_shutdown(guests, closing.cancelled_owned()).await {
                tracing::error!(%error, "the listener of clocks ended");
            }
        });
        let organiser = Organiser::start(Arc::clone(&journal), arena.clone()).await?;
        let events = Events::new(organiser.clone(), drain.clone(), known.clone());
        let event_service = EventServiceServer::new(events.clone());
        let at_desk = Desk::new(arena.clone(), drain.clone(), recipient, known.clone());
        let pages = Web::new(at_desk.clone(), events, known.clone(), drain.clone()).with_traces(ops_url);
        let mut pages = web::router(pages);
        if broadcast {
            pages = pages.merge(broadcast::router(organiser, Arc::clone(&journal)));
        }
        let pages = counted(web::guard(pages), trails.clone());
        if let Some(web) = web {
            serve("browsers", web, server().accept_http1(true), pages);
        }
        let desk_service = DeskServiceServer::new(at_desk);
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .build_v1()?;
        let programs = Routes::new(desk_service.max_decoding_message_size(REQUEST_MAX))
            .add_service(event_service.max_decoding_message_size(event::REQUEST_MAX))
            .add_service(health.service())
            .add_service(reflection);
        serve("programs", desk, server(), counted(programs.into_axum_router(), trails));
        health.set(journal.health() == journal::Health::Ok).await;
        servers.spawn(close.clone().run_until_cancelled_owned(watchdog::watch(Arc::clone(&journal))));
        let watch = health::watch(health.clone(), arena.clone(), journal, failed.clone());
        servers.spawn(close.clone().run_until_cancelled_owned(watch));
        let close = unless_started.disarm();
        tracing::info!(clocks = %clocks_at, desk = %desk_at, web = %web_at, ops = %ops_at, "serving");
        let (clocks, desk, web, ops) = (clocks_at, desk_at, web_at, ops_at);
        Ok(Running { clocks, desk, web, ops, arena, known, link, health, drain, close, failed, servers })
    }
}

fn bind(whom: &'static str, address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let refused = |reason| StartError::Bind { whom, address, reason };
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.map_err(refused)?;
    socket.set_reuseaddr(true).map_err(refused)?;
    socket.bind(address).map_err(refused)?;
    let listener = socket.listen(BACKLOG).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

/// Whoever waited has not given up meanwhile: nothing is begun with him that nobody will see the end of.
fn is_there(stream: &io::Result<TcpStream>) -> bool {
    let Ok(stream) = stream else { return true };
    let mut asked = [PollFd::new(stream, PollFlags::RDHUP)];
    !matches!(poll(&mut asked, Some(&Timespec::default())), Ok(1..))
}

/// A server that finds dead connections by itself: tonic's keepalive is off unless asked for.
fn server() -> Server {
    Server::builder()
        .http2_keepalive_interval(Some(HEARTBEAT * 2))
        .http2_keepalive_timeout(Some(SILENCE - HEARTBEAT * 2))
        .max_concurrent_streams(STREAMS)
}

/// A service at work. Dropped without [`Running::shutdown`] it stops listening when the runtime ends.
pub struct Running {
    /// Where clocks connect.
    pub clocks: SocketAddr,
    /// Where desks connect.
    pub desk: SocketAddr,
    /// Where browsers connect.
    pub web: SocketAddr,
    /// Where probes connect.
    pub ops: SocketAddr,
    arena: Arena,
    known: auth::Gate,
    link: Link,
    health: Health,
    drain: CancellationToken,
    close: CancellationToken,
    failed: CancellationToken,
    servers: TaskTracker,
}

impl Running {
    /// Takes in one more clock, or moves one to another board.
    pub fn admit(&self, device: Device) {
        self.arena.roster().admit(device);
    }

    /// The desk knows these from now on: a session of somebody who is not among them is over, and his streams end.
    pub fn know(&self, users: &Users) {
        self.known.know(users);
    }

    /// The games and clocks it serves.
    #[must_use]
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Resolves when the journal takes no more entries: the process should end.
    pub async fn failed(&self) {
        self.failed.cancelled().await;
    }

    /// Drains: says Goodbye to every clock, waits until what they sent is on disk and acknowledged, ends every watch, and
    /// closes. Takes at most [`Limits::drain_ms`], and a moment for each step that had to be broken off.
    pub async fn shutdown(self) {
        let deadline = self.quiesce().await;
        self.close.cancel();
        self.servers.close();
        if timeout(left(deadline), self.servers.wait()).await.is_err() {
            tracing::warn!("connections are still open at the deadline");
        }
    }

    /// What a shutdown does before it closes connections: a process that ends after it has lost nothing. Returns when the whole
    /// should be over.
    pub async fn quiesce(&self) -> Instant {
        /// For the last spans: a collector that is gone must not hold up a stop.
        const LAST_SPANS: Duration = Duration::from_secs(2);
        let patience = self.arena.limits().drain();
        self.health.set(false).await;
        self.drain.cancel();
        let deadline = Instant::now() + patience;
        if timeout(patience, self.link.ended()).await.is_err() {
            tracing::error!(
                "sessions are still waiting for the disk at the deadline; what was not acknowledged is sent again"
            );
        }
        self.arena.stop(left(deadline)).await;
        if let Some(export) = self.arena.trails().export() {
            export.flush(left(deadline).min(LAST_SPANS)).await;
        }
        deadline
    }
}

/// What is left of a deadline, and a moment for a step after it.
fn left(deadline: Instant) -> Duration {
    const MOMENT: Duration = Duration::from_millis(500);
    deadline.saturating_duration_since(Instant::now()).max(MOMENT)
}

#[cfg(test)]
mod tests;
