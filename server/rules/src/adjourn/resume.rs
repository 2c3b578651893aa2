//! The resumption: setting up (A5), who is there (A7, A9), a lost envelope (A11), errors of the clock (A12).

use alloc::vec;

use super::{
    decide::{Draft, way},
    late,
    opening::lapse,
    procedure::LateCorrection,
    refusal::Refusal,
    sealing::flag,
    state::Phase,
    step::{Fact, Then, Which},
};
use crate::{
    clock::{Colour, Hand},
    laws::words,
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
        return Err(Refusal::TooEarly(resumption.session.start.saturating_sub(draft.at)));
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

pub(super) fn responder_here(draft: &Draft<'_>) -> Result<Colour, Refusal> {
    let responder = draft.state.responder().ok_or(Refusal::Phase(draft.state.phase))?;
    if draft.state.is_here(responder) { Ok(responder) } else { Err(Refusal::Absent(responder)) }
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
