//! What follows from an act: facts for the fold, and what the game's own machinery carries out.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    act::Situation,
    state::{Envelope, Resumption, Seal, Session},
};
use crate::{
    clock::{Colour, Hand},
    game::{Outcome, Uci, Words, event::Article},
    time::Millis,
};

/// Why the game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The players agreed a draw.
    Agreement,
    /// A player resigned.
    Resignation,
    /// A flag fell.
    Flag,
    /// The sealed move or the reply mates.
    Checkmate,
    /// It stalemates.
    Stalemate,
    /// Neither side can mate any more.
    DeadPosition,
    /// The sealed move is ambiguous, illegible or illegal.
    SealedMove,
    /// A player came too late.
    Late,
}

/// Which envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// The one from the adjournment.
    SealedMove,
    /// The fresh one with the reply.
    Reply,
}

/// What a way does.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// The game ends so; `None`: both lose.
    End(Option<Outcome>, Reason),
    /// The late players may play all the same.
    Excuse,
    /// This move is the sealed one.
    Play(Uci),
    /// The reply is taken as an illegal move on the board: the responder makes another, his clock running (article 7).
    ReplyAnew,
    /// The clocks are set so.
    SetClock([Hand; 2]),
    /// This player's clock runs.
    Run(Colour),
    /// Everything stays as it is.
    Leave,
}

/// One way to decide a proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// Its key within the proposal.
    pub key: String,
    /// What it does, for the arbiter and the display.
    pub words: Words,
    /// What follows.
    pub then: Then,
}

/// What the Laws leave to the arbiter.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The article.
    pub article: Article,
    /// At least one; the first is the default.
    pub ways: Vec<Way>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, by the arbiter's clock, milliseconds since 1970.
    pub at: Millis,
    /// What.
    pub fact: Fact,
    /// The article it happened by.
    pub article: Article,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The present session was announced.
    Announced(Session),
    /// The session ended and the player to move is to seal.
    SealingBegan(Box<Situation>),
    /// He adjourned early, and what will be left to him at the nominal end, milliseconds; `None` when his reading is unknown.
    AdjournedEarly(Box<Situation>, Option<Millis>),
    /// He wrote a move, or another one; a sealed envelope was opened for it.
    Written(Seal),
    /// He made this move on the board.
    MadeOnBoard(Uci),
    /// A score sheet is in the envelope.
    SheetIn(Colour),
    /// The envelope is sealed.
    Closed,
    /// The clock is stopped; what stands on the envelope.
    Adjourned(Box<Envelope>),
    /// The resumption was fixed.
    Appointed(Resumption),
    /// The arbiter found the envelope right, or put it right.
    Checked(Box<Envelope>),
    /// Somebody has the envelope now.
    HandedOver(String),
    /// A draw was offered.
    Offered(Colour),
    /// The offer was declined, or lapsed with a move (9.1).
    Declined,
    /// Position and times are set up.
    SetUp([Hand; 2]),
    /// A player came.
    Came(Colour),
    /// A player went.
    Went(Colour),
    /// The resumption began with the player who must reply here.
    Began,
    /// It began without him: his clock runs.
    BeganWaiting,
    /// He stopped his clock on arrival.
    StoppedOnArrival,
    /// What stood on the sheet.
    Read(String),
    /// The sealed move is made.
    SealedMoveMade(Uci),
    /// The reply is made.
    Replied(Uci),
    /// The reply is sealed, and who keeps it.
    ReplySealed(Seal, String),
    /// The sealed reply was opened; the responder replies anew on the board.
    ReplyAnew,
    /// A player made his first move after the resumption.
    FirstMove(Colour),
    /// A flag fell, at this instant, milliseconds since 1970.
    FlagFell(Colour, Millis),
    /// These players are too late, White first; the sealed move may still decide otherwise.
    FoundLate([bool; 2]),
    /// A player may come late.
    Excused(Colour),
    /// The envelope is missing.
    EnvelopeLost,
    /// The clocks were corrected.
    ClockCorrected([Hand; 2]),
    /// The arbiter is asked.
    Proposed(Proposal),
    /// The arbiter decided by this key.
    Chosen(String),
    /// The game ended: the result (`None`: both lose) and why.
    Ended(Option<Outcome>, Reason),
    /// The game is annulled.
    Annulled,
}

/// One thing that follows from an act.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// For the fold and the journal.
    Noted(Event),
    /// Stop the clock.
    Stop {
        /// By which article.
        article: Article,
    },
    /// Set up this position.
    SetBoard {
        /// In FEN.
        position: String,
        /// By which article.
        article: Article,
    },
    /// Set the clock.
    SetClock {
        /// Both halves, White's first.
        hands: [Hand; 2],
        /// Whose time runs once the clock is started; `None`: of the player to move in the game.
        turn: Option<Colour>,
        /// By which article.
        article: Article,
    },
    /// Start this player's clock.
    Run {
        /// Whose.
        colour: Colour,
        /// By which article.
        article: Article,
    },
    /// Open this envelope and bring its text as an act.
    OpenEnvelope {
        /// Which.
        which: Which,
        /// By which article.
        article: Article,
    },
    /// Make this move in the game.
    Play {
        /// The move.
        uci: Uci,
        /// By which article.
        article: Article,
    },
    /// The game is over.
    End {
        /// How; `None`: both players lose, which only an arbiter decides.
        outcome: Option<Outcome>,
        /// Why.
        reason: Reason,
        /// By which article.
        article: Article,
    },
    /// Ask the arbiter.
    Propose(Proposal),
    /// The game counts for nothing; a new one is played.
    Annul {
        /// By which article.
        article: Article,
    },
    /// Tell those at the board.
    Say {
        /// What.
        words: Words,
        /// By which article.
        article: Article,
    },
}
