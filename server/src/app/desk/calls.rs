//! `flagfall calls`: what needs a person, the oldest first, with the ways to deal with it.

use clap::Args as ClapArgs;
use serde_json::{Value, json};

use super::{
    At, DeskError, Hall, Service,
    call::{Call, Way, What, waiting},
    lang, record,
    table::clean,
};
use crate::desk::web::{Lang, words};

/// Arguments of `flagfall calls`.
#[derive(Clone, Debug, ClapArgs)]
pub struct CallsArgs {
    /// The language of findings and ways: en or ru.
    #[arg(long, default_value = "en", value_parser = lang)]
    pub lang: Lang,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
}

/// What waits in the whole hall, the oldest first.
///
/// # Errors
/// The service refuses.
pub(super) async fn calls(service: &mut Service, lang: Lang) -> Result<Vec<Call>, DeskError> {
    let hall = Hall::look(service, false).await?;
    let mut calls = Vec::new();
    for (game, tile) in &hall.boards {
        let mut here = waiting(game, tile, lang);
        if here.is_empty() {
            continue;
        }
        let record = record(&mut service.desk, &tile.game).await?;
        here.iter_mut().for_each(|call| call.since = call.what.since(&record));
        calls.extend(here);
    }
    calls.sort_by(Call::by_age);
    Ok(calls)
}

/// A call and its ways, each with the command that takes it; for machines one object.
pub(super) fn print(call: &Call, machine: bool) -> String {
    if machine {
        return json(call).to_string();
    }
    let Call { game, board, article, title, seen, .. } = call;
    let (at, stands) = (words::wall(call.since), call.what.stands());
    let mut lines = vec![clean(&format!("{at}  {board}  {game}  {stands}  {article}  {title}: {seen}"))];
    match call.what {
        What::Player { through } | What::Clock { through } => {
            lines.push(format!("    attended to:  flagfall heed {game} --through {through}"));
        }
        What::Case { .. } if call.ways.is_empty() => {
            lines.push("    nothing can be decided yet: the clock has not said where it stopped".to_owned());
        }
        What::Case { case, .. } => lines.extend(ways(call, &format!("decide {game} {case}"))),
        What::Adjournment => lines.extend(ways(call, &format!("adjourn {game} choose"))),
    }
    lines.join("\n")
}

/// Each way with the command that takes it.
fn ways(call: &Call, command: &str) -> Vec<String> {
    let line = |way: &Way| {
        let clocks = way.clocks();
        let clocks = if clocks.is_empty() { clocks } else { format!("  {clocks}") };
        let article = if way.article.is_empty() { String::new() } else { format!(" ({})", way.article) };
        let words = clean(&format!("{}{article}{clocks}", way.words));
        format!("    {words}:  flagfall {command} {}", way.key)
    };
    call.ways.iter().map(line).collect()
}

/// For machines.
pub(super) fn json(call: &Call) -> Value {
    let mut told = json!({
        "since": super::instant(call.since),
        "game": call.game,
        "board": call.board,
        "kind": call.kind,
        "title": call.title,
        "article": call.article,
        "seen": call.seen,
    });
    match call.what {
        What::Player { through } | What::Clock { through } => told["through"] = through.into(),
        What::Case { case, running } => {
            told["case"] = case.into();
            told["clock_runs"] = running.into();
            told["ways"] = call.ways.iter().map(way).collect();
        }
        What::Adjournment => told["ways"] = call.ways.iter().map(way).collect(),
    }
    told
}

fn way(way: &Way) -> Value {
    let left = way.hands.map(|hands| hands.map(|hand| hand.left_ms));
    let [white, black] = left.unwrap_or_default();
    json!({ "key": way.key, "words": way.words, "article": way.article, "white_left_ms": white, "black_left_ms": black })
}
