use tonic::transport::Endpoint;
use tonic_health::{
    ServingStatus,
    pb::{HealthCheckRequest, health_client::HealthClient},
};

use flagfall_proto::desk::v1::{GetGameRequest, ListGamesRequest, desk_service_client::DeskServiceClient};

use std::sync::{Mutex, PoisonError, mpsc};

use super::*;
use crate::{
    journal::{
        MemoryJournal, ReadError, SledJournal, Stored, StreamId, Ticket,
        codec::{self, Kept, Meta},
        sled::{Options, Salvage},
    },
    ops::fetch::fetch,
};

#[tokio::test]
async fn probes_hear_when_the_journal_fails() {
    let journal = Arc::new(MemoryJournal::new());
    let running = Service::start(ServiceSettings::loopback(Vec::new()), journal.clone()).await.expect("started");
    for address in [running.desk, running.ops] {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
        let mut client = HealthClient::new(endpoint.connect().await.expect("a listener"));
        let mut told = client.watch(HealthCheckRequest::default()).await.expect("a watch").into_inner();
        let mut next = async || told.message().await.expect("a message").expect("more").status;
        let serving = next().await;
        if address == running.desk {
            assert_eq!(serving, ServingStatus::Serving as i32);
            journal.fail("input/output error");
            assert_eq!(next().await, ServingStatus::NotServing as i32);
        } else {
            assert_eq!(serving, ServingStatus::NotServing as i32);
        }
    }
    running.failed().await;
    running.shutdown().await;
}

/// The database does not open: finished games can be read, nothing is taken, probes hear that nobody is served.
#[tokio::test(flavor = "multi_thread")]
async fn row_10_without_its_database_a_service_shows_the_finished_games() {
    let dir = tempfile::tempdir().expect("directory");
    let (options, game) = (Options::new(dir.path()), StreamId::Game("g".into()));
    {
        let journal = SledJournal::open(&options).expect("open");
        let entry = codec::entry("g", "", &Meta::default(), &[Kept::Overdue(1)], &[]);
        assert!(journal.append(&game, 0, entry.clone()).await.is_ok());
        assert!(journal.append(&StreamId::Desk, 0, entry).await.is_ok());
        let laid = tokio::task::spawn_blocking(move || journal.shelve(&game, b"").expect("laid down"));
        assert!(laid.await.expect("a thread"));
    }
    std::fs::write(dir.path().join("conf"), "what is this").expect("spoilt");
    let error = SledJournal::open(&options).err().expect("damaged");
    assert!(error.is_damage() && error.to_string().contains("flagfall journal restore"), "{error}");

    let journal = Arc::new(Salvage::of(dir.path(), error.to_string()));
    let devices = vec![Device { device: "a".into(), board: "a".into() }];
    let running = Service::start(ServiceSettings::loopback(devices), journal).await.expect("started");
    let channel = Endpoint::from_shared(format!("http://{}", running.desk)).expect("an address");
    let channel = channel.connect().await.expect("a listener");
    let mut health = HealthClient::new(channel.clone());
    let told = health.check(HealthCheckRequest::default()).await.expect("an answer").into_inner();
    assert_eq!(told.status, ServingStatus::NotServing as i32);
    let mut desk = DeskServiceClient::new(channel);
    let all = ListGamesRequest { finished: true, ..ListGamesRequest::default() };
    let games = desk.list_games(all).await.expect("a list").into_inner().games;
    assert_eq!((games.len(), games[0].entry), (1, 1));
    assert!(games[0].quarantine.contains("flagfall journal restore"), "{}", games[0].quarantine);
    // An empty list would say that nobody plays, and a name unknown that there is no such game.
    let refused = desk.list_games(ListGamesRequest::default()).await.expect_err("nobody knows");
    assert_eq!(refused.code(), tonic::Code::Unavailable);
    assert!(refused.message().starts_with("JOURNAL_DOWN: the service's journal does not open"), "{refused}");
    let never = GetGameRequest { game: "never".into() };
    assert_eq!(desk.get_game(never).await.expect_err("nobody knows").code(), tonic::Code::Unavailable);
    running.shutdown().await;
}

/// A journal that is read when somebody lets it.
struct Locked(MemoryJournal, Mutex<mpsc::Receiver<()>>);

impl Journal for Locked {
    fn append(&self, stream: &StreamId, after: u64, entry: Vec<u8>) -> Ticket {
        self.0.append(stream, after, entry)
    }

    fn read(&self, stream: &StreamId, from: u64, max: usize) -> Result<Vec<Stored>, ReadError> {
        // Fails when it is let be read for good.
        let _let = self.1.lock().unwrap_or_else(PoisonError::into_inner).recv();
        self.0.read(stream, from, max)
    }

    fn last(&self, stream: &StreamId) -> Result<Option<(u64, [u8; 32])>, ReadError> {
        self.0.last(stream)
    }

    fn streams(&self) -> Result<Vec<StreamId>, ReadError> {
        self.0.streams()
    }

    fn health(&self) -> journal::Health {
        self.0.health()
    }
}

#[tokio::test]
async fn it_is_not_ready_before_the_chain_of_every_game_was_walked() {
    let memory = MemoryJournal::new();
    let fill = async |name: &str, chained: bool| {
        let stream = StreamId::Game(name.to_owned());
        let mut previous_hash = codec::NO_HASH;
        for after in 0..3 {
            let meta = Meta { previous_hash, ..Meta::default() };
            let entry = codec::entry(name, "", &meta, &[Kept::Overdue(after)], &[]);
            previous_hash = if chained { journal::hash(&entry) } else { codec::NO_HASH };
            assert!(memory.append(&stream, after, entry).await.is_ok());
        }
    };
    fill("a", true).await;
    // Its second entry follows nothing: one is as it was written.
    fill("b", false).await;
    let (let_read, locked) = mpsc::channel();
    let mut doors = Vec::new();
    let mut ops = String::new();
    for _ in ["clocks", "desk", "ops"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        ops = format!("http://{}", listener.local_addr().expect("an address"));
        doors.push(TcpListenerStream::new(listener));
    }
    let [clocks, desk, at_ops] = doors.try_into().expect("three");
    let doors = Doors { clocks, desk, ops: at_ops, web: None };
    let settings = ServiceSettings::loopback(Vec::new());
    let starting = tokio::spawn(Service::open(settings, doors, Arc::new(Locked(memory, Mutex::new(locked)))));

    let said = fetch(&ops, "/readyz").await.expect_err("not yet").to_string();
    assert_eq!(said, "chain: not verified yet: the games under way are being read\nservice: it starts or drains");
    assert_eq!(fetch(&ops, "/healthz").await.expect("the process answers"), "ok\n");
    drop(let_read);
    let running = starting.await.expect("no panic").expect("started");
    let said = fetch(&ops, "/readyz").await.expect("ready");
    let chain = "chain: verified, 2 streams, 4 entries; 1 streams are set apart, see the log";
    assert_eq!(said, format!("ok\nstore: writable\ncommitter: alive\n{chain}\nservice: serving\n"));
    running.shutdown().await;
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let desk = taken.local_addr().expect("an address");
    let settings = ServiceSettings { desk, ..ServiceSettings::loopback(Vec::new()) };
    let error = Service::start(settings, Arc::new(MemoryJournal::new())).await.err().expect("taken").to_string();
    assert!(error.starts_with(&format!("cannot listen for desks on {desk}: ")), "{error}");
}
