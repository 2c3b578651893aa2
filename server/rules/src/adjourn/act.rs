//! What an adjournment is told. Every act brings its own time by the arbiter's clock (A13).

use alloc::{boxed::Box, string::String};

use super::state::{Envelope, Resumption, Seal, Session};
use crate::{
    clock::{Colour, Hand},
    game::Uci,
    time::Millis,
};

/// One act.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// When, by the arbiter's clock, milliseconds since 1970.
    pub wall_ms: Millis,
    /// What.
    pub deed: Deed,
}

/// The game as it stands when it is adjourned. Whose move it is and its number are read from the position.
#[derive(Clone, Debug, PartialEq)]
pub struct Situation {
    /// Names of the players, White first; `None` when not yet known.
    pub names: [Option<String>; 2],
    /// The position, FEN.
    pub position: String,
    /// Both halves of the clock as they stand now.
    pub hands: [Hand; 2],
    /// All the time each player has been given so far, increments included, milliseconds: what was used is this less what is
    /// left. `None` when nobody can say.
    pub allotted: [Option<Millis>; 2],
    /// Who offered a draw that is still open.
    pub draw_offer: Option<Colour>,
}

/// What can be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// The present session is announced (A13).
    Announce(Session),
    /// The session has ended: the arbiter requires the player to move to seal (A1).
    EndSession(Box<Situation>),
    /// The player to move adjourns before the session's end (A1).
    AdjournEarly(Box<Situation>),
    /// The player to move writes his move, or another instead (A1). What he wrote is not readable here.
    Write(Seal),
    /// He made a move on the board though he was to seal (A1).
    MoveOnBoard(Uci),
    /// A player's score sheet is in the envelope (A1).
    SheetIn {
        /// Whose.
        of: Colour,
        /// It is a paper sheet.
        paper: bool,
    },
    /// The envelope is sealed (A1).
    CloseEnvelope,
    /// The player who sealed has stopped the clock (A1).
    StopClock {
        /// Both halves as they stand now.
        hands: [Hand; 2],
        /// The opponent's clock was started, which it must not be.
        opponent_runs: bool,
    },
    /// The time and place of the resumption are fixed (A2, A13).
    Appoint(Resumption),
    /// The arbiter has checked the envelope (A3): it is right as it is, or this is what is right.
    Check(Option<Box<Envelope>>),
    /// The envelope goes to somebody (A3).
    HandOver(String),
    /// A draw is offered (A4).
    OfferDraw(Colour),
    /// The open offer is accepted by this player (9.1).
    AcceptDraw(Colour),
    /// The open offer is declined by this player (9.1).
    DeclineDraw(Colour),
    /// The players agreed a draw (A6).
    AgreeDraw,
    /// A player resigns (A6).
    Resign(Colour),
    /// The position and the times are set up (A5).
    SetUp {
        /// The arbiter's times where the recorded ones are unknown (A11).
        times: Option<[Hand; 2]>,
    },
    /// A player has come, or gone.
    Presence {
        /// Who.
        player: Colour,
        /// He is here.
        here: bool,
    },
    /// It is the time agreed for the resumption (A9).
    Begin,
    /// The player who must reply has come, stops his running clock and calls the arbiter (A9).
    StopOnArrival,
    /// The envelope was opened; what stands on the sheet (A7–A9).
    Opened(String),
    /// The envelope is lost, and the player who sealed says what he had sealed (A11).
    Stated(String),
    /// The sealer being absent, the player who must reply replies normally (A9).
    Reply(Uci),
    /// The sealer being absent, the player who must reply seals his reply in a fresh envelope and gives it to this person, the
    /// arbiter (A9).
    SealReply {
        /// The reply, not readable here.
        seal: Seal,
        /// The arbiter who takes the envelope.
        to: String,
    },
    /// The fresh envelope was opened (A9).
    ReplyOpened(String),
    /// A player made his first move after the resumption (A12).
    FirstMove(Colour),
    /// A flag fell (6.10).
    FlagFell(Colour),
    /// The arbiter looks whether somebody is too late (A10).
    LookForLate,
    /// The rules of the event or the arbiter let this player come later (A10).
    Excuse(Colour),
    /// The envelope is missing (A11).
    EnvelopeLost {
        /// The position is known.
        position_known: bool,
    },
    /// A player says that the used time is wrong on a clock (A12).
    ClockError {
        /// Who says so.
        by: Colour,
        /// Both halves as they should be.
        hands: [Hand; 2],
    },
    /// The arbiter decides the open proposal by this key.
    Choose(String),
}
