//! Reading an external clock: what its changes mean.
//!
//! ```text
//!           first running frame                running: no
//!    Idle ──────────────────────▶ Running ────────────────────▶ Paused ──┐ the turn may change: never a press
//!           Started                │  ▲ │     Flag, Paused        ▲  ◀───┘
//!                                  └──┘ └──────────────────────── ┘
//!                    turn changed: Press        running: Resumed
//! ```
//!
//! Readings are facts and are shown as they are. While the clock is being set, and until it shows what it was set to,
//! its frames are echoes of that: only what neither the old nor the new setting explains is a player's doing.
//!
//! A setting carries a turn, and brings it back over a press made while it was on its way. That change is the setting's,
//! never a press: the turn stays the players', and `orders` asks the clock for it. A press that no frame showed before such a setting
//! wrote over it has left nothing that tells of it: the player sees his time run and presses again, or the reply on the board
//! shows the service that a press is missing, and it shows that to the arbiter.

use flagfall_rules::{
    clock::{Colour, Face, Going, Hand, Place, control::MOVES_MAX, run::LONGEST},
    time::{Millis, SECOND},
};

use super::effect::What;
use crate::sense::Dial;

/// How long after it was set an external clock may take to show it, milliseconds.
pub(super) const ECHO_MS: u64 = 2_000;

/// How far a reading may be from what was set and still be it: displays show whole seconds, and one may have passed.
const TOLERANCE: Millis = 2 * SECOND;

/// An external clock as last read.
#[derive(Clone, Debug)]
pub(super) struct External {
    face: Face,
    last: Option<Dial>,
    /// Frames may have gone by unread since the last one: the next must be explained by at most one press.
    missed: bool,
    echo: Option<Echo>,
}

/// A setting under way, or just done.
#[derive(Clone, Copy, Debug)]
struct Echo {
    old: (bool, Colour),
    /// The turn that the setting carries, whatever the players have done since.
    carried: Colour,
    wanted: Face,
    /// What a press during the setting left, which the setting writes over.
    pressed: Option<Pressed>,
    /// When the echo is over, milliseconds; `None` while the setting is under way.
    until: Option<u64>,
}

/// A press while a setting was under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressed {
    by: Colour,
    /// Both times just after it, by colour.
    left: [Option<Millis>; 2],
    /// By how much the player's own time changed with it.
    gained: Millis,
}

impl Pressed {
    /// Puts these times back into a face.
    pub(super) fn restore(&self, face: &mut Face) {
        for colour in Colour::BOTH {
            face.hand_mut(colour).left = self.left[colour as usize];
        }
    }

    /// By how much the press changed the time of a side.
    pub(super) fn gained(&self, colour: Colour) -> Millis {
        if colour == self.by { self.gained } else { 0 }
    }
}

impl External {
    /// A clock with this face, not yet read.
    pub(super) fn new(face: Face) -> External {
        External { face, last: None, missed: true, echo: None }
    }

    /// The clock as it is known.
    pub(super) fn face(&self) -> Face {
        self.face
    }

    /// It was read at least once.
    pub(super) fn is_read(&self) -> bool {
        self.last.is_some()
    }

    /// It was seen running when it was last read.
    pub(super) fn runs(&self) -> bool {
        self.last.is_some_and(|dial| dial.running)
    }

    /// What it shows next is news, whatever it showed before.
    pub(super) fn unread(&mut self) {
        self.last = None;
    }

    /// Nobody reads it for a while.
    pub(super) fn is_unread(&mut self) {
        self.missed = true;
    }

    /// It ran while nobody read it, and was pressed more than once: its turn tells of one press, and the times of this frame are
    /// neither those of a clock that was left alone or pressed once, nor those of a setting under way.
    pub(super) fn was_pressed_unread(&self, dial: &Dial) -> bool {
        let set = self.echo.iter().flat_map(|echo| [echo.wanted, Face { turn: echo.carried, ..echo.wanted }]);
        let mut known = set.chain([self.face]);
        self.missed && self.face.going == Going::Running && !known.any(|face| self.is_one_press_from(&face, dial))
    }

    /// At most one press lies between this face and a frame: whoever runs now has gained nothing, whoever waits did so all the time.
    fn is_one_press_from(&self, face: &Face, dial: &Dial) -> bool {
        let runs = self.turn(dial);
        self.lefts(dial).into_iter().all(|(colour, left)| match face.hand(colour).left.zip(left) {
            Some((was, is)) if colour == runs => is < was + SECOND,
            Some((was, is)) => colour == face.turn || is.abs_diff(was) < SECOND.unsigned_abs(),
            None => true,
        })
    }

    /// Takes on a game: counters and flags begin anew, or go on from how the game stands; the readings stay facts.
    pub(super) fn prepare(&mut self, white_place: Place, stands: Option<Face>) {
        self.face = stands.map_or(Face::unknown(white_place), |stands| Face { white_place, ..stands });
        self.echo = None;
        if stands.is_some_and(|stands| matches!(stands.going, Going::Running | Going::Paused)) {
            self.face.going = if self.runs() { Going::Running } else { Going::Paused };
        }
        if let Some(dial) = self.last {
            self.adopt(&dial);
        }
    }

    /// The game is over: frames mean nothing until another begins.
    pub(super) fn conclude(&mut self) {
        self.face.going = Going::Over;
        self.echo = None;
    }

    /// The hardware is about to be asked for this face; `turn` is what the clock shows as long as it is not done.
    pub(super) fn setting(&mut self, wanted: Face, turn: Colour) {
        let old = (self.face.going == Going::Running, turn);
        self.echo = Some(Echo { old, carried: wanted.turn, wanted, pressed: None, until: None });
    }

    /// The last press made while the setting was under way.
    pub(super) fn pressed(&self) -> Option<Pressed> {
        self.echo.and_then(|echo| echo.pressed)
    }

    /// The hardware did it, and this is the face now.
    pub(super) fn set(&mut self, now: u64, face: Face) {
        let shown = self.last.is_some_and(|dial| shows(&dial, &face));
        self.face = face;
        self.echo = self.echo.filter(|_| !shown).map(|echo| Echo {
            wanted: face,
            until: Some(now.saturating_add(ECHO_MS)),
            ..echo
        });
    }

    /// The clock shows what this face has come to if nobody touched it since: `passed`, how long that is in milliseconds, is known
    /// or the face stands. A reading that is not known explains nothing.
    pub(super) fn explained_by(&self, face: &Face, passed: Option<u64>) -> bool {
        let mut now = *face;
        if face.going == Going::Running {
            let Some(passed) = passed else { return false };
            let hand = now.hand_mut(face.turn);
            hand.left =
                hand.left.map(|left| left.saturating_sub(Millis::try_from(passed).unwrap_or(Millis::MAX)).max(0));
        }
        let known = now.hands.iter().all(|hand| hand.left.is_some());
        known && self.last.is_some_and(|dial| shows(&dial, &now))
    }

    /// When [`External::expire`] has something to do.
    pub(super) fn due(&self) -> Option<u64> {
        self.echo.and_then(|echo| echo.until)
    }

    /// The echo is over. What the clock shows now is a player's doing if the hardware refused; otherwise a turn that it shows may
    /// be a setting's, and is no press.
    pub(super) fn expire(&mut self, refused: bool) -> Vec<(What, Face)> {
        self.echo = None;
        let before = self.last.filter(|_| !refused);
        self.last.map_or_else(Vec::new, |dial| self.follow(&dial, before.as_ref()))
    }

    /// Takes in a frame. Returns what it means, in order, each with the face just after it.
    pub(super) fn read(&mut self, dial: Dial) -> Vec<(What, Face)> {
        self.missed = false;
        if self.last == Some(dial) {
            return Vec::new();
        }
        let before = self.last.replace(dial);
        if self.face.going == Going::Over {
            return Vec::new();
        }
        let (running, turn) = (dial.running, self.turn(&dial));
        let mut under_way = false;
        if let Some(echo) = &mut self.echo {
            let is_new = running == (echo.wanted.going == Going::Running) && turn == echo.wanted.turn;
            let is_carried = running && echo.wanted.going == Going::Running && turn == echo.carried;
            if is_new || is_carried || !running || (running, turn) == echo.old {
                if is_carried && echo.carried != echo.wanted.turn {
                    // It has arrived, over a press.
                    (echo.old, echo.carried) = ((running, turn), echo.wanted.turn);
                } else if is_new {
                    echo.old = (running, turn);
                }
                if echo.until.is_some() && shows(&dial, &echo.wanted) {
                    self.echo = None;
                }
                return self.absorb(&dial, before.as_ref());
            }
            // A player acted. What was set is history; a setting still under way that leaves the turn alone follows it.
            if echo.until.is_some() {
                self.echo = None;
            } else {
                let follows = echo.wanted.turn == echo.old.1;
                echo.old = (running, turn);
                echo.wanted.turn = if follows { turn } else { echo.wanted.turn };
                under_way = true;
            }
        }
        let was = self.face;
        let told = self.follow(&dial, before.as_ref());
        let by = told.iter().find_map(|(what, _)| if let What::Press(by) = what { Some(*by) } else { None });
        if let (Some(by), Some(echo)) = (by.filter(|_| under_way), &mut self.echo) {
            let gained = self.face.hand(by).left.zip(was.hand(by).left).map_or(0, |(is, was)| is.saturating_sub(was));
            echo.pressed = Some(Pressed { by, left: Colour::BOTH.map(|colour| self.face.hand(colour).left), gained });
        }
        told
    }

    /// The meaning of a frame that nothing but play explains. A press changes the turn that the clock showed `before`: one that
    /// only stays what a setting brought is the setting's still.
    fn follow(&mut self, dial: &Dial, before: Option<&Dial>) -> Vec<(What, Face)> {
        let mut told = Vec::new();
        let stays = dial.running && before.is_some_and(|before| before.running && self.turn(before) == self.turn(dial));
        let turn = if stays && self.face.going == Going::Running { self.face.turn } else { self.turn(dial) };
        let was = self.face;
        let flags = self.fallen(dial, None, before);
        self.readings(dial);
        for colour in flags {
            self.flag(colour, &mut told);
        }
        let what = match (was.going, dial.running) {
            (Going::Idle, true) => Some(What::Started),
            (Going::Running, true) if turn != was.turn => {
                let hand = self.face.hand_mut(was.turn);
                hand.moves = hand.moves.saturating_add(1).min(MOVES_MAX);
                Some(What::Press(was.turn))
            }
            (Going::Running, false) => Some(What::Paused),
            (Going::Paused, true) => Some(What::Resumed),
            _ => None,
        };
        self.face.turn = turn;
        self.face.going = match (was.going, dial.running) {
            (Going::Over, _) => Going::Over,
            (_, true) => Going::Running,
            (Going::Running, false) => Going::Paused,
            (going, false) => going,
        };
        told.extend(what.map(|what| (what, self.face)));
        told
    }

    /// A frame of a setting: its readings are facts, its coming and going is not a player's. A flag is one even now.
    fn absorb(&mut self, dial: &Dial, before: Option<&Dial>) -> Vec<(What, Face)> {
        let mut told = Vec::new();
        let flags = self.fallen(dial, before, before);
        for (colour, left) in self.lefts(dial) {
            self.face.hand_mut(colour).left = left;
        }
        for colour in flags {
            self.flag(colour, &mut told);
        }
        told
    }

    /// Flags that this frame shows and nothing showed before: neither the face nor, where that tells nothing, the frame `shown`. In an
    /// idle clock they are another game's. One that stood beside the time of a next period falls again when that has run out.
    fn fallen(&self, dial: &Dial, shown: Option<&Dial>, before: Option<&Dial>) -> Vec<Colour> {
        let white = self.face.white_place;
        let fallen = |colour: Colour| {
            let at = side(colour, white);
            let again = before.is_some_and(|before| before.flags[at] && before.left[at] > Some(0));
            let known = self.face.hand(colour).flagged || shown.is_some_and(|shown| shown.flags[at]);
            dial.flags[at] && (!known || (again && dial.left[at] == Some(0)))
        };
        let playing = self.face.going != Going::Idle;
        Colour::BOTH.into_iter().filter(|&colour| playing && fallen(colour)).collect()
    }

    fn flag(&mut self, colour: Colour, told: &mut Vec<(What, Face)>) {
        let hand = self.face.hand_mut(colour);
        hand.flagged = true;
        if hand.went_on().is_none() {
            self.face.first_flag.get_or_insert(colour);
        }
        told.push((What::Flag(colour), self.face));
    }

    /// The readings of a frame, and its flags as far as they are up or were told.
    fn readings(&mut self, dial: &Dial) {
        let white = self.face.white_place;
        for (colour, left) in self.lefts(dial) {
            let idle = self.face.going == Going::Idle;
            let hand: &mut Hand = self.face.hand_mut(colour);
            hand.left = left;
            hand.flagged = dial.flags[side(colour, white)] && (hand.flagged || idle);
        }
    }

    fn adopt(&mut self, dial: &Dial) {
        self.face.turn = self.turn(dial);
        self.readings(dial);
    }

    fn lefts(&self, dial: &Dial) -> [(Colour, Option<Millis>); 2] {
        // No clock shows less than nothing or more than this; whoever says so garbled it.
        let left = |colour| dial.left[side(colour, self.face.white_place)].map(|left| left.clamp(0, LONGEST));
        Colour::BOTH.map(|colour| (colour, left(colour)))
    }

    fn turn(&self, dial: &Dial) -> Colour {
        dial.turn.map_or(self.face.turn, |place| place.colour(self.face.white_place))
    }
}

/// Where a colour's half stands in a [`Dial`].
fn side(colour: Colour, white: Place) -> usize {
    let place = if colour == Colour::White { white } else { white.other() };
    usize::from(place == Place::Right)
}

/// Whether a frame shows a face, within what a display of whole seconds can show.
fn shows(dial: &Dial, face: &Face) -> bool {
    let near = |colour: Colour| match (dial.left[side(colour, face.white_place)], face.hand(colour).left) {
        (Some(is), Some(wanted)) => is.abs_diff(wanted) <= TOLERANCE.unsigned_abs(),
        (_, wanted) => wanted.is_none(),
    };
    let turn = dial.turn.is_none_or(|place| place.colour(face.white_place) == face.turn);
    dial.running == (face.going == Going::Running) && turn && Colour::BOTH.into_iter().all(near)
}

#[cfg(test)]
#[path = "external_tests.rs"]
mod tests;
