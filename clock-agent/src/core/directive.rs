//! Directives in the agent's own words.

use flagfall_rules::{
    clock::{Colour, Control, Face, Hand, Place},
    time::{Millis, Moment},
};

/// Words for the display, English then Russian.
pub type Words = [String; 2];

/// Something for the clock to do, once.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// Unique; the same for every sending.
    pub id: String,
    /// The game it belongs to.
    pub game: String,
    /// Revision within the game, from 1.
    pub rev: u64,
    /// The revision the clock must be at.
    pub expected_rev: u64,
    /// The last event the ruling knew of; 0: no such condition.
    pub as_of_seq: u64,
    /// Not to be applied after this instant; another boot has expired it.
    pub not_after: Option<Moment>,
    /// Ids that this one replaces if they are not applied yet.
    pub supersedes: Vec<String>,
    /// W3C traceparent of the press that led here; may be empty.
    pub traceparent: String,
    /// What to do.
    pub act: Act,
}

impl Directive {
    /// It asks for the same, whichever press led to it.
    #[must_use]
    pub fn asks_the_same(&self, other: &Directive) -> bool {
        let Directive { id, game, rev, expected_rev, as_of_seq, not_after, supersedes, traceparent: _, act } = self;
        (id, game, rev, expected_rev) == (&other.id, &other.game, &other.rev, &other.expected_rev)
            && (as_of_seq, not_after, supersedes) == (&other.as_of_seq, &other.not_after, &other.supersedes)
            && *act == other.act
    }
}

/// What a directive asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Take on a game.
    Prepare {
        /// The time control; `None`: the clock's own, or an external clock whose readings are facts.
        control: Option<Control>,
        /// Which half is White's.
        white_place: Place,
        /// The position to set up, FEN.
        position: String,
        /// Words for the display.
        words: Words,
        /// The game is under way, and this is how it was last known; `None`: it begins.
        stands: Option<Face>,
    },
    /// Stop both sides.
    Stop {
        /// Words for the display.
        words: Words,
    },
    /// Show these values.
    Set {
        /// White's half, then Black's.
        hands: [Hand; 2],
        /// Whose time runs next.
        turn: Colour,
        /// Start that side at once.
        run: bool,
        /// Which half is White's.
        white_place: Place,
        /// The position to restore, FEN; empty when the board is right.
        position: String,
        /// Words for the display.
        words: Words,
    },
    /// Add time to one side.
    Add {
        /// Whose time.
        colour: Colour,
        /// Milliseconds, above zero.
        amount: Millis,
        /// Words for the display.
        words: Words,
    },
    /// The game is over.
    Conclude {
        /// `1-0`, `0-1`, `1/2-1/2` or `0-0`; `None`: without a result.
        result: Option<&'static str>,
        /// Words for the display.
        words: Words,
    },
    /// Say something.
    Show {
        /// Words for the display.
        words: Words,
    },
    /// Let the side to move run.
    Run {
        /// Words for the display.
        words: Words,
    },
    /// Nothing that this clock understands, and why.
    Unsupported(String),
}

impl Act {
    /// The words it brings to the display; `None` for what is not understood.
    #[must_use]
    pub fn words(&self) -> Option<&Words> {
        match self {
            Act::Prepare { words, .. }
            | Act::Stop { words }
            | Act::Set { words, .. }
            | Act::Add { words, .. }
            | Act::Conclude { words, .. }
            | Act::Show { words }
            | Act::Run { words } => Some(words),
            Act::Unsupported(_) => None,
        }
    }
}

/// How far a directive has come at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// On the clock's disk, not yet carried out.
    Received,
    /// Carried out.
    Applied,
    /// Not carried out; it never will be.
    Rejected,
    /// It may have been carried out: the external clock did not answer and its readings do not tell. It is not tried again.
    Unknown,
}

/// Why a clock refuses a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectReason {
    /// The clock is not at the revision expected.
    Revision,
    /// A move was completed that the ruling did not know of.
    Overtaken,
    /// Too late, or of another boot.
    Expired,
    /// A later directive replaced it.
    Superseded,
    /// The external clock did not take the values, or nobody knows whether it did; its reason is on the display.
    Display,
    /// Not something this clock can do.
    Unsupported,
}
