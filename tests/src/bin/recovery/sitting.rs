//! One game at its clock: the events of a spool, in order.

use flagfall_proto::clock::v1::{self, DeviceEvent, Press, Report, Scan, Stage, Started, device_event::What};
use flagfall_rules::{
    board,
    clock::{Clock, Control, Place},
    time::Moment,
};
use flagfall_server::{
    journal::codec,
    wire::{Hash, sha256},
};
use prost::Message as _;

/// The control of every game: an hour and a half, thirty seconds a move.
pub(crate) const CONTROL: &str = "5400+30";

/// What a ply takes, milliseconds of the device.
const THINK: u64 = 19_600;
const HAND: u64 = 400;

/// See the module.
pub(crate) struct Sitting {
    pub(crate) spool: [u8; 16],
    pub(crate) boot: u128,
    pub(crate) seq: u64,
    previous: Hash,
    now: u64,
    clock: Clock,
}

impl Sitting {
    /// The clock of this number, just switched on.
    pub(crate) fn new(number: u32, control: Control) -> Sitting {
        let id = u128::from(number) + 1;
        let (spool, clock) = (id.to_be_bytes(), Clock::new(control, Place::Left));
        Sitting { spool, boot: id, seq: 0, previous: [0; 32], now: 1_000, clock }
    }

    /// The clock's name.
    pub(crate) fn device(number: u32) -> String {
        format!("clock-{number:05}")
    }

    /// The game's name.
    pub(crate) fn game(number: u32) -> String {
        format!("live-{number:05}")
    }

    /// Everything from the first directive to the last board, the very bytes.
    pub(crate) fn events(&mut self, game: &str, boards: &[board::Scan]) -> Vec<Vec<u8>> {
        let before = Some(self.clock.face(self.now).into());
        let directive = codec::directive_id(game, 1);
        let report = Report { directive, rev: 1, stage: Stage::Applied.into(), reason: 0, before };
        let mut events = vec![self.event(What::Report(report)), self.scan(boards.first())];
        let turn = self.clock.face(self.now).turn;
        let _started_before = self.clock.start(self.now, turn);
        events.push(self.event(What::Started(Started {})));
        for board in boards.iter().skip(1) {
            events.extend(self.ply(board));
        }
        events
    }

    /// The board changes, then the clock is pressed.
    pub(crate) fn ply(&mut self, board: &board::Scan) -> [Vec<u8>; 2] {
        self.now += THINK;
        let scan = self.scan(Some(board));
        self.now += HAND;
        let colour = self.clock.face(self.now).turn;
        let _ticks = self.clock.press(self.now, colour);
        [scan, self.event(What::Press(Press { colour: v1::Colour::from(colour).into() }))]
    }

    /// How the clock stands.
    pub(crate) fn face(&self) -> v1::Face {
        self.clock.face(self.now).into()
    }

    fn scan(&mut self, board: Option<&board::Scan>) -> Vec<u8> {
        self.event(What::Scan(Scan { board: board.map(|board| (*board).into()) }))
    }

    fn event(&mut self, what: What) -> Vec<u8> {
        self.seq += 1;
        let event = DeviceEvent {
            seq: self.seq,
            previous_hash: self.previous.to_vec(),
            at: Some(Moment { boot: self.boot, ms: self.now }.into()),
            face: Some(self.face()),
            traceparent: String::new(),
            what: Some(what),
            game: String::new(),
        };
        let bytes = event.encode_to_vec();
        self.previous = sha256(&bytes);
        bytes
    }
}
