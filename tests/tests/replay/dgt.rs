//! Logs of a DGT board, through a pseudo-terminal and the real driver.

use flagfall_clock::hw::dgt::{decode::Reading, reply};
use flagfall_rules::board::{Scan, Turn, infer};
use flagfall_server::app::replay::script::carry_out;
use shakmaty::{Chess, Position, uci::UciMove};

use super::support::{assert_clean, file, found, run, uci};
use flagfall_proto::journal::v1::Play;
use flagfall_server::app::replay::{Args, report::Report};

const OPENING: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 f6e4 b5c6 d7c6";

/// Writes down what a board and its clock say of a game.
struct Log {
    lines: Vec<Vec<u8>>,
    board: Scan,
    /// How the board lies.
    lies: Turn,
    /// White sits on the right.
    right: bool,
    left: [i64; 2],
}

impl Log {
    fn new(lies: Turn, right: bool) -> Log {
        let board = infer::scan(&Chess::default());
        Log { lines: vec![reply::dump(&board.turned(lies))], board, lies, right, left: [300_000; 2] }
    }

    fn clock(&mut self, running: bool, white: bool) {
        self.face(running, white, [false; 2]);
    }

    /// White's flag falls, and the clock stands.
    fn flag(&mut self) {
        self.left[0] = 0;
        self.face(false, true, [!self.right, self.right]);
    }

    fn face(&mut self, running: bool, white: bool, fallen: [bool; 2]) {
        let mut times = self.left.map(Some);
        if self.right {
            times.reverse();
        }
        let left_to_move = white != self.right;
        self.lines.push(reply::time(&Reading {
            times,
            fallen,
            running,
            right_lever_high: left_to_move,
            left_to_move,
            right_to_move: !left_to_move,
            low_battery: false,
            not_connected: false,
        }));
    }

    fn play(mut self, moves: &str) -> Vec<Vec<u8>> {
        self.moves(moves);
        self.lines
    }

    fn moves(&mut self, moves: &str) {
        let mut position = Chess::default();
        self.clock(false, true);
        self.clock(true, true);
        for (ply, text) in moves.split(' ').enumerate() {
            let white = ply % 2 == 0;
            for _ in 0..2 {
                self.left[ply % 2] -= 1_000;
                self.clock(true, white);
            }
            let m = UciMove::from_ascii(text.as_bytes()).expect("a move").to_move(&position).expect("a legal move");
            for touch in carry_out(&position, m, ply as u64) {
                self.board.put(touch.square, touch.man);
                let square = if self.lies == Turn::Half { 63 - touch.square } else { touch.square };
                self.lines.push(reply::field(square, touch.man));
            }
            position.play_unchecked(m);
            self.clock(true, !white);
        }
    }
}

async fn replayed(text: String) -> Report {
    let (_dir, path) = file("board.log", text);
    run(&Args::new(vec![path])).await.0.reports.swap_remove(0)
}

fn hex(lines: &[Vec<u8>]) -> String {
    lines.iter().map(|line| line.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn white_may_sit_on_the_right() {
    for right in [false, true] {
        let report = replayed(hex(&Log::new(Turn::None, right).play(OPENING))).await;
        assert_clean(&report);
        assert_eq!(report.moves, uci(OPENING));
        assert_eq!(report.clocks[..2], [[Some(298_000), Some(300_000)], [Some(298_000), Some(298_000)]]);
        assert_eq!((report.result, report.game.as_str()), ("*", "board#1"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_the_other_way_round_is_read_the_right_way() {
    let report = replayed(hex(&Log::new(Turn::Half, false).play(OPENING))).await;
    assert_clean(&report);
    assert_eq!(report.moves, uci(OPENING));
}

/// In blitz and rapid all the moves are made in one time (A.1, B.1), so its flag is the last whatever the control was; in standard play
/// nobody knows which period a log that states no control is in, and somebody must count the moves (6.9).
#[tokio::test(flavor = "multi_thread")]
async fn a_flag_is_the_last_where_the_clock_first_showed_a_blitz_time() {
    let mut log = Log::new(Turn::None, false);
    log.left = [13_000, 300_000];
    log.moves(OPENING);
    log.flag();
    let (_dir, path) = file("board.log", hex(&log.lines));
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
    let mut lines = Log::new(Turn::None, false).play(OPENING);
    // Half a message, and bytes that are none at all.
    lines.insert(20, vec![0x8d, 0, 10, 1]);
    lines.insert(30, vec![1, 2, 3]);
    let mut text = hex(&lines);
    text.push_str("this is no message\n");
    let report = replayed(text).await;
    assert_eq!(report.moves, uci(OPENING), "{report:#?}");
    let faults: Vec<&str> = report.faults.iter().map(|fault| fault.what.as_str()).collect();
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert!(faults[0].starts_with("line 21: ") && faults[2].contains("neither base64 nor hex"));
}
