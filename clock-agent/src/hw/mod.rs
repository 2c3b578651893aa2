//! The hardware: boards, buttons, keyboard and display. Everything here ends in a [`crate::sense::Sensed`] or starts from
//! an [`crate::sense::Ask`] or a [`crate::sense::Shown`]; no rule of chess and no state of a game lives in this folder.

#[cfg(feature = "gpio")]
pub mod buttons;
pub mod dgt;
pub mod display;
pub mod keyboard;
mod wake;

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a piece of hardware cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HardwareError {
    /// The port cannot be opened: it is not there, or another program or user owns it.
    #[error("cannot open {path}: {source}", path = path.display())]
    Open {
        /// The port.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The path is a file, a socket or anything else that has no line settings.
    #[error("{path} is not a serial port or terminal", path = path.display())]
    NotATerminal {
        /// The path.
        path: PathBuf,
    },
    /// The port is there but refuses the settings of the protocol.
    #[error("cannot set the line {path}: {source}", path = path.display())]
    Line {
        /// The port.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The button lines cannot be requested.
    #[error("cannot watch the buttons on {chip}: {reason}", chip = chip.display())]
    Buttons {
        /// The GPIO chip.
        chip: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The system has no thread, event counter or pseudo-terminal left for it.
    #[error("out of system resources: {0}")]
    Resources(#[from] io::Error),
}

impl HardwareError {
    fn open(path: &Path, source: impl Into<io::Error>) -> HardwareError {
        HardwareError::Open { path: path.to_owned(), source: source.into() }
    }

    fn line(path: &Path, source: impl Into<io::Error>) -> HardwareError {
        HardwareError::Line { path: path.to_owned(), source: source.into() }
    }
}
