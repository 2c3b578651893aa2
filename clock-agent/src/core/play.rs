//! What players, boards and clocks do, and what it means.

use flagfall_rules::clock::{Colour, Going};

use super::{Cause, Core, Keeper, What, trouble::words};
use crate::sense::{Dial, FaultKind, Sense};

/// How long after bytes that were no message others are not told of, milliseconds: a bad cable must not fill the
/// journal.
const GARBLED_MS: u64 = 60_000;

/// The longest text of a fault, characters.
const DETAIL_MAX: usize = 200;

impl Core {
    /// What the hardware noticed.
    pub(super) fn sense(&mut self, sense: Sense) {
        let white = self.face().white_place;
        match sense {
            Sense::Button(place) => self.button(place.colour(white)),
            Sense::StartStop => self.start_stop(),
            Sense::Call(place) => self.tell(What::Call(place.map(|place| place.colour(white)))),
            Sense::Claim(place, kind) => self.tell(What::Claim(place.colour(white), kind)),
            Sense::Board(scan) => {
                self.trouble.clear(Cause::Garbled);
                self.board.sense(self.now, scan);
            }
            Sense::Dial(dial) => self.dial(dial),
            Sense::DialDone(done) => self.dial_done(done),
            Sense::Fault(kind, detail) => self.fault(kind, &detail),
            Sense::Tick => {}
        }
    }

    /// A player's button. At rest, the opponent's button starts the side to move; running, only that side's counts.
    fn button(&mut self, colour: Colour) {
        let before = self.face();
        let Keeper::Own(Some(clock)) = &mut self.keeper else { return };
        let what = match before.going {
            Going::Idle if !self.link.moved_to.is_empty() => None,
            Going::Idle if colour != before.turn => clock.start(self.now, before.turn).ok().map(|()| What::Started),
            Going::Running => clock.press(self.now, colour).ok().map(|_| What::Press(colour)),
            Going::Idle | Going::Paused | Going::Over => None,
        };
        self.tell_from(what, before);
    }

    pub(super) fn start_stop(&mut self) {
        let before = self.face();
        let Keeper::Own(Some(clock)) = &mut self.keeper else { return };
        let what = match before.going {
            Going::Idle | Going::Paused if !self.link.moved_to.is_empty() => None,
            Going::Idle => clock.start(self.now, before.turn).ok().map(|()| What::Started),
            Going::Running => clock.pause(self.now).ok().map(|_| What::Paused),
            Going::Paused => clock.resume(self.now).ok().map(|()| What::Resumed),
            Going::Over => None,
        };
        self.tell_from(what, before);
    }

    fn dial(&mut self, dial: Dial) {
        let before = self.face();
        let Keeper::External(external) = &self.keeper else { return };
        if external.was_pressed_unread(&dial) {
            self.fault(FaultKind::PressesMissed, "moves were made while nobody read the clock: check the score");
        }
        self.trouble.clear(Cause::Garbled);
        let Keeper::External(external) = &mut self.keeper else { return };
        let told = external.read(dial);
        self.tell_all(told, before);
        self.take_up();
    }

    /// Something is wrong, or right again.
    pub(super) fn fault(&mut self, kind: FaultKind, detail: &str) {
        let detail: String = detail.chars().take(DETAIL_MAX).collect();
        let (cause, back) = match kind {
            FaultKind::BoardLost => (Cause::Board, false),
            FaultKind::BoardBack => (Cause::Board, true),
            FaultKind::ClockLost => (Cause::Clock, false),
            FaultKind::ClockBack => (Cause::Clock, true),
            FaultKind::BatteryLow => (Cause::Battery, false),
            FaultKind::Garbled => (Cause::Garbled, false),
            FaultKind::SourceEnded => (Cause::Source, false),
            // What was lost is remembered; what was missed is over, and nothing is wrong with the device any more.
            FaultKind::PowerLost | FaultKind::PressesMissed => return self.tell(What::Fault(kind, detail)),
        };
        if let (true, Keeper::External(external)) = (kind.hides_presses(), &mut self.keeper) {
            external.is_unread();
        }
        if kind.hides_board() {
            // What was seen until now was seen; from now on nobody reads it.
            self.tell_scan(self.now, self.face());
            self.board.forget();
        }
        // What is already known to be wrong is not told again, or a loose plug would fill the journal.
        let known = match kind {
            FaultKind::Garbled => self.garbled_at.is_some_and(|at| self.now.saturating_sub(at) < GARBLED_MS),
            _ => !back && self.trouble.has(cause),
        };
        if back {
            self.trouble.clear(cause);
        } else {
            self.trouble.set(cause, words(name(kind), &detail));
        }
        if !known {
            self.garbled_at = if kind == FaultKind::Garbled { Some(self.now) } else { self.garbled_at };
            self.tell(What::Fault(kind, detail));
        }
    }
}

/// What a fault is and what helps, English and Russian.
pub(super) fn name(kind: FaultKind) -> [&'static str; 2] {
    match kind {
        FaultKind::PowerLost => [
            "set the clock: it restarted during a game and is paused at the last stored times",
            "установите время: часы перезапустились во время партии, пауза на последнем сохранённом времени",
        ],
        FaultKind::BoardLost => {
            ["check the board's cable: it does not answer", "проверьте кабель доски: она не отвечает"]
        }
        FaultKind::BoardBack => ["the board answers again", "доска снова отвечает"],
        FaultKind::ClockLost => {
            ["check the clock's cable: it does not answer", "проверьте кабель часов: они не отвечают"]
        }
        FaultKind::ClockBack => ["the clock answers again", "часы снова отвечают"],
        FaultKind::BatteryLow => ["replace the battery: it is low", "замените батарею: она разряжена"],
        FaultKind::Garbled => {
            ["check the board's cable: it sends garbled bytes", "проверьте кабель доски: на линии помехи"]
        }
        FaultKind::SourceEnded => ["the source has ended", "источник закончился"],
        FaultKind::PressesMissed => {
            ["the clock was pressed while nobody read it", "часы нажимали, пока их никто не читал"]
        }
    }
}
