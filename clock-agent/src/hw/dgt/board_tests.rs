use flagfall_rules::{
    board::{Kind, Man},
    clock::{Colour, Hand},
};

use super::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const READING: Reading = Reading {
    times: [Some(180_000), Some(179_000)],
    fallen: [false, false],
    running: true,
    right_lever_high: true,
    left_to_move: false,
    right_to_move: true,
    low_battery: false,
    not_connected: false,
};
const DIAL: Dial =
    Dial { left: [Some(180_000), Some(179_000)], flags: [false; 2], running: true, turn: Some(Place::Right) };

fn start() -> Scan {
    Scan::from_fen(START).expect("the initial position")
}

fn running() -> Face {
    let hands = [Hand::fresh(Some(60_000)), Hand::fresh(Some(90_000))];
    Face { hands, going: Going::Running, ..Face::unknown(Place::Left) }
}

fn senses(board: &mut Board, message: Message) -> Vec<Sense> {
    board.take(message, 0).senses
}

#[test]
fn squares_are_reported_when_known_and_changed() {
    let mut board = Board::default();
    let pawn = Some(Man { colour: Colour::White, kind: Kind::Pawn });
    assert_eq!(senses(&mut board, Message::FieldUpdate(12, None)), vec![], "nothing is known yet");
    assert_eq!(senses(&mut board, Message::BoardDump(start())), vec![Sense::Board(start())]);
    assert_eq!(senses(&mut board, Message::BoardDump(start())), vec![]);
    assert_eq!(senses(&mut board, Message::FieldUpdate(12, pawn)), vec![], "it stands there already");
    let mut lifted = start();
    lifted.put(12, None);
    assert_eq!(senses(&mut board, Message::FieldUpdate(12, None)), vec![Sense::Board(lifted)]);
    board.lost("unplugged");
    let back = Sense::Fault(FaultKind::BoardBack, "the board answers again".to_owned());
    assert_eq!(senses(&mut board, Message::BoardDump(lifted)), vec![back, Sense::Board(lifted)], "seen anew");
}

#[test]
fn the_clock_is_reported_on_changes_and_faults_once() {
    let mut board = Board::default();
    let gone = Reading { times: [None; 2], not_connected: true, ..READING };
    let kinds = |senses: Vec<Sense>| -> Vec<Option<FaultKind>> {
        senses.iter().map(|s| if let Sense::Fault(kind, _) = s { Some(*kind) } else { None }).collect()
    };
    assert_eq!(senses(&mut board, Message::Time(READING)), vec![Sense::Dial(DIAL)]);
    assert_eq!(senses(&mut board, Message::Time(READING)), vec![]);
    assert_eq!(senses(&mut board, Message::NoTime), vec![]);
    assert_eq!(kinds(senses(&mut board, Message::Time(gone))), vec![Some(FaultKind::ClockLost)]);
    assert_eq!(senses(&mut board, Message::Time(gone)), vec![]);
    assert_eq!(kinds(senses(&mut board, Message::Time(READING))), vec![Some(FaultKind::ClockBack), None]);
    let low = Reading { low_battery: true, ..READING };
    assert_eq!(kinds(senses(&mut board, Message::Time(low))), vec![Some(FaultKind::BatteryLow)]);
    assert_eq!(senses(&mut board, Message::Time(low)), vec![]);
    let neither = Reading { right_to_move: false, running: false, ..low };
    let dial = Dial { running: false, turn: None, ..DIAL };
    assert_eq!(senses(&mut board, Message::Time(neither)), vec![Sense::Dial(dial)]);
}

#[test]
fn whoever_asks_is_told_how_the_squares_stand_though_nothing_changed() {
    let mut board = Board::default();
    senses(&mut board, Message::BoardDump(start()));
    assert_eq!(board.ask(Ask::Board, 5), Output { write: vec![0x42], ..Output::default() });
    assert_eq!(senses(&mut board, Message::BoardDump(start())), vec![Sense::Board(start())]);
    assert_eq!(senses(&mut board, Message::BoardDump(start())), vec![], "told once");
}

#[test]
fn damage_is_a_fault_and_the_state_is_asked_for_again() {
    let out = Board::default().take(Message::Garbled(7), 0);
    assert!(matches!(&out.senses[..], [Sense::Fault(FaultKind::Garbled, text)] if text.contains('7')));
    assert_eq!(out.write, vec![0x42, 0x41]);
}

#[test]
fn a_command_is_done_when_the_clock_says_so() {
    let mut board = Board::default();
    let out = board.ask(Ask::Dial(running()), 1_000);
    assert_eq!(out.write, vec![0x2b, 10, 3, 0x0a, 0, 1, 0, 0, 1, 30, 9, 0]);
    assert_eq!((out.senses, board.due()), (vec![], Some(2_000)));
    let second = board.ask(Ask::Dial(Face { going: Going::Paused, ..running() }), 1_100);
    assert_eq!(second, Output::default(), "one command on the line at a time");
    assert_eq!(senses(&mut board, Message::ClockAck([0x10, 0x0b, 0, 0])), vec![], "that was the beeper");
    let out = board.take(Message::ClockAck([0x10, 0x0a, 0, 0]), 1_200);
    assert_eq!((out.senses, out.write[10]), (vec![Sense::DialDone(Ok(()))], 1 | 4 | 8));
    let out = board.take(Message::ClockAck([0x10, 0x0a, 0, 0]), 1_300);
    assert_eq!((out.senses, board.due()), (vec![Sense::DialDone(Ok(()))], None));
    assert_eq!(senses(&mut board, Message::ClockAck([0x10, 0x0a, 0, 0])), vec![], "nobody asked");
}

#[test]
fn three_tries_of_a_second_then_failure() {
    let mut board = Board::default();
    board.ask(Ask::Dial(running()), 1_000);
    assert_eq!(board.tick(1_999), Output::default());
    let again = board.tick(2_000);
    assert_eq!(again.write[4..7], [0, 0, 59], "White has been running since");
    assert_eq!(board.tick(2_999), Output::default());
    assert_eq!(board.tick(3_000).write[4..7], [0, 0, 58]);
    let failed = board.tick(4_000);
    assert_eq!(failed.senses, vec![unanswered("the clock does not answer")]);
    assert_eq!((failed.write, board.due()), (vec![encode::SEND_CLOCK], None), "it is to be read");
    assert_eq!(board.take(Message::Time(READING), 4_100).senses, vec![Sense::Dial(DIAL)]);
}

#[test]
fn row_06_a_clock_that_moved_on_is_not_sent_the_same_again() {
    let mut board = Board::default();
    senses(&mut board, Message::Time(READING));
    board.ask(Ask::Dial(Face { going: Going::Paused, ..running() }), 1_000);
    assert_eq!(senses(&mut board, Message::Time(Reading { running: false, ..READING })).len(), 1, "it took it");
    let out = board.tick(2_000);
    assert_eq!((out.senses, out.write), (vec![unanswered("the clock does not answer")], vec![0x41]));
}

#[test]
fn a_refusal_after_silence_is_no_refusal() {
    let mut board = Board::default();
    board.ask(Ask::Dial(running()), 0);
    board.tick(1_000);
    board.take(Message::ClockAck([0x10, 0x90, 0, 0]), 1_100);
    board.tick(2_000);
    board.take(Message::ClockAck([0x10, 0x90, 0, 0]), 2_100);
    assert_eq!(board.tick(3_000).senses, vec![unanswered("the clock does not answer")]);
}

#[test]
fn what_cannot_be_done_is_said_with_its_reason() {
    let reason = |senses: &[Sense]| match senses {
        [Sense::DialDone(Err(NotDone::Refused(reason)))] => reason.clone(),
        other => panic!("{other:?}"),
    };
    let mut board = Board::default();
    let unknown = board.ask(Ask::Dial(Face::unknown(Place::Left)), 0);
    assert_eq!((reason(&unknown.senses).as_str(), unknown.write), ("the Left time is unknown", vec![]));
    board.ask(Ask::Dial(running()), 0);
    for now in [0, 1_000, 2_000] {
        board.tick(now);
        assert_eq!(board.take(Message::ClockAck([0x10, 0x90, 0, 0]), now), Output::default());
    }
    assert!(reason(&board.tick(3_000).senses).contains("mode"));
    board.ask(Ask::Dial(running()), 4_000);
    board.ask(Ask::Dial(running()), 4_000);
    assert_eq!(board.lost("unplugged").senses.len(), 3, "the fault, and both commands failed");
    board.take(Message::Time(Reading { times: [None; 2], not_connected: true, ..READING }), 5_000);
    assert_eq!(reason(&board.ask(Ask::Dial(running()), 5_000).senses), "no clock is connected");
}
