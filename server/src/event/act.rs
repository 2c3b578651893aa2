//! What an organiser can do, as the journal keeps it.

use flagfall_pairings::{Bye, Outcome, Player};
use flagfall_rules::{
    clock::{Control, Place},
    game::Overlay,
    laws::Play,
    time::Millis,
};

/// An act with who did it.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The request's id: the same request acts once in its stream.
    pub request: String,
    /// Who acts.
    pub actor: String,
    /// Wall time, milliseconds since 1970.
    pub wall_ms: Millis,
    /// Why, where the act has no note of its own.
    pub reason: String,
    /// What.
    pub act: Act,
}

/// What can be done. The first three belong to an event, the others to a round.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// The event is created.
    Create(Box<Settings>),
    /// It goes on with these settings.
    Revise(Box<Settings>),
    /// Players are entered, or entered anew under their numbers.
    Players(Vec<Player>),
    /// The round is paired, or paired anew.
    Pair(Vec<Seat>, Vec<Bye>),
    /// A board gets another clock, or none; and why.
    Assign(u32, Option<String>, String),
    /// The games of these boards are open.
    Prepare(Vec<u32>),
    /// The clocks of these boards were told to run.
    Start(Vec<u32>),
    /// The result of a board is entered, or withdrawn.
    Result {
        /// The board.
        board: u32,
        /// The result; `None`: what was entered is withdrawn.
        outcome: Option<Outcome>,
        /// Why.
        note: String,
        /// The revision of the directive by which the game's clock had been told its result; 0: it had none; `None`: not kept.
        after: Option<u64>,
    },
    /// The round is closed over these open boards; and why.
    Close(Vec<u32>, String),
}

/// What an event sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Its name: part of the names of games and of addresses.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Where it is played; may be empty.
    pub site: String,
    /// Edition, play and control as they were stated.
    pub preset: String,
    /// The edition of the Laws, by its id.
    pub edition: String,
    /// Standard, rapid or blitz.
    pub play: Play,
    /// The time control.
    pub control: Control,
    /// What it sets differently from the letter of the edition.
    pub overlay: Overlay,
    /// How late a player may come, milliseconds; `None`: as the edition says.
    pub default_time: Option<Millis>,
    /// Parts of the hall; they do not overlap.
    pub sectors: Vec<Sector>,
    /// How many rounds are planned; 0: not said.
    pub rounds: u32,
    /// The name of the clock of a board, with `{}` where the number stands.
    pub clocks: String,
    /// Which half of every clock is White's.
    pub white_place: Place,
    /// How far the broadcast lags.
    pub delay: Delay,
}

/// How far a broadcast lags behind the game; by both where both are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Delay {
    /// Plies.
    pub plies: u32,
    /// Milliseconds.
    pub ms: Millis,
}

/// A part of the hall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sector {
    /// Its name.
    pub name: String,
    /// First board.
    pub first: u32,
    /// Last board.
    pub last: u32,
}

/// A board of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Its number.
    pub board: u32,
    /// White's number.
    pub white: u32,
    /// Black's number.
    pub black: u32,
    /// Its clock; `None`: it has none.
    pub device: Option<String>,
}
