//! A game that goes to another clock: what both clocks are told, what is still heard of the former one, and what a restart finds.

use std::sync::Arc;

use flagfall_proto::{
    clock::v1::{Directive, Stage, device_event::What, directive::Act, link_response::Frame},
    desk::v1::MoveGameRequest,
};
use flagfall_rules::clock::Colour;
use flagfall_server::{app::serve::Running, journal::MemoryJournal};
use tonic::{Code, Status};

use crate::{
    clock::{Clock, Spool},
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
    // It sends again what it was never acknowledged by this service, and what it sent is compared.
    let mut former = former;
    former.events(&old, 4..=5).await;
    assert_eq!(former.acked(5).await, [] as [Frame; 0]);
    desk.open("r3", "h", "clock-1").await.expect("the former clock is free");
    running.shutdown().await;
}
