//! The names that keys take: what can happen, why a game ends, what the desk is alarmed of.

use flagfall_rules::{
    game::{Alarm, Claim, Ending, Fault, Irregularity, Outcome},
    laws::EDITIONS,
};

use super::Item;
use crate::{
    Error,
    facts::What,
    words::{alarms, endings},
};

const HAPPENINGS: [(&str, What); 15] = [
    ("claim_draw", What::Claimed(Claim::Draw)),
    ("claim_flag", What::Claimed(Claim::Flag)),
    ("claim_illegal_move", What::Claimed(Claim::IllegalMove)),
    ("resigns", What::Claimed(Claim::Resignation)),
    ("draw_agreed", What::Claimed(Claim::Agreement)),
    ("flag", What::Flag),
    ("both_flags", What::BothFlags),
    ("press", What::Press),
    ("board", What::Board),
    ("move", What::Move),
    ("decide", What::Decide),
    ("board_lost", What::Fault(Fault::BoardLost)),
    ("garbled", What::Fault(Fault::Garbled)),
    ("board_back", What::Fault(Fault::BoardBack)),
    ("restart", What::Restart),
];

pub(super) fn happening(item: &Item<'_>) -> Result<What, Error> {
    // Both flags are seen on the clock, not reported.
    let reported = Irregularity::ALL.into_iter().filter(|&kind| kind != Irregularity::BothFlags);
    let names: Vec<_> =
        HAPPENINGS.into_iter().chain(reported.map(|kind| (kind.name(), What::Reported(kind)))).collect();
    item.name(&names)
}

pub(super) fn irregularity(item: &Item<'_>) -> Result<Irregularity, Error> {
    item.name(&Irregularity::ALL.map(|kind| (kind.name(), kind)))
}

pub(super) fn edition(item: &Item<'_>) -> Result<&'static flagfall_rules::laws::Edition, Error> {
    let names: Vec<_> = EDITIONS.iter().map(|&edition| (edition.id, edition)).collect();
    item.name(&names)
}

/// A result as PGN writes it; `*` is play that goes on.
pub(super) fn result(item: &Item<'_>) -> Result<Option<Outcome>, Error> {
    let ends = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw].map(|outcome| (outcome.pgn(), Some(outcome)));
    let names: Vec<_> = ends.into_iter().chain([("*", None)]).collect();
    item.name(&names)
}

pub(super) fn ending(item: &Item<'_>) -> Result<Ending, Error> {
    item.name(&endings())
}

pub(super) fn alarm(item: &Item<'_>) -> Result<Alarm, Error> {
    item.name(&alarms())
}

pub(super) fn kind(item: &Item<'_>) -> Result<String, Error> {
    const KINDS: [&str; 7] = ["fixed", "discretion", "shown", "decided", "stands", "recorded", "nothing"];
    let text = item.text()?;
    let refused = text.strip_prefix("refused:").is_some_and(|code| !code.is_empty());
    match refused || KINDS.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(item.error(format!("{text:?} is not one of: {}, refused:CODE", KINDS.join(", ")))),
    }
}
