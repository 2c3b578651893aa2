//! Directives by hand: what an arbiter tells the clock himself, and the results he enters.

use super::{
    case,
    claim::can_be_claimed,
    decide::Draft,
    desk::{MOST, between_sessions},
    event::{Act, Ending, Outcome, Stage, Words},
    input::Terms,
    irregularity::Irregularity,
    refusal::{Amount, Refusal},
    sent::Sent,
    standing::{Expected, expected},
    state::{Case, Game, position},
};
use crate::{
    clock::{Face, Going},
    time::Millis,
};

pub(super) fn direct(draft: &mut Draft, act: &Act, given: &Words, terms: Terms) -> Result<(), Refusal> {
    match act {
        Act::Prepare { .. } => return Err(Refusal::NotByHand),
        Act::Conclude(outcome) => return result(draft, *outcome),
        Act::Set { .. } | Act::Add(..) | Act::Run if draft.game.ended.is_some() => return Err(Refusal::GameOver),
        Act::Set { .. } | Act::Add(..) | Act::Run => between_sessions(draft.game)?,
        _ => {}
    }
    match act {
        Act::Add(colour, amount) => {
            let left = draft.game.face.hand(*colour).left.unwrap_or(0);
            amount_is_good(*amount)?;
            amount_is_good(left.saturating_add(*amount))?;
        }
        Act::Set { position: Some(text), .. } if position(text).is_none() => {
            return Err(Refusal::BadPosition(text.clone()));
        }
        _ => {}
    }
    let Terms { as_of, until } = terms;
    let game = &draft.game;
    let waits = |sent: &Sent| matches!(sent.stage, Stage::Sent | Stage::Received);
    let setting = |sent: &Sent| waits(sent) && sent.directive.act.changes_times();
    if as_of > 0 && (game.turned > as_of || game.directives.iter().any(setting)) {
        return Err(Refusal::Overtaken);
    }
    let act = with_flag_down(game, act)?;
    // Added time and words are good whatever happened meanwhile, unless whoever gives them says otherwise; absolute values are only
    // good for the face they were drawn up from.
    let as_of = if as_of == 0 && matches!(act, Act::Set { .. }) { game.seq } else { as_of };
    // A stop or a time that comes late is still wanted; what was only said is not.
    let until = until.filter(|_| act == Act::Show);
    draft.issue_until(act, as_of, until, given.clone());
    Ok(())
}

/// A time that can be given, and one that a clock can come to by it.
fn amount_is_good(ms: Millis) -> Result<(), Refusal> {
    if (1..=MOST).contains(&ms) { Ok(()) } else { Err(Refusal::BadAmount(Amount::Time(ms))) }
}

/// A clock neither adds to a side whose flag is down nor lets it fall again: the time is set, which puts the flag up, and nobody plays
/// on at zero unless his flag can still be called. No setting makes a flag fall; one that is down stays so where its time is left alone.
fn with_flag_down(game: &Game, act: &Act) -> Result<Act, Refusal> {
    let Expected { mut face, known } = expected(game);
    match *act {
        Act::Add(colour, amount) if face.hand(colour).flagged => {
            // While the opponent's clock runs, his time cannot be set.
            if !known && face.turn != colour {
                return Err(Refusal::FlagDown(colour));
            }
            let hand = face.hand_mut(colour);
            (hand.left, hand.flagged) = (Some(hand.left.unwrap_or(0).saturating_add(amount)), false);
            let (white_place, run) = (game.setup.white_place, face.going == Going::Running);
            Ok(Act::Set { hands: face.hands, turn: face.turn, run, white_place, position: None })
        }
        Act::Run if at_zero(game, &face) => Err(Refusal::FlagDown(face.turn)),
        Act::Set { mut hands, turn, run, white_place, ref position } => {
            for (hand, now) in hands.iter_mut().zip(&face.hands) {
                hand.flagged = hand.left == Some(0) && now.left == Some(0) && now.flagged;
                hand.left.filter(|_| !hand.flagged).map_or(Ok(()), amount_is_good)?;
            }
            if run && at_zero(game, &Face { hands, turn, ..face }) {
                return Err(Refusal::FlagDown(turn));
            }
            Ok(Act::Set { hands, turn, run, white_place, position: position.clone() })
        }
        _ => Ok(act.clone()),
    }
}

/// The clock of a player stands at zero whose flag nobody can call any more: he would play without one.
pub(super) fn at_zero(game: &Game, face: &Face) -> bool {
    let hand = face.hand(face.turn);
    let called = |case: &Case| {
        case.finding.kind == Irregularity::FlagSeen && case.finding.by == face.turn && can_be_claimed(game, case)
    };
    hand.flagged && hand.left == Some(0) && !game.cases.iter().any(called)
}

/// A result by hand. One that somebody entered by a slip is put right by hand too: incorrect, it stands unless the arbiter decides
/// otherwise (8.7). What the Laws or a ruling made of the game is no such slip.
fn result(draft: &mut Draft, outcome: Outcome) -> Result<(), Refusal> {
    let articles = &draft.edition.articles;
    match &draft.game.ended {
        None => case::end(draft, outcome, Ending::Desk, articles.agreement),
        Some((was, Ending::Desk | Ending::Resignation | Ending::Agreement, _)) if *was != outcome => {
            case::conclude(draft, outcome, Ending::Desk, articles.incorrect_result);
        }
        Some(_) => return Err(Refusal::GameOver),
    }
    Ok(())
}
