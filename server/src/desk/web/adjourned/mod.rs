//! An adjournment on the page of its game: how it stands, what comes next, and a form for every step that the rules may take now.
//!
//! Every form leads to the preview first, as all directives by hand do. Nothing here can read a sealed move: the page takes the envelope
//! and, at the opening, what was in it, both made by `flagfall adjourn` where the player and the arbiter's identity are (ADR 8).

mod deed;
mod question;
mod steps;
mod words;

use flagfall_proto::{
    desk::v1::{AdjournmentSnapshot, GameSnapshot},
    journal::v1::AdjournmentPhase as Phase,
};
use flagfall_rules::{adjourn, laws};

use self::steps::Field;
pub(super) use self::{
    deed::deed,
    question::{Question, question},
    words::{deed as deed_words, fact},
};
use super::{Lang, Tile, words as said};
use crate::seal::Sealed;

/// A field of a form.
pub(super) struct Input {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    /// `text`, `datetime-local`, `select`, `check` or `long`.
    pub(super) kind: &'static str,
    pub(super) value: String,
    /// What can be chosen, by value and words.
    pub(super) options: Vec<(String, String)>,
    pub(super) must: bool,
}

/// A step that can be taken.
pub(super) struct Form {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) inputs: Vec<Input>,
    /// The command that makes what is to be handed in; empty: none is needed.
    pub(super) command: String,
}

/// An adjournment on a page.
pub(super) struct Shown {
    pub(super) phase: &'static str,
    /// What is known of it, by name.
    pub(super) lines: Vec<(&'static str, String)>,
    pub(super) next: Vec<Form>,
    pub(super) others: Vec<Form>,
    /// Why no move can be sealed; empty: one can.
    pub(super) unsealable: &'static str,
}

/// An adjournment as a page shows it; `None` where there is none and none can be. `recipient` is whom moves are sealed for.
pub(super) fn shown(game: &GameSnapshot, tile: &Tile, recipient: Option<&str>, lang: Lang) -> Option<Shown> {
    let edition = game.setup.as_ref().map(|setup| setup.edition.as_str()).unwrap_or_default();
    let procedure = laws::edition(edition).and_then(|edition| adjourn::of_edition(edition.id));
    let known = game.adjournment.clone();
    if known.is_none() && (procedure.is_none() || game.ended.is_some()) {
        return None;
    }
    let stands = known.unwrap_or_default();
    let form = |step: &steps::Step| form(step, game, &stands, tile, recipient, lang);
    let next: &[&str] = if game.ended.is_some() { &[] } else { steps::next(&stands) };
    let open = game.ended.is_none() && procedure.is_some();
    let others = steps::STEPS.iter().filter(|step| open && !next.contains(&step.key) && steps::fits(step, &stands));
    let seals = matches!(stands.phase(), Phase::Sealing | Phase::Open);
    Some(Shown {
        phase: said::phase(lang, stands.phase()),
        lines: lines(&stands, lang),
        next: next.iter().filter_map(|key| steps::named(key)).map(form).collect(),
        others: others.map(form).collect(),
        unsealable: match seals && recipient.is_none() {
            true => lang.t(
                "No key is set that moves are sealed for: `flagfall adjourn keygen`, then [adjournment] recipient in the settings.",
                "Не задан ключ для секретных ходов: `flagfall adjourn keygen`, затем [adjournment] recipient в настройках.",
            ),
            false => "",
        },
    })
}

/// The step is at the arbiter's discretion: he says why.
pub(super) fn must_say_why(step: &str) -> bool {
    steps::named(step).is_some_and(|step| step.why)
}

fn lines(stands: &AdjournmentSnapshot, lang: Lang) -> Vec<(&'static str, String)> {
    let player = |colour: i32| if colour == 0 { String::new() } else { words::colour(lang, colour) };
    let yes = |is: bool| if is { lang.t("yes", "да").to_owned() } else { String::new() };
    let envelope = stands.envelope.as_ref();
    let names = envelope.and_then(|envelope| envelope.names.clone()).unwrap_or_default();
    let used = envelope.and_then(|envelope| envelope.used).unwrap_or_default();
    let all = [
        (lang.t("Session", "Игровая сессия"), stands.session.as_ref().map(words::period).unwrap_or_default()),
        (lang.t("Seals", "Записывает ход"), player(stands.sealer)),
        (lang.t("Made on the board", "Сделан на доске"), stands.on_board.clone()),
        (lang.t("Sealed move handed in", "Записанный ход сдан"), yes(stands.seal.is_some())),
        (lang.t("Sheets in the envelope", "Бланки в конверте"), words::each(lang, stands.sheets.as_ref())),
        (lang.t("Envelope sealed", "Конверт заклеен"), yes(stands.closed)),
        (
            lang.t("On the envelope", "На конверте"),
            envelope.map_or_else(String::new, |envelope| {
                let times = words::hands(envelope.hands.as_ref());
                let used = format!("{} – {}", said::time(used.white_ms), said::time(used.black_ms));
                let move_number = envelope.move_number;
                format!(
                    "{} – {} · {} {times} · {} {used} · {} {move_number}",
                    names.white,
                    names.black,
                    lang.t("left", "осталось"),
                    lang.t("used", "израсходовано"),
                    lang.t("move", "ход"),
                )
            }),
        ),
        (lang.t("Checked", "Проверен"), yes(stands.checked)),
        (
            lang.t("Goes on", "Доигрывание"),
            stands.resumption.as_ref().map_or_else(String::new, |to| format!("{} {}, {}", to.date, to.time, to.venue)),
        ),
        (
            lang.t("The envelope is with", "Конверт у"),
            stands.custody.last().map(|custody| custody.holder.clone()).unwrap_or_default(),
        ),
        (lang.t("Draw offered by", "Ничью предложили"), player(stands.offer)),
        (lang.t("Here", "Пришли"), words::each(lang, stands.here.as_ref())),
        (lang.t("May come later", "Могут прийти позже"), words::each(lang, stands.excused.as_ref())),
        (lang.t("Envelope missing", "Конверт утерян"), yes(stands.lost)),
        (lang.t("On the sheet", "На бланке"), stands.text.clone()),
        (lang.t("Sealed move", "Записанный ход"), stands.sealed_move.clone()),
        (lang.t("Reply", "Ответ"), stands.reply.clone()),
    ];
    all.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn form(
    step: &steps::Step,
    game: &GameSnapshot,
    stands: &AdjournmentSnapshot,
    tile: &Tile,
    recipient: Option<&str>,
    lang: Lang,
) -> Form {
    let input = |must: bool| move |field: &Field| input(*field, step.key, must, stands, tile, lang);
    let inputs = step.must.iter().map(input(true)).chain(step.may.iter().map(input(false))).collect();
    let name = game.setup.as_ref().map(|setup| setup.game.as_str()).unwrap_or_default();
    let command = match step.key {
        "seal" | "seal-reply" => {
            recipient.map_or_else(String::new, |to| format!("flagfall adjourn {name} envelope --for {to}"))
        }
        "open" => unseal(name, stands.seal.as_ref()),
        "open-reply" => unseal(name, stands.reply_seal.as_ref()),
        _ => String::new(),
    };
    Form { key: step.key, title: lang.t(step.en, step.ru), inputs, command }
}

/// The command that opens an envelope.
fn unseal(game: &str, seal: Option<&flagfall_proto::journal::v1::Seal>) -> String {
    let sealed = seal.and_then(|seal| {
        Some(Sealed { commitment: seal.commitment.clone().try_into().ok()?, ciphertext: seal.ciphertext.clone() })
    });
    sealed.map_or_else(String::new, |sealed| format!("flagfall adjourn {game} unseal --identity identity.txt {sealed}"))
}

fn input(field: Field, step: &str, must: bool, stands: &AdjournmentSnapshot, tile: &Tile, lang: Lang) -> Input {
    let white_black = || {
        [("white", lang.t("White", "Белые")), ("black", lang.t("Black", "Чёрные"))]
            .map(|(value, text)| (value.to_owned(), text.to_owned()))
            .to_vec()
    };
    let (name, label, kind) = match field {
        Field::Start => ("start", lang.t("From", "С"), "datetime-local"),
        Field::End => ("end", lang.t("Until", "До"), "datetime-local"),
        Field::Venue => ("venue", lang.t("Where", "Где"), "text"),
        Field::WhiteName => ("white_name", lang.t("White's name", "Имя белых"), "text"),
        Field::BlackName => ("black_name", lang.t("Black's name", "Имя чёрных"), "text"),
        Field::Position => {
            ("position", lang.t("Position, FEN, if no board shows it", "Позиция, FEN, если доски нет"), "text")
        }
        Field::OfferBy => ("offer_by", lang.t("Open draw offer by", "Ничью предложили"), "select"),
        Field::Envelope => ("envelope", lang.t("The envelope, as printed", "Конверт, как напечатано"), "long"),
        Field::Proof => ("proof", lang.t("What was in it, as printed", "Что в нём, как напечатано"), "long"),
        Field::Move => ("move", lang.t("Move, such as g1f3", "Ход, например g1f3"), "text"),
        Field::Stated => ("stated", lang.t("The move as he says it", "Ход с его слов"), "text"),
        Field::Player => ("player", lang.t("Who", "Кто"), "select"),
        Field::Electronic => ("electronic", lang.t("it is not of paper", "не бумажный"), "check"),
        Field::White => ("white", lang.t("White's time", "Время белых"), "text"),
        Field::Black => ("black", lang.t("Black's time", "Время чёрных"), "text"),
        Field::WhiteUsed => ("white_used", lang.t("White used", "Израсходовано белыми"), "text"),
        Field::BlackUsed => ("black_used", lang.t("Black used", "Израсходовано чёрными"), "text"),
        Field::OpponentRuns => {
            ("opponent_runs", lang.t("the opponent's clock was started", "пущены часы соперника"), "check")
        }
        Field::To => ("to", lang.t("To whom", "Кому"), "text"),
        Field::PositionUnknown => (
            "position_unknown",
            lang.t("the position cannot be recovered either", "позицию тоже не восстановить"),
            "check",
        ),
        Field::Way => ("way", lang.t("Decision", "Решение"), "select"),
    };
    let mut options = match field {
        Field::Player | Field::OfferBy => white_black(),
        Field::Way => {
            let ways = stands.proposal.iter().flat_map(|proposal| &proposal.ways);
            ways.map(|way| (way.key.clone(), lang.of(way.words.as_ref()).to_owned())).collect()
        }
        _ => Vec::new(),
    };
    if field == Field::OfferBy {
        options.insert(0, (String::new(), lang.t("nobody", "никто").to_owned()));
    }
    // The event knows who sits there; on an envelope that is checked only what is typed is put right.
    let value = match field {
        Field::WhiteName if step != "check" => tile.white.clone(),
        Field::BlackName if step != "check" => tile.black.clone(),
        _ => String::new(),
    };
    Input { name, label, kind, value, options, must }
}
