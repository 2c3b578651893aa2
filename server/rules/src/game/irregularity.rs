//! What can be found, what was seen of it, and what people add to it.

use alloc::string::String;

use super::{
    event::{Article, Words},
    score::Uci,
};
use crate::{
    board::Scan,
    clock::{Colour, Control, Face},
    laws::Phrase,
    time::Millis,
};

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
    /// Pieces were displaced.
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
    /// The clock was set wrongly, or died and is set anew.
    ClockSetting,
    /// A draw was claimed by repetition or fifty moves.
    DrawClaim,
    /// A touched piece was not moved, though the move made was legal.
    TouchMove,
    /// The wrong hand, force, noise: what article 12.9 punishes and no other article does.
    Conduct,
    /// Both kings are in check, or a pawn stands on the last rank, and play went on from there.
    IllegalPosition,
    /// Both flags are down and nobody knows which fell first.
    BothFlags,
    /// A flag is down where only a claim or the arbiter may say so.
    FlagSeen,
    /// A player resigned, and whether the opponent can still mate could not be determined.
    ResignationInDoubt,
}

impl Irregularity {
    /// Every kind, in the order of the contract.
    pub const ALL: [Irregularity; 20] = [
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
        Irregularity::ClockSetting,
        Irregularity::DrawClaim,
        Irregularity::TouchMove,
        Irregularity::Conduct,
        Irregularity::IllegalPosition,
        Irregularity::BothFlags,
        Irregularity::FlagSeen,
        Irregularity::ResignationInDoubt,
    ];

    /// It is punished as an illegal move: each counts, whichever it is.
    #[must_use]
    pub const fn is_strike(self) -> bool {
        matches!(
            self,
            Irregularity::IllegalMove
                | Irregularity::PawnLeft
                | Irregularity::PressWithoutMove
                | Irregularity::TwoHands
        )
    }

    /// It speaks of a move, and is gone when that move is taken back.
    #[must_use]
    pub const fn is_of_a_move(self) -> bool {
        self.is_strike()
            || matches!(
                self,
                Irregularity::Displaced
                    | Irregularity::DisplacedFound
                    | Irregularity::ForgottenPress
                    | Irregularity::TouchMove
                    | Irregularity::IllegalPosition
            )
    }

    /// A player can do it in reply to what his opponent did, before anybody steps in.
    #[must_use]
    pub const fn can_be_a_reply(self) -> bool {
        self.is_strike()
            || matches!(
                self,
                Irregularity::Displaced
                    | Irregularity::ForgottenPress
                    | Irregularity::TouchMove
                    | Irregularity::Conduct
            )
    }

    /// It is judged as the game stood when it was found, and the ruling may go back before whatever was pressed since; of the others none
    /// does, and what was pressed counts at once.
    #[must_use]
    pub const fn comes_first(self) -> bool {
        !matches!(
            self,
            Irregularity::Displaced
                | Irregularity::DisplacedFound
                | Irregularity::BoardTurned
                | Irregularity::ClockJump
                | Irregularity::ForgottenPress
                | Irregularity::ClockSetting
                | Irregularity::Conduct
        )
    }

    /// The name used in reports and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.named().0
    }

    /// What the display says while the clock is stopped for it.
    #[must_use]
    pub const fn words(self) -> Phrase {
        self.named().1
    }

    const fn named(self) -> (&'static str, Phrase) {
        let (name, en, ru) = match self {
            Irregularity::IllegalMove => ("illegal_move", "Illegal move", "Невозможный ход"),
            Irregularity::PawnLeft => ("pawn_left", "Pawn not replaced", "Пешка не заменена"),
            Irregularity::PressWithoutMove => {
                ("press_without_move", "Clock pressed without a move", "Часы нажаты без хода")
            }
            Irregularity::TwoHands => ("two_hands", "Two hands", "Ход двумя руками"),
            Irregularity::Displaced => ("displaced", "Pieces displaced", "Фигуры смещены"),
            Irregularity::DisplacedFound => ("displaced_found", "Pieces found displaced", "Обнаружено смещение фигур"),
            Irregularity::WrongStart => ("wrong_start", "Wrong initial position", "Неверная начальная позиция"),
            Irregularity::BoardTurned => ("board_turned", "Board turned", "Доска повёрнута"),
            Irregularity::ColoursReversed => ("colours_reversed", "Colours reversed", "Перепутан цвет фигур"),
            Irregularity::ClockJump => ("clock_jump", "Clock reading", "Показания часов"),
            Irregularity::ForgottenPress => ("forgotten_press", "Clock not pressed", "Часы не нажаты"),
            Irregularity::FlagInDoubt => ("flag_in_doubt", "Flag", "Флаг"),
            Irregularity::ClockSetting => ("clock_setting", "Clock set anew", "Установка часов"),
            Irregularity::DrawClaim => ("draw_claim", "Draw claimed", "Требование ничьей"),
            Irregularity::TouchMove => ("touch_move", "Touched piece", "Тронутая фигура"),
            Irregularity::Conduct => ("conduct", "Conduct", "Поведение"),
            Irregularity::IllegalPosition => ("illegal_position", "Illegal position", "Невозможная позиция"),
            Irregularity::BothFlags => ("both_flags", "Both flags", "Оба флага"),
            Irregularity::FlagSeen => ("flag_seen", "Flag", "Флаг"),
            Irregularity::ResignationInDoubt => ("resignation_in_doubt", "Resignation", "Сдача"),
        };
        (name, Phrase { en, ru })
    }
}

/// What a person states with a report. What is not stated is `None`; times in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Facts {
    /// The opponent claims it, as he must where no arbiter watches.
    pub claimed: bool,
    /// Playing time that has passed in all, by the arbiter's clock.
    pub elapsed: Option<Millis>,
    /// How long the other player's clock ran because of it.
    pub ran: Option<Millis>,
    /// The control that the clock was set to, where it was the wrong one.
    pub set_as: Option<Control>,
    /// Moves completed by the scoresheets, White first, where nothing else knows them.
    pub moves: Option<[u32; 2]>,
    /// What the opponent did wrong in reply before anybody stepped in; see [`Irregularity::can_be_a_reply`].
    pub reply: Option<Irregularity>,
    /// The move with which the claimed position is about to appear, written and not made (9.2.1, 9.3.1).
    pub next: Option<Uci>,
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
    /// In words.
    pub seen: Words,
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
    /// What people stated.
    pub facts: Facts,
}
