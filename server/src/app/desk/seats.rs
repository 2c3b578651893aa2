//! Who sits where, as an event's pairings name it.

use std::collections::{BTreeSet, HashMap};

use flagfall_proto::desk::v1::{Board, GetRoundRequest};
use tonic::{Code, Status};

use super::Service;
use crate::{desk::web::Tile, event};

/// The boards of rounds, by the names of their games.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct Seats {
    boards: HashMap<String, Board>,
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
        let rounds: BTreeSet<(String, u32)> = games.into_iter().filter_map(event::round_of).collect();
        for (event, round) in rounds {
            if !self.asked.insert((event.clone(), round)) {
                continue;
            }
            match service.events.get_round(GetRoundRequest { event, round }).await {
                Ok(answer) => {
                    let boards = answer.into_inner().round.unwrap_or_default().boards;
                    self.boards.extend(boards.into_iter().map(|board| (board.game.clone(), board)));
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
        let Some(board) = self.boards.get(&tile.game) else { return };
        tile.board = board.board.to_string();
        tile.sector.clone_from(&board.sector);
        let name = |player: &Option<flagfall_proto::journal::v1::Player>| player.clone().unwrap_or_default().name;
        (tile.white, tile.black) = (name(&board.white), name(&board.black));
    }
}
