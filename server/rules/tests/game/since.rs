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
    let (kind, by, ply) = (Irregularity::DisplacedFound, Colour::White, Some(1));
    let (note, facts) = (String::new(), Facts::default());
    t.desk(DeskAct::Irregularity { kind, by, ply, note, facts }).expect("admitted");
    t.obey();
    let proposal = t.game.cases.last().and_then(|case| case.proposal.as_ref()).expect("proposed");
    proposal.remedies[0].hands.expect("set").map(|hand| hand.left)
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
