//! Arbiters who ask twice, too early and beyond all measure: each of these has gone wrong once.

use flagfall_rules::{
    clock::Colour,
    game::{Amount, DeskAct, Facts, Irregularity, Refusal},
};

use crate::table::Table;

const M: i64 = 60_000;

fn report(kind: Irregularity, by: Colour, facts: Facts) -> DeskAct {
    DeskAct::Irregularity { kind, by, ply: None, note: String::new(), facts }
}

fn illegal(by: Colour) -> DeskAct {
    report(Irregularity::IllegalMove, by, Facts::default())
}

/// White has pressed once, on a clock without a board.
fn pressed_once() -> Table {
    let mut t = Table::open("fide-2018", "5400+30", None);
    t.report(1);
    t.start();
    t.press(None);
    t
}

#[test]
fn trap_12_one_action_reported_twice_is_one_strike() {
    let mut t = pressed_once();
    t.desk(illegal(Colour::White)).expect("admitted");
    t.obey();
    assert_eq!(t.desk(illegal(Colour::White)), Err(Refusal::NotPressed));
    assert_eq!((t.game.strikes, t.result().as_str()), ([1, 0], "*"));
    // Once he has pressed again there is something to report again.
    t.face.going = flagfall_rules::clock::Going::Running;
    t.press(None);
    t.desk(illegal(Colour::White)).expect("admitted");
}

#[test]
fn an_older_move_is_not_accused_in_the_place_of_one_already_punished() {
    let mut t = pressed_once();
    t.press(None);
    t.press(None);
    t.desk(illegal(Colour::White)).expect("admitted");
    t.obey();
    assert_eq!(t.game.known(), 2, "the third press is taken back");
    assert_eq!(t.desk(illegal(Colour::White)), Err(Refusal::NotPressed));
}

#[test]
fn trap_6_an_illegal_move_exists_once_pressed() {
    let mut t = pressed_once();
    assert_eq!(t.desk(illegal(Colour::Black)), Err(Refusal::NotPressed));
    let act = report(Irregularity::PressWithoutMove, Colour::Black, Facts::default());
    assert_eq!(t.desk(act), Err(Refusal::NotPressed));
}

#[test]
fn scoresheets_of_more_moves_than_anybody_plays_are_refused() {
    let mut t = pressed_once();
    let facts = Facts { set_as: "300".parse().ok(), moves: Some([u32::MAX; 2]), ..Facts::default() };
    let act = report(Irregularity::ClockSetting, Colour::White, facts);
    assert_eq!(t.desk(act), Err(Refusal::BadAmount(Amount::Moves(u32::MAX))));
}

/// A slip of the sign would give the time to the player who is to lose it (7.4.1).
#[test]
fn no_clock_ran_for_less_than_nothing() {
    let mut t = pressed_once();
    for facts in [
        Facts { ran: Some(-1), ..Facts::default() },
        Facts { elapsed: Some(-2 * 60_000), ..Facts::default() },
        Facts { ran: Some(10 * 3_600_000 + 1), ..Facts::default() },
    ] {
        let wrong = facts.ran.or(facts.elapsed).expect("a time");
        let act = report(Irregularity::Displaced, Colour::White, facts);
        assert_eq!(t.desk(act), Err(Refusal::BadAmount(Amount::Span(wrong))));
    }
}

#[test]
fn more_time_than_both_were_given_leaves_nothing_and_no_flag() {
    let mut t = pressed_once();
    t.set(5 * M, 6 * M);
    let facts = Facts { elapsed: Some(9 * 60 * M), ..Facts::default() };
    t.desk(report(Irregularity::ClockSetting, Colour::White, facts)).expect("admitted");
    t.obey();
    assert_eq!(t.ways(), ["shared", "difference_kept", "play_on"]);
    t.choose("shared");
    t.obey();
    assert_eq!(t.clocks(), [Some(1_000), Some(1_000)]);
}
