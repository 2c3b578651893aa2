//! Acts at the desk. Each request acts once: its id is admitted together with what it did.

use alloc::{boxed::Box, string::ToString, vec::Vec};

use super::{
    case::{self, Scene},
    decide::{Draft, Refusal},
    event::{Act, Ending, Event, Irregularity, Setup, Words},
    input::{DeskAct, DeskInput},
    state::{CasePhase, position},
};
use crate::{
    clock::Colour,
    laws::{self, Play, words},
};

/// The most that can be added by hand: ten hours.
const MOST: i64 = 36_000_000;

pub(super) fn decide(draft: &mut Draft, input: &DeskInput) -> Result<(), Refusal> {
    if draft.game.admitted.contains(&input.request) {
        return Ok(());
    }
    if !draft.game.opened && !matches!(input.act, DeskAct::Open(_)) {
        return Err(Refusal::NotOpen);
    }
    match &input.act {
        DeskAct::Open(setup) => open(draft, setup)?,
        DeskAct::Irregularity { kind, by, ply, note } => irregularity(draft, *kind, *by, *ply, note)?,
        DeskAct::Decide { case, choice, note } => choose(draft, *case, choice, &input.actor, note)?,
        DeskAct::Direct(act, given) => direct(draft, act, given)?,
    }
    draft.emit(Event::Admitted(input.request.clone()));
    Ok(())
}

fn open(draft: &mut Draft, setup: &Setup) -> Result<(), Refusal> {
    if draft.game.opened {
        return Err(Refusal::AlreadyOpen);
    }
    if laws::edition(&setup.edition).is_none() {
        return Err(Refusal::UnknownEdition(setup.edition.clone()));
    }
    if matches!(setup.play, Play::Rapid | Play::Blitz) {
        return Err(Refusal::Unsupervised);
    }
    if let Some(text) = setup.position.as_ref().filter(|text| position(text).is_none()) {
        return Err(Refusal::BadPosition(text.clone()));
    }
    draft.emit(Event::Opened(Box::new(setup.clone())));
    let (control, white_place, position) = (setup.control.clone(), setup.white_place, draft.game.fen());
    let ready = words("Ready", "Готово");
    draft.issue(Act::Prepare { control, white_place, position }, 0, ready);
    Ok(())
}

fn irregularity(
    draft: &mut Draft,
    kind: Irregularity,
    by: Colour,
    ply: Option<u32>,
    note: &str,
) -> Result<(), Refusal> {
    let game = &draft.game;
    if game.ended.is_some() {
        return Err(Refusal::GameOver);
    }
    if let Some(open) = game.open_case() {
        return Err(Refusal::CaseOpen(open.finding.case));
    }
    if draft.edition.article(kind).is_empty() {
        return Err(Refusal::NotIrregular(draft.edition.id));
    }
    let last = (1..).zip(&game.plies).filter(|(_, p)| p.by == by).map(|(n, _)| n).last();
    let ply = match ply {
        None => last.unwrap_or(1),
        Some(n) if (1..).zip(&game.plies).any(|(number, p)| number == n && p.by == by) => n,
        Some(n) => return Err(Refusal::NoSuchPly(n)),
    };
    let before = super::state::fen(&game.position_after(ply as usize - 1));
    let found = laws::reported(draft.edition, game, kind, ply, note);
    let scene = Scene { by, ply, at_press: None, settled: game.scan, face: game.face, before };
    case::open(draft, &found, scene);
    Ok(())
}

fn choose(draft: &mut Draft, number: u32, choice: &str, actor: &str, note: &str) -> Result<(), Refusal> {
    let index = (number as usize).checked_sub(1);
    let case = index.and_then(|index| draft.game.cases.get(index)).ok_or(Refusal::NoSuchCase(number))?;
    if let Some(ruling) = &case.ruling {
        return Err(Refusal::AlreadyDecided(number, ruling.actor.clone()));
    }
    if draft.game.ended.is_some() {
        return Err(Refusal::GameOver);
    }
    let (CasePhase::Proposed, Some(proposal)) = (case.phase, &case.proposal) else {
        return Err(Refusal::NotDecidable(number));
    };
    let Some(remedy) = proposal.remedies.iter().find(|remedy| remedy.key == choice).cloned() else {
        let keys: Vec<&str> = proposal.remedies.iter().map(|remedy| remedy.key.as_str()).collect();
        return Err(Refusal::NoSuchChoice(number, keys.join(", ")));
    };
    let face = draft.game.face;
    case::rule(draft, number, remedy, (actor, note), face, true);
    Ok(())
}

fn direct(draft: &mut Draft, act: &Act, given: &Words) -> Result<(), Refusal> {
    match act {
        Act::Prepare { .. } => return Err(Refusal::NotByHand),
        Act::Conclude(outcome) => {
            if draft.game.ended.is_some() {
                return Err(Refusal::GameOver);
            }
            let article = draft.edition.articles.agreement.to_string();
            case::end(draft, *outcome, Ending::Desk, &article);
            return Ok(());
        }
        Act::Add(_, amount) if !(1..=MOST).contains(amount) => return Err(Refusal::BadAmount(*amount)),
        Act::Set { position: Some(text), .. } if position(text).is_none() => {
            return Err(Refusal::BadPosition(text.clone()));
        }
        _ => {}
    }
    // Added time and words are good whatever happened meanwhile; absolute values are only good for the face they were
    // drawn up from.
    let as_of = if matches!(act, Act::Set { .. }) { draft.game.seq } else { 0 };
    draft.issue(act.clone(), as_of, given.clone());
    Ok(())
}
