//! Answers for people and for machines.

use std::{fmt::Write as _, path::Path};

use flagfall_proto::{
    clock::v1::{Colour, Face, Hand},
    desk::v1::{AdjournmentSnapshot, CaseSnapshot, GameSnapshot, WatchGamesResponse},
};
use serde_json::{Value, json};

use super::act::Answer;
use crate::{
    app::replay::report::{Adjourned, Report, Told},
    journal::{codec, dump::plain},
    seal::Recipient,
};

/// A game: a line, and one for each case that waits with its ways out.
pub(super) fn game(snapshot: &GameSnapshot, machine: bool) -> String {
    let setup = snapshot.setup.clone().unwrap_or_default();
    if machine {
        let told = Told { game: setup.game, ..Told::default() };
        return Report::new(told, Some(snapshot)).json();
    }
    let result = snapshot.ended.as_ref().map_or("*", |ended| crate::app::replay::report::result(ended.outcome()));
    let (plies, face) = (snapshot.plies.len(), face(&snapshot.face.unwrap_or_default()));
    let mut out = format!("{}  {}  {}  {plies} plies  {face}  {result}", setup.game, setup.device, setup.edition);
    if !snapshot.quarantine.is_empty() {
        let _ = write!(out, "\n  QUARANTINED: {}", snapshot.quarantine);
    }
    if let Some(adjournment) = &snapshot.adjournment {
        let _ = write!(out, "\n  {}", standing(adjournment));
    }
    // After the end nothing is decided any more.
    let open = |case: &&CaseSnapshot| case.ruling.is_none() && snapshot.ended.is_none();
    for case in snapshot.cases.iter().filter(open) {
        let finding = case.finding.clone().unwrap_or_default();
        let seen = finding.evidence.and_then(|evidence| evidence.seen).unwrap_or_default().en;
        let running = case.proposal.as_ref().is_some_and(|proposal| proposal.running);
        let stands = if running { "is shown, the clock runs" } else { "waits" };
        let (case_number, article, ply) = (finding.case, finding.article, finding.ply);
        let _ = write!(out, "\n  case {case_number} {stands}: article {article}, ply {ply}: {seen}");
        for remedy in case.proposal.iter().flat_map(|proposal| &proposal.remedies) {
            let words = remedy.words.clone().unwrap_or_default();
            let _ = write!(out, "\n    {}: {} ({})", remedy.key, words.en, remedy.article);
        }
    }
    out
}

/// The lines of one update: a snapshot is one game, an entry is its events without what the clock merely said.
pub(super) fn update(update: &WatchGamesResponse, machine: bool) -> Vec<String> {
    let mut lines: Vec<String> = update.snapshot.iter().map(|snapshot| game(snapshot, machine)).collect();
    let events = update.events.iter().filter_map(|event| codec::event(event.clone()).ok()).filter(worth_a_line);
    lines.extend(events.map(|event| {
        let said = plain::event(&event);
        if machine {
            json!({ "game": update.game, "entry": update.entry, "event": said }).to_string()
        } else {
            format!("{}  {said}", update.game)
        }
    }));
    lines
}

fn worth_a_line(event: &flagfall_rules::game::Event) -> bool {
    use flagfall_rules::game::Event;
    !matches!(event, Event::Heard { .. } | Event::Looked(_) | Event::Held(_) | Event::Admitted(_))
}

/// How an adjournment stands, and what the arbiter is asked.
fn standing(adjournment: &AdjournmentSnapshot) -> String {
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
pub(super) fn answer(answer: &Answer, machine: bool) -> String {
    let Answer { game, case, rev } = answer;
    if machine {
        let value: Value = json!({ "game": game, "case": case, "rev": rev });
        return value.to_string();
    }
    let case = case.map(|case| format!(", case {case}")).unwrap_or_default();
    let rev = rev.map(|rev| format!(", directive {rev}")).unwrap_or_default();
    format!("{game}{case}{rev}")
}

fn face(face: &Face) -> String {
    let side = |hand: &Option<Hand>| {
        let hand = hand.unwrap_or_default();
        let left = hand.left_ms.map_or("-:--".to_owned(), |ms| {
            let seconds = ms / 1_000;
            format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
        });
        format!("{left} ({})", hand.moves)
    };
    format!("{} – {}", side(&face.white), side(&face.black))
}
