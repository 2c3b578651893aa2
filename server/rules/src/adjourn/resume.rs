//! The resumption: setting up (A5), opening (A7–A9), a lost envelope (A11), errors of the clock (A12).

use alloc::{format, vec};

use shakmaty::{Chess, Position};

use super::{
    decide::{BUDGET, Draft, ended, way},
    late,
    notation::{Reading, read},
    procedure::{Conclusion, LateCorrection},
    refusal::Refusal,
    sealing::flag,
    state::{Phase, Seal},
    step::{Fact, Reason, Then, Which},
};
use crate::{
    clock::{Colour, Hand},
    game::{Outcome, Uci, state},
    laws::{articles::mating, words},
};

/// The position and the times of the envelope; the arbiter's where a time is unknown.
pub(super) fn set_up(draft: &mut Draft<'_>, times: Option<&[Hand; 2]>) -> Result<(), Refusal> {
    draft.expect(&[Phase::Adjourned])?;
    let state = &draft.state;
    let Some(envelope) = state.envelope.as_ref().filter(|_| state.checked) else { return Err(Refusal::NotChecked) };
    if envelope.resumption.is_none() {
        return Err(Refusal::NoResumption);
    }
    let mut hands = envelope.hands;
    if times.is_some() && hands.iter().all(|hand| hand.left.is_some()) {
        return Err(Refusal::TimesKnown);
    }
    for (hand, given) in hands.iter_mut().zip(times.into_iter().flatten()) {
        if hand.left.is_none() {
            *hand = *given;
        }
    }
    if hands.iter().any(|hand| hand.left.is_none()) {
        return Err(Refusal::TimesUnknown);
    }
    let articles = &draft.procedure.articles;
    let article = if state.lost || times.is_some() { articles.lost } else { articles.set_up };
    let (position, turn) = (envelope.position.clone(), envelope.sealer.other());
    draft.note(article, Fact::SetUp(hands));
    draft.board(position, article);
    draft.set(hands, Some(turn), article);
    Ok(())
}

/// A player comes or goes. One who comes too late may have lost.
pub(super) fn presence(draft: &mut Draft<'_>, player: Colour, here: bool) -> Result<(), Refusal> {
    // Who was there at the adjournment has not come to the resumption yet.
    if matches!(draft.state.phase, Phase::Playing | Phase::Sealing | Phase::Adjourned) {
        return Err(Refusal::Phase(draft.state.phase));
    }
    if draft.state.is_here(player) == here {
        return Ok(());
    }
    let articles = &draft.procedure.articles;
    let replies = draft.state.responder() == Some(player);
    let article = if replies { articles.absent } else { articles.sealer_absent };
    let first = draft.state.came[player.index()].is_none();
    draft.note(article, if here { Fact::Came(player) } else { Fact::Went(player) });
    if !here || draft.state.began.is_none() {
        return Ok(());
    }
    if first {
        late::judge(draft);
    }
    match draft.state.phase {
        Phase::Waiting if replies => {
            let en = "you may stop your clock and call the arbiter";
            draft.say(words(en, "вы можете остановить часы и подозвать арбитра"), article);
        }
        Phase::ReplySealed if !replies => draft.open(Which::Reply, article),
        _ => {}
    }
    Ok(())
}

/// The time agreed, by the arbiter's clock.
pub(super) fn begin(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    draft.expect(&[Phase::SetUp])?;
    let state = &draft.state;
    let resumption = state.resumption.as_ref().ok_or(Refusal::NoResumption)?;
    if draft.at < resumption.session.start {
        return Err(Refusal::TooEarly(resumption.session.start));
    }
    let articles = &draft.procedure.articles;
    let here = |player: Option<Colour>| player.is_some_and(|player| state.is_here(player));
    let (sealer_here, responder_here) = (here(state.sealer), here(state.responder()));
    if responder_here {
        draft.note(articles.present, Fact::Began);
        to_open(draft, articles.present);
    } else {
        let neither = !sealer_here && draft.procedure.default_time != 0;
        let article = if neither { articles.both_absent } else { articles.absent };
        draft.note(article, Fact::BeganWaiting);
        draft.run(draft.state.responder(), article);
    }
    Ok(())
}

/// The envelope is opened, or where it is lost the sealer is asked; no text says whose clock runs when he is not there.
fn to_open(draft: &mut Draft<'_>, article: &str) {
    if !draft.state.lost {
        return draft.open(Which::SealedMove, article);
    }
    let article = draft.procedure.articles.lost;
    match draft.state.sealer {
        Some(sealer) if !draft.state.is_here(sealer) => {
            let ways = vec![
                way("sealer_runs", "the sealer's clock runs", "пускаются часы записавшего ход", Then::Run(sealer)),
                way("wait", "wait with the clock stopped", "ждать с остановленными часами", Then::Leave),
            ];
            draft.propose(article, ways);
        }
        _ => draft.say(words("say which move you sealed", "назовите записанный секретный ход"), article),
    }
}

pub(super) fn stop_on_arrival(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    draft.expect(&[Phase::Waiting])?;
    responder_here(draft)?;
    let article = draft.procedure.articles.absent;
    draft.note(article, Fact::StoppedOnArrival);
    draft.stop(article);
    to_open(draft, article);
    Ok(())
}

fn responder_here(draft: &Draft<'_>) -> Result<Colour, Refusal> {
    let responder = draft.state.responder().ok_or(Refusal::Phase(draft.state.phase))?;
    if draft.state.is_here(responder) { Ok(responder) } else { Err(Refusal::Absent(responder)) }
}

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
        other_than_on_board(draft, board, reading);
        return Ok(());
    }
    match reading {
        Reading::Legal(uci) => enter(draft, uci, article),
        Reading::Ambiguous => unclear(draft, articles.ambiguous),
        Reading::Undeterminable => unclear(draft, articles.undeterminable),
        Reading::Illegal => unclear(draft, articles.illegal),
    }
    Ok(())
}

/// He had to write the move made on the board, and wrote another: what then, no text says.
fn other_than_on_board(draft: &mut Draft<'_>, board: Uci, reading: Reading) {
    let mut ways = vec![way("board", "the move made on the board", "сделанный на доске ход", Then::Play(board))];
    if let Reading::Legal(uci) = reading {
        ways.push(way("written", "the move written", "записанный ход", Then::Play(uci)));
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
        let ways = vec![
            ended("sealer_loses", Outcome::win(responder), Reason::SealedMove),
            ended("responder_loses", Outcome::win(responder.other()), Reason::Late),
        ];
        return draft.propose(article, ways);
    }
    draft.end(Some(Outcome::win(responder)), Reason::SealedMove, article);
}

/// The sealed move is made on the board, and the clock of the player who must reply started, unless the move ends the game.
pub(super) fn enter(draft: &mut Draft<'_>, uci: Uci, article: &str) {
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
fn lapse(draft: &mut Draft<'_>, mover: Colour) {
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
    let article = match read(&position, text) {
        Reading::Legal(uci) => {
            replied(draft, position, uci);
            return Ok(());
        }
        Reading::Ambiguous => articles.ambiguous,
        Reading::Undeterminable => articles.undeterminable,
        Reading::Illegal => articles.illegal,
    };
    let anew = "the reply is made anew on the board";
    let ways = vec![
        ended("replier_loses", Outcome::win(sealer), Reason::SealedMove),
        way("reply_anew", anew, "ответный ход делается на доске заново", Then::ReplyAnew),
    ];
    let article = format!("{}?", article.trim_end_matches('?'));
    draft.stop(&article);
    draft.propose(&article, ways);
    Ok(())
}

pub(super) fn first_move(draft: &mut Draft<'_>, by: Colour) -> Result<(), Refusal> {
    draft.expect(&[Phase::Resumed])?;
    if draft.state.moved[by.index()] {
        return Err(Refusal::AlreadyMoved(by));
    }
    draft.note(draft.procedure.articles.clock_error, Fact::FirstMove(by));
    lapse(draft, by);
    Ok(())
}

/// The flag of the player whose clock runs.
pub(super) fn flag_fell(draft: &mut Draft<'_>, by: Colour) -> Result<(), Refusal> {
    let runs = match draft.state.phase {
        Phase::Sealing | Phase::ReplySealed => draft.state.sealer,
        Phase::Waiting | Phase::Open | Phase::Judging => draft.state.responder(),
        Phase::Opening => None,
        phase => return Err(Refusal::Phase(phase)),
    };
    if runs != Some(by) {
        return Err(Refusal::NotRunning(by));
    }
    draft.note(draft.procedure.articles.flag, Fact::FlagFell(by, draft.at));
    flag(draft, by);
    Ok(())
}

pub(super) fn envelope_lost(draft: &mut Draft<'_>, position_known: bool) -> Result<(), Refusal> {
    let articles = &draft.procedure.articles;
    draft.expect(&[Phase::Adjourned, Phase::SetUp, Phase::Waiting, Phase::Opening, Phase::Judging])?;
    if draft.state.lost && position_known {
        return Err(Refusal::EnvelopeLost);
    }
    if !position_known {
        draft.note(articles.annul, Fact::EnvelopeLost);
        draft.stop(articles.annul);
        draft.annul(articles.annul);
        return Ok(());
    }
    draft.note(articles.lost, Fact::EnvelopeLost);
    match draft.state.phase {
        Phase::Opening => to_open(draft, articles.lost),
        // What could still have decided is gone.
        Phase::Judging => late::lose(draft, draft.state.late),
        _ => {}
    }
    Ok(())
}

/// Raised before the player's own first move the error is corrected; later the arbiter decides, and by default it stays.
pub(super) fn clock_error(draft: &mut Draft<'_>, by: Colour, hands: &[Hand; 2]) -> Result<(), Refusal> {
    draft.expect(&[Phase::SetUp, Phase::Waiting, Phase::Opening, Phase::Open, Phase::ReplySealed, Phase::Resumed])?;
    if hands.iter().any(|hand| hand.left.is_none()) {
        return Err(Refusal::TimesUnknown);
    }
    if !draft.state.moved[by.index()] {
        correct(draft, hands);
        return Ok(());
    }
    let leave = way("leave", "the clocks stay as they are", "показания часов не исправляются", Then::Leave);
    let set = Then::SetClock(*hands);
    let correct = match draft.procedure.late_correction {
        LateCorrection::TooSevere => {
            way("too_severe", "too severe: the clocks are corrected", "слишком сурово: часы исправляются", set)
        }
        LateCorrection::ArbiterDecides => way("correct", "the clocks are corrected", "часы исправляются", set),
    };
    draft.propose(draft.procedure.articles.clock_error, vec![leave, correct]);
    Ok(())
}

/// Sets the clocks and lets the one that ran run again.
pub(super) fn correct(draft: &mut Draft<'_>, hands: &[Hand; 2]) {
    let article = draft.procedure.articles.clock_error;
    let state = &draft.state;
    let (sealer, responder) = (state.sealer, state.responder());
    let moved = |player: Option<Colour>| player.is_some_and(|player| state.moved[player.index()]);
    let turn = match state.phase {
        Phase::ReplySealed => sealer,
        Phase::Resumed if moved(sealer) => None,
        Phase::Resumed if moved(responder) => sealer,
        _ => responder,
    };
    let stands = matches!(state.phase, Phase::SetUp | Phase::Opening);
    draft.note(article, Fact::ClockCorrected(*hands));
    if !stands {
        draft.stop(article);
    }
    draft.set(*hands, turn, article);
    match turn {
        Some(turn) if !stands => draft.run(Some(turn), article),
        None => draft.say(late::start_mover(), article),
        Some(_) => {}
    }
}
