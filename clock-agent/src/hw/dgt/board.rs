//! The board and its clock as a state machine: messages in, senses and bytes to write out. No IO; time is an argument.
//!
//! ```text
//!  squares:  unknown ──dump──▶ known ──field update──▶ known (a sense at each change)
//!               ▲                │
//!               └── port lost ───┘
//!
//!  command:  none ──ask──▶ waiting ──OK──▶ done, next in the queue
//!                           │    ▲
//!                 1 s passes│    │sent again, twice at most, unless the clock moved on
//!                           └────┘──third second passes──▶ refused, if each was refused; else unanswered: read the clock
//! ```
//!
//! - Squares start with a dump: single fields before it say nothing about the rest of the board, so they are not reported.
//! - After damaged bytes a fresh dump and clock reading are asked for: the lost message may have been a change.

use std::collections::VecDeque;

use flagfall_rules::{
    board::Scan,
    clock::{Face, Going, Place},
    time::Millis,
};

use super::{
    decode::{Message, Reading},
    encode,
};
use crate::sense::{Ask, Dial, FaultKind, NotDone, Sense};

/// How long the clock has for an answer, in device time.
pub const ACK_TIMEOUT: u64 = 1_000;

/// How often a command is sent before it has failed.
pub const TRIES: u8 = 3;

/// The answer "done" of the clock.
const OK: u8 = 0x10;
/// The clock says that it is not in the mode in which a host may set it.
const NOT_IN_MODE: u8 = 0x90;

/// What follows from a message, an ask or the passing of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// For the core, in order.
    pub senses: Vec<Sense>,
    /// For the port.
    pub write: Vec<u8>,
}

/// A DGT board with or without a clock.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// The squares; `None` until a dump has come.
    squares: Option<Scan>,
    /// The last reading reported, so that only changes are.
    dial: Option<Dial>,
    /// The board says that no clock is connected.
    clock_lost: bool,
    /// The clock's battery was low in its last frame.
    battery_low: bool,
    /// The command under way.
    waiting: Option<Waiting>,
    /// Commands behind it: acknowledgements carry no number, so there is one on the line at a time.
    queue: VecDeque<(Face, u64)>,
}

#[derive(Clone, Debug)]
struct Waiting {
    face: Face,
    /// When the face was right: a running side has less at the second try.
    asked: u64,
    sent: u64,
    tries: u8,
    /// What the clock did when it was first sent: one that does something else by now took it, or was pressed.
    did: Option<(bool, Option<Place>)>,
    /// What the clock said instead of "done", to the last time it was sent.
    refusal: Option<&'static str>,
    /// Some time it was sent nothing was said: it may have been taken.
    unanswered: bool,
}

impl Board {
    /// What to say to a board that has just been connected: silence, then report changes, and the state they start from.
    /// Changes come first, for one between the two would be lost the other way round.
    #[must_use]
    pub fn greeting() -> Vec<u8> {
        vec![encode::RESET, encode::UPDATE_NICE, encode::SEND_BOARD, encode::SEND_CLOCK]
    }

    /// Takes a message in.
    pub fn take(&mut self, message: Message, now: u64) -> Output {
        let mut out = Output::default();
        match message {
            Message::BoardDump(scan) => self.see(scan, &mut out),
            Message::FieldUpdate(square, man) => {
                if let Some(mut scan) = self.squares {
                    scan.put(square, man);
                    self.see(scan, &mut out);
                }
            }
            Message::Time(reading) => self.read(&reading, &mut out),
            Message::ClockAck(ack) => self.acknowledged(ack, now, &mut out),
            Message::Garbled(n) => {
                out.senses.push(Sense::Fault(FaultKind::Garbled, format!("{n} bytes from the board are no message")));
                out.write.extend([encode::SEND_BOARD, encode::SEND_CLOCK]);
            }
            // What the board is, not what happens on it.
            Message::NoTime
            | Message::SerialNumber(_)
            | Message::LongSerial(_)
            | Message::Version(..)
            | Message::Trademark(_)
            | Message::Battery(_)
            | Message::BusAddress(_)
            | Message::EeMoves(_)
            | Message::Unknown(_) => {}
        }
        out
    }

    /// Takes an ask in.
    pub fn ask(&mut self, ask: Ask, now: u64) -> Output {
        let mut out = Output::default();
        match ask {
            Ask::Beep => out.write = encode::beep(256),
            Ask::Dial(face) => match encode::set_and_run(&face) {
                Err(error) => out.senses.push(refused(&error.to_string())),
                Ok(_) if self.clock_lost => out.senses.push(refused("no clock is connected")),
                Ok(_) => {
                    self.queue.push_back((face, now));
                    self.next(now, &mut out);
                }
            },
        }
        out
    }

    /// Lets time pass until `now`.
    pub fn tick(&mut self, now: u64) -> Output {
        let mut out = Output::default();
        if self.due().is_none_or(|due| now < due) {
            return out;
        }
        let does = self.does();
        let Some(waiting) = self.waiting.as_mut() else { return out };
        waiting.unanswered |= waiting.refusal.is_none();
        if waiting.tries < TRIES && (waiting.did.is_none() || waiting.did == does) {
            waiting.tries += 1;
            (waiting.sent, waiting.refusal) = (now, None);
            out.write = waiting.bytes(now);
        } else if let Some(Waiting { refusal, unanswered: once, .. }) = self.waiting.take() {
            match refusal.filter(|_| !once) {
                Some(why) => out.senses.push(refused(why)),
                None => {
                    out.senses.push(unanswered("the clock does not answer"));
                    // What it shows now is to be told, though it be the same as before.
                    self.dial = None;
                    out.write.push(encode::SEND_CLOCK);
                }
            }
            self.next(now, &mut out);
        }
        out
    }

    /// When [`Board::tick`] will next do something; `None` when it need not be called.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        self.waiting.as_ref().map(|waiting| waiting.sent.saturating_add(ACK_TIMEOUT))
    }

    /// The port is gone: what was known may change unseen, and what was asked will not be answered.
    pub fn lost(&mut self, why: &str) -> Output {
        self.squares = None;
        self.dial = None;
        let mut senses = vec![Sense::Fault(FaultKind::BoardLost, why.to_owned())];
        senses.extend(self.waiting.take().map(|_| unanswered("the board was unplugged before the clock answered")));
        senses.extend(std::mem::take(&mut self.queue).iter().map(|_| refused("the board is not connected")));
        Output { senses, write: Vec::new() }
    }

    fn see(&mut self, scan: Scan, out: &mut Output) {
        if self.squares.replace(scan) != Some(scan) {
            out.senses.push(Sense::Board(scan));
        }
    }

    fn read(&mut self, reading: &Reading, out: &mut Output) {
        let fault = |kind, text: &str| Sense::Fault(kind, text.to_owned());
        let was_lost = std::mem::replace(&mut self.clock_lost, reading.not_connected);
        if reading.not_connected {
            // Whatever else the frame says, lever included, no clock said it.
            self.dial = None;
            if !was_lost {
                out.senses.push(fault(FaultKind::ClockLost, "no clock is connected to the board"));
            }
            return;
        }
        if was_lost {
            out.senses.push(fault(FaultKind::ClockBack, "the clock is connected again"));
        }
        if reading.low_battery && !self.battery_low {
            out.senses.push(fault(FaultKind::BatteryLow, "the battery of the clock is low"));
        }
        self.battery_low = reading.low_battery;
        let turn = match (reading.left_to_move, reading.right_to_move) {
            (true, false) => Some(Place::Left),
            (false, true) => Some(Place::Right),
            _ => None,
        };
        let dial = Dial { left: reading.times, flags: reading.fallen, running: reading.running, turn };
        if self.dial.replace(dial) != Some(dial) {
            out.senses.push(Sense::Dial(dial));
        }
    }

    fn acknowledged(&mut self, ack: [u8; 4], now: u64, out: &mut Output) {
        let Some(waiting) = &mut self.waiting else { return };
        match ack {
            [OK, encode::SET_AND_RUN, ..] => {
                self.waiting = None;
                out.senses.push(Sense::DialDone(Ok(())));
                self.next(now, out);
            }
            // A refusal is not repeated at once: an arbiter may be changing the mode, and the timeout gives the time.
            [_, NOT_IN_MODE, ..] => waiting.refusal = Some("the clock is not in the mode in which it can be set"),
            [_, encode::SET_AND_RUN, ..] => waiting.refusal = Some("the clock refuses to be set"),
            _ => {}
        }
    }

    /// What the clock was last seen doing.
    fn does(&self) -> Option<(bool, Option<Place>)> {
        self.dial.map(|dial| (dial.running, dial.turn))
    }

    /// Sends the next command if none is under way.
    fn next(&mut self, now: u64, out: &mut Output) {
        if self.waiting.is_some() {
            return;
        }
        if let Some((face, asked)) = self.queue.pop_front() {
            let did = self.does();
            let waiting = Waiting { face, asked, sent: now, tries: 1, did, refusal: None, unanswered: false };
            out.write.extend(waiting.bytes(now));
            self.waiting = Some(waiting);
        }
    }
}

impl Waiting {
    /// The command as it has to be at `now`: the running side has used its time since the face was right.
    fn bytes(&self, now: u64) -> Vec<u8> {
        let mut face = self.face;
        if face.going == Going::Running {
            let passed = Millis::try_from(now.saturating_sub(self.asked)).unwrap_or(Millis::MAX);
            let hand = face.hand_mut(face.turn);
            hand.left = hand.left.map(|left| left.saturating_sub(passed).max(0));
        }
        // The face was encoded once before it was queued, and has only become smaller since.
        encode::set_and_run(&face).unwrap_or_default()
    }
}

fn refused(why: &str) -> Sense {
    Sense::DialDone(Err(NotDone::Refused(why.to_owned())))
}

fn unanswered(why: &str) -> Sense {
    Sense::DialDone(Err(NotDone::Unanswered(why.to_owned())))
}

#[cfg(test)]
mod tests {
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
        assert_eq!(senses(&mut board, Message::BoardDump(lifted)), vec![Sense::Board(lifted)], "seen anew");
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
}
