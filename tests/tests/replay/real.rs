//! Real recordings, where they are at hand.

use flagfall_server::app::replay::{Args, lexer, pgn, report::Report};
use shakmaty::CastlingMode;

use super::support::{assert_applied, assert_clean, found, run, shared};

/// Replays a PGN file and holds every report against what the file says.
async fn file(name: &str) -> Vec<Report> {
    let Some(shared) = shared() else { return Vec::new() };
    let path = shared.join("games").join(name);
    let text = lexer::text(&std::fs::read(&path).expect("the file"));
    let games: Vec<_> = lexer::games(&text).into_iter().map(pgn::read).collect();
    let (replayed, _) = run(&Args::new(vec![path])).await;
    assert_eq!(replayed.reports.len(), games.len());
    for (report, game) in replayed.reports.iter().zip(&games) {
        let name = &report.game;
        let moves: Vec<String> = game.moves.iter().map(|m| m.m.to_uci(CastlingMode::Standard).to_string()).collect();
        assert_eq!(report.moves, moves, "{name}");
        for (ply, m) in game.moves.iter().enumerate() {
            assert_eq!(report.clocks[ply][ply % 2], m.clk, "{name} ply {}", ply + 1);
        }
        assert_eq!(report.faults, game.faults, "{name}");
        assert!(report.irregularities.iter().all(|i| i.kind == "clock_jump"), "{name}: {:?}", report.irregularities);
        assert_applied(report);
        let ends_on_board = matches!(report.ending.as_deref(), Some("checkmate" | "stalemate" | "dead_position"));
        assert!(ends_on_board || report.result == game.result, "{name}: {}", report.result);
    }
    replayed.reports
}

#[tokio::test(flavor = "multi_thread")]
async fn twelve_rapid_games_come_out_move_for_move() {
    let reports = file("livechess-rapid-15-10.pgn").await;
    if let Some(fourth) = reports.get(3) {
        assert_eq!(found(fourth), ["35 white clock_jump 6.10.2"], "the false zero");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_nine_games_come_out_move_for_move_and_the_fault_is_named() {
    let reports = file("otb-mixed-clk.pgn").await;
    let faulty: Vec<_> = reports.iter().flat_map(|r| r.faults.iter().map(|f| (r.game.as_str(), f.ply))).collect();
    if !reports.is_empty() {
        assert_eq!(faulty, [("otb-mixed-clk#3", 87)]);
    }
}

async fn board(name: &str) -> Option<Report> {
    let path = shared()?.join("eboard").join(name);
    Some(run(&Args::new(vec![path])).await.0.reports.swap_remove(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blitz_game_from_a_board_is_the_recorded_one() {
    let Some(report) = board("blitz-3-2.dgt.b64").await else { return };
    let recorded = std::fs::read_to_string(shared().expect("found").join("eboard/blitz-3-2.uci")).expect("the moves");
    let moves: Vec<&str> = recorded.split_whitespace().filter(|word| !word.contains(['.', '*'])).collect();
    assert_eq!(
        (report.moves.len(), &report.moves[..]),
        (57, &moves.iter().map(|m| (*m).to_owned()).collect::<Vec<_>>()[..])
    );
    assert_clean(&report);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_falls_and_kings_in_the_centre_are_no_moves() {
    let Some(report) = board("flagfall-5-5.dgt.b64").await else { return };
    assert_eq!((report.moves.len(), report.result, report.ending.as_deref()), (43, "1-0", Some("flag")));
    assert_eq!(report.moves.last().map(String::as_str), Some("c5c6"));
    assert!(report.irregularities.is_empty() && report.faults.is_empty());
    assert_applied(&report);
}
