//! What waits for the board, at the very moment: no golden case is so fast.

use flagfall_rules::{
    clock::Colour,
    game::{Alarm, Claim, DeskAct, Facts, Irregularity},
    laws::Play,
};

use crate::table::Table;

fn claim(by: Colour, claim: Claim) -> DeskAct {
    DeskAct::Claim { by, claim, note: String::new(), facts: Facts::default() }
}

/// After 1.e4 e5 Black's conduct is reported; the clock is told to stop and has not yet.
fn conduct_reported() -> Table {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    let (kind, by, facts) = (Irregularity::Conduct, Colour::Black, Facts::default());
    t.desk(DeskAct::Irregularity { kind, by, ply: None, note: String::new(), facts }).expect("admitted");
    t
}

#[test]
fn an_illegal_move_that_loses_comes_before_the_resignation_though_the_board_has_not_stood_still() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.overlay(|overlay| overlay.loses_at = Some(1));
    t.play("e2e4 e7e5");
    t.carry("a1", "a4");
    t.press(None);
    t.desk(claim(Colour::Black, Claim::Resignation)).expect("admitted");
    t.obey();
    assert_eq!(t.result(), "0-1 7.5.5");
}

#[test]
fn one_that_only_costs_time_does_not() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    t.carry("a1", "a4");
    t.press(None);
    t.desk(claim(Colour::Black, Claim::Resignation)).expect("admitted");
    assert_eq!(t.result(), "1-0 5.1.2");
}

#[test]
fn an_illegal_move_is_judged_on_the_board_that_stood_still_before_the_reply() {
    // The board shows the move only after the press.
    let found = |stood: bool| {
        let mut t = conduct_reported();
        t.press(None);
        t.carry("a1", "a4");
        if stood {
            t.quiet();
        }
        t.carry("b8", "c6");
        t.press(None);
        t.quiet();
        t.obey();
        t.choose("warning");
        let lost = t.game.alarms.iter().any(|(alarm, _)| *alarm == Alarm::Lost);
        (t.found().last().cloned().unwrap_or_default(), lost)
    };
    assert_eq!(found(true), ("illegal_move 7.5.1 ply 3 white fixed".into(), false));
    assert_eq!(
        found(false),
        ("conduct 12.9 ply 2 black discretion".into(), true),
        "nobody is accused by a board that lags"
    );
}

#[test]
fn a_man_that_only_passed_over_a_square_has_not_replied() {
    let replied = |stood: bool| {
        let mut t = Table::playing("fide-2018", Play::Rapid, "900+10", None);
        t.play("e2e4 e7e5");
        t.carry("a1", "a4");
        t.press(None);
        t.quiet();
        t.carry("b8", "c6");
        if stood {
            t.quiet();
        }
        t.carry("c6", "b8");
        t.quiet();
        t.desk(claim(Colour::Black, Claim::IllegalMove)).expect("admitted");
        t.obey();
        (t.game.strikes, t.ways().first().copied() == Some("stands"))
    };
    assert_eq!(replied(false), ([1, 0], false), "decided at once");
    assert_eq!(replied(true), ([0, 0], true), "the arbiter is asked");
}
