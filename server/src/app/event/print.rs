//! Events as people and machines read them.

use std::fmt::Write as _;

use flagfall_proto::{
    desk::v1::GetEventResponse,
    journal::v1::{EventSettings, Player},
};
use serde_json::{Value, json};

/// What an event sets, in a line.
pub(super) fn settings(settings: &EventSettings, json: bool) -> String {
    if json {
        return json_of(settings).to_string();
    }
    let EventSettings { name, title, preset, edition, .. } = settings;
    format!("{name}  {title:?}  {preset}  {edition} {}", play(settings))
}

/// An event with its players and rounds.
pub(super) fn event(event: &GetEventResponse, json: bool) -> String {
    let nothing = EventSettings::default();
    let set = event.settings.as_ref().unwrap_or(&nothing);
    let (minutes, article) = (event.default_time_ms / 60_000, event.default_time_article.as_str());
    if json {
        let mut told = json_of(set);
        told["default_time_ms"] = event.default_time_ms.into();
        told["default_time_article"] = article.into();
        told["players"] = event.players.iter().map(player).collect();
        let round = |round: &flagfall_proto::desk::v1::RoundSummary| json!({ "round": round.round, "state": state(round), "boards": round.boards });
        told["paired_rounds"] = event.rounds.iter().map(round).collect();
        return told.to_string();
    }
    let mut out = settings(set, false);
    let _ = write!(out, "\n  default time {minutes} min (article {article}), clocks {}", set.clocks);
    if set.delay_plies > 0 || set.delay_ms > 0 {
        let _ = write!(out, ", broadcast {} plies and {} min behind", set.delay_plies, set.delay_ms / 60_000);
    }
    for sector in &set.sectors {
        let _ = write!(out, "\n  {}: boards {} to {}", sector.name, sector.first, sector.last);
    }
    let _ = write!(out, "\n  {} players", event.players.len());
    for round in &event.rounds {
        let _ = write!(out, "\n  round {}: {}, {} boards", round.round, state(round), round.boards);
    }
    out
}

fn state(round: &flagfall_proto::desk::v1::RoundSummary) -> String {
    round.state().as_str_name().trim_start_matches("ROUND_STATE_").to_ascii_lowercase()
}

fn play(settings: &EventSettings) -> String {
    settings.play().as_str_name().trim_start_matches("PLAY_").to_ascii_lowercase().replace('_', "-")
}

fn json_of(settings: &EventSettings) -> Value {
    let sector = |sector: &flagfall_proto::journal::v1::Sector| json!({ "name": sector.name, "first": sector.first, "last": sector.last });
    json!({
        "event": settings.name,
        "title": settings.title,
        "site": settings.site,
        "preset": settings.preset,
        "edition": settings.edition,
        "play": play(settings),
        "rounds": settings.rounds,
        "clocks": settings.clocks,
        "sectors": settings.sectors.iter().map(sector).collect::<Vec<_>>(),
        "delay_plies": settings.delay_plies,
        "delay_ms": settings.delay_ms,
    })
}

fn player(player: &Player) -> Value {
    json!({
        "number": player.number,
        "name": player.name,
        "title": player.title,
        "rating": player.rating,
        "federation": player.federation,
        "fide_id": player.fide_id,
    })
}
