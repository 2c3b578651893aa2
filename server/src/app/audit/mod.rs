//! `flagfall audit`: who did what, when, why, from what to what, on which revision. A client of the desk; the answer is folded from
//! the journal's entries: games' own, and what organisers did to events and rounds.

mod event;
mod game;

use std::io::Write;

use clap::Args as ClapArgs;
use flagfall_proto::desk::v1::ListEventsRequest;
use serde::Serialize;

use super::desk::{At, DeskError, Service, clean, games, table};
use crate::event::round_of;

/// Arguments of `flagfall audit`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// What was done in one game only.
    #[arg(long)]
    pub game: Option<String>,
    /// What was done in one event only: to it, to its rounds, in their games.
    #[arg(long, conflicts_with = "game")]
    pub event: Option<String>,
    /// What was done in one round of that event only.
    #[arg(long, requires = "event", value_parser = clap::value_parser!(u32).range(1..=99))]
    pub round: Option<u32>,
    /// What one person did only; "the Laws" for what nobody had to decide.
    #[arg(long, value_name = "ACTOR")]
    pub by: Option<String>,
    /// Comma-separated values with a head.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
}

/// An act on record.
#[derive(Clone, Debug, Default, Serialize)]
struct Line {
    /// When, RFC 3339.
    at: String,
    /// The event; empty: none.
    event: String,
    /// The round; `None`: it is about the event itself, or about a game of none.
    round: Option<u32>,
    /// The game; empty: it is about more than one board.
    game: String,
    /// Number of its entry in the stream of the game, of the round or of the event.
    entry: u64,
    actor: String,
    what: String,
    reason: String,
    before: String,
    after: String,
    /// Revisions of the directives that came of it, each with how far it came.
    revisions: String,
    request: String,
    #[serde(skip)]
    wall_ms: i64,
}

const HEAD: [&str; 12] =
    ["at", "event", "round", "game", "entry", "actor", "what", "reason", "before", "after", "revisions", "request"];

impl Line {
    /// In the order of the head.
    fn cells(&self) -> [String; 12] {
        let round = self.round.map_or_else(String::new, |round| round.to_string());
        let [at, event, game, actor] = [&self.at, &self.event, &self.game, &self.actor].map(|text| clean(text));
        let [what, reason, before, after] =
            [&self.what, &self.reason, &self.before, &self.after].map(|text| clean(text));
        let (revisions, request) = (clean(&self.revisions), clean(&self.request));
        [at, event, round, game, self.entry.to_string(), actor, what, reason, before, after, revisions, request]
    }

    /// The columns that people read.
    fn row(&self) -> [String; 8] {
        let place = match (self.game.as_str(), self.round) {
            ("", Some(round)) => format!("{} round {round}", self.event),
            ("", None) => self.event.clone(),
            (game, _) => game.to_owned(),
        };
        let Line { at, actor, what, before, after, revisions, reason, .. } = self.clone();
        [at, place, actor, what, before, after, revisions, reason]
    }
}

/// Prints every act in the order of its time.
///
/// # Errors
/// The desk cannot be reached or refuses, or nobody reads the answer.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<(), DeskError> {
    let mut service = args.at.connect().await?;
    let mut lines = read(&mut service, args).await?;
    lines.retain(|line| args.by.as_ref().is_none_or(|by| line.actor == *by));
    lines.sort_by_key(|line| line.wall_ms);
    if args.at.json {
        for line in &lines {
            writeln!(out, "{}", serde_json::to_string(line).map_err(std::io::Error::other)?)?;
        }
    } else if args.csv {
        writeln!(out, "{}", HEAD.join(","))?;
        for line in &lines {
            writeln!(out, "{}", line.cells().map(|cell| quoted(&cell)).join(","))?;
        }
    } else {
        let rows: Vec<_> = lines.iter().map(Line::row).collect();
        let head = ["at", "where", "actor", "what", "before", "after", "directives", "reason"];
        write!(out, "{}", table(head, &rows))?;
    }
    Ok(out.flush()?)
}

/// The acts that are asked for, in no order.
async fn read(service: &mut Service, args: &Args) -> Result<Vec<Line>, DeskError> {
    let wanted = |event: &str, round: Option<u32>| {
        args.event.as_deref().is_none_or(|wanted| wanted == event)
            && args.round.is_none_or(|wanted| round == Some(wanted))
    };
    let mut lines = Vec::new();
    let of_game = args.game.as_ref().map(|game| (game, round_of(game)));
    let games = match &args.game {
        Some(game) => vec![game.clone()],
        None => games(service, true).await?.into_iter().filter_map(|game| game.setup).map(|setup| setup.game).collect(),
    };
    for game in games {
        let place = round_of(&game);
        if args.event.is_none() || place.as_ref().is_some_and(|(event, round)| wanted(event, Some(*round))) {
            lines.extend(game::lines(service, &game).await?);
        }
    }
    let events = service.events.list_events(ListEventsRequest {}).await?.into_inner().events;
    for event in events.into_iter().map(|settings| settings.name) {
        match &of_game {
            // What an organiser did to one board stands in its round.
            Some((game, Some((of, round)))) if *of == event => {
                let round = event::lines(service, &event, Some(*round)).await?;
                lines.extend(round.into_iter().filter(|line| line.game == **game));
            }
            Some(_) => {}
            None => {
                for round in event::streams(service, &event).await?.into_iter().filter(|&round| wanted(&event, round)) {
                    lines.extend(event::lines(service, &event, round).await?);
                }
            }
        }
    }
    Ok(lines)
}

/// A cell of comma-separated values. One that a spreadsheet would take for a formula is made text.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@']);
    format!("\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula_nor_ends_early() {
        assert_eq!(quoted("=1+1"), "\"'=1+1\"");
        assert_eq!(quoted("say \"no\", twice"), "\"say \"\"no\"\", twice\"");
    }
}
