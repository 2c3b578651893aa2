//! Nothing leaves the service before it is on disk; what is asked twice is done once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use flagfall_proto::{
    clock::v1::{self, Outcome, Words, directive, link_response::Frame},
    desk::v1::IssueDirectiveRequest,
    journal::v1::{ActByHand, event::What},
};
use flagfall_rules::clock::Colour;
use flagfall_server::arena::Limits;
use tokio::time::timeout;
use tonic::Code;

use crate::{
    clock::{Clock, PATIENCE, Spool},
    house::{Desk, Disk, act, in_memory, start, start_with},
};

pub(crate) fn by_hand(request: &str, game: &str, act_by_hand: directive::Act) -> IssueDirectiveRequest {
    let directive = v1::Directive { act: Some(act_by_hand), ..Default::default() };
    IssueDirectiveRequest {
        act: act(request),
        game: game.into(),
        by_hand: Some(ActByHand { directive: Some(directive) }),
    }
}

pub(crate) fn show(text: &str) -> directive::Act {
    let words = Some(Words { en: text.into(), ru: text.into() });
    directive::Act::Show(v1::Show { words })
}

#[tokio::test]
async fn nothing_leaves_before_it_is_on_disk() {
    let disk = Disk::slow();
    disk.speed_up();
    let running = start(disk.clone()).await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    spool.press(Colour::White);
    spool.press(Colour::Black);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.directive().await;
    let mut watch = desk.watch(&["g1"]).await.expect("a watch");
    let first = timeout(PATIENCE, watch.message()).await.expect("in time").expect("an update").expect("the first");
    assert!(first.snapshot.is_some());

    disk.slow_down();
    let synced = Arc::new(AtomicBool::new(false));
    // The desk acts, the clock is started; both wait for the disk.
    let answered = tokio::spawn({
        let (mut client, synced) = (desk.0.clone(), Arc::clone(&synced));
        async move {
            let answer = client.issue_directive(by_hand("r2", "g1", show("hello"))).await.expect("issued").into_inner();
            (answer.rev, synced.load(Ordering::SeqCst))
        }
    });
    let watched = tokio::spawn({
        let synced = Arc::clone(&synced);
        async move {
            let mut entries = Vec::new();
            while entries.len() < 2 {
                let update = watch.message().await.expect("an update").expect("more");
                entries.push((update.entry, synced.load(Ordering::SeqCst)));
            }
            entries
        }
    });
    disk.waiting(1).await;
    clock.events(&spool, 1..=1).await;
    disk.waiting(2).await;
    // A gap is answered at once, and by the same session: had there been an ack or a directive, it would be in front.
    clock.events(&spool, 3..=3).await;
    let Frame::Rewind(rewind) = clock.frame().await else { panic!("a Rewind, and nothing before it") };
    assert_eq!(rewind.from_seq, 2);
    assert!(!answered.is_finished() && !watched.is_finished());

    synced.store(true, Ordering::SeqCst);
    disk.memory.sync_first(1);
    let Frame::Directive(hello) = clock.frame().await else { panic!("the directive of the first entry") };
    assert_eq!(hello.rev, 2);
    assert_eq!(timeout(PATIENCE, answered).await.expect("in time").expect("no panic"), (2, true));
    disk.memory.sync_first(1);
    let Frame::Ack(ack) = clock.frame().await else { panic!("the ack of the second entry") };
    assert_eq!((ack.durable_through, ack.desired_rev), (1, 2));
    let entries = timeout(PATIENCE, watched).await.expect("in time").expect("no panic");
    assert_eq!(entries, [(first.entry + 1, true), (first.entry + 2, true)]);
    disk.speed_up();
    running.shutdown().await;
}

#[tokio::test]
async fn row_11_a_failed_disk_closes_the_session_and_keeps_nothing_that_was_not_written() {
    let disk = Disk::slow();
    disk.speed_up();
    let running = start(disk.clone()).await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    disk.slow_down();
    clock.events(&spool, 1..=1).await;
    disk.waiting(1).await;
    disk.memory.fail("input/output error");
    let status = clock.status().await;
    assert!(status.code() == Code::Unavailable && status.message().starts_with("JOURNAL_DOWN: "), "{status}");
    timeout(PATIENCE, running.failed()).await.expect("the house is told");
    let games = desk.games().await;
    assert_eq!(games[0].entry, 1, "the game is read again and stands where the disk has it");
    let refused = desk.open("r2", "g2", "clock-2").await.expect_err("nothing more is ruled");
    assert!(refused.message().starts_with("JOURNAL_DOWN: "), "{refused}");
    running.shutdown().await;
}

#[tokio::test]
async fn row_02_what_was_written_though_nobody_was_told_is_not_written_again() {
    let disk = Disk::slow();
    disk.speed_up();
    let running = start(disk.clone()).await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    spool.press(Colour::White);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    disk.slow_down();
    clock.events(&spool, 1..=2).await;
    disk.waiting(2).await;
    disk.memory.crash_keeping(1);
    let status = clock.status().await;
    assert!(status.message().starts_with("JOURNAL_DOWN: "), "{status}");
    disk.speed_up();
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.durable_through, 1);
    clock.events(&spool, 2..=2).await;
    clock.acked(2).await;
    assert_eq!(desk.games().await[0].entry, 3, "the opening and two events, each once");
    running.shutdown().await;
}

#[tokio::test]
async fn row_25_a_request_that_comes_twice_acts_once() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let (mut twin, mut other) = (Desk(desk.0.clone()), Desk(desk.0.clone()));
    let (a, b) = tokio::join!(desk.open("r1", "", "clock-1"), twin.open("r1", "", "clock-1"));
    let (a, b) = (a.expect("open"), b.expect("the same"));
    assert_eq!(a, b);
    let busy = other.open("r2", "g2", "clock-1").await.expect_err("busy");
    assert!(busy.code() == Code::AlreadyExists && busy.message().starts_with("DEVICE_BUSY: "), "{busy}");
    let taken = other.open("r2", &a.game, "clock-2").await.expect_err("taken");
    assert!(taken.code() == Code::AlreadyExists && taken.message().starts_with("GAME_EXISTS: "), "{taken}");
    let nowhere = other.open("r2", "g2", "clock-9").await.expect_err("no clock");
    assert!(nowhere.code() == Code::NotFound && nowhere.message().starts_with("NO_SUCH_DEVICE: "), "{nowhere}");

    let first = desk.0.issue_directive(by_hand("r3", &a.game, show("hello"))).await.expect("issued").into_inner();
    let again = desk.0.issue_directive(by_hand("r3", &a.game, show("hello"))).await.expect("issued").into_inner();
    assert_eq!((first.rev, again.rev), (2, 2));
    let games = desk.games().await;
    assert_eq!((games.len(), games[0].directives.len(), games[0].entry), (1, 2, 2));

    let conclude = || directive::Act::Conclude(v1::Conclude { outcome: Outcome::Draw.into(), words: None });
    desk.0.issue_directive(by_hand("r4", &a.game, conclude())).await.expect("the game is over");
    let over = desk.0.issue_directive(by_hand("r5", &a.game, conclude())).await.expect_err("it is over already");
    assert!(over.code() == Code::FailedPrecondition && over.message().starts_with("GAME_OVER: "), "{over}");
    desk.open("r6", "g2", "clock-1").await.expect("the clock is free");
    let nobody = IssueDirectiveRequest { act: None, ..by_hand("r7", "g2", show("x")) };
    let nobody = desk.0.issue_directive(nobody).await.expect_err("who?");
    assert!(nobody.code() == Code::InvalidArgument && nobody.message().starts_with("BAD_REQUEST: act"), "{nobody}");
    running.shutdown().await;
}

#[tokio::test]
async fn a_watcher_sees_every_entry_once_and_in_order() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let missing = desk.watch(&["g9"]).await.expect_err("no such game");
    assert!(missing.code() == Code::NotFound && missing.message().starts_with("NO_SUCH_GAME: "), "{missing}");
    let mut watch = desk.watch(&[]).await.expect("a watch");
    let mut next =
        async || timeout(PATIENCE, watch.message()).await.expect("in time").expect("an update").expect("more");
    let first = next().await;
    assert_eq!((first.game.as_str(), first.entry, first.events.len()), ("g1", 1, 0));
    assert_eq!(first.snapshot.expect("the first has one").setup.map(|setup| setup.device), Some("clock-1".to_owned()));

    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    for _ in 0..20 {
        spool.press(Colour::White);
        spool.press(Colour::Black);
    }
    let clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=41).await;
    let mut heard = Vec::new();
    let mut entry = 1;
    while heard.len() < 41 {
        let update = next().await;
        entry += 1;
        assert_eq!((update.entry, update.snapshot.is_none()), (entry, true));
        heard.extend(update.events.into_iter().filter_map(|event| match event.what {
            Some(What::Heard(heard)) => Some(heard.seq),
            _ => None,
        }));
    }
    assert_eq!(heard, (1..=41).collect::<Vec<_>>());

    // A game opened later begins with its first entry.
    desk.open("r2", "g2", "clock-2").await.expect("open");
    let later = loop {
        let update = next().await;
        if update.game == "g2" {
            break update;
        }
    };
    assert_eq!((later.entry, later.snapshot.is_some()), (1, true));
    running.shutdown().await;
}

#[tokio::test]
async fn the_desk_hears_that_there_is_no_word_of_a_directive() {
    let running = start_with(Limits { directive_ms: 1, ..Limits::default() }).await;
    let mut desk = Desk::of(&running).await;
    let mut watch = desk.watch(&[]).await.expect("a watch");
    desk.open("r1", "g1", "clock-1").await.expect("open, though the clock is not there");
    let mut next =
        async || timeout(PATIENCE, watch.message()).await.expect("in time").expect("an update").expect("more");
    assert_eq!(next().await.entry, 1);
    let second = next().await;
    let staged = second.events.iter().find_map(|event| match &event.what {
        Some(What::Staged(staged)) => Some((staged.rev, staged.stage())),
        _ => None,
    });
    assert_eq!((second.entry, staged), (2, Some((1, v1::Stage::Unknown))));
    assert!(second.events.iter().any(|event| matches!(event.what, Some(What::Alarmed(_)))));
    running.shutdown().await;
}

#[tokio::test]
async fn an_idle_game_leaves_the_memory_and_comes_back() {
    let running = start_with(Limits { directive_ms: 1, idle_s: 0, scan_hold_ms: 1, ..Limits::default() }).await;
    let mut desk = Desk::of(&running).await;
    let mut watch = desk.watch(&[]).await.expect("a watch");
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.directive().await;
    clock.events(&spool, 1..=1).await;
    clock.acked(1).await;
    for n in 0..50 {
        spool.press(if n % 2 == 0 { Colour::White } else { Colour::Black });
        clock.events(&spool, n + 2..=n + 2).await;
        clock.acked(n + 2).await;
        assert_eq!(desk.games().await.len(), 1);
    }
    let mut entries = Vec::new();
    while entries.last() != Some(&desk.games().await[0].entry) {
        entries
            .push(timeout(PATIENCE, watch.message()).await.expect("in time").expect("an update").expect("more").entry);
    }
    assert_eq!(entries, (1..=entries.len() as u64).collect::<Vec<_>>(), "a watcher notices nothing of it");
    running.shutdown().await;
}
