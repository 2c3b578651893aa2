//! What an edition of the Laws is: parameters, numbering, rules. Data only.

use super::{Articles, Phrase, Rule};
use crate::{clock::Control, time::Millis};

/// The kind of play, which chooses penalties and procedures within an edition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Play {
    /// Standard play.
    Standard,
    /// Rapid, adequately supervised.
    RapidSupervised,
    /// Rapid, not adequately supervised.
    Rapid,
    /// Blitz, adequately supervised.
    BlitzSupervised,
    /// Blitz, not adequately supervised.
    Blitz,
}

impl Play {
    /// The same play with an arbiter who watches it.
    #[must_use]
    pub const fn watched(self) -> Play {
        match self {
            Play::Standard => Play::Standard,
            Play::RapidSupervised | Play::Rapid => Play::RapidSupervised,
            Play::BlitzSupervised | Play::Blitz => Play::BlitzSupervised,
        }
    }
}

/// One value for each kind of play.
#[derive(Clone, Copy, Debug)]
pub struct ByPlay<T> {
    /// Standard play.
    pub standard: T,
    /// Rapid, supervised.
    pub rapid_supervised: T,
    /// Rapid, not supervised.
    pub rapid: T,
    /// Blitz, supervised.
    pub blitz_supervised: T,
    /// Blitz, not supervised.
    pub blitz: T,
}

impl<T: Copy> ByPlay<T> {
    /// The same value whatever is played.
    #[must_use]
    pub const fn all(value: T) -> ByPlay<T> {
        ByPlay { standard: value, rapid_supervised: value, rapid: value, blitz_supervised: value, blitz: value }
    }

    /// The value for a kind of play.
    #[must_use]
    pub const fn of(&self, play: Play) -> T {
        match play {
            Play::Standard => self.standard,
            Play::RapidSupervised => self.rapid_supervised,
            Play::Rapid => self.rapid,
            Play::BlitzSupervised => self.blitz_supervised,
            Play::Blitz => self.blitz,
        }
    }
}

/// What an illegal move costs in one kind of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Penalty {
    /// Time added to the opponent for each illegal move before the last, milliseconds.
    pub bonus: Millis,
    /// With which illegal move by one player the game is lost.
    pub loses_at: u32,
}

/// What becomes of a game begun with the colours reversed (7.2, later 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reversed {
    /// Play goes on unless the arbiter rules otherwise.
    ArbiterDecides,
    /// A new game, until each player has completed this many moves.
    CompletedByEach(u32),
    /// A new game, until both players have made this many moves.
    MadeByBoth(u32),
}

/// What becomes of a pawn left on the last rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PawnLeft {
    /// It is replaced by a queen.
    BecomesQueen,
    /// It goes back.
    Restored,
}

/// What five times the same position means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fivefold {
    /// Five times at all.
    AnyFive,
    /// On five consecutive alternate moves by each player.
    Consecutive,
}

/// Both flags are down and nobody knows which fell first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothFlags {
    /// Play goes on, and in the last period the game is drawn (6.11 of 2009).
    DrawnInLastPeriod,
    /// Only where a quickplay finish was announced (Guideline III): otherwise the arbiter decides.
    QuickplayFinish,
}

/// Where the arbiter decides on a draw that is claimed in a quickplay finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickplayFinish {
    /// Everywhere: it is an article of the Laws (10 of 2009).
    Everywhere,
    /// Where it was announced before the event (Appendix G of 2014, Guideline III).
    Announced,
}

/// Who may act on an illegal move where no arbiter watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayAct {
    /// The opponent alone, by a claim.
    Opponent,
    /// The arbiter who sees it, or the opponent by a claim.
    ArbiterOrOpponent,
}

/// Who may say that a flag is down where no arbiter watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagCall {
    /// Only a player's claim counts.
    Claim,
    /// A claim, or the arbiter if he likes.
    ArbiterMay,
    /// The arbiter must.
    ArbiterShall,
}

/// Both kings in check, or a pawn on the last rank, where no arbiter watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalPosition {
    /// The arbiter steps in if he can.
    StepIn,
    /// One more completed move is waited for; if the position is still illegal the game is drawn.
    WaitThenDraw,
    /// Nobody steps in.
    LeftAlone,
}

/// Until when the set-up can be put right where no arbiter watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetUp {
    /// Until each player has made this many moves.
    MadeByEach(u32),
    /// Until each player has completed this many moves.
    CompletedByEach(u32),
}

/// Play that is not adequately supervised.
#[derive(Clone, Copy, Debug)]
pub struct Unsupervised {
    /// The numbering.
    pub articles: UnsupervisedArticles,
    /// Who may act on an illegal move, until the opponent has made a move of his own.
    pub may_act: MayAct,
    /// Illegal positions.
    pub illegal_position: IllegalPosition,
    /// Flags.
    pub flag: FlagCall,
    /// Moves after which nothing of the set-up is put right any more.
    pub set_up: SetUp,
}

/// The numbering of play without adequate supervision; a question mark as in [`Articles`].
#[derive(Clone, Copy, Debug)]
pub struct UnsupervisedArticles {
    /// Illegal moves.
    pub illegal_move: &'static str,
    /// Illegal positions.
    pub illegal_position: &'static str,
    /// Flags.
    pub flag: &'static str,
    /// How long the set-up can be put right.
    pub set_up: &'static str,
}

impl UnsupervisedArticles {
    /// One number for everything.
    #[must_use]
    pub const fn all(number: &'static str) -> UnsupervisedArticles {
        UnsupervisedArticles { illegal_move: number, illegal_position: number, flag: number, set_up: number }
    }
}

/// How much time for a game is blitz and how much rapid, in milliseconds: the base of every period and sixty times what a move adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// The most that is blitz.
    pub blitz: Millis,
    /// The most that is rapid; more is standard play.
    pub rapid: Millis,
}

impl Rates {
    /// The time for a game by a control, milliseconds. What a move adds is taken of the first period.
    #[must_use]
    pub fn total(control: &Control) -> Millis {
        let base: Millis = control.periods().iter().map(|period| period.base).sum();
        base + 60 * control.period(0).compensation.amount()
    }

    /// The kind of play by a control, as if without supervision.
    #[must_use]
    pub fn play(&self, control: &Control) -> Play {
        match Rates::total(control) {
            total if total <= self.blitz => Play::Blitz,
            total if total <= self.rapid => Play::Rapid,
            _ => Play::Standard,
        }
    }
}

/// One edition of the Laws. A later one states what it changes and takes the rest from the one before.
#[derive(Clone, Copy, Debug)]
pub struct Edition {
    /// Its id, such as `fide-2018`.
    pub id: &'static str,
    /// Its name and where it comes from.
    pub title: Phrase,
    /// What an illegal move costs.
    pub penalties: ByPlay<Penalty>,
    /// A move that was not pressed is completed too when play has gone on: since 2014 (6.2.1). Before, only the press completes it
    /// (6.7a of 2009).
    pub next_completes: bool,
    /// The arbiter may leave the times alone when an irregularity is found later: a right since 2014.
    pub times_may_stay: bool,
    /// An illegal move that would lose is a draw when the opponent cannot mate by any series of legal moves.
    pub mating_exception: bool,
    /// So is a resignation.
    pub resignation_exception: bool,
    /// Pawn left on the last rank.
    pub pawn_left: PawnLeft,
    /// Reversed colours.
    pub reversed: Reversed,
    /// What counts as the fifth time for an automatic draw; `None`: there is none.
    pub fivefold: Option<Fivefold>,
    /// Both flags down.
    pub both_flags: BothFlags,
    /// What a wrong claim of a draw gives the opponent, milliseconds.
    pub wrong_claim: ByPlay<Millis>,
    /// The Laws fix that; otherwise no text at hand says it, and it is proposed.
    pub wrong_claim_fixed: bool,
    /// Claims in a quickplay finish.
    pub quickplay_finish: QuickplayFinish,
    /// How late a player may come to the board where the event sets nothing, milliseconds.
    pub default_time: Millis,
    /// What is blitz, and what rapid.
    pub rates: Rates,
    /// Rapid without adequate supervision.
    pub rapid: Unsupervised,
    /// Blitz without adequate supervision.
    pub blitz: Unsupervised,
    /// The numbering.
    pub articles: Articles,
    /// What a press that no legal move explains is tried for, in order of precedence.
    pub rules: &'static [Rule],
}

impl Edition {
    /// The procedure without supervision; `None`: article 7 applies as in standard play.
    #[must_use]
    pub const fn unsupervised(&self, play: Play) -> Option<&Unsupervised> {
        match play {
            Play::Rapid => Some(&self.rapid),
            Play::Blitz => Some(&self.blitz),
            Play::Standard | Play::RapidSupervised | Play::BlitzSupervised => None,
        }
    }
}
