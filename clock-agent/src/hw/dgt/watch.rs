//! Whether a board and its clock still answer. A line can stay open when nobody is at its other end, as with Bluetooth and serial
//! adapters, so they are asked whenever nothing has come for a while.
//!
//! ```text
//!   nothing for 5 s ── asked ── 5 s without an answer ── asked again ── 5 s without an answer ──▶ lost, and asked on
//! ```
//!
//! A dump takes 70 ms at 9600 baud, so a round is long enough for the slowest board. A clock that runs says its time every second.

/// How long nothing has come before it is asked, and how long there is for an answer, milliseconds of device time.
const ROUND: u64 = 5_000;

/// How often there is no answer before it is lost.
const ROUNDS: u8 = 2;

/// Whoever is to answer.
#[derive(Clone, Copy, Debug, Default)]
struct Party {
    heard_at: u64,
    /// Heard since it was last asked.
    answered: bool,
    /// Rounds without an answer.
    rounds: u8,
}

impl Party {
    fn hear(&mut self, now: u64) {
        *self = Party { heard_at: now, answered: true, rounds: 0 };
    }

    /// A round is over and another begins; true when it has missed enough of them.
    fn missed(&mut self) -> bool {
        self.rounds = if self.answered { 0 } else { self.rounds.saturating_add(1) };
        self.answered = false;
        self.rounds >= ROUNDS
    }
}

/// The watch over an open line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    asked_at: u64,
    board: Party,
    /// `None` when nobody reads the clock.
    clock: Option<Party>,
}

impl Watch {
    /// A line on which both have just been asked.
    pub(super) fn new(now: u64, clock: bool) -> Watch {
        Watch { asked_at: now, board: Party::default(), clock: clock.then(Party::default) }
    }

    /// The board has said something.
    pub(super) fn hear_board(&mut self, now: u64) {
        self.board.hear(now);
    }

    /// The clock has.
    pub(super) fn hear_clock(&mut self, now: u64) {
        if let Some(clock) = &mut self.clock {
            clock.hear(now);
        }
    }

    /// When they are to be asked again. A question is `open` as long as what stands on the board is not known.
    pub(super) fn due(&self, open: bool) -> u64 {
        let heard = [Some(self.board), self.clock].into_iter().flatten().map(|party| party.heard_at).min();
        let since = if open { self.asked_at } else { self.asked_at.max(heard.unwrap_or(0)) };
        since.saturating_add(ROUND)
    }

    /// They are asked. Says of the board, and of the clock, whether too many rounds have gone by without it.
    pub(super) fn ask(&mut self, now: u64) -> (bool, bool) {
        self.asked_at = now;
        (self.board.missed(), self.clock.as_mut().is_some_and(Party::missed))
    }
}

#[cfg(test)]
mod tests {
    use flagfall_rules::board::Scan;

    use super::super::{
        board::{Board, Output, Purpose},
        decode::{Message, Reading},
    };
    use crate::sense::{FaultKind, Sense};

    const TIME: Reading = Reading {
        times: [Some(180_000), Some(179_000)],
        fallen: [false, false],
        running: true,
        right_lever_high: true,
        left_to_move: false,
        right_to_move: true,
        low_battery: false,
        not_connected: false,
    };

    fn dump() -> Message {
        Message::BoardDump(Scan::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").expect("a board"))
    }

    fn faults(senses: Vec<Sense>) -> Vec<FaultKind> {
        senses
            .into_iter()
            .filter_map(|sense| if let Sense::Fault(kind, _) = sense { Some(kind) } else { None })
            .collect()
    }

    type Told = Vec<(u64, FaultKind)>;
    type Asked = Vec<(u64, Vec<u8>)>;

    /// What is told and asked until `end`, each at its instant, by a board that says `answer` 4.9 s after it was asked.
    fn played(board: &mut Board, end: u64, answer: &[Message]) -> (Told, Asked) {
        let (mut told, mut asked) = (Vec::new(), Vec::new());
        while let Some(due) = board.due().filter(|&due| due <= end) {
            let out = board.tick(due);
            told.extend(faults(out.senses).into_iter().map(|kind| (due, kind)));
            asked.push((due, out.write));
            let now = due + 4_900;
            for message in answer {
                told.extend(faults(board.take(message.clone(), now).senses).into_iter().map(|kind| (now, kind)));
            }
        }
        (told, asked)
    }

    #[test]
    fn a_board_that_never_answers_is_lost_after_two_rounds_and_back_with_its_first_word() {
        let mut board = Board::new(Purpose::Squares);
        assert_eq!(board.connected(1_000), [0x40, 0x4b, 0x42]);
        let (told, asked) = played(&mut board, 16_000, &[]);
        assert_eq!(told, [(11_000, FaultKind::BoardLost)], "greeted at 1 s, asked at 6 s");
        let greeting = vec![0x40, 0x4b, 0x42];
        assert_eq!(asked, [(6_000, vec![0x4b, 0x42]), (11_000, greeting.clone()), (16_000, greeting)]);
        let back = board.take(dump(), 20_000).senses;
        assert!(matches!(&back[..], [Sense::Fault(FaultKind::BoardBack, _), Sense::Board(_)]), "{back:?}");
    }

    #[test]
    fn a_slow_board_is_never_lost() {
        let mut board = Board::new(Purpose::SquaresAndClock);
        board.connected(0);
        for answer in [vec![dump(), Message::Time(TIME)], vec![dump(), Message::NoTime, Message::Time(TIME)]] {
            assert_eq!(played(&mut board, 600_000, &answer).0, []);
        }
        // What it says unasked counts as well, and then it is not asked.
        let mut board = Board::new(Purpose::Squares);
        board.connected(0);
        board.take(dump(), 100);
        for second in 1..60 {
            board.take(Message::Time(TIME), second * 1_000);
            assert_eq!(board.tick(second * 1_000), Output::default());
        }
    }

    #[test]
    fn a_clock_that_stops_saying_its_time_is_lost_though_the_board_answers() {
        let mut board = Board::new(Purpose::SquaresAndClock);
        board.connected(0);
        board.take(dump(), 100);
        board.take(Message::Time(TIME), 200);
        let zeros = [dump(), Message::NoTime];
        let (told, asked) = played(&mut board, 15_200, &zeros);
        assert_eq!(told, [(15_200, FaultKind::ClockLost)], "a clock that runs shows no zeros");
        assert_eq!(asked[0], (5_200, vec![0x4b, 0x42, 0x41]));
        let back = board.take(Message::Time(TIME), 16_000).senses;
        assert!(matches!(&back[..], [Sense::Fault(FaultKind::ClockBack, _), Sense::Dial(_)]), "{back:?}");
        // A clock at rest may have nothing but zeros to show.
        let mut board = Board::new(Purpose::SquaresAndClock);
        board.connected(0);
        assert_eq!(played(&mut board, 60_000, &zeros).0, []);
    }

    #[test]
    fn a_silent_board_is_one_loss_not_two() {
        let mut board = Board::new(Purpose::SquaresAndClock);
        board.connected(0);
        board.take(dump(), 100);
        board.take(Message::Time(TIME), 200);
        assert_eq!(played(&mut board, 60_000, &[]).0, [(15_200, FaultKind::BoardLost)]);
        let noise = [Message::Garbled(9)];
        let told = played(&mut board, 90_000, &noise).0;
        assert!(told.iter().all(|(_, kind)| *kind == FaultKind::Garbled), "noise is no answer: {told:?}");
    }

    #[test]
    fn whoever_keeps_the_time_itself_reads_no_clock() {
        let mut board = Board::new(Purpose::Squares);
        board.connected(0);
        let none = Reading { times: [None; 2], not_connected: true, ..TIME };
        let low = Reading { low_battery: true, ..TIME };
        for reading in [none, low] {
            assert_eq!(board.take(Message::Time(reading), 10).senses, []);
        }
    }

    #[test]
    fn after_damage_nobody_knows_how_the_board_stands_until_it_is_read_whole() {
        let mut board = Board::new(Purpose::Squares);
        board.connected(0);
        board.take(dump(), 100);
        let out = board.take(Message::Garbled(3), 200);
        assert_eq!((faults(out.senses), out.write), (vec![FaultKind::Garbled], vec![0x42]));
        assert_eq!(board.take(Message::FieldUpdate(12, None), 300).senses, [], "one field says nothing of the rest");
        // Field updates go on; it is asked all the same until the dump is there.
        board.take(Message::FieldUpdate(12, None), 4_900);
        assert_eq!(board.tick(5_000).write, [0x4b, 0x42]);
        assert!(matches!(&board.take(dump(), 5_100).senses[..], [Sense::Board(_)]), "though it is the same");
    }
}
