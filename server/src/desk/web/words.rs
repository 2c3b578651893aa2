//! What arbiters read, in both languages, for the words of the contract.

use flagfall_proto::{
    clock::v1::{ClaimKind, Colour, Face, FaultKind, Hand, RejectReason, Stage, device_event, directive::Act},
    desk::v1::AdjournmentSnapshot,
    journal::v1::{AdjournmentPhase, Alarm, Ending, Irregularity, Play, desk_input},
};
use flagfall_rules::{game, laws};

use super::{Lang, adjourned, tile::pgn};
use crate::journal::codec::Numbered;

/// What an irregularity is called.
pub(crate) fn irregularity(lang: Lang, kind: Irregularity) -> &'static str {
    let named: Option<game::Irregularity> = Numbered::named("kind", kind.into()).ok();
    named.map_or("", |kind| lang.t(kind.words().en, kind.words().ru))
}

/// Keys of ways by which nothing was wrong.
pub(crate) const PLAY_ON: [&str; 2] = ["play_on", DISMISS];

/// The key by which an arbiter does not uphold what was found; every proposal can be decided by it.
pub(crate) const DISMISS: &str = "dismiss";

/// What that key does.
pub(crate) fn dismissed(lang: Lang) -> &'static str {
    lang.t("not upheld, play on", "не подтверждено, игра продолжается")
}

/// A player by his colour.
pub(crate) fn colour(lang: Lang, colour: Colour) -> &'static str {
    match colour {
        Colour::White => lang.t("White", "Белые"),
        Colour::Black => lang.t("Black", "Чёрные"),
        Colour::Unspecified => lang.t("a player", "игрок"),
    }
}

/// A reading as people say it.
pub(crate) fn time(left_ms: Option<i64>) -> String {
    let Some(left) = left_ms else { return "–:––".to_owned() };
    let seconds = left.max(0) / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Wall time for people at the venue, to the second.
pub(crate) fn wall(ms: i64) -> String {
    let zoned = jiff::Timestamp::from_millisecond(ms).map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| String::new(), |at| at.strftime("%H:%M:%S").to_string())
}

/// A day with its time, to the minute.
pub(crate) fn moment(ms: i64) -> String {
    let zoned = jiff::Timestamp::from_millisecond(ms).map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}

/// A day as a sheet names it.
pub(crate) fn day(ms: i64) -> String {
    let zoned = jiff::Timestamp::from_millisecond(ms).map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| String::new(), |at| at.date().to_string())
}

/// Why a directive was refused, or why there is no word of it: a physical clock that did not answer may have taken it all the same.
pub(crate) fn rejected(lang: Lang, stage: Stage, reason: RejectReason) -> &'static str {
    if (stage, reason) == (Stage::Unknown, RejectReason::Display) {
        return lang.t(
            "the physical clock did not answer: read it before anything is given again",
            "физические часы не ответили: посмотрите на них, прежде чем указывать снова",
        );
    }
    let named: Option<game::RejectReason> = Numbered::named("reason", reason.into()).ok();
    named.map_or("", |reason| lang.t(reason.words().en, reason.words().ru))
}

/// Why a game ended.
pub(crate) fn ending(lang: Lang, ending: Ending) -> &'static str {
    match ending {
        Ending::Unspecified => "",
        Ending::Checkmate => lang.t("mate", "мат"),
        Ending::Stalemate => lang.t("stalemate", "пат"),
        Ending::DeadPosition => lang.t("dead position", "мёртвая позиция"),
        Ending::Fivefold => lang.t("fivefold repetition", "пятикратное повторение"),
        Ending::SeventyFive => lang.t("75 moves", "75 ходов"),
        Ending::Flag => lang.t("flag", "флаг"),
        Ending::Illegal => lang.t("illegal moves", "невозможные ходы"),
        Ending::Kings => lang.t("kings in the centre", "короли в центре"),
        Ending::Desk => lang.t("entered at the desk", "введено арбитром"),
        Ending::Resignation => lang.t("resignation", "сдача"),
        Ending::Agreement => lang.t("draw agreed", "соглашение на ничью"),
        Ending::Repetition => lang.t("threefold repetition", "троекратное повторение"),
        Ending::FiftyMoves => lang.t("50 moves", "50 ходов"),
        Ending::IllegalPosition => lang.t("illegal position", "невозможная позиция"),
        Ending::Penalty => lang.t("the arbiter's decision", "решение арбитра"),
        Ending::Adjournment => lang.t("adjourned game", "отложенная партия"),
        Ending::NormalMeans => lang.t("draw declared by the arbiter", "ничья присуждена арбитром"),
    }
}

/// What the desk was alarmed of.
pub(crate) fn alarm(lang: Lang, alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::Unspecified => "",
        Alarm::ImpossibleBoard => lang.t("the board cannot be what it shows", "доска показывает невозможное"),
        Alarm::BoardDiffers => lang.t("the board differs from the game", "доска расходится с партией"),
        Alarm::Lost => lang.t("the moves can no longer be followed", "ходы больше не проследить"),
        Alarm::Device => lang.t("the clock reports a fault", "часы сообщают о неисправности"),
        Alarm::Directive => lang.t("a directive did not arrive", "указание не дошло"),
        Alarm::Binding => lang.t("the sides of the clock are changed", "стороны часов перепутаны"),
        Alarm::Call => lang.t("a player calls the arbiter", "игрок зовёт арбитра"),
        Alarm::Claim => lang.t("a player claims at the clock", "игрок заявляет требование"),
        Alarm::FlagAfterControl => lang.t("a flag after the control was passed", "флаг упал после контроля"),
        Alarm::AfterEnd => lang.t("something came after the end", "сообщение после окончания"),
        Alarm::Frozen => lang.t("the board is not followed any more", "партия за этой доской больше не отслеживается"),
    }
}

/// Where an adjournment stands.
pub(crate) fn phase(lang: Lang, phase: AdjournmentPhase) -> &'static str {
    match phase {
        AdjournmentPhase::Unspecified | AdjournmentPhase::Playing => "",
        AdjournmentPhase::Sealing => lang.t("the move is to be sealed", "записывается секретный ход"),
        AdjournmentPhase::Adjourned => lang.t("adjourned", "отложена"),
        AdjournmentPhase::SetUp => lang.t("set up again", "снова расставлена"),
        AdjournmentPhase::Waiting => lang.t("a player is awaited", "ждут игрока"),
        AdjournmentPhase::Opening => lang.t("the envelope may be opened", "конверт можно вскрыть"),
        AdjournmentPhase::Judging => lang.t("a player is too late", "игрок опоздал"),
        AdjournmentPhase::Open => lang.t("the sealed move is made", "секретный ход сделан"),
        AdjournmentPhase::ReplySealed => lang.t("the reply is sealed", "секретный ответ записан"),
        AdjournmentPhase::Resumed => lang.t("resumed", "возобновлена"),
        AdjournmentPhase::Ended => lang.t("over", "окончена"),
        AdjournmentPhase::Annulled => lang.t("annulled", "аннулирована"),
    }
}

/// What a matter of an adjournment is called.
pub(crate) const fn adjournment(lang: Lang) -> &'static str {
    lang.t("adjourned game", "отложенная партия")
}

/// How it stands, and what was read of the sealed move.
pub(crate) fn adjournment_stands(lang: Lang, adjournment: &AdjournmentSnapshot) -> String {
    let phase = phase(lang, adjournment.phase());
    let text = adjournment.text.as_str();
    if text.is_empty() {
        phase.to_owned()
    } else {
        format!("{phase}; {} «{text}»", lang.t("on the sheet:", "на бланке:"))
    }
}

/// The kind of play.
pub(crate) fn play(lang: Lang, play: Play) -> &'static str {
    match play {
        Play::Unspecified => "",
        Play::Standard => lang.t("standard", "классика"),
        Play::RapidSupervised => lang.t("rapid, supervised", "быстрые под надзором"),
        Play::Rapid => lang.t("rapid", "быстрые"),
        Play::BlitzSupervised => lang.t("blitz, supervised", "блиц под надзором"),
        Play::Blitz => lang.t("blitz", "блиц"),
    }
}

/// The edition as its title says it.
pub(crate) fn edition(lang: Lang, id: &str) -> String {
    laws::edition(id).map_or_else(|| id.to_owned(), |edition| lang.t(edition.title.en, edition.title.ru).to_owned())
}

/// Both halves on one line: `12:04 (23) – 9:58 (22)`.
pub(crate) fn face(face: Option<&Face>) -> String {
    let Some(face) = face else { return "–".to_owned() };
    let half = |hand: &Option<Hand>| {
        let hand = hand.unwrap_or_default();
        format!("{} ({})", time(hand.left_ms), hand.moves)
    };
    format!("{} – {}", half(&face.white), half(&face.black))
}

/// Two halves that somebody wants to set.
pub(crate) fn hands(white: Option<&Hand>, black: Option<&Hand>) -> Option<[String; 2]> {
    let half = |hand: &Hand| format!("{} ({})", time(hand.left_ms), hand.moves);
    Some([half(white?), half(black?)])
}

/// What a directive does.
pub(crate) fn act(lang: Lang, act: Option<&Act>) -> String {
    match act {
        Some(Act::Prepare(_)) => lang.t("prepare the game", "подготовить партию").to_owned(),
        Some(Act::Stop(_)) => lang.t("stop", "остановить").to_owned(),
        Some(Act::Set(set)) => {
            let both = hands(set.white.as_ref(), set.black.as_ref()).unwrap_or_default().join(" – ");
            format!("{} {both}", lang.t("set", "установить"))
        }
        Some(Act::Add(add)) => {
            let (to, plus) = (colour(lang, add.colour()), time(Some(add.amount_ms)));
            format!("{} {plus}: {to}", lang.t("add", "добавить"))
        }
        Some(Act::Conclude(end)) => format!("{} {}", lang.t("result", "результат"), pgn(end.outcome())),
        Some(Act::Show(show)) => format!("{} «{}»", lang.t("show", "показать"), lang.of(show.words.as_ref())),
        Some(Act::Run(_)) => lang.t("start", "пустить").to_owned(),
        None => String::new(),
    }
}

/// What somebody did at the desk.
pub(crate) fn deed(lang: Lang, deed: Option<&desk_input::Act>) -> String {
    match deed {
        Some(desk_input::Act::Open(setup)) => {
            format!("{} {}", lang.t("opens the game on", "открывает партию на"), setup.device)
        }
        Some(desk_input::Act::Irregularity(seen)) => {
            let (kind, by) = (irregularity(lang, seen.kind()), colour(lang, seen.by()));
            format!("{} {kind} ({by})", lang.t("reports:", "сообщает:"))
        }
        Some(desk_input::Act::Decide(decision)) => {
            format!("{} {}: {}", lang.t("decides case", "решает случай"), decision.case, decision.choice)
        }
        Some(desk_input::Act::Direct(by_hand)) => {
            act(lang, by_hand.directive.as_ref().and_then(|directive| directive.act.as_ref()))
        }
        // To the arbiter both say it, or it is only offered (9.1.2).
        Some(desk_input::Act::Claim(made)) if made.kind() == ClaimKind::Agreement => {
            lang.t("both agree on a draw", "оба соглашаются на ничью").to_owned()
        }
        Some(desk_input::Act::Claim(made)) => format!("{} {}", colour(lang, made.by()), claim(lang, made.kind())),
        Some(desk_input::Act::Adjourn(deed)) => adjourned::deed_words(lang, deed),
        Some(desk_input::Act::Move(to)) => {
            format!("{} {}", lang.t("moves the game to", "переносит партию на"), to.device)
        }
        Some(desk_input::Act::Heed(_)) => lang.t("has attended", "подошёл").to_owned(),
        Some(desk_input::Act::Annul(_)) => lang.t("annuls the game", "аннулирует партию").to_owned(),
        None => String::new(),
    }
}

/// What a player claims.
pub(crate) fn claim(lang: Lang, kind: ClaimKind) -> &'static str {
    match kind {
        ClaimKind::Unspecified => "",
        ClaimKind::Flag => lang.t("claims a flag", "указывают на флаг"),
        ClaimKind::IllegalMove => lang.t("claims an illegal move", "указывают на невозможный ход"),
        ClaimKind::Draw => lang.t("claims a draw", "требуют ничьей"),
        ClaimKind::Resignation => lang.t("resigns", "сдаются"),
        ClaimKind::Agreement => lang.t("agrees on a draw", "соглашаются на ничью"),
    }
}

/// What the clock said, for the time line; `None`: nothing for people.
pub(crate) fn said(lang: Lang, what: &device_event::What) -> Option<String> {
    use device_event::What;
    Some(match what {
        What::Started(_) => lang.t("the clock is started", "часы пущены").to_owned(),
        What::Press(press) => {
            format!("{} {}", colour(lang, press.colour()), lang.t("presses", "нажимают часы"))
        }
        What::Paused(_) => lang.t("paused by hand", "остановлены рукой").to_owned(),
        What::Resumed(_) => lang.t("resumed by hand", "пущены рукой").to_owned(),
        What::Call(call) if call.colour() == Colour::Unspecified => alarm(lang, Alarm::Call).to_owned(),
        What::Call(call) => format!("{} {}", colour(lang, call.colour()), lang.t("calls the arbiter", "зовут арбитра")),
        What::Claim(made) => format!("{} {}", colour(lang, made.colour()), claim(lang, made.kind())),
        What::Flag(flag) => format!("{}: {}", colour(lang, flag.colour()), lang.t("flag", "флаг")),
        What::Fault(found) => fault(lang, found.kind()).to_owned(),
        What::Scan(_) | What::Quiet(_) | What::Report(_) => return None,
    })
}

fn fault(lang: Lang, kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Unspecified | FaultKind::SourceEnded => lang.t("the recording has ended", "запись кончилась"),
        FaultKind::PowerLost => lang.t("the clock lost its power", "часы теряли питание"),
        FaultKind::BoardLost => lang.t("the board is lost", "связь с доской потеряна"),
        FaultKind::BoardBack => lang.t("the board is back", "связь с доской есть"),
        FaultKind::ClockLost => lang.t("the physical clock is lost", "связь с табло потеряна"),
        FaultKind::ClockBack => lang.t("the physical clock is back", "связь с табло есть"),
        FaultKind::BatteryLow => lang.t("a battery is low", "батарея разряжена"),
        FaultKind::PressesMissed => lang.t("moves were made unseen", "ходы сделаны, пока часы не читались"),
        FaultKind::Garbled => lang.t("the board sends no messages", "помехи на линии доски"),
    }
}
