//! Sessions: what goes on, what starts again where.

use std::sync::Arc;

use flagfall_proto::clock::v1::{Stage, link_response::Frame};
use flagfall_rules::clock::Colour;
use flagfall_server::journal::{SledJournal, sled::Options};
use tonic::Code;

use crate::{
    clock::{Clock, Spool},
    house::{Desk, in_memory, start},
};

#[tokio::test]
async fn row_16_the_newer_session_of_a_clock_wins() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut older = Clock::connect(running.clocks, &spool).await.expect("taken in");
    older.events(&spool, 1..=1).await;
    older.acked(1).await;
    let newer = Clock::connect(running.clocks, &spool).await.expect("the newer wins");
    let status = older.status().await;
    assert_eq!(status.code(), Code::Aborted, "{status}");
    assert!(status.message().starts_with("STALE_EPOCH: clock-1: session 1 is over"), "{status}");
    assert!(newer.welcome.session_epoch > older.welcome.session_epoch);
    assert_eq!(newer.welcome.durable_through, 1);
    running.shutdown().await;
}

#[tokio::test]
async fn row_14_a_gap_is_asked_for_and_then_it_goes_on() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    for _ in 0..3 {
        spool.press(Colour::White);
        spool.press(Colour::Black);
    }
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=2).await;
    clock.acked(2).await;
    clock.events(&spool, 5..=6).await;
    clock.events(&spool, 7..=7).await;
    let Frame::Rewind(rewind) = clock.frame().await else { panic!("a Rewind") };
    assert_eq!(rewind.from_seq, 3);
    clock.events(&spool, 3..=7).await;
    assert_eq!(clock.acked(7).await, [], "one Rewind a gap");
    // What is on disk already is acknowledged again.
    clock.events(&spool, 6..=7).await;
    assert_eq!(clock.acked(7).await, []);
    running.shutdown().await;
}

#[tokio::test]
async fn row_07_a_directive_comes_again_until_it_is_applied() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let mut spool = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!((clock.welcome.game.as_str(), clock.welcome.desired_rev), ("", 0));
    let opened = desk.open("r1", "", "clock-1").await.expect("open");
    assert!(opened.game.starts_with("clock-1-"), "{opened:?}");
    let prepare = clock.directive().await;
    assert_eq!((prepare.rev, prepare.id.clone()), (opened.rev, format!("{}#1", opened.game)));

    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!((clock.welcome.game.clone(), clock.welcome.desired_rev), (opened.game.clone(), 1));
    assert_eq!(clock.directive().await, prepare, "the same to the letter");
    spool.report(&prepare, Stage::Applied);
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;

    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.desired_rev, 1);
    spool.start();
    clock.events(&spool, 2..=2).await;
    assert_eq!(clock.acked(2).await, [], "it is not sent again");
    running.shutdown().await;
}

#[tokio::test]
async fn after_a_restart_everything_is_where_it_was() {
    let dir = tempfile::tempdir().expect("a directory");
    let open = || Arc::new(SledJournal::open(&Options::new(dir.path())).expect("a journal"));
    let running = start(open()).await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    spool.press(Colour::White);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    clock.events(&spool, 1..=2).await;
    clock.acked(2).await;
    let (before, epoch) = (desk.games().await, clock.welcome.session_epoch);
    running.shutdown().await;

    let running = start(open()).await;
    let mut desk = Desk::of(&running).await;
    assert_eq!(desk.games().await, before);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert!(clock.welcome.session_epoch > epoch);
    assert_eq!((clock.welcome.durable_through, clock.welcome.game.as_str()), (2, "g1"));
    assert_eq!(clock.welcome.chain_hash, flagfall_server::wire::sha256(&spool.events[1]));
    assert_eq!(clock.directive().await, prepare);
    assert_eq!(desk.open("r1", "g1", "clock-1").await.expect("the same request").rev, 1);
    let busy = desk.open("r2", "g2", "clock-1").await.expect_err("busy");
    assert!(busy.code() == Code::AlreadyExists && busy.message().starts_with("DEVICE_BUSY: clock-1"), "{busy}");
    spool.press(Colour::Black);
    clock.events(&spool, 3..=3).await;
    clock.acked(3).await;
    running.shutdown().await;
}

#[tokio::test]
async fn scans_that_lead_to_nothing_make_few_entries_and_are_all_acknowledged() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut spool = Spool::new("clock-1", 1);
    for _ in 0..100 {
        spool.scan("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        spool.scan("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR");
    }
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=200).await;
    clock.acked(200).await;
    let entries = desk.games().await[0].entry;
    assert!(entries <= 1 + 200 / 32 + 1, "{entries} entries for 200 scans");
    running.shutdown().await;
}

#[tokio::test]
async fn row_30_a_drain_says_goodbye_after_the_last_ack() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;
    let drained = tokio::spawn(running.shutdown());
    let Frame::Goodbye(goodbye) = clock.frame().await else { panic!("a Goodbye") };
    assert!(goodbye.resume_after_ms >= 100);
    let status = clock.status().await;
    assert!(status.code() == Code::Unavailable && status.message().starts_with("DRAINING: "), "{status}");
    drop(clock);
    drained.await.expect("drained");
}
