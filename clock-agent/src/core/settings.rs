//! What a core is told from outside besides what it senses: its settings, and news of its link.

use flagfall_rules::clock::{Control, Place};

use super::Words;

/// Whether the device is the clock or reads one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// The device keeps the time itself.
    Own,
    /// A physical clock keeps it; its readings are facts.
    External,
}

/// What a core must know from the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The device's name, 1 to 64 characters of `[A-Za-z0-9._-]`.
    pub device: String,
    /// Who keeps the time.
    pub clock: ClockKind,
    /// What an own clock is set to when a game brings no control of its own, and without any game.
    pub default_control: Option<Control>,
    /// Which half is White's until a directive says otherwise.
    pub white_place: Place,
    /// Drawn anew at every boot of the device.
    pub boot: u128,
    /// How long a board must stand still to be called quiet, milliseconds; 1000 as a rule.
    pub settle_ms: u64,
}

/// What the core learns of its link. It changes what is shown and nothing else: the clock never depends on the link. Only a game that is
/// known to go on on another clock is not played on this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkNews {
    /// The service took the clock in.
    Up {
        /// Events up to here are durable there.
        acked: u64,
        /// The game it wants on this clock; empty when none.
        game: String,
        /// The newest revision wanted in it.
        desired_rev: u64,
    },
    /// Events are durable, and this is what they led to.
    Acked {
        /// Up to here.
        through: u64,
        /// The newest revision wanted.
        desired_rev: u64,
    },
    /// The game of this clock goes on on that one.
    Moved(String),
    /// The newest revision wanted.
    Desired(u64),
    /// The link is down, for a reason worth showing when there is one.
    Down(Option<Words>),
}
