//! Directives by hand: first what would change, then the reason, then the act.

use std::collections::HashMap;

use askama::Template;
use axum::{
    extract::{Path, Query, State},
    response::{IntoResponse, Redirect, Response},
};
use flagfall_proto::{
    clock::v1::{
        Add, ClaimKind, Colour, Conclude, Directive, Face, Going, Hand, Outcome, Place, Run, Set, Show, Stop, Words,
        directive,
    },
    desk::v1::{
        Act, AdjournRequest, AnnulRequest, EnterClaimRequest, GameSnapshot, GetGameRequest, IssueDirectiveRequest,
        ListClocksRequest, MoveGameRequest, PreviewRequest, ReportIrregularityRequest,
        desk_service_server::DeskService, preview_request,
    },
    journal::v1::{
        ActByHand, AdjournmentDeed, Annul, ClaimMade, Event, Irregularity, MoveToClock, SeenIrregularity, desk_input,
        event::What,
    },
};
use tonic::Status;

use super::{
    Lang, Tile, Visitor, Web, adjourned, ask,
    calls::{act as who, request},
    frame::{Frame, refused, show},
    tile::pgn,
    visitor::Sent,
    words,
};
use crate::desk::{auth::Gate, reading, shown};

type Fields = HashMap<String, String>;

/// What somebody wants to do.
enum Wish {
    Direct(Directive),
    Annul,
    Adjourn(AdjournmentDeed),
    /// Goes on on this clock.
    Move(String),
}

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

fn said(en: &str, ru: &str) -> Option<Words> {
    Some(Words { en: en.to_owned(), ru: ru.to_owned() })
}

/// The fields of a form as an act.
fn wish(get: &impl Fn(&str) -> String, face: &Face, game: &GameSnapshot) -> Result<Wish, Status> {
    let act = match get("do").as_str() {
        "stop" => directive::Act::Stop(Stop {
            words: said("Stopped by the arbiter", "Остановлено арбитром")
        }),
        "run" => directive::Act::Run(Run { words: None }),
        "show" => directive::Act::Show(Show { words: said(&get("en"), &get("ru")) }),
        "add" => {
            let amount_ms = reading(&get("amount")).map_err(|why| bad("amount", why))?;
            let colour = side(&get("side"))?.into();
            directive::Act::Add(Add { colour, amount_ms, words: said("Time added", "Добавлено время") })
        }
        "result" => {
            let outcome = match get("result").as_str() {
                "1-0" => Outcome::WhiteWins,
                "0-1" => Outcome::BlackWins,
                "1/2-1/2" => Outcome::Draw,
                "0-0" => Outcome::BothLose,
                _ => return Err(bad("result", "expected 1-0, 0-1, 1/2-1/2 or 0-0")),
            };
            directive::Act::Conclude(Conclude { outcome: outcome.into(), words: said(pgn(outcome), pgn(outcome)) })
        }
        "set" => directive::Act::Set(set(get, face)?),
        "annul" => return Ok(Wish::Annul),
        "adjourn" => return adjourned::deed(get, game.adjournment.as_ref()).map(Wish::Adjourn),
        "move" => return Ok(Wish::Move(get("device"))),
        other => return Err(bad("do", &format!("there is nothing called {other:?} to do"))),
    };
    let as_of_seq = match get("as_of").as_str() {
        "" => 0,
        text => text.parse().map_err(|_| bad("as_of", "expected a whole number"))?,
    };
    Ok(Wish::Direct(Directive { act: Some(act), as_of_seq, ..Directive::default() }))
}

/// What is looked at is right on the face it was looked at with, and is refused once the clock has gone on. Time added to a clock
/// that runs is right on any.
fn is_of_this_face(deed: &str, face: &Face) -> bool {
    deed == "set" || deed == "add" && face.going() != Going::Running
}

pub(super) fn side(text: &str) -> Result<Colour, Status> {
    match text {
        "white" => Ok(Colour::White),
        "black" => Ok(Colour::Black),
        _ => Err(bad("side", "expected white or black")),
    }
}

/// A whole face: what is left empty stays as the clock last showed it.
fn set(get: &impl Fn(&str) -> String, face: &Face) -> Result<Set, Status> {
    let hand = |now: Option<Hand>, name: &str| {
        let now = now.unwrap_or_default();
        let text = get(name);
        let left_ms = match text.as_str() {
            "" | "–:––" => now.left_ms,
            text => Some(reading(text).map_err(|why| bad(name, why))?),
        };
        let number = |field: String, now: u32| match get(&field).as_str() {
            "" => Ok(now),
            text => text.parse().map_err(|_| bad(&field, "expected a whole number")),
        };
        let moves = number(format!("{name}_moves"), now.moves)?;
        // People count periods from 1.
        let field = format!("{name}_period");
        let period = number(field.clone(), now.period.saturating_add(1))?;
        let period = period.checked_sub(1).ok_or_else(|| bad(&field, "the first period is 1"))?;
        if left_ms.is_none() {
            return Err(bad(name, "the clock has shown no reading: give it"));
        }
        Ok::<_, Status>(Some(Hand { left_ms, moves, period, flagged: false }))
    };
    let swapped = match face.white_place() {
        Place::Right => Place::Left,
        _ => Place::Right,
    };
    Ok(Set {
        white: hand(face.white, "white")?,
        black: hand(face.black, "black")?,
        turn: match get("turn").as_str() {
            "" => face.turn,
            text => side(text)?.into(),
        },
        run: get("run") == "yes",
        white_place: if get("swap") == "yes" { swapped.into() } else { face.white_place },
        position: get("position"),
        words: said("Set by the arbiter", "Установлено арбитром"),
    })
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
    Path(game): Path<String>,
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
    let (act, what) = match wish(&get, &face, &snapshot)? {
        Wish::Direct(directive) => {
            let what = words::act(lang, directive.act.as_ref());
            (preview_request::Act::ByHand(ActByHand { directive: Some(directive) }), what)
        }
        Wish::Annul => {
            (preview_request::Act::Annul(Annul {}), lang.t("annul the game", "аннулировать партию").to_owned())
        }
        Wish::Adjourn(deed) => {
            let what = adjourned::deed_words(lang, &deed);
            (preview_request::Act::Adjourn(deed), what)
        }
        Wish::Move(device) => {
            let (before, side) = (tile.device.clone(), lang.t("Clock", "Часы"));
            changes.push(Change { side, changed: before != device, before, after: device.clone() });
            let to = MoveToClock { device, note: String::new() };
            let what = words::deed(lang, Some(&desk_input::Act::Move(to.clone())));
            (preview_request::Act::Move(to), what)
        }
    };
    let asked = PreviewRequest { game: game.to_owned(), act: Some(act) };
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
            format!("{time} · {moves} {} · {} {period}", lang.t("moves", "ходов"), lang.t("period", "период"))
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

/// A reason must be given: an appeal will ask for it.
fn must(get: &impl Fn(&str) -> String) -> bool {
    match get("do").as_str() {
        "stop" | "run" | "show" => false,
        "adjourn" => adjourned::must_say_why(&get("step")),
        _ => true,
    }
}

/// What follows, beside what the clocks show, for people.
fn follows(event: &Event, lang: Lang) -> Option<String> {
    match event.what.as_ref()? {
        What::Adjournment(event) => adjourned::fact(lang, event),
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
pub(super) async fn act(State(web): State<Web>, Path(game): Path<String>, lang: Lang, sent: Sent) -> Response {
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
        Wish::Direct(directive) => {
            let by_hand = Some(ActByHand { directive: Some(directive) });
            web.desk.issue_directive(ask(&sent.visitor, IssueDirectiveRequest { act, game, by_hand })).await?;
        }
        Wish::Annul => {
            web.desk.annul(ask(&sent.visitor, AnnulRequest { act, game })).await?;
        }
        Wish::Adjourn(deed) => {
            web.desk.adjourn(ask(&sent.visitor, AdjournRequest { act, game, deed: Some(deed) })).await?;
        }
        Wish::Move(device) => {
            let note = get("reason");
            web.desk.move_game(ask(&sent.visitor, MoveGameRequest { act, game, device, note })).await?;
        }
    }
    Ok(())
}

/// `POST /game/{game}/report`: what a person saw, or a player claims.
pub(super) async fn report(State(web): State<Web>, Path(game): Path<String>, lang: Lang, sent: Sent) -> Response {
    let back = format!("/game/{game}");
    match reported(&web, &game, &sent).await {
        Ok(()) => Redirect::to(&back).into_response(),
        Err(status) => refused(Frame::new("game", lang, &sent.visitor), &status, &back),
    }
}

async fn reported(web: &Web, game: &str, sent: &Sent) -> Result<(), Status> {
    let (kind, note) = (sent.get("kind"), sent.get("reason").to_owned());
    // The same form sent twice reports once; one that was filled in anew, by going back to it, is another report.
    let id = request(&["report", sent.get("request"), game, kind, sent.get("side"), &note]);
    let (act, game, by) = (Some(Act { request: id, ..who(sent) }), game.to_owned(), side(sent.get("side"))?.into());
    let claim = match kind {
        "claim_draw" => Some(ClaimKind::Draw),
        "claim_flag" => Some(ClaimKind::Flag),
        "resignation" => Some(ClaimKind::Resignation),
        "agreement" => Some(ClaimKind::Agreement),
        _ => None,
    };
    if let Some(kind) = claim {
        let claim = Some(ClaimMade { by, kind: kind.into(), note, facts: None });
        web.desk.enter_claim(ask(&sent.visitor, EnterClaimRequest { act, game, claim })).await?;
        return Ok(());
    }
    let named = Irregularity::from_str_name(&format!("IRREGULARITY_{}", kind.to_ascii_uppercase()));
    let kind = named.ok_or_else(|| bad("kind", "no such irregularity"))?.into();
    let seen = Some(SeenIrregularity { kind, by, ply: 0, note, facts: None });
    web.desk.report_irregularity(ask(&sent.visitor, ReportIrregularityRequest { act, game, seen })).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> Face {
        let hand = |left| Some(Hand { left_ms: Some(left), moves: 3, period: 0, flagged: false });
        Face { white: hand(60_000), black: hand(90_000), turn: 1, going: 2, first_flag: 0, white_place: 1 }
    }

    fn directed(fields: &[(&str, &str)]) -> Result<Directive, Status> {
        let get = |field: &str| fields.iter().find(|(name, _)| *name == field).map_or("", |(_, text)| text).to_owned();
        match wish(&get, &face(), &GameSnapshot::default())? {
            Wish::Direct(directive) => Ok(directive),
            _ => Err(Status::internal("another wish")),
        }
    }

    fn wished(fields: &[(&str, &str)]) -> Result<directive::Act, Status> {
        directed(fields).map(|directive| directive.act.expect("an act"))
    }

    #[test]
    fn times_go_by_the_reading_they_were_looked_at_with() {
        let mut face = face();
        assert_eq!(face.going(), Going::Running);
        assert!(is_of_this_face("set", &face) && !is_of_this_face("add", &face) && !is_of_this_face("stop", &face));
        face.set_going(Going::Paused);
        assert!(is_of_this_face("add", &face), "two arbiters may add for the same thing");
        let set = [("do", "set"), ("as_of", "17")];
        assert_eq!(directed(&set).expect("set").as_of_seq, 17);
        assert_eq!(directed(&set[..1]).expect("set").as_of_seq, 0);
        assert!(directed(&[("do", "stop"), ("as_of", "x")]).is_err());
    }

    #[test]
    fn what_is_left_empty_stays_as_it_is() {
        let fields =
            [("do", "set"), ("white", "1:02:30"), ("black_moves", "4"), ("black_period", "2"), ("swap", "yes")];
        let act = wished(&fields).expect("set");
        let directive::Act::Set(set) = &act else { panic!("{act:?}") };
        let (white, black) = (set.white.expect("white"), set.black.expect("black"));
        assert_eq!((white.left_ms, white.moves), (Some(3_750_000), 3));
        assert_eq!(
            (black.left_ms, black.moves, black.period, white.period),
            (Some(90_000), 4, 1, 0),
            "the second period"
        );
        assert_eq!((set.turn, set.run, set.white_place()), (1, false, Place::Right));
        let then = after(&face(), Some(&act));
        assert_eq!((then.white, then.going(), then.white_place()), (set.white, Going::Paused, Place::Right));
    }

    #[test]
    fn added_time_is_foreseen_on_its_side() {
        let act = wished(&[("do", "add"), ("side", "black"), ("amount", "2:00")]).expect("added");
        let then = after(&face(), Some(&act));
        assert_eq!(then.black.and_then(|hand| hand.left_ms), Some(210_000));
        assert_eq!((then.white, then.going()), (face().white, Going::Running));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (fields, field) in [
            (&[("do", "add"), ("side", "black"), ("amount", "2 h")][..], "amount"),
            (&[("do", "add"), ("side", "red"), ("amount", "60")][..], "side"),
            (&[("do", "set"), ("white", "x")][..], "white"),
            (&[("do", "set"), ("white_period", "0")][..], "white_period"),
            (&[("do", "result"), ("result", "2-0")][..], "result"),
            (&[("do", "dance")][..], "do"),
        ] {
            let refused = wished(fields).expect_err(field);
            assert!(refused.message().starts_with(&format!("BAD_REQUEST: {field}: ")), "{refused}");
        }
    }
}
