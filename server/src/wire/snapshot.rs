//! A game as the desk sees it.

use flagfall_proto::{
    clock::v1,
    desk::v1::{AdjournmentSnapshot, CaseSnapshot, Custody, DirectiveSnapshot, GameSnapshot},
    journal::v1::{Alarmed, Ended, OfEach, Ply, event::What},
};
use flagfall_rules::{
    adjourn::Adjournment,
    clock::Colour,
    game::{Case, Event, Game, Sent, Uci},
};

use crate::journal::codec::{
    Numbered, adjournment_proposal_to_proto, directive_to_proto, envelope_to_proto, event_to_proto, finding_to_proto,
    proposal_to_proto, resumption_to_proto, ruling_to_proto, seal_to_proto, session_to_proto, setup_to_proto,
};

/// A game after so many entries of its stream.
#[must_use]
pub fn of(game: &Game, entry: u64) -> GameSnapshot {
    let [white_strikes, black_strikes] = game.strikes;
    GameSnapshot {
        setup: Some(setup_to_proto(&game.setup)),
        plies: game.plies.iter().filter_map(|&ply| made(ply)).collect(),
        position: game.known_fen().unwrap_or_default(),
        face: Some(game.recorded().into()),
        white_strikes,
        black_strikes,
        cases: game.cases.iter().map(case).collect(),
        directives: game.directives.iter().map(|sent| sent_directive(&game.setup.game, sent)).collect(),
        ended: game.ended.as_ref().map(|(outcome, ending, article)| Ended {
            outcome: outcome.number(),
            ending: ending.number(),
            article: article.clone(),
        }),
        alarms: game
            .alarms
            .iter()
            .map(|(alarm, detail)| Alarmed { alarm: alarm.number(), detail: detail.clone() })
            .collect(),
        entry,
        heard_seq: game.seq,
        adjournment: game.adjournment.as_deref().map(adjourned),
        heeded: u32::try_from(game.heeded).unwrap_or(u32::MAX),
        quarantine: String::new(),
    }
}

/// What was sealed stands in it only as commitment and ciphertext; the text once the envelope was opened.
fn adjourned(adjournment: &Adjournment) -> AdjournmentSnapshot {
    let each = |[white, black]: [bool; 2]| Some(OfEach { white, black });
    let letters = |uci: Option<Uci>| uci.map(|uci| uci.to_string()).unwrap_or_default();
    let colour = |colour: Option<Colour>| v1::Colour::from(colour).into();
    let custody = |custody: &flagfall_rules::adjourn::Custody| Custody {
        holder: custody.holder.clone(),
        since_ms: custody.since,
    };
    AdjournmentSnapshot {
        phase: adjournment.phase.number(),
        session: adjournment.session.map(session_to_proto),
        sealer: colour(adjournment.sealer),
        on_board: letters(adjournment.on_board),
        sheets: each(adjournment.sheets),
        closed: adjournment.closed,
        seal: adjournment.seal.as_ref().map(seal_to_proto),
        envelope: adjournment.envelope.as_ref().map(envelope_to_proto),
        resumption: adjournment.resumption.as_ref().map(resumption_to_proto),
        checked: adjournment.checked,
        custody: adjournment.custody.iter().map(custody).collect(),
        offer: colour(adjournment.offer),
        here: each(adjournment.here),
        excused: each(adjournment.excused),
        began_ms: adjournment.began,
        lost: adjournment.lost,
        text: adjournment.text.clone().unwrap_or_default(),
        sealed_move: letters(adjournment.sealed_move),
        reply_seal: adjournment.reply_seal.as_ref().map(seal_to_proto),
        reply: letters(adjournment.reply),
        proposal: adjournment.proposal.as_ref().map(adjournment_proposal_to_proto),
    }
}

/// A ply is the same message in a score as in the event that made it.
fn made(ply: flagfall_rules::game::Ply) -> Option<Ply> {
    match event_to_proto("", &Event::Made(ply)).what {
        Some(What::Made(ply)) => Some(ply),
        _ => None,
    }
}

fn case(case: &Case) -> CaseSnapshot {
    CaseSnapshot {
        finding: Some(finding_to_proto(&case.finding)),
        proposal: case.proposal.as_ref().map(proposal_to_proto),
        ruling: case.ruling.as_ref().map(ruling_to_proto),
    }
}

fn sent_directive(game: &str, sent: &Sent) -> DirectiveSnapshot {
    DirectiveSnapshot {
        directive: Some(directive_to_proto(game, &sent.directive)),
        stage: sent.stage.number(),
        reason: sent.reason.map_or(0, Numbered::number),
        before: sent.before.map(Into::into),
        after: sent.after.map(Into::into),
    }
}
