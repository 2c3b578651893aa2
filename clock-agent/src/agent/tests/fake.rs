//! A service on a local port that hands every stream to the test, and a bench on which an agent runs against it.

use std::{pin::Pin, time::Duration};

use flagfall_proto::clock::v1::{
    self,
    clock_service_server::{ClockService, ClockServiceServer},
    link_request::Frame as In,
    link_response::Frame as Out,
};
use prost::Message;
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle, time::timeout};
use tokio_stream::{
    Stream,
    wrappers::{ReceiverStream, TcpListenerStream},
};
use tonic::{Request, Response, Status, Streaming};

use crate::{
    agent::{Agent, AgentError, AgentHandle, Hardware, Setup, Timeline, agent},
    core::Settings,
    sense::{Ask, Sensed, Shown},
    spool::Spool,
    uplink::Server,
};

/// What does not come within this does not come; nothing waits so long unless a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for what must come.
pub(super) async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.expect("it should have come by now")
}

type Frames = mpsc::Sender<Result<v1::LinkResponse, Status>>;

/// The service.
pub(super) struct Fake {
    uri: String,
    sessions: mpsc::Receiver<Session>,
}

/// One stream.
pub(super) struct Session {
    inbound: Streaming<v1::LinkRequest>,
    out: Frames,
}

struct Handler(mpsc::Sender<Session>);

#[tonic::async_trait]
impl ClockService for Handler {
    type LinkStream = Pin<Box<dyn Stream<Item = Result<v1::LinkResponse, Status>> + Send>>;

    async fn link(&self, request: Request<Streaming<v1::LinkRequest>>) -> Result<Response<Self::LinkStream>, Status> {
        let (out, frames) = mpsc::channel(64);
        let session = Session { inbound: request.into_inner(), out };
        self.0.send(session).await.map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(Box::pin(ReceiverStream::new(frames))))
    }
}

impl Fake {
    pub(super) async fn start() -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let uri = format!("http://{}", listener.local_addr().expect("an address"));
        let (handler, sessions) = mpsc::channel(8);
        let service = ClockServiceServer::new(Handler(handler));
        let incoming = TcpListenerStream::new(listener);
        tokio::spawn(tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming));
        Fake { uri, sessions }
    }

    /// The next stream.
    pub(super) async fn session(&mut self) -> Session {
        soon(self.sessions.recv()).await.expect("a stream")
    }
}

impl Session {
    /// The next frame that is no heartbeat; `None` when the clock has closed.
    async fn frame(&mut self) -> Option<In> {
        loop {
            match soon(self.inbound.message()).await.ok().flatten()?.frame {
                Some(In::Heartbeat(_)) => {}
                frame => return frame,
            }
        }
    }

    pub(super) async fn hello(&mut self) -> v1::Hello {
        match self.frame().await {
            Some(In::Hello(hello)) => hello,
            other => panic!("no greeting: {other:?}"),
        }
    }

    /// So many events as they were sent, in as many frames as it takes.
    pub(super) async fn raw_events(&mut self, count: usize) -> Vec<Vec<u8>> {
        let mut events = Vec::new();
        while events.len() < count {
            match self.frame().await {
                Some(In::Events(frame)) => {
                    assert_eq!(frame.session_epoch, 5);
                    events.extend(frame.events);
                }
                other => panic!("no events: {other:?}"),
            }
        }
        assert_eq!(events.len(), count, "more than was expected");
        events
    }

    pub(super) async fn events(&mut self, count: usize) -> Vec<v1::DeviceEvent> {
        let events = self.raw_events(count).await;
        events.iter().map(|event| v1::DeviceEvent::decode(event.as_slice()).expect("an event")).collect()
    }

    /// Whether the next thing is a goodbye.
    pub(super) async fn goodbye(&mut self) -> bool {
        matches!(self.frame().await, Some(In::Goodbye(_)))
    }

    /// Whether anything but heartbeats comes before the clock closes.
    pub(super) async fn sends_more(&mut self) -> bool {
        self.frame().await.is_some()
    }

    async fn say(&self, frame: Out) {
        soon(self.out.send(Ok(v1::LinkResponse { frame: Some(frame) }))).await.expect("the stream is open");
    }

    pub(super) async fn welcome(&self, durable_through: u64, chain_hash: &[u8], window: u32) {
        self.say(Out::Welcome(v1::Welcome { window, ..welcome(durable_through, chain_hash) })).await;
    }

    pub(super) async fn welcome_and_release(&self, durable_through: u64, chain_hash: &[u8], released_through: u64) {
        self.say(Out::Welcome(v1::Welcome { released_through, ..welcome(durable_through, chain_hash) })).await;
    }

    pub(super) async fn release(&self, desired_rev: u64, released_through: u64) {
        self.say(Out::Heartbeat(v1::ServerHeartbeat { desired_rev, released_through })).await;
    }

    pub(super) async fn ack(&self, durable_through: u64, desired_rev: u64) {
        self.say(Out::Ack(v1::Ack { durable_through, desired_rev })).await;
    }

    pub(super) async fn rewind(&self, from_seq: u64) {
        self.say(Out::Rewind(v1::Rewind { from_seq })).await;
    }

    pub(super) async fn directive(&self, directive: v1::Directive) {
        self.say(Out::Directive(directive)).await;
    }

    pub(super) async fn say_goodbye(&self, resume_after_ms: u64) {
        self.say(Out::Goodbye(v1::Goodbye { resume_after_ms, reason: "a test".to_owned() })).await;
    }

    pub(super) async fn refuse(&self, status: Status) {
        soon(self.out.send(Err(status))).await.expect("the stream is open");
    }
}

fn welcome(durable_through: u64, chain_hash: &[u8]) -> v1::Welcome {
    let (session_epoch, window, protocol, chain_hash) = (5, 100, 1, chain_hash.to_vec());
    v1::Welcome { session_epoch, durable_through, chain_hash, window, protocol, ..v1::Welcome::default() }
}

/// An agent at work.
pub(super) struct Bench {
    senses: mpsc::Sender<Sensed>,
    pub(super) asks: mpsc::Receiver<Ask>,
    handle: AgentHandle,
    running: JoinHandle<Result<(), AgentError>>,
}

impl Bench {
    pub(super) fn start(fake: &Fake, settings: Settings, spool: impl Spool + 'static) -> Bench {
        Bench::start_with(fake, settings, spool, |_| {})
    }

    pub(super) fn start_with(
        fake: &Fake,
        settings: Settings,
        spool: impl Spool + 'static,
        adjust: impl FnOnce(&mut Agent),
    ) -> Bench {
        Bench::start_on(fake, settings, spool, Timeline::Scripted, adjust)
    }

    pub(super) fn start_on(
        fake: &Fake,
        settings: Settings,
        spool: impl Spool + 'static,
        timeline: Timeline,
        adjust: impl FnOnce(&mut Agent),
    ) -> Bench {
        let (senses, sensed) = mpsc::channel(256);
        let (asked, asks) = mpsc::channel(8);
        let server = Server::uri(&fake.uri).expect("an address");
        let setup = Setup { settings, server, spool: Box::new(spool), timeline };
        let (handle, mut agent) = agent(setup, Hardware { senses: sensed, asks: asked });
        adjust(&mut agent);
        Bench { senses, asks, handle, running: tokio::spawn(agent.run()) }
    }

    pub(super) async fn sense(&self, sensed: Sensed) {
        soon(self.senses.send(sensed)).await.expect("the agent senses");
    }

    /// The first thing shown from now on that is so.
    pub(super) async fn until(&self, is: impl FnMut(&Shown) -> bool) -> Shown {
        let mut shown = self.handle.shown.clone();
        soon(shown.wait_for(is)).await.expect("the agent lives").clone()
    }

    /// Ends it in good order.
    pub(super) async fn stop(self) {
        self.handle.cancel.cancel();
        soon(self.running).await.expect("no panic").expect("no error");
    }

    /// Ends it as a loss of power would.
    pub(super) async fn kill(self) {
        self.running.abort();
        let _ = soon(self.running).await;
    }
}
