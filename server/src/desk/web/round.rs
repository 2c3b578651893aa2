//! `/round`: a round as it stands; its clocks are started from here, all at once, after the number of them was seen.

use askama::Template;
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::{IntoResponse, Redirect, Response},
};
use flagfall_proto::{
    clock::v1::Face,
    desk::v1::{
        Board, BoardState, CloseRoundRequest, GetEventRequest, GetEventResponse, GetRoundRequest, ListEventsRequest,
        PrepareRoundRequest, Round, RoundState, StartRoundRequest, StartRoundResponse,
        event_service_server::EventService,
    },
    journal::v1::{Bye, ByeKind, EventSettings, Player},
};
use tonic::Status;

use super::{
    Lang, Visitor, Web, ask,
    calls::{act, request},
    frame::{Address, Frame, asked, refused, show},
    results,
    visitor::Sent,
    words,
};
use crate::desk::auth::Deed;

/// A board of the round.
struct Line {
    board: u32,
    sector: String,
    white: String,
    black: String,
    game: String,
    state: &'static str,
    result: &'static str,
    note: String,
    clocks: String,
    cases: u32,
    /// Who has made no move though the default time is over; empty: nobody is to be looked for.
    unseen: &'static str,
    /// What else is said of the result: what it is not.
    beside: String,
    /// It was entered by an organiser, and may be withdrawn.
    entered: bool,
    /// It has no result yet.
    open: bool,
}

/// Something else that can be looked at: an event, or a round of the one that is shown.
struct Other {
    name: String,
    title: String,
    shown: bool,
}

/// There is no round to show.
#[derive(Template)]
#[template(path = "no_round.html")]
struct NoRound {
    frame: Frame,
    events: Vec<Other>,
    /// The event that has none; empty: there is no event.
    event: String,
    title: String,
}

#[derive(Template)]
#[template(path = "round.html")]
struct Page {
    frame: Frame,
    /// The reader may run rounds.
    mine: bool,
    events: Vec<Other>,
    rounds: Vec<Other>,
    event: String,
    title: String,
    round: u32,
    state: &'static str,
    started: String,
    default_at: String,
    lines: Vec<Line>,
    /// Who does not play, and what for.
    byes: Vec<(String, &'static str)>,
    /// Clocks that would be started and are not connected.
    away: String,
    /// How many boards have a result.
    over: usize,
    /// What a start would do; nothing for a round that is closed.
    start: Option<StartRoundResponse>,
    closed: bool,
    paired: bool,
    requests: [String; 3],
}

/// What can be asked for.
#[derive(serde::Deserialize)]
pub(super) struct Asked {
    event: Option<String>,
    round: Option<u32>,
}

/// `GET /round?event=open&round=3`; without them the last round of the last event that has one.
pub(super) async fn page(
    State(web): State<Web>,
    asked: Result<Query<Asked>, QueryRejection>,
    lang: Lang,
    visitor: Visitor,
) -> Response {
    let frame = Frame::new("round", lang, &visitor);
    let page = async { find(&web, &visitor, self::asked(asked)?, lang, frame.clone()).await };
    match page.await {
        Ok(page) => page,
        Err(status) => refused(frame, &status, "/round"),
    }
}

async fn find(web: &Web, visitor: &Visitor, asked: Asked, lang: Lang, frame: Frame) -> Result<Response, Status> {
    let settings = web.events.list_events(ask(visitor, ListEventsRequest {})).await?.into_inner().events;
    let mut all = Vec::new();
    for EventSettings { name, title, .. } in settings {
        let whole = web.events.get_event(ask(visitor, GetEventRequest { event: name.clone() })).await?.into_inner();
        all.push((name, title, whole));
    }
    let has = |whole: &GetEventResponse| {
        whole.rounds.iter().any(|round| asked.round.is_none_or(|wanted| round.round == wanted))
    };
    let event = match asked.event {
        Some(event) => event,
        None => {
            let last = all.iter().rfind(|(_, _, whole)| has(whole)).or(all.last());
            last.map(|(name, ..)| name.clone()).unwrap_or_default()
        }
    };
    let events =
        all.iter().map(|(name, title, _)| Other { name: name.clone(), title: title.clone(), shown: *name == event });
    let events = events.collect();
    let (title, whole) = match all.into_iter().find(|(name, ..)| *name == event) {
        Some((_, title, whole)) => (title, whole),
        // Somebody asks for what is not there, and is told so by the service.
        None if !event.is_empty() => {
            let asked = GetEventRequest { event: event.clone() };
            (String::new(), web.events.get_event(ask(visitor, asked)).await?.into_inner())
        }
        None => return Ok(show(&NoRound { frame, events, event, title: String::new() })),
    };
    let Some(number) = asked.round.or(whole.rounds.last().map(|round| round.round)) else {
        return Ok(show(&NoRound { frame, events, event, title }));
    };
    let rounds = whole.rounds.iter().map(|round| Other {
        name: round.round.to_string(),
        title: String::new(),
        shown: round.round == number,
    });
    let rounds = rounds.collect();
    let players = whole.players;
    let mine = visitor.caller.as_ref().is_some_and(|caller| caller.may(Deed::Organise, None).is_ok());
    let asked = GetRoundRequest { event: event.clone(), round: number };
    let round: Round = web.events.get_round(ask(visitor, asked)).await?.into_inner().round.unwrap_or_default();
    let closed = round.state() == RoundState::Closed;
    let start = match mine && !closed {
        true => {
            let asked = StartRoundRequest {
                act: None,
                event: event.clone(),
                round: number,
                dry_run: true,
                ..StartRoundRequest::default()
            };
            Some(web.events.start_round(ask(visitor, asked)).await?.into_inner())
        }
        false => None,
    };
    let clock = |ms: i64| if ms > 0 { words::wall(ms) } else { String::new() };
    let lines: Vec<Line> = round.boards.iter().map(|board| line(board, lang)).collect();
    let byes = round.byes.iter().map(|absent| bye(absent, &players, lang)).collect();
    let away =
        start.as_ref().map(|start| start.away.iter().map(|away| away.device.as_str()).collect::<Vec<_>>().join(", "));
    let number_text = number.to_string();
    // A page that is loaded anew makes new requests; one that is sent twice acts once.
    let stamp = format!("{}-{}", round.boards.len(), crate::desk::auth::Gate::word());
    let id = |what: &str| request(&[what, &visitor.word, &event, &number_text, &stamp]);
    Ok(show(&Page {
        frame,
        mine,
        events,
        rounds,
        title,
        round: number,
        state: state(lang, round.state()),
        started: clock(round.started_ms),
        default_at: clock(round.default_at_ms),
        over: lines.iter().filter(|line| !line.open).count(),
        lines,
        byes,
        away: away.unwrap_or_default(),
        start,
        closed,
        paired: matches!(round.state(), RoundState::Paired),
        requests: [id("prepare"), id("start"), id("close")],
        event,
    }))
}

fn state(lang: Lang, state: RoundState) -> &'static str {
    match state {
        RoundState::Unspecified => "",
        RoundState::Paired => lang.t("paired", "жеребьёвка сделана"),
        RoundState::Prepared => lang.t("clocks prepared", "часы подготовлены"),
        RoundState::Started => lang.t("under way", "идёт"),
        RoundState::Closed => lang.t("closed", "закрыт"),
    }
}

fn line(board: &Board, lang: Lang) -> Line {
    let name = |player: &Option<Player>| player.as_ref().map(|player| player.name.clone()).unwrap_or_default();
    let unseen = match (board.white_unseen, board.black_unseen) {
        (false, false) => "",
        (true, false) => lang.t("White has not moved", "белые не сделали хода"),
        (false, true) => lang.t("Black has not moved", "чёрные не сделали хода"),
        (true, true) => lang.t("nobody has moved", "никто не сделал хода"),
    };
    let beside = match (results::text(board.game_result()), results::text(board.overtaken())) {
        ("", "") => String::new(),
        ("", overtaken) => format!("{} {overtaken}", lang.t("entered before:", "внесено раньше:")),
        (own, _) => format!("{} {own}", lang.t("the game itself:", "сама партия:")),
    };
    let state = match board.state() {
        BoardState::Unspecified => "",
        BoardState::NoClock => lang.t("no clock", "без часов"),
        BoardState::Paired => lang.t("not open", "не открыта"),
        BoardState::Ready => lang.t("ready", "готова"),
        BoardState::Running => lang.t("running", "идёт"),
        BoardState::Paused => lang.t("stopped", "остановлена"),
        BoardState::Adjourned => lang.t("adjourned", "отложена"),
        BoardState::Over => lang.t("over", "окончена"),
    };
    let result = results::text(board.result());
    Line {
        board: board.board,
        sector: board.sector.clone(),
        white: name(&board.white),
        black: name(&board.black),
        game: board.game.clone(),
        state,
        result,
        note: board.note.clone(),
        clocks: board.face.as_ref().map_or_else(String::new, |face: &Face| words::face(Some(face))),
        cases: board.open_cases,
        unseen,
        beside,
        entered: board.entered || board.overtaken != 0,
        open: result.is_empty(),
    }
}

fn bye(bye: &Bye, players: &[Player], lang: Lang) -> (String, &'static str) {
    let player = players.iter().find(|player| player.number == bye.player);
    let what = match bye.kind() {
        ByeKind::Unspecified => "",
        ByeKind::Half => lang.t("half a point", "пол-очка"),
        ByeKind::Full => lang.t("a point", "очко"),
        ByeKind::Pairing => lang.t("a point by the pairing", "очко по жеребьёвке"),
        ByeKind::Zero => lang.t("no point", "без очков"),
    };
    (player.map_or_else(|| bye.player.to_string(), |player| player.name.clone()), what)
}

/// `POST /round/{event}/{round}/{what}`: prepare, start, close, or the result of a board.
pub(super) async fn run(
    State(web): State<Web>,
    Address((event, round, what)): Address<(String, u32, String)>,
    lang: Lang,
    sent: Sent,
) -> Response {
    if what == "result" {
        return results::enter(&web, event, round, lang, &sent).await;
    }
    let back = format!("/round?event={event}&round={round}");
    match done(&web, event, round, &what, &sent).await {
        Ok(()) => Redirect::to(&back).into_response(),
        Err(status) => refused(Frame::new("round", lang, &sent.visitor), &status, &back),
    }
}

async fn done(web: &Web, event: String, round: u32, what: &str, sent: &Sent) -> Result<(), Status> {
    let (by, visitor) = (Some(act(sent)), &sent.visitor);
    let note = sent.get("reason").to_owned();
    match what {
        "prepare" => {
            web.events.prepare_round(ask(visitor, PrepareRoundRequest { act: by, event, round })).await?;
        }
        "start" => {
            let expected = sent.get("expected").parse().unwrap_or(0);
            let start = StartRoundRequest { act: by, event, round, dry_run: false, expected };
            web.events.start_round(ask(visitor, start)).await?;
        }
        "close" => {
            let open_boards = sent.get("open_boards") == "yes";
            let close = CloseRoundRequest { act: by, event, round, open_boards, note };
            web.events.close_round(ask(visitor, close)).await?;
        }
        _ => return Err(Status::not_found("NOT_FOUND: there is nothing of this name to do")),
    }
    Ok(())
}
