//! Whether an organiser's act fits: pure, over the event and the round as they stand.

use std::collections::BTreeSet;

use flagfall_pairings::{NAME_MAX, NUMBER_MAX, Player, ROUNDS_MAX};
use flagfall_proto::{convert, desk::v1::EventPlan};
use flagfall_rules::{clock::Place, time::Millis};

use super::{
    act::{Delay, Seat, Sector, Settings},
    preset::Preset,
    state::{Round, Tournament},
};
use crate::{
    journal::codec::{self, Numbered},
    wire::{Refused, Unfit, is_name, is_text},
};

/// The longest name of an event.
const EVENT: usize = 32;

/// The longest title.
const TITLE: usize = 200;

/// The longest name of a place, and of a sector.
const SITE: usize = 100;

/// The longest name of a sector.
const SECTOR: usize = 40;

/// The most sectors.
const SECTORS: usize = 64;

/// The longest default time: ten hours.
const LATE: Millis = 36_000_000;

/// The longest lag of a broadcast: two hours.
const DELAY_MS: Millis = 7_200_000;

/// The longest lag of a broadcast in plies.
const DELAY_PLIES: u32 = 100;

/// The most players of one request.
pub(super) const PLAYERS: usize = 100;

/// The longest note, in characters.
const NOTE: usize = 2_000;

/// The name of a clock where an event names none.
const CLOCKS: &str = "clock-{}";

pub(super) fn bad<T>(field: &'static str, why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::request(field, why))
}

/// A text that may be empty.
fn text(field: &'static str, text: &str, longest: usize) -> Result<(), Refused> {
    match text.is_empty() || is_text(text, longest) {
        true => Ok(()),
        false => bad(field, format!("expected at most {longest} characters, none of them a control character")),
    }
}

/// A name of an event that may be asked for.
pub(super) fn event_name(name: &str) -> Result<(), Refused> {
    match is_name(name, EVENT) {
        true => Ok(()),
        false => bad("event", format!("expected 1 to {EVENT} characters of [A-Za-z0-9._-]")),
    }
}

/// A number of a round that may be asked for.
pub(super) fn round_number(round: u32) -> Result<(), Refused> {
    match (1..=ROUNDS_MAX).contains(&round) {
        true => Ok(()),
        false => bad("round", format!("expected 1 to {ROUNDS_MAX}")),
    }
}

/// A note that may be kept: it may have lines.
pub(super) fn note(note: &str) -> Result<(), Refused> {
    if note.chars().count() <= NOTE { Ok(()) } else { bad("note", format!("at most {NOTE} characters")) }
}

/// What an organiser planned, with what follows from it.
pub(super) fn settings(plan: EventPlan) -> Result<Settings, Refused> {
    event_name(&plan.name)?;
    text("title", &plan.title, TITLE)?;
    text("site", &plan.site, SITE)?;
    let preset: Preset = plan
        .preset
        .parse()
        .map_err(|error: super::preset::PresetError| Refused::request("preset", error.to_string()))?;
    let overlay = plan.overlay.map(codec::overlay).unwrap_or_default();
    let times = [overlay.bonus, overlay.default_time, plan.default_time_ms];
    if times.into_iter().flatten().any(|ms| !(0..=LATE).contains(&ms)) || overlay.loses_at == Some(0) {
        return bad("overlay", format!("expected times from 0 to {LATE} milliseconds, and a strike from 1 on"));
    }
    if plan.rounds > ROUNDS_MAX {
        return bad("rounds", format!("expected at most {ROUNDS_MAX}"));
    }
    if plan.delay_plies > DELAY_PLIES || !(0..=DELAY_MS).contains(&plan.delay_ms) {
        return bad("delay", format!("expected at most {DELAY_PLIES} plies and {DELAY_MS} milliseconds"));
    }
    let clocks = if plan.clocks.is_empty() { CLOCKS.to_owned() } else { plan.clocks };
    let parts: Vec<&str> = clocks.split("{}").collect();
    if parts.len() != 2 || parts.iter().any(|part| !part.is_empty() && !is_name(part, 60)) {
        return bad("clocks", "expected the name of a clock with one {} where the board's number stands: clock-{}");
    }
    let white_place = match plan.side_binding {
        0 => Place::Left,
        side => convert::place(side).map_err(|refused| Refused::request("side_binding", refused.why))?,
    };
    let title = if plan.title.is_empty() { plan.name.clone() } else { plan.title };
    Ok(Settings {
        name: plan.name,
        title,
        site: plan.site,
        preset: plan.preset.split_whitespace().collect::<Vec<_>>().join(" "),
        edition: preset.edition.id.to_owned(),
        play: preset.play,
        control: preset.control,
        overlay,
        default_time: plan.default_time_ms,
        sectors: sectors(plan.sectors.into_iter().map(codec::sector).collect())?,
        rounds: plan.rounds,
        clocks,
        white_place,
        delay: Delay { plies: plan.delay_plies, ms: plan.delay_ms },
    })
}

fn sectors(mut sectors: Vec<Sector>) -> Result<Vec<Sector>, Refused> {
    if sectors.len() > SECTORS {
        return bad("sectors", format!("at most {SECTORS}"));
    }
    sectors.sort_by_key(|sector| sector.first);
    let mut free = 1;
    for Sector { name, first, last } in &sectors {
        if !is_text(name, SECTOR) {
            return bad("sectors.name", format!("expected 1 to {SECTOR} characters, none of them a control character"));
        }
        if *first < free || first > last || *last > NUMBER_MAX {
            let why = format!(
                "{name}: boards {first} to {last}: expected a range up to {NUMBER_MAX} of boards in no other sector"
            );
            return bad("sectors", why);
        }
        free = last + 1;
    }
    Ok(sectors)
}

/// Players that may be entered.
pub(super) fn players(players: &[Player]) -> Result<(), Refused> {
    let mut numbers = BTreeSet::new();
    for Player { number, name, title, rating, federation, fide_id } in players {
        if !(1..=NUMBER_MAX).contains(number) || !numbers.insert(number) {
            return bad("players.number", format!("{number}: expected 1 to {NUMBER_MAX}, each once"));
        }
        if !is_text(name, NAME_MAX) {
            let why = format!("of {number}: expected 1 to {NAME_MAX} characters, none of them a control character");
            return bad("players.name", why);
        }
        text("players.title", title, 4)?;
        text("players.federation", federation, 3)?;
        if *rating > NUMBER_MAX || fide_id.len() > 11 || !fide_id.bytes().all(|byte| byte.is_ascii_digit()) {
            return bad(
                "players",
                format!("{number}: expected a rating up to {NUMBER_MAX} and a FIDE number of at most 11 digits"),
            );
        }
    }
    Ok(())
}

/// A round that may still be changed.
pub(super) fn round(tournament: &Tournament, number: u32) -> Result<&Round, Refused> {
    let event = || tournament.settings.name.clone();
    tournament.rounds.get(&number).ok_or_else(|| Unfit::NoSuchRound { event: event(), round: number }.into())
}

/// A round that is not closed.
pub(super) fn open_round(tournament: &Tournament, number: u32) -> Result<&Round, Refused> {
    let round = round(tournament, number)?;
    match round.closed_ms {
        None => Ok(round),
        Some(_) => Err(Unfit::RoundClosed { event: tournament.settings.name.clone(), round: number }.into()),
    }
}

/// A board of a round.
pub(super) fn seat<'t>(
    tournament: &Tournament,
    round: &'t Round,
    number: u32,
    board: u32,
) -> Result<&'t Seat, Refused> {
    let event = || tournament.settings.name.clone();
    round.seats.get(&board).ok_or_else(|| Unfit::NoSuchBoard { event: event(), round: number, board }.into())
}

/// A result as a message has it; `None`: it says none.
pub(super) fn given(result: i32) -> Result<Option<flagfall_pairings::Outcome>, Refused> {
    Numbered::maybe("result", result).map_err(|refused| Refused::request(refused.what, refused.why))
}
