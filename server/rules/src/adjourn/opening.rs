//! The envelope is opened (A7–A9): the sealed move is read and made, and so is the reply where it was sealed.

use alloc::{format, vec, vec::Vec};

use shakmaty::{Chess, Move, Position, san::San};

use super::{
    decide::{BUDGET, Draft, ended, way},
    late,
    notation::{Reading, read},
    procedure::Conclusion,
    refusal::Refusal,
    resume::responder_here,
    state::{Phase, Seal},
    step::{Fact, Reason, Then, Way},
};
use crate::{
    board::infer,
    clock::Colour,
    game::{Outcome, Uci, state},
    laws::{articles::mating, words},
};

const UNOPENED: [Phase; 3] = [Phase::Opening, Phase::Waiting, Phase::Judging];

/// Only with the player who must reply (A7), or to see whether the sealed move ended the game all the same (I.10).
pub(super) fn opened(draft: &mut Draft<'_>, text: &str) -> Result<(), Refusal> {
    if matches!(draft.state.phase, Phase::Adjourned | Phase::SetUp) {
        return Err(Refusal::Shut);
    }
    draft.expect(&UNOPENED)?;
    if draft.state.lost {
        return Err(Refusal::EnvelopeLost);
    }
    let anyhow = draft.state.phase == Phase::Judging && draft.procedure.conclusion == Conclusion::AnybodyLate;
    if !anyhow && responder_here(draft).is_err() {
        return Err(Refusal::Shut);
    }
    let articles = &draft.procedure.articles;
    let article = if draft.state.phase == Phase::Waiting { articles.absent } else { articles.present };
    unsealed(draft, text, article)
}

pub(super) fn stated(draft: &mut Draft<'_>, text: &str) -> Result<(), Refusal> {
    draft.expect(&UNOPENED)?;
    if !draft.state.lost {
        return Err(Refusal::NotLost);
    }
    let sealer = responder_here(draft)?.other();
    if !draft.state.is_here(sealer) {
        return Err(Refusal::Absent(sealer));
    }
    unsealed(draft, text, draft.procedure.articles.lost)
}

/// What stood on the sheet. A dead position has ended the game before; whether a flag has, was said when it fell.
fn unsealed(draft: &mut Draft<'_>, text: &str, article: &str) -> Result<(), Refusal> {
    let before = draft.state.before().ok_or(Refusal::Phase(draft.state.phase))?;
    let articles = &draft.procedure.articles;
    draft.note(article, Fact::Read(text.into()));
    if draft.had_ended() {
        return Ok(());
    }
    let reading = read(&before, text);
    if let Some(board) = draft.state.on_board.filter(|&board| reading != Reading::Legal(board)) {
        other_than_on_board(draft, board, &reading);
        return Ok(());
    }
    match reading {
        Reading::Legal(uci) => enter(draft, uci, article),
        Reading::Ambiguous => unclear(draft, articles.ambiguous),
        Reading::Doubtful(moves) => doubtful(draft, &before, moves),
        Reading::Illegal => unclear(draft, articles.illegal),
    }
    Ok(())
}

/// He had to write the move made on the board, and wrote another: what then, no text says.
fn other_than_on_board(draft: &mut Draft<'_>, board: Uci, reading: &Reading) {
    let mut ways = vec![way("board", "the move made on the board", "сделанный на доске ход", Then::Play(board))];
    if let Reading::Legal(uci) = reading {
        ways.push(way("written", "the move written", "записанный ход", Then::Play(*uci)));
    }
    if let Some(responder) = draft.state.responder() {
        ways.push(ended("sealer_loses", Outcome::win(responder), Reason::SealedMove));
    }
    draft.propose(draft.procedure.articles.seal, ways);
}

/// The sealer loses (A8). Where the other player has lost by coming too late, the arbiter says which goes first.
fn unclear(draft: &mut Draft<'_>, article: &str) {
    let Some(responder) = draft.state.responder() else { return };
    draft.stop(article);
    if draft.state.late[responder.index()] {
        return draft.propose(article, losses(draft, responder));
    }
    draft.end(Some(Outcome::win(responder)), Reason::SealedMove, article);
}

/// What the sheet means nobody but the arbiter can say; that it cannot be established too.
fn doubtful(draft: &mut Draft<'_>, before: &Chess, moves: Vec<Uci>) {
    let Some(responder) = draft.state.responder() else { return };
    let article = draft.procedure.articles.undeterminable;
    draft.stop(article);
    draft.propose(article, meanings(before, moves, losses(draft, responder)));
}

/// Who may have lost by what cannot be read.
fn losses(draft: &Draft<'_>, responder: Colour) -> Vec<Way> {
    let mut ways = vec![ended("sealer_loses", Outcome::win(responder), Reason::SealedMove)];
    if draft.state.late[responder.index()] {
        ways.push(ended("responder_loses", Outcome::win(responder.other()), Reason::Late));
    }
    ways
}

/// The moves that may be meant, each by its squares, and what follows if none is. Where nothing tells, every legal move may be.
fn meanings(position: &Chess, moves: Vec<Uci>, otherwise: Vec<Way>) -> Vec<Way> {
    let written = |m: Move| {
        let (uci, san) = (infer::uci(m), San::from_move(position, m));
        way(uci.as_str(), &format!("the move is {san}"), &format!("это ход {san}"), Then::Play(uci))
    };
    let legal = position.legal_moves();
    let may_be = legal.iter().filter(|&&m| moves.is_empty() || moves.contains(&infer::uci(m)));
    let meant = may_be.map(|&m| written(m));
    if moves.is_empty() { otherwise.into_iter().chain(meant).collect() } else { meant.chain(otherwise).collect() }
}

/// The arbiter says which move was written, in the first envelope or in the fresh one.
pub(super) fn meant(draft: &mut Draft<'_>, uci: Uci, article: &str) {
    match draft.state.position().filter(|_| draft.state.phase == Phase::ReplySealed) {
        Some(position) => replied(draft, position, uci),
        None => enter(draft, uci, article),
    }
}

/// The sealed move is made on the board, and the clock of the player who must reply started, unless the move ends the game.
fn enter(draft: &mut Draft<'_>, uci: Uci, article: &str) {
    let (Some(mut after), Some(sealer)) = (draft.state.before(), draft.state.sealer) else { return };
    state::play(&mut after, uci);
    let (late, judging) = (draft.state.late, draft.state.phase == Phase::Judging);
    if judging && end_of(&after).is_none() {
        return late::lose(draft, late);
    }
    draft.note(article, Fact::SealedMoveMade(uci));
    draft.play(uci, article);
    let present = draft.state.is_here(sealer) && !judging;
    let by = (!present).then_some(draft.procedure.articles.late);
    if conclude(draft, sealer, &after, by) {
        return;
    }
    draft.run(Some(sealer.other()), article);
    if !draft.state.is_here(sealer) {
        let en = "you may make your reply or seal it in a fresh envelope";
        let ru = "вы можете сделать ответный ход или запечатать его в чистый конверт";
        draft.say(words(en, ru), draft.procedure.articles.sealer_absent);
    }
}

/// The end of the game that a position is.
fn end_of(position: &Chess) -> Option<Reason> {
    if position.is_checkmate() {
        Some(Reason::Checkmate)
    } else if position.is_stalemate() {
        Some(Reason::Stalemate)
    } else {
        mating::nobody_mates(position, BUDGET).then_some(Reason::DeadPosition)
    }
}

/// Ends the game where the mover's move has; cites `by`, or the article of the end itself.
fn conclude(draft: &mut Draft<'_>, mover: Colour, after: &Chess, by: Option<&str>) -> bool {
    let Some(reason) = end_of(after) else { return false };
    let articles = &draft.procedure.articles;
    let (outcome, article) = match reason {
        Reason::Checkmate => (Outcome::win(mover), articles.checkmate),
        Reason::Stalemate => (Outcome::Draw, articles.stalemate),
        _ => (Outcome::Draw, articles.dead),
    };
    let article = by.unwrap_or(article);
    draft.stop(article);
    draft.end(Some(outcome), reason, article);
    true
}

pub(super) fn reply(draft: &mut Draft<'_>, uci: Uci) -> Result<(), Refusal> {
    draft.expect(&[Phase::Open])?;
    responder_here(draft)?;
    let position = draft.state.position().ok_or(Refusal::Phase(draft.state.phase))?;
    let Reading::Legal(uci) = read(&position, uci.as_str()) else {
        return Err(Refusal::IllegalMove(uci.as_str().into()));
    };
    replied(draft, position, uci);
    Ok(())
}

fn replied(draft: &mut Draft<'_>, mut position: Chess, uci: Uci) {
    let Some(sealer) = draft.state.sealer else { return };
    let article = draft.procedure.articles.sealer_absent;
    state::play(&mut position, uci);
    draft.note(article, Fact::Replied(uci));
    lapse(draft, sealer.other());
    draft.play(uci, article);
    if !conclude(draft, sealer.other(), &position, None) {
        draft.run(Some(sealer), article);
    }
}

/// An offer made to a player lapses when he moves (9.1).
pub(super) fn lapse(draft: &mut Draft<'_>, mover: Colour) {
    if draft.state.offer == Some(mover.other()) {
        draft.note(draft.procedure.articles.draw, Fact::Declined);
    }
}

pub(super) fn seal_reply(draft: &mut Draft<'_>, seal: &Seal, to: &str) -> Result<(), Refusal> {
    if draft.state.sealed_move.is_some() && draft.state.sealer.is_some_and(|sealer| draft.state.is_here(sealer)) {
        return Err(Refusal::SealerHere);
    }
    draft.expect(&[Phase::Open])?;
    let responder = responder_here(draft)?;
    let article = draft.procedure.articles.sealer_absent;
    draft.note(article, Fact::ReplySealed(seal.clone(), to.into()));
    draft.stop(article);
    draft.run(Some(responder.other()), article);
    Ok(())
}

/// A8 speaks of the sealed move; whether it holds for a sealed reply no text says.
pub(super) fn reply_opened(draft: &mut Draft<'_>, text: &str) -> Result<(), Refusal> {
    draft.expect(&[Phase::ReplySealed])?;
    let sealer = draft.state.sealer.ok_or(Refusal::Phase(draft.state.phase))?;
    if !draft.state.is_here(sealer) {
        return Err(Refusal::Absent(sealer));
    }
    let position = draft.state.position().ok_or(Refusal::Phase(draft.state.phase))?;
    let articles = &draft.procedure.articles;
    let mut ways = vec![
        ended("replier_loses", Outcome::win(sealer), Reason::SealedMove),
        way(
            "reply_anew",
            "the reply is made anew on the board",
            "ответный ход делается на доске заново",
            Then::ReplyAnew,
        ),
    ];
    let article = match read(&position, text) {
        Reading::Legal(uci) => {
            replied(draft, position, uci);
            return Ok(());
        }
        Reading::Ambiguous => articles.ambiguous,
        Reading::Doubtful(moves) => {
            ways = meanings(&position, moves, ways);
            articles.undeterminable
        }
        Reading::Illegal => articles.illegal,
    };
    let article = format!("{}?", article.trim_end_matches('?'));
    draft.stop(&article);
    draft.propose(&article, ways);
    Ok(())
}
