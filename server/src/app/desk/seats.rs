//! Who sits where, as an event's pairings name it.

use std::collections::{BTreeSet, HashMap};

use flagfall_proto::desk::v1::{Board, GetRoundRequest, RoundState};
use tonic::{Code, Status};

use super::Service;
use crate::{
    desk::web::{Seat, Tile},
    event,
};

/// The boards of rounds, by the names of their games.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct Seats {
    boards: HashMap<String, Seat>,
    /// Rounds that were asked for, those that are none included.
    asked: BTreeSet<(String, u32)>,
}

impl Seats {
    /// Asks for the rounds of these games that are not known yet. A game of no event has no seat.
    ///
    /// # Errors
    /// The service refuses.
    pub(in crate::app) async fn learn(
        &mut self,
        service: &mut Service,
        games: impl IntoIterator<Item = &str>,
    ) -> Result<(), Status> {
        let rounds: BTreeSet<(&str, u32)> = games.into_iter().filter_map(event::round_of).collect();
        for (event, round) in rounds {
            let event = event.to_owned();
            if !self.asked.insert((event.clone(), round)) {
                continue;
            }
            match service.events.get_round(GetRoundRequest { event, round }).await {
                Ok(answer) => {
                    let round = answer.into_inner().round.unwrap_or_default();
                    let closed = round.state() == RoundState::Closed;
                    let seat = |board: Board| (board.game.clone(), Seat::of(board, closed));
                    self.boards.extend(round.boards.into_iter().map(seat));
                }
                // The game only has a name like those of rounds.
                Err(status) if status.code() == Code::NotFound => {}
                Err(status) => return Err(status),
            }
        }
        Ok(())
    }

    /// Says on a tile who sits there.
    pub(in crate::app) fn name(&self, tile: &mut Tile) {
        if let Some(seat) = self.boards.get(&tile.game) {
            seat.name(tile);
        }
    }
}
