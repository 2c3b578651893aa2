//! Acts at the desk.

use flagfall_proto::{
    clock,
    convert::Refused,
    journal::v1::{self, desk_input::Act as Message},
};
use flagfall_rules::game::{DeskAct, DeskInput, Terms};

use super::{
    adjourn,
    directive::{self, colour_number},
    event::colour,
    facts, maybe,
    numbers::Numbered,
    required,
    setup::{setup, setup_to_proto},
};

/// An act at the desk as a message.
#[must_use]
pub fn desk_to_proto(input: &DeskInput) -> v1::DeskInput {
    let act = match &input.act {
        DeskAct::Open(setup) => Message::Open(setup_to_proto(setup)),
        DeskAct::Irregularity { kind, by, ply, note, facts } => Message::Irregularity(v1::SeenIrregularity {
            kind: kind.number(),
            by: colour_number(*by),
            ply: ply.unwrap_or(0),
            note: note.clone(),
            facts: facts::to_proto(facts),
        }),
        DeskAct::Claim { by, claim, note, facts } => Message::Claim(v1::ClaimMade {
            by: colour_number(*by),
            kind: claim.number(),
            note: note.clone(),
            facts: facts::to_proto(facts),
        }),
        DeskAct::Decide { case, choice, note } => {
            Message::Decide(v1::Decision { case: *case, choice: choice.clone(), note: note.clone() })
        }
        DeskAct::Adjourn { deed, nonce } => Message::Adjourn(adjourn::deed_to_proto(deed, nonce)),
        DeskAct::Heed(through) => Message::Heed(v1::Heed { through: *through }),
        DeskAct::Annul => Message::Annul(v1::Annul {}),
        DeskAct::Move { device, note } => Message::Move(v1::MoveToClock { device: device.clone(), note: note.clone() }),
        // Only what to do and say: the revision is given when it is issued.
        DeskAct::Direct(act, words, Terms { as_of, until }) => Message::Direct(v1::ActByHand {
            directive: Some(clock::v1::Directive {
                act: Some(directive::act_to_proto(act, words)),
                as_of_seq: *as_of,
                not_after: until.map(Into::into),
                ..Default::default()
            }),
        }),
    };
    let DeskInput { request, actor, wall_ms, reason, .. } = input.clone();
    v1::DeskInput { request, actor, wall_ms, reason, act: Some(act) }
}

/// An act at the desk out of a message.
///
/// # Errors
/// Names the field.
pub fn desk_input(input: v1::DeskInput) -> Result<DeskInput, Refused> {
    let v1::DeskInput { request, actor, wall_ms, reason, act } = input;
    let act = match required("desk.act", act)? {
        Message::Open(message) => DeskAct::Open(setup(message)?),
        Message::Irregularity(seen) => DeskAct::Irregularity {
            kind: Numbered::named("irregularity.kind", seen.kind)?,
            by: colour("irregularity.by", seen.by)?,
            ply: (seen.ply > 0).then_some(seen.ply),
            note: seen.note,
            facts: facts::from_proto(seen.facts)?,
        },
        Message::Claim(claim) => DeskAct::Claim {
            by: colour("claim.by", claim.by)?,
            claim: Numbered::named("claim.kind", claim.kind)?,
            note: claim.note,
            facts: facts::from_proto(claim.facts)?,
        },
        Message::Decide(decision) => {
            DeskAct::Decide { case: decision.case, choice: decision.choice, note: decision.note }
        }
        Message::Adjourn(deed) => {
            let (deed, nonce) = adjourn::deed_from_proto(deed)?;
            DeskAct::Adjourn { deed: Box::new(deed), nonce }
        }
        Message::Heed(heed) => DeskAct::Heed(heed.through),
        Message::Annul(_) => DeskAct::Annul,
        Message::Move(to) => DeskAct::Move { device: to.device, note: to.note },
        Message::Direct(by_hand) => {
            let directive = required("direct.directive", by_hand.directive)?;
            let (act, words) = directive::act(required("direct.directive.act", directive.act)?)?;
            let until = maybe("direct.directive.not_after", directive.not_after)?;
            DeskAct::Direct(act, words, Terms { as_of: directive.as_of_seq, until })
        }
    };
    Ok(DeskInput { request, actor, wall_ms, reason, act })
}
