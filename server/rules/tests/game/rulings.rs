//! Rulings in standard play: every value is worked out by hand or taken from the worked cases of the Laws' guide.

use flagfall_rules::{
    board::{Man, Turn},
    clock::{Colour, Going},
    game::{
        Act, Alarm, DeskAct, DeviceAct, Facts, Input, Irregularity, Refusal, RejectReason, Report, ServiceAct, Stage,
    },
};

use crate::table::{Table, square};

const ED: &str = "fide-2018";
const M: i64 = 60_000;
const S: i64 = 1_000;

fn last_words(t: &Table) -> String {
    t.game.cases.last().and_then(|c| c.ruling.as_ref()).map(|r| r.remedy.words.en.clone()).unwrap_or_default()
}

#[test]
fn case_1_first_illegal_move_takes_back_the_increment_and_gives_two_minutes() {
    let mut t = Table::started(ED, "3600+30", None);
    t.set(11 * M + 52 * S, 46 * M + 9 * S);
    // A rook through its own pawn; the press credits 0:30.
    t.carry("a1", "a4");
    t.press(Some(12 * M + 22 * S));
    t.quiet();
    assert_eq!(t.found(), ["illegal_move 7.5.1 ply 1 white fixed"]);
    assert_eq!(t.game.cases[0].finding.evidence.seen.en, "Ra1-a4");
    t.obey();
    assert_eq!(t.clocks(), [Some(11 * M + 52 * S), Some(48 * M + 9 * S)]);
    assert_eq!((t.counters(), t.face.turn, t.face.going), ([0, 0], Colour::White, Going::Paused));
    assert_eq!((t.game.strikes, last_words(&t).as_str()), ([1, 0], "illegal move 1: +2:00 to Black"));
    assert_eq!(t.game.cases[0].ruling.as_ref().map(|r| r.remedy.article.as_str()), Some("7.5.5"));
    t.resume();
    t.play("a2a4 e7e5");
    assert_eq!((t.moves().as_str(), t.found().len()), ("a2a4 e7e5", 1));
}

#[test]
fn case_5_press_without_a_move() {
    let mut t = Table::started(ED, "5400+30", None);
    t.set(20 * M, 31 * M);
    t.press(Some(20 * M + 30 * S));
    t.quiet();
    assert_eq!(t.found(), ["press_without_move 7.5.3 ply 1 white fixed"]);
    t.obey();
    assert_eq!(t.clocks(), [Some(20 * M), Some(33 * M)]);
    assert_eq!(t.counters(), [0, 0]);
}

#[test]
fn a_press_without_a_move_that_the_opponent_presses_back_is_one_fault_of_one_player() {
    let mut t = Table::started(ED, "5400+30", None);
    t.press(None);
    t.now += 2_000;
    t.press(None);
    t.quiet();
    assert_eq!(t.found(), ["press_without_move 7.5.3 ply 1 white fixed"]);
}

#[test]
fn case_6_a_pawn_left_becomes_a_queen_and_the_player_presses_again() {
    let mut t = Table::started(ED, "5400+30", Some("7k/4P3/8/8/8/8/8/KR6 w - - 0 36"));
    t.set(3 * M + 40 * S, 10 * M);
    t.carry("e7", "e8");
    t.press(Some(4 * M + 10 * S));
    t.quiet();
    assert_eq!(t.found(), ["pawn_left 7.5.2 ply 1 white fixed"]);
    t.obey();
    assert_eq!(t.clocks(), [Some(3 * M + 40 * S), Some(12 * M)]);
    assert_eq!((t.counters(), t.face.turn), ([35, 35], Colour::White));
    assert_eq!(t.moves(), "e7e8q");
    assert!(!t.game.plies[0].completed);
    t.resume();
    t.press(Some(4 * M + 10 * S));
    assert!(t.game.plies[0].completed);
    assert_eq!((t.clocks(), t.found().len()), ([Some(4 * M + 10 * S), Some(12 * M)], 1));
}

#[test]
fn case_7_two_hands_is_reported_by_a_person_and_the_move_annulled() {
    let mut t = Table::started(ED, "5400+30", Some("4k3/8/8/8/8/8/8/4K2R w K - 0 9"));
    t.set(60 * M + 45 * S, 58 * M);
    t.fen("4k3/8/8/8/8/8/8/5RK1");
    t.press(Some(61 * M + 15 * S));
    let act = DeskAct::Irregularity {
        kind: Irregularity::TwoHands,
        by: Colour::White,
        ply: None,
        note: "both hands".into(),
        facts: Facts::default(),
    };
    t.desk(act).expect("admitted");
    assert_eq!(t.found(), ["two_hands 7.5.4 ply 1 white fixed"]);
    t.obey();
    assert_eq!(t.clocks(), [Some(60 * M + 45 * S), Some(60 * M)]);
    assert_eq!((t.moves().as_str(), t.game.annulled.len(), t.counters()), ("", 1, [8, 8]));
}

#[test]
fn case_8_found_later_is_a_proposal_on_the_deep_baseline() {
    let mut t = Table::started(ED, "5400+30", None);
    t.play("e2e4 e7e5");
    t.set(35 * M, 40 * M);
    t.carry("g1", "f3");
    t.press(Some(35 * M + 30 * S));
    t.play("b8c6 f1b5 a7a6");
    (t.face.hands[0].left, t.face.hands[1].left) = (Some(28 * M + 30 * S), Some(33 * M + 10 * S));
    let act = DeskAct::Irregularity {
        kind: Irregularity::IllegalMove,
        by: Colour::White,
        ply: Some(3),
        note: "the knight".into(),
        facts: Facts::default(),
    };
    t.desk(act).expect("admitted");
    t.obey();
    let proposal = t.game.cases[0].proposal.clone().expect("a proposal");
    let keys: Vec<&str> = proposal.remedies.iter().map(|r| r.key.as_str()).collect();
    assert_eq!(keys, ["penalty", "penalty_times_left", "play_on"]);
    let left = |index: usize| proposal.remedies[index].hands.map(|hands| hands.map(|hand| hand.left.unwrap_or(-1)));
    assert_eq!(left(0), Some([35 * M, 42 * M]));
    assert_eq!(left(1), Some([28 * M + 30 * S, 35 * M + 10 * S]));
    assert_eq!(t.game.strikes, [0, 0], "nothing is decided yet");
    let choose = |choice: &str| DeskAct::Decide { case: 1, choice: choice.into(), note: String::new() };
    assert_eq!(t.desk(choose("hang")), Err(Refusal::NoSuchChoice(1, "penalty, penalty_times_left, play_on".into())));
    t.desk(choose("penalty")).expect("decided");
    assert_eq!(t.desk(choose("play_on")), Err(Refusal::AlreadyDecided(1, "arbiter".into())));
    t.obey();
    assert_eq!(t.clocks(), [Some(35 * M), Some(42 * M)]);
    assert_eq!((t.moves().as_str(), t.counters(), t.game.annulled.len()), ("e2e4 e7e5", [1, 1], 4));
}

#[test]
fn case_9_a_period_bonus_is_taken_back_with_the_increment() {
    // Two moves for the first period stand for the forty of the case.
    let mut t = Table::started(ED, "2/5400+30:1800+30", None);
    t.play("e2e4 e7e5");
    t.set(20 * S, 12 * M);
    t.carry("a1", "a3");
    t.face.hands[0].period = 1;
    t.press(Some(30 * M + 50 * S));
    t.quiet();
    t.obey();
    // Taking the increment back is guidance; that the bonus goes too is inference, and the arbiter's to say.
    assert_eq!(t.ways(), ["penalty", "penalty_bonus_kept"]);
    t.choose("penalty");
    t.obey();
    assert_eq!(t.clocks(), [Some(20 * S), Some(14 * M)]);
    assert_eq!((t.counters(), t.face.hands[0].period), ([1, 1], 0));
}

#[test]
fn displaced_pieces_are_a_proposal_and_the_move_stands() {
    let mut t = Table::started(ED, "5400+30", None);
    t.carry("e2", "e4");
    t.board.put(square("g8"), None);
    t.board.put(square("h6"), Man::from_letter('n'));
    t.board.put(square("h7"), None);
    t.board.put(square("h5"), Man::from_letter('p'));
    t.show();
    t.press(None);
    t.quiet();
    assert_eq!(t.found(), ["displaced 7.4.1 ply 1 white discretion"]);
    t.obey();
    t.desk(DeskAct::Decide { case: 1, choice: "restore".into(), note: "knocked over".into() }).expect("decided");
    t.obey();
    assert_eq!((t.moves().as_str(), t.face.turn), ("e2e4", Colour::Black));
}

#[test]
fn a_wrong_initial_position_cancels_the_game() {
    let mut t = Table::open(ED, "5400+30", None);
    t.report(1);
    // King and queen of White exchanged.
    t.board.put(square("d1"), Man::from_letter('K'));
    t.board.put(square("e1"), Man::from_letter('Q'));
    t.show();
    t.quiet();
    t.start();
    assert_eq!(t.found(), ["wrong_start 7.2.1 ply 1 white fixed"]);
    t.obey();
    assert_eq!(t.clocks(), [Some(90 * M + 30 * S); 2]);
    t.resume();
    t.play("e2e4");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4", 1));
}

#[test]
fn a_board_turned_by_a_quarter_is_transferred_and_play_goes_on() {
    let mut t = Table::open(ED, "5400+30", None);
    t.report(1);
    t.lies = Turn::Quarter;
    t.show();
    t.quiet();
    t.start();
    assert_eq!(t.found(), ["board_turned 7.2.2 ply 1 white fixed"]);
    t.obey();
    assert_eq!(t.clocks(), [Some(90 * M + 30 * S); 2], "the times stay");
    t.resume();
    t.play("e2e4 e7e5");
    assert_eq!((t.moves().as_str(), t.found().len(), t.game.turn), ("e2e4 e7e5", 1, Turn::None));
}

#[test]
fn case_20_reversed_colours_before_and_after_the_tenth_move() {
    let ten = "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8 e2e4 e7e5 g1f3 g8f6 b1c3 b8c6 f1c4 f8c5 e1g1 e8g8 d2d3 d7d6";
    let moves: Vec<&str> = ten.split(' ').collect();
    for (edition, plies, anew) in [
        ("fide-2018", 17, true), // 9/8
        ("fide-2018", 19, true), // 10/9
        ("fide-2018", 20, false),
        ("rf-2017", 19, true),
        ("rf-2017", 20, false),
    ] {
        let mut t = Table::started(edition, "5400+30", None);
        t.play(&moves[..plies].join(" "));
        let act = DeskAct::Irregularity {
            kind: Irregularity::ColoursReversed,
            by: Colour::White,
            ply: None,
            note: String::new(),
            facts: Facts::default(),
        };
        t.desk(act).expect("admitted");
        t.obey();
        if anew {
            t.desk(DeskAct::Decide { case: 1, choice: "new_game".into(), note: String::new() }).expect("decided");
            t.obey();
            assert_eq!((t.moves().as_str(), t.clocks()), ("", [Some(90 * M + 30 * S); 2]), "{edition} {plies}");
        } else {
            assert_eq!(t.game.plies.len(), plies, "{edition} {plies}: play goes on");
        }
    }
}

#[test]
fn ten_moves_made_are_not_ten_moves_completed() {
    // Black's tenth move is on the board and answered, but was never pressed: made by both, not completed by each.
    let ten = "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8 e2e4 e7e5 g1f3 g8f6 b1c3 b8c6 f1c4 f8c5 e1g1 e8g8 d2d3";
    for (edition, fixed) in [("fide-2018", true), ("rf-2017", false)] {
        let mut t = Table::started(edition, "5400+30", None);
        t.play(ten);
        t.carry("d7", "d6");
        t.carry("c1", "g5");
        t.quiet();
        assert_eq!((t.game.made(Colour::Black), t.game.completed(Colour::Black)), (10, 9));
        let act = DeskAct::Irregularity {
            kind: Irregularity::ColoursReversed,
            by: Colour::White,
            ply: None,
            note: String::new(),
            facts: Facts::default(),
        };
        t.desk(act).expect("admitted");
        assert_eq!(t.game.cases[0].finding.fixed, fixed, "{edition}");
    }
}

#[test]
fn a_flag_loses_unless_the_opponent_cannot_mate() {
    for (position, result) in [
        (None, "0-1 6.9"),
        (Some("4k3/8/8/8/8/8/8/K6R w - - 0 1"), "1/2-1/2 6.9"),
        // Trap 3: a knight can mate a rook's side.
        (Some("4k3/8/8/8/8/8/6n1/K6R w - - 0 1"), "0-1 6.9"),
        // With a knight alone on the board nobody can: the game had ended before the flag fell.
        (Some("4k3/8/8/8/8/8/6n1/K7 w - - 0 1"), "1/2-1/2 5.2.2"),
    ] {
        let mut t = Table::started(ED, "5400+30", position);
        t.flag(Colour::White);
        assert_eq!(t.result(), result);
        t.obey();
        t.flag(Colour::Black);
        assert_eq!(t.result(), result, "the first end stands");
    }
}

#[test]
fn the_devices_first_flag_decides_not_the_order_of_arrival() {
    for (down, result) in [(true, "1-0 6.9"), (false, "0-1 6.9")] {
        let mut t = Table::started(ED, "5400+30", None);
        t.face.first_flag = Some(Colour::Black);
        // A clock may remember a flag that it shows up again: only two that are down are compared.
        t.face.hands[1].flagged = down;
        t.face.hands[1].left = t.face.hands[1].left.filter(|_| !down).or(Some(0));
        t.flag(Colour::White);
        assert_eq!(t.result(), result);
    }
}

#[test]
fn zero_before_the_control_is_no_loss_once_the_moves_were_made() {
    let mut t = Table::started(ED, "2/300:300", None);
    t.play("e2e4 e7e5 g1f3 b8c6");
    t.face.hands[0].moves = 1;
    t.flag(Colour::White);
    assert_eq!((t.result().as_str(), t.game.alarms.last().map(|a| a.0)), ("*", Some(Alarm::FlagAfterControl)));
    let mut t = Table::started(ED, "2/300:300", None);
    t.play("e2e4 e7e5");
    t.flag(Colour::White);
    assert_eq!(t.result(), "0-1 6.9");
}

#[test]
fn a_complete_illegal_position_put_right_at_once_is_a_proposal_not_silence() {
    let mut t = Table::started(ED, "5400+30", None);
    t.carry("g1", "g3");
    t.press(None);
    t.carry("g3", "f3");
    assert_eq!(t.found(), ["illegal_move 7.5.1 ply 1 white discretion"]);
    t.obey();
    t.desk(DeskAct::Decide { case: 1, choice: "play_on".into(), note: "the board lagged".into() }).expect("decided");
    t.obey();
    t.resume();
    t.play("e7e5");
    assert_eq!((t.moves().as_str(), t.game.strikes), ("g1f3 e7e5", [0, 0]));
}

#[test]
fn other_shapes_of_illegal_moves() {
    for (position, board, seen) in [
        ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "4k3/8/8/8/8/8/4r3/5RK1", "castling to g1"),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "4k3/8/3P4/3p4/8/8/8/4K3",
            "en passant to d6 with the taken pawn left on d5",
        ),
        ("4k3/8/8/8/8/8/4r3/K7 w - - 0 1", "4k3/8/8/8/8/8/1K2r3/8", "Ka1-b2"),
    ] {
        let mut t = Table::started(ED, "5400+30", Some(position));
        t.fen(board);
        t.press(None);
        t.quiet();
        assert_eq!(t.game.cases.last().map(|c| c.finding.evidence.seen.en.as_str()), Some(seen));
    }
}

#[test]
fn readings_that_leap_are_findings_and_never_flags() {
    let mut t = Table::started(ED, "", None);
    t.set(975 * S, 900 * S);
    t.play("e2e4 e7e5");
    t.carry("g1", "f3");
    t.press(Some(0));
    t.play("b8c6");
    t.carry("f1", "b5");
    t.press(Some(975 * S));
    assert_eq!(t.found(), ["clock_jump 6.10.2 ply 3 white fixed"], "one finding for the zero, none for its return");
    t.play("a7a6");
    t.carry("b5", "c6");
    t.board.put(square("b5"), None);
    t.press(Some(975 * S + 45 * S));
    assert_eq!(t.kinds(), [Irregularity::ClockJump; 2]);
    assert_eq!((t.result().as_str(), t.game.directives.len()), ("*", 2), "nothing was stopped");
}

#[test]
fn readings_that_were_missing_are_made_up_for_by_every_credit_since() {
    let mut t = Table::started(ED, "900+10", None);
    // White's reading after move 1 is unknown; after move 2 it is 20 s higher less what he used.
    t.carry("e2", "e4");
    t.face.hands[0].left = None;
    t.press(None);
    t.play("e7e5");
    t.carry("g1", "f3");
    t.press(Some(15 * M + 28 * S));
    assert_eq!(t.found(), Vec::<String>::new());
    // Without a control a bonus shows less what was used for the move.
    let mut t = Table::started("rf-2011", "", None);
    t.set(5 * M, 5 * M);
    t.play(&"g1f3 g8f6 f3g1 f6g8 ".repeat(15));
    t.think(4 * M);
    t.carry("b1", "c3");
    t.press(Some(M + 15 * M));
    assert_eq!(t.found(), Vec::<String>::new());
}

#[test]
fn a_leap_while_a_press_waits_loses_no_move() {
    let mut t = Table::started(ED, "5400+30", None);
    t.press(None);
    t.face.hands[1].left = Some(9 * 60 * M);
    t.carry("e2", "e4");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.kinds()), ("e2e4", vec![Irregularity::ClockJump]));
}

#[test]
fn a_correction_set_by_hand_is_no_leap() {
    let mut t = Table::started(ED, "5400+30", None);
    t.press(None);
    t.quiet();
    let refused = Report { rev: 2, stage: Stage::Rejected, reason: Some(RejectReason::Display), before: None };
    t.device(DeviceAct::Report(refused));
    t.face.going = Going::Paused;
    t.device(DeviceAct::Paused);
    let Some(Act::Set { hands, turn, .. }) = t.game.directives.last().map(|sent| sent.directive.act.clone()) else {
        panic!("a correction was sent")
    };
    (t.face.hands, t.face.turn, t.face.going) = (hands, turn, Going::Running);
    t.device(DeviceAct::Resumed);
    assert_eq!(t.kinds(), [Irregularity::PressWithoutMove]);
}

#[test]
fn the_service_recomputes_under_a_known_control() {
    let mut t = Table::started(ED, "900+10", None);
    t.play("e2e4 e7e5");
    t.think(30_000);
    t.carry("g1", "f3");
    // 15:10, 30 s used, 10 s credited.
    t.press(Some(14 * M + 50 * S));
    assert_eq!(t.found(), Vec::<String>::new());
    t.think(5_000);
    t.carry("b8", "c6");
    t.press(Some(15 * M + 16 * S));
    assert_eq!(t.found().len(), 0, "a second off is within the tolerance of clocks that show seconds");
    t.think(5_000);
    t.carry("f1", "b5");
    t.press(Some(14 * M));
    assert_eq!(t.found(), ["clock_jump 6.10.2 ply 5 white fixed"]);
}

#[test]
fn a_request_acts_once_and_an_overdue_directive_is_unknown() {
    let mut t = Table::started(ED, "5400+30", None);
    t.desk(DeskAct::Direct(Act::Add(Colour::White, 60_000), Default::default(), Default::default())).expect("issued");
    let again = flagfall_rules::game::DeskInput {
        request: "r2".into(),
        actor: "arbiter".into(),
        reason: String::new(),
        wall_ms: 0,
        act: DeskAct::Direct(Act::Add(Colour::White, 60_000), Default::default(), Default::default()),
    };
    t.feed(Input::Desk(again)).expect("admitted before");
    assert_eq!(t.game.directives.len(), 2);
    t.feed(Input::Service(ServiceAct::Overdue(2))).expect("no refusal");
    assert_eq!(t.game.directives[1].stage, Stage::Unknown);
    t.report(2);
    assert_eq!(t.game.directives[1].stage, Stage::Applied, "late word is still word");
    let refused = Report { rev: 2, stage: Stage::Rejected, reason: Some(RejectReason::Expired), before: None };
    t.device(DeviceAct::Report(refused));
    assert_eq!(t.game.directives[1].stage, Stage::Applied, "the first final word stands");
}

#[test]
fn nothing_changes_after_the_end_but_the_record() {
    let mut t = Table::started(ED, "5400+30", None);
    t.flag(Colour::White);
    t.obey();
    let (strikes, cases) = (t.game.strikes, t.game.cases.len());
    t.carry("a1", "a4");
    t.press(None);
    t.quiet();
    assert_eq!((t.game.strikes, t.game.cases.len(), t.result().as_str()), (strikes, cases, "0-1 6.9"));
    let act = DeskAct::Irregularity {
        kind: Irregularity::IllegalMove,
        by: Colour::White,
        ply: None,
        note: String::new(),
        facts: Facts::default(),
    };
    t.desk(act).expect("admitted");
    let ruling = t.game.cases.last().and_then(|case| case.ruling.as_ref()).expect("recorded");
    assert_eq!((ruling.remedy.key.as_str(), t.result().as_str()), ("result_stands", "0-1 6.9"));
}

#[test]
fn row_28_a_refused_stop_still_reaches_the_desk() {
    let mut t = Table::started(ED, "5400+30", None);
    t.press(None);
    t.quiet();
    let report = Report { rev: 2, stage: Stage::Rejected, reason: Some(RejectReason::Display), before: None };
    t.device(DeviceAct::Report(report));
    assert!(t.game.alarms.iter().any(|a| a.0 == Alarm::Directive));
    assert!(t.game.cases[0].ruling.is_some(), "the ruling is computed from the last face heard");
}

#[test]
fn a_flag_that_falls_while_a_case_is_open_does_not_decide_it() {
    let mut t = Table::started(ED, "5400+30", None);
    t.carry("a1", "a4");
    t.press(None);
    t.quiet();
    t.flag(Colour::Black);
    assert_eq!(t.result(), "*");
    t.obey();
    // What ran on until the stop was his, and the arbiter may give it back.
    assert_eq!(t.ways(), ["penalty", "penalty_refund"]);
    t.choose("penalty");
    t.obey();
    assert_eq!(t.clocks()[1], Some(2 * M), "the penalty is added to what he had: nothing");
    assert!(!t.face.hands[1].flagged, "no correction leaves a flag down");
}
