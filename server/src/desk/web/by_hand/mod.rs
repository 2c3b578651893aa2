//! What an arbiter does by hand: first what would change, then the reason, then the act.

mod wish;

use std::collections::HashMap;

use askama::Template;
use axum::{
    extract::{Query, State},
    response::{IntoResponse, Redirect, Response},
};
use flagfall_proto::{
    clock::v1::{Colour, Face, Going, Hand, Place, directive},
    desk::v1::{
        AdjournRequest, AnnulRequest, EnterClaimRequest, GameSnapshot, GetGameRequest, IssueDirectiveRequest,
        ListClocksRequest, MoveGameRequest, PreviewRequest, ReportIrregularityRequest,
        desk_service_server::DeskService, preview_request,
    },
    journal::v1::{Event, desk_input::Act, event::What},
};
use tonic::Status;

pub(super) use self::wish::side;
use self::wish::wish;
use super::{
    Lang, Tile, Visitor, Web, adjourned, ask,
    calls::act as who,
    frame::{Address, Frame, refused, show},
    tile::pgn,
    visitor::Sent,
    words,
};
use crate::desk::{auth::Gate, shown};

type Fields = HashMap<String, String>;

/// Half a clock before and after.
struct Change {
    side: &'static str,
    before: String,
    after: String,
    changed: bool,
}

#[derive(Template)]
#[template(path = "by_hand.html")]
struct Preview {
    frame: Frame,
    tile: Tile,
    what: String,
    changes: Vec<Change>,
    going: [&'static str; 2],
    /// What else follows, in order.
    follows: Vec<String>,
    running: bool,
    /// Every field of the form, to be sent again.
    fields: Vec<(String, String)>,
    request: String,
    /// A reason must be given.
    must: bool,
}

pub(super) fn bad(field: &str, why: &str) -> Status {
    Status::invalid_argument(format!("BAD_REQUEST: {field}: {why}"))
}

/// What is looked at is right on the face it was looked at with, and is refused once the clock has gone on. Time added to a clock
/// that runs is right on any.
fn is_of_this_face(deed: &str, face: &Face) -> bool {
    deed == "set" || deed == "add" && face.going() != Going::Running
}

/// A game with its last face: as the clock shows it where that is known, else as the journal has it.
async fn standing(web: &Web, visitor: &Visitor, game: &str) -> Result<(GameSnapshot, Face), Status> {
    let asked = GetGameRequest { game: game.to_owned() };
    let snapshot = web.desk.get_game(ask(visitor, asked)).await?.into_inner().game.unwrap_or_default();
    let clocks = web.desk.list_clocks(ask(visitor, ListClocksRequest {})).await?.into_inner().clocks;
    let face = shown::face(&snapshot, &clocks);
    Ok((snapshot, face))
}

/// What the face would be after a directive, as far as can be told before.
fn after(face: &Face, act: Option<&directive::Act>) -> Face {
    let mut after = *face;
    match act {
        Some(directive::Act::Set(set)) => {
            (after.white, after.black, after.turn) = (set.white, set.black, set.turn);
            after.white_place = set.white_place;
            after.set_going(if set.run { Going::Running } else { Going::Paused });
        }
        Some(directive::Act::Add(add)) => {
            let hand = if add.colour() == Colour::White { after.white.as_mut() } else { after.black.as_mut() };
            if let Some(left) = hand.and_then(|hand| hand.left_ms.as_mut()) {
                *left = left.saturating_add(add.amount_ms);
            }
        }
        Some(directive::Act::Stop(_)) => after.set_going(Going::Paused),
        Some(directive::Act::Run(_)) => after.set_going(Going::Running),
        Some(directive::Act::Conclude(_)) => after.set_going(Going::Over),
        _ => {}
    }
    after
}

fn going(lang: Lang, going: Going) -> &'static str {
    match going {
        Going::Unspecified | Going::Idle => lang.t("not started", "не пущены"),
        Going::Running => lang.t("running", "идут"),
        Going::Paused => lang.t("stopped", "остановлены"),
        Going::Over => lang.t("over", "партия окончена"),
    }
}

/// `GET /game/{game}/act`: what would change.
pub(super) async fn preview(
    State(web): State<Web>,
    Address(game): Address<String>,
    Query(fields): Query<Fields>,
    lang: Lang,
    visitor: Visitor,
) -> Response {
    let frame = Frame::new("game", lang, &visitor);
    let back = format!("/game/{game}");
    match foresee(&web, &game, fields, lang, &visitor, frame.clone()).await {
        Ok(page) => show(&page),
        Err(status) => refused(frame, &status, &back),
    }
}

async fn foresee(
    web: &Web,
    game: &str,
    fields: Fields,
    lang: Lang,
    visitor: &Visitor,
    frame: Frame,
) -> Result<Preview, Status> {
    let get = |field: &str| fields.get(field).map(|text| text.trim().to_owned()).unwrap_or_default();
    let (snapshot, face) = standing(web, visitor, game).await?;
    let tile = web.wall.tile(&snapshot).await?;
    let mut changes = Vec::new();
    let act = wish(&get, &face, &snapshot)?;
    if let Act::Move(to) = &act {
        let (before, side, after) = (tile.device.clone(), lang.t("Clock", "Часы"), to.device.clone());
        changes.push(Change { side, changed: before != after, before, after });
    }
    let what = match &act {
        Act::Annul(_) => lang.t("annul the game", "аннулировать партию").to_owned(),
        act => words::deed(lang, Some(act)),
    };
    let asked = PreviewRequest { game: game.to_owned(), act: Some(foreseen(act)?) };
    let events = web.desk.preview(ask(visitor, asked)).await?.into_inner().events;
    let direct = matches!(get("do").as_str(), "stop" | "run" | "show" | "add" | "set");
    let issued = events.iter().rev().find_map(|event| match &event.what {
        Some(What::Issued(directive)) => directive.act.as_ref(),
        _ => None,
    });
    let then = after(&face, issued);
    let half = |side, before: Option<Hand>, after: Option<Hand>| {
        let say = |hand: Option<Hand>| {
            let hand = hand.unwrap_or_default();
            let (time, moves, period) = (words::time(hand.left_ms), hand.moves, hand.period.saturating_add(1));
            format!("{time} · {} {moves} · {} {period}", lang.t("moves:", "ходов:"), lang.t("period", "период"))
        };
        let (before, after) = (say(before), say(after));
        Change { side, changed: before != after, before, after }
    };
    changes.push(half(words::colour(lang, Colour::White), face.white, then.white));
    changes.push(half(words::colour(lang, Colour::Black), face.black, then.black));
    let turn = |face: &Face| words::colour(lang, face.turn()).to_owned();
    let place = |face: &Face| match face.white_place() {
        Place::Right => lang.t("right", "справа").to_owned(),
        _ => lang.t("left", "слева").to_owned(),
    };
    for (side, before, after) in [
        (lang.t("To move", "Ход"), turn(&face), turn(&then)),
        (lang.t("White's half", "Половина белых"), place(&face), place(&then)),
    ] {
        changes.push(Change { side, changed: before != after, before, after });
    }
    let must = must(&get);
    let as_of = is_of_this_face(&get("do"), &face).then(|| ("as_of".to_owned(), snapshot.heard_seq.to_string()));
    let said = fields.into_iter().filter(|(name, text)| name != "as_of" && !text.is_empty());
    let mut fields: Vec<(String, String)> = said.chain(as_of).collect();
    fields.sort();
    Ok(Preview {
        frame,
        tile,
        what,
        changes,
        // The table says what a directive does; what else comes of an act is told beside it.
        follows: if direct { Vec::new() } else { events.iter().filter_map(|event| follows(event, lang)).collect() },
        going: [going(lang, face.going()), going(lang, then.going())],
        running: face.going() == Going::Running,
        fields,
        request: Gate::word(),
        must,
    })
}

/// An act as it is previewed.
fn foreseen(act: Act) -> Result<preview_request::Act, Status> {
    Ok(match act {
        Act::Direct(by_hand) => preview_request::Act::ByHand(by_hand),
        Act::Annul(annul) => preview_request::Act::Annul(annul),
        Act::Adjourn(deed) => preview_request::Act::Adjourn(deed),
        Act::Move(to) => preview_request::Act::Move(to),
        Act::Claim(claim) => preview_request::Act::Claim(claim),
        Act::Irregularity(seen) => preview_request::Act::Irregularity(seen),
        Act::Open(_) | Act::Decide(_) | Act::Heed(_) => return Err(not_by_hand()),
    })
}

fn not_by_hand() -> Status {
    bad("do", "this is not done by hand")
}

/// A reason must be given: an appeal will ask for it.
fn must(get: &impl Fn(&str) -> String) -> bool {
    match get("do").as_str() {
        "stop" | "run" | "show" => false,
        // What is only found out asks for none; what ends the game does.
        "report" => get("kind") == "resignation",
        "adjourn" => adjourned::must_say_why(&get("step")),
        _ => true,
    }
}

/// What follows, beside what the clocks show, for people.
fn follows(event: &Event, lang: Lang) -> Option<String> {
    match event.what.as_ref()? {
        What::Adjournment(event) => adjourned::fact(lang, event),
        What::Found(finding) => {
            let (kind, by) = (words::irregularity(lang, finding.kind()), words::colour(lang, finding.by()));
            Some(format!("{kind} ({by}), {}", finding.article))
        }
        What::Ruled(ruling) => {
            let remedy = ruling.remedy.as_ref()?;
            Some(format!("{} ({})", lang.of(remedy.words.as_ref()), remedy.article))
        }
        What::Ended(ended) => {
            Some(format!("{} {} ({})", pgn(ended.outcome()), words::ending(lang, ended.ending()), ended.article))
        }
        What::Issued(directive) => {
            Some(format!("{} {}", lang.t("to the clock:", "часам:"), words::act(lang, directive.act.as_ref())))
        }
        What::Made(ply) => Some(format!("{} {}", lang.t("move", "ход"), ply.uci)),
        What::Annulled(_) => Some(lang.t("the game is annulled", "партия аннулирована").to_owned()),
        _ => None,
    }
}

/// `POST /game/{game}/act`.
pub(super) async fn act(State(web): State<Web>, Address(game): Address<String>, lang: Lang, sent: Sent) -> Response {
    let back = format!("/game/{game}");
    match done(&web, &game, lang, &sent).await {
        Ok(()) if sent.get("do") == "adjourn" => Redirect::to(&format!("{back}#adjourned")).into_response(),
        Ok(()) => Redirect::to(&format!("{back}#events")).into_response(),
        Err(status) => refused(Frame::new("game", lang, &sent.visitor), &status, &back),
    }
}

async fn done(web: &Web, game: &str, lang: Lang, sent: &Sent) -> Result<(), Status> {
    let get = |field: &str| sent.get(field).to_owned();
    if get("reason").is_empty() && must(&get) {
        return Err(bad("reason", lang.t("say why", "укажите причину")));
    }
    let (snapshot, face) = standing(web, &sent.visitor, game).await?;
    let (act, game) = (Some(who(sent)), game.to_owned());
    match wish(&get, &face, &snapshot)? {
        Act::Direct(by_hand) => {
            let by_hand = Some(by_hand);
            web.desk.issue_directive(ask(&sent.visitor, IssueDirectiveRequest { act, game, by_hand })).await?;
        }
        Act::Annul(_) => {
            web.desk.annul(ask(&sent.visitor, AnnulRequest { act, game })).await?;
        }
        Act::Adjourn(deed) => {
            web.desk.adjourn(ask(&sent.visitor, AdjournRequest { act, game, deed: Some(deed) })).await?;
        }
        Act::Move(to) => {
            let (device, note) = (to.device, to.note);
            web.desk.move_game(ask(&sent.visitor, MoveGameRequest { act, game, device, note })).await?;
        }
        Act::Claim(claim) => {
            let claim = Some(claim);
            web.desk.enter_claim(ask(&sent.visitor, EnterClaimRequest { act, game, claim })).await?;
        }
        Act::Irregularity(seen) => {
            let seen = Some(seen);
            web.desk.report_irregularity(ask(&sent.visitor, ReportIrregularityRequest { act, game, seen })).await?;
        }
        Act::Open(_) | Act::Decide(_) | Act::Heed(_) => return Err(not_by_hand()),
    }
    Ok(())
}
