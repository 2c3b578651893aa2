//! The spool: a clock's durable memory, from which the service is told everything exactly once.
//!
//! Beside the numbered events it keeps how each directive fared and the face of a running clock, so that what a clock
//! says, does and shows after a loss of power is what was on its disk. [`FileSpool`] is the real one, [`MemorySpool`]
//! is for replay, load and simulation; one conformance test runs against both.

mod file;
mod layout;
mod ledger;
mod memory;

use std::{io, path::PathBuf};

pub use self::{
    file::{FileSpool, Recovered},
    memory::MemorySpool,
};
use crate::{
    core::{Applied, Checkpoint, Stored},
    wire::Hash,
};

/// Something to be remembered.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// An encoded event; its number follows the last one's, and it names the last one's hash.
    Event(Vec<u8>),
    /// How a directive fared.
    Applied {
        /// The boot in which it did.
        boot: u128,
        /// How.
        applied: Box<Applied>,
    },
    /// The face of a running clock.
    Checkpoint {
        /// The boot in which it ran.
        boot: u128,
        /// The face.
        checkpoint: Checkpoint,
    },
}

#[cfg(feature = "failpoints")]
impl Record {
    /// A directive was carried out.
    pub(crate) fn is_applied(&self) -> bool {
        matches!(self, Record::Applied { applied, .. } if applied.stage == crate::core::Stage::Applied)
    }
}

/// Where records are kept.
///
/// What survives a crash:
/// - Everything of every [`Spool::append`] that returned `Ok`, in its order.
/// - Of an append that had not returned: all of it or nothing.
/// - After an append failed: what had been appended before it. The spool takes nothing more, because a sync that failed
///   cannot be made good by another; a new process may open it again.
pub trait Spool: Send {
    /// Appends all records as one write, and returns when it is durable.
    ///
    /// # Errors
    /// The medium failed, or an event does not continue the spool; nothing of the records counts then.
    fn append(&mut self, records: &[Record]) -> Result<(), SpoolError>;

    /// Reads at most `max` encoded events, beginning with number `from`; fewer at the end.
    ///
    /// # Errors
    /// The medium failed.
    fn read(&self, from: u64, max: usize) -> Result<Vec<Vec<u8>>, SpoolError>;

    /// The last event's number; 0 when there is none.
    fn last_seq(&self) -> u64;

    /// SHA-256 of the event with this number; zeros for number 0, `None` for one that is not here.
    ///
    /// # Errors
    /// The medium failed.
    fn chain_hash(&self, seq: u64) -> Result<Option<Hash>, SpoolError>;

    /// Names the spool; drawn anew whenever numbers begin again.
    fn spool_id(&self) -> [u8; 16];

    /// What the records say about the present.
    fn stored(&self) -> Stored;

    /// How much room the records take, bytes.
    fn size(&self) -> u64;

    /// Drops all events, which the service has durable, and begins again at number 1 under another name. The present is
    /// kept: face, game and revision, and which spool it was. A crash leaves either the old spool or the new one.
    ///
    /// # Errors
    /// The medium failed; the old spool stands.
    fn forget(&mut self) -> Result<(), SpoolError>;

    /// An append waits for a disk: it must not be made where others wait for the processor.
    fn blocks(&self) -> bool {
        true
    }
}

/// Why a spool does not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// The medium failed.
    #[error(
        "cannot {action} the spool {path}: {source}; check that the disk is there, writable and not full",
        path = path.display()
    )]
    Io {
        /// What was being done.
        action: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another agent holds the spool.
    #[error(
        "another agent uses the spool in {path}: stop it, or give this one a folder of its own",
        path = path.display()
    )]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The file is something else, or of a later version.
    #[error("{path} is no spool of this version: move it away to begin a new one", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Something before the end is damaged; events would be missing silently.
    #[error(
        "the spool {path} is damaged at byte {offset} ({why}): keep a copy for the arbiter, then move it away",
        path = path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong there.
        why: String,
    },
    /// An earlier append failed.
    #[error("the spool {path} failed earlier and takes nothing more: restart the agent", path = path.display())]
    Failed {
        /// The file.
        path: PathBuf,
    },
    /// Records that do not continue what is there: a fault of the agent, found before anything was written.
    #[error("event {seq} does not continue the spool, which ends with {last}: {why}")]
    Unfit {
        /// The number of the event.
        seq: u64,
        /// The last number in the spool.
        last: u64,
        /// What does not fit.
        why: String,
    },
    /// More than one write can hold.
    #[error("{bytes} bytes in one append, the most are {}", layout::FRAME_MAX)]
    TooLong {
        /// How many.
        bytes: usize,
    },
}

#[cfg(test)]
mod tests;
