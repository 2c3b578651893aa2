//! `flagfall boards`: every board with its clock, what it is doing, and whether it is well.

use std::collections::HashSet;

use clap::Args as ClapArgs;
use flagfall_proto::{
    clock::v1::FaultKind,
    desk::v1::{ClockSnapshot, GameSnapshot, ListClocksRequest, ListGamesRequest},
};
use serde_json::json;

use super::{At, DeskError, Seats, Service, table::table};
use crate::{
    app::replay::report::{result, word},
    desk::web::{
        Tile,
        tile::{Half, Need, State},
    },
};

/// Arguments of `flagfall boards`.
#[derive(Clone, Debug, ClapArgs)]
pub struct BoardsArgs {
    /// The finished games on the shelf too.
    #[arg(long)]
    pub finished: bool,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
}

/// Every game at hand with its tile, and the clocks that have none of them.
pub(in crate::app) struct Hall {
    /// Games in the order of boards, on each in the order in which they were opened.
    pub(in crate::app) boards: Vec<(GameSnapshot, Tile)>,
    /// Clocks without a game.
    pub(in crate::app) spare: Vec<ClockSnapshot>,
}

impl Hall {
    /// Looks at everything.
    ///
    /// # Errors
    /// The service refuses.
    pub(in crate::app) async fn look(service: &mut Service, finished: bool) -> Result<Hall, DeskError> {
        let games = games(service, finished).await?;
        let clocks = service.desk.list_clocks(ListClocksRequest {}).await?.into_inner().clocks;
        let mut seats = Seats::default();
        let names = games.iter().filter_map(|game| game.setup.as_ref()).map(|setup| setup.game.as_str());
        seats.learn(service, names).await?;
        let tile = |game: GameSnapshot| {
            let tile = tile(&game, &clocks, &seats);
            (game, tile)
        };
        let mut boards: Vec<_> = games.into_iter().map(tile).filter(|(_, tile)| finished || !tile.past).collect();
        boards.sort_by(|(_, one), (_, two)| natural(&one.board).cmp(&natural(&two.board)));
        let used: HashSet<&str> = boards.iter().map(|(_, tile)| tile.device.as_str()).collect();
        let spare = clocks.iter().filter(|clock| !used.contains(clock.device.as_str())).cloned().collect();
        Ok(Hall { boards, spare })
    }
}

/// Every game at hand, and those on the shelf where they are asked for too.
///
/// # Errors
/// The service refuses.
pub(in crate::app) async fn games(service: &mut Service, finished: bool) -> Result<Vec<GameSnapshot>, DeskError> {
    let mut games = Vec::new();
    let mut asked = ListGamesRequest { finished, ..ListGamesRequest::default() };
    loop {
        let page = service.desk.list_games(asked.clone()).await?.into_inner();
        games.extend(page.games);
        asked.after = page.next;
        if asked.after.is_empty() {
            return Ok(games);
        }
    }
}

/// A game with its clock and who sits there.
pub(in crate::app) fn tile(game: &GameSnapshot, clocks: &[ClockSnapshot], seats: &Seats) -> Tile {
    let mut tile = Tile::of(game);
    tile.clock(clocks.iter().find(|clock| clock.device == tile.device));
    seats.name(&mut tile);
    tile
}

/// The order in which people number boards: 9 before 10.
fn natural(board: &str) -> (&str, u64) {
    let name = board.trim_end_matches(|c: char| c.is_ascii_digit());
    (name, board.get(name.len()..).and_then(|number| number.parse().ok()).unwrap_or(0))
}

/// The table, or one object a line.
pub(super) fn print(hall: &Hall, machine: bool) -> String {
    if machine {
        let boards = hall.boards.iter().map(|(game, tile)| board_json(game, tile));
        let spare = hall.spare.iter().map(spare_json);
        return boards.chain(spare).map(|line| format!("{line}\n")).collect();
    }
    let boards = hall.boards.iter().map(|(game, tile)| {
        let mut end = game.ended.as_ref().map_or_else(|| state(tile.state), |ended| result(ended.outcome())).to_owned();
        if !tile.counts.is_empty() {
            end = format!("{end} (the round: {})", tile.counts);
        }
        [
            tile.board.clone(),
            tile.game.clone(),
            players(tile),
            clock(tile, 0, 0),
            clock(tile, 1, 0),
            tile.plies.div_ceil(2).to_string(),
            end,
            wants(tile),
            tile.device.clone(),
            if game.quarantine.is_empty() { health(tile) } else { "QUARANTINED".to_owned() },
        ]
    });
    let spare = hall.spare.iter().map(|clock| {
        let none = String::new;
        let well = heard(clock.connected, clock.heard_ago_ms, &clock.faults);
        let state = "no game".to_owned();
        [clock.board.clone(), none(), none(), none(), none(), none(), state, none(), clock.device.clone(), well]
    });
    let rows: Vec<_> = boards.chain(spare).collect();
    table(["board", "game", "players", "White", "Black", "move", "state", "wants", "clock", "heard"], &rows)
}

/// Both players; empty: no pairing names them.
pub(in crate::app) fn players(tile: &Tile) -> String {
    if tile.white.is_empty() && tile.black.is_empty() {
        return String::new();
    }
    format!("{} – {}", tile.white, tile.black)
}

/// What a game is doing, in a word.
#[must_use]
pub const fn state(state: State) -> &'static str {
    match state {
        State::Idle => "ready",
        State::Running => "running",
        State::Paused => "stopped",
        State::Adjourned => "adjourned",
        State::Over => "over",
    }
}

/// What the board wants of a person.
fn wants(tile: &Tile) -> String {
    let count = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    match tile.need {
        Need::Case => count(tile.cases, "case"),
        Need::Call => count(tile.calls, "call"),
        Need::Unconfirmed => "not confirmed".to_owned(),
        Need::Fault => "fault".to_owned(),
        Need::Look => "look".to_owned(),
        Need::Nothing => String::new(),
    }
}

fn health(tile: &Tile) -> String {
    if tile.state == State::Over {
        return String::new();
    }
    heard(tile.connected, tile.heard, &tile.faults)
}

fn heard(connected: bool, heard_ms: Option<u64>, faults: &[i32]) -> String {
    let since = match (connected, heard_ms) {
        (false, _) => "not connected".to_owned(),
        (true, Some(ms)) => format!("{} s ago", ms / 1_000),
        (true, None) => "connected".to_owned(),
    };
    faults_of(faults).fold(since, |said, fault| format!("{said}, {}", fault.replace('_', " ")))
}

fn faults_of(faults: &[i32]) -> impl Iterator<Item = String> {
    let named = faults.iter().filter_map(|&fault| FaultKind::try_from(fault).ok());
    named.map(|fault| word(fault.as_str_name(), "FAULT_KIND_"))
}

/// A half of a clock as it reads now, `ago` milliseconds after the service told it.
pub(in crate::app) fn clock(tile: &Tile, side: u8, ago: u64) -> String {
    let half = &tile.hands[usize::from(side)];
    let runs = tile.state == State::Running && tile.turn == side;
    let Some(left) = half.left else { return format!("{} –:––", if runs { "▶" } else { " " }) };
    // Nobody knows how long ago the clock showed it: then it does not count on.
    let gone = tile.ago.filter(|_| runs).map_or(0, |shown| counted(half, shown.saturating_add(ago)));
    let time = crate::desk::web::words::time(Some(left - gone));
    format!("{} {time}{}", if runs { "▶" } else { " " }, if half.flag { " ⚑" } else { "" })
}

/// Of so many milliseconds since the press, those that count: a delay comes first.
fn counted(half: &Half, since: u64) -> i64 {
    i64::try_from(since).unwrap_or(i64::MAX).saturating_sub(half.delay).max(0)
}

/// For machines.
pub(super) fn board_json(game: &GameSnapshot, tile: &Tile) -> serde_json::Value {
    let [white, black] = &tile.hands;
    json!({
        "board": tile.board,
        "sector": tile.sector,
        "game": tile.game,
        "white": tile.white,
        "black": tile.black,
        "white_left_ms": white.left,
        "black_left_ms": black.left,
        "white_moves": white.moves,
        "black_moves": black.moves,
        "turn": if tile.turn == 0 { "white" } else { "black" },
        "shown_ago_ms": tile.ago,
        "plies": tile.plies,
        "state": state(tile.state),
        "result": game.ended.as_ref().map_or("*", |ended| result(ended.outcome())),
        "round_result": Some(tile.counts).filter(|counts| !counts.is_empty()),
        "open_cases": tile.cases,
        "open_calls": tile.calls,
        "wants": tile.need,
        "sending": tile.sending,
        "quarantine": game.quarantine,
        "device": tile.device,
        "connected": tile.connected,
        "heard_ago_ms": tile.heard,
        "faults": faults_of(&tile.faults).collect::<Vec<_>>(),
    })
}

fn spare_json(clock: &ClockSnapshot) -> serde_json::Value {
    json!({
        "board": clock.board,
        "game": null,
        "state": "no game",
        "device": clock.device,
        "connected": clock.connected,
        "heard_ago_ms": clock.heard_ago_ms,
        "faults": faults_of(&clock.faults).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_in_the_order_of_their_numbers() {
        let mut boards = ["10", "board-2", "9", "board-10", "stage", ""];
        boards.sort_by(|one, two| natural(one).cmp(&natural(two)));
        assert_eq!(boards, ["", "9", "10", "board-2", "board-10", "stage"]);
    }
}
