//! What the hardware tells the core, and what the core asks of the hardware: the whole vocabulary between them.

use flagfall_rules::{
    board::Scan,
    clock::{Face, Place},
    time::Millis,
};

/// Something the hardware noticed, with the device time at which it happened (milliseconds of CLOCK_MONOTONIC, or of the
/// script in a replay). The kernel's own time stamp is used where it gives one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensed {
    /// When it happened.
    pub at: u64,
    /// What happened.
    pub sense: Sense,
}

/// What the hardware can notice.
#[derive(Clone, Debug, PartialEq)]
pub enum Sense {
    /// The press edge of a player's button (the clock is our own).
    Button(Place),
    /// The start, pause and resume button (the clock is our own).
    StartStop,
    /// A player's call for the arbiter; `None` when there is one button for both.
    Call(Option<Place>),
    /// A player's claim.
    Claim(Place, ClaimKind),
    /// The whole board after a change.
    Board(Scan),
    /// The reading of an external clock after a change.
    Dial(Dial),
    /// The external clock carried out [`Ask::Dial`], or did not as far as is known.
    DialDone(Result<(), NotDone>),
    /// Something is wrong, or right again.
    Fault(FaultKind, String),
    /// Nothing happened, but time has passed.
    Tick,
}

/// What a player can claim at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// The opponent's flag is down.
    Flag,
    /// The opponent completed an illegal move.
    IllegalMove,
    /// The game is drawn by repetition or fifty moves.
    Draw,
    /// The player resigns.
    Resignation,
    /// The players agree on a draw.
    Agreement,
}

/// Why [`Ask::Dial`] was not answered with "done".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// It was not carried out: the clock said so, or was never asked.
    #[error("{0}")]
    Refused(String),
    /// No answer: the clock may have carried it out, and only reading it again can tell.
    #[error("{0}")]
    Unanswered(String),
}

/// What can go wrong with the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The clock restarted in the middle of a game.
    PowerLost,
    /// The board no longer answers.
    BoardLost,
    /// The board answers again.
    BoardBack,
    /// The external clock no longer answers, or is not connected.
    ClockLost,
    /// The external clock answers again.
    ClockBack,
    /// A battery is low.
    BatteryLow,
    /// Bytes that are no message.
    Garbled,
    /// The source of a replay has ended.
    SourceEnded,
    /// The external clock was pressed more than once while nobody read it.
    PressesMissed,
}

impl FaultKind {
    /// As long as it lasts an external clock may be pressed, and nobody reads it.
    #[must_use]
    pub const fn hides_presses(self) -> bool {
        matches!(self, FaultKind::BoardLost | FaultKind::ClockLost | FaultKind::Garbled)
    }

    /// What stands on the board is not known until the whole of it is seen again.
    #[must_use]
    pub const fn hides_board(self) -> bool {
        matches!(self, FaultKind::BoardLost | FaultKind::Garbled)
    }
}

/// What an external clock shows, by the sides of its display, left first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dial {
    /// Times left in milliseconds; `None` where the reading is unknown.
    pub left: [Option<Millis>; 2],
    /// The flags it shows.
    pub flags: [bool; 2],
    /// A side is running.
    pub running: bool,
    /// The side that runs or would run; `None` when the clock does not say.
    pub turn: Option<Place>,
}

/// What the core asks of the hardware.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Bring the external clock to this face; answered by [`Sense::DialDone`].
    Dial(Face),
    /// Sound the beeper.
    Beep,
    /// Say how the board stands, changed or not; answered by [`Sense::Board`], or by nothing if nobody is there.
    Board,
}

/// What the display shows: everything a player or arbiter standing at the clock can read.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The clock's face.
    pub face: Face,
    /// The arbiter's words, English then Russian; empty when there are none.
    pub words: [String; 2],
    /// The position to restore or set up, in FEN; empty when the board is right as it is.
    pub position: String,
    /// The result, once the game is over: `1-0`, `0-1`, `1/2-1/2` or `0-0`.
    pub result: Option<&'static str>,
    /// The game on this clock; empty when none.
    pub game: String,
    /// The revision of the last directive handled.
    pub applied_rev: u64,
    /// The newest revision the service said it wants; greater than `applied_rev` means that a directive is on its way.
    pub desired_rev: u64,
    /// The last event spooled.
    pub spooled: u64,
    /// The last event the service acknowledged as durable.
    pub acked: u64,
    /// The link to the service is up.
    pub online: bool,
    /// What is wrong with the device, newest first and each English then Russian; empty when all is well.
    pub trouble: Vec<[String; 2]>,
    /// How many senses the core has taken in since it started.
    pub taken: u64,
}
