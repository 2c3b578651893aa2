//! What is known of a game: the fold of its events.

use alloc::{
    boxed::Box,
    collections::BTreeSet,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen};

use super::base::Base;
use super::event::{About, Act, Alarm, Article, Ending, Event, Outcome, Proposal, Question, Ruling, Stage};
use super::irregularity::Finding;
use super::score::{Ply, Press, Uci};
use super::sent::Sent;
use super::setup::{Overlay, Setup};
use crate::{
    adjourn::{Adjournment, Envelope, Phase},
    board::{Scan, Turn},
    clock::{Colour, Face, Going, Place, control::MOVES_MAX},
    laws::Play,
    time::{Millis, Moment},
};

/// Directives that one can replace: no clock is offline for more.
const MOST_REPLACED: usize = 64;

/// Where a case stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CasePhase {
    /// Found; the clock was not stopped for it. Whoever may act on it can, for as long as the Laws give him.
    Shown,
    /// The clock was told to stop by the directive of this revision.
    Stopping(u64),
    /// Waits for the desk.
    Proposed,
    /// The arbiter was shown it and left it alone: whoever may claim it still can, for as long as the Laws let him.
    Left,
    /// Decided.
    Ruled,
}

/// A case: an irregularity and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What was found.
    pub finding: Finding,
    /// Where it stands.
    pub phase: CasePhase,
    /// What can be done.
    pub proposal: Option<Proposal>,
    /// The way out that was chosen before the clock was stopped, by whom and why.
    pub chosen: Option<(String, String, String)>,
    /// What was decided.
    pub ruling: Option<Ruling>,
    /// Plies that were known when it was found.
    pub known: u32,
    /// The press it speaks of, where the clock was stopped before the score had that.
    pub press: Option<HeldPress>,
}

/// A reading that was believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Believed {
    /// Milliseconds left.
    pub left: Millis,
    /// When it was heard.
    pub at: Moment,
    /// Moves the player had completed by then.
    pub moves: u32,
}

/// A press that waits for the board to settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldPress {
    /// Who pressed.
    pub by: Colour,
    /// When.
    pub at: Moment,
    /// The face just after the press.
    pub face: Face,
    /// The reading of the presser just before the press, as far as it can be known.
    pub before: Face,
    /// The board at the press in the game's orientation; `None` when none was seen yet.
    pub scan: Option<Scan>,
    /// The board as it stood still after the press, before anything else was done.
    pub rest: Option<Scan>,
    /// The event's number in the spool.
    pub seq: u64,
}

impl HeldPress {
    /// A press heard just now.
    pub(crate) fn now(game: &Game, by: Colour) -> HeldPress {
        let (at, seq, scan) = (game.at.unwrap_or_default(), game.seq, game.scan);
        HeldPress { by, at, face: game.face, before: game.face_before, scan, rest: None, seq }
    }
}

/// A game as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// How it was opened; its name alone before that.
    pub setup: Setup,
    /// It was opened.
    pub opened: bool,
    /// Where it began, and all from which it went on later though no legal move led there, each with the number of plies before it.
    pub bases: Vec<(usize, Base)>,
    /// The position after every ply made; where the men are none, the last one before that.
    pub position: Chess,
    /// The surviving score.
    pub plies: Vec<Ply>,
    /// Presses on a clock without a board, or from before one was seen.
    pub presses: Vec<Press>,
    /// Plies taken back by rulings, with the number each had; nothing is deleted.
    pub annulled: Vec<(u32, Ply)>,
    /// The last face heard.
    pub face: Face,
    /// The face heard before that: what a mover's clock showed while he was thinking.
    pub face_before: Face,
    /// The least period that each player is in, whatever his moves say, wherever that changed, with the number of plies known by
    /// then.
    pub periods: Vec<(u32, [u8; 2])>,
    /// When the last face was heard.
    pub at: Option<Moment>,
    /// When the face before that was heard.
    pub at_before: Option<Moment>,
    /// The clock was started.
    pub started: bool,
    /// The last event heard of the clock.
    pub seq: u64,
    /// The last of them after which the times were others than those before it run down: a completed move, or times set.
    pub turned: u64,
    /// The board as last seen, in the game's orientation; `None` while nobody reads it.
    pub scan: Option<Scan>,
    /// Boards seen since the last ply and when, oldest first, at most 16: they tell which of several readings is right, and
    /// whether the board stood still after the ply.
    pub trail: Vec<(Scan, Moment)>,
    /// How the board lies.
    pub turn: Turn,
    /// The board has shown the position that the game begins with: what stands wrong later was not set up wrongly.
    pub set_up: bool,
    /// The moves could not be followed, and the board has not shown the position since.
    pub lost: bool,
    /// When the board was last seen to change.
    pub scan_at: Option<Moment>,
    /// When the clock was last heard to run.
    pub ran_at: Option<Moment>,
    /// Presses that wait for the board, oldest first: a fast reply can come before the first of two is read.
    pub held: Vec<HeldPress>,
    /// Strikes of each player in this game, White first.
    pub strikes: [u32; 2],
    /// Every case.
    pub cases: Vec<Case>,
    /// How many of them were found before the game that is being played was begun: in a cancelled one.
    pub cases_before: usize,
    /// Every directive; the revision is its place in the list, from 1.
    pub directives: Vec<Sent>,
    /// Every question asked, and its answer once there is one.
    pub questions: Vec<(Question, Option<Option<bool>>)>,
    /// Flags that have fallen and are down, in the order they were observed.
    pub flags: Vec<Colour>,
    /// The end.
    pub ended: Option<(Outcome, Ending, Article)>,
    /// Everything the desk was alarmed of.
    pub alarms: Vec<(Alarm, String)>,
    /// How many of them, from the first, somebody has attended to.
    pub heeded: usize,
    /// Desk requests already carried out.
    pub admitted: BTreeSet<String>,
    /// The reading last believed of each hand: what a leap is measured from.
    pub believed: [Option<Believed>; 2],
    /// Its adjournment, once one is spoken of; a second one takes the place of the first.
    pub adjournment: Option<Box<Adjournment>>,
    /// Directives up to this revision went to clocks that the game has left.
    pub left_rev: u64,
    /// The clock to be started once a stop is carried out: the revision, whose, and whether the opponent's counter goes up.
    pub waits: Option<(u64, Colour, bool)>,
    /// The position was given by hand after so many presses that no board had shown: it is known until the next one.
    pub given: Option<u32>,
    /// The game has come to another board, which may lie the other way round.
    pub new_board: bool,
}

impl Game {
    /// A game of which only the name is known: what an empty stream folds to.
    #[must_use]
    pub fn new(name: &str) -> Game {
        let setup = Setup {
            game: name.to_string(),
            device: String::new(),
            edition: String::new(),
            play: Play::Standard,
            control: None,
            white_place: Place::Left,
            position: None,
            overlay: Overlay::default(),
        };
        Game {
            setup,
            opened: false,
            bases: vec![(0, Base::Position(Chess::default()))],
            position: Chess::default(),
            plies: Vec::new(),
            presses: Vec::new(),
            annulled: Vec::new(),
            face: Face::unknown(Place::Left),
            face_before: Face::unknown(Place::Left),
            periods: Vec::new(),
            at: None,
            at_before: None,
            started: false,
            seq: 0,
            turned: 0,
            scan: None,
            trail: Vec::new(),
            turn: Turn::None,
            set_up: false,
            lost: false,
            scan_at: None,
            ran_at: None,
            held: Vec::new(),
            strikes: [0; 2],
            cases: Vec::new(),
            cases_before: 0,
            directives: Vec::new(),
            questions: Vec::new(),
            flags: Vec::new(),
            ended: None,
            alarms: Vec::new(),
            heeded: 0,
            admitted: BTreeSet::new(),
            believed: [None; 2],
            adjournment: None,
            left_rev: 0,
            waits: None,
            given: None,
            new_board: false,
        }
    }

    /// Folds events from the beginning of a stream.
    #[must_use]
    pub fn replay<'e>(name: &str, events: impl IntoIterator<Item = &'e Event>) -> Game {
        let mut game = Game::new(name);
        for event in events {
            super::evolve(&mut game, event);
        }
        game
    }

    /// The newest revision issued; 0 when none was.
    #[must_use]
    pub fn rev(&self) -> u64 {
        self.directives.len() as u64
    }

    /// The clock that the game is on has said something of a directive that was for it; before that it has not taken the game on, and
    /// what it says is of another one.
    #[must_use]
    pub fn is_taken_on(&self) -> bool {
        let left = usize::try_from(self.left_rev).unwrap_or(usize::MAX).min(self.directives.len());
        left == 0 || self.directives[left..].iter().any(|sent| sent.is_final() || sent.stage == Stage::Received)
    }

    /// Directives that one with this act makes pointless, by revision: a result everything but the taking on of the game, new times
    /// the times before them.
    #[must_use]
    pub fn replaced_by(&self, act: &Act) -> Vec<u64> {
        let pointless = |earlier: &Act| match act {
            Act::Conclude(_) => !matches!(earlier, Act::Prepare { .. } | Act::Conclude(_)),
            Act::Set { .. } => matches!(earlier, Act::Set { .. } | Act::Add(..) | Act::Run),
            _ => false,
        };
        let sent = self.directives.iter().rev().take_while(|sent| sent.directive.rev > self.left_rev);
        let mut revs: Vec<u64> = sent
            .filter(|sent| !sent.is_final() && pointless(&sent.directive.act))
            .map(|sent| sent.directive.rev)
            .take(MOST_REPLACED)
            .collect();
        revs.reverse();
        revs
    }

    /// The case of this number.
    #[must_use]
    pub fn case(&self, number: u32) -> Option<&Case> {
        (number as usize).checked_sub(1).and_then(|index| self.cases.get(index))
    }

    /// The case for which the game is stopped, if any.
    #[must_use]
    pub fn open_case(&self) -> Option<&Case> {
        self.cases.iter().rev().find(|case| matches!(case.phase, CasePhase::Stopping(_) | CasePhase::Proposed))
    }

    /// The clock was stopped for the press that was found, before the score had it: nobody has read a move from it.
    #[must_use]
    pub fn stopped_at_press(&self, finding: &Finding) -> bool {
        self.case(finding.case).is_some_and(|case| case.press.is_some()) && finding.ply > self.known()
    }

    /// Where the adjournment stands; `None` when nothing was said of one.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        self.adjournment.as_ref().map(|adjournment| adjournment.phase)
    }

    /// It is adjourned and not set up again yet: it needs no clock.
    #[must_use]
    pub fn is_adjourned(&self) -> bool {
        self.ended.is_none() && self.phase() == Some(Phase::Adjourned)
    }

    /// The face on record: the last one heard, or of an adjourned game that of its envelope, whatever its clock shows by now.
    #[must_use]
    pub fn recorded(&self) -> Face {
        match self.envelope() {
            Some(envelope) => Face { hands: envelope.hands, going: Going::Paused, ..self.face },
            None => self.face,
        }
    }

    /// The envelope of a game that is adjourned.
    #[must_use]
    pub fn envelope(&self) -> Option<&Envelope> {
        let adjournment = self.adjournment.as_ref().filter(|_| self.is_adjourned())?;
        adjournment.envelope.as_ref()
    }

    /// Questions that wait for an answer.
    pub fn unanswered(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|(_, answer)| answer.is_none()).map(|(question, _)| question)
    }

    /// The game is over by a flag or a resignation, and only the result waits for the answer whether the opponent can mate: nothing that
    /// comes later changes it.
    #[must_use]
    pub fn result_waits(&self) -> bool {
        let decides = |question: &Question| matches!(question.about, About::Flag(_) | About::Resignation(_));
        self.ended.is_none() && self.unanswered().any(decides)
    }

    /// How many plies are known of, seen or only pressed.
    #[must_use]
    pub fn known(&self) -> u32 {
        self.plies.len().max(self.presses.len()) as u32
    }

    /// What the clocks showed at a ply, numbered from 1.
    #[must_use]
    pub fn press_at(&self, ply: u32) -> Option<Press> {
        let index = (ply as usize).checked_sub(1)?;
        let seen = self.plies.get(index).map(|&ply| Press::from(ply));
        seen.or_else(|| self.presses.get(index).copied())
    }

    /// Whose move it is: by the score and the presses that wait for the board where the moves are seen, otherwise by the clock.
    #[must_use]
    pub fn to_move(&self) -> Colour {
        match self.adrift() {
            _ if self.blind() => self.face.turn,
            Some(adrift) => self.after_presses(adrift.untold.turn),
            None => self.after_presses(self.position.turn().into()),
        }
    }

    /// Number of the ply being played, from 1.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.known() + 1
    }

    /// How often the present position has stood on the board in the surviving score, now included.
    #[must_use]
    pub fn occurrences(&self) -> u32 {
        self.times(&self.position)
    }

    /// How often a position has stood on the board in the surviving score.
    #[must_use]
    pub fn times(&self, position: &Chess) -> u32 {
        let now = hash(position);
        self.stood().filter(|&then| then == now).count() as u32
    }

    /// The positions that stood on the board in the surviving score, hashed, the present one first and that it began with last.
    pub fn stood(&self) -> impl Iterator<Item = u64> {
        let start = self.first_position().map(hash);
        self.plies.iter().rev().map(|ply| ply.position).chain(start)
    }
}

/// A position in FEN, with the en-passant square only where it matters.
#[must_use]
pub fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// Reads a position; `None` names no reason because the desk's edge checks it first.
#[must_use]
pub fn position(text: &str) -> Option<Chess> {
    let position: Chess = Fen::from_ascii(text.as_bytes()).ok()?.into_position(CastlingMode::Standard).ok()?;
    // No game is so long: the number of the move is counted on.
    (position.fullmoves().get() <= MOVES_MAX).then_some(position)
}

/// Plays a move of the score. A move that does not fit leaves the position alone: events are facts and `evolve` is total.
pub(crate) fn play(position: &mut Chess, uci: Uci) {
    let legal = shakmaty::uci::UciMove::from_ascii(uci.as_str().as_bytes()).ok().and_then(|m| m.to_move(position).ok());
    if let Some(m) = legal {
        position.play_unchecked(m);
    }
}

/// A position's hash, equal for positions that are the same by article 9.2.
#[must_use]
pub fn hash(position: &Chess) -> u64 {
    position.zobrist_hash::<shakmaty::zobrist::Zobrist64>(EnPassantMode::Legal).0
}
