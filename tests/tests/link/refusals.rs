//! What is refused, by name, and that nothing else suffers.

use flagfall_proto::clock::v1::{
    Board, ClockHeartbeat, Events, Press, Scan, device_event::What, link_request, link_response::Frame,
};
use flagfall_rules::clock::Colour;
use flagfall_server::{
    app::serve::{Service, ServiceSettings},
    arena::Limits,
};
use tonic::{Code, Status};

use crate::{
    clock::{Clock, PATIENCE, Spool, hello},
    durable::{by_hand, show},
    house::{self, Desk, Disk, in_memory},
};

fn refused(status: &Status, code: Code, begins: &str) {
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().starts_with(begins), "{status}");
}

#[tokio::test]
async fn an_unknown_clock_and_a_bad_hello() {
    let running = in_memory().await;
    let stranger = Clock::connect(running.clocks, &Spool::new("clock-9", 1)).await.err().expect("refused");
    refused(&stranger, Code::Unauthenticated, "UNKNOWN_DEVICE: \"clock-9\"");
    let spool = Spool::new("clock-1", 1);
    let newer = flagfall_proto::clock::v1::Hello { protocol_min: 2, protocol_max: 3, ..hello(&spool) };
    let newer = Clock::connect_with(running.clocks, newer).await.err().expect("refused");
    refused(&newer, Code::FailedPrecondition, "PROTOCOL_RANGE: clock-1");
    let short = flagfall_proto::clock::v1::Hello { spool_id: vec![1; 15], ..hello(&spool) };
    let short = Clock::connect_with(running.clocks, short).await.err().expect("refused");
    refused(&short, Code::InvalidArgument, "BAD_HELLO: clock-1: spool_id");
    running.shutdown().await;
}

#[tokio::test]
async fn row_17_a_board_has_one_clock() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    let mut first = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let second = Clock::connect(running.clocks, &Spool::new("spare-1", 2)).await.err().expect("refused");
    refused(&second, Code::AlreadyExists, "BOARD_TAKEN: spare-1 is configured for board board-1, which clock-1 holds");
    spool.start();
    first.events(&spool, 1..=1).await;
    first.acked(1).await;
    // Once the first is gone the spare one is welcome.
    first.send(link_request::Frame::Goodbye(flagfall_proto::clock::v1::Goodbye::default())).await;
    assert_eq!(first.next().await.expect("no status"), None);
    Clock::connect(running.clocks, &Spool::new("spare-1", 2)).await.expect("the board is free");
    running.shutdown().await;
}

#[tokio::test]
async fn row_16_an_older_epoch_writes_nothing() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let session_epoch = clock.welcome.session_epoch - 1;
    clock.send(link_request::Frame::Events(Events { session_epoch, events: spool.events.clone(), sent_ms: 0 })).await;
    refused(&clock.status().await, Code::Aborted, "STALE_EPOCH: clock-1");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.durable_through, 0);
    clock.send(link_request::Frame::Heartbeat(ClockHeartbeat { session_epoch, ..Default::default() })).await;
    refused(&clock.status().await, Code::Aborted, "STALE_EPOCH: clock-1");
    running.shutdown().await;
}

#[tokio::test]
async fn row_15_a_forked_spool_is_frozen() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut other = spool.clone();
    spool.press(Colour::White);
    spool.press(Colour::Black);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=3).await;
    clock.acked(3).await;
    // The card's twin has gone another way.
    other.push(What::Paused(Default::default()));
    clock.events(&other, 2..=2).await;
    refused(&clock.status().await, Code::DataLoss, "FORKED_SPOOL: clock-1: event 2");
    let again = Clock::connect(running.clocks, &spool).await.err().expect("frozen");
    refused(&again, Code::DataLoss, "FORKED_SPOOL: clock-1");
    let fresh = Clock::connect(running.clocks, &Spool::new("clock-1", 2)).await.expect("a new spool");
    assert_eq!(fresh.welcome.durable_through, 0);
    running.shutdown().await;
}

#[tokio::test]
async fn row_15_a_fork_older_than_the_session_is_found_in_the_journal() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut other = spool.clone();
    spool.press(Colour::White);
    spool.press(Colour::Black);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=3).await;
    clock.acked(3).await;
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("the newer session");
    assert_eq!((clock.welcome.durable_through, clock.welcome.chain_hash.len()), (3, 32));
    clock.events(&spool, 1..=3).await;
    let Frame::Ack(ack) = clock.frame().await else { panic!("the same again is acknowledged again") };
    assert_eq!(ack.durable_through, 3);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("the newest session");
    other.push(What::Paused(Default::default()));
    clock.events(&other, 2..=2).await;
    refused(&clock.status().await, Code::DataLoss, "FORKED_SPOOL: clock-1: event 2");
    running.shutdown().await;
}

#[tokio::test]
async fn row_23_a_bad_event_leaves_the_game_unharmed() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut good = Spool::new("clock-1", 1);
    good.start();
    let mut bad_colour = good.clone();
    bad_colour.push(What::Press(Press { colour: 0 }));
    let mut bad_board = good.clone();
    bad_board.push(What::Scan(Scan { board: Some(Board { squares: vec![0xee; 32] }) }));
    let mut noise = good.clone();
    noise.events.push(vec![0xff, 0xff, 0xff]);
    let mut bad_face = good.clone();
    bad_face.face.hands[0].left = Some(-5);
    bad_face.push(What::Press(Press { colour: 1 }));
    let cases = [
        (bad_colour, "BAD_EVENT: clock-1: event 2: press.colour"),
        (bad_board, "MALFORMED_BOARD: clock-1: event 2: board.squares"),
        (noise, "BAD_EVENT: clock-1: event 2: "),
        (bad_face, "BAD_EVENT: clock-1: event 2: "),
    ];
    for (bad, expected) in cases {
        let mut clock = Clock::connect(running.clocks, &good).await.expect("taken in");
        clock.events(&bad, 1..=2).await;
        refused(&clock.status().await, Code::InvalidArgument, expected);
    }
    good.press(Colour::White);
    let mut clock = Clock::connect(running.clocks, &good).await.expect("taken in");
    assert_eq!(clock.welcome.durable_through, 0, "nothing of a refused frame is stored");
    clock.events(&good, 1..=2).await;
    clock.acked(2).await;
    let games = desk.games().await;
    assert_eq!(games[0].face.and_then(|face| face.white).map(|white| white.moves), Some(1));
    running.shutdown().await;
}

#[tokio::test]
async fn row_22_a_giant_frame_and_frames_that_are_none() {
    let running = in_memory().await;
    let spool = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let session_epoch = clock.welcome.session_epoch;
    clock
        .send(link_request::Frame::Events(Events { session_epoch, events: vec![vec![0; 4_000]; 17], sent_ms: 0 }))
        .await;
    refused(&clock.status().await, Code::InvalidArgument, "BAD_EVENT: clock-1: a frame is at most 65536 bytes");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.send(link_request::Frame::Hello(hello(&spool))).await;
    refused(&clock.status().await, Code::InvalidArgument, "BAD_EVENT: clock-1: a second Hello");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let session_epoch = clock.welcome.session_epoch;
    clock.send(link_request::Frame::Events(Events { session_epoch, events: Vec::new(), sent_ms: 0 })).await;
    refused(&clock.status().await, Code::InvalidArgument, "BAD_EVENT: clock-1: a frame has 1 to 256 events");
    running.shutdown().await;
}

#[tokio::test]
async fn row_22_a_clock_that_does_not_read_is_closed_and_the_game_goes_on() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let game = desk.open("r0", "g1", "clock-1").await.expect("open").game;
    let spool = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let words = "x".repeat(200);
    for n in 1..=400 {
        desk.0.issue_directive(by_hand(&format!("r{n}"), &game, show(&words))).await.expect("issued");
    }
    refused(&clock.status().await, Code::ResourceExhausted, "SLOW_READER: clock-1 let its queue of 64 fill");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.desired_rev, 401);
    for rev in 1..=401 {
        assert_eq!(clock.directive().await.rev, rev);
    }
    running.shutdown().await;
}

#[tokio::test]
async fn row_22_a_connection_that_says_nothing_is_closed() {
    let running = in_memory().await;
    let mut silent = tokio::net::TcpStream::connect(running.clocks).await.expect("a listener");
    let begun = std::time::Instant::now();
    // What the service says of itself at once, then the end.
    let mut said = Vec::new();
    let closed = tokio::time::timeout(PATIENCE, tokio::io::AsyncReadExt::read_to_end(&mut silent, &mut said)).await;
    drop(closed.expect("it is closed"));
    assert!(begun.elapsed().as_secs() >= 4, "not before its time: {:?}", begun.elapsed());
    running.shutdown().await;
}

#[tokio::test]
async fn row_21_who_waits_in_vain_for_his_turn_is_told_when_to_come_again() {
    let disk = Disk::slow();
    let limits = Limits { greetings: 1, ..Limits::default() };
    let settings = ServiceSettings { limits, ..house::settings() };
    let running = Service::start(settings, disk.clone()).await.expect("started");
    let clocks = running.clocks;
    // The first one's epoch is on its way to a disk that does not get on.
    let first = tokio::spawn(async move { Clock::connect(clocks, &Spool::new("clock-1", 1)).await });
    disk.waiting(1).await;
    let mut second = Clock::greet(clocks, hello(&Spool::new("clock-2", 2))).await.expect("a stream");
    let Frame::Goodbye(goodbye) = second.frame().await else { panic!("a Goodbye") };
    assert!(goodbye.resume_after_ms <= 10_000, "{goodbye:?}");
    refused(&second.status().await, Code::Unavailable, "CROWDED: ");
    disk.speed_up();
    first.await.expect("no panic").expect("taken in");
    running.shutdown().await;
}
