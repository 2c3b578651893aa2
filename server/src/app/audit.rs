//! `flagfall audit`: who did what at the desk, when, why, from what to what, on which revision. A client of the desk; the answer is
//! folded from the journal's entries.

use std::io::Write;

use clap::Args as ClapArgs;
use flagfall_proto::{clock::v1::Face, desk::v1::ListGamesRequest, journal::v1::desk_input::Act};
use serde::Serialize;

use super::desk::{At, DeskError, clean, instant, record, stage};
use crate::{
    desk::record::{Done, LAWS, Record},
    journal::{codec, dump::plain},
};

/// Arguments of `flagfall audit`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// One game only.
    #[arg(long)]
    pub game: Option<String>,
    /// Comma-separated values with a head.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
}

/// An act on record.
#[derive(Clone, Debug, Serialize)]
struct Line {
    /// When, RFC 3339.
    at: String,
    game: String,
    /// Number of its entry in the game's stream.
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

const HEAD: [&str; 10] = ["at", "game", "entry", "actor", "what", "reason", "before", "after", "revisions", "request"];

impl Line {
    fn cells(&self) -> [&str; 9] {
        [
            &self.at,
            &self.game,
            &self.actor,
            &self.what,
            &self.reason,
            &self.before,
            &self.after,
            &self.revisions,
            &self.request,
        ]
    }
}

/// Prints every act in the order of its time.
///
/// # Errors
/// The desk cannot be reached or refuses, or nobody reads the answer.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<(), DeskError> {
    let mut client = args.at.connect().await?.desk;
    let games = match &args.game {
        Some(game) => vec![game.clone()],
        None => {
            let (mut names, mut after) = (Vec::new(), String::new());
            loop {
                let page = ListGamesRequest { finished: true, after, ..ListGamesRequest::default() };
                let listed = client.list_games(page).await?.into_inner();
                names.extend(listed.games.into_iter().filter_map(|game| game.setup).map(|setup| setup.game));
                after = listed.next;
                if after.is_empty() {
                    break names;
                }
            }
        }
    };
    let mut lines = Vec::new();
    for game in games {
        let record = record(&mut client, &game).await?;
        lines.extend(record.acts.iter().map(|done| line(&game, &record, done)));
    }
    lines.sort_by_key(|line| line.wall_ms);
    if args.csv {
        writeln!(out, "{}", HEAD.join(","))?;
    }
    for line in &lines {
        if args.at.json {
            writeln!(out, "{}", serde_json::to_string(line).map_err(std::io::Error::other)?)?;
        } else if args.csv {
            let [at, game, rest @ ..] = line.cells();
            let cells = [quoted(at), quoted(game), line.entry.to_string()].into_iter().chain(rest.map(quoted));
            writeln!(out, "{}", cells.collect::<Vec<_>>().join(","))?;
        } else {
            write!(out, "{}  {:16} {:16} {}", line.at, line.game, line.actor, line.what)?;
            if !line.reason.is_empty() {
                write!(out, " — {}", line.reason)?;
            }
            writeln!(out)?;
            if !line.revisions.is_empty() {
                writeln!(out, "{:24}{} → {}  directive {}", "", line.before, line.after, line.revisions)?;
            }
        }
    }
    Ok(out.flush()?)
}

fn line(game: &str, record: &Record, done: &Done) -> Line {
    let orders = || done.revs.iter().filter_map(|rev| Some((rev, record.orders.get(rev)?)));
    let revisions: Vec<String> = orders().map(|(rev, order)| format!("{rev} {}", stage(order.stage))).collect();
    let after = orders().filter_map(|(_, order)| order.after).next_back();
    let ruling = done.rulings.first();
    let remedy = ruling.and_then(|ruling| Some((ruling.case, ruling.remedy.as_ref()?)));
    let ruled = remedy.map(|(case, remedy)| {
        let words = remedy.words.as_ref().map_or("", |words| words.en.as_str());
        format!("case {case}: {} ({words}), article {}", remedy.key, remedy.article)
    });
    Line {
        at: instant(done.wall_ms),
        game: clean(game),
        entry: done.entry,
        actor: if done.actor == LAWS { "the Laws".to_owned() } else { clean(&done.actor) },
        what: clean(&ruled.unwrap_or_else(|| what(done.act.as_ref()))),
        reason: clean(&done.reason),
        before: face(done.before.as_ref()),
        after: face(after.as_ref()),
        revisions: revisions.join(", "),
        request: clean(&done.request),
        wall_ms: done.wall_ms,
    }
}

/// An act in the words that the journal's dump has for it.
fn what(act: Option<&Act>) -> String {
    let message = flagfall_proto::journal::v1::DeskInput { act: act.cloned(), ..Default::default() };
    codec::desk_input(message).map_or_else(|_| String::new(), |input| plain::desk_act(&input.act))
}

fn face(face: Option<&Face>) -> String {
    let Some(face) = face else { return String::new() };
    let half = |hand: &Option<flagfall_proto::clock::v1::Hand>| {
        let hand = hand.unwrap_or_default();
        let left = hand.left_ms.map_or_else(
            || "unknown".to_owned(),
            |ms| {
                let seconds = ms / 1_000;
                format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
            },
        );
        format!("{left} ({})", hand.moves)
    };
    format!("{} / {}", half(&face.white), half(&face.black))
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
