//! Sessions: what goes on, what starts again where.

use std::{sync::Arc, time::Duration};

use flagfall_proto::{
    clock::v1::{
        ClockHeartbeat, Conclude, Instant, RejectReason, Report, Stage, device_event::What, directive::Act,
        link_request::Frame::Heartbeat, link_response::Frame,
    },
    journal::v1::event::What as Told,
};
use flagfall_rules::clock::Colour;
use flagfall_server::{
    arena::Limits,
    journal::{Journal, MemoryJournal, SledJournal, codec, sled::Options},
};
use tokio::time::timeout;
use tonic::Code;

use crate::{
    clock::{Clock, PATIENCE, Spool},
    durable::{by_hand, show},
    house::{Desk, in_memory, start, start_with},
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
async fn row_14_a_frame_lost_with_nothing_behind_it_is_asked_for_when_the_heart_beats() {
    let running = in_memory().await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    spool.press(Colour::White);
    spool.press(Colour::Black);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;
    let session_epoch = clock.welcome.session_epoch;
    let beat = || Heartbeat(ClockHeartbeat { session_epoch, last_seq: 3, ..Default::default() });
    // 2 and 3 were sent and got lost; the stream lives on.
    clock.send(beat()).await;
    clock.send(beat()).await;
    let Frame::Rewind(rewind) = clock.frame().await else { panic!("a Rewind") };
    assert_eq!(rewind.from_seq, 2);
    clock.send(beat()).await;
    assert!(matches!(clock.frame().await, Frame::Rewind(_)), "and again, when that is lost too");
    clock.events(&spool, 2..=3).await;
    assert_eq!(clock.acked(3).await, []);
    running.shutdown().await;
}

#[tokio::test]
async fn row_32_a_session_that_slept_while_a_newer_one_came_writes_nothing() {
    let journal = Arc::new(MemoryJournal::new());
    let running = start(Arc::clone(&journal) as _).await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g", "clock-1").await.expect("open");
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut slept = Clock::connect(running.clocks, &spool).await.expect("taken in");
    slept.directive().await;
    slept.events(&spool, 1..=1).await;
    slept.acked(1).await;
    let mut newer = Clock::connect(running.clocks, &spool).await.expect("the newer wins");
    spool.press(Colour::White);
    newer.events(&spool, 2..=2).await;
    newer.directive().await;
    newer.acked(2).await;
    // It wakes, and goes on where it was: with other content under the same number.
    let mut stale = spool.clone();
    stale.events.truncate(1);
    stale.press(Colour::Black);
    slept.events(&stale, 2..=2).await;
    assert!(slept.status().await.message().starts_with("STALE_EPOCH: clock-1"));
    spool.press(Colour::Black);
    newer.events(&spool, 3..=3).await;
    newer.acked(3).await;
    // In every stream, no entry of an older session follows one of a newer.
    for stream in journal.streams().expect("readable") {
        let entries = journal.read(&stream, 1, 1_000).expect("readable");
        let epochs =
            entries.iter().map(|entry| codec::decode_entry(&entry.bytes).expect("an entry").meta.session_epoch);
        let epochs: Vec<u64> = epochs.filter(|&epoch| epoch > 0).collect();
        assert!(epochs.is_sorted(), "{stream}: {epochs:?}");
    }
    assert_eq!(desk.games().await.remove(0).heard_seq, 3);
    running.shutdown().await;
}

#[tokio::test]
async fn row_26_a_result_replaces_what_is_on_its_way_and_words_lose_their_point() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let mut spool = Spool::new("clock-1", 1);
    desk.open("r1", "g", "clock-1").await.expect("open");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    spool.report(&prepare, Stage::Applied);
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;
    let at = Some(Instant { boot_id: spool.boot.to_be_bytes().to_vec(), monotonic_ms: 60_000 });
    let session_epoch = clock.welcome.session_epoch;
    clock.send(Heartbeat(ClockHeartbeat { session_epoch, last_seq: 1, at, ..Default::default() })).await;
    // A frame that is answered: the heartbeat before it was heard.
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;
    desk.0.issue_directive(by_hand("r2", "g", show("hush"))).await.expect("issued");
    let hush = clock.directive().await;
    let until = hush.not_after.clone().expect("words lose their point").monotonic_ms;
    assert!((360_000..370_000).contains(&until), "five minutes after the device's minute: {until}");
    drop(clock);

    desk.0.issue_directive(by_hand("r3", "g", Act::Stop(Default::default()))).await.expect("issued");
    let over = Act::Conclude(Conclude { outcome: 3, words: None });
    desk.0.issue_directive(by_hand("r4", "g", over)).await.expect("issued");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let newest = clock.directive().await;
    assert_eq!((newest.rev, newest.expected_rev), (4, 3));
    assert_eq!(newest.supersedes, ["g#2", "g#3"], "and they are not sent any more");
    let gone = |rev: u64, reason: RejectReason| Report {
        directive: format!("g#{rev}"),
        rev,
        stage: Stage::Rejected.into(),
        reason: reason.into(),
        before: None,
    };
    spool.push(What::Report(gone(2, RejectReason::Expired)));
    spool.push(What::Report(gone(3, RejectReason::Superseded)));
    spool.report(&newest, Stage::Applied);
    clock.events(&spool, 2..=4).await;
    clock.acked(4).await;
    let game = desk.games().await.remove(0);
    let fared: Vec<_> = game.directives[1..].iter().map(|sent| (sent.stage(), sent.reason())).collect();
    assert_eq!(
        fared,
        [
            (Stage::Rejected, RejectReason::Expired),
            (Stage::Rejected, RejectReason::Superseded),
            (Stage::Applied, RejectReason::Unspecified)
        ]
    );
    let alarms: Vec<_> = game.alarms.iter().map(|alarm| alarm.detail.as_str()).collect();
    assert_eq!(alarms, ["the clock refused directive 2: it came too late"], "what was replaced is nobody's trouble");
    running.shutdown().await;
}

#[tokio::test]
async fn row_28_what_is_wanted_and_what_the_clock_has_are_compared_and_the_desk_is_told() {
    let running = start_with(Limits { directive_ms: 100, ..Limits::default() }).await;
    let mut desk = Desk::of(&running).await;
    let mut spool = Spool::new("clock-1", 1);
    desk.open("r1", "g", "clock-1").await.expect("open");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    let refused = Report {
        directive: prepare.id.clone(),
        rev: 1,
        stage: Stage::Rejected.into(),
        reason: RejectReason::Display.into(),
        before: None,
    };
    spool.push(What::Report(refused));
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;
    let session_epoch = clock.welcome.session_epoch;
    let mut updates = desk.watch(&["g"]).await.expect("a watch");
    let told = async {
        while let Some(update) = updates.message().await.expect("no status") {
            let snapshot = update.snapshot.into_iter().flat_map(|game| game.alarms).map(|alarm| alarm.detail);
            let event = update.events.into_iter().filter_map(|event| match event.what {
                Some(Told::Alarmed(alarm)) => Some(alarm.detail),
                _ => None,
            });
            if snapshot.chain(event).any(|detail| detail.contains("up to 0 and 1 are wanted")) {
                return;
            }
        }
    };
    let beats = async {
        loop {
            let beat = ClockHeartbeat { session_epoch, last_seq: 1, game: "g".into(), ..Default::default() };
            clock.send(Heartbeat(beat)).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        told = timeout(PATIENCE, told) => told.expect("the desk is told"),
        () = beats => {}
    }
    let game = desk.games().await.remove(0);
    assert_eq!((game.directives[0].stage(), game.directives[0].reason()), (Stage::Rejected, RejectReason::Display));
    assert!(
        game.alarms
            .iter()
            .any(|alarm| alarm.detail == "the clock refused directive 1: the physical clock did not take it")
    );
    running.shutdown().await;
}

#[tokio::test]
async fn row_28_a_clock_that_cannot_tell_whether_it_obeyed_says_so_and_is_not_told_again() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let mut spool = Spool::new("clock-1", 1);
    desk.open("r1", "g", "clock-1").await.expect("open");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    let (stage, reason) = (Stage::Unknown.into(), RejectReason::Display.into());
    spool.push(What::Report(Report { directive: prepare.id, rev: 1, stage, reason, before: None }));
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    spool.start();
    clock.events(&spool, 2..=2).await;
    assert_eq!(clock.acked(2).await, [], "it is the last word");
    let alarms = desk.games().await.remove(0).alarms;
    assert_eq!(alarms[0].detail, "nobody knows whether directive 1 is on the clock: read it and set it");
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
