//! Answers for people and for machines.

use std::{fmt::Write as _, path::Path};

use flagfall_proto::{
    clock::v1::{Colour, Stage},
    desk::v1::{AdjournmentSnapshot, GameSnapshot, WatchGamesResponse},
};
use serde_json::{Value, json};

use super::act::Answer;
use crate::{
    app::replay::report::Adjourned,
    journal::{codec, dump::plain},
    seal::Recipient,
};

/// The lines of one update: an entry is its events without what the clock merely said.
pub(in crate::app) fn update(update: &WatchGamesResponse, machine: bool) -> Vec<String> {
    let events = update.events.iter().filter_map(|event| codec::event(event.clone()).ok()).filter(worth_a_line);
    let line = |event| {
        let said = plain::event(&event);
        if machine {
            json!({ "game": update.game, "entry": update.entry, "event": said }).to_string()
        } else {
            format!("{}  {said}", update.game)
        }
    };
    events.map(line).collect()
}

fn worth_a_line(event: &flagfall_rules::game::Event) -> bool {
    use flagfall_rules::game::Event;
    !matches!(event, Event::Heard { .. } | Event::Looked(_) | Event::Held(_) | Event::Admitted(_))
}

/// How an adjournment stands, and what the arbiter is asked.
pub(super) fn standing(adjournment: &AdjournmentSnapshot) -> String {
    let phase = Adjourned::from(adjournment).phase;
    let mut out = format!("adjournment: {phase}");
    match adjournment.sealer() {
        Colour::Unspecified => {}
        colour => {
            let sealed = if adjournment.closed { "sealed" } else { "is to seal" };
            let _ = write!(out, ", {} {sealed}", if colour == Colour::White { "white" } else { "black" });
        }
    }
    if let Some(custody) = adjournment.custody.last() {
        let _ = write!(out, ", the envelope is with {}", custody.holder);
    }
    if let Some(resumption) = &adjournment.resumption {
        let _ = write!(out, ", goes on {} {} at {}", resumption.date, resumption.time, resumption.venue);
    }
    for way in adjournment.proposal.iter().flat_map(|proposal| &proposal.ways) {
        let _ = write!(out, "\n    {}: {}", way.key, way.words.clone().unwrap_or_default().en);
    }
    out
}

/// What came of a deed, and how the adjournment stands after it.
pub(super) fn adjourned(said: &Answer, stands: &GameSnapshot, machine: bool) -> String {
    let adjournment = stands.adjournment.clone().unwrap_or_default();
    if machine {
        let Adjourned { phase, choices } = Adjourned::from(&adjournment);
        return json!({ "game": said.game, "rev": said.rev, "phase": phase, "choices": choices }).to_string();
    }
    format!("{}; {}", answer(said, false), standing(&adjournment))
}

/// A new key: its public half, and where the secret one is.
pub(super) fn recipient(recipient: &Recipient, file: &Path, machine: bool) -> String {
    if machine {
        return json!({ "recipient": recipient.to_string(), "identity": file.display().to_string() }).to_string();
    }
    recipient.to_string()
}

/// What came of an act.
pub(in crate::app) fn answer(answer: &Answer, machine: bool) -> String {
    let Answer { game, case, rev } = answer;
    if machine {
        let value: Value = json!({ "game": game, "case": case, "rev": rev });
        return value.to_string();
    }
    let case = case.map(|case| format!(", case {case}")).unwrap_or_default();
    let rev = rev.map(|rev| format!(", directive {rev}")).unwrap_or_default();
    format!("{game}{case}{rev}")
}

/// How far a directive has come.
pub(in crate::app) fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Unspecified | Stage::Sent => "sent",
        Stage::Received => "on the clock",
        Stage::Applied => "confirmed",
        Stage::Rejected => "refused",
        Stage::Unknown => "not confirmed",
    }
}
