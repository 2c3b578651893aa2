//! What follows from an input. An event says everything: new code never changes what an old one means.

use super::{
    irregularity::Finding,
    score::{Ply, Press, Uci},
    setup::Setup,
};
use crate::{
    adjourn,
    board::{Scan, Turn},
    clock::{Colour, Control, Face, Hand, Place},
    laws::Phrase,
    time::{Millis, Moment},
};
use alloc::{boxed::Box, string::String, vec::Vec};

/// An article in the numbering of the game's own edition, such as `7.5.1`.
pub type Article = String;

/// How a game ended, from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 1–0.
    WhiteWins,
    /// 0–1.
    BlackWins,
    /// ½–½.
    Draw,
    /// 0–0: only an arbiter decides so.
    BothLose,
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
            Outcome::BothLose => "0-0",
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
    /// A player resigned.
    Resignation,
    /// The players agreed on a draw.
    Agreement,
    /// The same position for the third time, claimed.
    Repetition,
    /// Fifty moves by each without a capture or pawn move, claimed.
    FiftyMoves,
    /// Play without supervision reached a position that no legal move leads out of.
    IllegalPosition,
    /// The arbiter declared the game lost (12.9).
    Penalty,
    /// The sealed move was unclear or illegal, or a player came too late to the resumption.
    Adjournment,
    /// The arbiter declared it drawn in a quickplay finish: it was not to be won by normal means, or nobody tried.
    NormalMeans,
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
    /// How much of that is given to each player, or taken from him, and so stays whatever is taken back later; White first. Time
    /// thought that goes back, and what a press had credited, is not.
    pub given: [Millis; 2],
    /// Whose time runs next.
    pub turn: Colour,
    /// Strikes that it adds for each player, White first.
    pub strikes: [u32; 2],
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
    /// The clock was not stopped for it: the times in it are those of when it was drawn up.
    pub running: bool,
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
        /// The game is under way, and so it was last known; `None`: it begins.
        stands: Option<Face>,
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

impl Act {
    /// It says what the times are, or changes them.
    #[must_use]
    pub const fn changes_times(&self) -> bool {
        matches!(self, Act::Prepare { .. } | Act::Set { .. } | Act::Add(..))
    }
}

/// Something for the clock to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// Revision in this game, from 1 without gaps; names the directive together with the game.
    pub rev: u64,
    /// The last event of the clock that it knows of; 0: it does not depend on any.
    pub as_of_seq: u64,
    /// Not to be carried out after this instant of the device; `None`: no limit.
    pub not_after: Option<Moment>,
    /// Revisions that it replaces if they are not carried out yet.
    pub supersedes: Vec<u64>,
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
    /// It may have been carried out: without a reason there was no word in time; with one the clock itself cannot tell.
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

impl RejectReason {
    /// Why, for the arbiter.
    #[must_use]
    pub const fn words(self) -> Phrase {
        match self {
            RejectReason::Revision => Phrase { en: "it was at another revision", ru: "другая ревизия" },
            RejectReason::Overtaken => {
                Phrase { en: "a move was completed meanwhile", ru: "тем временем сделан ход" }
            }
            RejectReason::Expired => Phrase { en: "it came too late", ru: "пришло слишком поздно" },
            RejectReason::Superseded => {
                Phrase { en: "a later one replaced it", ru: "заменено более поздним" }
            }
            RejectReason::Display => Phrase {
                en: "the physical clock did not take it",
                ru: "физические часы не приняли",
            },
            RejectReason::Unsupported => {
                Phrase { en: "this clock cannot do that", ru: "эти часы так не умеют" }
            }
        }
    }
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
    /// The clock's events are not taken any more: nothing on the board is followed.
    Frozen,
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
    /// The resignation of this player.
    Resignation(Colour),
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
    /// A player pressed a clock without a board.
    Pressed(Press),
    /// Nobody reads the board any more: what it shows is not known until it is seen again.
    Unread,
    /// A move was completed while nobody read the board.
    Unseen(Press),
    /// The board is read again, and tells of the last plies, which nobody saw.
    Told {
        /// What was played; [`Uci::UNSEEN`] from where the board does not tell the order.
        moves: Vec<Uci>,
        /// The position after them, FEN.
        position: String,
    },
    /// An irregularity was found.
    Found(Box<Finding>),
    /// What can be done about a case.
    Proposed(Proposal),
    /// Somebody who may chose a way out of a case for which the clock was not stopped: it is stopped now, and the way is
    /// taken from where it stops.
    Chosen {
        /// The case.
        case: u32,
        /// The key of the way.
        choice: String,
        /// Who.
        actor: String,
        /// Why, where a reason was given.
        note: String,
    },
    /// A case was decided.
    Ruled(Box<Ruling>),
    /// Nobody has stepped in and play goes on from the board as it stands, by no legal move (or from no legal position).
    WentOn {
        /// The board, in the game's orientation.
        board: Box<Scan>,
        /// What was played, if anything was.
        ply: Option<Ply>,
    },
    /// A directive was issued.
    Issued(Box<Directive>),
    /// A directive came further.
    Staged {
        /// Its revision.
        rev: u64,
        /// How far.
        stage: Stage,
        /// Why, when rejected, or unknown for good.
        reason: Option<RejectReason>,
        /// The face before it was applied.
        before: Option<Face>,
        /// The face after.
        after: Option<Face>,
    },
    /// The clock has carried out directives up to this revision of which nothing is on record: the record was restored from
    /// before them. Their numbers are not given again.
    Lapsed(u64),
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
    /// Something happened in the adjournment of the game.
    Adjournment(Box<adjourn::Event>),
    /// Once the directive of this revision is carried out, this player's clock is started from where it then stands.
    Waits {
        /// The revision: that of a stop.
        rev: u64,
        /// Whose clock.
        colour: Colour,
        /// The opponent's counter goes up by one: a move was made for him away from the clock.
        counted: bool,
    },
    /// The game goes on on another clock; of the former one nothing is taken any more.
    Moved {
        /// The clock.
        device: String,
    },
    /// The game counts for nothing: a new one is played on the same board.
    Annulled,
    /// What the desk was alarmed of up to this number, from 1, has been attended to.
    Heeded(u32),
}
