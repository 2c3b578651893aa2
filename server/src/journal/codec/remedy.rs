//! Ways out of a case, and the one that was taken.

use flagfall_proto::{
    convert::{self, Refused},
    journal::v1,
};
use flagfall_rules::game::{Proposal, Remedy, Ruling};

use super::{
    directive::{colour_number, read_words, words},
    event::{colour, uci},
    must,
    numbers::Numbered,
    required, text, within,
};

fn to_proto(remedy: &Remedy) -> v1::Remedy {
    let [white, black] = remedy.hands.map_or([None; 2], |hands| hands.map(|hand| Some(hand.into())));
    v1::Remedy {
        key: remedy.key.clone(),
        words: words(&remedy.words),
        article: remedy.article.clone(),
        annul_from: remedy.annul_from.unwrap_or(0),
        place: remedy.place.map(|uci| uci.to_string()).unwrap_or_default(),
        position: remedy.position.clone().unwrap_or_default(),
        white,
        black,
        turn: colour_number(remedy.turn),
        white_strikes: remedy.strikes[0],
        black_strikes: remedy.strikes[1],
        end: remedy.outcome.map(|(outcome, ending)| v1::End { outcome: outcome.number(), ending: ending.number() }),
        cancel: remedy.cancel,
        white_given_ms: remedy.given[0],
        black_given_ms: remedy.given[1],
    }
}

fn from_proto(remedy: v1::Remedy) -> Result<Remedy, Refused> {
    let hands = match (remedy.white, remedy.black) {
        (None, None) => None,
        (white, black) => Some(convert::hands(white, black).map_err(|refused| within("remedy", refused))?),
    };
    let place = text(remedy.place).map(|letters| uci("remedy.place", &letters)).transpose()?;
    let outcome = match remedy.end {
        None => None,
        Some(end) => Some((
            Numbered::named("remedy.end.outcome", end.outcome)?,
            Numbered::named("remedy.end.ending", end.ending)?,
        )),
    };
    Ok(Remedy {
        key: remedy.key,
        words: read_words(remedy.words),
        article: remedy.article,
        annul_from: (remedy.annul_from > 0).then_some(remedy.annul_from),
        place,
        position: text(remedy.position),
        hands,
        given: [remedy.white_given_ms, remedy.black_given_ms],
        turn: colour("remedy.turn", remedy.turn)?,
        strikes: [remedy.white_strikes, remedy.black_strikes],
        outcome,
        cancel: remedy.cancel,
    })
}

/// Ways out of a case as a message.
#[must_use]
pub fn proposal_to_proto(proposal: &Proposal) -> v1::Proposal {
    let (case, running) = (proposal.case, proposal.running);
    v1::Proposal { case, remedies: proposal.remedies.iter().map(to_proto).collect(), running }
}

pub(super) fn proposal_from_proto(proposal: v1::Proposal) -> Result<Proposal, Refused> {
    let remedies = proposal.remedies.into_iter().map(from_proto).collect::<Result<_, _>>()?;
    Ok(Proposal { case: proposal.case, remedies, running: proposal.running })
}

/// A decision as a message.
#[must_use]
pub fn ruling_to_proto(ruling: &Ruling) -> v1::Ruling {
    v1::Ruling {
        case: ruling.case,
        remedy: Some(to_proto(&ruling.remedy)),
        actor: ruling.actor.clone(),
        note: ruling.note.clone(),
        before: Some(ruling.before.into()),
    }
}

pub(super) fn ruling_from_proto(ruling: v1::Ruling) -> Result<Ruling, Refused> {
    Ok(Ruling {
        case: ruling.case,
        remedy: from_proto(required("ruling.remedy", ruling.remedy)?)?,
        actor: ruling.actor,
        note: ruling.note,
        before: must("ruling.before", ruling.before)?,
    })
}
