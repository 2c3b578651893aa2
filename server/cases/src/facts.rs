//! A case as it is told: what stood on the board and on the clocks, what happened, and what is expected of the rules.

use flagfall_rules::{
    board::{Scan, fen::Dropped},
    clock::{Colour, Control},
    game::{Alarm, Claim, Ending, Facts, Fault, Irregularity, Outcome, Overlay, Uci, state},
    laws::{Edition, Play},
    time::Millis,
};
use shakmaty::Position;

/// One value for each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
pub struct Pair<T> {
    /// White's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<T>,
    /// Black's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<T>,
}

impl<T: Copy> Pair<T> {
    /// One player's value.
    #[must_use]
    pub const fn of(&self, colour: Colour) -> Option<T> {
        match colour {
            Colour::White => self.white,
            Colour::Black => self.black,
        }
    }
}

impl<T> From<[Option<T>; 2]> for Pair<T> {
    fn from([white, black]: [Option<T>; 2]) -> Pair<T> {
        Pair { white, black }
    }
}

/// A case: read from a file, ready to be ruled and checked.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called.
    pub title: String,
    /// The file it stands in, as it was named.
    pub file: String,
    /// The line it begins at.
    pub line: usize,
    /// What there is to say about it.
    pub note: Option<String>,
    pub(crate) edition: &'static Edition,
    pub(crate) play: Play,
    pub(crate) control: Option<Control>,
    pub(crate) position: Option<String>,
    /// What the position was stated with and its board does not allow.
    pub(crate) dropped: Vec<Dropped>,
    pub(crate) moves: Vec<Uci>,
    pub(crate) log: Vec<Entry>,
    pub(crate) strikes: Pair<u32>,
    pub(crate) overlay: Overlay,
    /// What happened, the first thing first.
    pub(crate) steps: Vec<Step>,
    pub(crate) expect: Expect,
}

impl Case {
    /// The number of the first move of the record, and whether Black is to make it.
    pub(crate) fn first_move(&self) -> (u32, bool) {
        let start = self.position.as_deref().and_then(state::position).unwrap_or_default();
        (start.fullmoves().get(), start.turn().is_black())
    }
}

/// A press on record: the readings just before it credited anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) by: Colour,
    pub(crate) left: Pair<Millis>,
    pub(crate) credit: Option<Millis>,
    pub(crate) used: Option<Millis>,
}

/// What the clock shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Display {
    pub(crate) clocks: Pair<Millis>,
    pub(crate) counters: Pair<u32>,
    /// From 0.
    pub(crate) period: Pair<u8>,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) what: What,
    /// Whose it was; where it is nobody's, White.
    pub(crate) by: Colour,
    /// Who is said to have made a move that is the player's to move anyway.
    pub(crate) mover: Option<Colour>,
    pub(crate) display: Display,
    pub(crate) board: Option<Scan>,
    /// A move made, as it was written.
    pub(crate) plays: Option<String>,
    pub(crate) pressed: bool,
    /// Which ply, where it is not the last.
    pub(crate) ply: Option<Which>,
    /// At the clock, not to the arbiter.
    pub(crate) at_the_clock: bool,
    pub(crate) way: String,
    pub(crate) first_flag: Option<Colour>,
    /// The clock has answered what it was told because of it before the next thing happens.
    pub(crate) answered: bool,
    pub(crate) facts: Facts,
    pub(crate) next: Option<String>,
    pub(crate) note: String,
}

/// A ply, from the beginning of the record or by the number of the player's move.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    Ply(u32),
    Move(u32),
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// An irregularity is reported at the desk.
    Reported(Irregularity),
    /// A player claims, or says that the game is over.
    Claimed(Claim),
    /// The clock shows a flag.
    Flag,
    /// The clock shows both flags.
    BothFlags,
    /// A player pressed; the board shows this.
    Press,
    /// The board shows this; nobody pressed.
    Board,
    /// A player made a move.
    Move,
    /// The arbiter decides the open case.
    Decide,
    /// The clock says that something is wrong with the board, or right again.
    Fault(Fault),
    /// The clock lost power and was resumed.
    Restart,
}

/// What is expected; what is not stated is not compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expect {
    pub(crate) kind: Option<String>,
    pub(crate) found: Option<Vec<Irregularity>>,
    pub(crate) broken: Option<String>,
    pub(crate) alarm: Option<Alarm>,
    pub(crate) annulled: Option<u32>,
    pub(crate) way: ExpectWay,
    /// The default's key.
    pub(crate) key: Option<String>,
    pub(crate) alternatives: Option<Vec<(String, ExpectWay)>>,
}

/// What is expected of one way out.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExpectWay {
    pub(crate) article: Option<String>,
    pub(crate) clocks: Pair<Millis>,
    pub(crate) counters: Pair<u32>,
    pub(crate) period: Pair<u32>,
    pub(crate) strikes: Pair<u32>,
    pub(crate) turn: Option<Colour>,
    pub(crate) position: Option<String>,
    pub(crate) place: Option<Uci>,
    /// `None`: play goes on.
    pub(crate) result: Option<Outcome>,
    pub(crate) ending: Option<Ending>,
    pub(crate) new_game: Option<bool>,
}
