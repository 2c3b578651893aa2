//! `/round`: a round as it stands; its clocks are started from here, all at once, after the number of them was seen.

use askama::Template;
use axum::{
    extract::{Path, Query, State, rejection::QueryRejection},
    response::{IntoResponse, Redirect, Response},
};
use flagfall_proto::{
    clock::v1::Face,
    desk::v1::{
        Board, BoardState, CloseRoundRequest, EnterResultRequest, GetEventRequest, GetRoundRequest, ListEventsRequest,
        PrepareRoundRequest, Round, RoundState, StartRoundRequest, StartRoundResponse,
        event_service_server::EventService,
    },
    journal::v1::BoardResult,
};
use tonic::Status;

use super::{
    Lang, Visitor, Web, ask,
    calls::{act, request},
    frame::{Frame, asked, refused, show},
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
    /// Who has not come though the default time is over; empty: nobody is missing.
    missing: String,
    /// It has no result yet.
    open: bool,
}

/// A round that can be looked at.
struct Other {
    event: String,
    round: u32,
    shown: bool,
}

#[derive(Template)]
#[template(path = "round.html")]
struct Page {
    frame: Frame,
    /// The reader may run rounds.
    mine: bool,
    others: Vec<Other>,
    event: String,
    title: String,
    round: u32,
    state: &'static str,
    started: String,
    default_at: String,
    lines: Vec<Line>,
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

/// `GET /round?event=open&round=3`; without them the last round of the first event.
pub(super) async fn page(
    State(web): State<Web>,
    asked: Result<Query<Asked>, QueryRejection>,
    lang: Lang,
    visitor: Visitor,
) -> Response {
    let frame = Frame::new("round", lang, &visitor);
    let page = async { find(&web, &visitor, self::asked(asked)?, lang, frame.clone()).await };
    match page.await {
        Ok(page) => show(&page),
        Err(status) => refused(frame, &status, "/round"),
    }
}

async fn find(web: &Web, visitor: &Visitor, asked: Asked, lang: Lang, frame: Frame) -> Result<Page, Status> {
    let mut others = Vec::new();
    let events = web.events.list_events(ask(visitor, ListEventsRequest {})).await?.into_inner().events;
    for event in &events {
        let asked = GetEventRequest { event: event.name.clone() };
        let rounds = web.events.get_event(ask(visitor, asked)).await?.into_inner().rounds;
        others.extend(rounds.iter().map(|round| Other { event: event.name.clone(), round: round.round, shown: false }));
    }
    let wanted = |other: &&mut Other| {
        asked.event.as_ref().is_none_or(|event| *event == other.event)
            && asked.round.is_none_or(|round| round == other.round)
    };
    let chosen = others.iter_mut().rev().find(wanted).map(|other| {
        other.shown = true;
        (other.event.clone(), other.round)
    });
    let mine = visitor.caller.as_ref().is_some_and(|caller| caller.may(Deed::Organise, None).is_ok());
    let Some((event, number)) = chosen else {
        let (title, default_at) = (String::new(), String::new());
        return Ok(Page {
            frame,
            mine,
            others,
            event: String::new(),
            title,
            round: 0,
            state: "",
            started: String::new(),
            default_at,
            lines: Vec::new(),
            over: 0,
            start: None,
            closed: false,
            paired: false,
            requests: Default::default(),
        });
    };
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
    let title = events.iter().find(|settings| settings.name == event).map(|settings| settings.title.clone());
    let number_text = number.to_string();
    // A page that is loaded anew makes new requests; one that is sent twice acts once.
    let stamp = format!("{}-{}", round.boards.len(), crate::desk::auth::Gate::word());
    let id = |what: &str| request(&[what, &visitor.word, &event, &number_text, &stamp]);
    Ok(Page {
        frame,
        mine,
        others,
        title: title.unwrap_or_default(),
        round: number,
        state: state(lang, round.state()),
        started: clock(round.started_ms),
        default_at: clock(round.default_at_ms),
        over: lines.iter().filter(|line| !line.open).count(),
        lines,
        start,
        closed,
        paired: matches!(round.state(), RoundState::Paired),
        requests: [id("prepare"), id("start"), id("close")],
        event,
    })
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
    let name = |player: &Option<flagfall_proto::journal::v1::Player>| {
        player.as_ref().map(|player| player.name.clone()).unwrap_or_default()
    };
    let missing = match (board.white_unseen, board.black_unseen) {
        (false, false) => "",
        (true, false) => lang.t("White has not come", "белые не пришли"),
        (false, true) => lang.t("Black has not come", "чёрные не пришли"),
        (true, true) => lang.t("nobody has come", "никто не пришёл"),
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
    let result = result(board.result());
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
        missing: missing.to_owned(),
        open: result.is_empty(),
    }
}

fn result(result: BoardResult) -> &'static str {
    RESULTS.iter().find(|(known, _)| *known == result).map_or("", |(_, text)| text)
}

/// How results are written in tables, and in the form that enters them.
const RESULTS: [(BoardResult, &str); 7] = [
    (BoardResult::WhiteWins, "1-0"),
    (BoardResult::BlackWins, "0-1"),
    (BoardResult::Draw, "½-½"),
    (BoardResult::WhiteByForfeit, "+/-"),
    (BoardResult::BlackByForfeit, "-/+"),
    (BoardResult::BothForfeit, "-/-"),
    (BoardResult::BothLose, "0-0"),
];

/// `POST /round/{event}/{round}/{what}`: prepare, start, close, or the result of a board.
pub(super) async fn run(
    State(web): State<Web>,
    Path((event, round, what)): Path<(String, u32, String)>,
    lang: Lang,
    sent: Sent,
) -> Response {
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
        "result" => {
            let board = sent.get("board").parse().unwrap_or(0);
            let named = RESULTS.iter().find(|(_, text)| *text == sent.get("result")).map(|(result, _)| *result);
            let result = named.unwrap_or(BoardResult::Unspecified).into();
            let enter = EnterResultRequest { act: by, event, round, board, result, note };
            web.events.enter_result(ask(visitor, enter)).await?;
        }
        _ => return Err(Status::not_found("NOT_FOUND: there is nothing of this name to do")),
    }
    Ok(())
}
