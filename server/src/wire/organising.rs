//! Why an organiser's act is refused.

use tonic::Code;

/// What does not fit. The message begins with the named reason and ends with what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// There is no such event.
    #[error("NO_SUCH_EVENT: there is no event {event:?}; `flagfall event list` names them all")]
    NoSuchEvent {
        /// The name asked for.
        event: String,
    },
    /// The round is not paired.
    #[error("NO_SUCH_ROUND: round {round} of {event} is not paired; pair it first (`flagfall round pair`)")]
    NoSuchRound {
        /// The event.
        event: String,
        /// The round asked for.
        round: u32,
    },
    /// The round has no such board.
    #[error("NO_SUCH_BOARD: round {round} of {event} has no board {board}; `flagfall round show` names them all")]
    NoSuchBoard {
        /// The event.
        event: String,
        /// The round.
        round: u32,
        /// The board asked for.
        board: u32,
    },
    /// The event has no such player.
    #[error("NO_SUCH_PLAYER: {event} has no player {player}; enter the players first")]
    NoSuchPlayer {
        /// The event.
        event: String,
        /// The number asked for.
        player: u32,
    },
    /// The event's name is taken.
    #[error("EVENT_EXISTS: there is an event {event:?} already; choose another name, or revise it")]
    EventExists {
        /// The name.
        event: String,
    },
    /// The round is under way.
    #[error("ROUND_STARTED: round {round} of {event} is started; enter results, move games, and close it")]
    RoundStarted {
        /// The event.
        event: String,
        /// The round.
        round: u32,
    },
    /// The round is closed.
    #[error("ROUND_CLOSED: round {round} of {event} is closed; a result is still corrected with a note that says why")]
    RoundClosed {
        /// The event.
        event: String,
        /// The round.
        round: u32,
    },
    /// Boards have no result.
    #[error(
        "ROUND_OPEN: round {round} of {event} has no result on boards {boards}; enter them, or close it over open boards"
    )]
    RoundOpen {
        /// The event.
        event: String,
        /// The round.
        round: u32,
        /// The boards.
        boards: String,
    },
    /// The game is open on its clock.
    #[error(
        "GAME_OPEN: {game} is open on {device}; move the game (`flagfall round move`), or leave its board as it is"
    )]
    GameOpen {
        /// The game.
        game: String,
        /// Its clock.
        device: String,
    },
    /// The game ended otherwise.
    #[error("RESULT_DIFFERS: {game} ended {has}, and {given} is entered; say why in a note if that is meant")]
    ResultDiffers {
        /// The game.
        game: String,
        /// Its own result.
        has: String,
        /// The result entered.
        given: String,
    },
    /// Somebody acted in between.
    #[error("COUNT_CHANGED: {now} clocks would be started, not {expected}; look again with a dry run")]
    CountChanged {
        /// What the caller expected.
        expected: u32,
        /// What it is now.
        now: u32,
    },
}

impl Unfit {
    /// The status code of the contract.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Unfit::NoSuchEvent { .. }
            | Unfit::NoSuchRound { .. }
            | Unfit::NoSuchBoard { .. }
            | Unfit::NoSuchPlayer { .. } => Code::NotFound,
            Unfit::EventExists { .. } => Code::AlreadyExists,
            Unfit::CountChanged { .. } => Code::Aborted,
            Unfit::RoundStarted { .. }
            | Unfit::RoundClosed { .. }
            | Unfit::RoundOpen { .. }
            | Unfit::GameOpen { .. }
            | Unfit::ResultDiffers { .. } => Code::FailedPrecondition,
        }
    }
}
