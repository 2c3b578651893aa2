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
//! - After damaged bytes a fresh dump and clock reading are asked for, and until the dump comes nobody knows how the board stands: the
//!   lost message may have been a change.
//! - A board or clock that no longer answers is lost, whether its port is gone or only silent: see `watch`. It is back when
//!   it has said something.

use std::collections::VecDeque;

use flagfall_rules::{
    board::Scan,
    clock::{Face, Going, Place},
    time::Millis,
};

use super::{
    decode::{Message, Reading},
    encode,
    watch::Watch,
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

/// What a board is read for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A recording is played through it: it answers nothing, and what it says next is all there is.
    #[default]
    Recording,
    /// The squares alone: the device keeps the time, and a clock on the board is nobody's.
    Squares,
    /// The squares, and the clock that keeps the time.
    SquaresAndClock,
}

/// A DGT board with or without a clock.
#[derive(Clone, Debug, Default)]
pub struct Board {
    purpose: Purpose,
    /// `None` while there is no line, or nobody who could answer on it.
    watch: Option<Watch>,
    /// It was told that the board does not answer.
    lost: bool,
    /// The squares; `None` until a dump has come.
    squares: Option<Scan>,
    /// Somebody wants to know how they stand, changed or not.
    asked: bool,
    /// The last reading reported, so that only changes are.
    dial: Option<Dial>,
    /// It was told that the clock does not answer, or that none is connected.
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
    /// A board that is read for this.
    #[must_use]
    pub fn new(purpose: Purpose) -> Board {
        Board { purpose, ..Board::default() }
    }

    /// What to say to a board whose port has just been opened: silence, then report changes, and the state they start from.
    /// Changes come first, for one between the two would be lost the other way round.
    pub fn connected(&mut self, now: u64) -> Vec<u8> {
        let watched = self.purpose != Purpose::Recording;
        self.watch = watched.then(|| Watch::new(now, self.reads_clock()));
        self.greeting()
    }

    fn greeting(&self) -> Vec<u8> {
        [&[encode::RESET, encode::UPDATE_NICE], self.questions()].concat()
    }

    /// What asks for everything that there is to know.
    fn questions(&self) -> &'static [u8] {
        if self.reads_clock() { &[encode::SEND_BOARD, encode::SEND_CLOCK] } else { &[encode::SEND_BOARD] }
    }

    fn reads_clock(&self) -> bool {
        self.purpose != Purpose::Squares
    }

    /// Takes a message in.
    pub fn take(&mut self, message: Message, now: u64) -> Output {
        let mut out = Output::default();
        self.hear(&message, now, &mut out);
        match message {
            Message::BoardDump(scan) => {
                self.squares = self.squares.filter(|_| !std::mem::take(&mut self.asked));
                self.see(scan, &mut out);
            }
            Message::FieldUpdate(square, man) => {
                if let Some(mut scan) = self.squares {
                    scan.put(square, man);
                    self.see(scan, &mut out);
                }
            }
            Message::Time(reading) if self.reads_clock() => self.read(&reading, &mut out),
            Message::ClockAck(ack) => self.acknowledged(ack, now, &mut out),
            Message::Garbled(n) => {
                out.senses.push(Sense::Fault(FaultKind::Garbled, format!("{n} bytes from the board are no message")));
                if self.watch.is_some() {
                    self.squares = None;
                }
                out.write.extend(self.questions());
            }
            // What the board is, not what happens on it.
            Message::Time(_)
            | Message::NoTime
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

    /// Any message is a sign of the board's life, and some are of the clock's.
    fn hear(&mut self, message: &Message, now: u64, out: &mut Output) {
        if matches!(message, Message::Garbled(_)) {
            return;
        }
        // A clock at rest may show nothing but zeros, which is no reading; one that runs shows its time.
        let at_rest = !self.dial.is_some_and(|dial| dial.running);
        let of_clock = match message {
            Message::Time(_) | Message::ClockAck(_) => true,
            Message::NoTime => at_rest,
            _ => false,
        };
        if let Some(watch) = &mut self.watch {
            watch.hear_board(now);
            if of_clock {
                watch.hear_clock(now);
            }
        }
        if std::mem::take(&mut self.lost) {
            out.senses.push(Sense::Fault(FaultKind::BoardBack, "the board answers again".to_owned()));
        }
    }

    /// Takes an ask in.
    pub fn ask(&mut self, ask: Ask, now: u64) -> Output {
        let mut out = Output::default();
        match ask {
            Ask::Beep => out.write = encode::beep(256),
            Ask::Board => {
                self.asked = true;
                out.write = vec![encode::SEND_BOARD];
            }
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
        if self.ask_due().is_some_and(|due| due <= now) {
            self.ask_round(now, &mut out);
        }
        if self.answer_due().is_some_and(|due| due <= now) {
            self.no_answer(now, &mut out);
        }
        out
    }

    /// Asks whether they are still there, and says so when they no longer are.
    fn ask_round(&mut self, now: u64, out: &mut Output) {
        let Some((board_missed, clock_missed)) = self.watch.as_mut().map(|watch| watch.ask(now)) else { return };
        if board_missed && !self.lost {
            self.lost = true;
            (self.squares, self.dial) = (None, None);
            out.senses.push(Sense::Fault(FaultKind::BoardLost, "nothing is heard from it".to_owned()));
        } else if clock_missed && !self.lost && !self.clock_lost {
            self.clock_lost = true;
            self.dial = None;
            out.senses.push(Sense::Fault(FaultKind::ClockLost, "the board no longer brings its time".to_owned()));
        }
        // One that was switched off and on again has forgotten that it is to report changes.
        let greeting = self.greeting();
        out.write.extend(if self.lost { &greeting[..] } else { &greeting[1..] });
    }

    /// The clock has had its time for an answer.
    fn no_answer(&mut self, now: u64, out: &mut Output) {
        let does = self.does();
        let Some(waiting) = self.waiting.as_mut() else { return };
        waiting.unanswered |= waiting.refusal.is_none();
        if waiting.tries < TRIES && (waiting.did.is_none() || waiting.did == does) {
            waiting.tries += 1;
            (waiting.sent, waiting.refusal) = (now, None);
            out.write.extend(waiting.bytes(now));
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
            self.next(now, out);
        }
    }

    /// When [`Board::tick`] will next do something; `None` when it need not be called.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        [self.ask_due(), self.answer_due()].into_iter().flatten().min()
    }

    fn ask_due(&self) -> Option<u64> {
        self.watch.map(|watch| watch.due(self.squares.is_none()))
    }

    fn answer_due(&self) -> Option<u64> {
        self.waiting.as_ref().map(|waiting| waiting.sent.saturating_add(ACK_TIMEOUT))
    }

    /// The port is gone: what was known may change unseen, and what was asked will not be answered.
    pub fn lost(&mut self, why: &str) -> Output {
        (self.watch, self.lost) = (None, true);
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
#[path = "board_tests.rs"]
mod tests;
