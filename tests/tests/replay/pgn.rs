//! PGN files through the virtual player.

use flagfall_server::app::replay::Args;

use super::support::{assert_applied, assert_clean, file, found, game, games, run, uci};

/// Castling both ways, en passant, a promotion with capture, clocks throughout.
pub(crate) const SHAPES: &str = "[White \"A\"]\n[Black \"B\"]\n[TimeControl \"900+10\"]\n\n1. e4 {[%clk 0:15:05]} d5 {[%clk 0:15:00]} 2. e5 {[%clk 0:14:50]} f5 {[%clk 0:14:10]} 3. exf6 {[%clk 0:14:00]} Nc6 {[%clk 0:14:00]} 4. fxg7 {[%clk 0:13:00]} Bf5 {[%clk 0:13:50]} 5. gxh8=Q {[%clk 0:12:00]} Qd7 {[%clk 0:13:30]} 6. Nf3 {[%clk 0:11:55]} O-O-O {[%clk 0:13:30]} 7. Be2 {[%clk 0:11:50]} Nb8 {[%clk 0:13:20]} 8. O-O {[%clk 0:11:40]} a6 {[%clk 0:13:00]} 1-0\n";

pub(crate) const SHAPES_UCI: &str = "e2e4 d7d5 e4e5 f7f5 e5f6 b8c6 f6g7 c8f5 g7h8q d8d7 g1f3 e8c8 f1e2 c6b8 e1g1 a7a6";

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_game_comes_out_as_it_went_in() {
    let report = game(SHAPES, &[]).await;
    assert_clean(&report);
    assert_eq!((report.moves, report.result, report.ending.as_deref()), (uci(SHAPES_UCI), "1-0", Some("desk")));
    assert_eq!(report.clocks[..2], [[Some(905_000), Some(910_000)], [Some(905_000), Some(900_000)]]);
    assert_eq!(report.clocks[15], [Some(700_000), Some(780_000)]);
    assert!(
        report.pgn.contains("[Result \"1-0\"]") && report.pgn.contains("5. gxh8=Q {[%clk 0:12:00]}"),
        "{}",
        report.pgn
    );
    assert_eq!(report.game, "game#1");
}

#[tokio::test(flavor = "multi_thread")]
async fn mate_and_stalemate_end_a_game_by_themselves() {
    let mate = "[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n";
    let stalemate = "[Result \"1/2-1/2\"]\n[FEN \"7k/8/8/6Q1/8/8/8/K7 w - - 0 1\"]\n\n1. Qg6 1/2-1/2\n";
    let reports = games(&format!("{mate}{stalemate}"), &[]).await;
    let ends: Vec<_> = reports.iter().map(|r| (r.result, r.ending.as_deref(), r.moves.len())).collect();
    assert_eq!(ends, [("1-0", Some("checkmate"), 7), ("1/2-1/2", Some("stalemate"), 1)]);
    reports.iter().for_each(assert_clean);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_clocks_stay_unknown_and_a_false_zero_is_one_finding() {
    let text = "[TimeControl \"900+10\"]\n\n1. e4 {[%clk 0:15:09]} e5 2. Nf3 {[%clk 0:15:10]} Nc6 {[%clk 0:15:00]} 3. Bb5 {[%clk 0:00:00]} a6 {[%clk 0:15:05]} 4. Ba4 {[%clk 0:15:00]} Nf6 {[%clk 0:15:00]} *";
    let report = game(text, &[]).await;
    assert_eq!(found(&report), ["5 white clock_jump 6.10.2"]);
    let seconds: Vec<_> = report.clocks.iter().map(|pair| pair.map(|ms| ms.map(|ms| ms / 1_000))).collect();
    let s = Some;
    let expected = [
        [s(909), s(910)],
        [s(909), None],
        [s(910), None],
        [s(910), s(900)],
        [s(0), s(900)],
        [s(0), s(905)],
        [s(900), s(905)],
        [s(900), s(900)],
    ];
    assert_eq!(seconds, expected);
    assert_eq!((report.result, report.ending), ("*", None));
    assert_eq!(report.moves.len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn time_added_at_a_control_shows_at_once_and_is_no_finding() {
    let text = "[TimeControl \"3/300+5:600+5\"]\n\n1. e4 {[%clk 0:05:00]} e5 {[%clk 0:05:00]} 2. Nf3 {[%clk 0:04:30]} Nc6 {[%clk 0:04:00]} 3. Bb5 {[%clk 0:14:00]} a6 {[%clk 0:13:30]} 4. Ba4 {[%clk 0:13:50]} Nf6 {[%clk 0:13:20]} 1/2-1/2";
    let report = game(text, &[]).await;
    assert_clean(&report);
    assert_eq!(report.clocks[4..6], [[Some(840_000), Some(240_000)], [Some(840_000), Some(810_000)]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn faulty_games_are_named_and_the_others_go_on() {
    let text = "[Event \"1\"]\n\n1. e4 e5 2. Ke3 Nc6 1-0\n\n[Event \"2\"]\n\n1. e4 c5 *\n\n[Event \"3\"\n[White \"x\"]\n\n1. d4 *\n\n[Event \"4\"]\n\n1. f3 e5 2. g4 Qh4# 3. a3 0-1\n";
    let (_dir, path) = file("faulty.pgn", text);
    let (_other, nonsense) = file("photo.jpg", b"\xff\xd8\xff\xe0 no game at all");
    let (replayed, out) = run(&Args::new(vec![path, nonsense.clone()])).await;
    let faults: Vec<_> = replayed
        .reports
        .iter()
        .map(|r| (r.game.as_str(), r.moves.len(), r.faults.iter().map(|f| f.ply).collect::<Vec<_>>()))
        .collect();
    let expected =
        [("faulty#1", 2, vec![3]), ("faulty#2", 2, vec![]), ("faulty#3", 1, vec![0]), ("faulty#4", 4, vec![5])];
    assert_eq!(faults, expected);
    assert!(!replayed.is_faultless());
    assert!(out.contains("faulty#1: 2 plies") && out.contains("FAULT at ply 3: Ke3 is not legal"), "{out}");
    let [refused] = &replayed.refused[..] else { panic!("{:?}", replayed.refused) };
    assert!(
        refused.starts_with(&nonsense.display().to_string()) && refused.contains("expected") && refused.contains("PGN")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_a_line_a_game_and_a_kept_journal_takes_the_same_file_twice() {
    let (dir, path) = file("twice.pgn", "\u{feff}1. e4 {[%clk 0:01:00]} e5 1/2-1/2\r\n\r\n1. d4 *\r\n");
    let mut args = Args::new(vec![path]);
    (args.json, args.data) = (true, Some(dir.path().join("data")));
    for journal in [["twice.1", "twice.2"], ["twice.1-2", "twice.2-2"]] {
        let (_, out) = run(&args).await;
        let rows: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(rows.len(), 2);
        for (row, name) in rows.iter().zip(journal) {
            assert_eq!(row["journal"], name);
            for key in ["game", "moves", "result", "clocks", "irregularities", "directives", "pgn", "faults", "alarms"]
            {
                assert!(!row[key].is_null(), "{key}");
            }
        }
        assert_eq!(rows[0]["clocks"], serde_json::json!([[60_000, null], [60_000, null]]));
        assert_eq!((&rows[0]["result"], &rows[1]["result"]), (&"1/2-1/2".into(), &"*".into()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn device_time_can_be_slowed_down() {
    let (_dir, path) = file("slow.pgn", "[TimeControl \"60\"]\n\n1. e4 {[%clk 0:00:50]} e5 {[%clk 0:00:50]} *");
    let mut args = Args::new(vec![path]);
    args.speed = "50".parse().expect("a factor");
    let begun = std::time::Instant::now();
    let (replayed, _) = run(&args).await;
    // Twenty seconds of thinking and four before the start, fifty times as fast.
    assert!(begun.elapsed() >= std::time::Duration::from_millis(480));
    assert_eq!(replayed.reports[0].moves.len(), 2);
    assert!("0".parse::<flagfall_server::app::replay::rig::Speed>().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_without_a_single_clock_is_played_too() {
    let report = game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1/2-1/2", &[]).await;
    assert_clean(&report);
    assert!(report.clocks.iter().flatten().all(Option::is_none));
    assert_applied(&report);
}

#[tokio::test(flavor = "multi_thread")]
async fn games_may_begin_and_end_anywhere() {
    let text = "[FEN \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\"]\n\n1/2-1/2\n\n[FEN \"4k3/P7/8/8/8/8/8/4K3 b - - 3 40\"]\n\n40... Kd7 41. a8=N Kd6 0-1\n\n[White \"nobody moved\"]\n\n1-0\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8 9. e4 1-0\n";
    let reports = games(text, &[]).await;
    let ends: Vec<_> = reports.iter().map(|r| (r.moves.len(), r.result, r.ending.as_deref())).collect();
    let expected = [
        (0, "1/2-1/2", Some("desk")),
        (2, "1/2-1/2", Some("dead_position")),
        (0, "1-0", Some("desk")),
        (16, "1/2-1/2", Some("fivefold")),
    ];
    assert_eq!(ends, expected, "{reports:#?}");
    assert_eq!(reports[3].faults[0].ply, 17, "the file goes on after a fivefold repetition");
}
