//! Who comes too late (A10): an hour after the resumption, or the default time of the event; the rules or the arbiter may say
//! otherwise, and the sealed move may have decided before.

use alloc::vec;

use super::{
    decide::{Draft, ended, way},
    procedure::Conclusion,
    refusal::Refusal,
    state::Phase,
    step::{Fact, Reason, Then, Which},
};
use crate::{
    clock::Colour,
    game::{Outcome, Words},
    laws::words,
};

/// The arbiter looks at his clock.
pub(super) fn look(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    draft.expect(&[Phase::Waiting, Phase::Opening, Phase::Open, Phase::ReplySealed, Phase::Resumed])?;
    judge(draft);
    Ok(())
}

/// The rules or the arbiter say otherwise for this player.
pub(super) fn excuse(draft: &mut Draft<'_>, player: Colour) -> Result<(), Refusal> {
    if matches!(draft.state.phase, Phase::Playing | Phase::Sealing) {
        return Err(Refusal::Phase(draft.state.phase));
    }
    let stopped = draft.state.phase == Phase::Judging;
    excused(draft, &[player], stopped);
    Ok(())
}

/// These players may still play. What was stopped for the question goes on.
pub(super) fn excused(draft: &mut Draft<'_>, players: &[Colour], stopped: bool) {
    let article = draft.procedure.articles.late;
    for &player in players {
        draft.note(article, Fact::Excused(player));
    }
    match draft.state.phase {
        _ if !stopped => {}
        Phase::Waiting | Phase::Open => draft.run(draft.state.responder(), article),
        Phase::ReplySealed => {
            draft.run(draft.state.sealer, article);
            if draft.state.sealer.is_some_and(|sealer| draft.state.is_here(sealer)) {
                draft.open(Which::Reply, article);
            }
        }
        Phase::Opening if !draft.state.lost => draft.open(Which::SealedMove, article),
        Phase::Resumed => draft.say(start_mover(), article),
        _ => {}
    }
}

/// Where the moves are the game's own, so is the knowledge whose turn it is.
pub(super) fn start_mover() -> Words {
    words("start the clock of the player to move", "пустите часы игрока, за которым очередь хода")
}

/// Ends the game, or asks, when somebody is too late by now. A player who has come is measured by when he came, one who has
/// not by the time it is; both from the moment the resumption began.
pub(super) fn judge(draft: &mut Draft<'_>) {
    let (state, at, limit) = (&draft.state, draft.at, draft.procedure.default_time);
    let (Some(began), Some(sealer)) = (state.began, state.sealer) else { return };
    let late = [0, 1].map(|i| {
        let came = state.came[i].unwrap_or(at);
        !state.excused[i] && came.saturating_sub(began) > limit
    });
    if late == [false; 2] || state.is_over() || state.proposal.is_some() {
        return;
    }
    let only_sealer = late[sealer.index()] && !late[sealer.other().index()] && state.is_here(sealer.other());
    let stands = draft.procedure.conclusion == Conclusion::AnybodyLate || only_sealer;
    if stands && state.sealed_move.is_none() && !state.lost {
        let article = draft.procedure.articles.late;
        draft.note(article, Fact::FoundLate(late));
        draft.stop(article);
        return draft.open(Which::SealedMove, article);
    }
    lose(draft, late);
}

/// The late player loses, unless the game had ended before. That both are late no text decides.
pub(super) fn lose(draft: &mut Draft<'_>, late: [bool; 2]) {
    let article = draft.procedure.articles.late;
    draft.stop(article);
    if draft.had_ended() {
        return;
    }
    match late {
        [true, true] => {
            let both = "обе стороны проигрывают";
            let ways = vec![
                way("both_lose", "both players lose", both, Then::End(None, Reason::Late)),
                ended("white_wins", Outcome::WhiteWins, Reason::Late),
                ended("black_wins", Outcome::BlackWins, Reason::Late),
                way("play_on", "both may play all the same", "обоим разрешается играть", Then::Excuse),
            ];
            draft.propose(article, ways);
        }
        [true, false] => draft.end(Some(Outcome::BlackWins), Reason::Late, article),
        [false, true] => draft.end(Some(Outcome::WhiteWins), Reason::Late, article),
        [false, false] => {}
    }
}
