//! Rounds as people and machines read them.

use std::{collections::BTreeMap, fmt::Write as _};

use flagfall_pairings::Outcome;
use flagfall_proto::{
    clock::v1::Hand,
    desk::v1::{Board, BoardTrouble, CloseRoundResponse, PrepareRoundResponse, Round, StartRoundResponse},
    journal::v1::{Bye, Player},
};
use serde_json::{Value, json};

use super::{export::Exported, pair::Paired};
use crate::{broadcast::pgn::time, journal::codec::Numbered};

pub(super) fn paired(paired: &Paired, json: bool) -> String {
    let Paired { round, players, decided } = paired;
    let without = round.boards.iter().filter(|board| board.device.is_empty()).count();
    if json {
        return json!({
            "event": round.event, "round": round.round, "boards": round.boards.len(), "byes": round.byes.len(),
            "players_entered": players, "without_clock": without, "decided_in_file": decided,
        })
        .to_string();
    }
    let mut out = format!(
        "{} round {}: {} boards paired, {} byes, {without} boards without a clock; {players} players entered",
        round.event,
        round.round,
        round.boards.len(),
        round.byes.len()
    );
    if !decided.is_empty() {
        let _ = write!(out, "\nthe file has results of boards {}; they are not taken over", numbers(decided));
    }
    out
}

pub(super) fn prepared(prepared: &PrepareRoundResponse, json: bool) -> String {
    if json {
        return json!({ "opened": prepared.opened, "troubles": troubles_json(&prepared.troubles) }).to_string();
    }
    format!("{} games opened{}", prepared.opened, troubles(&prepared.troubles))
}

pub(super) fn started(started: &StartRoundResponse, dry_run: bool, json: bool) -> String {
    let StartRoundResponse { clocks, to_open, under_way, over, without_clock, troubles: hindered, away } = started;
    if json {
        return json!({
            "dry_run": dry_run, "clocks": clocks, "to_open": to_open, "under_way": under_way, "over": over,
            "without_clock": without_clock, "troubles": troubles_json(hindered), "away": troubles_json(away),
        })
        .to_string();
    }
    let rest = format!("{under_way} under way, {over} over, {without_clock} without a clock");
    match dry_run {
        true => format!(
            "{clocks} clocks would be started, {to_open} games opened first ({rest}); start them with --confirm {clocks}{}",
            troubles(away)
        ),
        false => {
            let troubles = [troubles(hindered), troubles(away)].concat();
            format!("{clocks} clocks started, {to_open} games opened first ({rest}){troubles}")
        }
    }
}

pub(super) fn closed(closed: &CloseRoundResponse, json: bool) -> String {
    let CloseRoundResponse { open, released } = closed;
    match (json, open.is_empty()) {
        (true, _) => json!({ "open": open, "released": released }).to_string(),
        (false, true) => "closed".to_owned(),
        (false, false) => format!("closed over boards {}", numbers(open)),
    }
}

pub(super) fn exported(exported: &Exported, json: bool) -> String {
    let Exported { results, open, files } = exported;
    if json {
        return json!({ "results": results, "open": open, "files": files }).to_string();
    }
    let still = if open.is_empty() { String::new() } else { format!("; boards {} have none yet", numbers(open)) };
    let into = if files.is_empty() { String::new() } else { format!(" into {}", files.join(", ")) };
    format!("{results} results written{into}{still}")
}

/// A round: a line that counts, and one a board. For machines one object a board, and one a player who does not play.
pub(super) fn round(round: &Round, open_only: bool, json: bool) -> String {
    let shown: Vec<&Board> = round.boards.iter().filter(|board| !open_only || board.result == 0).collect();
    if json {
        let byes = round.byes.iter().map(|bye| json!({ "board": null, "player": bye.player, "bye": kind(bye) }));
        let lines = shown.iter().map(|board| board_json(board)).chain(byes);
        return lines.map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    }
    let mut counts = BTreeMap::new();
    for board in &round.boards {
        *counts.entry(state(board)).or_insert(0u32) += 1;
    }
    let counts = counts.into_iter().map(|(state, count)| format!("{count} {state}")).collect::<Vec<_>>().join(", ");
    let stands = round.state().as_str_name().trim_start_matches("ROUND_STATE_").to_ascii_lowercase();
    let mut out = format!("{} round {}: {stands}; boards: {counts}", round.event, round.round);
    for line in shown.iter().map(|board| self::board(board, false)) {
        let _ = write!(out, "\n{line}");
    }
    for bye in &round.byes {
        let _ = write!(out, "\n     player {} does not play ({})", bye.player, kind(bye));
    }
    out
}

fn kind(bye: &Bye) -> String {
    bye.kind().as_str_name().trim_start_matches("BYE_KIND_").to_ascii_lowercase()
}

/// A board in a line.
pub(super) fn board(board: &Board, json: bool) -> String {
    if json {
        return board_json(board).to_string();
    }
    let device = if board.device.is_empty() { "-" } else { board.device.as_str() };
    let mut out = format!(
        "{:>4} {device:<10} {:<9} {} – {}  {}",
        board.board,
        state(board),
        name(board.white.as_ref()),
        name(board.black.as_ref()),
        text(board.result)
    );
    match (text(board.game_result), text(board.overtaken)) {
        ("*", "*") => {}
        ("*", overtaken) => drop(write!(out, "  ({overtaken} was entered before)")),
        (own, _) => drop(write!(out, "  (the game itself: {own})")),
    }
    if let (Some(face), true) = (&board.face, board.result == 0) {
        let left = |hand: &Option<Hand>| {
            hand.as_ref()
                .and_then(|hand| hand.left_ms)
                .map_or_else(|| "?".to_owned(), |left| time(left / 1_000 * 1_000))
        };
        let _ = write!(out, "  {} – {}, {} plies", left(&face.white), left(&face.black), board.plies);
    }
    if board.open_cases > 0 {
        let _ = write!(out, "  {} cases wait", board.open_cases);
    }
    match (board.white_unseen, board.black_unseen) {
        (true, true) => out.push_str("  nobody has moved, and the default time is over"),
        (true, false) => out.push_str("  White has not moved, and the default time is over"),
        (false, true) => out.push_str("  Black has not moved, and the default time is over"),
        (false, false) => {}
    }
    if !board.note.is_empty() {
        let _ = write!(out, "  ({})", board.note.escape_debug());
    }
    out
}

fn board_json(board: &Board) -> Value {
    let face = board.face.as_ref();
    let left = |hand: Option<&Hand>| hand.and_then(|hand| hand.left_ms);
    json!({
        "board": board.board,
        "sector": board.sector,
        "white": player(board.white.as_ref()),
        "black": player(board.black.as_ref()),
        "device": board.device,
        "game": board.game,
        "state": state(board),
        "result": text(board.result),
        "game_result": Some(text(board.game_result)).filter(|text| *text != "*"),
        "overtaken": Some(text(board.overtaken)).filter(|text| *text != "*"),
        "entered": board.entered,
        "note": board.note,
        "plies": board.plies,
        "white_left_ms": left(face.and_then(|face| face.white.as_ref())),
        "black_left_ms": left(face.and_then(|face| face.black.as_ref())),
        "open_cases": board.open_cases,
        "white_unseen": board.white_unseen,
        "black_unseen": board.black_unseen,
    })
}

fn player(player: Option<&Player>) -> Value {
    player
        .map_or(Value::Null, |player| json!({ "number": player.number, "name": player.name, "rating": player.rating }))
}

fn name(player: Option<&Player>) -> String {
    player.map_or_else(String::new, |player| format!("{} {}", player.number, player.name))
}

fn state(board: &Board) -> String {
    let name = board.state().as_str_name().trim_start_matches("BOARD_STATE_").to_ascii_lowercase();
    name.replace('_', " ")
}

/// As tables write it; `*`: there is none.
fn text(result: i32) -> &'static str {
    Outcome::maybe("board.result", result).ok().flatten().map_or("*", Outcome::text)
}

fn troubles(troubles: &[BoardTrouble]) -> String {
    troubles.iter().map(|trouble| format!("\n  board {}: {}", trouble.board, trouble.reason)).collect()
}

fn troubles_json(troubles: &[BoardTrouble]) -> Vec<Value> {
    let trouble =
        |trouble: &BoardTrouble| json!({ "board": trouble.board, "device": trouble.device, "reason": trouble.reason });
    troubles.iter().map(trouble).collect()
}

fn numbers(boards: &[u32]) -> String {
    boards.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
