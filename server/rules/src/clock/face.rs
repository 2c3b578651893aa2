//! What a clock shows at one instant.

use crate::time::{MINUTE, Millis};

/// The least time of a whole period.
const LEAST_PERIOD: Millis = 5 * MINUTE;

/// The colour of a player's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Colour {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Colour {
    /// Both, White first.
    pub const BOTH: [Colour; 2] = [Colour::White, Colour::Black];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Colour {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }

    /// 0 for White, 1 for Black: the order in which pairs are kept.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `white` or `black`, as reports print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Colour::White => "white",
            Colour::Black => "black",
        }
    }
}

/// A side of the clock, seen from the front of its display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The left half.
    Left,
    /// The right half.
    Right,
}

impl Place {
    /// The other half.
    #[must_use]
    pub const fn other(self) -> Place {
        match self {
            Place::Left => Place::Right,
            Place::Right => Place::Left,
        }
    }

    /// Whose half this is when White's is `white`.
    #[must_use]
    pub fn colour(self, white: Place) -> Colour {
        if self == white { Colour::White } else { Colour::Black }
    }
}

/// What the clock as a whole is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Going {
    /// Set, not yet started.
    Idle,
    /// The side to move is losing time.
    Running,
    /// Stopped in the middle of a game.
    Paused,
    /// The game is over.
    Over,
}

/// One player's half of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hand {
    /// Time left in milliseconds, never negative; `None` when the reading is unknown. Unknown is not zero.
    pub left: Option<Millis>,
    /// Moves completed, as the clock counts them.
    pub moves: u32,
    /// The period the player is in, from 0.
    pub period: u8,
    /// The device shows this flag as fallen.
    pub flagged: bool,
}

impl Hand {
    /// A hand showing `left` in the first period with no moves made.
    #[must_use]
    pub const fn fresh(left: Option<Millis>) -> Hand {
        Hand { left, moves: 0, period: 0, flagged: false }
    }

    /// No flag is down, and time is left: how much, milliseconds.
    #[must_use]
    pub fn up(&self) -> Option<Millis> {
        self.left.filter(|&left| !self.flagged && left > 0)
    }

    /// A flag is shown beside the time of a whole period: a period has ended, and the clock has gone on into the next. How much it
    /// shows, milliseconds. Increments that come after a last flag are less.
    #[must_use]
    pub fn went_on(&self) -> Option<Millis> {
        self.left.filter(|&left| self.flagged && left >= LEAST_PERIOD)
    }
}

/// Everything a clock displays at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Face {
    /// White's half, then Black's.
    pub hands: [Hand; 2],
    /// Whose time runs, or will when the clock is started or resumed.
    pub turn: Colour,
    /// What the clock is doing.
    pub going: Going,
    /// The side whose flag fell first, latched by the device.
    pub first_flag: Option<Colour>,
    /// Which half of the clock is White's.
    pub white_place: Place,
}

impl Face {
    /// An idle face on which neither reading is known: a clock before it was set or read.
    #[must_use]
    pub const fn unknown(white_place: Place) -> Face {
        Face { hands: [Hand::fresh(None); 2], turn: Colour::White, going: Going::Idle, first_flag: None, white_place }
    }

    /// The half of one player.
    #[must_use]
    pub const fn hand(&self, colour: Colour) -> &Hand {
        &self.hands[colour.index()]
    }

    /// The half of one player, to be changed.
    pub fn hand_mut(&mut self, colour: Colour) -> &mut Hand {
        &mut self.hands[colour.index()]
    }
}
