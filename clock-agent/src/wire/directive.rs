//! Directives from the contract's words into the agent's, and back for the spool.
//!
//! A directive that names itself (id, game, revision) but asks for what cannot be is not dropped: it becomes
//! [`Act::Unsupported`] with the field at fault, and the service is told REJECTED(UNSUPPORTED). One that does not even
//! name itself cannot be reported on.

use flagfall_proto::{
    clock::v1::{self, directive::Act as Wire},
    convert::{self, Refused},
};
use flagfall_rules::time::Moment;

use crate::core::{Act, Directive, Words};

/// The longest id or name of a game, bytes.
const NAME_MAX: usize = 192;

/// The longest words for a display, characters.
const WORDS_MAX: usize = 200;

/// The longest position, bytes; the longest FEN is shorter.
const POSITION_MAX: usize = 128;

/// The most ids that one directive may replace.
const SUPERSEDES_MAX: usize = 64;

/// The most that can be added to a side at once: ten hours in milliseconds.
const AMOUNT_MAX: i64 = 36_000_000;

/// Reads a directive.
///
/// # Errors
/// It does not say which directive it is; names the field.
pub fn read(message: v1::Directive) -> Result<Directive, Refused> {
    for (name, text) in [("directive.id", &message.id), ("directive.game", &message.game)] {
        if text.is_empty() || text.len() > NAME_MAX {
            return Err(Refused::new(name, format!("{} bytes, not from 1 to {NAME_MAX}", text.len())));
        }
    }
    if message.rev == 0 {
        return Err(Refused::new("directive.rev", "zero"));
    }
    // The service would not take a report on any other name, and with it nothing that comes after the report.
    if message.id != format!("{}#{}", message.game, message.rev) {
        let why = format!("{:?} does not name revision {} of {:?}", message.id, message.rev, message.game);
        return Err(Refused::new("directive.id", why));
    }
    // A limit that cannot be read must not make a directive last for ever.
    let (not_after, bad_limit) = match message.not_after.map(Moment::try_from).transpose() {
        Ok(limit) => (limit, None),
        Err(refused) => (None, Some(refused.at("directive.not_after"))),
    };
    let checked = match bad_limit {
        Some(refused) => Err(refused),
        None => check(&message.supersedes, &message.traceparent).and_then(|()| act(message.act)),
    };
    Ok(Directive {
        id: message.id,
        game: message.game,
        rev: message.rev,
        expected_rev: message.expected_rev,
        as_of_seq: message.as_of_seq,
        not_after,
        supersedes: if checked.is_ok() { message.supersedes } else { Vec::new() },
        traceparent: if message.traceparent.len() <= NAME_MAX { message.traceparent } else { String::new() },
        act: checked.unwrap_or_else(|refused| Act::Unsupported(refused.to_string())),
    })
}

fn check(supersedes: &[String], traceparent: &str) -> Result<(), Refused> {
    if supersedes.len() > SUPERSEDES_MAX || supersedes.iter().any(|id| id.len() > NAME_MAX) {
        return Err(Refused::new("directive.supersedes", format!("more than {SUPERSEDES_MAX}, or too long")));
    }
    if traceparent.len() > NAME_MAX {
        return Err(Refused::new("directive.traceparent", "too long"));
    }
    Ok(())
}

fn act(act: Option<Wire>) -> Result<Act, Refused> {
    Ok(match act.ok_or_else(|| Refused::new("directive.act", "none that this clock knows"))? {
        Wire::Prepare(prepare) => Act::Prepare {
            control: prepare.control.map(TryInto::try_into).transpose()?,
            white_place: convert::place(prepare.white_place).map_err(|e| e.at("prepare.white_place"))?,
            position: position(prepare.position)?,
            words: words(prepare.words)?,
            stands: prepare.stands.map(TryInto::try_into).transpose()?,
        },
        Wire::Stop(stop) => Act::Stop { words: words(stop.words)? },
        Wire::Set(set) => Act::Set {
            hands: convert::hands(set.white, set.black)?,
            turn: convert::colour(set.turn).map_err(|e| e.at("set.turn"))?,
            run: set.run,
            white_place: convert::place(set.white_place).map_err(|e| e.at("set.white_place"))?,
            position: position(set.position)?,
            words: words(set.words)?,
        },
        Wire::Add(add) if !(1..=AMOUNT_MAX).contains(&add.amount_ms) => {
            return Err(Refused::new("add.amount_ms", format!("{}, not from 1 to {AMOUNT_MAX}", add.amount_ms)));
        }
        Wire::Add(add) => Act::Add {
            colour: convert::colour(add.colour).map_err(|e| e.at("add.colour"))?,
            amount: add.amount_ms,
            words: words(add.words)?,
        },
        Wire::Conclude(conclude) => Act::Conclude { result: result(conclude.outcome)?, words: words(conclude.words)? },
        Wire::Show(show) => Act::Show { words: words(show.words)? },
        Wire::Run(run) => Act::Run { words: words(run.words)? },
    })
}

fn words(words: Option<v1::Words>) -> Result<Words, Refused> {
    let v1::Words { en, ru } = words.unwrap_or_default();
    if [&en, &ru].into_iter().any(|text| text.chars().nth(WORDS_MAX).is_some()) {
        return Err(Refused::new("words", format!("more than {WORDS_MAX} characters")));
    }
    // A display is a grid of characters: what moves its cursor is no word.
    Ok([en, ru].map(|text| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()))
}

fn position(fen: String) -> Result<String, Refused> {
    if fen.len() > POSITION_MAX || fen.chars().any(char::is_control) {
        return Err(Refused::new("position", "no FEN"));
    }
    Ok(fen)
}

fn result(outcome: i32) -> Result<Option<&'static str>, Refused> {
    match v1::Outcome::try_from(outcome) {
        Ok(v1::Outcome::Unspecified) => Ok(None),
        Ok(v1::Outcome::WhiteWins) => Ok(Some("1-0")),
        Ok(v1::Outcome::BlackWins) => Ok(Some("0-1")),
        Ok(v1::Outcome::Draw) => Ok(Some("1/2-1/2")),
        Ok(v1::Outcome::BothLose) => Ok(Some("0-0")),
        Err(_) => Err(Refused::new("conclude.outcome", format!("{outcome} is not known"))),
    }
}

/// A result read back from its text.
pub(crate) fn outcome(result: Option<&str>) -> v1::Outcome {
    match result {
        Some("1-0") => v1::Outcome::WhiteWins,
        Some("0-1") => v1::Outcome::BlackWins,
        Some("1/2-1/2") => v1::Outcome::Draw,
        Some("0-0") => v1::Outcome::BothLose,
        _ => v1::Outcome::Unspecified,
    }
}

/// The text of a result.
pub(crate) fn result_text(outcome: i32) -> Option<&'static str> {
    result(outcome).ok().flatten()
}

/// Writes a directive, for the spool.
#[must_use]
pub fn write(directive: &Directive) -> v1::Directive {
    v1::Directive {
        id: directive.id.clone(),
        game: directive.game.clone(),
        rev: directive.rev,
        expected_rev: directive.expected_rev,
        as_of_seq: directive.as_of_seq,
        not_after: directive.not_after.map(Into::into),
        supersedes: directive.supersedes.clone(),
        traceparent: directive.traceparent.clone(),
        act: written(&directive.act),
    }
}

fn written(act: &Act) -> Option<Wire> {
    let said = act.words().map(|[en, ru]| v1::Words { en: en.clone(), ru: ru.clone() });
    Some(match act {
        Act::Prepare { control, white_place, position, stands, .. } => Wire::Prepare(v1::Prepare {
            control: control.as_ref().map(Into::into),
            white_place: v1::Place::from(*white_place).into(),
            position: position.clone(),
            words: said,
            stands: stands.map(Into::into),
        }),
        Act::Stop { .. } => Wire::Stop(v1::Stop { words: said }),
        Act::Set { hands: [white, black], turn, run, white_place, position, .. } => Wire::Set(v1::Set {
            white: Some((*white).into()),
            black: Some((*black).into()),
            turn: v1::Colour::from(*turn).into(),
            run: *run,
            white_place: v1::Place::from(*white_place).into(),
            position: position.clone(),
            words: said,
        }),
        Act::Add { colour, amount, .. } => {
            Wire::Add(v1::Add { colour: v1::Colour::from(*colour).into(), amount_ms: *amount, words: said })
        }
        Act::Conclude { result, .. } => Wire::Conclude(v1::Conclude { outcome: outcome(*result).into(), words: said }),
        Act::Show { .. } => Wire::Show(v1::Show { words: said }),
        Act::Run { .. } => Wire::Run(v1::Run { words: said }),
        Act::Unsupported(_) => return None,
    })
}
