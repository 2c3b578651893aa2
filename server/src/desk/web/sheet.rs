//! `/sheet`: the rulings and penalties of a round, and the results that were entered, to be printed and signed: what an appeals committee
//! reads. Games that belong to no event have a sheet a day.

use std::collections::BTreeSet;

use askama::Template;
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use flagfall_proto::{
    clock::v1::directive::Act,
    desk::v1::{
        Board, GetEventRequest, GetGameRequest, GetRoundRequest, ListEventsRequest, ListGamesRequest, ReadActsRequest,
        desk_service_server::DeskService, event_service_server::EventService,
    },
    journal::v1::{BoardResult, ResultEntered, Ruling, adjournment_deed::Deed, desk_input, organiser_input},
};
use tonic::Status;

use super::{
    Lang, Tile, Visitor, Web, ask,
    calls::{Told, read},
    frame::{Frame, asked, refused, show},
    results, seats, words,
};
use crate::{
    desk::record::{Done, Incident, LAWS},
    event::{request_of, round_of},
};

/// A ruling on the sheet.
#[derive(Default)]
struct Line {
    at_ms: i64,
    at: String,
    game: String,
    board: String,
    white: String,
    black: String,
    what: String,
    article: String,
    ruling: String,
    by: String,
    why: String,
    before: String,
    after: String,
    /// The request by which it was done.
    request: String,
}

/// A round that has a sheet.
struct Round {
    event: String,
    title: String,
    round: u32,
    shown: bool,
}

#[derive(Template)]
#[template(path = "sheet.html")]
struct Sheet {
    frame: Frame,
    /// What it is the sheet of.
    of: String,
    rounds: Vec<Round>,
    /// It is of the games that belong to no event.
    by_day: bool,
    /// Every day that has rulings in such games, and whether it is the one shown.
    days: Vec<(String, bool)>,
    lines: Vec<Line>,
}

/// What can be asked for.
#[derive(Default, serde::Deserialize)]
pub(super) struct Asked {
    event: Option<String>,
    round: Option<u32>,
    day: Option<String>,
}

/// `GET /sheet?event=open&round=3`, `GET /sheet?day=2026-05-01`; without them the last round of the last event, else the last day.
pub(super) async fn page(
    State(web): State<Web>,
    asked: Result<Query<Asked>, QueryRejection>,
    lang: Lang,
    visitor: Visitor,
) -> Response {
    let frame = Frame::new("sheet", lang, &visitor);
    let sheet = async { fill(&web, &visitor, self::asked(asked)?, lang, frame.clone()).await };
    match sheet.await {
        Ok(sheet) => show(&sheet),
        Err(status) => refused(frame, &status, "/"),
    }
}

async fn fill(web: &Web, visitor: &Visitor, asked: Asked, lang: Lang, frame: Frame) -> Result<Sheet, Status> {
    let mut rounds = rounds(web, visitor).await?;
    let wanted = |round: &&mut Round| {
        asked.event.as_ref().is_none_or(|event| *event == round.event)
            && asked.round.is_none_or(|number| number == round.round)
    };
    if asked.day.is_none()
        && let Some(round) = rounds.iter_mut().rev().find(wanted)
    {
        round.shown = true;
        let of = format!("{} · {} {}", round.title, lang.t("round", "тур"), round.round);
        let lines = of_round(web, visitor, round, lang).await?;
        return Ok(Sheet { frame, of, rounds, by_day: false, days: Vec::new(), lines });
    }
    if asked.event.is_some() || asked.round.is_some() {
        return Err(Status::not_found("NO_SUCH_ROUND: no event has this round"));
    }
    let all = of_no_event(web, visitor, &rounds, lang).await?;
    let mut days: Vec<String> = all.iter().map(|line| words::day(line.at_ms)).collect();
    days.dedup();
    let day = asked.day.filter(|day| days.contains(day)).or_else(|| days.last().cloned()).unwrap_or_default();
    let lines = all.into_iter().filter(|line| words::day(line.at_ms) == day).collect();
    let days = days.into_iter().map(|other| (other.clone(), other == day)).collect();
    Ok(Sheet { frame, of: day, rounds, by_day: true, days, lines })
}

/// Every round there is, in order.
async fn rounds(web: &Web, visitor: &Visitor) -> Result<Vec<Round>, Status> {
    let mut rounds = Vec::new();
    for event in web.events.list_events(ask(visitor, ListEventsRequest {})).await?.into_inner().events {
        let asked = GetEventRequest { event: event.name.clone() };
        let its = web.events.get_event(ask(visitor, asked)).await?.into_inner().rounds;
        let title = if event.title.is_empty() { &event.name } else { &event.title };
        rounds.extend(its.iter().map(|round| Round {
            event: event.name.clone(),
            title: title.clone(),
            round: round.round,
            shown: false,
        }));
    }
    Ok(rounds)
}

/// Whatever was ruled in the games of a round, finished ones and those on the shelf among them, and the results that were entered.
async fn of_round(web: &Web, visitor: &Visitor, round: &Round, lang: Lang) -> Result<Vec<Line>, Status> {
    let asked = GetRoundRequest { event: round.event.clone(), round: round.round };
    let boards = web.events.get_round(ask(visitor, asked)).await?.into_inner().round.unwrap_or_default().boards;
    let mut all = Vec::new();
    for board in boards.iter().filter(|board| !board.game.is_empty()).cloned() {
        let asked = GetGameRequest { game: board.game.clone() };
        let game = web.desk.get_game(ask(visitor, asked)).await?.into_inner().game.unwrap_or_default();
        let mut tile = Tile::of(&game);
        seats::Seat::of(board, false).name(&mut tile);
        if tile.touched {
            all.extend(lines(&read(web, visitor, game).await?, &tile, lang));
        }
    }
    enter(web, visitor, round, &boards, &mut all, lang).await?;
    all.sort_by_key(|line| line.at_ms);
    let days: BTreeSet<String> = all.iter().map(|line| words::day(line.at_ms)).collect();
    if days.len() > 1 {
        // A round that was adjourned goes over several days: the time alone would not say when.
        all.iter_mut().for_each(|line| line.at = format!("{} {}", words::day(line.at_ms), line.at));
    }
    Ok(all)
}

/// Adds the results that were entered for the round. One that its game took stands there once: as it was entered, with the game's clocks.
async fn enter(
    web: &Web,
    visitor: &Visitor,
    round: &Round,
    boards: &[Board],
    lines: &mut Vec<Line>,
    lang: Lang,
) -> Result<(), Status> {
    let mut from = 1;
    loop {
        let asked = ReadActsRequest { event: round.event.clone(), round: round.round, from, max: 0 };
        let acts = web.events.read_acts(ask(visitor, asked)).await?.into_inner().acts;
        let Some(last) = acts.last() else { return Ok(()) };
        from = last.index + 1;
        for input in acts.into_iter().filter_map(|stored| stored.act) {
            let Some(organiser_input::Act::Result(entered)) = &input.act else { continue };
            let told = request_of(&input.request, &entered.board.to_string());
            let of_game = |line: &Line| {
                let game = boards.iter().find(|board| board.board == entered.board).map(|board| &board.game);
                game == Some(&line.game) && line.request == told
            };
            let its = lines.iter().position(of_game).map(|index| lines.swap_remove(index)).unwrap_or_default();
            let board = boards.iter().find(|board| board.board == entered.board).cloned().unwrap_or_default();
            lines.push(Line {
                at_ms: input.wall_ms,
                at: words::wall(input.wall_ms),
                by: input.actor.clone(),
                why: if entered.note.is_empty() { input.reason.clone() } else { entered.note.clone() },
                ..result(entered, board, its, lang)
            });
        }
    }
}

/// A result as it was entered; `its` is what the game has of it.
fn result(entered: &ResultEntered, board: Board, its: Line, lang: Lang) -> Line {
    let [white, black] = [board.white, board.black].map(|player| player.unwrap_or_default().name);
    let of_round = lang.t("result of the round", "результат тура");
    Line {
        board: entered.board.to_string(),
        white,
        black,
        what: lang.t("by hand", "вручную").to_owned(),
        ruling: match entered.result() {
            BoardResult::Unspecified => format!("{of_round}: {}", lang.t("withdrawn", "отозван")),
            given => format!("{of_round}: {}", results::text(given)),
        },
        game: board.game,
        ..its
    }
}

/// Whatever was ruled in games that no event opened.
async fn of_no_event(web: &Web, visitor: &Visitor, rounds: &[Round], lang: Lang) -> Result<Vec<Line>, Status> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let asked = ListGamesRequest { finished: true, after, ..ListGamesRequest::default() };
        let page = web.desk.list_games(ask(visitor, asked)).await?.into_inner();
        for game in page.games {
            let mut tile = Tile::of(&game);
            let of_event = round_of(&tile.game).is_some_and(|(event, number)| {
                rounds.iter().any(|round| round.event == event && round.round == number)
            });
            if of_event || !tile.touched {
                continue;
            }
            web.wall.at_board(&mut tile).await?;
            all.extend(lines(&read(web, visitor, game).await?, &tile, lang));
        }
        after = page.next;
        if after.is_empty() {
            break;
        }
    }
    all.sort_by_key(|line| line.at_ms);
    Ok(all)
}

/// The rulings of a game, as the journal has them.
fn lines(told: &Told, tile: &Tile, lang: Lang) -> Vec<Line> {
    let mut lines = Vec::new();
    for done in &told.record.acts {
        let (before, after) = (told.record.before(done), told.record.after(done));
        let mut line = Line {
            at_ms: done.wall_ms,
            at: words::wall(done.wall_ms),
            game: tile.game.clone(),
            board: tile.board.clone(),
            white: tile.white.clone(),
            black: tile.black.clone(),
            what: String::new(),
            article: String::new(),
            ruling: String::new(),
            by: actor(&done.actor, lang),
            why: done.reason.clone(),
            before: words::face(before.as_ref()),
            after: after.map_or_else(|| "–".to_owned(), |after| words::face(Some(&after))),
            request: done.request.clone(),
        };
        if by_hand(done) {
            // Whatever lapses with it.
            line.what = lang.t("by hand", "вручную").to_owned();
            line.ruling = words::deed(lang, done.act.as_ref());
        } else if let Some(ruling) = done.rulings.first() {
            rule(&mut line, done, ruling, told.record.incidents.get(&ruling.case), lang);
        } else {
            continue;
        }
        lines.push(line);
    }
    lines
}

fn actor(actor: &str, lang: Lang) -> String {
    if actor == LAWS { lang.t("the Laws", "Правила").to_owned() } else { actor.to_owned() }
}

/// What was ruled, by whom and why. Who only reported what the Laws then ruled on is named as that.
fn rule(line: &mut Line, done: &Done, ruling: &Ruling, incident: Option<&Incident>, lang: Lang) {
    if let Some(Incident { finding, .. }) = incident {
        line.what = format!("{} ({})", words::irregularity(lang, finding.kind()), words::colour(lang, finding.by()));
    }
    if ruling.actor != done.actor {
        let reports = matches!(done.act, Some(desk_input::Act::Irregularity(_) | desk_input::Act::Claim(_)));
        if reports {
            let reported = lang.t("reported by", "сообщил");
            line.what.push_str(&format!(" · {reported} {}", done.actor));
        }
        if reports && !done.reason.is_empty() {
            line.what.push_str(&format!(": {}", done.reason));
        }
        (line.by, line.why) = (actor(&ruling.actor, lang), ruling.note.clone());
    }
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
        Some(desk_input::Act::Adjourn(adjourn)) => {
            matches!(
                adjourn.deed,
                Some(Deed::Choose(_) | Deed::ClockError(_) | Deed::EnvelopeLost(_) | Deed::Excuse(_))
            )
        }
        Some(desk_input::Act::Direct(by_hand)) => {
            let act = by_hand.directive.as_ref().and_then(|directive| directive.act.as_ref());
            matches!(act, Some(Act::Set(_) | Act::Add(_) | Act::Conclude(_)))
        }
        _ => false,
    }
}
