//! Who sits where: names, board numbers and sectors of the rounds under way, asked of the organiser's service now and then.

use std::collections::{BTreeSet, HashMap};

use flagfall_proto::desk::v1::{
    Board, GetEventRequest, GetRoundRequest, ListEventsRequest, Round, RoundState, event_service_server::EventService,
};
use tonic::{Code, Status};

use super::{Tile, asked_by, results, tile::State};
use crate::{desk::auth::Caller, event::Events};

/// A seat at a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seat {
    board: u32,
    sector: String,
    white: String,
    black: String,
    /// What the round counts, where that is not the game's own result.
    counts: &'static str,
    /// The round is closed.
    closed: bool,
}

impl Seat {
    /// A board of a round.
    pub(crate) fn of(board: Board, closed: bool) -> Seat {
        let counts = if board.game_result == 0 { "" } else { results::text(board.result()) };
        let [white, black] = [board.white, board.black].map(|player| player.unwrap_or_default().name);
        Seat { board: board.board, sector: board.sector, white, black, counts, closed }
    }

    /// Says on a tile who sits there, and what the round has of it.
    pub(crate) fn name(&self, tile: &mut Tile) {
        tile.board = self.board.to_string();
        tile.sector.clone_from(&self.sector);
        (tile.white, tile.black) = (self.white.clone(), self.black.clone());
        tile.counts = self.counts;
        tile.past = self.closed && tile.state == State::Over;
    }
}

fn looking<T>(message: T) -> tonic::Request<T> {
    asked_by(Some(Caller::service()), message)
}

/// The seats of a round, by the names of the games; nobody's when there is no such round.
pub(super) async fn of_round(events: &Events, event: &str, round: u32) -> Result<HashMap<String, Seat>, Status> {
    let asked = GetRoundRequest { event: event.to_owned(), round };
    let round = match events.get_round(looking(asked)).await {
        Ok(answer) => answer.into_inner().round.unwrap_or_default(),
        Err(status) if status.code() == Code::NotFound => Round::default(),
        Err(status) => return Err(status),
    };
    let closed = round.state() == RoundState::Closed;
    let opened = round.boards.into_iter().filter(|board| !board.game.is_empty());
    Ok(opened.map(|board| (board.game.clone(), Seat::of(board, closed))).collect())
}

/// The seats of every round that is not closed, and of a closed one while one of these games is its. What is known of a closed round
/// stays so and is not asked again: its games may have to be read from the disk.
pub(super) async fn seats(
    events: &Events,
    known: &HashMap<String, Seat>,
    games: &BTreeSet<String>,
) -> Result<HashMap<String, Seat>, Status> {
    let here = known.iter().filter(|(game, _)| games.contains(*game));
    let mut seats: HashMap<String, Seat> = here.map(|(game, seat)| (game.clone(), seat.clone())).collect();
    for event in events.list_events(looking(ListEventsRequest {})).await?.into_inner().events {
        let asked = GetEventRequest { event: event.name.clone() };
        for round in events.get_event(looking(asked)).await?.into_inner().rounds {
            let first = format!("{}.r{}.b", event.name, round.round);
            let mut its = games.range(first.clone()..).take_while(|game| game.starts_with(&first));
            let known = |game: &String| seats.get(game).is_some_and(|seat: &Seat| seat.closed);
            if round.state() != RoundState::Closed || its.any(|game| !known(game)) {
                seats.extend(of_round(events, &event.name, round.round).await?);
            }
        }
    }
    Ok(seats)
}
