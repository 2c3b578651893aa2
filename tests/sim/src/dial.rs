//! A physical clock: it keeps its time whatever becomes of the Pi that reads it.

use flagfall_clock::sense::Dial;
use flagfall_rules::clock::{Colour, Face, Going, Place};

/// See the module. White's half is the left one.
pub(crate) struct PhysicalClock {
    /// Left and right, milliseconds.
    left: [i64; 2],
    flags: [bool; 2],
    running: bool,
    turn: Place,
    increment: i64,
    told: Option<Dial>,
    /// A setting leaves the turn to the lever.
    minds_lever: bool,
    /// Times that were set forward, as they were: what the oracle counts. Left half or right, and by how much.
    pub(crate) leaps: Vec<(Place, i64)>,
}

fn half(place: Place) -> usize {
    usize::from(place == Place::Right)
}

impl PhysicalClock {
    pub(crate) fn new(base: i64, increment: i64, minds_lever: bool) -> PhysicalClock {
        let left = [base + increment; 2];
        let (flags, turn) = ([false; 2], Place::Left);
        PhysicalClock { left, flags, running: false, turn, increment, told: None, minds_lever, leaps: Vec::new() }
    }

    /// Time passes.
    pub(crate) fn tick(&mut self, ms: i64) {
        let at = half(self.turn);
        if self.running && !self.flags[at] {
            self.left[at] = (self.left[at] - ms).max(0);
            self.flags[at] = self.left[at] == 0;
        }
    }

    pub(crate) fn running(&self) -> bool {
        self.running
    }

    pub(crate) fn turn(&self) -> Place {
        self.turn
    }

    /// The lever goes down on this side; on a clock that stands nothing follows.
    pub(crate) fn press(&mut self, place: Place) {
        if self.running && self.turn == place {
            self.left[half(place)] += self.increment;
            self.turn = place.other();
        }
    }

    /// The start and stop button.
    pub(crate) fn start_stop(&mut self) {
        self.running = !self.running;
    }

    /// The clock is set from outside. `asked_at`: whose lever was up when the setting was sent; a clock that minds its lever
    /// leaves the turn to it, which somebody may have pressed meanwhile, and any other brings the old turn back.
    pub(crate) fn set(&mut self, face: &Face, asked_at: Place) {
        for colour in Colour::BOTH {
            let place = if colour == Colour::White { Place::Left } else { Place::Right };
            let (hand, at) = (face.hand(colour), half(place));
            if let Some(left) = hand.left {
                if left > self.left[at] + 10_000 {
                    self.leaps.push((place, left - self.left[at]));
                }
                self.left[at] = left;
            }
            self.flags[at] = hand.flagged;
        }
        let turn = if face.turn == Colour::White { Place::Left } else { Place::Right };
        if turn != asked_at || !self.minds_lever {
            self.turn = turn;
        }
        self.running = face.going == Going::Running;
    }

    /// A defect: what was added is added once more.
    pub(crate) fn add_again(&mut self, from: usize) {
        for (place, by) in self.leaps.split_off(from) {
            self.left[half(place)] += by;
            self.leaps.extend([(place, by); 2]);
        }
    }

    /// What it shows, in whole seconds as such clocks do.
    pub(crate) fn dial(&self) -> Dial {
        let left = self.left.map(|left| Some(left / 1_000 * 1_000));
        Dial { left, flags: self.flags, running: self.running, turn: Some(self.turn) }
    }

    /// What it shows, when that has changed since it was last asked.
    pub(crate) fn news(&mut self) -> Option<Dial> {
        let dial = Some(self.dial());
        (dial != self.told).then(|| {
            self.told = dial;
            dial
        })?
    }
}
