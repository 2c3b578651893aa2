//! What a game is told. Every input carries its source's own time; nothing else is known about when it happened.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    event::{Act, RejectReason, Stage, Words},
    irregularity::{Facts, Irregularity},
    setup::Setup,
};
use crate::{
    adjourn::Deed,
    board::Scan,
    clock::{Colour, Face},
    time::{Millis, Moment},
};

/// One input of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The clock's.
    Device(DeviceInput),
    /// An arbiter's or organiser's.
    Desk(DeskInput),
    /// The service's own: patience that ran out.
    Service(ServiceAct),
}

/// Something that happened at the clock.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceInput {
    /// Its number in the clock's spool.
    pub seq: u64,
    /// When, on the device.
    pub at: Moment,
    /// The face just after it.
    pub face: Face,
    /// What.
    pub act: DeviceAct,
}

/// What can happen at a clock.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceAct {
    /// Started for the first time; never a press without a move.
    Started,
    /// The running side pressed.
    Press(Colour),
    /// Paused by hand.
    Paused,
    /// Resumed by hand; never a press without a move.
    Resumed,
    /// A player wants the arbiter; `None` when the clock has one button for both.
    Call(Option<Colour>),
    /// A player claims something.
    Claim(Colour, Claim),
    /// The board changed; in its own orientation.
    Scan(Scan),
    /// The board has not changed since this many milliseconds of the boot.
    Quiet(u64),
    /// The device shows a flag.
    Flag(Colour),
    /// How a directive fared.
    Report(Report),
    /// Something is wrong with the device.
    Fault(Fault, String),
}

/// What a player can claim at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
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

/// What can go wrong with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It restarted in the middle of a game and is paused at its last stored face.
    PowerLost,
    /// The board no longer answers.
    BoardLost,
    /// The board answers again.
    BoardBack,
    /// The physical clock no longer answers.
    ClockLost,
    /// The physical clock answers again.
    ClockBack,
    /// A battery is low.
    BatteryLow,
    /// Bytes that are no message.
    Garbled,
    /// The source of a replay has ended.
    SourceEnded,
    /// The physical clock was pressed more than once while nobody read it.
    PressesMissed,
}

/// A clock reports on a directive.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The directive's revision in this game.
    pub rev: u64,
    /// Received, applied or rejected.
    pub stage: Stage,
    /// Why, when rejected.
    pub reason: Option<RejectReason>,
    /// The face before it was applied.
    pub before: Option<Face>,
}

/// An act at the desk.
#[derive(Clone, Debug, PartialEq)]
pub struct DeskInput {
    /// The request's id: the same request twice acts once.
    pub request: String,
    /// Who acts.
    pub actor: String,
    /// Wall time when it was admitted, milliseconds since 1970: a label, never compared.
    pub wall_ms: Millis,
    /// Why, in the arbiter's words; may be empty.
    pub reason: String,
    /// What.
    pub act: DeskAct,
}

/// What can be done at the desk.
#[derive(Clone, Debug, PartialEq)]
pub enum DeskAct {
    /// Open the game.
    Open(Setup),
    /// Report an irregularity somebody saw.
    Irregularity {
        /// What was seen.
        kind: Irregularity,
        /// Who committed it.
        by: Colour,
        /// At which ply from 1; `None`: the last one by that player, or the one being played: of pieces found displaced, and of a piece
        /// touched by the player to move.
        ply: Option<u32>,
        /// In the arbiter's words.
        note: String,
        /// What else is known of it.
        facts: Facts,
    },
    /// A player claims something of the arbiter, or says that the game is over.
    Claim {
        /// Who.
        by: Colour,
        /// What.
        claim: Claim,
        /// In the arbiter's words.
        note: String,
        /// What else is known of it.
        facts: Facts,
    },
    /// Decide an open case.
    Decide {
        /// The case.
        case: u32,
        /// The key of the remedy chosen.
        choice: String,
        /// Why, where the Laws leave discretion.
        note: String,
    },
    /// Issue a directive by hand, with words for the display (may be empty).
    Direct(Act, Words, Terms),
    /// Do something about the adjournment of the game.
    Adjourn {
        /// What. What it leaves out of the game as it stands is taken from the game.
        deed: Box<Deed>,
        /// What proves that an opened text is the sealed one; empty for everything else. Checked before the rules are asked.
        nonce: Vec<u8>,
    },
    /// What the desk was alarmed of up to this number, from 1, has been attended to.
    Heed(u32),
    /// The game counts for nothing: a new one is played on the same board.
    Annul,
    /// Go on on another clock.
    Move {
        /// The clock.
        device: String,
        /// Why, in the arbiter's words.
        note: String,
    },
}

/// For how long a directive by hand is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Terms {
    /// The last event of the clock that whoever gives it knew of: once a move is completed or the times are set after it, it is
    /// overtaken. 0: whatever happens.
    pub as_of: u64,
    /// Words alone may lose their point: they are not shown after this instant of the device.
    pub until: Option<Moment>,
}

/// What the service notices by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceAct {
    /// No final word on a directive within the service's patience; its revision.
    Overdue(u64),
    /// The answer to a question, by its number: whether the side can mate; `None`: not determined in time.
    Answered(u32, Option<bool>),
    /// Something about the clock that is no event of it.
    Noticed(Notice),
}

/// What the service notices of a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Another clock has come under the name of the one that had the game, and has not got it.
    Replaced,
    /// The clock has been at this revision for long, and another one is wanted.
    Differs(u64),
    /// Something is wrong between clock and service; in words for the desk.
    Trouble(String),
    /// Its events are not taken any more; why and what to do, in words for the desk.
    Frozen(String),
    /// It shows this face, run down since its last event; nothing has happened on it in between.
    Shows {
        /// When, on the device.
        at: Moment,
        /// The face.
        face: Face,
    },
}
