//! A clock that comes in the place of another of its name: it takes the game on by itself, and two of them do not throw each other out.

use flagfall_proto::{
    clock::v1::{Directive, Hello, Stage, directive::Act, link_response::Frame},
    desk::v1::GameSnapshot,
};
use flagfall_rules::clock::{Colour, Going};
use flagfall_server::app::serve::Running;
use tonic::Code;

use crate::{
    clock::{Clock, Spool, hello},
    durable::by_hand,
    house::{Desk, in_memory},
};

/// Another Pi: its own spool, its own boot.
fn another(id: u8) -> Spool {
    Spool { boot: u128::from(id), ..Spool::new("clock-1", id) }
}

/// What a clock says that has a game.
fn has(spool: &Spool, applied_rev: u64) -> Hello {
    Hello { game: "g".into(), applied_rev, ..hello(spool) }
}

/// A game under way on a first clock, White's move made; its clock has 41 s of White's left.
async fn under_way(running: &Running, desk: &mut Desk) -> (Clock, Spool) {
    let mut spool = another(1);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    desk.open("r1", "g", "clock-1").await.expect("open");
    let prepare = clock.directive().await;
    spool.report(&prepare, Stage::Applied);
    spool.start();
    spool.face.hands[0].left = Some(41_000);
    spool.press(Colour::White);
    clock.events(&spool, 1..=3).await;
    clock.acked(3).await;
    (clock, spool)
}

async fn game(desk: &mut Desk) -> GameSnapshot {
    desk.games().await.remove(0)
}

fn alarmed(game: &GameSnapshot, text: &str) -> usize {
    game.alarms.iter().filter(|alarm| alarm.detail.contains(text)).count()
}

fn stage(game: &GameSnapshot, rev: u64) -> Stage {
    game.directives[rev as usize - 1].stage()
}

/// What a directive to take on a game says of how it stands: both times, White's moves.
fn stands(directive: &Directive) -> ([Option<i64>; 2], u32) {
    let Some(Act::Prepare(prepare)) = &directive.act else { panic!("a Prepare, not {directive:?}") };
    let face = prepare.stands.expect("how it stands");
    let hands = [face.white, face.black].map(|hand| hand.expect("a half"));
    assert_eq!(face.going(), flagfall_proto::clock::v1::Going::Paused);
    (hands.map(|hand| hand.left_ms), hands[0].moves)
}

/// A card that was put into another clock: what is pressed there belongs to a game that is not this clock's.
#[tokio::test]
async fn a_clock_with_the_spool_of_another_one_is_told_of_in_that_ones_game() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let (_clock, _spool) = under_way(&running, &mut desk).await;
    let there = connect(&running, &has(&Spool::new("clock-2", 9), 1)).await;
    assert_eq!((there.welcome.game.as_str(), there.welcome.moved_to.as_str()), ("", ""));
    let mut watched = desk.watch(&["g"]).await.expect("a watch");
    loop {
        if alarmed(&game(&mut desk).await, "clock-2 has come with the spool of this game, which is on clock-1") == 1 {
            break;
        }
        watched.message().await.expect("the game goes on").expect("an update");
    }
}

#[tokio::test]
async fn row_17_a_replacement_takes_the_game_on_by_itself_and_its_former_instance_is_not_heard_as_the_game() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let (clock, mut former) = under_way(&running, &mut desk).await;
    // The first one dies with a stop on its way to it.
    drop(clock);
    let stop = Act::Stop(Default::default());
    desk.0.issue_directive(by_hand("r2", "g", stop)).await.expect("issued");

    let mut new = another(2);
    let mut clock = connect(&running, &hello(&new)).await;
    assert_eq!((clock.welcome.game.as_str(), clock.welcome.desired_rev), ("g", 3));
    let prepare = clock.directive().await;
    assert_eq!((prepare.rev, prepare.expected_rev), (3, 2), "the stop was for the former one");
    assert_eq!(stands(&prepare), ([Some(41_000), Some(300_000)], 1));
    let now = game(&mut desk).await;
    assert_eq!((stage(&now, 2), alarmed(&now, "another clock has come in the place")), (Stage::Unknown, 1));

    // It takes the game on, and play goes on there.
    new.press(Colour::Black);
    (new.face.going, new.face.hands[0].moves, new.face.hands[1].moves) = (Going::Paused, 1, 0);
    new.report(&prepare, Stage::Applied);
    new.face.going = Going::Running;
    new.push(flagfall_proto::clock::v1::device_event::What::Resumed(Default::default()));
    new.press(Colour::Black);
    clock.events(&new, 1..=4).await;
    clock.acked(4).await;
    let now = game(&mut desk).await;
    assert_eq!((now.heard_seq, stage(&now, 3)), (4, Stage::Applied));

    // The former one comes back with what it had not told, and its word on the stop.
    drop(clock);
    former.face.going = Going::Paused;
    let stop = Directive { id: "g#2".into(), rev: 2, ..Directive::default() };
    former.report(&stop, Stage::Rejected);
    former.press(Colour::Black);
    let mut clock = connect(&running, &has(&former, 2)).await;
    let again = clock.directive().await;
    assert_eq!((again.rev, stands(&again).1), (4, 1));
    clock.events(&former, 4..=5).await;
    assert_eq!(clock.acked(5).await, [] as [Frame; 0], "acknowledged, and none of the game's business");
    let now = game(&mut desk).await;
    assert_eq!((stage(&now, 2), now.heard_seq), (Stage::Unknown, 0), "a refusal of the former one's says nothing");
    former.report(&again, Stage::Applied);
    clock.events(&former, 6..=6).await;
    clock.acked(6).await;
    assert_eq!(stage(&game(&mut desk).await, 4), Stage::Applied);
    drop(clock);
    // It has the game now, and is only greeted.
    former.press(Colour::White);
    let mut clock = connect(&running, &has(&former, 4)).await;
    clock.events(&former, 7..=7).await;
    assert_eq!(clock.acked(7).await, [] as [Frame; 0]);
    running.shutdown().await;
}

#[tokio::test]
async fn row_17_a_replacement_is_told_what_the_clock_before_it_showed_last() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let (mut clock, mut former) = under_way(&running, &mut desk).await;
    // Black thinks for 100 of his 300 seconds, and the clock dies.
    former.face.hands[1].left = Some(200_000);
    clock.beats(&former, "g", 105_000).await;
    clock.beaten(|_| true).await;
    drop(clock);
    let mut clock = connect(&running, &hello(&another(2))).await;
    assert_eq!(stands(&clock.directive().await), ([Some(41_000), Some(200_000)], 1));
    running.shutdown().await;
}

/// Connects, once the service has noticed that the clock before it is gone.
async fn connect(running: &Running, hello: &Hello) -> Clock {
    loop {
        match Clock::connect_with(running.clocks, hello.clone()).await {
            Ok(clock) => return clock,
            Err(status) => assert!(status.message().starts_with("DEVICE_TAKEN: "), "{status}"),
        }
    }
}

#[tokio::test]
async fn row_17_two_clocks_that_claim_one_board_do_not_throw_each_other_out() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let (mut clock, mut spool) = under_way(&running, &mut desk).await;
    let twin = Clock::connect(running.clocks, &another(2)).await.err().expect("refused");
    assert_eq!(twin.code(), Code::AlreadyExists, "{twin}");
    assert!(twin.message().starts_with("DEVICE_TAKEN: clock-1: another clock of this name is connected"), "{twin}");
    let spare = Clock::connect(running.clocks, &Spool::new("spare-1", 3)).await.err().expect("refused");
    assert!(spare.message().starts_with("BOARD_TAKEN: spare-1"), "{spare}");
    spool.press(Colour::Black);
    clock.events(&spool, 4..=4).await;
    clock.acked(4).await;
    // Refused again and again, both are one alarm each.
    for _ in 0..3 {
        Clock::connect(running.clocks, &another(2)).await.err().expect("refused");
    }
    spool.press(Colour::White);
    clock.events(&spool, 5..=5).await;
    clock.acked(5).await;
    let now = game(&mut desk).await;
    assert_eq!((alarmed(&now, "DEVICE_TAKEN: "), alarmed(&now, "BOARD_TAKEN: "), now.heard_seq), (1, 1, 5));
    running.shutdown().await;
}
