//! The virtual player of a PGN game: hands on the board, a finger on the clock, and obedience to the arbiter. No IO.
//!
//! ```text
//!   opening ──▶ running: ply after ply ──▶ done
//!                 │  ▲                  \
//!     stopped by  │  │ position restored, ▶ over (the service ended the game)
//!     a directive ▼  │ clock started
//!                paused
//! ```
//!
//! The clock is external: what it shows is what the file says, moved by whatever the arbiter has set. An irregularity to be
//! committed comes before the real move of its ply; the real move follows once the arbiter lets play go on.

mod mischief;
#[cfg(test)]
mod tests;

use flagfall_clock::sense::{Dial, FaultKind, Sense, Sensed};
use flagfall_rules::{
    board::{Kind, Man, Scan, Turn, infer},
    clock::{Colour, Face, Going, Place},
    time::Millis,
};
use shakmaty::{Chess, Position};

use super::{
    inject::{self, Injected, Injection},
    lexer::Fault,
    pgn::{PgnGame, PgnMove},
    reckoning::{Reckoning, Timing},
    script::{Touch, carry_out, restore, vary},
};

/// How long the board stands still before the clock is started, and after a press that is waited for, milliseconds.
const REST: u64 = 1_300;

/// The most corrections one game is believed to need.
const STOPS_MAX: usize = 100;

/// What the clock's display says, as far as a player heeds it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// What the clock does.
    pub going: Going,
    /// Whose time runs, or will.
    pub turn: Colour,
    /// Both readings, White first.
    pub left: [Option<Millis>; 2],
    /// The position to restore, FEN; empty: the board is right.
    pub position: &'a str,
}

/// What the player does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Something the hardware senses.
    Act(Vec<Sensed>),
    /// Nothing more: the game is over, or the file is.
    Done,
}

/// A player of both colours.
#[derive(Clone, Debug)]
pub struct Player {
    moves: Vec<PgnMove>,
    /// The position before each ply, and after the last.
    positions: Vec<Chess>,
    injections: Vec<Injection>,
    reckoning: Reckoning,
    faults: Vec<Fault>,
    /// Device time, milliseconds.
    now: u64,
    /// The board as it stands, in the game's orientation.
    board: Scan,
    /// How its sensors lie.
    lies: Turn,
    running: bool,
    turn: Colour,
    /// The next ply, from 0.
    next: usize,
    /// The next ply is on the board already and only has to be pressed.
    press_only: bool,
    /// Something was committed and has to be noticed before play can go on.
    awaiting: Option<Injection>,
    stops: usize,
    /// Play cannot go on, whatever the clock says.
    given_up: bool,
}

impl Player {
    /// Sits down to a game. Irregularities that need something the game does not have become faults.
    #[must_use]
    pub fn new(game: &PgnGame, injections: &[Injection]) -> Player {
        let mut positions = vec![game.start.clone()];
        let mut position = game.start.clone();
        for PgnMove { m, .. } in &game.moves {
            position.play_unchecked(*m);
            positions.push(position.clone());
        }
        let first: Colour = game.start.turn().into();
        let mut player = Player {
            board: infer::scan(&game.start),
            lies: Turn::None,
            reckoning: Reckoning::new(game.control.clone(), &game.moves, first),
            moves: game.moves.clone(),
            positions,
            injections: Vec::new(),
            faults: Vec::new(),
            now: 1_000,
            running: false,
            turn: first,
            next: 0,
            press_only: false,
            awaiting: None,
            stops: 0,
            given_up: false,
        };
        injections.iter().for_each(|&injection| player.plan(injection));
        player
    }

    /// What could not be played as asked.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Device time, milliseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How many plies of the file were played.
    #[must_use]
    pub fn played(&self) -> usize {
        self.next
    }

    /// Men are set up, the clock is set and started.
    pub fn opening(&mut self) -> Vec<Sensed> {
        for kind in
            self.injections.extract_if(.., |injection| injection.kind.at_start()).map(|i| i.kind).collect::<Vec<_>>()
        {
            match (kind, inject::wrong_start(&self.positions[0])) {
                (Injected::BoardTurned, _) => self.lies = Turn::ThreeQuarters,
                (_, Some(board)) => self.board = board,
                (_, None) => self.fault(0, "no two men can be exchanged in the initial position"),
            }
        }
        let mut out = vec![self.see()];
        self.now += 500;
        out.push(self.dial());
        self.now += 2 * REST;
        self.running = true;
        out.push(self.dial());
        out
    }

    /// The clock is asked to show a face, and does.
    pub fn answer(&mut self, face: &Face) -> Vec<Sensed> {
        self.now += 40;
        self.running = face.going == Going::Running;
        self.turn = face.turn;
        self.reckoning.corrected(face.hands.map(|hand| hand.left));
        let done = Sensed { at: self.now, sense: Sense::DialDone(Ok(())) };
        vec![done, self.dial()]
    }

    /// Asked whenever everything sensed so far has had all its consequences.
    pub fn next(&mut self, view: &View<'_>) -> Deed {
        match view.going {
            _ if self.given_up => Deed::Done,
            Going::Over => Deed::Done,
            Going::Paused | Going::Idle => self.resume(view),
            Going::Running => self.go_on(),
        }
    }

    /// The file is at its end: time passes, so that the last board settles.
    pub fn linger(&mut self) -> Vec<Sensed> {
        self.now += 2_000;
        vec![Sensed { at: self.now, sense: Sense::Tick }]
    }

    /// Nothing more will come.
    pub fn leave(&mut self) -> Vec<Sensed> {
        self.now += 10;
        vec![Sensed { at: self.now, sense: Sense::Fault(FaultKind::SourceEnded, String::new()) }]
    }

    fn fault(&mut self, ply: usize, what: &str) {
        self.faults.push(Fault { ply, what: what.to_owned() });
    }

    fn give_up(&mut self, ply: usize, what: &str) -> Deed {
        self.fault(ply, what);
        self.given_up = true;
        Deed::Done
    }

    fn go_on(&mut self) -> Deed {
        if let Some(injection) = self.awaiting.take() {
            let text = format!("the injected {} led to no ruling; the rest is not played", injection.kind.name());
            return self.give_up(injection.ply, &text);
        }
        let Some(&m) = self.moves.get(self.next) else { return Deed::Done };
        let due = self.injections.iter().position(|injection| injection.ply == self.next + 1);
        match due.map(|index| self.injections.remove(index)) {
            Some(injection) => Deed::Act(self.commit(injection, &m)),
            None => Deed::Act(self.ply(&m, &[], Vec::new())),
        }
    }

    fn position(&self) -> &Chess {
        &self.positions[self.next.min(self.positions.len() - 1)]
    }

    fn mover(&self) -> Colour {
        self.position().turn().into()
    }

    fn seed(&self) -> u64 {
        vary(self.next as u64)
    }

    /// The real move of the file, with men displaced beside it.
    fn ply(&mut self, m: &PgnMove, beside: &[Touch], mut out: Vec<Sensed>) -> Vec<Sensed> {
        let (mover, seed, start) = (self.mover(), self.seed(), self.now);
        let timing = self.reckoning.ply(mover, m);
        let mut steps = if self.press_only { Vec::new() } else { carry_out(self.position(), m.m, seed) };
        steps.extend(beside);
        if timing.used > 6_000 && seed.is_multiple_of(7) {
            self.adjust(mover, &mut out);
        }
        // Boards are slower than buttons now and then. A taken pawn still standing at the press would be another matter.
        let lags = seed.is_multiple_of(9) && beside.is_empty() && !m.m.is_en_passant() && !steps.is_empty();
        let late = if lags { steps.pop() } else { None };
        self.act(steps, &timing, start, &mut out);
        if let Some(touch) = late {
            self.now += 30;
            self.touch(touch, &mut out);
        }
        self.next += 1;
        self.press_only = false;
        out
    }

    /// Carries steps out within the time used since `start`, and presses at its end.
    fn act(&mut self, steps: Vec<Touch>, timing: &Timing, start: u64, out: &mut Vec<Sensed>) {
        let mover = self.mover();
        let used = timing.used.unsigned_abs();
        let press = self.now.max(start + used);
        let n = steps.len() as u64;
        let gap = (used.saturating_sub(60) / (n + 1)).clamp(1, 150);
        for (nth, touch) in (0..n).zip(steps) {
            self.now = self.now.max(press.saturating_sub(30 + gap * (n - nth)));
            self.touch(touch, out);
        }
        if let Some(before) = timing.before {
            self.now = self.now.max(press.saturating_sub(10));
            let mut shown = self.reckoning.shown();
            shown[mover.index()] = Some(before);
            out.push(self.face(shown));
        }
        self.now = self.now.max(press);
        self.turn = mover.other();
        out.push(self.dial());
    }

    /// J'adoube: a man of the player to move is lifted and put back.
    fn adjust(&mut self, mover: Colour, out: &mut Vec<Sensed>) {
        let fit = |man: Man| man.colour == mover && man.kind != Kind::King;
        let own: Vec<u8> = (0..64u8).filter(|&square| self.board.at(square).is_some_and(fit)).collect();
        let Some(&square) = own.get((self.seed() / 7) as usize % own.len().max(1)) else { return };
        let man = self.board.at(square);
        for (wait, man) in [(1_500, None), (700, man)] {
            self.now += wait;
            self.touch(Touch { square, man }, out);
        }
    }

    fn touch(&mut self, touch: Touch, out: &mut Vec<Sensed>) {
        self.board.put(touch.square, touch.man);
        out.push(self.see());
    }

    fn resume(&mut self, view: &View<'_>) -> Deed {
        self.stops += 1;
        self.awaiting = None;
        if self.stops > STOPS_MAX {
            return self.give_up(self.next + 1, "the game is stopped again and again; the rest is not played");
        }
        let mut out = Vec::new();
        if let Some(target) = Scan::from_fen(view.position) {
            self.lies = Turn::None;
            for touch in restore(&self.board, &target) {
                self.now += 150;
                self.touch(touch, &mut out);
            }
            // The board may have been turned without a man being touched.
            self.now += 150;
            out.push(self.see());
        }
        let Some((next, press_only)) = self.place(view.turn) else {
            return self.give_up(
                self.next + 1,
                "the position to go on from does not occur in the file; the rest is not played",
            );
        };
        if next != self.next {
            self.reckoning = self.reckoning.before(&self.moves, self.positions[0].turn().into(), next);
        }
        // Where the display would not show it, the players set the clock themselves.
        self.reckoning.corrected(view.left);
        (self.next, self.press_only) = (next, press_only);
        self.now += REST;
        (self.running, self.turn) = (true, view.turn);
        out.push(self.dial());
        Deed::Act(out)
    }

    /// Where in the file play goes on: the nearest ply whose board stands there. When it is the mover's turn still, his move
    /// stands on the board and he only presses.
    fn place(&self, turn: Colour) -> Option<(usize, bool)> {
        let mut plies: Vec<usize> = (0..self.positions.len()).collect();
        plies.sort_by_key(|ply| ply.abs_diff(self.next));
        plies.into_iter().filter(|&ply| infer::scan(&self.positions[ply]) == self.board).find_map(|ply| {
            let mover: Colour = self.positions[ply].turn().into();
            if mover == turn { Some((ply, false)) } else { ply.checked_sub(1).map(|before| (before, true)) }
        })
    }

    fn see(&self) -> Sensed {
        Sensed { at: self.now, sense: Sense::Board(self.board.turned(self.lies)) }
    }

    fn dial(&self) -> Sensed {
        self.face(self.reckoning.shown())
    }

    fn face(&self, left: [Option<Millis>; 2]) -> Sensed {
        let turn = Some(if self.turn == Colour::White { Place::Left } else { Place::Right });
        let dial = Dial { left, flags: [false; 2], running: self.running, turn };
        Sensed { at: self.now, sense: Sense::Dial(dial) }
    }
}
