//! What was put on the clocks by hand after a press, or before the press that counts, when the readings of then come back.

use flagfall_rules::{
    clock::Colour,
    game::{Act, DeskAct, DeviceAct, Facts, Irregularity, RejectReason, Report, Stage},
};

use crate::table::Table;

const S: i64 = 1_000;
const M: i64 = 60 * S;

/// White's first move is found displaced: both readings of the default.
fn restored(t: &mut Table) -> [Option<i64>; 2] {
    displaced_at(t, 1)[0].1
}

/// Displaced men are found later, at this ply of White's: the ways and both readings of each that sets them.
fn displaced_at(t: &mut Table, ply: u32) -> Vec<(String, [Option<i64>; 2])> {
    let (kind, by, ply) = (Irregularity::DisplacedFound, Colour::White, Some(ply));
    let (note, facts) = (String::new(), Facts::default());
    t.desk(DeskAct::Irregularity { kind, by, ply, note, facts }).expect("admitted");
    t.obey();
    let proposal = t.game.cases.last().and_then(|case| case.proposal.as_ref()).expect("proposed");
    let set = proposal.remedies.iter().filter_map(|way| Some((way.key.clone(), way.hands?)));
    set.map(|(key, hands)| (key, hands.map(|hand| hand.left))).collect()
}

/// White had 90:00 at his first press, Black 90:30; then a minute was added for White, and the clock said this of it.
fn added(said: Option<(Stage, RejectReason)>) -> [Option<i64>; 2] {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4");
    t.desk(DeskAct::Direct(Act::Add(Colour::White, M), Default::default(), Default::default())).expect("issued");
    if let Some((stage, reason)) = said {
        t.device(DeviceAct::Report(Report { rev: 2, stage, reason: Some(reason), before: None }));
    }
    t.play("e7e5");
    restored(&mut t)
}

#[test]
fn a_minute_added_at_the_desk_stays() {
    assert_eq!(added(None), [Some(91 * M), Some(90 * M + 30 * S)]);
}

#[test]
fn what_a_clock_cannot_show_is_set_by_hand_and_stays() {
    assert_eq!(added(Some((Stage::Rejected, RejectReason::Display)))[0], Some(91 * M));
}

#[test]
fn what_came_too_late_for_the_clock_was_never_given() {
    assert_eq!(added(Some((Stage::Rejected, RejectReason::Overtaken)))[0], Some(90 * M));
}

#[test]
fn a_penalty_before_the_queen_was_pressed_is_in_the_readings_of_that_press() {
    let mut t = Table::started("fide-2018", "5400+30", Some("7k/4P3/8/8/8/8/8/KR6 w - - 0 36"));
    t.carry("e7", "e8");
    t.press(None);
    t.quiet();
    t.obey();
    assert_eq!((t.kinds(), t.clocks()), (vec![Irregularity::PawnLeft], [Some(90 * M), Some(92 * M + 30 * S)]));
    t.resume();
    t.press(Some(90 * M + 20 * S));
    t.play("h8g7");
    assert_eq!(restored(&mut t), [Some(89 * M + 50 * S), Some(92 * M + 30 * S)]);
}

/// 1.e4 e5, both at 90:30, and after two minutes 2.Nf3, at which White's clock shows this.
fn shows(left: i64) -> Table {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    t.now += 120_000;
    t.carry("g1", "f3");
    t.press(Some(left));
    assert_eq!(t.kinds(), [Irregularity::ClockJump]);
    t
}

#[test]
fn a_bare_zero_is_nobodys_time_and_while_the_opponent_thinks_the_clock_shows_what_it_should_have_been() {
    let mut t = shows(0);
    // 90:30 - 2:00 + 0:30.
    t.face.hands[0].left = Some(89 * M);
    t.play("b8c6 f1b5");
    assert_eq!(t.kinds(), [Irregularity::ClockJump], "back from the zero the clock has not leapt");
    let stay = ("restore_times_left".to_string(), [Some(89 * M), Some(90 * M + 30 * S)]);
    let back = ("restore".to_string(), [Some(88 * M + 30 * S), Some(90 * M + 30 * S)]);
    assert_eq!(displaced_at(&mut t, 3), [stay, back]);
}

#[test]
fn a_leap_that_was_put_right_by_hand_has_given_nothing_to_what_was_shown_before() {
    let mut t = shows(120 * M);
    t.set(89 * M, 90 * M + 30 * S);
    t.play("b8c6");
    assert_eq!(restored(&mut t), [Some(90 * M), Some(90 * M + 30 * S)]);
}
