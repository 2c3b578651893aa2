//! From the end of the session until the resumption: sealing (A1) and the envelope (A2, A3).

use alloc::{boxed::Box, vec::Vec};

use super::{
    act::Situation,
    decide::Draft,
    notation::{Reading, read},
    procedure::Stops,
    refusal::Refusal,
    state::{Envelope, Phase, Resumption, Seal, Session, to_move},
    step::{Fact, Reason},
};
use crate::{
    clock::{Colour, Hand},
    game::{Uci, state},
    laws::words,
    time::Millis,
};

/// A13: the start, and where the procedure asks for it the end, are announced.
fn announced(draft: &Draft<'_>, session: Session) -> Result<(), Refusal> {
    match session.end {
        None if draft.procedure.end_announced => Err(Refusal::EndNotAnnounced),
        Some(end) if end <= session.start => Err(Refusal::BadSession),
        _ => Ok(()),
    }
}

pub(super) fn announce(draft: &mut Draft<'_>, session: Session) -> Result<(), Refusal> {
    draft.expect(&[Phase::Playing])?;
    announced(draft, session)?;
    draft.note(draft.procedure.articles.session, Fact::Announced(session));
    Ok(())
}

/// The session is measured by the arbiter's clock: it has ended when that says so, and the player to move must seal.
pub(super) fn end_session(draft: &mut Draft<'_>, situation: &Situation) -> Result<(), Refusal> {
    let sealer = sealer(draft, situation)?;
    match draft.state.session {
        None => return Err(Refusal::NoSession),
        Some(Session { end: Some(end), .. }) if draft.at < end => {
            return Err(Refusal::TooEarly(end.saturating_sub(draft.at)));
        }
        Some(_) => {}
    }
    let article = draft.procedure.articles.seal;
    draft.note(article, Fact::SealingBegan(Box::new(situation.clone())));
    say_seal(draft, sealer, article);
    Ok(())
}

/// He is charged to the nominal end: what is left to him is recorded as if he had sealed then. With less, his flag falls when
/// it reaches zero; with exactly as much he has sealed in time, with nothing left.
pub(super) fn adjourn_early(draft: &mut Draft<'_>, situation: &Situation) -> Result<(), Refusal> {
    let sealer = sealer(draft, situation)?;
    let end = draft.state.session.and_then(|session| session.end).ok_or(Refusal::NoSession)?;
    if draft.at >= end {
        return Err(Refusal::NotEarly);
    }
    let article = draft.procedure.articles.early;
    let left = situation.hands[sealer.index()].left;
    let charged = left.map(|left| left.saturating_sub(remains(draft)));
    draft.note(article, Fact::AdjournedEarly(Box::new(situation.clone()), charged));
    say_seal(draft, sealer, article);
    if let Some(left) = left.filter(|_| charged.is_some_and(|charged| charged < 0)) {
        let falls = draft.at.saturating_add(left.max(0));
        draft.note(article, Fact::FlagFell(sealer, falls));
        flag(draft, sealer);
    }
    Ok(())
}

/// How long the session still lasts, milliseconds.
fn remains(draft: &Draft<'_>) -> Millis {
    let end = draft.state.session.and_then(|session| session.end);
    end.map_or(0, |end| end.saturating_sub(draft.at).max(0))
}

/// Whose move it is to seal, if the game can be adjourned now.
fn sealer(draft: &Draft<'_>, situation: &Situation) -> Result<Colour, Refusal> {
    draft.expect(&[Phase::Playing])?;
    let position = state::position(&situation.position);
    position.map(|position| to_move(&position).0).ok_or_else(|| Refusal::BadPosition(situation.position.clone()))
}

fn say_seal(draft: &mut Draft<'_>, sealer: Colour, article: &str) {
    let whose = match sealer {
        Colour::White => words("White: seal your move", "Белые: запишите секретный ход"),
        Colour::Black => words("Black: seal your move", "Чёрные: запишите секретный ход"),
    };
    draft.say(whose, article);
}

/// When the session ends, or now where nobody said.
fn session_end(draft: &Draft<'_>) -> Millis {
    draft.state.session.and_then(|session| session.end).unwrap_or(draft.at)
}

/// The flag of this player, whose clock runs. It is judged on the position as far as anybody may know it: with the envelope
/// shut that is the one before the sealed move.
pub(super) fn flag(draft: &mut Draft<'_>, loser: Colour) {
    let article = draft.procedure.articles.flag;
    if let Some(position) = draft.state.position() {
        draft.stop(article);
        draft.lost_unless_unwinnable(loser, &position, Reason::Flag, article);
    }
}

/// He may change the move until his clock stops, even out of a sealed envelope; a move on the board is written once.
pub(super) fn write(draft: &mut Draft<'_>, seal: &Seal) -> Result<(), Refusal> {
    draft.expect(&[Phase::Sealing])?;
    if draft.state.on_board.is_some() && draft.state.written {
        return Err(Refusal::MoveMade);
    }
    draft.note(draft.procedure.articles.seal, Fact::Written(seal.clone()));
    Ok(())
}

pub(super) fn move_on_board(draft: &mut Draft<'_>, uci: Uci) -> Result<(), Refusal> {
    draft.expect(&[Phase::Sealing])?;
    if draft.state.on_board.is_some() {
        return Err(Refusal::MoveMade);
    }
    let before = draft.state.before().ok_or(Refusal::Phase(draft.state.phase))?;
    let Reading::Legal(uci) = read(&before, uci.as_str()) else {
        return Err(Refusal::IllegalMove(uci.as_str().into()));
    };
    let article = draft.procedure.articles.seal;
    draft.note(article, Fact::MadeOnBoard(uci));
    draft.say(words("Write the move made on the board", "Запишите сделанный на доске ход"), article);
    Ok(())
}

pub(super) fn sheet_in(draft: &mut Draft<'_>, of: Colour, paper: bool) -> Result<(), Refusal> {
    draft.expect(&[Phase::Sealing])?;
    if draft.procedure.paper && !paper && draft.state.sealer == Some(of) {
        return Err(Refusal::NotPaper);
    }
    draft.note(draft.procedure.articles.seal, Fact::SheetIn(of));
    Ok(())
}

pub(super) fn close(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    draft.expect(&[Phase::Sealing])?;
    if draft.state.closed {
        return Err(Refusal::AlreadySealed);
    }
    if !draft.state.written {
        return Err(Refusal::NotWritten);
    }
    if let Some(whose) = Colour::BOTH.into_iter().find(|colour| !draft.state.sheets[colour.index()]) {
        return Err(Refusal::SheetMissing(whose));
    }
    draft.note(draft.procedure.articles.seal, Fact::Closed);
    Ok(())
}

pub(super) fn stop_clock(draft: &mut Draft<'_>, hands: &[Hand; 2], opponent_runs: bool) -> Result<(), Refusal> {
    draft.expect(&[Phase::Sealing])?;
    if !draft.state.closed {
        return Err(Refusal::NotSealed);
    }
    if opponent_runs {
        return Err(Refusal::OpponentStarted);
    }
    let state = &draft.state;
    let (Some(situation), Some(sealer)) = (&state.situation, state.sealer) else {
        return Err(Refusal::Phase(state.phase));
    };
    let mut recorded = match draft.procedure.stops {
        Stops::WholeClock => *hands,
        Stops::OwnClock => situation.hands,
    };
    let own = &mut recorded[sealer.index()];
    *own = hands[sealer.index()];
    // Charged to the nominal end, or to the moment he stopped if he took longer than that.
    own.left = match (state.charged, own.left) {
        (Some(charged), Some(left)) => Some(charged.min(left)),
        (Some(charged), None) => Some(charged),
        // Nobody knew his reading when he adjourned: what it shows now is charged.
        (None, left) => left.map(|left| if state.early { left.saturating_sub(remains(draft)) } else { left }),
    };
    if let Some(left) = own.left.filter(|left| *left < 0) {
        let (article, falls) = (draft.procedure.articles.early, session_end(draft).saturating_add(left));
        draft.note(article, Fact::FlagFell(sealer, falls));
        flag(draft, sealer);
        return Ok(());
    }
    let used = [0, 1].map(|i| Some(situation.allotted[i]?.saturating_sub(recorded[i].left?)));
    let move_number = state.before().map_or(0, |position| to_move(&position).1);
    let envelope = Envelope {
        names: situation.names.clone(),
        position: situation.position.clone(),
        used,
        hands: recorded,
        sealer,
        move_number,
        draw_offer: state.offer,
        resumption: state.resumption.clone(),
    };
    let (article, whole) = (draft.procedure.articles.seal, draft.procedure.stops == Stops::WholeClock);
    draft.note(article, Fact::Adjourned(Box::new(envelope)));
    if whole {
        draft.stop(article);
    }
    Ok(())
}

pub(super) fn appoint(draft: &mut Draft<'_>, resumption: &Resumption) -> Result<(), Refusal> {
    draft.expect(&[Phase::Sealing, Phase::Adjourned])?;
    in_advance(draft, resumption)?;
    draft.note(draft.procedure.articles.envelope, Fact::Appointed(resumption.clone()));
    Ok(())
}

fn in_advance(draft: &Draft<'_>, resumption: &Resumption) -> Result<(), Refusal> {
    announced(draft, resumption.session)?;
    if resumption.session.start > draft.at { Ok(()) } else { Err(Refusal::NotInAdvance) }
}

/// The arbiter answers for what stands on the envelope; whatever of A2 is missing must be put there first.
pub(super) fn check(draft: &mut Draft<'_>, correction: Option<&Envelope>) -> Result<(), Refusal> {
    draft.expect(&[Phase::Adjourned])?;
    let recorded = draft.state.envelope.as_ref();
    let envelope = correction.or(recorded).ok_or(Refusal::Phase(draft.state.phase))?.clone();
    let Some(position) = state::position(&envelope.position) else {
        return Err(Refusal::BadPosition(envelope.position));
    };
    if Some(envelope.sealer) != draft.state.sealer || to_move(&position).0 != envelope.sealer {
        return Err(Refusal::OtherSealer);
    }
    let mut missing = Vec::new();
    for (present, what) in [
        (envelope.names.iter().all(Option::is_some), "the names of the players"),
        // Of a lost envelope the arbiter sets the times himself (A11).
        (draft.state.lost || envelope.used.iter().all(Option::is_some), "the time used by each player"),
        (envelope.resumption.is_some(), "date, time and venue of the resumption"),
    ] {
        if !present {
            missing.push(what);
        }
    }
    if !missing.is_empty() {
        return Err(Refusal::Incomplete(missing));
    }
    if let Some(resumption) = envelope.resumption.as_ref().filter(|new| draft.state.resumption.as_ref() != Some(new)) {
        in_advance(draft, resumption)?;
    }
    draft.note(draft.procedure.articles.keep, Fact::Checked(Box::new(envelope)));
    Ok(())
}

/// Who holds the envelope is logged from its sealing on.
pub(super) fn hand_over(draft: &mut Draft<'_>, to: &str) -> Result<(), Refusal> {
    if !draft.state.closed {
        return Err(Refusal::NotSealed);
    }
    if draft.state.lost {
        return Err(Refusal::EnvelopeLost);
    }
    draft.note(draft.procedure.articles.keep, Fact::HandedOver(to.into()));
    Ok(())
}
