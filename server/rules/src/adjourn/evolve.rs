//! The fold: how an event changes what is known. Total: an event is a fact, whatever it says.

use super::{
    act::Situation,
    state::{Adjournment, Custody, Envelope, Phase, to_move},
    step::{Event, Fact},
};
use crate::{clock::Colour, game::state::position};

/// Applies one event.
pub fn evolve(state: &mut Adjournment, event: &Event) {
    state.at = event.at;
    match &event.fact {
        Fact::Announced(session) => state.session = Some(*session),
        Fact::SealingBegan(situation) => sealing(state, situation),
        Fact::AdjournedEarly(situation, charged) => {
            sealing(state, situation);
            (state.early, state.charged) = (true, *charged);
        }
        Fact::Written(seal) => {
            state.seal = Some(seal.clone());
            (state.written, state.closed) = (true, false);
        }
        Fact::MadeOnBoard(uci) => {
            state.on_board = Some(*uci);
            // What was written before may be another move.
            (state.written, state.closed) = (false, false);
        }
        Fact::SheetIn(of) => state.sheets[of.index()] = true,
        Fact::Closed => state.closed = true,
        Fact::Adjourned(envelope) => {
            state.phase = Phase::Adjourned;
            state.envelope = Some((**envelope).clone());
        }
        Fact::Appointed(resumption) => {
            state.resumption = Some(resumption.clone());
            on_envelope(state, |envelope| envelope.resumption = Some(resumption.clone()));
            state.checked = false;
        }
        Fact::Checked(envelope) => {
            state.checked = true;
            state.resumption = envelope.resumption.clone();
            state.offer = envelope.draw_offer;
            state.envelope = Some((**envelope).clone());
        }
        Fact::HandedOver(to) => hold(state, to, event),
        Fact::Offered(by) => offer(state, Some(*by)),
        Fact::Declined => offer(state, None),
        Fact::SetUp(hands) => {
            state.phase = Phase::SetUp;
            on_envelope(state, |envelope| envelope.hands = *hands);
        }
        Fact::Came(player) => {
            state.here[player.index()] = true;
            state.came[player.index()].get_or_insert(event.at);
            if state.phase == Phase::Open && state.sealer == Some(*player) {
                state.phase = Phase::Resumed;
            }
        }
        Fact::Went(player) => {
            state.here[player.index()] = false;
            // Who leaves again before the resumption has not come to it.
            if state.began.is_none() {
                state.came[player.index()] = None;
            }
        }
        Fact::Began => began(state, event, Phase::Opening),
        Fact::BeganWaiting => began(state, event, Phase::Waiting),
        Fact::StoppedOnArrival => state.phase = Phase::Opening,
        Fact::Read(text) => state.text = Some(text.clone()),
        Fact::SealedMoveMade(uci) => {
            state.sealed_move = Some(*uci);
            let here = state.sealer.is_some_and(|sealer| state.is_here(sealer));
            state.phase = if here { Phase::Resumed } else { Phase::Open };
        }
        Fact::Replied(uci) => {
            state.reply = Some(*uci);
            moved(state, state.responder());
            state.phase = Phase::Resumed;
        }
        Fact::ReplySealed(seal, to) => {
            state.reply_seal = Some(seal.clone());
            moved(state, state.responder());
            hold(state, to, event);
            state.phase = Phase::ReplySealed;
        }
        Fact::ReplyAnew => {
            state.phase = Phase::Resumed;
            if let Some(responder) = state.responder() {
                state.moved[responder.index()] = false;
            }
        }
        Fact::FirstMove(by) => moved(state, Some(*by)),
        Fact::FlagFell(..) | Fact::ClockCorrected(_) => {}
        Fact::FoundLate(late) => {
            state.late = *late;
            state.phase = Phase::Judging;
        }
        Fact::Excused(player) => {
            state.excused[player.index()] = true;
            state.late[player.index()] = false;
            if state.phase == Phase::Judging && state.late == [false; 2] {
                let here = state.responder().is_some_and(|responder| state.is_here(responder));
                state.phase = if here { Phase::Opening } else { Phase::Waiting };
            }
        }
        Fact::EnvelopeLost => state.lost = true,
        Fact::Proposed(proposal) => state.proposal = Some(proposal.clone()),
        Fact::Chosen(_) => state.proposal = None,
        Fact::Ended(outcome, reason) => {
            // What was open lapses with the game.
            state.proposal = None;
            state.phase = Phase::Ended;
            state.ended = Some((*outcome, *reason, event.article.clone()));
        }
        Fact::Annulled => state.phase = Phase::Annulled,
    }
}

fn sealing(state: &mut Adjournment, situation: &Situation) {
    state.phase = Phase::Sealing;
    state.sealer = position(&situation.position).map(|position| to_move(&position).0);
    state.offer = situation.draw_offer;
    state.situation = Some(situation.clone());
}

fn on_envelope(state: &mut Adjournment, change: impl FnOnce(&mut Envelope)) {
    if let Some(envelope) = &mut state.envelope {
        change(envelope);
    }
}

fn offer(state: &mut Adjournment, by: Option<Colour>) {
    state.offer = by;
    on_envelope(state, |envelope| envelope.draw_offer = by);
}

fn hold(state: &mut Adjournment, to: &str, event: &Event) {
    state.custody.push(Custody { holder: to.into(), since: event.at });
}

fn began(state: &mut Adjournment, event: &Event, phase: Phase) {
    state.began = Some(event.at);
    state.phase = phase;
}

fn moved(state: &mut Adjournment, by: Option<Colour>) {
    if let Some(by) = by {
        state.moved[by.index()] = true;
    }
}
