//! Events, players and rounds: what an organiser does, over the games that the arena has.
//!
//! ```text
//!   service ──▶ Organiser: one act at a time
//!                 │ decide: does it fit?                pure, over Tournament and Round
//!                 ├─▶ journal: event/NAME, round/NAME/N   the act itself; nothing is answered before it is on disk
//!                 ├─▶ evolve: the fold goes on
//!                 └─▶ arena: games are opened, started, concluded, each by a request id made of event, round and board
//! ```
//!
//! An act is kept before it has effects in games, and what it does there is done by request ids that can be made again: an act that was
//! cut short is finished by asking for it once more. What the books say of a board is what an organiser entered, else how its game ended;
//! games know nothing of players.

mod act;
mod book;
mod decide;
mod organiser;
mod pairing;
pub mod preset;
mod result;
mod service;
mod start;
mod state;
mod view;

pub use act::{Act, Delay, Input, Seat, Sector, Settings};
pub use book::{Book, Opened};
pub use organiser::Organiser;
pub use result::{Entered, Own};
pub use service::{Events, REQUEST_MAX};
pub use state::{Round, Tournament};

/// The name of a board's game: `open.r3.b07`.
#[must_use]
pub fn game_name(event: &str, round: u32, board: u32) -> String {
    format!("{event}.r{round}.b{board:02}")
}

/// Event, round and board of a game that is named as a round's: of `open.r3.b07` they are `open`, 3 and 7.
#[must_use]
pub fn board_of(game: &str) -> Option<(&str, u32, u32)> {
    let (round, board) = game.rsplit_once(".b")?;
    let (event, round) = round.rsplit_once(".r")?;
    Some((event, round.parse().ok()?, board.parse().ok()?))
}

/// Event and round of a game that is named as a round's.
#[must_use]
pub fn round_of(game: &str) -> Option<(&str, u32)> {
    board_of(game).map(|(event, round, _)| (event, round))
}

/// The id of the request by which an act on a round acts in a game: `what` tells the boards, and the steps on one of them, apart.
#[must_use]
pub fn request_of(request: &str, what: &str) -> String {
    format!("{request}#{what}")
}

/// The name of a round's stream within its kind: `open/3`. A slash stands in no name, so that no two events share one.
#[must_use]
pub fn round_name(event: &str, round: u32) -> String {
    format!("{event}/{round}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_of_a_round_names_its_round_and_board() {
        assert_eq!(board_of(&game_name("spring.r2.b1", 12, 7)), Some(("spring.r2.b1", 12, 7)));
        assert_eq!(round_of("city.r2.open.r12.b101"), Some(("city.r2.open", 12)));
        for other in ["table-1", "r1.b07", "open.r3", "open.r3.b", "open.r3.bx", "open.rx.b07", ""] {
            assert_eq!(board_of(other), None, "{other}");
        }
    }
}
