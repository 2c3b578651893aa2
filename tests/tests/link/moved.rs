//! A game that goes to another clock: what both clocks are told, what is still heard of the former one, and what a restart finds.

use std::sync::Arc;

use flagfall_proto::{
    clock::v1::{Directive, Hello, Stage, device_event::What, directive::Act, link_response::Frame},
    desk::v1::{MoveGameRequest, PreviewRequest, preview_request},
    journal::v1::{MoveToClock, event},
};
use flagfall_rules::clock::Colour;
use flagfall_server::{app::serve::Running, journal::MemoryJournal};
use tonic::{Code, Status};

use crate::{
    clock::{Clock, Spool, hello},
    house::{Desk, act, in_memory, start},
};

async fn go(desk: &mut Desk, request: &str, game: &str, device: &str) -> Result<u64, Status> {
    let (game, device, note) = (game.into(), device.into(), "the clock died".into());
    let request = MoveGameRequest { act: act(request), game, device, note };
    Ok(desk.0.move_game(request).await?.into_inner().rev)
}

/// A clock that obeys one directive.
async fn obey(clock: &Clock, spool: &mut Spool, directive: &Directive) {
    match &directive.act {
        Some(Act::Stop(_)) => spool.face.going = flagfall_rules::clock::Going::Paused,
        Some(Act::Set(set)) => {
            let hands = [set.white, set.black].map(|hand| hand.expect("both halves").try_into().expect("a hand"));
            (spool.face.hands, spool.face.going) = (hands, flagfall_rules::clock::Going::Paused);
        }
        _ => {}
    }
    spool.report(directive, Stage::Applied);
    clock.events(spool, spool.last()..=spool.last()).await;
}

/// A game under way on clock-1, White's move made.
async fn under_way(running: &Running, desk: &mut Desk) -> (Clock, Spool) {
    let mut spool = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    desk.open("r1", "g", "clock-1").await.expect("open");
    let prepare = clock.directive().await;
    obey(&clock, &mut spool, &prepare).await;
    spool.scan("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    spool.start();
    spool.scan("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    spool.press(Colour::White);
    clock.events(&spool, 2..=5).await;
    clock.acked(5).await;
    (clock, spool)
}

#[tokio::test]
async fn a_game_goes_on_where_it_was_and_nothing_more_is_heard_of_its_former_clock() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let (mut former, mut old) = under_way(&running, &mut desk).await;
    let mut new = Spool::new("clock-2", 2);
    let mut other = Clock::connect(running.clocks, &new).await.expect("taken in");

    let nowhere = go(&mut desk, "r2", "g", "clock-9").await.expect_err("no clock");
    assert!(nowhere.code() == Code::NotFound && nowhere.message().starts_with("NO_SUCH_DEVICE: "), "{nowhere}");
    let first = go(&mut desk, "r3", "g", "clock-2").await.expect("moved");
    assert_eq!(go(&mut desk, "r3", "g", "clock-2").await.expect("the same request"), first);

    let stop = former.directive().await;
    assert!(matches!(stop.act, Some(Act::Stop(_))), "{stop:?}");
    let prepare = other.directive().await;
    assert!(matches!(prepare.act, Some(Act::Prepare(_))), "{prepare:?}");
    assert_eq!((prepare.rev, prepare.expected_rev), (stop.rev + 1, stop.rev));
    let set = other.directive().await;
    let Some(Act::Set(values)) = set.act.clone() else { panic!("{set:?}") };
    assert_eq!((values.run, set.as_of_seq), (false, 0));
    assert_eq!(values.position, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");

    // The former clock stops, and somebody plays on there all the same.
    obey(&former, &mut old, &stop).await;
    old.push(What::Resumed(Default::default()));
    old.press(Colour::Black);
    former.events(&old, 7..=8).await;
    former.acked(8).await;
    let stands = desk.games().await.remove(0);
    assert_eq!((stands.plies.len(), stands.heard_seq), (1, 0), "acknowledged, and none of the game's business");

    obey(&other, &mut new, &prepare).await;
    obey(&other, &mut new, &set).await;
    other.acked(2).await;
    let stands = desk.games().await.remove(0);
    assert_eq!((stands.heard_seq, stands.setup.expect("a setup").device.as_str()), (2, "clock-2"));
    let busy = desk.open("r4", "h", "clock-2").await.expect_err("it has a game now");
    assert!(busy.message().starts_with("DEVICE_BUSY: clock-2 has the game \"g\""), "{busy}");
    desk.open("r5", "h", "clock-1").await.expect("the former clock is free");
    running.shutdown().await;
}

/// White's and Black's times in what a clock is to be set to.
fn set_to(act: Option<&Act>) -> [Option<i64>; 2] {
    let Some(Act::Set(set)) = act else { panic!("a Set, not {act:?}") };
    [set.white, set.black].map(|hand| hand.and_then(|hand| hand.left_ms))
}

#[tokio::test]
async fn the_other_clock_is_set_to_what_the_former_one_showed_last_and_that_is_foreseen() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let (mut former, mut old) = under_way(&running, &mut desk).await;
    let mut other = Clock::connect(running.clocks, &Spool::new("clock-2", 2)).await.expect("taken in");
    let before = old.face.hands.map(|hand| hand.left);
    assert_eq!(before[1], Some(300_000));
    // Black thinks for four minutes; only heartbeats tell.
    old.face.hands[1].left = Some(60_000);
    former.beats(&old, "g", 250_000).await;
    let shown = [before[0], Some(60_000)];
    former.beaten(|_| true).await;

    let preview = |device: &str| PreviewRequest {
        game: "g".into(),
        act: Some(preview_request::Act::Move(MoveToClock { device: device.into(), note: String::new() })),
    };
    let foreseen = desk.0.preview(preview("clock-2")).await.expect("foreseen").into_inner().events;
    let issued = foreseen.iter().rev().find_map(|event| match &event.what {
        Some(event::What::Issued(directive)) => directive.act.as_ref(),
        _ => None,
    });
    assert_eq!(set_to(issued), shown);

    // The clock that has it is no other clock.
    let entries = desk.games().await.remove(0).entry;
    let here = go(&mut desk, "r2", "g", "clock-1").await.expect_err("it is there");
    assert_eq!(here.code(), Code::FailedPrecondition);
    assert!(here.message().starts_with("ON_THIS_CLOCK: \"g\" is on clock-1 already"), "{here}");
    assert_eq!(desk.0.preview(preview("clock-1")).await.expect_err("as the act").message(), here.message());
    assert_eq!(desk.games().await.remove(0).entry, entries, "nothing was changed");

    go(&mut desk, "r3", "g", "clock-2").await.expect("moved");
    let prepare = other.directive().await;
    assert!(matches!(prepare.act, Some(Act::Prepare(_))), "{prepare:?}");
    assert_eq!(set_to(other.directive().await.act.as_ref()), shown);
    running.shutdown().await;
}

#[tokio::test]
async fn a_restart_finds_the_game_on_its_new_clock_and_both_spools_where_they_were() {
    let journal = Arc::new(MemoryJournal::new());
    let running = start(Arc::clone(&journal) as _).await;
    let mut desk = Desk::of(&running).await;
    let (former, old) = under_way(&running, &mut desk).await;
    go(&mut desk, "r2", "g", "clock-2").await.expect("moved");
    let mut new = Spool::new("clock-2", 2);
    let mut other = Clock::connect(running.clocks, &new).await.expect("taken in");
    assert_eq!(other.welcome.game, "g");
    let prepare = other.directive().await;
    obey(&other, &mut new, &prepare).await;
    other.acked(1).await;
    drop((former, other));
    running.shutdown().await;

    let running = start(journal).await;
    let mut desk = Desk::of(&running).await;
    let mut other = Clock::connect(running.clocks, &new).await.expect("taken in");
    assert_eq!((other.welcome.game.as_str(), other.welcome.durable_through), ("g", 1));
    assert!(matches!(other.directive().await.act, Some(Act::Set(_))), "what the former clock was told is not for it");
    let former = Clock::connect(running.clocks, &old).await.expect("taken in");
    assert_eq!((former.welcome.game.as_str(), former.welcome.durable_through), ("", 5));
    assert_eq!((former.welcome.moved_to.as_str(), other.welcome.moved_to.as_str()), ("", ""), "it said of no game");
    drop(former);
    let has = Hello { game: "g".into(), applied_rev: 1, ..hello(&old) };
    let former = loop {
        match Clock::connect_with(running.clocks, has.clone()).await {
            Ok(former) => break former,
            Err(status) => assert!(status.message().starts_with("DEVICE_TAKEN: "), "{status}"),
        }
    };
    assert_eq!((former.welcome.game.as_str(), former.welcome.moved_to.as_str()), ("", "clock-2"));
    // It sends again what it was never acknowledged by this service, and what it sent is compared.
    let mut former = former;
    former.events(&old, 4..=5).await;
    assert_eq!(former.acked(5).await, [] as [Frame; 0]);
    desk.open("r3", "h", "clock-1").await.expect("the former clock is free");
    running.shutdown().await;
}
