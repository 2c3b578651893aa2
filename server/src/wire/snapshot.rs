//! A game as the desk sees it.

use flagfall_proto::{
    desk::v1::{CaseSnapshot, DirectiveSnapshot, GameSnapshot},
    journal::v1::{Alarmed, Ended, Ply, event::What},
};
use flagfall_rules::game::{Case, Event, Game, Sent};

use crate::journal::codec::{
    Numbered, directive_to_proto, event_to_proto, finding_to_proto, proposal_to_proto, ruling_to_proto, setup_to_proto,
};

/// A game after so many entries of its stream.
#[must_use]
pub fn of(game: &Game, entry: u64) -> GameSnapshot {
    let [white_strikes, black_strikes] = game.strikes;
    GameSnapshot {
        setup: Some(setup_to_proto(&game.setup)),
        plies: game.plies.iter().filter_map(|&ply| made(ply)).collect(),
        position: game.fen(),
        face: Some(game.face.into()),
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
