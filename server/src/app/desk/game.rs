//! `flagfall game`: one game whole: players, clocks, score, cases, directives, alarms.

use std::fmt::Write as _;

use clap::Args as ClapArgs;
use flagfall_proto::{
    clock::v1::{Colour, Face, Hand, RejectReason},
    desk::v1::{CaseSnapshot, GameSnapshot, GetGameRequest, ListClocksRequest},
};
use flagfall_rules::clock::Control;
use serde_json::{Value, json};

use super::{
    At, DeskError, Seats, Service,
    boards::{board_json, clock, players, state, tile},
    call::{Call, waiting},
    calls, instant, lang,
    print::{self, standing},
    record,
    table::{clean, table},
};
use crate::{
    app::replay::report::{Irregular, Report, Told, result, word},
    desk::{
        record::{LAWS, Record},
        web::{
            Lang, Tile,
            game::{Ply, Row, rows},
            words,
        },
    },
};

/// Arguments of `flagfall game`.
#[derive(Clone, Debug, ClapArgs)]
pub struct GameArgs {
    /// The game; `flagfall boards` names them.
    pub game: String,
    /// The language of findings and ways: en or ru.
    #[arg(long, default_value = "en", value_parser = lang)]
    pub lang: Lang,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
}

/// A game with everything that is said of it.
pub(super) struct Whole {
    game: GameSnapshot,
    tile: Tile,
    record: Record,
}

impl Whole {
    /// Reads a game, a finished one on the shelf too.
    ///
    /// # Errors
    /// There is no such game, or the service refuses.
    pub(super) async fn read(service: &mut Service, game: &str) -> Result<Whole, DeskError> {
        let asked = GetGameRequest { game: game.to_owned() };
        let snapshot = service.desk.get_game(asked).await?.into_inner().game.unwrap_or_default();
        let clocks = service.desk.list_clocks(ListClocksRequest {}).await?.into_inner().clocks;
        let mut seats = Seats::default();
        seats.learn(service, [game]).await?;
        let tile = tile(&snapshot, &clocks, &seats);
        Ok(Whole { record: record(&mut service.desk, game).await?, game: snapshot, tile })
    }

    fn waiting(&self, lang: Lang) -> Vec<Call> {
        let mut calls = waiting(&self.game, &self.tile, lang);
        calls.iter_mut().for_each(|call| call.since = call.what.since(&self.record));
        calls
    }
}

/// The whole game in paragraphs; for machines one object.
pub(super) fn print(whole: &Whole, lang: Lang, machine: bool) -> String {
    if machine {
        return json(whole, lang).to_string();
    }
    let waiting = whole.waiting(lang);
    let parts =
        [head(whole, lang), score(&whole.game), cases(whole, lang), directives(whole, lang), alarms(whole, lang)];
    let calls = waiting.iter().map(|call| format!("{}\n", calls::print(call, false)));
    parts.into_iter().chain(calls).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Who, where, by which Laws, and how it stands.
fn head(whole: &Whole, lang: Lang) -> String {
    let Whole { game, tile, .. } = whole;
    let setup = game.setup.clone().unwrap_or_default();
    let control = setup.control.clone().and_then(|control| Control::try_from(control).ok());
    let control = control.map_or_else(|| "external clock".to_owned(), |control| control.to_string());
    let mut out = clean(&format!("{}  board {}, {}", tile.game, tile.board, tile.device));
    let _ = writeln!(out, "  {}  {}, {control}", setup.edition, words::play(Lang::En, setup.play()));
    let names = players(tile);
    if !names.is_empty() {
        let _ = writeln!(out, "{}", clean(&names));
    }
    let hand = |side: u8, hand: Option<Hand>, strikes: u32| {
        let (moves, period) = (tile.hands[usize::from(side)].moves, hand.unwrap_or_default().period + 1);
        let strikes = if strikes > 0 { format!(", {strikes} strikes") } else { String::new() };
        format!("{} ({moves} moves, period {period}{strikes})", clock(tile, side, 0).trim_start())
    };
    let face: Face = game.face.unwrap_or_default();
    let (white, black) = (hand(0, face.white, game.white_strikes), hand(1, face.black, game.black_strikes));
    let turn = words::colour(Lang::En, if tile.turn == 0 { Colour::White } else { Colour::Black });
    let _ = writeln!(out, "{}, {turn} to move: {white} – {black}", state(tile.state));
    if let Some(ended) = &game.ended {
        let (result, why) = (result(ended.outcome()), words::ending(lang, ended.ending()));
        let _ = writeln!(out, "{result}, {why} ({})", ended.article);
        if !tile.counts.is_empty() {
            let _ = writeln!(out, "the round counts {}, as it was entered there", tile.counts);
        }
    }
    if !game.quarantine.is_empty() {
        let _ = writeln!(out, "QUARANTINED: {}", clean(&game.quarantine));
    }
    if let Some(adjournment) = &game.adjournment {
        let _ = writeln!(out, "{}", standing(adjournment));
    }
    out
}

fn score(game: &GameSnapshot) -> String {
    let rows = rows(game);
    let cells = |ply: Option<Ply>| ply.map_or_else(Default::default, |ply| [ply.san, ply.left]);
    let lines = rows.into_iter().map(|Row { number, white, black }| {
        let ([white, white_left], [black, black_left]) = (cells(white), cells(black));
        [number.to_string(), white, white_left, black, black_left]
    });
    optional(["move", "White", "left", "Black", "left"], &lines.collect::<Vec<_>>())
}

fn cases(whole: &Whole, lang: Lang) -> String {
    let lines = whole.game.cases.iter().map(|case| {
        let finding = case.finding.clone().unwrap_or_default();
        let seen = finding.evidence.as_ref().and_then(|evidence| evidence.seen.as_ref());
        let found = whole.record.incidents.get(&finding.case).map_or(0, |incident| incident.found_ms);
        let ruled = match &case.ruling {
            None => "waits".to_owned(),
            Some(ruling) => {
                let remedy = ruling.remedy.clone().unwrap_or_default();
                format!("{} ({}), by {}", lang.of(remedy.words.as_ref()), remedy.article, actor(&ruling.actor))
            }
        };
        [
            finding.case.to_string(),
            words::wall(found),
            finding.ply.to_string(),
            words::colour(lang, finding.by()).to_owned(),
            words::irregularity(lang, finding.kind()).to_owned(),
            finding.article.clone(),
            lang.of(seen).to_owned(),
            ruled,
        ]
    });
    optional(["case", "at", "ply", "by", "what", "article", "seen", "ruling"], &lines.collect::<Vec<_>>())
}

fn directives(whole: &Whole, lang: Lang) -> String {
    let lines = whole.record.orders.iter().map(|(rev, order)| {
        let why = match order.rejected {
            RejectReason::Unspecified => order.reason.clone(),
            reason => words::rejected(lang, order.stage, reason).to_owned(),
        };
        let what = words::act(lang, order.directive.act.as_ref());
        let (at, by) = (words::wall(order.wall_ms), actor(&order.actor).to_owned());
        [rev.to_string(), at, by, what, print::stage(order.stage).to_owned(), why]
    });
    optional(["directive", "at", "by", "what", "how far", "why"], &lines.collect::<Vec<_>>())
}

fn alarms(whole: &Whole, lang: Lang) -> String {
    let lines = whole.game.alarms.iter().enumerate().map(|(n, alarm)| {
        let at = whole.record.alarms_ms.get(n).map_or_else(String::new, |&ms| words::wall(ms));
        let attended = if n < whole.game.heeded as usize { "attended to" } else { "" };
        let what = words::alarm(lang, alarm.alarm()).to_owned();
        [(n + 1).to_string(), at, what, alarm.detail.clone(), attended.to_owned()]
    });
    optional(["alarm", "at", "what", "detail", ""], &lines.collect::<Vec<_>>())
}

/// A table, where there is something in it.
fn optional<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() { String::new() } else { table(head, rows) }
}

/// Who decided, for people.
fn actor(name: &str) -> &str {
    if name == LAWS { "the Laws" } else { name }
}

fn json(whole: &Whole, lang: Lang) -> Value {
    let Whole { game, tile, record } = whole;
    let setup = game.setup.clone().unwrap_or_default();
    let control =
        setup.control.clone().and_then(|control| Control::try_from(control).ok()).map(|control| control.to_string());
    let report = Report::new(Told { game: setup.game.clone(), ..Told::default() }, Some(game));
    let mut told = board_json(game, tile);
    let mut put = |key: &str, value: Value| told[key] = value;
    put("play", word(setup.play().as_str_name(), "PLAY_").replace('_', "-").into());
    put("edition", setup.edition.into());
    put("control", control.into());
    put("start", setup.position.into());
    put("position", game.position.clone().into());
    put("white_strikes", game.white_strikes.into());
    put("black_strikes", game.black_strikes.into());
    put("moves", report.moves.into());
    put("clocks", json!(report.clocks));
    put("pgn", report.pgn.into());
    put("ending", report.ending.into());
    put("entry", game.entry.into());
    put("adjournment", json!(report.adjournment));
    put("waiting", whole.waiting(lang).iter().map(calls::json).collect());
    put("cases", game.cases.iter().zip(&report.irregularities).map(|(case, told)| case_json(case, told)).collect());
    let directives = game.directives.iter().zip(&report.directives).map(|(_, told)| {
        let order = record.orders.get(&told.rev);
        let mut said = json!(told);
        said["at"] = order.map_or(Value::Null, |order| instant(order.wall_ms).into());
        said["actor"] = order.map_or(Value::Null, |order| order.actor.clone().into());
        said["note"] = order.map_or(Value::Null, |order| order.reason.clone().into());
        said
    });
    put("directives", directives.collect());
    let alarms = report.alarms.iter().enumerate().map(|(n, alarm)| {
        let mut said = json!(alarm);
        said["at"] = record.alarms_ms.get(n).map_or(Value::Null, |&ms| instant(ms).into());
        said["attended"] = (n < game.heeded as usize).into();
        said
    });
    put("alarms", alarms.collect());
    told
}

fn case_json(case: &CaseSnapshot, told: &Irregular) -> Value {
    let mut said = json!(told);
    said["case"] = case.finding.as_ref().map_or(0, |finding| finding.case).into();
    said["open"] = case.ruling.is_none().into();
    said
}
