//! How much may happen in a run, and what is broken on purpose.

use clap::ValueEnum;
use serde::Serialize;

use crate::invariant::{
    ACKNOWLEDGED, ARRIVES, CONTIGUOUS, DROPPED, EPOCHS, FENCED, KNOWN, ONCE, ONE_HISTORY, PATIENCE, TRUE,
};

/// Clocks' spools: one an instance, and the one that a spool is begun anew as.
pub const SPOOLS: usize = 3;

/// The most directives.
pub const REVS: usize = 3;

/// Streams that exist at a time: the one in use, and one that somebody has not yet noticed to be dead.
pub const STREAMS: usize = 2;

/// Frames of events on their way in a stream.
pub const UP: usize = 2;

/// Messages on their way to a clock in a stream.
pub const DOWN: usize = 6;

/// Games that a clock may have, one after the other.
pub const GAMES: usize = 2;

/// Events on their way from a session to a game, and held there.
pub const MAILBOX: usize = 2;

/// Entries on their way to the journal's disk.
pub const QUEUE: usize = 3;

/// Events that a clock may have outstanding.
pub const WINDOW: u8 = 2;

/// How often each thing may happen at most. Everything within these bounds is visited, in every order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Bounds {
    /// Instances of the clock, 1 or 2.
    pub instances: u8,
    /// Presses, all instances together; at most 4.
    pub presses: u8,
    /// How many of them lead to a directive, the first ones.
    pub rulings: u8,
    /// Directives that the desk issues.
    pub desk: u8,
    /// Of those, the last one replaces what is before it if that is not applied yet.
    pub supersede: bool,
    /// Streams that are opened.
    pub sessions: u8,
    /// Streams that break on one side without anybody's doing.
    pub breaks: u8,
    /// Times an instance loses power.
    pub clock_crashes: u8,
    /// Times the service loses power.
    pub server_crashes: u8,
    /// Frames of events dropped, doubled or exchanged within a stream, which TCP never does and a broken proxy may.
    pub mangles: u8,
    /// Times a clock begins its spool anew.
    pub forgets: u8,
    /// Games that the desk opens on the clock after the first: presses go to the new game, reports to the one they name.
    pub games: u8,
    /// Times the service loses its patience with a directive.
    pub overdues: u8,
    /// Times a physical clock does not do what it was asked, or its answer is lost.
    pub refusals: u8,
    /// The clock reports RECEIVED too; it never decides anything, and makes the space a good deal larger.
    pub received: bool,
}

impl Bounds {
    /// One clock, and everything that can go wrong with it once.
    pub const ONE: Bounds = Bounds {
        instances: 1,
        presses: 2,
        rulings: 1,
        desk: 1,
        supersede: false,
        sessions: 2,
        breaks: 1,
        clock_crashes: 1,
        server_crashes: 1,
        mangles: 0,
        forgets: 0,
        games: 0,
        overdues: 0,
        refusals: 0,
        received: false,
    };

    /// The same with fewer directives, and power lost twice on each side.
    pub const TWICE: Bounds = Bounds { desk: 0, sessions: 3, clock_crashes: 2, server_crashes: 2, ..Bounds::ONE };

    /// Two instances of one clock that take each other's place.
    pub const TAKEOVER: Bounds =
        Bounds { instances: 2, presses: 2, desk: 0, clock_crashes: 0, server_crashes: 0, sessions: 3, ..Bounds::ONE };

    /// A proxy that breaks the order of frames.
    pub const MANGLED: Bounds =
        Bounds { presses: 3, desk: 0, clock_crashes: 0, sessions: 3, mangles: 2, ..Bounds::ONE };

    /// Directives that replace each other, or whose report comes late.
    pub const DIRECTIVES: Bounds =
        Bounds { presses: 1, desk: 2, supersede: true, breaks: 0, server_crashes: 0, overdues: 1, ..Bounds::ONE };

    /// Another game is opened while events of the first are under way.
    pub const NEXT_GAME: Bounds = Bounds { desk: 0, sessions: 3, games: 1, ..Bounds::ONE };

    /// What is checked by default, by name.
    pub const DEFAULTS: [(&str, Bounds); 7] = [
        ("one", Bounds::ONE),
        ("twice", Bounds::TWICE),
        ("takeover", Bounds::TAKEOVER),
        ("mangled", Bounds::MANGLED),
        ("directives", Bounds::DIRECTIVES),
        ("next-game", Bounds::NEXT_GAME),
        ("anew", Bounds::ANEW),
    ];

    /// A spool that is begun anew.
    pub const ANEW: Bounds = Bounds { desk: 0, sessions: 3, forgets: 1, ..Bounds::ONE };
}

/// What is broken on purpose, so that the check can be seen to find it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// The service acknowledges what it has taken, not what is on disk.
    AckBeforeCommit,
    /// A directive leaves before the entry that issued it is on disk.
    DirectiveBeforeCommit,
    /// The service does not tell the clock again what it has no final word of.
    NoRedelivery,
    /// An older session goes on when a newer one comes.
    NoFencing,
    /// A newer session does not wait until what the older one took is on disk.
    NoLane,
    /// An event goes to its game although one before it, of another game, is not on disk yet.
    NoGoalWait,
    /// Welcome is sent before its epoch is on disk.
    EpochNotPersisted,
    /// An event that comes again is taken again.
    ForgetDedup,
    /// What comes behind a gap is taken.
    TakePastGap,
    /// The clock is changed before the record of it is on its disk.
    ApplyBeforeRecord,
    /// The clock forgets over a loss of power which directives it has handled.
    MemoryLost,
    /// An event is sent before it is on the clock's disk.
    SendBeforeFsync,
    /// The clock begins its spool anew once everything is sent, not once it is on the service's disk.
    ForgetBeforeAck,
    /// After a loss of power a reading is believed that play has moved since: the directive is taken as done, or done again.
    ReadingMisleads,
    /// RECEIVED takes the place of UNKNOWN, and nobody waits for the final word any more.
    TimerNotRearmed,
    /// The physical clock took a directive and its answer was lost: the clock reports REJECTED, not that nobody knows.
    AnswerLost,
    /// The instances take turns at one physical clock, and the newcomer refuses what the other has carried out.
    SharedClock,
    /// The newcomer refuses a directive for good, and the first instance, which has the game, is left a revision behind.
    LeftBehind,
    /// A frame was lost in a stream that lives on, nothing comes behind it, and the service does not ask for it.
    GapStalls,
}

impl Fault {
    /// All that are faults.
    #[must_use]
    pub fn all() -> &'static [Fault] {
        &Fault::value_variants()[1..]
    }

    /// The invariants that it breaks.
    #[must_use]
    pub const fn breaks(self) -> &'static [&'static str] {
        match self {
            Fault::None => &[],
            Fault::AckBeforeCommit => &[ACKNOWLEDGED],
            Fault::DirectiveBeforeCommit => &[KNOWN],
            Fault::NoRedelivery | Fault::LeftBehind | Fault::GapStalls => &[ARRIVES],
            Fault::NoFencing | Fault::NoLane => &[CONTIGUOUS, FENCED],
            Fault::EpochNotPersisted => &[EPOCHS],
            Fault::ForgetDedup | Fault::NoGoalWait => &[CONTIGUOUS],
            Fault::TakePastGap => &[CONTIGUOUS, ONE_HISTORY],
            Fault::ApplyBeforeRecord | Fault::MemoryLost => &[ONCE],
            Fault::ReadingMisleads => &[ONCE, TRUE],
            Fault::SendBeforeFsync => &[ONE_HISTORY],
            Fault::ForgetBeforeAck => &[DROPPED],
            Fault::TimerNotRearmed => &[PATIENCE],
            Fault::AnswerLost | Fault::SharedClock => &[TRUE],
        }
    }

    /// Bounds within which it shows, small ones.
    #[must_use]
    pub const fn shows_within(self) -> Bounds {
        match self {
            Fault::ForgetDedup | Fault::TakePastGap | Fault::GapStalls => Bounds::MANGLED,
            Fault::NoFencing | Fault::NoLane | Fault::SharedClock | Fault::LeftBehind => Bounds::TAKEOVER,
            Fault::ForgetBeforeAck => Bounds::ANEW,
            Fault::NoGoalWait => Bounds::NEXT_GAME,
            Fault::TimerNotRearmed => Bounds { received: true, ..Bounds::DIRECTIVES },
            Fault::AnswerLost => Bounds { refusals: 1, ..Bounds::ONE },
            _ => Bounds::ONE,
        }
    }
}
