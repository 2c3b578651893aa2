//! Events: what follows from an input.

use flagfall_proto::{
    convert::{self, Refused},
    journal::v1::{self, asked, event::What},
};
use flagfall_rules::{
    clock::Colour,
    game::{About, Event, Evidence, Finding, Ply, Press, Question, Uci},
};

use super::{
    adjourn,
    directive::{self, colour_number},
    facts, maybe, must,
    numbers::Numbered,
    remedy, required,
    setup::{setup, setup_to_proto},
};

/// An event of a game as a message.
#[must_use]
pub fn event_to_proto(game: &str, event: &Event) -> v1::Event {
    let what = match event {
        Event::Opened(setup) => What::Opened(setup_to_proto(setup)),
        Event::Heard { seq, at, face } => {
            What::Heard(v1::Heard { seq: *seq, at: Some((*at).into()), face: Some((*face).into()) })
        }
        Event::Looked(scan) => What::Looked((**scan).into()),
        Event::Turned(turn) => What::Turned(v1::Turned { turn: turn.number() }),
        Event::Held(by) => What::Held(v1::Held { by: colour_number(*by) }),
        Event::Made(ply) => What::Made(ply_to_proto(ply)),
        Event::Completed { ply, left: [white_left_ms, black_left_ms], before_credit, credit } => {
            What::Completed(v1::Completed {
                ply: *ply,
                white_left_ms: *white_left_ms,
                black_left_ms: *black_left_ms,
                before_credit_ms: *before_credit,
                credit_ms: *credit,
            })
        }
        Event::Replaced(ply) => What::Replaced(ply_to_proto(ply)),
        Event::Pressed(press) => What::Pressed(press_to_proto(press)),
        Event::Unread => What::Unread(v1::Unread {}),
        Event::Unseen(press) => What::Unseen(press_to_proto(press)),
        Event::Told { moves, position } => {
            What::Told(v1::Told { moves: moves.iter().map(Uci::to_string).collect(), position: position.clone() })
        }
        Event::WentOn { board, ply } => {
            What::WentOn(v1::WentOn { board: Some((**board).into()), ply: ply.as_ref().map(ply_to_proto) })
        }
        Event::Chosen { case, choice, actor, note } => {
            What::Chosen(v1::Chosen { case: *case, choice: choice.clone(), actor: actor.clone(), note: note.clone() })
        }
        Event::Found(finding) => What::Found(finding_to_proto(finding)),
        Event::Proposed(proposal) => What::Proposed(remedy::proposal_to_proto(proposal)),
        Event::Ruled(ruling) => What::Ruled(remedy::ruling_to_proto(ruling)),
        Event::Issued(directive) => What::Issued(directive::directive_to_proto(game, directive)),
        Event::Staged { rev, stage, reason, before, after } => What::Staged(v1::Staged {
            rev: *rev,
            stage: stage.number(),
            reason: reason.map_or(0, Numbered::number),
            before: before.map(Into::into),
            after: after.map(Into::into),
        }),
        Event::Lapsed(through) => What::LapsedThrough(*through),
        Event::FlagFell(colour) => What::FlagFell(v1::FlagFell { colour: colour_number(*colour) }),
        Event::Ended { outcome, ending, article } => {
            What::Ended(v1::Ended { outcome: outcome.number(), ending: ending.number(), article: article.clone() })
        }
        Event::Alarmed(alarm, detail) => What::Alarmed(v1::Alarmed { alarm: alarm.number(), detail: detail.clone() }),
        Event::Asked(question) => What::Asked(question_to_proto(question)),
        Event::Answered(number, can_mate) => What::Answered(v1::Answered { number: *number, can_mate: *can_mate }),
        Event::Adjournment(event) => What::Adjournment(adjourn::event_to_proto(event)),
        Event::Waits { rev, colour, counted } => {
            What::Waits(v1::Waits { rev: *rev, colour: colour_number(*colour), counted: *counted })
        }
        Event::Moved { device } => What::Moved(v1::Moved { device: device.clone() }),
        Event::Annulled => What::Annulled(v1::Annulled {}),
        Event::Heeded(through) => What::Heeded(v1::Heeded { through: *through }),
        Event::Admitted(request) => What::Admitted(v1::Admitted { request: request.clone() }),
    };
    v1::Event { what: Some(what) }
}

/// An event out of a message.
///
/// # Errors
/// Names the field.
pub fn event(event: v1::Event) -> Result<Event, Refused> {
    Ok(match required("event.what", event.what)? {
        What::Opened(message) => Event::Opened(Box::new(setup(message)?)),
        What::Heard(heard) => {
            Event::Heard { seq: heard.seq, at: must("heard.at", heard.at)?, face: must("heard.face", heard.face)? }
        }
        What::Looked(board) => Event::Looked(Box::new(board.try_into()?)),
        What::Turned(turned) => Event::Turned(Numbered::named("turned.turn", turned.turn)?),
        What::Held(held) => Event::Held(colour("held.by", held.by)?),
        What::Made(ply) => Event::Made(ply_from_proto(ply)?),
        What::Completed(completed) => Event::Completed {
            ply: completed.ply,
            left: [completed.white_left_ms, completed.black_left_ms],
            before_credit: completed.before_credit_ms,
            credit: completed.credit_ms,
        },
        What::Replaced(ply) => Event::Replaced(ply_from_proto(ply)?),
        What::Pressed(press) => Event::Pressed(press_from_proto(press)?),
        What::Unread(_) => Event::Unread,
        What::Unseen(press) => Event::Unseen(press_from_proto(press)?),
        What::Told(told) => Event::Told {
            moves: told.moves.iter().map(|letters| uci("told.moves", letters)).collect::<Result<_, _>>()?,
            position: told.position,
        },
        What::WentOn(went_on) => Event::WentOn {
            board: Box::new(must("went_on.board", went_on.board)?),
            ply: went_on.ply.map(ply_from_proto).transpose()?,
        },
        What::Chosen(chosen) => {
            Event::Chosen { case: chosen.case, choice: chosen.choice, actor: chosen.actor, note: chosen.note }
        }
        What::Found(finding) => Event::Found(Box::new(finding_from_proto(finding)?)),
        What::Proposed(proposal) => Event::Proposed(remedy::proposal_from_proto(proposal)?),
        What::Ruled(ruling) => Event::Ruled(Box::new(remedy::ruling_from_proto(ruling)?)),
        What::Issued(directive) => Event::Issued(Box::new(directive::directive(directive)?.1)),
        What::Staged(staged) => Event::Staged {
            rev: staged.rev,
            stage: Numbered::named("staged.stage", staged.stage)?,
            reason: Numbered::maybe("staged.reason", staged.reason)?,
            before: maybe("staged.before", staged.before)?,
            after: maybe("staged.after", staged.after)?,
        },
        What::LapsedThrough(through) => Event::Lapsed(through),
        What::FlagFell(flag) => Event::FlagFell(colour("flag_fell.colour", flag.colour)?),
        What::Ended(ended) => Event::Ended {
            outcome: Numbered::named("ended.outcome", ended.outcome)?,
            ending: Numbered::named("ended.ending", ended.ending)?,
            article: ended.article,
        },
        What::Alarmed(alarmed) => Event::Alarmed(Numbered::named("alarmed.alarm", alarmed.alarm)?, alarmed.detail),
        What::Asked(asked) => Event::Asked(Box::new(question(asked)?)),
        What::Answered(answered) => Event::Answered(answered.number, answered.can_mate),
        What::Adjournment(event) => Event::Adjournment(Box::new(adjourn::event_from_proto(event)?)),
        What::Waits(waits) => {
            Event::Waits { rev: waits.rev, colour: colour("waits.colour", waits.colour)?, counted: waits.counted }
        }
        What::Moved(moved) => Event::Moved { device: moved.device },
        What::Annulled(_) => Event::Annulled,
        What::Heeded(heeded) => Event::Heeded(heeded.through),
        What::Admitted(admitted) => Event::Admitted(admitted.request),
    })
}

fn question_to_proto(question: &Question) -> v1::Asked {
    let about = match question.about {
        About::Flag(colour) => asked::About::Flag(colour_number(colour)),
        About::Case(case) => asked::About::Case(case),
        About::Resignation(colour) => asked::About::Resignation(colour_number(colour)),
    };
    let (number, position, side) = (question.number, question.position.clone(), colour_number(question.side));
    v1::Asked { number, position, side, about: Some(about) }
}

fn question(asked: v1::Asked) -> Result<Question, Refused> {
    let about = match required("asked.about", asked.about)? {
        asked::About::Flag(flag) => About::Flag(colour("asked.flag", flag)?),
        asked::About::Case(case) => About::Case(case),
        asked::About::Resignation(who) => About::Resignation(colour("asked.resignation", who)?),
    };
    let side = colour("asked.side", asked.side)?;
    Ok(Question { number: asked.number, position: asked.position, side, about })
}

/// A colour that a field must name.
pub(super) fn colour(what: &'static str, number: i32) -> Result<Colour, Refused> {
    convert::colour(number).map_err(|refused| refused.at(what))
}

/// A move that a field must name.
pub(super) fn uci(what: &'static str, letters: &str) -> Result<Uci, Refused> {
    Uci::parse(letters).ok_or_else(|| Refused::new(what, format!("{letters:?} is no move in UCI notation")))
}

fn ply_to_proto(ply: &Ply) -> v1::Ply {
    let [white_left_ms, black_left_ms] = ply.left;
    v1::Ply {
        uci: ply.uci.to_string(),
        by: colour_number(ply.by),
        completed: ply.completed,
        white_left_ms,
        black_left_ms,
        before_credit_ms: ply.before_credit,
        credit_ms: ply.credit,
        at: ply.at.map(Into::into),
        position: ply.position,
    }
}

fn ply_from_proto(ply: v1::Ply) -> Result<Ply, Refused> {
    Ok(Ply {
        uci: uci("ply.uci", &ply.uci)?,
        by: colour("ply.by", ply.by)?,
        completed: ply.completed,
        left: [ply.white_left_ms, ply.black_left_ms],
        before_credit: ply.before_credit_ms,
        credit: ply.credit_ms,
        at: maybe("ply.at", ply.at)?,
        position: ply.position,
    })
}

fn press_to_proto(press: &Press) -> v1::Pressed {
    let [white_left_ms, black_left_ms] = press.left;
    v1::Pressed {
        by: colour_number(press.by),
        white_left_ms,
        black_left_ms,
        before_credit_ms: press.before_credit,
        credit_ms: press.credit,
        at: press.at.map(Into::into),
    }
}

fn press_from_proto(press: v1::Pressed) -> Result<Press, Refused> {
    Ok(Press {
        by: colour("pressed.by", press.by)?,
        left: [press.white_left_ms, press.black_left_ms],
        before_credit: press.before_credit_ms,
        credit: press.credit_ms,
        at: maybe("pressed.at", press.at)?,
    })
}

/// A finding as a message.
#[must_use]
pub fn finding_to_proto(finding: &Finding) -> v1::Finding {
    let evidence = &finding.evidence;
    v1::Finding {
        case: finding.case,
        kind: finding.kind.number(),
        by: colour_number(finding.by),
        ply: finding.ply,
        article: finding.article.clone(),
        fixed: finding.fixed,
        evidence: Some(v1::Evidence {
            before: evidence.before.clone(),
            at_press: evidence.at_press.map(Into::into),
            settled: evidence.settled.map(Into::into),
            face: Some(evidence.face.into()),
            seen: directive::words(&evidence.seen),
        }),
        facts: facts::to_proto(&finding.facts),
    }
}

fn finding_from_proto(finding: v1::Finding) -> Result<Finding, Refused> {
    let evidence = required("finding.evidence", finding.evidence)?;
    Ok(Finding {
        case: finding.case,
        kind: Numbered::named("finding.kind", finding.kind)?,
        by: colour("finding.by", finding.by)?,
        ply: finding.ply,
        article: finding.article,
        fixed: finding.fixed,
        evidence: Evidence {
            before: evidence.before,
            at_press: maybe("evidence.at_press", evidence.at_press)?,
            settled: maybe("evidence.settled", evidence.settled)?,
            face: must("evidence.face", evidence.face)?,
            seen: directive::read_words(evidence.seen),
        },
        facts: facts::from_proto(finding.facts)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_named() {
        let said = |what| event(v1::Event { what: Some(what) }).expect_err("spoilt").to_string();
        assert_eq!(said(What::Heard(v1::Heard::default())), "heard.at: missing");
        assert_eq!(said(What::Held(v1::Held { by: 0 })), "held.by: not specified");
        assert_eq!(said(What::Turned(v1::Turned { turn: 4 })), "turned.turn: 4 is not known");
        assert_eq!(said(What::Looked(Default::default())), "board.squares: a board is 32 bytes long, this has 0");
        let ply = v1::Ply { uci: "e2".into(), by: 1, ..Default::default() };
        assert_eq!(said(What::Made(ply)), "ply.uci: \"e2\" is no move in UCI notation");
        let face = flagfall_proto::clock::v1::Face::default();
        let staged = v1::Staged { rev: 1, stage: 3, after: Some(face), ..Default::default() };
        assert_eq!(said(What::Staged(staged)), "staged.after: face.white: missing");
        assert_eq!(said(What::Ruled(v1::Ruling::default())), "ruling.remedy: missing");
    }
}
