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
        "GAME_OPEN: {game} is open on {device}; leave its board on that clock in the pairing, or move the game first (`flagfall round move`); who does not play it loses by forfeit (`flagfall round result`)"
    )]
    GameOpen {
        /// The game.
        game: String,
        /// Its clock.
        device: String,
    },
    /// The game was begun by other players.
    #[error(
        "GAME_BEGUN: {game} was begun by {white} (White) and {black}; leave board {board} to them, or enter its result"
    )]
    GameBegun {
        /// The game.
        game: String,
        /// Its board.
        board: u32,
        /// White's name.
        white: String,
        /// Black's name.
        black: String,
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
    /// The game goes on.
    #[error(
        "ENDS_GAME: {game} is under way: {white} – {black}, {stands}; {given} ends it for good. If it is over, say so: --ends-game"
    )]
    EndsGame {
        /// The game.
        game: String,
        /// White's name.
        white: String,
        /// Black's name.
        black: String,
        /// Its moves and clocks.
        stands: String,
        /// The result entered.
        given: String,
    },
    /// What was entered ended the game, or was told to it.
    #[error(
        "RESULT_ENDED_GAME: {game} has ended with a result entered by hand, and a game that is over does not go on; enter the right result \
         with a note. If it must be played on, open a game by hand on its clock (`flagfall open`), set it, and enter its result here"
    )]
    ResultEndedGame {
        /// The game.
        game: String,
    },
    /// There is nothing to withdraw.
    #[error(
        "NOTHING_ENTERED: nothing was entered for board {board} of round {round} of {event}; `flagfall round show` names its result"
    )]
    NothingEntered {
        /// The event.
        event: String,
        /// The round.
        round: u32,
        /// The board.
        board: u32,
    },
    /// The clock has no session.
    #[error(
        "CLOCK_AWAY: {device} is not connected; it starts White's time by itself once it is back: switch it on now, or give the board \
         another clock (`flagfall round move`)"
    )]
    ClockAway {
        /// The clock.
        device: String,
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
            | Unfit::GameBegun { .. }
            | Unfit::ResultDiffers { .. }
            | Unfit::ClockAway { .. }
            | Unfit::EndsGame { .. }
            | Unfit::ResultEndedGame { .. }
            | Unfit::NothingEntered { .. } => Code::FailedPrecondition,
        }
    }
}
