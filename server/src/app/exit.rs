//! How the process ends, and why.

use std::process::ExitCode;

use crate::{
    app::{
        config::ConfigError, demo::DemoError, desk::DeskError, journal::JournalError, replay::ReplayError,
        rule::RuleError, serve::StartError, trace::TraceError,
    },
    journal::{
        dump::DumpError,
        sled::OpenError,
        transfer::{ExportError, RestoreError},
    },
    ops::{fetch::FetchError, telemetry::TelemetryError},
};

/// How the process ends; the same in every version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well.
    Ok = 0,
    /// It ran and found something, or was refused.
    Findings = 1,
    /// It was asked wrongly, or its settings or files are wrong.
    Usage = 2,
    /// It cannot listen where it should.
    Bind = 3,
    /// The journal cannot be opened, or failed: a disk that is full or broken ends a service at work so.
    Journal = 4,
    /// Another server has the journal.
    Held = 5,
    /// The service cannot be reached, or takes nothing now.
    Unreachable = 6,
}

/// The same for people.
pub(super) const EXITS: &str = "Exit codes: 0 ok, 1 findings or refused, 2 usage, settings or files, 3 cannot listen, \
                                4 journal, 5 another server has the journal, 6 the service is not reached.";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command came to nothing.
#[derive(Debug)]
pub struct Failure {
    /// How the process ends.
    pub exit: Exit,
    /// What to tell.
    pub reason: anyhow::Error,
}

impl Failure {
    pub(super) fn new(exit: Exit, reason: impl Into<anyhow::Error>) -> Failure {
        Failure { exit, reason: reason.into() }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::new(Exit::Usage, error)
    }
}

impl From<TelemetryError> for Failure {
    fn from(error: TelemetryError) -> Failure {
        Failure::new(Exit::Usage, error)
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Failure {
        let exit = match error {
            TraceError::Fetch(FetchError::Unreachable { .. }) => Exit::Unreachable,
            _ => Exit::Findings,
        };
        Failure::new(exit, error)
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Failure {
        let exit = match error {
            StartError::Bind { .. } => Exit::Bind,
            StartError::Journal(_) => Exit::Journal,
            StartError::Reflection(_) => Exit::Usage,
        };
        Failure::new(exit, error)
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Failure {
        match error {
            ReplayError::Start(error) => error.into(),
            ReplayError::Journal(_) => Failure::new(Exit::Journal, error),
            other => Failure::new(Exit::Findings, other),
        }
    }
}

impl From<DemoError> for Failure {
    fn from(error: DemoError) -> Failure {
        match error {
            DemoError::Start(error) => error.into(),
            DemoError::Journal(_) => Failure::new(Exit::Journal, error),
            other => Failure::new(Exit::Findings, other),
        }
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Failure {
        Failure::new(error.exit(), error)
    }
}

impl From<RuleError> for Failure {
    fn from(error: RuleError) -> Failure {
        let exit = match error {
            RuleError::Case(_) | RuleError::Folder(..) => Exit::Usage,
            RuleError::Output(_) | RuleError::Json(_) => Exit::Findings,
        };
        Failure::new(exit, error)
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        let exit = match error {
            JournalError::Config(_)
            | JournalError::None(_)
            | JournalError::Dump(DumpError::Nothing(_))
            | JournalError::Export(ExportError::Exists(_))
            | JournalError::Restore(RestoreError::NotEmpty(_)) => Exit::Usage,
            JournalError::Dump(DumpError::Output(_)) => Exit::Findings,
            JournalError::Open(OpenError::Held { .. }) => Exit::Held,
            JournalError::Open(_) | JournalError::Read(_) | JournalError::Export(_) | JournalError::Restore(_) => {
                Exit::Journal
            }
        };
        Failure::new(exit, error)
    }
}
