//! What real boards do, and what must be read from it: every item of the field notes that the rules can decide.

use crate::table::{self, Table};
use flagfall_rules::{
    board::Turn,
    clock::{Colour, Going},
    game::{Alarm, DeviceAct, Fault},
};

const ED: &str = "fide-2018";

fn begun() -> Table {
    Table::started(ED, "5400+30", None)
}

#[test]
fn a_clean_game_is_followed_and_nothing_is_found() {
    let mut t = begun();
    t.play("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1");
    assert_eq!(t.moves(), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1");
    assert_eq!((t.found(), t.game.alarms.len()), (vec![], 0));
}

/// White has moved, and then the clock is started for Black: nobody forgot to press.
#[test]
fn what_was_played_before_the_clock_was_started_was_completed_by_starting_it() {
    let mut t = Table::open(ED, "5400+30", None);
    t.report(1);
    t.carry("e2", "e4");
    t.quiet();
    t.face.turn = Colour::Black;
    t.start();
    assert_eq!((t.moves().as_str(), t.game.plies[0].completed), ("e2e4", true));
    t.play("e7e5 g1f3");
    assert_eq!((t.moves().as_str(), t.found(), t.game.alarms.len()), ("e2e4 e7e5 g1f3", vec![], 0));
    // Where White's time runs it is his move, which he may still change.
    let mut t = Table::open(ED, "5400+30", None);
    t.report(1);
    t.carry("e2", "e4");
    t.start();
    assert_eq!(t.moves(), "");
    t.carry("e4", "e3");
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found()), ("e2e3", vec![]));
}

#[test]
fn slides_are_candidates_until_the_press() {
    let mut t = begun();
    t.carry("e2", "e3");
    t.quiet();
    t.carry("e3", "e4");
    t.press(None);
    assert_eq!(t.moves(), "e2e4");
    // A rook dragged up the file shows Ra3 before Rxa7.
    let mut t = Table::started(ED, "5400+30", Some("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1"));
    t.carry("a1", "a3");
    t.board.put(table::square("a7"), None);
    t.carry("a3", "a7");
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found()), ("a1a7", vec![]));
}

#[test]
fn a_piece_still_sliding_at_the_press_is_read_again() {
    let mut t = begun();
    t.carry("e2", "e3");
    t.press(None);
    assert_eq!(t.moves(), "e2e3");
    t.carry("e3", "e4");
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4", vec![]));
    t.play("e7e5");
    assert_eq!(t.moves(), "e2e4 e7e5");
}

#[test]
fn a_press_that_comes_before_the_board_settles_waits_for_it() {
    let mut t = begun();
    t.carry("e2", "");
    t.press(None);
    assert_eq!(t.moves(), "", "a piece in the air is no evidence");
    t.board.put(table::square("e4"), flagfall_rules::board::Man::from_letter('P'));
    t.show();
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4", vec![]));
}

#[test]
fn a_press_before_the_board_changes_at_all_waits_too() {
    let mut t = begun();
    t.press(None);
    t.carry("e2", "e4");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4", vec![]));
}

#[test]
fn castling_rook_first_is_castling() {
    let mut t = Table::started(ED, "5400+30", Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
    t.carry("h1", "f1");
    t.quiet();
    t.carry("e1", "g1");
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found()), ("e1g1", vec![]));
}

#[test]
fn captures_come_in_either_order() {
    for victim_first in [true, false] {
        let mut t = Table::started(ED, "5400+30", Some("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"));
        if victim_first {
            t.carry("d5", "");
            t.carry("e4", "d5");
        } else {
            t.carry("e4", "");
            t.board.put(table::square("d5"), flagfall_rules::board::Man::from_letter('P'));
            t.show();
        }
        t.press(None);
        assert_eq!((t.moves().as_str(), t.found()), ("e4d5", vec![]));
    }
}

#[test]
fn a_fast_reply_merges_two_plies() {
    let mut t = begun();
    t.press(None);
    t.board =
        flagfall_rules::board::Scan::from_fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR").expect("a board");
    t.show();
    assert_eq!(t.moves(), "e2e4");
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![]));
}

#[test]
fn two_presses_before_the_board_is_read_are_both_followed() {
    let mut t = begun();
    t.press(None);
    t.carry("e2", "");
    t.press(None);
    t.board =
        flagfall_rules::board::Scan::from_fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR").expect("a board");
    t.show();
    t.quiet();
    t.play("g1f3");
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5 g1f3", vec![]));
}

#[test]
fn a_forgotten_press_does_not_lose_the_game() {
    let mut t = begun();
    t.carry("e2", "e4");
    t.quiet();
    t.carry("e7", "e5");
    t.quiet();
    t.carry("g1", "f3");
    t.press(None);
    t.play("b8c6");
    assert_eq!(t.moves(), "e2e4 e7e5 g1f3 b8c6");
    assert!(t.found().iter().all(|f| f.starts_with("forgotten_press 6.2.1")), "{:?}", t.found());
}

#[test]
fn a_player_may_press_after_the_opponent_has_moved() {
    let mut t = begun();
    t.carry("e2", "e4");
    t.carry("e7", "e5");
    t.quiet();
    t.press(None);
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![]));
    assert!(t.game.plies.iter().all(|ply| ply.completed));
}

#[test]
fn kings_in_the_centre_are_the_result_and_enter_no_score() {
    let mut t = Table::started(ED, "5400+30", Some("8/8/2k5/8/8/4K3/7R/8 w - - 0 1"));
    t.carry("e3", "e4");
    t.carry("c6", "d5");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.result().as_str()), ("", "1-0 5.2.3"));
    t.obey();
    assert_eq!(t.face.going, Going::Over);
}

#[test]
fn mate_ends_the_game_unpressed_and_before_a_flag() {
    let mut t = begun();
    t.play("f2f3 e7e5 g2g4");
    t.carry("d8", "h4");
    t.flag(Colour::Black);
    assert_eq!((t.moves().as_str(), t.result().as_str()), ("f2f3 e7e5 g2g4 d8h4", "0-1 5.1.1"));
}

#[test]
fn stalemate_and_bare_kings_are_draws() {
    let mut t = Table::started(ED, "5400+30", Some("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"));
    t.play("f1f7");
    assert_eq!(t.result(), "1/2-1/2 5.2.1");
    let mut t = Table::started(ED, "5400+30", Some("8/8/8/3k4/4P3/8/8/K7 b - - 0 1"));
    t.play("d5e4");
    assert_eq!(t.result(), "1/2-1/2 5.2.2");
}

#[test]
fn a_board_installed_the_other_way_round_is_no_error() {
    let mut t = Table::open(ED, "5400+30", None);
    t.report(1);
    t.lies = Turn::Half;
    t.show();
    t.quiet();
    t.start();
    t.play("e2e4 e7e5");
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![]));
}

#[test]
fn weak_magnets_and_knocked_over_pieces_are_no_irregularity() {
    let mut t = begun();
    t.play("e2e4");
    // Black moves; White's h2 pawn is not seen for a while.
    t.board.put(table::square("h2"), None);
    t.carry("e7", "e5");
    t.press(None);
    t.quiet();
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![]));
    t.board.put(table::square("h2"), flagfall_rules::board::Man::from_letter('P'));
    t.show();
    t.play("g1f3");
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5 g1f3", vec![]));
}

#[test]
fn an_impossible_board_is_an_alarm_and_harms_nothing() {
    let mut t = begun();
    t.play("e2e4");
    let good = t.board;
    t.fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPPPPPP/RNBQKBNR");
    t.quiet();
    assert_eq!(t.game.alarms.last().map(|a| a.0), Some(Alarm::ImpossibleBoard));
    t.fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQ1BNR");
    t.quiet();
    assert!(t.game.alarms.last().is_some_and(|a| a.1.contains("no white king")));
    t.board = good;
    t.show();
    t.play("e7e5");
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![]));
}

#[test]
fn starting_and_resuming_are_never_a_press_without_a_move() {
    let mut t = begun();
    t.face.going = Going::Paused;
    t.device(DeviceAct::Paused);
    t.now += 60_000;
    t.face.going = Going::Running;
    t.device(DeviceAct::Resumed);
    t.quiet();
    assert_eq!(t.found(), Vec::<String>::new());
}

#[test]
fn promotion_shows_the_piece_chosen() {
    let mut t = Table::started(ED, "5400+30", Some("8/P3k3/8/8/8/8/8/4K3 w - - 0 1"));
    t.carry("a7", "");
    t.fen("N7/4k3/8/8/8/8/8/4K3");
    t.press(None);
    assert_eq!(t.moves(), "a7a8n");
}

#[test]
fn a_board_without_a_clock_is_followed_by_the_replies() {
    let mut t = Table::open(ED, "", None);
    t.show();
    for (from, to) in [("e2", "e4"), ("e7", "e5"), ("g1", "f3"), ("b8", "c6")] {
        t.carry(from, to);
        t.quiet();
    }
    assert_eq!(t.moves(), "e2e4 e7e5 g1f3", "the last may still be taken further");
    t.device(DeviceAct::Fault(Fault::SourceEnded, String::new()));
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5 g1f3 b8c6", vec![]));
}

#[test]
fn moves_pressed_half_done_are_legal_moves_of_a_lagging_board() {
    // Castling rook first: Rf1 is a legal move until the king follows.
    let castle = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let mut t = Table::started(ED, "5400+30", Some(castle));
    t.carry("h1", "f1");
    t.press(None);
    t.carry("e1", "g1");
    assert_eq!((t.moves().as_str(), t.found()), ("e1g1", vec![]));
    // King first: the rook is still on h1 at the press.
    let mut t = Table::started(ED, "5400+30", Some(castle));
    t.carry("e1", "g1");
    t.press(None);
    t.carry("h1", "f1");
    assert_eq!((t.moves().as_str(), t.found()), ("e1g1", vec![]));
    // En passant with the pawn taken off late.
    let mut t = Table::started(ED, "5400+30", Some("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"));
    t.carry("e5", "d6");
    t.press(None);
    t.carry("d5", "");
    assert_eq!((t.moves().as_str(), t.found()), ("e5d6", vec![]));
    // Promotion with the queen put there late.
    let mut t = Table::started(ED, "5400+30", Some("8/P3k3/8/8/8/8/8/4K3 w - - 0 1"));
    t.carry("a7", "a8");
    t.press(None);
    t.fen("Q7/4k3/8/8/8/8/8/4K3");
    assert_eq!((t.moves().as_str(), t.found()), ("a7a8q", vec![]));
}

#[test]
fn a_mate_may_be_pressed_and_slow_castling_alarms_nobody() {
    let mut t = begun();
    t.play("f2f3 e7e5 g2g4");
    t.carry("d8", "h4");
    t.quiet();
    t.press(Some(5_000_000));
    assert_eq!((t.result().as_str(), t.game.alarms.len()), ("0-1 5.1.1", 0));
    assert_eq!(t.game.plies.last().map(|ply| ply.left[1]), Some(Some(5_000_000)), "the record has the reading");
    let mut t = Table::started(ED, "5400+30", Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
    t.carry("e1", "g1");
    t.quiet();
    t.carry("h1", "f1");
    t.press(None);
    assert_eq!((t.moves().as_str(), t.game.alarms.len()), ("e1g1", 0));
}

#[test]
fn a_queen_put_down_before_the_pawn_is_taken_off_alarms_nobody() {
    // 4.6.2: the pawn need not be taken off first.
    let mut t = Table::started(ED, "5400+30", Some("7k/4P3/8/8/8/8/8/KR5r w - - 0 36"));
    t.fen("4Q2k/4P3/8/8/8/8/8/KR5r");
    t.quiet();
    t.carry("e7", "");
    t.press(None);
    assert_eq!((t.moves().as_str(), t.game.alarms.len()), ("e7e8q", 0));
    let mut t = Table::started(ED, "5400+30", Some("7k/4P3/8/8/8/8/8/KR5r w - - 0 36"));
    t.fen("5Q1k/4P3/8/8/8/8/8/KR5r");
    t.quiet();
    assert_eq!(t.game.alarms.len(), 1, "the pawn cannot get there");
}

#[test]
fn a_board_turned_by_a_quarter_is_found_after_a_quick_first_move_too() {
    let mut t = Table::open(ED, "5400+30", None);
    t.report(1);
    t.lies = Turn::Quarter;
    t.show();
    t.start();
    t.carry("e2", "e4");
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4", 1));
    t.obey();
    t.resume();
    t.play("e7e5");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5", 1));
}

#[test]
fn a_reply_that_mates_unpressed_came_before_the_flag_too() {
    let mut t = begun();
    t.play("f2f3 e7e5");
    t.carry("g2", "g4");
    t.carry("d8", "h4");
    t.flag(Colour::White);
    assert_eq!((t.result().as_str(), t.moves().as_str()), ("0-1 5.1.1", "f2f3 e7e5 g2g4 d8h4"));
}

/// Trap 16: the illegal move was completed first, whether or not the board had settled when the flag fell.
#[test]
fn an_illegal_move_pressed_before_the_flag_comes_before_it() {
    let mut t = Table::started(ED, "180", None);
    t.play("e2e4 e7e5");
    t.set(180_000, 300);
    t.carry("a1", "b3");
    t.press(None);
    t.flag(Colour::Black);
    assert_eq!((t.found(), t.result().as_str()), (vec!["illegal_move 7.5.1 ply 3 white fixed".to_owned()], "*"));
    t.obey();
    assert_eq!((t.clocks(), t.game.strikes), ([Some(180_000), Some(120_000)], [1, 0]));
}

#[test]
fn a_board_that_shows_nothing_yet_accuses_nobody_when_something_else_comes() {
    // White's move is pressed and not read yet when Black's flag falls: Black has lost.
    let mut t = Table::started(ED, "180", None);
    t.press(None);
    t.flag(Colour::Black);
    assert_eq!((t.found(), t.result().as_str()), (vec![], "1-0 6.9"));
    // Or when Black has replied and pressed.
    let mut t = begun();
    t.press(None);
    t.press(None);
    t.fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4 e7e5", vec![]));
    // Once it has stood still it shows that there was none.
    let mut t = begun();
    t.press(None);
    t.quiet();
    assert_eq!(t.found(), ["press_without_move 7.5.3 ply 1 white fixed"]);
}
