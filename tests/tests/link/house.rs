//! A whole service on loopback, and a journal whose disk the test holds in its hand.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use flagfall_proto::{
    clock::v1::Place,
    desk::v1::{
        Act, GameSnapshot, ListGamesRequest, OpenGameRequest, OpenGameResponse, WatchGamesRequest, WatchGamesResponse,
        desk_service_client::DeskServiceClient,
    },
    journal::v1::Play,
};
use flagfall_server::{
    app::serve::{Running, Service, ServiceSettings},
    arena::{Device, Limits},
    journal::{Health, Journal, MemoryJournal, ReadError, Stored, StreamId, Ticket},
};
use tokio::{sync::watch, time::timeout};
use tonic::{Status, Streaming, transport::Channel};

use crate::clock::PATIENCE;

/// Two clocks at one board, a third at another.
pub(crate) fn settings() -> ServiceSettings {
    let device = |device: &str, board: &str| Device { device: device.into(), board: board.into() };
    ServiceSettings::loopback(vec![
        device("clock-1", "board-1"),
        device("clock-2", "board-2"),
        device("spare-1", "board-1"),
    ])
}

pub(crate) async fn start(journal: Arc<dyn Journal>) -> Running {
    Service::start(settings(), journal).await.expect("a free port and an empty journal")
}

pub(crate) async fn start_with(limits: Limits) -> Running {
    let settings = ServiceSettings { limits, ..settings() };
    Service::start(settings, Arc::new(MemoryJournal::new())).await.expect("a free port and an empty journal")
}

pub(crate) async fn in_memory() -> Running {
    start(Arc::new(MemoryJournal::new())).await
}

/// A desk.
pub(crate) struct Desk(pub(crate) DeskServiceClient<Channel>);

impl Desk {
    pub(crate) async fn of(running: &Running) -> Desk {
        Desk(DeskServiceClient::connect(format!("http://{}", running.desk)).await.expect("a listener"))
    }

    pub(crate) async fn open(&mut self, request: &str, game: &str, device: &str) -> Result<OpenGameResponse, Status> {
        let open = OpenGameRequest {
            act: act(request),
            game: game.into(),
            device: device.into(),
            edition: "fide-2018".into(),
            play: Play::Standard.into(),
            control: None,
            side_binding: Place::Left.into(),
            position: String::new(),
            overlay: None,
        };
        Ok(self.0.open_game(open).await?.into_inner())
    }

    pub(crate) async fn games(&mut self) -> Vec<GameSnapshot> {
        self.0.list_games(ListGamesRequest::default()).await.expect("a list").into_inner().games
    }

    pub(crate) async fn watch(&mut self, games: &[&str]) -> Result<Streaming<WatchGamesResponse>, Status> {
        let games = games.iter().map(ToString::to_string).collect();
        Ok(self.0.watch_games(WatchGamesRequest { games }).await?.into_inner())
    }
}

pub(crate) fn act(request: &str) -> Option<Act> {
    Some(Act { request: request.into(), actor: "arbiter".into(), ..Act::default() })
}

/// A journal whose entries reach the disk when the test says so.
pub(crate) struct Disk {
    pub(crate) memory: MemoryJournal,
    appended: watch::Sender<usize>,
    /// It syncs by itself now.
    fast: AtomicBool,
}

impl Disk {
    pub(crate) fn slow() -> Arc<Disk> {
        Arc::new(Disk {
            memory: MemoryJournal::manual(),
            appended: watch::Sender::new(0),
            fast: AtomicBool::new(false),
        })
    }

    /// Syncs what waits, and all that comes from now on.
    pub(crate) fn speed_up(&self) {
        self.fast.store(true, Ordering::SeqCst);
        self.memory.sync();
    }

    /// From now on the test syncs again.
    pub(crate) fn slow_down(&self) {
        self.fast.store(false, Ordering::SeqCst);
    }

    /// Waits until so many appends wait for the disk.
    pub(crate) async fn waiting(&self, count: usize) {
        let mut appended = self.appended.subscribe();
        let enough = appended.wait_for(|_| self.memory.unsynced() >= count);
        timeout(PATIENCE, enough).await.expect("appended in time").expect("the journal is there");
    }
}

impl Journal for Disk {
    fn append(&self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket {
        let ticket = self.memory.append(stream, after, entry);
        if self.fast.load(Ordering::SeqCst) {
            self.memory.sync();
        }
        self.appended.send_modify(|count| *count += 1);
        ticket
    }

    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError> {
        self.memory.read(stream, from, max)
    }

    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError> {
        self.memory.last(stream)
    }

    fn streams(&self) -> Result<Vec<StreamId>, ReadError> {
        self.memory.streams()
    }

    fn health(&self) -> Health {
        self.memory.health()
    }
}
