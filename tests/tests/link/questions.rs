//! Whether a side can still mate, where that takes longer than a press may: asked beside the game, answered as an input, on record.

use flagfall_proto::{
    clock::v1::{Outcome, Place, Stage, directive::Act},
    desk::v1::OpenGameRequest,
    journal::v1::{Play, event::What},
};
use flagfall_rules::clock::Colour;
use tokio::time::timeout;

use crate::{
    clock::{Clock, PATIENCE, Spool},
    house::{Desk, act, in_memory},
};

/// A knight against a pawn: there is a mate, but it takes more positions to find than a press may look at.
const KNIGHT_AND_PAWN: &str = "8/8/4k3/8/8/3K4/p7/7N w - - 0 60";

#[tokio::test]
async fn a_flag_waits_for_the_answer_which_is_kept_and_rules() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let mut spool = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let open = OpenGameRequest {
        act: act("r1"),
        game: "g".into(),
        device: "clock-1".into(),
        edition: "fide-2023".into(),
        play: Play::Standard.into(),
        control: Some((&"600".parse::<flagfall_rules::clock::Control>().expect("a control")).into()),
        side_binding: Place::Left.into(),
        position: KNIGHT_AND_PAWN.into(),
        overlay: None,
    };
    desk.0.open_game(open).await.expect("open");
    let mut watch = desk.watch(&["g"]).await.expect("watched");
    let prepare = clock.directive().await;
    spool.report(&prepare, Stage::Applied);
    spool.scan(KNIGHT_AND_PAWN);
    spool.start();
    spool.flag(Colour::Black);
    clock.events(&spool, 1..=spool.last()).await;

    let conclude = clock.directive().await;
    let Some(Act::Conclude(end)) = conclude.act else { panic!("{conclude:?}") };
    assert_eq!(end.outcome(), Outcome::WhiteWins);
    // The question and its answer stand in the record, in entries of their own, and the end with the answer.
    let mut told = Vec::new();
    while !told.iter().any(|what| matches!(what, What::Ended(_))) {
        let update = timeout(PATIENCE, watch.message()).await.expect("in time").expect("open").expect("goes on");
        told.extend(update.events.into_iter().filter_map(|event| event.what));
    }
    let asked = told.iter().position(|what| matches!(what, What::Asked(_))).expect("asked");
    let answered = told.iter().position(|what| matches!(what, What::Answered(_))).expect("answered");
    assert!(asked < answered, "{told:?}");
    let Some(What::Answered(answer)) = told.get(answered) else { panic!("{told:?}") };
    assert_eq!((answer.number, answer.can_mate), (1, Some(true)));
    running.shutdown().await;
}
