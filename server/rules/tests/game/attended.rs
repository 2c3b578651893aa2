//! What the desk does besides ruling: it attends to calls, does not uphold what was found, annuls, changes the sides of a clock.

use flagfall_rules::{
    clock::{Colour, Place},
    game::{Act, Amount, DeskAct, DeviceAct, Outcome, Refusal},
};

use crate::table::Table;

const M: i64 = 60_000;

#[test]
fn a_call_waits_until_somebody_has_attended() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.device(DeviceAct::Call(Some(Colour::White)));
    assert_eq!((t.game.alarms.len(), t.game.heeded), (1, 0));
    for none in [0, 2] {
        assert_eq!(t.desk(DeskAct::Heed(none)), Err(Refusal::BadAmount(Amount::Alarm(none, 1))));
    }
    let none = Refusal::BadAmount(Amount::Alarm(2, 1));
    assert_eq!(none.to_string(), "there is no alarm 2: the game's are 1 to 1");
    t.desk(DeskAct::Heed(1)).expect("attended");
    t.device(DeviceAct::Call(Some(Colour::Black)));
    assert_eq!((t.game.alarms.len(), t.game.heeded), (2, 1), "a later call waits again");
}

#[test]
fn what_is_not_upheld_punishes_nobody_and_leaves_the_times() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.overlay(|overlay| overlay.confirms = true);
    t.set(11 * M, 46 * M);
    t.carry("a1", "a4");
    t.press(Some(11 * M + 30_000));
    t.quiet();
    t.obey();
    let before = t.clocks();
    t.desk(DeskAct::Decide { case: 1, choice: "dismiss".into(), note: "the sensor".into() }).expect("decided");
    let ruling = t.game.cases[0].ruling.clone().expect("ruled");
    assert_eq!(
        (ruling.remedy.key.as_str(), ruling.actor.as_str(), ruling.remedy.strikes),
        ("dismiss", "arbiter", [0, 0])
    );
    assert_eq!((t.clocks(), t.game.strikes), (before, [0, 0]));
    let again = DeskAct::Decide { case: 1, choice: "penalty".into(), note: String::new() };
    assert_eq!(t.desk(again), Err(Refusal::AlreadyDecided(1, "arbiter".into())));
}

#[test]
fn an_annulled_game_begins_anew_and_one_that_is_over_cannot_be() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    t.desk(DeskAct::Annul).expect("annulled");
    assert_eq!((t.game.plies.len(), t.game.strikes), (0, [0, 0]));
    let Some(Act::Set { hands, run, .. }) = t.game.directives.last().map(|sent| sent.directive.act.clone()) else {
        panic!("the clock is set")
    };
    // Ninety minutes and the increment of the first move.
    assert_eq!((hands.map(|hand| hand.left), run), ([Some(5_430_000); 2], false));
    t.desk(DeskAct::Direct(Act::Conclude(Outcome::Draw), Default::default(), Default::default())).expect("over");
    assert_eq!(t.desk(DeskAct::Annul), Err(Refusal::GameOver));
}

#[test]
fn a_game_annulled_without_a_known_control_counts_anew_from_the_readings_there_are() {
    let mut t = Table::started("fide-2018", "", None);
    t.play("e2e4 e7e5");
    (t.face.hands[0].left, t.face.hands[1].left) = (Some(1_200_000), Some(1_800_000));
    t.quiet();
    t.desk(DeskAct::Annul).expect("annulled");
    let Some(Act::Set { hands, run, .. }) = t.game.directives.last().map(|sent| sent.directive.act.clone()) else {
        panic!("the clock is set")
    };
    assert_eq!(hands.map(|hand| (hand.left, hand.moves)), [(Some(1_200_000), 0), (Some(1_800_000), 0)]);
    assert!(!run, "the arbiter sets the time first");
}

#[test]
fn sides_changed_by_hand_are_the_sides_once_the_clock_has_done_it() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    let (hands, turn) = (t.game.face.hands, t.game.face.turn);
    let act = Act::Set { hands, turn, run: false, white_place: Place::Right, position: None };
    t.desk(DeskAct::Direct(act, Default::default(), Default::default())).expect("issued");
    assert_eq!(t.game.setup.white_place, Place::Left, "not before");
    let rev = t.game.rev();
    t.report(rev);
    assert_eq!(t.game.setup.white_place, Place::Right);
}
