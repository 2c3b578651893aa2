//! How a game is opened, and what its event sets differently from the letter.

use alloc::string::String;

use crate::{
    clock::{Control, Place},
    laws::Play,
    time::Millis,
};

/// How a game is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The game's name, unique in the journal.
    pub game: String,
    /// The clock it is played on.
    pub device: String,
    /// The edition of the Laws, pinned for the whole game: a key of [`crate::laws::EDITIONS`].
    pub edition: String,
    /// Standard, rapid or blitz.
    pub play: Play,
    /// The time control; `None` when the clock is external and nothing is stated: its readings are facts.
    pub control: Option<Control>,
    /// Which half of the clock is White's: bound by the desk, once.
    pub white_place: Place,
    /// Where the game begins, in FEN; `None` is the initial position.
    pub position: Option<String>,
    /// What the event sets differently from the letter of the edition.
    pub overlay: Overlay,
}

/// What an event sets differently from the letter of its edition: local regulations may, and the Laws leave some to the
/// organiser. The default changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Overlay {
    /// Time added to the opponent for an illegal move before the last, milliseconds; `None`: as the edition says.
    pub bonus: Option<Millis>,
    /// With which illegal move by one player the game is lost, from 1; `None`: as the edition says.
    pub loses_at: Option<u32>,
    /// What an offending press credited stays on the clock. Taking it back is official guidance (Arbiters' Manual), not the
    /// letter.
    pub keeps_increment: bool,
    /// What the Laws fix waits for the arbiter's confirmation all the same.
    pub confirms: bool,
    /// Guideline III was announced: quickplay finish, for last periods without increment.
    pub quickplay_finish: bool,
    /// How late a player may come to the resumption of an adjourned game, milliseconds; `None`: as the edition says.
    pub default_time: Option<Millis>,
}
