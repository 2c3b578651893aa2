//! Irregularities committed on purpose: each is found, ruled, carried out by the clock, and the game goes on.

use super::{
    pgn::{SHAPES, SHAPES_UCI},
    support::{assert_applied, found, game, uci},
};

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_is_found_ruled_and_put_right() {
    let cases = [
        ("4:illegal_move", "4 black illegal_move 7.5.1", "illegal move 1: +2:00 to White"),
        ("4:press_without_move", "4 black press_without_move 7.5.3", "illegal move 1: +2:00 to White"),
        ("1:pawn_left", "9 white pawn_left 7.5.2", "the pawn becomes a queen"),
        ("6:displaced", "6 black displaced 7.4.1", "put back"),
        ("1:wrong_start", "1 white wrong_start 7.2.1", "new game"),
        ("1:board_turned", "1 white board_turned 7.2.2", "transferred"),
        ("7:clock_jump", "7 white clock_jump 6.10.2", "noted"),
    ];
    for (injection, expected, ruling) in cases {
        let report = game(SHAPES, &[injection]).await;
        assert_eq!(found(&report), [expected], "{injection}: {report:#?}");
        let ruled = report.irregularities[0].ruling.as_deref().unwrap_or("none");
        assert!(ruled.contains(ruling), "{injection}: {ruled}");
        assert_eq!(report.moves, uci(SHAPES_UCI), "{injection}");
        assert_eq!((report.result, report.faults.len()), ("1-0", 0), "{injection}: {:?}", report.faults);
        assert_applied(&report);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_impossible_board_is_an_alarm_and_harms_nothing() {
    let report = game(SHAPES, &["5:impossible_board"]).await;
    assert_eq!((found(&report).len(), report.moves), (0, uci(SHAPES_UCI)));
    assert!(report.alarms.iter().any(|alarm| alarm.kind == "impossible_board"), "{:?}", report.alarms);
    assert!(report.faults.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_minutes_are_added_and_the_increment_is_taken_back() {
    let report = game(SHAPES, &["4:illegal_move"]).await;
    // The file has 14:50 and 14:10. The illegal move took Black two seconds, of which none come back but the increment
    // does; White's clock ran for a moment while the board settled.
    let [white, black] = report.clocks[3];
    assert_eq!(black, Some(848_000));
    assert!(white.is_some_and(|ms| (1_007_000..1_010_000).contains(&ms)), "{white:?}");
    let stages: Vec<_> = report.directives.iter().map(|d| (d.act, d.stage.as_str())).collect();
    let expected = [("prepare", "applied"), ("stop", "applied"), ("set", "applied"), ("conclude", "applied")];
    assert_eq!(stages, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_illegal_move_loses_and_the_rest_is_not_played() {
    let report = game(SHAPES, &["3:illegal_move", "7:press_without_move"]).await;
    assert_eq!(found(&report), ["3 white illegal_move 7.5.1", "7 white press_without_move 7.5.3"]);
    assert_eq!((report.result, report.ending.as_deref(), report.moves.len()), ("0-1", Some("illegal"), 6));
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_clocks_the_arbiter_says_what_the_display_cannot() {
    let report = game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 1/2-1/2", &["4:illegal_move"]).await;
    assert_eq!(found(&report), ["4 black illegal_move 7.5.1"]);
    assert_eq!((report.moves.len(), report.faults.len()), (8, 0), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_committed_is_a_fault_of_the_request() {
    let report = game("1. e4 e5 *", &["1:pawn_left", "9:displaced"]).await;
    assert_eq!(report.faults.iter().map(|fault| fault.ply).collect::<Vec<_>>(), [1, 9]);
    assert_eq!(report.moves.len(), 2);
}
