//! The Laws: every edition as data ([`editions`]), every article as a pure function ([`articles`]).
//!
//! An [`Edition`] is a static: parameters, the numbering of its articles, and an ordered list of [`Rule`]s. Order is
//! precedence: the first rule that finds something speaks. A new edition is a new file in `editions` and a line in
//! [`EDITIONS`]; no rule ever asks which edition it serves.

pub mod articles;
pub mod editions;

use alloc::{format, string::String, vec::Vec};

use crate::{
    board::Scan,
    clock::{Colour, Face},
    game::{Finding, Game, Irregularity, Remedy, Words},
    time::Millis,
};

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

/// The numbering of an edition, topic by topic. A number with a question mark is confirmed by no text at hand; an empty one
/// means that the edition has no such article.
#[derive(Clone, Copy, Debug)]
pub struct Articles {
    /// How both clocks are set after an irregularity.
    pub clock_setting: &'static str,
    /// Wrong initial position.
    pub wrong_start: &'static str,
    /// Board the wrong way round.
    pub board_turned: &'static str,
    /// Colours reversed.
    pub colours: &'static str,
    /// Pieces displaced by a player.
    pub displaced: &'static str,
    /// Pieces found displaced later.
    pub displaced_found: &'static str,
    /// Illegal move.
    pub illegal_move: &'static str,
    /// Pawn left on the last rank.
    pub pawn_left: &'static str,
    /// Press without a move.
    pub press_without_move: &'static str,
    /// Two hands.
    pub two_hands: &'static str,
    /// Penalty for an illegal move.
    pub penalty: &'static str,
    /// Penalty for two hands.
    pub two_hands_penalty: &'static str,
    /// Penalty for a press without a move.
    pub press_penalty: &'static str,
    /// A move is completed by the press.
    pub completion: &'static str,
    /// Flag fall.
    pub flag: &'static str,
    /// An evident defect of the clock's setting.
    pub clock_defect: &'static str,
    /// Mate.
    pub checkmate: &'static str,
    /// Stalemate.
    pub stalemate: &'static str,
    /// Dead position.
    pub dead_position: &'static str,
    /// Fivefold repetition.
    pub fivefold: &'static str,
    /// Seventy-five moves.
    pub seventy_five: &'static str,
    /// Resignation and agreement, which kings in the centre stand for.
    pub agreement: &'static str,
}

/// A press that the settled board does not explain by a legal move.
#[derive(Clone, Copy, Debug)]
pub struct Settled<'a> {
    /// The game before it.
    pub game: &'a Game,
    /// Who pressed.
    pub by: Colour,
    /// The board at the press.
    pub at_press: Option<&'a Scan>,
    /// The board when it had settled.
    pub board: &'a Scan,
    /// How many presses wait for it, this one included.
    pub presses: usize,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What.
    pub kind: Irregularity,
    /// The article.
    pub article: &'static str,
    /// The Laws fix what follows.
    pub fixed: bool,
    /// What was seen, in English.
    pub seen: String,
}

impl Found {
    /// What the display says while the clock is stopped for it.
    #[must_use]
    pub const fn kind_words(&self) -> Words2 {
        let (en, ru) = match self.kind {
            Irregularity::IllegalMove => ("Illegal move", "Невозможный ход"),
            Irregularity::PawnLeft => ("Pawn not replaced", "Пешка не заменена"),
            Irregularity::PressWithoutMove => ("Clock pressed without a move", "Часы нажаты без хода"),
            Irregularity::TwoHands => ("Two hands", "Ход двумя руками"),
            Irregularity::Displaced | Irregularity::DisplacedFound => ("Pieces displaced", "Фигуры смещены"),
            Irregularity::WrongStart => ("Wrong initial position", "Неверная начальная позиция"),
            Irregularity::BoardTurned => ("Board turned", "Доска повёрнута"),
            Irregularity::ColoursReversed => ("Colours reversed", "Перепутан цвет фигур"),
            Irregularity::ClockJump => ("Clock reading", "Показания часов"),
            Irregularity::ForgottenPress => ("Clock not pressed", "Часы не нажаты"),
            Irregularity::FlagInDoubt => ("Flag", "Флаг"),
        };
        Words2 { en, ru }
    }
}

/// A rule looks at a settled board and says what it finds, citing its article in the edition's numbering.
pub type Rule = fn(&Edition, &Settled<'_>) -> Option<Found>;

/// One edition of the Laws.
#[derive(Debug)]
pub struct Edition {
    /// Its id, such as `fide-2018`.
    pub id: &'static str,
    /// Its name and where it comes from.
    pub title: Words2,
    /// What an illegal move costs in standard play, rapid and blitz, as [`Edition::penalty`] reads it.
    pub penalties: Penalties,
    /// An illegal move that would lose is a draw when the opponent cannot mate by any series of legal moves.
    pub mating_exception: bool,
    /// Pawn left on the last rank.
    pub pawn_left: PawnLeft,
    /// Reversed colours.
    pub reversed: Reversed,
    /// What counts as the fifth time for an automatic draw; `None`: there is none.
    pub fivefold: Option<Fivefold>,
    /// The numbering.
    pub articles: Articles,
    /// What a press that no legal move explains is tried for, in order of precedence.
    pub rules: &'static [Rule],
}

/// Static words in both languages.
#[derive(Clone, Copy, Debug)]
pub struct Words2 {
    /// English.
    pub en: &'static str,
    /// Russian.
    pub ru: &'static str,
}

/// Penalties by kind of play.
#[derive(Clone, Copy, Debug)]
pub struct Penalties {
    /// Standard play.
    pub standard: Penalty,
    /// Rapid, supervised.
    pub rapid_supervised: Penalty,
    /// Rapid, not supervised.
    pub rapid: Penalty,
    /// Blitz, supervised.
    pub blitz_supervised: Penalty,
    /// Blitz, not supervised.
    pub blitz: Penalty,
}

impl Edition {
    /// What an illegal move costs.
    #[must_use]
    pub const fn penalty(&self, play: Play) -> Penalty {
        match play {
            Play::Standard => self.penalties.standard,
            Play::RapidSupervised => self.penalties.rapid_supervised,
            Play::Rapid => self.penalties.rapid,
            Play::BlitzSupervised => self.penalties.blitz_supervised,
            Play::Blitz => self.penalties.blitz,
        }
    }
}

impl Edition {
    /// The article of an irregularity in this edition's numbering.
    #[must_use]
    pub const fn article(&self, kind: Irregularity) -> &'static str {
        let articles = &self.articles;
        match kind {
            Irregularity::IllegalMove => articles.illegal_move,
            Irregularity::PawnLeft => articles.pawn_left,
            Irregularity::PressWithoutMove => articles.press_without_move,
            Irregularity::TwoHands => articles.two_hands,
            Irregularity::Displaced => articles.displaced,
            Irregularity::DisplacedFound => articles.displaced_found,
            Irregularity::WrongStart => articles.wrong_start,
            Irregularity::BoardTurned => articles.board_turned,
            Irregularity::ColoursReversed => articles.colours,
            Irregularity::ClockJump => articles.clock_defect,
            Irregularity::ForgottenPress => articles.completion,
            Irregularity::FlagInDoubt => articles.flag,
        }
    }

    /// The article under which an irregularity is punished as an illegal move.
    #[must_use]
    pub const fn penalty_article(&self, kind: Irregularity) -> &'static str {
        match kind {
            Irregularity::TwoHands => self.articles.two_hands_penalty,
            Irregularity::PressWithoutMove => self.articles.press_penalty,
            _ => self.articles.penalty,
        }
    }
}

/// Every edition this build knows.
pub static EDITIONS: &[&Edition] = &[
    &editions::rf_2011::EDITION,
    &editions::fide_2009::EDITION,
    &editions::fide_2014::EDITION,
    &editions::fide_2017::EDITION,
    &editions::rf_2017::EDITION,
    &editions::fide_2018::EDITION,
    &editions::fide_2023::EDITION,
];

/// The edition of an id.
#[must_use]
pub fn edition(id: &str) -> Option<&'static Edition> {
    EDITIONS.iter().copied().find(|edition| edition.id == id)
}

/// The ways to deal with an irregularity, the default first; at least one. `face` is the clock as it was stopped.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    articles::remedies(edition, game, finding, face)
}

/// What a person reported, as a finding. Whether the Laws fix what follows depends on when it is found.
#[must_use]
pub fn reported(edition: &Edition, game: &Game, kind: Irregularity, ply: u32, note: &str) -> Found {
    let just_now = ply as usize >= game.plies.len();
    let fixed = match kind {
        Irregularity::IllegalMove
        | Irregularity::PressWithoutMove
        | Irregularity::TwoHands
        | Irregularity::PawnLeft => just_now,
        Irregularity::WrongStart | Irregularity::BoardTurned | Irregularity::ClockJump => true,
        // The cut-off is fixed; the times of the new game are not (case 20).
        Irregularity::ColoursReversed => articles::colours::too_late(edition, game),
        Irregularity::Displaced
        | Irregularity::DisplacedFound
        | Irregularity::ForgottenPress
        | Irregularity::FlagInDoubt => false,
    };
    Found { kind, article: edition.article(kind), fixed, seen: format!("reported at the desk: {note}") }
}

/// A press was forgotten and play went on: for the record.
#[must_use]
pub fn forgotten_press(edition: &Edition) -> Found {
    let seen = String::from("the next move is on the board though the clock was not pressed");
    Found { kind: Irregularity::ForgottenPress, article: edition.articles.completion, fixed: false, seen }
}

/// The board lies a quarter turn wrong.
#[must_use]
pub fn board_turned(edition: &Edition) -> Found {
    let seen = String::from("the board shows the position only after a quarter turn");
    Found { kind: Irregularity::BoardTurned, article: edition.articles.board_turned, fixed: true, seen }
}

/// A flag fell and nobody could say in time whether the opponent can still mate.
#[must_use]
pub fn flag_in_doubt(edition: &Edition) -> Found {
    let seen = String::from("it could not be determined whether the opponent can still mate");
    Found { kind: Irregularity::FlagInDoubt, article: edition.articles.flag, fixed: false, seen }
}

/// Words in both languages.
#[must_use]
pub fn words(en: impl Into<String>, ru: impl Into<String>) -> Words {
    Words { en: en.into(), ru: ru.into() }
}
