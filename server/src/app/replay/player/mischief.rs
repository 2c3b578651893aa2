//! What the virtual player does wrong on purpose.

use flagfall_clock::sense::Sensed;
use flagfall_rules::{
    board::{Kind, Man},
    clock::Colour,
    time::Millis,
};
use shakmaty::Role;

use super::{Player, REST};
use crate::app::replay::{
    inject::{self, Injected, Injection},
    pgn::PgnMove,
    script::Touch,
};

/// How much more than before a jumping clock shows, milliseconds: more than any increment, less than any bonus at a control.
const LEAP: Millis = 300_000;

impl Player {
    /// Takes an order in, if the game has what it needs.
    pub(super) fn plan(&mut self, mut injection: Injection) {
        let queens = |m: &PgnMove| m.m.promotion() == Some(Role::Queen);
        if injection.kind == Injected::PawnLeft {
            let from = injection.ply - 1;
            match self.moves.iter().skip(from).position(queens) {
                Some(after) => injection.ply += after,
                None => {
                    return self.fault(injection.ply, "no promotion to a queen follows in which a pawn could be left");
                }
            }
        }
        if injection.ply > self.moves.len() && !injection.kind.at_start() {
            let text =
                format!("the game has only {} plies: no {} is injected", self.moves.len(), injection.kind.name());
            return self.fault(injection.ply, &text);
        }
        self.injections.push(injection);
    }

    /// Commits what was ordered at this ply.
    pub(super) fn commit(&mut self, injection: Injection, m: &PgnMove) -> Vec<Sensed> {
        let (mover, seed) = (self.mover(), self.seed());
        match injection.kind {
            Injected::ClockJump => {
                match (self.reckoning.shown()[mover.index()], self.reckoning.clone().ply(mover, m).after) {
                    (Some(before), Some(after)) if after < before + LEAP => {
                        self.reckoning.shift(mover, before + LEAP - after);
                        self.ply(m, &[], Vec::new())
                    }
                    _ => self.impossible(injection, m),
                }
            }
            Injected::ImpossibleBoard => {
                let mut out = Vec::new();
                if let Some(ghost) = inject::ghost(&self.board) {
                    self.now += 100;
                    self.touch(ghost, &mut out);
                    self.now += 2_000;
                    self.touch(Touch { man: None, ..ghost }, &mut out);
                    // The time the ghost took is the mover's, and the file knows nothing of it.
                    self.reckoning.shift(mover, -2_100);
                }
                self.ply(m, &[], out)
            }
            Injected::Displaced => match inject::displaced(self.position(), m.m, seed) {
                Some(beside) => {
                    let mut out = self.ply(m, &beside, Vec::new());
                    self.await_ruling(injection, mover.other(), &mut out);
                    out
                }
                None => self.impossible(injection, m),
            },
            Injected::IllegalMove => match inject::illegal_move(self.position(), seed) {
                Some(steps) => self.misplay(injection, steps),
                None => self.impossible(injection, m),
            },
            Injected::PressWithoutMove => self.misplay(injection, Vec::new()),
            Injected::PawnLeft => {
                let pawn = Some(Man { colour: mover, kind: Kind::Pawn });
                let steps = m.m.from().map(|from| Touch { square: from as u8, man: None }).into_iter();
                self.misplay(injection, steps.chain([Touch { square: m.m.to() as u8, man: pawn }]).collect())
            }
            Injected::WrongStart | Injected::BoardTurned => self.impossible(injection, m),
        }
    }

    fn impossible(&mut self, injection: Injection, m: &PgnMove) -> Vec<Sensed> {
        let text = format!("no {} can be made of this ply", injection.kind.name());
        self.fault(injection.ply, &text);
        self.ply(m, &[], Vec::new())
    }

    /// Something that is no move of the file, and a press.
    fn misplay(&mut self, injection: Injection, steps: Vec<Touch>) -> Vec<Sensed> {
        let mover = self.mover();
        let timing = self.reckoning.aside(mover);
        let mut out = Vec::new();
        self.act(steps, &timing, self.now, &mut out);
        self.await_ruling(injection, mover.other(), &mut out);
        out
    }

    /// Everybody waits for the board to settle, and for the arbiter.
    fn await_ruling(&mut self, injection: Injection, running: Colour, out: &mut Vec<Sensed>) {
        self.now += REST;
        self.reckoning.shift(running, -(REST as Millis));
        out.push(self.dial());
        self.awaiting = Some(injection);
    }
}
