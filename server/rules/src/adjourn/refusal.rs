//! Why an act is refused, and what to do instead.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::state::Phase;
use crate::{clock::Colour, time::MINUTE};

/// Why an act is refused; nothing happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The game is over or annulled.
    Over,
    /// The act does not belong to this phase.
    Phase(Phase),
    /// The arbiter must decide the open proposal first; its keys.
    ProposalOpen(String),
    /// Nothing waits for the arbiter.
    NoProposal,
    /// The open proposal has no such key; the keys it has.
    NoSuchChoice(String),
    /// The text is no legal position.
    BadPosition(String),
    /// The end of the session was not announced, and the procedure asks for it.
    EndNotAnnounced,
    /// The session has not been announced, or not its end.
    NoSession,
    /// The session ends before it starts.
    BadSession,
    /// A resumption must be fixed before it begins.
    NotInAdvance,
    /// It is not yet time; how long it still is by the arbiter's clock, milliseconds.
    TooEarly(i64),
    /// The session is over already: the game is not adjourned early.
    NotEarly,
    /// The move was made on the board and written: it no longer changes.
    MoveMade,
    /// The move on the board is not legal there.
    IllegalMove(String),
    /// Nothing was written, or not since the move was made on the board.
    NotWritten,
    /// The sheet must be of paper.
    NotPaper,
    /// This sheet is missing in the envelope.
    SheetMissing(Colour),
    /// The envelope is not sealed.
    NotSealed,
    /// The envelope is sealed already.
    AlreadySealed,
    /// The opponent's clock was started.
    OpponentStarted,
    /// What is missing on the envelope.
    Incomplete(Vec<&'static str>),
    /// The correction names another player to move than the one who sealed.
    OtherSealer,
    /// The envelope was not checked.
    NotChecked,
    /// The resumption is not fixed.
    NoResumption,
    /// A reading is unknown.
    TimesUnknown,
    /// The readings are known: the arbiter's own are not wanted.
    TimesKnown,
    /// Only the player who did not seal has an offer that stays open.
    OfferBySealer,
    /// A draw offer is open already.
    OfferOpen,
    /// No draw offer to this player is open.
    NoOffer,
    /// This player must be here.
    Absent(Colour),
    /// The player who sealed is here: the reply is made in the normal manner.
    SealerHere,
    /// The envelope stays shut.
    Shut,
    /// The envelope is lost.
    EnvelopeLost,
    /// The envelope is not lost.
    NotLost,
    /// It is not this player's clock that runs.
    NotRunning(Colour),
    /// This player's first move is noted already.
    AlreadyMoved(Colour),
}

impl Refusal {
    /// The named reason, the same in every version.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Refusal::Over => "GAME_OVER",
            Refusal::Phase(_) => "WRONG_PHASE",
            Refusal::ProposalOpen(_) => "PROPOSAL_OPEN",
            Refusal::NoProposal => "NO_PROPOSAL",
            Refusal::NoSuchChoice(_) => "NO_SUCH_CHOICE",
            Refusal::BadPosition(_) => "BAD_POSITION",
            Refusal::EndNotAnnounced => "END_NOT_ANNOUNCED",
            Refusal::NoSession => "NO_SESSION",
            Refusal::BadSession => "BAD_SESSION",
            Refusal::NotInAdvance => "NOT_IN_ADVANCE",
            Refusal::TooEarly(_) => "TOO_EARLY",
            Refusal::NotEarly => "NOT_EARLY",
            Refusal::MoveMade => "MOVE_MADE",
            Refusal::IllegalMove(_) => "ILLEGAL_MOVE",
            Refusal::NotWritten => "NOT_WRITTEN",
            Refusal::NotPaper => "NOT_PAPER",
            Refusal::SheetMissing(_) => "SHEET_MISSING",
            Refusal::NotSealed => "NOT_SEALED",
            Refusal::AlreadySealed => "ALREADY_SEALED",
            Refusal::OpponentStarted => "OPPONENT_STARTED",
            Refusal::Incomplete(_) => "ENVELOPE_INCOMPLETE",
            Refusal::OtherSealer => "OTHER_SEALER",
            Refusal::NotChecked => "NOT_CHECKED",
            Refusal::NoResumption => "NO_RESUMPTION",
            Refusal::TimesUnknown => "TIMES_UNKNOWN",
            Refusal::TimesKnown => "TIMES_KNOWN",
            Refusal::OfferBySealer => "OFFER_BY_SEALER",
            Refusal::OfferOpen => "OFFER_OPEN",
            Refusal::NoOffer => "NO_OFFER",
            Refusal::Absent(_) => "PLAYER_ABSENT",
            Refusal::SealerHere => "SEALER_HERE",
            Refusal::Shut => "ENVELOPE_SHUT",
            Refusal::EnvelopeLost => "ENVELOPE_LOST",
            Refusal::NotLost => "ENVELOPE_NOT_LOST",
            Refusal::NotRunning(_) => "NOT_RUNNING",
            Refusal::AlreadyMoved(_) => "ALREADY_MOVED",
        }
    }
}

/// What can be done in a phase.
const fn now_possible(phase: Phase) -> &'static str {
    match phase {
        Phase::Playing => "the game is being played: announce the session, then adjourn it",
        Phase::Sealing => "a move is being sealed: write it, put both sheets in, seal, then stop the clock",
        Phase::Adjourned => "the game is adjourned: fix the resumption, check the envelope, then set up",
        Phase::SetUp => "the position is set up: begin at the time agreed",
        Phase::Waiting => "the player who must reply is awaited and his clock runs: note when he comes",
        Phase::Opening => "the envelope is to be opened: bring what stands on the sheet",
        Phase::Judging => "somebody is too late and the sealed move may still decide: open the envelope",
        Phase::Open => "the sealed move is made and its player is absent: reply normally or seal the reply",
        Phase::ReplySealed => "the reply is sealed: open it when the absent player comes",
        Phase::Resumed => "the game is being played again: what happens in it is the game's own",
        Phase::Ended => "the game is over",
        Phase::Annulled => "the game is annulled: open a new one",
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Over => f.write_str("the game is over or annulled; nothing changes it"),
            Refusal::Phase(phase) => write!(f, "this cannot be done now: {}", now_possible(*phase)),
            Refusal::ProposalOpen(keys) => write!(f, "the arbiter is asked: choose one of {keys} first"),
            Refusal::NoProposal => f.write_str("nothing waits for the arbiter"),
            Refusal::NoSuchChoice(keys) => write!(f, "the proposal can be decided by: {keys}"),
            Refusal::BadPosition(text) => write!(f, "{text:?} is no legal position in FEN"),
            Refusal::EndNotAnnounced => {
                f.write_str("the end of the session is announced in advance with its start: give both")
            }
            Refusal::NoSession => f.write_str("the session's end is not known: announce the session first"),
            Refusal::BadSession => f.write_str("the session ends before it starts: check both times"),
            Refusal::NotInAdvance => f.write_str("the time of the resumption has passed: fix a later one"),
            Refusal::TooEarly(wait) => {
                let minutes = wait.saturating_add(MINUTE - 1) / MINUTE;
                let (hours, minutes) = (minutes / 60, minutes % 60);
                write!(f, "it is too early by the arbiter's clock: {hours} h {minutes} min to go")
            }
            Refusal::NotEarly => f.write_str("the session has ended: let the arbiter require the move to be sealed"),
            Refusal::MoveMade => f.write_str("the move made on the board is written and no longer changes"),
            Refusal::IllegalMove(text) => {
                write!(f, "{text} is not legal in the position: rule it as an illegal move, then go on")
            }
            Refusal::NotWritten => {
                f.write_str("no move is written, or not the one made on the board: let the player write it")
            }
            Refusal::NotPaper => {
                f.write_str("the move is sealed on a paper score sheet: let the player copy it to one")
            }
            Refusal::SheetMissing(whose) => {
                write!(f, "{}'s score sheet is not in the envelope: put it in before sealing", whose.name())
            }
            Refusal::NotSealed => f.write_str("the envelope is not sealed: seal it, and only then stop the clock"),
            Refusal::AlreadySealed => f.write_str("the envelope is sealed already"),
            Refusal::OpponentStarted => {
                f.write_str("the opponent's clock was started: stop it, put its time back, and report the clock again")
            }
            Refusal::Incomplete(what) => {
                f.write_str("missing on the envelope:")?;
                what.iter().try_for_each(|what| write!(f, " {what};"))?;
                f.write_str(" give the envelope as it should be")
            }
            Refusal::OtherSealer => f.write_str(
                "the corrected envelope says that the other player sealed: correct the position's side to move",
            ),
            Refusal::NotChecked => f.write_str("the envelope was not checked: let the arbiter check it first"),
            Refusal::NoResumption => f.write_str("no date, time and venue of the resumption: fix them first"),
            Refusal::TimesUnknown => f.write_str("a reading is unknown: the arbiter must give both times"),
            Refusal::TimesKnown => f.write_str("the recorded times are known and are set: give none"),
            Refusal::OfferBySealer => {
                f.write_str("only the offer of the player who did not seal stays open; note an agreement as one")
            }
            Refusal::OfferOpen => f.write_str("a draw offer is open already: let it be accepted or declined"),
            Refusal::NoOffer => f.write_str("no draw is offered to this player"),
            Refusal::Absent(who) => write!(f, "{} is not here: note when the player comes", who.name()),
            Refusal::SealerHere => f.write_str("the player who sealed is here: reply in the normal manner"),
            Refusal::Shut => {
                f.write_str("the envelope stays shut until the player who must reply is here: note when he comes")
            }
            Refusal::EnvelopeLost => {
                f.write_str("the envelope is lost: let the player who sealed say which move it was")
            }
            Refusal::NotLost => f.write_str("the envelope is there: open it"),
            Refusal::NotRunning(who) => write!(f, "{}'s clock does not run: check whose flag fell", who.name()),
            Refusal::AlreadyMoved(who) => write!(f, "{} has made a move since the resumption already", who.name()),
        }
    }
}

impl core::error::Error for Refusal {}
