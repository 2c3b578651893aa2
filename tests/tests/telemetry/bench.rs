//! A whole service, a real agent, and hands that press its buttons and move its pieces.

use std::{net::SocketAddr, sync::Arc};

use flagfall_clock::{
    AgentHandle, ClockKind, Hardware, MemorySpool, Server, Settings, Setup, Telemetry, Timeline,
    agent::{agent, monotonic_ms},
    sense::{Sense, Sensed, Shown},
};
use flagfall_proto::{
    clock::v1::Place as Half,
    desk::v1::{Act, OpenGameRequest, desk_service_client::DeskServiceClient},
    journal::v1::Play,
};
use flagfall_rules::{
    board::Scan,
    clock::{Control, Going, Place},
};
use flagfall_server::{
    app::serve::{Running, Service, ServiceSettings},
    arena::Device,
    journal::{Journal, MemoryJournal},
    trail::Trails,
};
use flagfall_trace::{Export, Sampler};
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};

use crate::receiver::PATIENCE;

/// The position at the beginning.
pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// After a pawn has gone three squares at once, which no pawn can.
pub(crate) const LEAP: &str = "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR";

/// A real agent, and the hands at it.
pub(crate) struct Clock {
    pub(crate) handle: AgentHandle,
    senses: mpsc::Sender<Sensed>,
    _asks: mpsc::Receiver<flagfall_clock::sense::Ask>,
    task: JoinHandle<()>,
}

impl Clock {
    /// A clock that keeps its own time and reads a board; every trace goes to the collector, if there is one.
    pub(crate) fn start(device: &str, clocks: SocketAddr, collector: Option<&str>) -> Clock {
        let (senses, sensed) = mpsc::channel(64);
        let (asks, asked) = mpsc::channel(64);
        let settings = Settings {
            device: device.into(),
            clock: ClockKind::Own,
            default_control: None,
            white_place: Place::Left,
            boot: 1,
            settle_ms: 50,
        };
        let server = Server::uri(&format!("http://{clocks}")).expect("an address");
        let spool = Box::new(MemorySpool::new(*uuid::Uuid::new_v4().as_bytes()));
        let setup = Setup { settings, server, spool, timeline: Timeline::monotonic() };
        let (handle, actor) = agent(setup, Hardware { senses: sensed, asks });
        let export = collector.map(|url| Export::to(url, "flagfall-clock", "0").expect("an address"));
        let telemetry = Telemetry::new(device, Sampler::ratio(1.0), export);
        let last_words = telemetry.last_words();
        let actor = actor.traced(telemetry);
        let task = tokio::spawn(async move {
            actor.run().await.expect("the spool is memory");
            last_words.said().await;
        });
        Clock { handle, senses, _asks: asked, task }
    }

    async fn sense(&self, sense: Sense) {
        self.senses.send(Sensed { at: monotonic_ms(), sense }).await.expect("the agent lives");
    }

    /// The board shows this.
    pub(crate) async fn board(&self, fen: &str) {
        self.sense(Sense::Board(Scan::from_fen(fen).expect("a position"))).await;
    }

    /// A player presses.
    pub(crate) async fn press(&self, place: Place) {
        self.sense(Sense::Button(place)).await;
    }

    /// Waits until the display shows what it should.
    pub(crate) async fn shown(&mut self, enough: impl Fn(&Shown) -> bool) -> Shown {
        let found = timeout(PATIENCE, self.handle.shown.wait_for(|shown| enough(shown))).await;
        let found = found.map(|shown| shown.expect("the agent lives").clone());
        match found {
            Ok(shown) => shown,
            Err(_) => panic!("not in time: {:#?}", self.handle.shown.borrow()),
        }
    }

    /// It has taken on a game, and the service knows.
    pub(crate) async fn has_game(&mut self, game: &str) {
        self.shown(|shown| shown.game == game && shown.acked == shown.spooled && shown.spooled > 0).await;
    }

    /// Black starts White's clock, from the position at the beginning.
    pub(crate) async fn begin(&mut self) {
        self.board(START).await;
        self.begin_blind().await;
    }

    /// The same on a clock whose board nobody ever sees: every press is a move.
    pub(crate) async fn begin_blind(&mut self) {
        self.press(Place::Right).await;
        self.shown(|shown| shown.face.going == Going::Running && shown.acked == shown.spooled).await;
    }

    /// White makes a move that is none and presses; both directives that follow are on the display.
    pub(crate) async fn illegal_move(&mut self) {
        let before = self.handle.shown.borrow().applied_rev;
        self.board(LEAP).await;
        self.press(Place::Left).await;
        self.shown(|shown| shown.applied_rev >= before + 2 && shown.acked == shown.spooled).await;
    }

    /// It is ended in good order.
    pub(crate) async fn end(self) {
        self.handle.cancel.cancel();
        self.task.await.expect("ended");
    }
}

/// Opens a game of an hour each on a clock.
pub(crate) async fn open(desk: SocketAddr, game: &str, device: &str) {
    let mut desk = DeskServiceClient::connect(format!("http://{desk}")).await.expect("a desk");
    let control: Control = "3600".parse().expect("a control");
    let open = OpenGameRequest {
        act: Some(Act { request: format!("open {game}"), actor: "arbiter".into(), ..Act::default() }),
        game: game.into(),
        device: device.into(),
        edition: "fide-2018".into(),
        play: Play::Standard.into(),
        control: Some((&control).into()),
        side_binding: Half::Left.into(),
        position: String::new(),
        overlay: None,
    };
    desk.open_game(open).await.expect("opened");
}

/// See the module.
pub(crate) struct Bench {
    pub(crate) running: Running,
    pub(crate) trails: Trails,
    pub(crate) clock: Clock,
}

/// A service on ports of its own, with one clock listed; every trace goes to the collector, if there is one.
pub(crate) async fn service(collector: Option<&str>, journal: Arc<dyn Journal>) -> (Running, Trails) {
    let export = collector.map(|url| Export::to(url, "flagfall", "0").expect("an address"));
    let trails = Trails::new(Sampler::ratio(1.0), export);
    let device = Device { device: "clock-1".into(), board: "board-7".into() };
    let settings = ServiceSettings { trails: trails.clone(), ..ServiceSettings::loopback(vec![device]) };
    (Service::start(settings, journal).await.expect("a service"), trails)
}

impl Bench {
    /// A game has been opened on the clock, and the clock has taken it on.
    pub(crate) async fn new(collector: Option<&str>) -> Bench {
        let (running, trails) = service(collector, Arc::new(MemoryJournal::new())).await;
        let mut clock = Clock::start("clock-1", running.clocks, collector);
        open(running.desk, "g", "clock-1").await;
        clock.has_game("g").await;
        Bench { running, trails, clock }
    }

    /// The clock, then the service, are ended in good order.
    pub(crate) async fn end(self) {
        self.clock.end().await;
        self.running.shutdown().await;
    }
}
