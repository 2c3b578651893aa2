//! What people state with a report or a claim.

use flagfall_proto::{convert::Refused, journal::v1};
use flagfall_rules::game::Facts;

use super::{event::uci, maybe, numbers::Numbered, text};

/// As a message; nothing stated is no message.
pub(super) fn to_proto(facts: &Facts) -> Option<v1::Facts> {
    (*facts != Facts::default()).then(|| v1::Facts {
        claimed: facts.claimed,
        elapsed_ms: facts.elapsed,
        ran_ms: facts.ran,
        set_as: facts.set_as.as_ref().map(Into::into),
        moves: facts.moves.map(|[white, black]| v1::MovesCounted { white, black }),
        reply: facts.reply.map_or(0, Numbered::number),
        next: facts.next.map(|uci| uci.to_string()).unwrap_or_default(),
    })
}

pub(super) fn from_proto(facts: Option<v1::Facts>) -> Result<Facts, Refused> {
    let Some(facts) = facts else { return Ok(Facts::default()) };
    Ok(Facts {
        claimed: facts.claimed,
        elapsed: facts.elapsed_ms,
        ran: facts.ran_ms,
        set_as: maybe("facts.set_as", facts.set_as)?,
        moves: facts.moves.map(|moves| [moves.white, moves.black]),
        reply: Numbered::maybe("facts.reply", facts.reply)?,
        next: text(facts.next).map(|letters| uci("facts.next", &letters)).transpose()?,
    })
}
