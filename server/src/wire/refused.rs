//! Every reason for which the service says no, and the one place where it becomes a gRPC status.
//!
//! The message begins with the reason's name, says what it is about, and what to do. Names are the contract's.

use flagfall_rules::game::Refusal;
use tonic::{Code, Status};

use super::Unfit;
use crate::journal::AppendError;

/// The longest message of a status, in characters.
const MESSAGE: usize = 1_000;

/// How the system's errors end when there is no space left on the device (ENOSPC).
const DISK_FULL: &str = "(os error 28)";

/// Why the service says no.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refused {
    /// A Hello breaks the contract.
    #[error("BAD_HELLO: {device}: {field}: {why}; the clock's software must be put right")]
    BadHello {
        /// The device, as far as it said one.
        device: String,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The clock speaks no version that the service speaks.
    #[error(
        "PROTOCOL_RANGE: {device} speaks versions {min} to {max}, this service speaks {ours}; bring both to one release"
    )]
    ProtocolRange {
        /// The device.
        device: String,
        /// The lowest it speaks.
        min: u32,
        /// The highest it speaks.
        max: u32,
        /// The one the service speaks.
        ours: u32,
    },
    /// The clock is not in the configuration.
    #[error("UNKNOWN_DEVICE: {device:?} is not listed; add it under [[clocks]] of the settings and reload them")]
    UnknownDevice {
        /// The name it gave.
        device: String,
    },
    /// Another clock holds the board.
    #[error("BOARD_TAKEN: {device} is configured for board {board}, which {holder} holds; disconnect one of the two")]
    BoardTaken {
        /// The clock refused.
        device: String,
        /// The board.
        board: String,
        /// The clock that has it.
        holder: String,
    },
    /// Another clock of the same name is connected.
    #[error(
        "DEVICE_TAKEN: {device}: another clock of this name is connected; disconnect one of the two, or give it a name of its own"
    )]
    DeviceTaken {
        /// The name.
        device: String,
    },
    /// Too many clocks come at once.
    #[error("CROWDED: too many clocks come back at once; come again when the service says")]
    Crowded,
    /// Events that were acknowledged are nowhere any more.
    #[error(
        "EVENTS_LOST: {device}: the journal has {have} events of its earlier spool and {had} were acknowledged; the clock has dropped them, and the board is frozen: restore a later journal, or give the clock a new spool"
    )]
    EventsLost {
        /// The clock.
        device: String,
        /// Events the journal has.
        have: u64,
        /// Events that were acknowledged.
        had: u64,
    },
    /// A newer session of the clock exists, or the clock speaks for an older one.
    #[error("STALE_EPOCH: {device}: session {epoch} is over, a newer one exists; send nothing again in this one")]
    StaleEpoch {
        /// The clock.
        device: String,
        /// The session that is over.
        epoch: u64,
    },
    /// The spool has two histories.
    #[error("FORKED_SPOOL: {device}: event {seq}: {why}; the board is frozen: give the clock a new spool")]
    ForkedSpool {
        /// The clock.
        device: String,
        /// The event at which they part.
        seq: u64,
        /// How it shows.
        why: &'static str,
    },
    /// A frame or an event breaks the contract.
    #[error("BAD_EVENT: {device}: event {seq}: {what}; nothing of it is stored")]
    BadEvent {
        /// The clock.
        device: String,
        /// The event's number, as far as it can be told.
        seq: u64,
        /// The field and what is wrong with it.
        what: String,
    },
    /// A frame that is no message of the contract.
    #[error("BAD_EVENT: {device}: {why}; nothing of it is stored")]
    BadFrame {
        /// The clock.
        device: String,
        /// What is wrong.
        why: String,
    },
    /// A board that is none.
    #[error("MALFORMED_BOARD: {device}: event {seq}: {what}; nothing of it is stored")]
    MalformedBoard {
        /// The clock.
        device: String,
        /// The event's number.
        seq: u64,
        /// What is wrong with it.
        what: String,
    },
    /// More events are outstanding than Welcome allowed.
    #[error("WINDOW_EXCEEDED: {device} has more than {window} events outstanding; wait for acks")]
    WindowExceeded {
        /// The clock.
        device: String,
        /// The window.
        window: u32,
    },
    /// The other side does not read.
    #[error("SLOW_READER: {who} let its queue of {limit} fill; connect again")]
    SlowReader {
        /// Who.
        who: String,
        /// How much was queued.
        limit: usize,
    },
    /// Nothing was heard of a clock.
    #[error("SILENT: nothing was heard of {device} for {seconds} s; connect again")]
    Silent {
        /// The clock.
        device: String,
        /// For how long.
        seconds: u64,
    },
    /// The disk, or the line before it, is full.
    #[error(
        "JOURNAL_FULL: the service's disk, or the line of what waits for it, is full; send again what was not acknowledged, later"
    )]
    JournalFull,
    /// A game, a clock, an event or a round whose journal is damaged.
    #[error("QUARANTINED: {what}: {why}")]
    Quarantined {
        /// Which of them.
        what: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// The journal does not take entries.
    #[error(
        "JOURNAL_DOWN: the service's journal takes no entries; nothing was lost that was acknowledged; come back later"
    )]
    JournalDown,
    /// The journal's database does not open.
    #[error(
        "JOURNAL_DOWN: the service's journal does not open, so it does not know which games are under way: rule as without it. \
         Finished games can be read. {reason}"
    )]
    JournalShut {
        /// Why, and what to do.
        reason: String,
    },
    /// The service is going down in good order.
    #[error("DRAINING: the service is going down in good order; come back later")]
    Draining,
    /// A desk's request breaks the contract.
    #[error("BAD_REQUEST: {field}: {why}")]
    BadRequest {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// There is no such game.
    #[error("NO_SUCH_GAME: there is no game {game:?}; `flagfall boards` names them all")]
    NoSuchGame {
        /// The name asked for.
        game: String,
    },
    /// There is no such clock.
    #[error(
        "NO_SUCH_DEVICE: no clock {device:?} is configured; add it under [[clocks]] of the settings and reload them"
    )]
    NoSuchDevice {
        /// The name asked for.
        device: String,
    },
    /// The game's name is taken.
    #[error("GAME_EXISTS: there is a game {game:?} already; choose another name")]
    GameExists {
        /// The name.
        game: String,
    },
    /// The clock has a game.
    #[error("DEVICE_BUSY: {device} has the game {game:?}, which is under way; end or adjourn it first")]
    DeviceBusy {
        /// The clock.
        device: String,
        /// Its game.
        game: String,
    },
    /// The opened text is not the sealed one.
    #[error(
        "SEAL_BROKEN: {game}: the text and its proof are not those that were sealed: open the envelope's own ciphertext, or declare the envelope lost"
    )]
    SealBroken {
        /// The game.
        game: String,
    },
    /// There is no key to seal for.
    #[error(
        "NO_RECIPIENT: no key is configured that moves are sealed for: `flagfall adjourn keygen`, then [adjournment] recipient"
    )]
    NoRecipient,
    /// The clock of the game has another one by now.
    #[error("NOT_ON_CLOCK: {device} has another game than {game:?} by now; move this one to a clock first")]
    NotOnClock {
        /// The game.
        game: String,
        /// Its clock.
        device: String,
    },
    /// The game is to go to the clock that has it.
    #[error(
        "ON_THIS_CLOCK: {game:?} is on {device} already; nothing was changed: name another clock, or set this one by hand"
    )]
    OnThisClock {
        /// The game.
        game: String,
        /// Its clock.
        device: String,
    },
    /// A clock speaks for a game that has just gone to another clock.
    #[error("GAME_MOVED: {game:?} goes on on another clock than {device}; connect again")]
    GameMoved {
        /// The game.
        game: String,
        /// The clock that it left.
        device: String,
    },
    /// Nobody knows who asks.
    #[error("UNAUTHENTICATED: {why}")]
    Unauthenticated {
        /// What is missing or wrong, and what to do.
        why: String,
    },
    /// He who asks may not.
    #[error("NOT_ALLOWED: {who} may not {what}; {whom} may")]
    NotAllowed {
        /// Who asked.
        who: String,
        /// What for.
        what: String,
        /// Who may.
        whom: &'static str,
    },
    /// This build does not know the edition.
    #[error("UNKNOWN_EDITION: {edition:?}; this build knows {known}")]
    UnknownEdition {
        /// The edition asked for.
        edition: String,
        /// Those that exist.
        known: String,
    },
    /// The rules refuse the act.
    #[error("{}: {game}: {refusal}", refusal.code())]
    Rules {
        /// The game.
        game: String,
        /// What they say.
        refusal: Refusal,
    },
    /// An organiser's act does not fit.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

impl Refused {
    /// A field of a desk's request and what is wrong with it.
    pub fn request(field: &'static str, why: impl Into<String>) -> Refused {
        Refused::BadRequest { field, why: why.into() }
    }

    /// The edition is not known to this build.
    #[must_use]
    pub fn edition(edition: &str) -> Refused {
        let known: Vec<_> = flagfall_rules::laws::EDITIONS.iter().map(|edition| edition.id).collect();
        Refused::UnknownEdition { edition: edition.to_owned(), known: known.join(", ") }
    }

    /// The reason's name in the contract, which its message begins with.
    #[must_use]
    pub fn name(&self) -> String {
        let mut message = self.to_string();
        message.truncate(message.find(':').unwrap_or(message.len()));
        message
    }

    /// The status code of the contract.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Refused::BadHello { .. }
            | Refused::BadEvent { .. }
            | Refused::BadFrame { .. }
            | Refused::MalformedBoard { .. }
            | Refused::BadRequest { .. } => Code::InvalidArgument,
            Refused::UnknownDevice { .. } | Refused::Unauthenticated { .. } => Code::Unauthenticated,
            Refused::NotAllowed { .. } => Code::PermissionDenied,
            Refused::BoardTaken { .. }
            | Refused::DeviceTaken { .. }
            | Refused::GameExists { .. }
            | Refused::DeviceBusy { .. } => Code::AlreadyExists,
            Refused::StaleEpoch { .. } => Code::Aborted,
            Refused::ForkedSpool { .. } | Refused::EventsLost { .. } | Refused::Quarantined { .. } => Code::DataLoss,
            Refused::ProtocolRange { .. }
            | Refused::UnknownEdition { .. }
            | Refused::SealBroken { .. }
            | Refused::NoRecipient
            | Refused::NotOnClock { .. }
            | Refused::OnThisClock { .. } => Code::FailedPrecondition,
            Refused::SlowReader { .. } | Refused::WindowExceeded { .. } | Refused::JournalFull => {
                Code::ResourceExhausted
            }
            Refused::Silent { .. } => Code::DeadlineExceeded,
            Refused::JournalDown
            | Refused::JournalShut { .. }
            | Refused::Draining
            | Refused::Crowded
            | Refused::GameMoved { .. } => Code::Unavailable,
            Refused::NoSuchGame { .. } | Refused::NoSuchDevice { .. } => Code::NotFound,
            Refused::Unfit(unfit) => unfit.code(),
            Refused::Rules { refusal, .. } => match refusal.code() {
                "NO_SUCH_CASE" | "NO_SUCH_GAME" => Code::NotFound,
                "GAME_EXISTS" => Code::AlreadyExists,
                "ALREADY_DECIDED" | "OVERTAKEN" => Code::Aborted,
                _ => Code::FailedPrecondition,
            },
        }
    }
}

/// An entry was not written: what those are told who wait for it.
impl From<&AppendError> for Refused {
    fn from(error: &AppendError) -> Refused {
        match error {
            AppendError::Full { .. } => Refused::JournalFull,
            AppendError::Failed(reason) if reason.contains(DISK_FULL) => Refused::JournalFull,
            _ => Refused::JournalDown,
        }
    }
}

impl From<Refused> for Status {
    fn from(refused: Refused) -> Status {
        // A status travels in a header, and headers are short: what was quoted from a request may not be.
        let message: String = refused.to_string().chars().take(MESSAGE).collect();
        Status::new(refused.code(), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_begins_with_the_reason_and_is_short() {
        let long = Status::from(Refused::NoSuchGame { game: "ж".repeat(70_000) });
        assert_eq!((long.code(), long.message().chars().count()), (Code::NotFound, MESSAGE));
        assert!(long.message().starts_with("NO_SUCH_GAME: there is no game"));
        let refused = |refusal| Refused::Rules { game: "g".into(), refusal };
        let over = Status::from(refused(Refusal::GameOver));
        assert_eq!(
            (over.code(), over.message()),
            (Code::FailedPrecondition, "GAME_OVER: g: the game is over; its result stands")
        );
        assert_eq!(refused(Refusal::AlreadyDecided(1, "x".into())).code(), Code::Aborted);
    }

    #[test]
    fn a_full_disk_is_told_from_a_broken_one() {
        let full = std::io::Error::from_raw_os_error(28).to_string();
        assert!(matches!(Refused::from(&AppendError::Failed(full)), Refused::JournalFull));
        assert!(matches!(Refused::from(&AppendError::Failed("sync: EIO".into())), Refused::JournalDown));
    }
}
