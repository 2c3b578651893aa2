//! Why a command of the desk came to nothing.

use flagfall_pairings::Faults;

use crate::{app::exit::Exit, seal::SealError};

/// Why a command came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The service cannot be reached.
    #[error("the desk at {0} cannot be reached; is `flagfall serve` running there? ({1})")]
    Connect(String, tonic::transport::Error),
    /// The address is none.
    #[error("{0}: expected an address such as http://127.0.0.1:7702")]
    Address(String),
    /// The service refuses; the message begins with the named reason.
    #[error("{}", .0.message())]
    Refused(#[from] tonic::Status),
    /// What was asked cannot be done as things stand; the message begins with the named reason.
    #[error("{0}")]
    Unfit(String),
    /// The clock's reading is not known and none was given.
    #[error("the clock of {0} has shown no reading for {1}: give it with `flagfall directive {0} set --{1}`")]
    NoReading(String, &'static str),
    /// A move cannot be sealed or opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A file, or the standard input, cannot be read or written.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// A file is not as it should be.
    #[error("{}", faults(.0, .1))]
    Faulty(String, Faults),
    /// The command needs something more, or something else.
    #[error("{0}")]
    Usage(String),
    /// Nobody reads what is printed.
    #[error("the answer cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// Every fault with the name of the file.
fn faults(file: &str, faults: &Faults) -> String {
    faults.to_string().lines().map(|line| format!("{file}: {line}")).collect::<Vec<_>>().join("\n")
}

impl DeskError {
    /// How the process ends.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            DeskError::Connect(..) => Exit::Unreachable,
            DeskError::Refused(status) if status.code() == tonic::Code::Unavailable => Exit::Unreachable,
            DeskError::Refused(_) | DeskError::Unfit(_) | DeskError::Output(_) => Exit::Findings,
            DeskError::Address(_)
            | DeskError::NoReading(..)
            | DeskError::Seal(_)
            | DeskError::File(..)
            | DeskError::Faulty(..)
            | DeskError::Usage(_) => Exit::Usage,
        }
    }
}

#[cfg(test)]
mod tests {
    use tonic::Status;

    use super::*;

    #[test]
    fn a_shell_can_tell_a_refusal_from_a_service_that_is_away() {
        let exit = |error: DeskError| error.exit();
        assert_eq!(exit(Status::not_found("NO_SUCH_GAME: x").into()), Exit::Findings);
        assert_eq!(exit(Status::unavailable("DRAINING: later").into()), Exit::Unreachable);
        assert_eq!(exit(DeskError::Address("x".into())), Exit::Usage);
    }
}
