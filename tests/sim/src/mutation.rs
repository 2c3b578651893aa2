//! Defects put into the world on purpose: an oracle that cannot fail proves nothing.

/// A defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// The journal says that an entry is durable before it is.
    AckBeforeCommit,
    /// The epoch of a session is said to be durable, and reaches the disk two seconds later.
    EpochNotPersisted,
    /// An external clock carries out a setting that adds time twice.
    AppliedTwice,
    /// A clock's card loses its last synced records when the power goes.
    CardForgets,
}
