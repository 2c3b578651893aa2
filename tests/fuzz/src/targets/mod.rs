//! What reads bytes from outside, each kind under a name.

mod board;
mod files;
mod journal;
mod link;
mod spool;

pub use spool::seal;

/// The most bytes a target is given: the longest frame of the link and the longest entry of the journal.
pub const LONGEST: usize = 64 << 10;

/// A kind of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is also the folder of its corpus.
    pub name: &'static str,
    /// What the bytes are.
    pub about: &'static str,
    /// Files of the tree that are samples as well, relative to this crate: a folder or a file.
    pub beside: Option<&'static str>,
    /// Reads them.
    pub run: fn(&[u8]),
}

/// Every kind.
pub const TARGETS: &[Target] = &[
    Target {
        name: "requests",
        about: "what a clock sends: frames of the link, each with its length before it",
        beside: None,
        run: link::requests,
    },
    Target {
        name: "responses",
        about: "what a clock is told: frames of the link, each with its length before it",
        beside: None,
        run: link::responses,
    },
    Target { name: "board", about: "bytes of a DGT board, in chunks as they come", beside: None, run: board::run },
    Target {
        name: "journal",
        about: "entries of a game's stream, each with its length before it",
        beside: None,
        run: journal::run,
    },
    Target {
        name: "spool",
        about: "the file of a clock's spool; its checksums are made right first if the first byte is odd",
        beside: None,
        run: spool::run,
    },
    Target { name: "pgn", about: "games in PGN", beside: None, run: files::pgn },
    Target { name: "board-log", about: "a log of a DGT board as text", beside: None, run: files::board_log },
    Target {
        name: "case",
        about: "a file of cases in TOML",
        beside: Some("../../server/cases/cases"),
        run: files::case,
    },
    Target {
        name: "pairings",
        about: "a file of pairings: a report file, a table, headers of PGN",
        beside: None,
        run: files::pairings,
    },
];

/// The target of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
