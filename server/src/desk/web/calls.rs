//! `/calls`: what waits for a person, the oldest first, and what was decided lately with how far it has come.

use std::sync::Arc;

use askama::Template;
use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use flagfall_proto::{
    clock::v1::Stage,
    desk::v1::{
        Act, CaseSnapshot, DecideRequest, GameSnapshot, GetGameRequest, HeedRequest, ReadGameRequest, StoredEntry,
        desk_service_server::DeskService,
    },
    journal::v1::{Alarmed, Decision, Heed, Remedy},
};
use sha2::{Digest, Sha256};
use tonic::Status;

use super::{
    Lang, Tile, Visitor, Web,
    adjourned::{Question, question},
    alarm, ask,
    board::Diagram,
    frame::{Address, Frame, refused, show},
    tile::{attention, pgn, stuck},
    visitor::Sent,
    words,
};
use crate::desk::{
    auth::{Deed, Place},
    record::{Happened, Incident, LAWS, Moment, Order, Record},
};

/// Decisions of so many milliseconds ago are still shown.
const LATELY: i64 = 10 * 60_000;

/// How many of the last things the clock said are shown with a case.
const LINES: usize = 9;

/// How far a decision has come on its way to the display.
pub(super) struct Track {
    /// Steps done: 1 sent, 2 on the clock, 3 confirmed.
    pub(super) steps: u8,
    /// There is no good word of it.
    pub(super) bad: bool,
    pub(super) why: &'static str,
}

impl Track {
    pub(super) fn of(lang: Lang, order: &Order) -> Track {
        let steps = match order.stage {
            Stage::Applied => 3,
            Stage::Received => 2,
            _ => 1,
        };
        let bad = matches!(order.stage, Stage::Unknown | Stage::Rejected);
        Track { steps, bad, why: words::rejected(lang, order.stage, order.rejected) }
    }
}

/// A line of the time line.
pub(super) struct Line {
    pub(super) at: String,
    pub(super) text: String,
}

/// One way to deal with a case.
pub(super) struct Way {
    pub(super) key: String,
    pub(super) words: String,
    pub(super) article: String,
    /// Both clocks as they would be; `None`: they stay.
    pub(super) hands: Option<[String; 2]>,
    pub(super) more: String,
    /// The proposal itself.
    pub(super) first: bool,
    /// It says that nothing was wrong.
    pub(super) refuses: bool,
}

/// A case as a card.
pub(super) struct Card {
    pub(super) id: String,
    pub(super) game: String,
    pub(super) board: String,
    pub(super) white: String,
    pub(super) black: String,
    pub(super) case: u32,
    pub(super) title: &'static str,
    pub(super) by: &'static str,
    pub(super) article: String,
    pub(super) edition: String,
    pub(super) fixed: bool,
    pub(super) found_ms: i64,
    pub(super) found: String,
    pub(super) seen: String,
    pub(super) before: Option<Diagram>,
    pub(super) now: Option<Diagram>,
    pub(super) marked: String,
    pub(super) face: String,
    pub(super) lines: Vec<Line>,
    pub(super) ways: Vec<Way>,
    /// The clock runs on: the case is only shown.
    pub(super) running: bool,
    /// The reader may rule on it.
    pub(super) mine: bool,
    /// What was decided; empty: nothing yet.
    pub(super) ruled: String,
    pub(super) ruled_by: String,
    pub(super) note: String,
    pub(super) track: Option<Track>,
}

/// A player who calls, or a clock that wants somebody.
pub(super) struct Call {
    id: String,
    game: String,
    board: String,
    white: String,
    black: String,
    what: &'static str,
    detail: String,
    at_ms: i64,
    at: String,
    through: usize,
    request: String,
    mine: bool,
}

#[derive(Template)]
#[template(path = "calls.html")]
struct Calls {
    frame: Frame,
    calls: Vec<Call>,
    questions: Vec<Question>,
    waiting: Vec<Card>,
    lately: Vec<Card>,
}

/// The id of a request that a form makes: the same form sent twice acts once, and another choice is another request.
pub(super) fn request(parts: &[&str]) -> String {
    let hash = Sha256::digest(parts.join("\n"));
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// A game with everything that its journal says of it.
pub(super) struct Told {
    pub(super) game: GameSnapshot,
    pub(super) record: Record,
}

/// Reads a game as a visitor.
pub(super) async fn told(web: &Web, visitor: &Visitor, game: &str) -> Result<Told, Status> {
    let asked = GetGameRequest { game: game.to_owned() };
    let snapshot = web.desk.get_game(ask(visitor, asked)).await?.into_inner().game.unwrap_or_default();
    read(web, visitor, snapshot).await
}

/// Reads what the journal says of a game that was asked for.
pub(super) async fn read(web: &Web, visitor: &Visitor, snapshot: GameSnapshot) -> Result<Told, Status> {
    let game = snapshot.setup.as_ref().map(|setup| setup.game.clone()).unwrap_or_default();
    let mut record = Record::default();
    let mut from = 1;
    loop {
        let asked = ReadGameRequest { game: game.clone(), from, max: 0 };
        let page: Vec<StoredEntry> = web.desk.read_game(ask(visitor, asked)).await?.into_inner().entries;
        let Some(last) = page.last().map(|stored| stored.index) else { break };
        page.iter().for_each(|stored| record.take(stored));
        if last >= snapshot.entry {
            break;
        }
        from = last + 1;
    }
    Ok(Told { game: snapshot, record })
}

/// `GET /calls`.
pub(super) async fn page(State(web): State<Web>, lang: Lang, visitor: Visitor) -> Response {
    let frame = Frame::new("calls", lang, &visitor);
    match gather(&web, frame, lang, &visitor).await {
        Ok(calls) => show(&calls),
        Err(status) => refused(Frame::new("calls", lang, &visitor), &status, "/calls"),
    }
}

async fn gather(web: &Web, frame: Frame, lang: Lang, visitor: &Visitor) -> Result<Calls, Status> {
    let tiles = Arc::clone(&web.wall).all().await?;
    let recent = web.wall.recent();
    let since = jiff::Timestamp::now().as_millisecond() - LATELY;
    let (mut calls, mut questions) = (Vec::new(), Vec::new());
    let (mut waiting, mut lately) = (Vec::new(), Vec::new());
    for tile in tiles.iter().filter(|tile| tile.cases + tile.calls + tile.stuck > 0 || recent.contains(&tile.game)) {
        let told = match told(web, visitor, &tile.game).await {
            Ok(told) => told,
            // Its opening was refused this moment.
            Err(status) if status.code() == tonic::Code::NotFound => continue,
            Err(status) => return Err(status),
        };
        calls.extend(attended(&told, tile, lang, visitor));
        questions.extend(question(&told, tile, lang, visitor));
        for case in &told.game.cases {
            let Some(incident) = case.finding.as_ref().and_then(|found| told.record.incidents.get(&found.case)) else {
                continue;
            };
            let open = case.ruling.is_none() && told.game.ended.is_none();
            if open {
                waiting.push(card(&told, tile, case, incident, lang, visitor));
            } else if incident.ruled_ms.is_some_and(|at| at >= since) {
                lately.push(card(&told, tile, case, incident, lang, visitor));
            }
        }
    }
    calls.sort_by_key(|call| call.at_ms);
    questions.sort_by_key(|question: &Question| question.at_ms);
    waiting.sort_by_key(|card: &Card| card.found_ms);
    lately.sort_by_key(|card: &Card| std::cmp::Reverse(card.found_ms));
    // A sector arbiter's own come first.
    calls.sort_by_key(|call| !call.mine);
    questions.sort_by_key(|question| !question.mine);
    waiting.sort_by_key(|card| !card.mine);
    Ok(Calls { frame, calls, questions, waiting, lately })
}

/// The reader may rule on this board.
pub(super) fn is_mine(tile: &Tile, visitor: &Visitor) -> bool {
    let place = Place::of(&tile.game, &tile.device, Some(&tile.reads));
    visitor.caller.as_ref().is_some_and(|caller| caller.may(Deed::Rule, Some(&place)).is_ok())
}

/// Calls, claims and troubles of the clock that nobody has attended to.
fn attended(told: &Told, tile: &Tile, lang: Lang, visitor: &Visitor) -> Vec<Call> {
    let heeded = told.game.heeded as usize;
    let wants = |alarm: &Alarmed| attention(alarm) || stuck(&told.game, alarm);
    let unheeded = told.game.alarms.iter().enumerate().skip(heeded).filter(|(_, alarm)| wants(alarm));
    unheeded
        .map(|(index, alarmed)| {
            let (through, at_ms) = (index + 1, told.record.alarms_ms.get(index).copied().unwrap_or_default());
            let number = through.to_string();
            Call {
                id: format!("call-{}-a{through}", tile.game),
                game: tile.game.clone(),
                board: tile.board.clone(),
                white: tile.white.clone(),
                black: tile.black.clone(),
                what: words::alarm(lang, alarmed.alarm()),
                detail: alarm::detail(&told.record, (index + 1) as u32, lang).unwrap_or_else(|| alarmed.detail.clone()),
                at_ms,
                at: words::wall(at_ms),
                through,
                request: request(&["heed", &visitor.word, &tile.game, &number]),
                mine: is_mine(tile, visitor),
            }
        })
        .collect()
}

pub(super) fn card(
    told: &Told,
    tile: &Tile,
    case: &CaseSnapshot,
    incident: &Incident,
    lang: Lang,
    visitor: &Visitor,
) -> Card {
    let finding = &incident.finding;
    let evidence = finding.evidence.clone().unwrap_or_default();
    let setup = told.game.setup.clone().unwrap_or_default();
    let seen_board = evidence.settled.as_ref().or(evidence.at_press.as_ref());
    // Where no board was seen and the moves are not known, nobody knows the position.
    let known = seen_board.is_some() || !told.game.position.is_empty();
    let before = Diagram::fen(&evidence.before).filter(|_| known);
    let mut now = Diagram::board(seen_board);
    if let (Some(now), Some(before)) = (&mut now, &before) {
        now.mark(before);
    }
    let ruling = case.ruling.as_ref();
    let order = incident.rev.and_then(|rev| told.record.orders.get(&rev));
    let actor = ruling.map(|ruling| ruling.actor.clone()).unwrap_or_default();
    Card {
        id: format!("call-{}-c{}", tile.game, finding.case),
        game: tile.game.clone(),
        board: tile.board.clone(),
        white: tile.white.clone(),
        black: tile.black.clone(),
        case: finding.case,
        title: words::irregularity(lang, finding.kind()),
        by: words::colour(lang, finding.by()),
        article: finding.article.clone(),
        edition: words::edition(lang, &setup.edition),
        fixed: finding.fixed,
        found_ms: incident.found_ms,
        found: words::wall(incident.found_ms),
        seen: lang.of(evidence.seen.as_ref()).to_owned(),
        marked: now.as_ref().map(Diagram::marked).unwrap_or_default(),
        before,
        now,
        face: words::face(evidence.face.as_ref()),
        lines: lines(&told.record, incident, lang),
        ways: ways(case, lang),
        running: case.proposal.as_ref().is_some_and(|proposal| proposal.running),
        mine: is_mine(tile, visitor),
        ruled: ruling
            .and_then(|ruling| ruling.remedy.as_ref())
            .map_or_else(String::new, |remedy| lang.of(remedy.words.as_ref()).to_owned()),
        ruled_by: if actor == LAWS { lang.t("the Laws", "Правила").to_owned() } else { actor },
        note: ruling.map(|ruling| ruling.note.clone()).unwrap_or_default(),
        track: order.map(|order| Track::of(lang, order)),
    }
}

/// The last things the clock said up to the finding, with the times from it.
fn lines(record: &Record, incident: &Incident, lang: Lang) -> Vec<Line> {
    let until = record.moments.iter().rposition(|moment| moment.entry <= incident.entry).map_or(0, |last| last + 1);
    let found = record.moments[..until].iter().rev().find_map(|moment| moment.at_ms);
    let text = |moment: &Moment| match &moment.what {
        Happened::Clock(what, _) => words::said(lang, what),
        Happened::Board(board) => {
            let men = board.squares.iter().flat_map(|pair| [pair & 15, pair >> 4]).filter(|man| *man > 0).count();
            Some(format!("{} {men}", lang.t("the board is seen, pieces:", "доска считана, фигур:")))
        }
        Happened::Made(ply) => Some(format!("{} {}", lang.t("move", "ход"), ply.uci)),
        _ => None,
    };
    let mut lines: Vec<Line> = record.moments[..until]
        .iter()
        .rev()
        .filter_map(|moment| {
            let text = text(moment)?;
            let ago = found.zip(moment.at_ms).map(|(found, at)| found.saturating_sub(at));
            let at = ago
                .map_or_else(String::new, |ago| format!("−{}.{} {}", ago / 1_000, ago % 1_000 / 100, lang.t("s", "с")));
            Some(Line { at, text })
        })
        .take(LINES)
        .collect();
    lines.reverse();
    lines
}

fn ways(case: &CaseSnapshot, lang: Lang) -> Vec<Way> {
    let Some(proposal) = case.proposal.as_ref().filter(|_| case.ruling.is_none()) else { return Vec::new() };
    let refusal = |key: &str| words::PLAY_ON.contains(&key);
    let way = |(index, remedy): (usize, &Remedy)| Way {
        key: remedy.key.clone(),
        words: lang.of(remedy.words.as_ref()).to_owned(),
        article: remedy.article.clone(),
        hands: words::hands(remedy.white.as_ref(), remedy.black.as_ref()),
        more: more(remedy, lang),
        first: index == 0,
        refuses: refusal(&remedy.key),
    };
    let mut ways: Vec<Way> = proposal.remedies.iter().enumerate().map(way).collect();
    if !ways.iter().any(|way| way.refuses) {
        ways.push(Way {
            key: words::DISMISS.to_owned(),
            words: words::dismissed(lang).to_owned(),
            article: String::new(),
            hands: None,
            more: String::new(),
            first: false,
            refuses: true,
        });
    }
    ways
}

/// What a remedy changes besides the clocks.
fn more(remedy: &Remedy, lang: Lang) -> String {
    let mut parts = Vec::new();
    for (strikes, side) in [(remedy.white_strikes, "White"), (remedy.black_strikes, "Black")] {
        if strikes > 0 {
            let side = if side == "White" { lang.t("White", "белым") } else { lang.t("Black", "чёрным") };
            parts.push(format!("{} {strikes}: {side}", lang.t("strikes", "нарушений")));
        }
    }
    if !remedy.position.is_empty() {
        parts.push(lang.t("position restored", "позиция восстановлена").to_owned());
    }
    if let Some(end) = &remedy.end {
        parts.push(pgn(end.outcome()).to_owned());
    }
    if remedy.cancel {
        parts.push(lang.t("a new game", "новая партия").to_owned());
    }
    parts.join(" · ")
}

/// `POST /game/{game}/decide`.
pub(super) async fn decide(State(web): State<Web>, Address(game): Address<String>, lang: Lang, sent: Sent) -> Response {
    let back = "/calls";
    let frame = Frame::new("calls", lang, &sent.visitor);
    match decided(&web, &game, &sent).await {
        Ok(case) => Redirect::to(&format!("{back}#call-{game}-c{case}")).into_response(),
        Err(status) => refused(frame, &status, back),
    }
}

async fn decided(web: &Web, game: &str, sent: &Sent) -> Result<u32, Status> {
    let (choice, note) = (sent.get("choice").to_owned(), sent.get("note").to_owned());
    let case: u32 =
        sent.get("case").parse().map_err(|_| Status::invalid_argument("BAD_REQUEST: case: expected a number"))?;
    let asked = GetGameRequest { game: game.to_owned() };
    let snapshot = web.desk.get_game(ask(&sent.visitor, asked)).await?.into_inner().game.unwrap_or_default();
    let open = snapshot.cases.get((case as usize).wrapping_sub(1)).filter(|case| case.ruling.is_none());
    if let Some((finding, proposal)) = open.and_then(|open| open.finding.as_ref().zip(open.proposal.as_ref())) {
        let default = proposal.remedies.first().is_some_and(|remedy| remedy.key == choice);
        if note.is_empty() && !(finding.fixed && default) {
            let why = "REASON_NEEDED: say why: the Laws leave this to you, and an appeal will ask";
            return Err(Status::invalid_argument(why));
        }
    }
    // The same choice sent twice acts once; another choice is another request, and is told who was first.
    let id = request(&["decide", &sent.visitor.word, game, sent.get("case"), &choice]);
    let act = Some(Act { request: id, ..act(sent) });
    let decision = Some(Decision { case, choice, note });
    web.desk.decide(ask(&sent.visitor, DecideRequest { act, game: game.to_owned(), decision })).await?;
    web.wall.decided(game);
    Ok(case)
}

/// Who acts by a form. In the open desk everybody is the arbiter.
pub(super) fn act(sent: &Sent) -> Act {
    let (request, reason) = (sent.get("request").to_owned(), sent.get("reason").to_owned());
    Act { request, actor: "arbiter".to_owned(), reason }
}

/// `POST /game/{game}/heed`.
pub(super) async fn heed(State(web): State<Web>, Address(game): Address<String>, lang: Lang, sent: Sent) -> Response {
    let through = sent.get("through").parse().unwrap_or(0);
    let request = HeedRequest { act: Some(act(&sent)), game, heed: Some(Heed { through }) };
    match web.desk.heed(ask(&sent.visitor, request)).await {
        Ok(_) => Redirect::to("/calls").into_response(),
        Err(status) => refused(Frame::new("calls", lang, &sent.visitor), &status, "/calls"),
    }
}
