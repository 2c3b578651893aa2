//! Device time of a log that says nothing of when its messages arrived.

use flagfall_clock::hw::dgt::decode::{Message, Reading};
use flagfall_rules::{
    clock::Place,
    time::{MINUTE, Millis},
};

use super::shown::half;

/// What passes with a message that says nothing of time, milliseconds.
pub(super) const GAP: u64 = 20;

/// Without a clock, or with one that stands: what passes before a man is lifted after another was put down, milliseconds.
pub(super) const PAUSE: u64 = 1_200;

/// A fall of more than this in one frame is no time that passed but another reading.
const LEAP: Millis = MINUTE;

/// Device time.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    now: u64,
    /// When the running side last lost a second.
    second: u64,
    last: Option<Reading>,
    /// A man was put down last.
    put_down: bool,
}

impl Timeline {
    pub(super) fn take(&mut self, message: &Message) {
        let reading = match message {
            Message::Time(reading) => reading,
            Message::FieldUpdate(_, man) => {
                let clockless = self.last.is_none_or(|last| last.not_connected || !last.running);
                self.now += if clockless && self.put_down && man.is_none() { PAUSE } else { 0 };
                self.put_down = man.is_some();
                return;
            }
            _ => return,
        };
        let last = self.last.replace(*reading);
        let Some(last) = last.filter(|_| reading.running && !reading.not_connected) else { return };
        let Some(side) = half(reading) else { return };
        let at = usize::from(side == Place::Right);
        match (last.times[at], reading.times[at]) {
            (Some(before), Some(now)) if (1..=LEAP).contains(&(before - now)) && half(&last) == Some(side) => {
                self.second += (before - now).unsigned_abs();
                self.now = self.now.max(self.second);
            }
            // Another side, another clock: seconds begin anew.
            _ if half(&last) != Some(side) || !last.running => self.second = self.now,
            _ => {}
        }
        self.second = self.second.max(self.now.saturating_sub(999));
    }

    pub(super) fn next(&mut self) -> u64 {
        self.now += GAP;
        self.now
    }
}
