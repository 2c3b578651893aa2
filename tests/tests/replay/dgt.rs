//! Logs of a DGT board, through a pseudo-terminal and the real driver.

use flagfall_proto::journal::v1::Play;
use flagfall_rules::{
    board::{Kind, Man, Turn},
    clock::Colour,
};
use flagfall_server::app::replay::{Args, report::Report, script::Touch};

use super::{
    recorded::Log,
    support::{assert_clean, file, found, run, uci},
};

const OPENING: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 f6e4 b5c6 d7c6";

fn opening(lies: Turn, right: bool) -> Log {
    let mut log = Log::new(lies, right);
    log.start();
    log.moves(OPENING);
    log
}

async fn games(text: String) -> Vec<Report> {
    let (_dir, path) = file("board.log", text);
    run(&Args::new(vec![path])).await.0.reports
}

async fn replayed(text: String) -> Report {
    let mut reports = games(text).await;
    assert_eq!(reports.len(), 1);
    reports.swap_remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn white_may_sit_on_the_right() {
    for right in [false, true] {
        let report = replayed(opening(Turn::None, right).hex()).await;
        assert_clean(&report);
        assert_eq!(report.moves, uci(OPENING));
        assert_eq!(report.clocks[..2], [[Some(298_000), Some(300_000)], [Some(298_000), Some(298_000)]]);
        assert_eq!((report.result, report.game.as_str()), ("*", "board#1"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_the_other_way_round_is_read_the_right_way() {
    let report = replayed(opening(Turn::Half, false).hex()).await;
    assert_clean(&report);
    assert_eq!(report.moves, uci(OPENING));
}

/// White moved before the clock was started, or the lever lay the wrong way at first: whoever moves while a half runs owns it, and so
/// it is Black's flag that falls.
#[tokio::test(flavor = "multi_thread")]
async fn the_half_that_runs_first_may_be_blacks() {
    let mut moved = Log::new(Turn::None, true);
    moved.hands("e2e4");
    moved.clock(true, Colour::Black);
    moved.moves("e7e5");
    let mut lever = Log::new(Turn::None, true);
    for left in [300_000, 299_000, 298_000] {
        lever.left[1] = left;
        lever.clock(true, Colour::Black);
    }
    lever.clock(true, Colour::White);
    lever.moves("e2e4 e7e5");
    for mut log in [moved, lever] {
        log.moves("g1f3 b8c6 f1b5");
        log.left[1] = 0;
        log.flag(Colour::Black);
        let report = replayed(log.hex()).await;
        assert!(report.irregularities.is_empty() && report.faults.is_empty(), "{report:#?}");
        assert_eq!(report.moves, uci("e2e4 e7e5 g1f3 b8c6 f1b5"));
        assert_eq!((report.result, report.ending.as_deref()), ("1-0", Some("flag")));
    }
}

/// A clock that adds the next period at zero shows a flag beside it. How many moves were asked for nobody knows, but the clock went on,
/// and so does the game (6.9).
#[tokio::test(flavor = "multi_thread")]
async fn a_flag_beside_another_periods_time_ends_nothing() {
    let mut log = Log::new(Turn::None, false);
    log.left = [7_200_000; 2];
    log.start();
    log.moves(OPENING);
    log.left[0] = 1_000;
    log.clock(true, Colour::White);
    log.left[0] = 3_600_000;
    log.flag(Colour::White);
    log.moves("d2d3 e4d6");
    let report = replayed(log.hex()).await;
    assert_eq!(report.moves, uci(&format!("{OPENING} d2d3 e4d6")));
    assert_eq!((report.result, found(&report)), ("*", vec!["11 white flag_seen 6.9".to_owned()]));
}

/// Resumed or switched on late: the board as it stands is where the game begins, and whose half runs is to move.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_may_begin_in_the_middle_of_a_game() {
    for (fen, moves) in [
        ("r3k2r/ppp2ppp/8/3p4/3P4/8/PPP2PPP/R3K2R b KQkq - 0 20", "e8g8 e1c1 f8e8 d1e1"),
        ("8/5k2/8/8/3P4/4K3/8/8 w - - 0 60", "d4d5 f7e7 e3d4"),
    ] {
        for lies in [Turn::None, Turn::Half] {
            let mut log = Log::from(fen, lies);
            log.left = [75_000, 80_000];
            log.start();
            log.moves(moves);
            let report = replayed(log.hex()).await;
            assert_clean(&report);
            assert_eq!((report.moves, report.notes.len()), (uci(moves), 1));
        }
    }
}

/// Who sets the men wrongly and plays on gets one ruling, and the rest is named as not played.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_start_is_found_once() {
    let mut log = Log::new(Turn::None, false);
    let (queen, king) = [Kind::Queen, Kind::King].map(|kind| Some(Man { colour: Colour::White, kind })).into();
    log.touch(vec![Touch { square: 3, man: None }, Touch { square: 4, man: queen }, Touch { square: 3, man: king }]);
    log.start();
    log.moves("e2e4 e7e5 g1f3 b8c6");
    let report = replayed(log.hex()).await;
    assert_eq!(found(&report), ["1 white wrong_start 7.2.1"]);
    assert_eq!((report.moves.len(), report.faults.len()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_may_hold_one_game_after_the_other() {
    let mut log = opening(Turn::Half, false);
    log.clock(false, Colour::White);
    log.set_up();
    log.left = [180_000; 2];
    log.start();
    log.moves("d2d4 d7d5 c2c4");
    log.clock(false, Colour::Black);
    log.set_up();
    let reports = games(log.hex()).await;
    let told: Vec<_> = reports.iter().map(|report| (report.game.as_str(), report.moves.clone())).collect();
    assert_eq!(told, [("board#1", uci(OPENING)), ("board#2", uci("d2d4 d7d5 c2c4"))]);
    assert!(reports.iter().all(|report| report.irregularities.is_empty() && report.faults.is_empty()), "{reports:#?}");
    assert_eq!(reports[1].clocks[0], [Some(178_000), Some(180_000)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_whole_board_nothing_can_be_read() {
    let mut log = opening(Turn::None, false);
    log.lines.remove(0);
    let report = replayed(log.hex()).await;
    assert_eq!((report.moves.len(), report.faults.len()), (0, 1));
    assert!(report.faults[0].what.starts_with("no message shows the whole board"));
}

/// In blitz and rapid all the moves are made in one time (A.1, B.1), so its flag is the last whatever the control was; in standard play
/// nobody knows which period a log that states no control is in, and somebody must count the moves (6.9).
#[tokio::test(flavor = "multi_thread")]
async fn a_flag_is_the_last_where_the_clock_first_showed_a_blitz_time() {
    let mut log = Log::new(Turn::None, false);
    // What an idle clock shows may be of the game before.
    log.left = [7_200_000; 2];
    log.clock(false, Colour::White);
    log.left = [13_000, 300_000];
    log.start();
    log.moves(OPENING);
    log.left[0] = 0;
    log.flag(Colour::White);
    let (_dir, path) = file("board.log", log.hex());
    let mut args = Args::new(vec![path]);
    let report = run(&args).await.0.reports.swap_remove(0);
    assert_clean(&report);
    assert_eq!((report.moves, report.result, report.ending.as_deref()), (uci(OPENING), "0-1", Some("flag")));
    args.play = Some(Play::Standard);
    let report = run(&args).await.0.reports.swap_remove(0);
    assert_eq!(found(&report), ["11 white flag_seen 6.9"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_in_a_log_is_named_and_survived() {
    let mut log = opening(Turn::None, false);
    // Half a message, and bytes that are none at all.
    log.lines.insert(20, vec![0x8d, 0, 10, 1]);
    log.lines.insert(30, vec![1, 2, 3]);
    let mut text = log.hex();
    text.push_str("this is no message\n");
    let report = replayed(text).await;
    assert_eq!(report.moves, uci(OPENING), "{report:#?}");
    let faults: Vec<&str> = report.faults.iter().map(|fault| fault.what.as_str()).collect();
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert!(faults[0].starts_with("line 21: ") && faults[2].contains("neither base64 nor hex"));
}
