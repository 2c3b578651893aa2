//! Names and words that people read, in both languages.

use flagfall_rules::{
    game::{Alarm, Ending, reason},
    laws::{Phrase, Play},
};

const fn phrase(en: &'static str, ru: &'static str) -> Phrase {
    Phrase { en, ru }
}

/// Every way a game can end, by the name that files use.
pub(crate) fn endings() -> Vec<(&'static str, Ending)> {
    const ALL: [Ending; 17] = [
        Ending::Checkmate,
        Ending::Stalemate,
        Ending::DeadPosition,
        Ending::Fivefold,
        Ending::SeventyFive,
        Ending::Flag,
        Ending::Illegal,
        Ending::Kings,
        Ending::Desk,
        Ending::Resignation,
        Ending::Agreement,
        Ending::Repetition,
        Ending::FiftyMoves,
        Ending::IllegalPosition,
        Ending::Penalty,
        Ending::Adjournment,
        Ending::NormalMeans,
    ];
    ALL.iter().map(|&ending| (self::ending(ending).0, ending)).collect()
}

pub(crate) const fn ending(ending: Ending) -> (&'static str, Phrase) {
    match ending {
        Ending::Checkmate => ("checkmate", phrase("checkmate", "мат")),
        Ending::Stalemate => ("stalemate", phrase("stalemate", "пат")),
        Ending::DeadPosition => ("dead_position", phrase("dead position", "мёртвая позиция")),
        Ending::Fivefold => ("fivefold", phrase("fivefold repetition", "пятикратное повторение")),
        Ending::SeventyFive => ("seventy_five", phrase("75 moves", "75 ходов")),
        Ending::Flag => ("flag", phrase("flag", "флаг")),
        Ending::Illegal => ("illegal", phrase("illegal moves", "невозможные ходы")),
        Ending::Kings => ("kings", phrase("kings in the centre", "короли в центре")),
        Ending::Desk => ("desk", phrase("entered at the desk", "введено арбитром")),
        Ending::Resignation => ("resignation", phrase("resignation", "сдача")),
        Ending::Agreement => ("agreement", phrase("draw agreed", "ничья по соглашению")),
        Ending::Repetition => ("repetition", phrase("threefold repetition", "троекратное повторение")),
        Ending::FiftyMoves => ("fifty_moves", phrase("fifty moves", "50 ходов")),
        Ending::IllegalPosition => ("illegal_position", phrase("illegal position", "невозможная позиция")),
        Ending::Penalty => ("penalty", phrase("the arbiter's decision", "решение арбитра")),
        Ending::Adjournment => ("adjournment", phrase("adjourned game", "отложенная партия")),
        Ending::NormalMeans => ("normal_means", phrase("draw declared by the arbiter", "ничья присуждена арбитром")),
    }
}

/// Every alarm, by the name that files use.
pub(crate) fn alarms() -> Vec<(&'static str, Alarm)> {
    const ALL: [Alarm; 11] = [
        Alarm::ImpossibleBoard,
        Alarm::BoardDiffers,
        Alarm::Lost,
        Alarm::Device,
        Alarm::Directive,
        Alarm::Binding,
        Alarm::Call,
        Alarm::Claim,
        Alarm::FlagAfterControl,
        Alarm::AfterEnd,
        Alarm::Frozen,
    ];
    ALL.iter().map(|&alarm| (self::alarm(alarm).0, alarm)).collect()
}

pub(crate) const fn alarm(alarm: Alarm) -> (&'static str, Phrase) {
    match alarm {
        Alarm::ImpossibleBoard => {
            ("impossible_board", phrase("the board cannot be what it shows", "доска показывает невозможное"))
        }
        Alarm::BoardDiffers => {
            ("board_differs", phrase("the board does not show the position of the game", "на доске не та позиция"))
        }
        Alarm::Lost => ("lost", phrase("the moves can no longer be followed", "ходы больше не прослеживаются")),
        Alarm::Device => ("device", phrase("a fault of the device", "неисправность устройства")),
        Alarm::Directive => ("directive", phrase("the clock did not do as told", "часы не выполнили указание")),
        Alarm::Binding => ("binding", phrase("the clock stands the other way round", "часы стоят наоборот")),
        Alarm::Call => ("call", phrase("a player calls the arbiter", "игрок зовёт арбитра")),
        Alarm::Claim => ("claim", phrase("a player claims", "требование игрока")),
        Alarm::FlagAfterControl => (
            "flag_after_control",
            phrase("a flag is down that decides nothing yet", "флаг упал, но пока ничего не решает"),
        ),
        Alarm::AfterEnd => ("after_end", phrase("after the end of the game", "после окончания партии")),
        Alarm::Frozen => {
            ("frozen", phrase("the board is not followed any more", "партия за этой доской больше не отслеживается"))
        }
    }
}

pub(crate) const fn play(play: Play) -> (&'static str, Phrase) {
    match play {
        Play::Standard => ("standard", phrase("standard play", "классические шахматы")),
        Play::RapidSupervised => ("rapid_supervised", phrase("rapid, supervised", "быстрые шахматы, под надзором")),
        Play::Rapid => ("rapid", phrase("rapid, not supervised", "быстрые шахматы, без надзора")),
        Play::BlitzSupervised => ("blitz_supervised", phrase("blitz, supervised", "блиц, под надзором")),
        Play::Blitz => ("blitz", phrase("blitz, not supervised", "блиц, без надзора")),
    }
}

/// What a refusal means; the code is the same in both languages. What the rules refuse has its words there.
pub(crate) fn refusal(code: &str) -> Phrase {
    let of_cases = || match code {
        "NO_SUCH_MOVE" => phrase("the move is not legal in the position", "такой ход в позиции невозможен"),
        "BOARD_NEEDED" => phrase(
            "moves were seen on the board: say what it showed at the press",
            "ходы видны на доске: укажите, что она показывала при нажатии",
        ),
        _ => phrase("refused", "отклонено"),
    };
    reason(code).unwrap_or_else(of_cases)
}
