//! White forgot to press 1.e4, Black has replied 1...e5, and only then does White press: late, or his next move, whichever the board tells
//! once it has settled.

use flagfall_rules::{
    clock::Colour,
    game::{Alarm, DeviceAct, Fault},
};

use crate::table::Table;

const FORGOT: &str = "forgotten_press 6.2.1 ply 1 white discretion";

fn replied() -> Table {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.carry("e2", "e4");
    t.quiet();
    t.carry("e7", "e5");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.game.plies[0].completed), ("e2e4", false));
    t
}

#[test]
fn who_presses_without_having_moved_again_completes_his_move() {
    let mut t = replied();
    t.think(60_000);
    t.press(None);
    t.quiet();
    assert_eq!((t.moves().as_str(), t.game.plies[0].completed), ("e2e4", true));
    assert_eq!(t.game.plies[0].left[0], Some(5_370_000), "an hour and a half, 0:30 and a minute of thought");
    assert!(t.game.held.is_empty());
    t.press(None);
    t.play("g1f3");
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5 g1f3", vec![]));
}

#[test]
fn a_press_of_the_reply_at_once_settles_it() {
    let mut t = replied();
    t.press(None);
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![]));
    assert!(t.game.plies.iter().all(|ply| ply.completed) && t.game.held.is_empty());
}

#[test]
fn a_flag_that_falls_at_once_finds_the_move_completed() {
    let mut t = replied();
    t.press(None);
    t.flag(Colour::Black);
    assert_eq!((t.game.plies[0].completed, t.result().as_str()), (true, "1-0 6.9"));
}

#[test]
fn a_board_that_lags_shows_his_next_move_after_the_press() {
    let mut t = replied();
    t.press(None);
    t.carry("g1", "f3");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5 g1f3", vec![FORGOT.to_owned()]));
    t.play("b8c6");
    assert_eq!(t.game.alarms, []);
}

#[test]
fn an_illegal_one_is_found_whether_or_not_the_board_lags() {
    let illegal = "illegal_move 7.5.1 ply 3 white fixed";
    let mut lags = replied();
    lags.press(None);
    lags.carry("g1", "g3");
    lags.quiet();
    let mut at_once = replied();
    at_once.carry("g1", "g3");
    at_once.press(None);
    at_once.quiet();
    for t in [lags, at_once] {
        assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![FORGOT.to_owned(), illegal.to_owned()]));
    }
}

#[test]
fn where_moves_were_missed_nobody_is_accused() {
    let mut t = replied();
    t.device(DeviceAct::Fault(Fault::PressesMissed, String::new()));
    t.carry("g1", "g3");
    t.press(None);
    t.quiet();
    assert_eq!(t.found(), [] as [&str; 0]);
    assert!(t.game.alarms.iter().all(|(alarm, _)| *alarm == Alarm::Lost), "{:?}", t.game.alarms);
}
