//! What is known of an adjournment: the fold of its events.

use alloc::{string::String, vec::Vec};

use shakmaty::{Chess, Position};

use super::{
    act::Situation,
    evolve::evolve,
    step::{Event, Proposal, Reason},
};
use crate::{
    clock::{Colour, Hand},
    game::{Outcome, Uci, event::Article, state},
    time::Millis,
};

/// Where an adjournment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The game is being played.
    Playing,
    /// The player to move is to seal.
    Sealing,
    /// Sealed, and the clock is stopped.
    Adjourned,
    /// Position and times are set up again.
    SetUp,
    /// The player who must reply is absent and his clock runs; the envelope stays shut.
    Waiting,
    /// The envelope may be opened; no clock runs.
    Opening,
    /// Somebody is too late, and only the sealed move can still say otherwise.
    Judging,
    /// The sealed move is made and the clock of the one who must reply runs; the player who sealed is absent.
    Open,
    /// The reply is sealed and the clock of the player who sealed first runs.
    ReplySealed,
    /// The game is being played again.
    Resumed,
    /// The game has ended.
    Ended,
    /// The game is annulled and a new one is to be played.
    Annulled,
}

/// A session of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// When it starts, milliseconds since 1970.
    pub start: Millis,
    /// When it ends; `None` where only the start is announced.
    pub end: Option<Millis>,
}

/// When and where the game goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// The date as written on the envelope.
    pub date: String,
    /// The time as written.
    pub time: String,
    /// The venue as written.
    pub venue: String,
    /// The session: its start is the time agreed.
    pub session: Session,
}

/// A move nobody can read before the envelope is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// What the text is checked against once it is opened.
    pub commitment: [u8; 32],
    /// The text, encrypted.
    pub ciphertext: Vec<u8>,
}

/// What stands on the envelope (A2).
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Names of the players, White first.
    pub names: [Option<String>; 2],
    /// The position immediately before the sealed move, FEN.
    pub position: String,
    /// Time used by each player, milliseconds, White first; `None` when unknown.
    pub used: [Option<Millis>; 2],
    /// Both halves of the clock as recorded: what is left, moves, periods.
    pub hands: [Hand; 2],
    /// Who sealed.
    pub sealer: Colour,
    /// The number of the sealed move.
    pub move_number: u32,
    /// Who made a draw offer that is still open.
    pub draw_offer: Option<Colour>,
    /// When and where the game goes on.
    pub resumption: Option<Resumption>,
}

/// Who holds the envelope, and since when (A3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custody {
    /// Who.
    pub holder: String,
    /// Since when, milliseconds since 1970.
    pub since: Millis,
}

/// An adjournment as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjournment {
    /// Where it stands.
    pub phase: Phase,
    /// When the last event happened, milliseconds since 1970.
    pub at: Millis,
    /// The session that ends, as announced.
    pub session: Option<Session>,
    /// The game when it was adjourned.
    pub situation: Option<Situation>,
    /// Whose move it is to seal.
    pub sealer: Option<Colour>,
    /// The player to move adjourned before the session's end.
    pub early: bool,
    /// What is left to him at the nominal end then, milliseconds (A1); `None` when it is not known or he was not early.
    pub charged: Option<Millis>,
    /// The move made on the board instead of being sealed.
    pub on_board: Option<Uci>,
    /// The sheet says what it must: something is written, and since the move on the board if there was one.
    pub written: bool,
    /// Score sheets in the envelope, White's first.
    pub sheets: [bool; 2],
    /// The envelope is sealed.
    pub closed: bool,
    /// The sealed move, as last written.
    pub seal: Option<Seal>,
    /// What stands on the envelope, once the clock is stopped.
    pub envelope: Option<Envelope>,
    /// The resumption as fixed.
    pub resumption: Option<Resumption>,
    /// The arbiter has checked the envelope.
    pub checked: bool,
    /// Who held the envelope, oldest first.
    pub custody: Vec<Custody>,
    /// Who made the draw offer that is open.
    pub offer: Option<Colour>,
    /// Who is here, White first.
    pub here: [bool; 2],
    /// When each player came for the resumption, milliseconds since 1970.
    pub came: [Option<Millis>; 2],
    /// Who may come later than the default time.
    pub excused: [bool; 2],
    /// When the resumption began.
    pub began: Option<Millis>,
    /// Who was found too late.
    pub late: [bool; 2],
    /// The envelope is missing.
    pub lost: bool,
    /// What stood on the sheet, once it was opened or stated.
    pub text: Option<String>,
    /// The sealed move once it is made.
    pub sealed_move: Option<Uci>,
    /// The sealed reply.
    pub reply_seal: Option<Seal>,
    /// The reply once it is made.
    pub reply: Option<Uci>,
    /// Who has made a move since the resumption.
    pub moved: [bool; 2],
    /// What waits for the arbiter.
    pub proposal: Option<Proposal>,
    /// The end: the result (`None`: both lose), the reason, the article.
    pub ended: Option<(Option<Outcome>, Reason, Article)>,
}

impl Default for Adjournment {
    fn default() -> Adjournment {
        Adjournment {
            phase: Phase::Playing,
            at: 0,
            session: None,
            situation: None,
            sealer: None,
            early: false,
            charged: None,
            on_board: None,
            written: false,
            sheets: [false; 2],
            closed: false,
            seal: None,
            envelope: None,
            resumption: None,
            checked: false,
            custody: Vec::new(),
            offer: None,
            here: [false; 2],
            came: [None; 2],
            excused: [false; 2],
            began: None,
            late: [false; 2],
            lost: false,
            text: None,
            sealed_move: None,
            reply_seal: None,
            reply: None,
            moved: [false; 2],
            proposal: None,
            ended: None,
        }
    }
}

impl Adjournment {
    /// An adjournment of which nothing is known yet.
    #[must_use]
    pub fn new() -> Adjournment {
        Adjournment::default()
    }

    /// Folds events from the beginning.
    #[must_use]
    pub fn replay<'e>(events: impl IntoIterator<Item = &'e Event>) -> Adjournment {
        let mut state = Adjournment::new();
        for event in events {
            evolve(&mut state, event);
        }
        state
    }

    /// The player who must reply to the sealed move.
    #[must_use]
    pub fn responder(&self) -> Option<Colour> {
        self.sealer.map(Colour::other)
    }

    /// This player is here.
    #[must_use]
    pub const fn is_here(&self, player: Colour) -> bool {
        self.here[player.index()]
    }

    /// The position immediately before the sealed move.
    #[must_use]
    pub fn before(&self) -> Option<Chess> {
        let envelope = self.envelope.as_ref().map(|envelope| envelope.position.as_str());
        state::position(envelope.or(self.situation.as_ref().map(|situation| situation.position.as_str()))?)
    }

    /// The position as far as its moves are known: after the sealed move and the reply once they are made.
    #[must_use]
    pub fn position(&self) -> Option<Chess> {
        let mut position = self.before()?;
        for uci in self.sealed_move.into_iter().chain(self.reply) {
            state::play(&mut position, uci);
        }
        Some(position)
    }

    /// Nothing can change any more.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended | Phase::Annulled)
    }
}

/// Whose move it is and its number, by the position's own counters.
pub(super) fn to_move(position: &Chess) -> (Colour, u32) {
    (position.turn().into(), position.fullmoves().get())
}
