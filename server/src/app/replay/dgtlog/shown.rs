//! What board and clock show, message by message.

use flagfall_clock::hw::dgt::decode::{Message, Reading};
use flagfall_rules::{board::Scan, clock::Place};

/// Board and clock as they were last heard of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    /// `None` until a dump has come: single squares say nothing of the rest.
    pub(super) board: Option<Scan>,
    pub(super) clock: Option<Reading>,
}

impl Shown {
    pub(super) fn take(&mut self, message: &Message) {
        match message {
            Message::BoardDump(scan) => self.board = Some(*scan),
            Message::FieldUpdate(square, man) => {
                if let Some(board) = &mut self.board {
                    board.put(*square, *man);
                }
            }
            Message::Time(reading) => self.clock = Some(*reading),
            _ => {}
        }
    }

    /// There is no clock that could say who moves.
    pub(super) fn clockless(&self) -> bool {
        self.clock.is_none_or(|clock| clock.not_connected)
    }

    /// The half that runs.
    pub(super) fn runs(&self) -> Option<Place> {
        self.clock.filter(|clock| clock.running && !clock.not_connected).and_then(|clock| half(&clock))
    }
}

/// The half that runs or would run.
pub(super) fn half(reading: &Reading) -> Option<Place> {
    match (reading.left_to_move, reading.right_to_move) {
        (true, false) => Some(Place::Left),
        (false, true) => Some(Place::Right),
        _ => None,
    }
}
