//! `/sheet`: the rulings and penalties of a day, to be printed and signed: what an appeals committee reads.

use std::sync::Arc;

use askama::Template;
use axum::{
    extract::{Query, State},
    response::Response,
};
use flagfall_proto::{
    clock::v1::directive::Act,
    journal::v1::{Ruling, desk_input},
};
use tonic::Status;

use super::{
    Lang, Visitor, Web,
    calls::told,
    frame::{Frame, refused, show},
    words,
};
use crate::desk::record::{Done, LAWS};

/// A ruling on the sheet.
struct Line {
    at_ms: i64,
    at: String,
    game: String,
    board: String,
    players: String,
    what: String,
    article: String,
    ruling: String,
    by: String,
    why: String,
    before: String,
    after: String,
}

#[derive(Template)]
#[template(path = "sheet.html")]
struct Sheet {
    frame: Frame,
    day: String,
    /// Every day that has rulings, and whether it is the one shown.
    days: Vec<(String, bool)>,
    lines: Vec<Line>,
}

/// What can be asked for.
#[derive(serde::Deserialize)]
pub(super) struct Asked {
    day: Option<String>,
}

/// `GET /sheet?day=2026-05-01`.
pub(super) async fn page(State(web): State<Web>, Query(asked): Query<Asked>, lang: Lang, visitor: Visitor) -> Response {
    let frame = Frame::new("sheet", lang, &visitor);
    match lines(&web, lang, &visitor).await {
        Ok(all) => {
            let mut days: Vec<String> = all.iter().map(|line| words::day(line.at_ms)).collect();
            days.dedup();
            let day = asked.day.filter(|day| days.contains(day)).or_else(|| days.last().cloned()).unwrap_or_default();
            let lines = all.into_iter().filter(|line| words::day(line.at_ms) == day).collect();
            let days = days.into_iter().map(|other| (other.clone(), other == day)).collect();
            show(&Sheet { frame, day, days, lines })
        }
        Err(status) => refused(frame, &status, "/"),
    }
}

async fn lines(web: &Web, lang: Lang, visitor: &Visitor) -> Result<Vec<Line>, Status> {
    let mut lines = Vec::new();
    for tile in Arc::clone(&web.wall).all().await?.iter().filter(|tile| tile.touched) {
        let told = told(web, visitor, &tile.game).await?;
        let players = if tile.white.is_empty() { String::new() } else { format!("{} – {}", tile.white, tile.black) };
        for done in &told.record.acts {
            let after = done.revs.last().and_then(|rev| told.record.orders.get(rev)).and_then(|order| order.after);
            let mut line = Line {
                at_ms: done.wall_ms,
                at: words::wall(done.wall_ms),
                game: tile.game.clone(),
                board: tile.board.clone(),
                players: players.clone(),
                what: String::new(),
                article: String::new(),
                ruling: String::new(),
                by: if done.actor == LAWS {
                    lang.t("the Laws", "Правила").to_owned()
                } else {
                    done.actor.clone()
                },
                why: done.reason.clone(),
                before: words::face(done.before.as_ref()),
                after: after.map_or_else(|| "–".to_owned(), |after| words::face(Some(&after))),
            };
            if let Some(ruling) = done.rulings.first() {
                rule(&mut line, ruling, lang);
                if let Some(incident) = told.record.incidents.get(&ruling.case) {
                    let (kind, by) = (incident.finding.kind(), incident.finding.by());
                    line.what = format!("{} ({})", words::irregularity(lang, kind), words::colour(lang, by));
                }
            } else if by_hand(done) {
                line.what = lang.t("by hand", "вручную").to_owned();
                line.ruling = words::deed(lang, done.act.as_ref());
            } else {
                continue;
            }
            lines.push(line);
        }
    }
    lines.sort_by_key(|line| line.at_ms);
    Ok(lines)
}

fn rule(line: &mut Line, ruling: &Ruling, lang: Lang) {
    if let Some(remedy) = &ruling.remedy {
        line.article.clone_from(&remedy.article);
        line.ruling = lang.of(remedy.words.as_ref()).to_owned();
    }
    line.before = words::face(ruling.before.as_ref());
}

/// It changes times, score or result, and the Laws did not ask for it: an appeal may. Starting, stopping and words change nothing.
fn by_hand(done: &Done) -> bool {
    match &done.act {
        Some(desk_input::Act::Annul(_)) => true,
        Some(desk_input::Act::Direct(by_hand)) => {
            let act = by_hand.directive.as_ref().and_then(|directive| directive.act.as_ref());
            matches!(act, Some(Act::Set(_) | Act::Add(_) | Act::Conclude(_)))
        }
        _ => false,
    }
}
