//! What the players themselves say of the game: draw offers (A4, 9.1), agreement and resignation (A6, 5.1.2, 5.2.3).

use super::{
    decide::Draft,
    refusal::Refusal,
    state::Phase,
    step::{Fact, Proposal, Reason, Then},
};
use crate::{clock::Colour, game::Outcome};

/// The game is adjourned and does not go on yet.
const APART: [Phase; 5] = [Phase::Adjourned, Phase::SetUp, Phase::Waiting, Phase::Opening, Phase::Judging];

/// The adjournment stands between the game and its own rules: also while a move is being sealed or the sealer is awaited.
const BETWEEN: [Phase; 8] = [
    Phase::Sealing,
    Phase::Adjourned,
    Phase::SetUp,
    Phase::Waiting,
    Phase::Opening,
    Phase::Judging,
    Phase::Open,
    Phase::ReplySealed,
];

/// Only what may have decided the game before the players did is decided first; anything else lapses with the end.
pub(super) fn comes_first(proposal: &Proposal) -> bool {
    proposal.ways.iter().any(|way| matches!(way.then, Then::End(..)))
}

/// An offer after the opponent has sealed stays open (A4).
pub(super) fn offer(draft: &mut Draft<'_>, by: Colour) -> Result<(), Refusal> {
    if !(draft.state.phase == Phase::Sealing && draft.state.closed) {
        draft.expect(&APART)?;
    }
    if draft.state.sealer == Some(by) {
        return Err(Refusal::OfferBySealer);
    }
    if draft.state.offer.is_some() {
        return Err(Refusal::OfferOpen);
    }
    draft.note(draft.procedure.articles.offer, Fact::Offered(by));
    Ok(())
}

fn offered_to(draft: &Draft<'_>, by: Colour) -> Result<(), Refusal> {
    if draft.state.offer == Some(by.other()) { Ok(()) } else { Err(Refusal::NoOffer) }
}

pub(super) fn accept(draft: &mut Draft<'_>, by: Colour) -> Result<(), Refusal> {
    offered_to(draft, by)?;
    drawn(draft, draft.procedure.articles.draw);
    Ok(())
}

pub(super) fn decline(draft: &mut Draft<'_>, by: Colour) -> Result<(), Refusal> {
    offered_to(draft, by)?;
    draft.note(draft.procedure.articles.draw, Fact::Declined);
    Ok(())
}

pub(super) fn agree(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    draft.expect(&BETWEEN)?;
    drawn(draft, draft.procedure.articles.agreement);
    Ok(())
}

/// A6 is for a game that is apart; before and after it the article of the Laws itself says so.
fn drawn(draft: &mut Draft<'_>, otherwise: &str) {
    let apart = APART.contains(&draft.state.phase);
    let article = if apart { draft.procedure.articles.agreed } else { otherwise };
    draft.end(Some(Outcome::Draw), Reason::Agreement, article);
}

pub(super) fn resign(draft: &mut Draft<'_>, by: Colour) -> Result<(), Refusal> {
    draft.expect(&BETWEEN)?;
    if draft.had_ended() {
        return Ok(());
    }
    let (articles, winner) = (&draft.procedure.articles, Outcome::win(by.other()));
    let article = if APART.contains(&draft.state.phase) { articles.agreed } else { articles.resignation };
    match draft.state.position().filter(|_| draft.procedure.resignation_exception) {
        Some(position) => draft.lost_unless_unwinnable(by, &position, Reason::Resignation, articles.resignation),
        None => draft.end(Some(winner), Reason::Resignation, article),
    }
    Ok(())
}
