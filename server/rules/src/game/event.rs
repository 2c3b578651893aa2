//! What follows from an input. An event says everything: new code never changes what an old one means.

use super::score::{Ply, Uci};
use crate::{
    board::{Scan, Turn},
    clock::{Colour, Control, Face, Hand, Place},
    laws::Play,
    time::{Millis, Moment},
};
use alloc::{boxed::Box, string::String, vec::Vec};

/// An article in the numbering of the game's own edition, such as `7.5.1`.
pub type Article = String;

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
}

/// How a game ended, from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 1–0.
    WhiteWins,
    /// 0–1.
    BlackWins,
    /// ½–½.
    Draw,
}

impl Outcome {
    /// The outcome in which a colour wins.
    #[must_use]
    pub const fn win(colour: Colour) -> Outcome {
        match colour {
            Colour::White => Outcome::WhiteWins,
            Colour::Black => Outcome::BlackWins,
        }
    }

    /// As PGN writes it.
    #[must_use]
    pub const fn pgn(self) -> &'static str {
        match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
        }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Mate.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// Neither side can mate by any series of legal moves.
    DeadPosition,
    /// The same position for the fifth time.
    Fivefold,
    /// Seventy-five moves by each without a capture or pawn move.
    SeventyFive,
    /// A flag fell.
    Flag,
    /// Too many illegal moves.
    Illegal,
    /// The players put their kings in the centre.
    Kings,
    /// Entered at the desk.
    Desk,
}

/// The closed list of what can be found. A number in the contract belongs to each for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Irregularity {
    /// An illegal move was completed.
    IllegalMove,
    /// A pawn was left on the last rank.
    PawnLeft,
    /// The clock was pressed without a move.
    PressWithoutMove,
    /// A move was made with two hands.
    TwoHands,
    /// Pieces were displaced and the clock was pressed.
    Displaced,
    /// Pieces are found displaced from where they should stand.
    DisplacedFound,
    /// The initial position was wrong.
    WrongStart,
    /// The board was set up a quarter turn wrong.
    BoardTurned,
    /// The colours are reversed.
    ColoursReversed,
    /// A clock reading that play cannot explain.
    ClockJump,
    /// A player forgot to press and play went on.
    ForgottenPress,
    /// A flag fell, and whether the opponent can still mate could not be determined.
    FlagInDoubt,
}

impl Irregularity {
    /// Every kind, in the order of the contract.
    pub const ALL: [Irregularity; 12] = [
        Irregularity::IllegalMove,
        Irregularity::PawnLeft,
        Irregularity::PressWithoutMove,
        Irregularity::TwoHands,
        Irregularity::Displaced,
        Irregularity::DisplacedFound,
        Irregularity::WrongStart,
        Irregularity::BoardTurned,
        Irregularity::ColoursReversed,
        Irregularity::ClockJump,
        Irregularity::ForgottenPress,
        Irregularity::FlagInDoubt,
    ];

    /// The name used in reports and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Irregularity::IllegalMove => "illegal_move",
            Irregularity::PawnLeft => "pawn_left",
            Irregularity::PressWithoutMove => "press_without_move",
            Irregularity::TwoHands => "two_hands",
            Irregularity::Displaced => "displaced",
            Irregularity::DisplacedFound => "displaced_found",
            Irregularity::WrongStart => "wrong_start",
            Irregularity::BoardTurned => "board_turned",
            Irregularity::ColoursReversed => "colours_reversed",
            Irregularity::ClockJump => "clock_jump",
            Irregularity::ForgottenPress => "forgotten_press",
            Irregularity::FlagInDoubt => "flag_in_doubt",
        }
    }
}

/// What was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The position before, in FEN.
    pub before: String,
    /// The board at the press, in the game's orientation.
    pub at_press: Option<Scan>,
    /// The board when it had settled.
    pub settled: Option<Scan>,
    /// The face when it happened.
    pub face: Face,
    /// In words, English.
    pub seen: String,
}

/// An irregularity was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The case it opens, from 1 within the game.
    pub case: u32,
    /// What.
    pub kind: Irregularity,
    /// Who committed it.
    pub by: Colour,
    /// At which ply, from 1: the ply that was being played.
    pub ply: u32,
    /// The article that makes it one.
    pub article: Article,
    /// The Laws fix what follows; otherwise the arbiter has discretion.
    pub fixed: bool,
    /// What was seen.
    pub evidence: Evidence,
}

/// Words for people in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Words {
    /// English.
    pub en: String,
    /// Russian.
    pub ru: String,
}

/// One way to deal with a case. Everything it changes stands in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// Its key within the case, such as `penalty`.
    pub key: String,
    /// What it does, for the arbiter and the display.
    pub words: Words,
    /// The article it rests on.
    pub article: Article,
    /// The first ply annulled, from 1; `None`: no ply is.
    pub annul_from: Option<u32>,
    /// A move put on the board for the player, not yet completed: the queen of 7.5.2.
    pub place: Option<Uci>,
    /// The position to restore, in FEN; `None`: the board is right as it is.
    pub position: Option<String>,
    /// Both halves of the clock as they shall be; `None`: the times stay.
    pub hands: Option<[Hand; 2]>,
    /// Whose time runs next.
    pub turn: Colour,
    /// A strike for this player.
    pub strike: Option<Colour>,
    /// The game ends so.
    pub outcome: Option<(Outcome, Ending)>,
    /// The game is cancelled and a new one is played on the same board.
    pub cancel: bool,
}

/// A case with its ways out; the first is the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The case.
    pub case: u32,
    /// At least one.
    pub remedies: Vec<Remedy>,
}

/// A case was decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// The case.
    pub case: u32,
    /// What was chosen.
    pub remedy: Remedy,
    /// Who decided: `laws` where the Laws fix it, else the arbiter.
    pub actor: String,
    /// Why, where a reason was given.
    pub note: String,
    /// The face the correction was computed from.
    pub before: Face,
}

/// What a directive tells the clock to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Take on the game.
    Prepare {
        /// The time control, when there is one.
        control: Option<Control>,
        /// Which half is White's.
        white_place: Place,
        /// The position to set up, FEN.
        position: String,
    },
    /// Stop both sides.
    Stop,
    /// Show these values.
    Set {
        /// White's half, then Black's.
        hands: [Hand; 2],
        /// Whose time runs next.
        turn: Colour,
        /// At once, or when resumed by hand.
        run: bool,
        /// Which half is White's.
        white_place: Place,
        /// The position to restore, FEN; `None`: right as it is.
        position: Option<String>,
    },
    /// Add time to one side.
    Add(Colour, Millis),
    /// The game is over.
    Conclude(Outcome),
    /// Say the words only.
    Show,
    /// Let the side to move run.
    Run,
}

/// Something for the clock to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// Revision in this game, from 1 without gaps; names the directive together with the game.
    pub rev: u64,
    /// The last event of the clock that it knows of; 0: it does not depend on any.
    pub as_of_seq: u64,
    /// What.
    pub act: Act,
    /// Words for the display.
    pub words: Words,
}

/// How far a directive has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Sent.
    Sent,
    /// On the clock's disk.
    Received,
    /// Carried out.
    Applied,
    /// Not carried out, and it never will be.
    Rejected,
    /// No word in time: it may have been carried out.
    Unknown,
}

/// Why a clock refused a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectReason {
    /// It was not at the expected revision.
    Revision,
    /// A move was completed meanwhile.
    Overtaken,
    /// Too late, or another boot.
    Expired,
    /// Replaced by a later one.
    Superseded,
    /// The physical clock did not take it.
    Display,
    /// The clock cannot do that.
    Unsupported,
}

/// What the desk should look at though no player did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alarm {
    /// The board cannot be what it shows.
    ImpossibleBoard,
    /// The board does not show the position of the game.
    BoardDiffers,
    /// The moves can no longer be followed.
    Lost,
    /// The device reported a fault.
    Device,
    /// A directive was refused or there is no word of it.
    Directive,
    /// The clock's halves are not bound as the desk bound them.
    Binding,
    /// A player calls.
    Call,
    /// A player claims.
    Claim,
    /// A flag is down, but the moves of the period were made.
    FlagAfterControl,
    /// Something came after the end of the game; only recorded.
    AfterEnd,
}

/// Whether a side can still mate, asked because the answer takes longer than a press may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its number within the game, from 1.
    pub number: u32,
    /// The position, FEN.
    pub position: String,
    /// Who would have to mate.
    pub side: Colour,
    /// What waits for the answer.
    pub about: About,
}

/// What waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The flag of this player.
    Flag(Colour),
    /// A case.
    Case(u32),
}

/// One event of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The game was opened.
    Opened(Box<Setup>),
    /// The clock was heard: its event, its time and its face.
    Heard {
        /// The event's number in the spool.
        seq: u64,
        /// When, on the device.
        at: Moment,
        /// The face just after it.
        face: Face,
    },
    /// The board was seen, in its own orientation.
    Looked(Box<Scan>),
    /// The board was recognised as lying so.
    Turned(Turn),
    /// A press waits for the board to settle.
    Held(Colour),
    /// A move was made.
    Made(Ply),
    /// A move made earlier is now completed; its number and what is known of the clocks.
    Completed {
        /// Number of the ply, from 1.
        ply: u32,
        /// Both readings after the press.
        left: [Option<Millis>; 2],
        /// See [`Ply::before_credit`].
        before_credit: Option<Millis>,
        /// See [`Ply::credit`].
        credit: Option<Millis>,
    },
    /// The last ply was read wrongly while the piece was still on its way; this is the move.
    Replaced(Ply),
    /// An irregularity was found.
    Found(Box<Finding>),
    /// What can be done about a case.
    Proposed(Proposal),
    /// A case was decided.
    Ruled(Box<Ruling>),
    /// A directive was issued.
    Issued(Box<Directive>),
    /// A directive came further.
    Staged {
        /// Its revision.
        rev: u64,
        /// How far.
        stage: Stage,
        /// Why, when rejected.
        reason: Option<RejectReason>,
        /// The face before it was applied.
        before: Option<Face>,
        /// The face after.
        after: Option<Face>,
    },
    /// A flag fell.
    FlagFell(Colour),
    /// The game ended.
    Ended {
        /// How.
        outcome: Outcome,
        /// Why.
        ending: Ending,
        /// The article.
        article: Article,
    },
    /// Something for the desk to look at.
    Alarmed(Alarm, String),
    /// A question was asked; the service answers it beside the game.
    Asked(Box<Question>),
    /// It was answered; `None`: not determined in time.
    Answered(u32, Option<bool>),
    /// A desk request was carried out: the same request again acts no more.
    Admitted(String),
}
