//! The contract's limits for what people write at the desk.

use flagfall_rules::{
    adjourn::{Deed, Envelope, Resumption, Seal},
    game::DeskAct,
};

use crate::{
    seal::{CIPHERTEXT_MAX, TEXT_MAX},
    wire::Refused,
};

/// The longest id of a request, and the longest name of an actor.
pub(super) const WHO: usize = 64;

/// The longest note, in characters.
pub(super) const NOTE: usize = 2_000;

/// The longest words for a display, in characters.
const WORDS: usize = 200;

/// The longest position in FEN; the longest that says anything is shorter.
const FEN: usize = 120;

/// The longest name of a person, date and time on an envelope.
const NAME: usize = 100;

/// The longest name of a venue.
const VENUE: usize = 200;

/// Milliseconds of a reading as people write it: `H:MM:SS`, `M:SS` or seconds.
///
/// # Errors
/// It is none, or ten hours and more.
pub fn reading(text: &str) -> Result<i64, &'static str> {
    const EXPECTED: &str = "expected H:MM:SS, M:SS or seconds, below ten hours";
    let mut seconds = 0i64;
    let parts: Vec<&str> = text.split(':').collect();
    for (index, part) in parts.iter().enumerate() {
        let value: i64 = part.parse().ok().filter(|value| (0..36_000).contains(value)).ok_or(EXPECTED)?;
        if index > 0 && (value > 59 || part.len() != 2) || index > 2 {
            return Err(EXPECTED);
        }
        seconds = seconds * 60 + value;
    }
    if seconds < 36_000 { Ok(seconds * 1_000) } else { Err(EXPECTED) }
}

type Text<'a> = (&'static str, &'a str, usize);

/// Refuses what is longer than the contract allows.
pub(super) fn check(act: &DeskAct) -> Result<(), Refused> {
    let texts: Vec<Text<'_>> = match act {
        DeskAct::Open(setup) => vec![("position", setup.position.as_deref().unwrap_or_default(), FEN)],
        DeskAct::Claim { note, .. } => vec![("claim.note", note.as_str(), NOTE)],
        DeskAct::Irregularity { note, .. } => vec![("seen.note", note.as_str(), NOTE)],
        DeskAct::Decide { choice, note, .. } => vec![("decision.choice", choice, WHO), ("decision.note", note, NOTE)],
        DeskAct::Direct(_, words, _) => vec![("words.en", &*words.en, WORDS), ("words.ru", &*words.ru, WORDS)],
        DeskAct::Heed(_) | DeskAct::Annul => Vec::new(),
        DeskAct::Move { note, .. } => vec![("note", note, NOTE)],
        DeskAct::Adjourn { deed, nonce } => {
            if !matches!(nonce.len(), 0 | 32) {
                return Err(Refused::request("opened.nonce", "a nonce is 32 bytes long"));
            }
            adjourned(deed)?
        }
    };
    match texts.into_iter().find(|(_, text, longest)| text.chars().count() > *longest) {
        Some((field, _, longest)) => Err(Refused::request(field, format!("at most {longest} characters"))),
        None => Ok(()),
    }
}

fn adjourned(deed: &Deed) -> Result<Vec<Text<'_>>, Refused> {
    Ok(match deed {
        Deed::EndSession(situation) | Deed::AdjournEarly(situation) => {
            let mut texts = named(&situation.names);
            texts.push(("situation.position", &situation.position, FEN));
            texts
        }
        Deed::Write(seal) => sealed(seal)?,
        Deed::SealReply { seal, to } => {
            let mut texts = sealed(seal)?;
            texts.push(("seal_reply.to", person(to)?, NAME));
            texts
        }
        Deed::HandOver(to) => vec![("deed.hand_over", person(to)?, NAME)],
        Deed::Appoint(resumption) => appointed(resumption),
        Deed::Check(Some(envelope)) => written(envelope),
        Deed::Opened(text) | Deed::ReplyOpened(text) | Deed::Stated(text) if text.len() > TEXT_MAX => {
            return Err(Refused::request("deed.text", format!("at most {TEXT_MAX} bytes")));
        }
        Deed::Choose(key) => vec![("deed.choose", key, WHO)],
        _ => Vec::new(),
    })
}

/// Who keeps an envelope must be named.
fn person(who: &str) -> Result<&str, Refused> {
    if who.trim().is_empty() { Err(Refused::request("deed.to", "say who")) } else { Ok(who) }
}

fn named(names: &[Option<String>; 2]) -> Vec<Text<'_>> {
    names.iter().flatten().map(|name| ("names", name.as_str(), NAME)).collect()
}

fn sealed(seal: &Seal) -> Result<Vec<Text<'static>>, Refused> {
    match (1..=CIPHERTEXT_MAX).contains(&seal.ciphertext.len()) {
        true => Ok(Vec::new()),
        false => Err(Refused::request("seal.ciphertext", format!("expected 1 to {CIPHERTEXT_MAX} bytes"))),
    }
}

fn appointed(resumption: &Resumption) -> Vec<Text<'_>> {
    let Resumption { date, time, venue, .. } = resumption;
    vec![("resumption.date", date, NAME), ("resumption.time", time, NAME), ("resumption.venue", venue, VENUE)]
}

fn written(envelope: &Envelope) -> Vec<Text<'_>> {
    let mut texts = named(&envelope.names);
    texts.push(("envelope.position", &envelope.position, FEN));
    texts.extend(envelope.resumption.iter().flat_map(appointed));
    texts
}
