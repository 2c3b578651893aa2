//! Who sits where: names, board numbers and sectors of the rounds under way, asked of the organiser's service now and then.

use std::collections::HashMap;

use flagfall_proto::desk::v1::{
    GetEventRequest, GetRoundRequest, ListEventsRequest, RoundState, event_service_server::EventService,
};
use tonic::Status;

use super::{Tile, asked_by};
use crate::{desk::auth::Caller, event::Events};

/// A seat at a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seat {
    board: u32,
    sector: String,
    white: String,
    black: String,
}

impl Seat {
    /// Says on a tile who sits there.
    pub(super) fn name(&self, tile: &mut Tile) {
        tile.board = self.board.to_string();
        tile.sector.clone_from(&self.sector);
        (tile.white, tile.black) = (self.white.clone(), self.black.clone());
    }
}

/// The seats of every round that is not closed, by the names of the games.
pub(super) async fn seats(events: &Events) -> Result<HashMap<String, Seat>, Status> {
    fn looking<T>(message: T) -> tonic::Request<T> {
        asked_by(Some(Caller::service()), message)
    }
    let mut seats = HashMap::new();
    for event in events.list_events(looking(ListEventsRequest {})).await?.into_inner().events {
        let asked = GetEventRequest { event: event.name.clone() };
        let rounds = events.get_event(looking(asked)).await?.into_inner().rounds;
        for round in rounds.iter().filter(|round| round.state() != RoundState::Closed) {
            let asked = GetRoundRequest { event: event.name.clone(), round: round.round };
            let boards = events.get_round(looking(asked)).await?.into_inner().round.unwrap_or_default().boards;
            for board in boards.into_iter().filter(|board| !board.game.is_empty()) {
                let [white, black] = [board.white, board.black].map(|player| player.unwrap_or_default().name);
                seats.insert(board.game, Seat { board: board.board, sector: board.sector, white, black });
            }
        }
    }
    Ok(seats)
}
