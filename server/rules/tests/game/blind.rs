//! A clock without a board: presses and times are all that is known, and what depends on a position is for the arbiter.

use flagfall_rules::{
    board::Scan,
    clock::Colour,
    game::{Alarm, DeskAct, DeviceAct, Facts, Irregularity, ServiceAct, Stage},
};

use crate::table::Table;

const M: i64 = 60_000;
const S: i64 = 1_000;

/// A game on a clock without a board, with so many presses at even readings.
fn pressed(presses: u32) -> Table {
    let mut t = Table::open("fide-2018", "5400+30", None);
    t.report(1);
    t.start();
    for _ in 0..presses {
        t.press(None);
    }
    t
}

#[test]
fn presses_count_and_claim_no_move() {
    let mut t = pressed(3);
    assert!(t.game.blind() && t.game.plies.is_empty());
    assert_eq!((t.game.completed(Colour::White), t.game.completed(Colour::Black)), (2, 1));
    t.flag(Colour::Black);
    assert_eq!(t.found(), ["flag_in_doubt 6.9 ply 4 black discretion"]);
    t.obey();
    assert_eq!((t.ways(), t.result().as_str()), (vec!["lost", "drawn"], "*"), "nobody has seen the position");
    t.choose("lost");
    assert_eq!(t.result(), "1-0 6.9");
}

#[test]
fn what_is_reported_is_put_right_on_the_clock_alone() {
    let mut t = pressed(3);
    t.set(20 * M + 30 * S, 31 * M);
    let act = DeskAct::Irregularity {
        kind: Irregularity::IllegalMove,
        by: Colour::White,
        ply: None,
        note: String::new(),
        facts: Facts::default(),
    };
    t.desk(act).expect("admitted");
    t.obey();
    assert_eq!((t.clocks(), t.counters()), ([Some(20 * M), Some(33 * M)], [1, 1]));
    let ruling = t.game.cases[0].ruling.as_ref().expect("ruled");
    assert_eq!((&ruling.remedy.position, ruling.remedy.turn), (&None, Colour::White), "no position is claimed");
}

#[test]
fn a_board_seen_after_the_first_press_is_followed_and_a_later_one_is_not() {
    let mut t = pressed(2);
    t.fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!((t.moves().as_str(), t.game.blind()), ("e2e4 e7e5", false));
    t.play("g1f3");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 g1f3", 0));
    let mut t = pressed(4);
    let board = Scan::from_fen("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R").expect("a board");
    t.device(DeviceAct::Scan(board));
    t.quiet();
    t.press(None);
    t.quiet();
    assert_eq!((t.found().len(), t.game.blind(), t.game.known()), (0, true, 5), "nobody is accused");
    assert!(t.game.alarms.iter().any(|(alarm, _)| *alarm == Alarm::Lost));
}

#[test]
fn received_is_no_word_once_nobody_waits_any_more() {
    let mut t = pressed(0);
    t.desk(DeskAct::Direct(flagfall_rules::game::Act::Stop, Default::default(), Default::default())).expect("issued");
    t.feed(flagfall_rules::game::Input::Service(ServiceAct::Overdue(2))).expect("no refusal");
    let late = flagfall_rules::game::Report { rev: 2, stage: Stage::Received, reason: None, before: None };
    t.device(DeviceAct::Report(late));
    assert_eq!(t.game.directives[1].stage, Stage::Unknown);
    t.report(2);
    assert_eq!(t.game.directives[1].stage, Stage::Applied);
}
