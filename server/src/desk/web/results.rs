//! Results as the round's page enters them: the first time, put right, withdrawn; and before a game is ended with one, what is ended.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use flagfall_proto::{
    desk::v1::{Board, EnterResultRequest, GetRoundRequest, event_service_server::EventService},
    journal::v1::BoardResult,
};
use tonic::Status;

use super::{
    Lang, Web, ask,
    by_hand::bad,
    calls::act,
    frame::{Frame, refused, show},
    visitor::Sent,
    words,
};

/// How results are written in tables, and in the form that enters them.
const RESULTS: [(BoardResult, &str); 7] = [
    (BoardResult::WhiteWins, "1-0"),
    (BoardResult::BlackWins, "0-1"),
    (BoardResult::Draw, "½-½"),
    (BoardResult::BothLose, "0-0"),
    (BoardResult::WhiteByForfeit, "+/-"),
    (BoardResult::BlackByForfeit, "-/+"),
    (BoardResult::BothForfeit, "-/-"),
];

/// What the form sends to withdraw what was entered.
pub(super) const WITHDRAW: &str = "open";

/// Every result, as it is written.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    RESULTS.iter().map(|(_, text)| *text)
}

/// A result as it is written; empty: there is none.
pub(super) fn text(result: BoardResult) -> &'static str {
    RESULTS.iter().find(|(known, _)| *known == result).map_or("", |(_, text)| text)
}

fn named(text: &str) -> Result<BoardResult, Status> {
    match RESULTS.iter().find(|(_, known)| *known == text) {
        Some((result, _)) => Ok(*result),
        None if text == WITHDRAW => Ok(BoardResult::Unspecified),
        None => Err(bad("result", "choose a result")),
    }
}

/// Asks before a game is ended.
#[derive(Template)]
#[template(path = "ends_game.html")]
struct Ends {
    frame: Frame,
    event: String,
    round: u32,
    board: Board,
    names: [String; 2],
    moves: [u32; 2],
    left: [String; 2],
    result: String,
    reason: String,
    request: String,
}

/// Enters what a form says of a board; a game that is under way is shown first.
pub(super) async fn enter(web: &Web, event: String, round: u32, lang: Lang, sent: &Sent) -> Response {
    let back = format!("/round?event={event}&round={round}");
    let frame = || Frame::new("round", lang, &sent.visitor);
    let status = match entered(web, event.clone(), round, sent).await {
        Ok(()) => return Redirect::to(&back).into_response(),
        Err(status) => status,
    };
    if !status.message().starts_with("ENDS_GAME: ") {
        return refused(frame(), &status, &back);
    }
    match ends(web, event, round, frame().before(&back), sent).await {
        Ok(page) => show(&page),
        Err(status) => refused(frame(), &status, &back),
    }
}

async fn entered(web: &Web, event: String, round: u32, sent: &Sent) -> Result<(), Status> {
    let (board, result) = (sent.get("board").parse().unwrap_or(0), named(sent.get("result"))?.into());
    let (note, ends_game) = (sent.get("reason").to_owned(), sent.get("ends_game") == "yes");
    let enter = EnterResultRequest { act: Some(act(sent)), event, round, board, result, note, ends_game };
    web.events.enter_result(ask(&sent.visitor, enter)).await?;
    Ok(())
}

async fn ends(web: &Web, event: String, round: u32, frame: Frame, sent: &Sent) -> Result<Ends, Status> {
    let asked = GetRoundRequest { event: event.clone(), round };
    let boards = web.events.get_round(ask(&sent.visitor, asked)).await?.into_inner().round.unwrap_or_default().boards;
    let number = sent.get("board").parse().unwrap_or(0);
    let board = boards.into_iter().find(|board| board.board == number).unwrap_or_default();
    let face = board.face.unwrap_or_default();
    let hands = [face.white, face.black].map(Option::unwrap_or_default);
    let names = [&board.white, &board.black].map(|player| player.clone().unwrap_or_default().name);
    Ok(Ends {
        frame,
        event,
        round,
        names,
        moves: hands.map(|hand| hand.moves),
        left: hands.map(|hand| words::time(hand.left_ms)),
        board,
        result: sent.get("result").to_owned(),
        reason: sent.get("reason").to_owned(),
        request: sent.get("request").to_owned(),
    })
}
