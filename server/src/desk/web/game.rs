//! `/game/{game}`: the board, the moves with their clocks, and everything that was done, by whom and why.

use askama::Template;
use axum::{extract::State, response::Response};
use flagfall_proto::{
    clock::v1::{Colour, Hand},
    desk::v1::{GameSnapshot, GetRecipientRequest, ListClocksRequest, desk_service_server::DeskService},
    journal::v1::Ending,
};
use flagfall_rules::game;
use shakmaty::{CastlingMode, Chess, fen::Fen, san::SanPlus, uci::UciMove};
use tonic::Status;

use super::{
    Lang, Tile, Visitor, Web, adjourned, alarm, ask,
    board::Diagram,
    calls::{Card, Told, Track, card, is_mine, told},
    frame::{Address, Frame, refused, show},
    words,
};
use crate::desk::{
    auth::Deed,
    record::{Happened, LAWS, Moment},
};

/// A move of both.
#[derive(Default)]
pub(crate) struct Row {
    pub(crate) number: u32,
    pub(crate) white: Option<Ply>,
    pub(crate) black: Option<Ply>,
}

/// A move with what its player's clock showed after it.
pub(crate) struct Ply {
    pub(crate) san: String,
    pub(crate) left: String,
}

/// Something that happened, for the list.
struct Item {
    at: String,
    /// Who; empty: the clock or the board.
    who: String,
    what: String,
    why: String,
    /// A case or a directive: worth more than a press.
    loud: bool,
    track: Option<Track>,
    /// The trace behind a ruling, and where it is shown; `None`: there is none.
    trace: Option<Trace>,
}

/// A trace of the service.
struct Trace {
    id: String,
    /// Where it is shown; empty: nowhere that a reader is known to reach.
    address: String,
}

#[derive(Template)]
#[template(path = "game.html")]
struct Page {
    frame: Frame,
    tile: Tile,
    mine: bool,
    edition: String,
    play: &'static str,
    board: Option<Diagram>,
    hands: [Half; 2],
    /// Milliseconds since the clock showed this; empty: not known.
    ago: String,
    running: bool,
    kinds: Vec<(String, String)>,
    /// Its clock goes no more, and nobody claims anything.
    over: bool,
    /// A result can be given by hand: there is none, or one that a person entered.
    concludes: bool,
    state: &'static str,
    result: String,
    adjourned: &'static str,
    rows: Vec<Row>,
    items: Vec<Item>,
    open: Vec<Card>,
    adjourning: Option<adjourned::Shown>,
    /// Clocks that it can go on on, and the boards they read; none where the reader may move no game.
    clocks: Vec<(String, String)>,
}

/// Half a clock, for the dial and for the forms.
struct Half {
    /// As forms name it.
    side: &'static str,
    name: &'static str,
    /// Milliseconds for the page to count on from; empty: not known.
    ms: String,
    delay: i64,
    left: String,
    moves: u32,
    /// From 1.
    period: u32,
    strikes: u32,
}

impl Half {
    fn of(colour: Colour, hand: Option<&Hand>, shown: &super::tile::Half, strikes: u32, lang: Lang) -> Half {
        let period = hand.map_or(0, |hand| hand.period).saturating_add(1);
        let side = if colour == Colour::White { "white" } else { "black" };
        let ms = shown.left.map_or_else(String::new, |left| left.to_string());
        let (name, left) = (words::colour(lang, colour), words::time(shown.left));
        Half { side, name, ms, delay: shown.delay, left, moves: shown.moves, period, strikes }
    }
}

/// `GET /game/{game}`.
pub(super) async fn page(
    State(web): State<Web>,
    Address(game): Address<String>,
    lang: Lang,
    visitor: Visitor,
) -> Response {
    let frame = Frame::new("game", lang, &visitor);
    match gather(&web, &game, &visitor).await {
        Ok(gathered) => show(&fill(&web, frame, gathered, lang, &visitor)),
        Err(status) => refused(frame, &status, "/"),
    }
}

/// Everything that a page is made from.
struct Gathered {
    told: Told,
    tile: Tile,
    recipient: Option<String>,
    clocks: Vec<(String, String)>,
}

async fn gather(web: &Web, game: &str, visitor: &Visitor) -> Result<Gathered, Status> {
    let (told, tile) = found(web, game, visitor).await?;
    // Without one no move can be sealed; the page says so where it matters.
    let recipient = web.desk.get_recipient(ask(visitor, GetRecipientRequest {})).await.ok();
    let recipient = recipient.map(|answer| answer.into_inner().recipient);
    let may_move = visitor.caller.as_ref().is_some_and(|caller| caller.may(Deed::Organise, None).is_ok());
    let clocks = match may_move && told.game.ended.is_none() {
        true => web.desk.list_clocks(ask(visitor, ListClocksRequest {})).await?.into_inner().clocks,
        false => Vec::new(),
    };
    let others = clocks.into_iter().filter(|clock| clock.device != tile.device);
    let clocks = others.map(|clock| (clock.device, clock.board)).collect();
    Ok(Gathered { told, tile, recipient, clocks })
}

/// A game with its record and its tile.
pub(super) async fn found(web: &Web, game: &str, visitor: &Visitor) -> Result<(Told, Tile), Status> {
    let told = told(web, visitor, game).await?;
    let tile = web.wall.tile(&told.game).await?;
    Ok((told, tile))
}

fn fill(web: &Web, frame: Frame, gathered: Gathered, lang: Lang, visitor: &Visitor) -> Page {
    let Gathered { told, tile, recipient, clocks } = gathered;
    let Told { game, record } = &told;
    let setup = game.setup.clone().unwrap_or_default();
    let face = game.face.unwrap_or_default();
    let state = match tile.state {
        super::tile::State::Idle => lang.t("not started", "не начата"),
        super::tile::State::Running => lang.t("running", "идёт"),
        super::tile::State::Paused => lang.t("stopped", "остановлена"),
        super::tile::State::Adjourned => lang.t("adjourned", "отложена"),
        super::tile::State::Over => lang.t("over", "окончена"),
    };
    let result = game.ended.as_ref().map_or_else(String::new, |ended| {
        let own = format!("{} · {} ({})", tile.result, words::ending(lang, ended.ending()), ended.article);
        match tile.counts {
            "" => own,
            counts => format!("{own} · {} {counts}", lang.t("the round counts", "в туре засчитано")),
        }
    });
    let open = game.cases.iter().filter(|case| case.ruling.is_none() && game.ended.is_none()).filter_map(|case| {
        let incident = record.incidents.get(&case.finding.as_ref()?.case)?;
        Some(card(&told, &tile, case, incident, lang, visitor))
    });
    Page {
        mine: is_mine(&tile, visitor),
        edition: words::edition(lang, &setup.edition),
        play: words::play(lang, setup.play()),
        board: Diagram::fen(&game.position),
        hands: [
            Half::of(Colour::White, face.white.as_ref(), &tile.hands[0], game.white_strikes, lang),
            Half::of(Colour::Black, face.black.as_ref(), &tile.hands[1], game.black_strikes, lang),
        ],
        ago: tile.ago.map_or_else(String::new, |ago| ago.to_string()),
        running: tile.state == super::tile::State::Running,
        kinds: reportable(game.ended.is_some(), lang),
        over: game.ended.is_some(),
        concludes: game
            .ended
            .as_ref()
            .is_none_or(|ended| matches!(ended.ending(), Ending::Desk | Ending::Resignation | Ending::Agreement)),
        state,
        result,
        adjourned: game.adjournment.as_ref().map_or("", |adjournment| words::phase(lang, adjournment.phase())),
        rows: rows(game),
        items: record
            .moments
            .iter()
            .rev()
            .filter_map(|moment| item(&told, moment, lang, web.traces.as_deref()))
            .collect(),
        open: open.collect(),
        adjourning: adjourned::shown(game, &tile, recipient.as_deref(), lang),
        clocks,
        tile,
        frame,
    }
}

/// What a person may see or a player may say, for the form; in a game that is over nobody claims anything any more.
fn reportable(over: bool, lang: Lang) -> Vec<(String, String)> {
    let seen = game::Irregularity::ALL
        .into_iter()
        // These the service finds by itself or not at all.
        .filter(|kind| !matches!(kind.name(), "flag_in_doubt" | "resignation_in_doubt" | "flag_seen" | "draw_claim"))
        .map(|kind| (kind.name().to_owned(), lang.t(kind.words().en, kind.words().ru).to_owned()));
    let said = [
        ("claim_draw", lang.t("claims a draw", "требует ничьей")),
        ("claim_flag", lang.t("claims a flag", "указывает на флаг")),
        ("resignation", lang.t("resigns", "сдаётся")),
    ];
    let said = said.into_iter().filter(|_| !over);
    seen.chain(said.map(|(name, text)| (name.to_owned(), text.to_owned()))).collect()
}

/// The surviving score in the notation of score sheets, as far as the moves can be followed.
pub(crate) fn rows(game: &GameSnapshot) -> Vec<Row> {
    let start = game.setup.as_ref().map(|setup| setup.position.as_str()).filter(|fen| !fen.is_empty());
    let begun: Option<Fen> = start.and_then(|fen| fen.parse().ok());
    let mut number = begun.as_ref().map_or(1, |fen| fen.as_setup().fullmoves.get());
    let mut position: Option<Chess> = match begun {
        Some(fen) => fen.into_position(CastlingMode::Standard).ok(),
        None => Some(Chess::default()),
    };
    let mut rows: Vec<Row> = Vec::new();
    for made in &game.plies {
        let played: Option<(SanPlus, Chess)> = position.take().and_then(|mut position| {
            let uci: UciMove = made.uci.parse().ok()?;
            let chosen = uci.to_move(&position).ok()?;
            Some((SanPlus::from_move_and_play_unchecked(&mut position, chosen), position))
        });
        let san = played.as_ref().map_or_else(|| made.uci.clone(), |(san, _)| san.to_string());
        position = played.map(|(_, next)| next);
        let white = made.by() == Colour::White;
        let left = words::time(if white { made.white_left_ms } else { made.black_left_ms });
        let ply = Ply { san, left };
        if white {
            rows.push(Row { number, white: Some(ply), black: None });
        } else {
            match rows.last_mut().filter(|row| row.black.is_none()) {
                Some(row) => row.black = Some(ply),
                None => rows.push(Row { number, white: None, black: Some(ply) }),
            }
            number += 1;
        }
    }
    rows
}

fn item(told: &Told, moment: &Moment, lang: Lang, traces: Option<&str>) -> Option<Item> {
    let (at, record) = (words::wall(moment.wall_ms), &told.record);
    let who_is =
        |actor: &str| if actor == LAWS { lang.t("the Laws", "Правила").to_owned() } else { actor.to_owned() };
    let loud = |who: String, what: String, why: String| Item {
        at: at.clone(),
        who,
        what,
        why,
        loud: true,
        track: None,
        trace: None,
    };
    let quiet = |what: String| Item { loud: false, ..loud(String::new(), what, String::new()) };
    Some(match &moment.what {
        Happened::Clock(what, face) => {
            let what = words::said(lang, what)?;
            quiet(format!("{what} · {}", words::face(face.as_ref())))
        }
        Happened::Board(_) | Happened::Made(_) => return None,
        Happened::Found(case) => {
            let finding = &record.incidents.get(case)?.finding;
            let seen = finding.evidence.as_ref().map_or("", |evidence| lang.of(evidence.seen.as_ref()));
            let (kind, by) = (words::irregularity(lang, finding.kind()), words::colour(lang, finding.by()));
            loud(String::new(), format!("{kind} ({by}), {}", finding.article), seen.to_owned())
        }
        Happened::Ruled(ruling) => {
            let remedy = ruling.remedy.as_ref()?;
            let what = format!("{} ({})", lang.of(remedy.words.as_ref()), remedy.article);
            let trace = record.traces.get(&moment.entry).map(|id| Trace {
                id: id.clone(),
                address: traces
                    .map_or_else(String::new, |pages| format!("{}/traces/{id}", pages.trim_end_matches('/'))),
            });
            Item { trace, ..loud(who_is(&ruling.actor), what, ruling.note.clone()) }
        }
        Happened::Sent(rev) => {
            let order = record.orders.get(rev)?;
            let what = format!("№{rev} {}", words::act(lang, order.directive.act.as_ref()));
            Item { track: Some(Track::of(lang, order)), ..loud(who_is(&order.actor), what, order.reason.clone()) }
        }
        Happened::Acted(index) => {
            let done = record.acts.get(*index)?;
            loud(done.actor.clone(), words::deed(lang, done.act.as_ref()), done.reason.clone())
        }
        Happened::Alarmed(number, alarmed, _) => {
            let detail = alarm::detail(record, *number, lang).unwrap_or_else(|| alarmed.detail.clone());
            loud(String::new(), words::alarm(lang, alarmed.alarm()).to_owned(), detail)
        }
        Happened::Ended(ended) => {
            let what = format!("{} {}", super::tile::pgn(ended.outcome()), words::ending(lang, ended.ending()));
            loud(String::new(), what, ended.article.clone())
        }
        Happened::Moved(device) => loud(
            String::new(),
            format!("{} {device}", lang.t("the game goes on on", "партия продолжается на")),
            String::new(),
        ),
        Happened::Adjourned(event) => loud(String::new(), adjourned::fact(lang, event)?, String::new()),
        Happened::Annulled => {
            loud(String::new(), lang.t("the game is annulled", "партия аннулирована").to_owned(), String::new())
        }
    })
}

#[cfg(test)]
mod tests {
    use flagfall_proto::journal::v1;

    use super::*;

    #[test]
    fn a_score_is_written_as_players_write_it() {
        let ply = |uci: &str, by: Colour, left: i64| v1::Ply {
            uci: uci.into(),
            by: by.into(),
            white_left_ms: Some(left),
            black_left_ms: Some(left + 1_000),
            ..v1::Ply::default()
        };
        let plies = vec![
            ply("e2e4", Colour::White, 299_000),
            ply("e7e5", Colour::Black, 297_000),
            ply("g1f3", Colour::White, 290_000),
        ];
        let rows = rows(&GameSnapshot { plies, ..GameSnapshot::default() });
        let said = |ply: &Option<Ply>| ply.as_ref().map(|ply| format!("{} {}", ply.san, ply.left));
        assert_eq!(rows.len(), 2);
        assert_eq!((said(&rows[0].white), said(&rows[0].black)), (Some("e4 4:59".into()), Some("e5 4:58".into())));
        assert_eq!((rows[1].number, said(&rows[1].white), said(&rows[1].black)), (2, Some("Nf3 4:50".into()), None));
    }

    #[test]
    fn what_cannot_be_followed_stays_as_it_was_read() {
        let ply = |uci: &str, by: Colour| v1::Ply { uci: uci.into(), by: by.into(), ..v1::Ply::default() };
        let plies = vec![ply("e2e5", Colour::White), ply("e7e5", Colour::Black)];
        let rows = rows(&GameSnapshot { plies, ..GameSnapshot::default() });
        assert_eq!(rows[0].white.as_ref().map(|ply| ply.san.as_str()), Some("e2e5"));
        assert_eq!(rows[0].black.as_ref().map(|ply| ply.san.as_str()), Some("e7e5"));
    }
}
