//! Directives: judged, carried out once, remembered, reported.
//!
//! ```text
//!              ┌─ handled before ──────────────▶ reported again, as it ended
//!   receive ───┼─ another is on its way ───────▶ queued ──┐
//!              └─ judge ◀─────────────────────────────────┘
//!                   ├─ objection ──────────────▶ REJECTED(reason); its revision counts as handled
//!                   ├─ done at once ───────────▶ APPLIED
//!                   └─ the external clock's ───▶ RECEIVED, Ask::Dial ─ DialDone ─▶ APPLIED | REJECTED(DISPLAY)
//! ```
//!
//! An own clock does everything at once. Of an external one only its times are its own: taking on a game, its end and
//! words are the display's business.

use flagfall_rules::clock::{Clock, Colour, Face, Going, Hand, run::LONGEST};

use super::{
    Act, Applied, Cause, Core, Directive, Effect, Errand, External, Keeper, RejectReason, Report, Stage, What,
};
use crate::sense::Ask;

/// How many directives may wait for an external clock. What does not fit is sent again by the service.
const QUEUE_MAX: usize = 64;

impl Core {
    pub(super) fn receive(&mut self, directive: Directive) {
        if let Some(handled) = self.memory.handled.get(&directive.id) {
            let (stage, reason, before) = (handled.stage, handled.reason, handled.before);
            self.report(&directive, stage, reason, before);
        } else if self.busy() {
            if self.queue.len() < QUEUE_MAX && self.queue.iter().all(|queued| queued.id != directive.id) {
                self.queue.push_back(directive);
            }
        } else {
            self.judge(&directive);
        }
    }

    /// The hardware answered what it was asked first.
    pub(super) fn dial_done(&mut self, done: Result<(), String>) {
        if let Some(errand) = self.errands.pop_front() {
            self.answered(errand, done);
        }
    }

    pub(super) fn answered(&mut self, errand: Errand, done: Result<(), String>) {
        match done {
            Err(reason) => {
                self.trouble.set(Cause::Display, format!("the clock did not take its setting: {reason}"));
                if errand == Errand::Directive {
                    self.refused(RejectReason::Display);
                }
            }
            Ok(()) => {
                self.trouble.clear(Cause::Display);
                if errand == Errand::Directive {
                    self.done();
                }
            }
        }
    }

    /// A directive was on its way to the external clock when this device lost power. Now that the clock is read it can
    /// be seen whether it arrived: then it is done, else it is sent on its way once more.
    pub(super) fn take_up(&mut self) {
        let (Some(pending), Keeper::External(external)) = (self.memory.pending.clone(), &self.keeper) else { return };
        if self.errands.contains(&Errand::Directive) || !external.is_read() {
            return;
        }
        let arrived = match &pending.directive.act {
            Act::Add { colour, .. } => external.face().hand(*colour).left > pending.before.hand(*colour).left,
            Act::Stop { .. } => !external.runs(),
            Act::Run { .. } => external.runs(),
            _ => external.shows(&pending.wanted),
        };
        if arrived {
            self.done();
        } else if self.expired(&pending.directive) {
            self.refused(RejectReason::Expired);
        } else {
            let wanted = wanted(&pending.directive.act, self.face()).unwrap_or(pending.wanted);
            self.ask(&pending.directive, wanted);
        }
    }

    fn judge(&mut self, directive: &Directive) {
        if let Some(reason) = self.objection(directive) {
            self.reject(directive, reason);
            return;
        }
        let before = self.face();
        match wanted(&directive.act, before).filter(|_| matches!(self.keeper, Keeper::External(_))) {
            Some(wanted) => {
                self.ask(directive, wanted);
                self.report(directive, Stage::Received, None, None);
            }
            None => {
                self.tell_scan(self.now, before);
                self.carry_out(&directive.act, before);
                let after = self.face();
                self.remember(directive, Stage::Applied, None, before, after);
                self.report(directive, Stage::Applied, None, Some(before));
            }
        }
    }

    /// What speaks against carrying it out.
    fn objection(&self, directive: &Directive) -> Option<RejectReason> {
        let replaced = |by: &Directive| by.supersedes.contains(&directive.id);
        let Directive { rev, expected_rev, .. } = *directive;
        let follows = if self.takes_on(directive) {
            expected_rev.checked_add(1) == Some(rev)
        } else {
            directive.game == self.memory.game && expected_rev == self.memory.rev && rev > self.memory.rev
        };
        if self.memory.superseded.contains(&directive.id) || self.queue.iter().any(replaced) {
            Some(RejectReason::Superseded)
        } else if !follows {
            Some(RejectReason::Revision)
        } else if !self.supports(&directive.act) {
            Some(RejectReason::Unsupported)
        } else if self.expired(directive) {
            Some(RejectReason::Expired)
        } else if directive.as_of_seq != 0 && self.memory.last_press > directive.as_of_seq {
            Some(RejectReason::Overtaken)
        } else {
            None
        }
    }

    /// A game is taken on at any revision: it may come from another clock, or come back from one.
    fn takes_on(&self, directive: &Directive) -> bool {
        let later = directive.game == self.memory.game && directive.rev > self.memory.rev;
        self.begins_another_game(directive) || later && matches!(directive.act, Act::Prepare { .. })
    }

    fn begins_another_game(&self, directive: &Directive) -> bool {
        matches!(directive.act, Act::Prepare { .. }) && directive.game != self.memory.game
    }

    fn expired(&self, directive: &Directive) -> bool {
        directive.not_after.is_some_and(|limit| limit.boot != self.settings.boot || self.now > limit.ms)
    }

    /// Whether this clock, as it now is, can do that at all.
    fn supports(&self, act: &Act) -> bool {
        let face = self.face();
        let external = matches!(self.keeper, Keeper::External(_));
        let set = external || matches!(self.keeper, Keeper::Own(Some(_)));
        match act {
            Act::Prepare { control, .. } => external || control.is_some() || self.settings.default_control.is_some(),
            Act::Stop { .. } => set,
            // A time that is not known can neither be run nor shown.
            Act::Set { hands, .. } => set && hands.iter().all(|hand| hand.left.is_some()),
            Act::Add { colour, amount, .. } => {
                let Hand { left, flagged, .. } = *face.hand(*colour);
                set && *amount > 0 && left.is_some() && !flagged && face.going != Going::Over
            }
            Act::Run { .. } => set && face.going != Going::Over,
            Act::Conclude { .. } | Act::Show { .. } => true,
            Act::Unsupported(_) => false,
        }
    }

    /// Does at once what needs no answer from an external clock.
    fn carry_out(&mut self, act: &Act, before: Face) {
        let now = self.now;
        if let Act::Prepare { control, white_place, .. } = act {
            let control = control.clone().or_else(|| self.settings.default_control.clone());
            match &mut self.keeper {
                Keeper::Own(clock) => *clock = control.map(|control| Clock::new(control, *white_place)),
                Keeper::External(external) => external.prepare(*white_place),
            }
            self.board.anew(now);
        }
        match &mut self.keeper {
            Keeper::Own(Some(clock)) => own(clock, now, act),
            Keeper::Own(None) => {}
            Keeper::External(external) => {
                if matches!(act, Act::Conclude { .. }) {
                    external.conclude();
                    if before.going == Going::Running {
                        self.errands.push_back(Errand::Courtesy);
                        self.out.push(Effect::Ask(Ask::Dial(external.face())));
                    }
                }
            }
        }
        match act {
            Act::Stop { .. } => self.out.push(Effect::Ask(Ask::Beep)),
            Act::Prepare { .. } | Act::Set { .. } | Act::Run { .. } | Act::Conclude { .. } => {
                self.trouble.clear(Cause::Power);
            }
            Act::Add { .. } | Act::Show { .. } | Act::Unsupported(_) => {}
        }
    }

    /// Sends a directive on its way to the external clock.
    fn ask(&mut self, directive: &Directive, wanted: Face) {
        let before = self.face();
        self.tell_scan(self.now, before);
        if let Keeper::External(external) = &mut self.keeper {
            external.setting(wanted);
        }
        self.remember(directive, Stage::Received, None, before, wanted);
        self.errands.push_back(Errand::Directive);
        self.out.push(Effect::Ask(Ask::Dial(wanted)));
    }

    /// The external clock took the pending directive.
    fn done(&mut self) {
        let before = self.face();
        self.tell_scan(self.now, before);
        let (Some(pending), Keeper::External(external)) = (self.memory.pending.clone(), &mut self.keeper) else {
            return;
        };
        let after = after(&pending.directive.act, external, &pending.wanted);
        external.set(self.now, after);
        self.remember(&pending.directive, Stage::Applied, None, pending.before, after);
        self.report(&pending.directive, Stage::Applied, None, Some(pending.before));
        self.judge_queued();
    }

    /// The external clock did not take the pending directive, or must not any more.
    fn refused(&mut self, reason: RejectReason) {
        let before = self.face();
        let (Some(pending), Keeper::External(external)) = (self.memory.pending.clone(), &mut self.keeper) else {
            return;
        };
        // What it did meanwhile was no echo of a setting after all.
        let told = external.expire();
        self.reject(&pending.directive, reason);
        self.tell_all(told, before);
        self.judge_queued();
    }

    fn judge_queued(&mut self) {
        while !self.busy()
            && let Some(directive) = self.queue.pop_front()
        {
            self.judge(&directive);
        }
    }

    fn reject(&mut self, directive: &Directive, reason: RejectReason) {
        let face = self.face();
        self.tell_scan(self.now, face);
        self.remember(directive, Stage::Rejected, Some(reason), face, face);
        self.report(directive, Stage::Rejected, Some(reason), None);
    }

    fn remember(
        &mut self,
        directive: &Directive,
        stage: Stage,
        reason: Option<RejectReason>,
        before: Face,
        after: Face,
    ) {
        let applied = Applied { directive: directive.clone(), stage, reason, at: self.now, before, after };
        if stage == Stage::Applied && self.begins_another_game(directive) {
            // What was wanted of the game before says nothing about this one.
            let known = self.link.game == directive.game;
            self.link.desired_rev = if known { self.link.desired_rev.max(directive.rev) } else { directive.rev };
            self.link.game.clone_from(&directive.game);
        }
        self.memory.applied(self.moment(self.now), &applied);
        self.out.push(Effect::Applied(Box::new(applied)));
    }

    fn report(&mut self, directive: &Directive, stage: Stage, reason: Option<RejectReason>, before: Option<Face>) {
        let face = self.face();
        self.tell_scan(self.now, face);
        let report = Report { id: directive.id.clone(), rev: directive.rev, stage, reason, before };
        self.spool(self.now, face, directive.traceparent.clone(), What::Report(report));
    }
}

/// Carries out on an own clock what concerns its times. `supports` has seen that it can be done.
fn own(clock: &mut Clock, now: u64, act: &Act) {
    match act {
        Act::Stop { .. } => drop(clock.stop(now)),
        Act::Set { hands, turn, run, white_place, .. } => drop(clock.set(now, *hands, *turn, *white_place, *run)),
        Act::Add { colour, amount, .. } => drop(clock.add(now, *colour, *amount)),
        Act::Conclude { .. } => drop(clock.conclude(now)),
        Act::Run { .. } => {
            let face = clock.face(now);
            // A clock that runs already does what is asked.
            let _ = if face.going == Going::Idle { clock.start(now, face.turn) } else { clock.resume(now) };
        }
        Act::Prepare { .. } | Act::Show { .. } | Act::Unsupported(_) => {}
    }
}

/// The face an external clock must be brought to; `None` when it has nothing to do for it.
fn wanted(act: &Act, face: Face) -> Option<Face> {
    let running = face.going == Going::Running;
    match act {
        Act::Stop { .. } if running => Some(Face { going: Going::Paused, ..face }),
        Act::Run { .. } if !running => Some(Face { going: Going::Running, ..face }),
        Act::Set { hands, turn, run, white_place, .. } => Some(Face {
            hands: hands.map(|hand| Hand { left: hand.left.map(|left| left.clamp(0, LONGEST)), ..hand }),
            turn: *turn,
            going: if *run { Going::Running } else { Going::Paused },
            first_flag: match hands.map(|hand| hand.flagged) {
                [false, false] => None,
                [true, false] => Some(Colour::White),
                [false, true] => Some(Colour::Black),
                [true, true] => face.first_flag,
            },
            white_place: *white_place,
        }),
        Act::Add { colour, amount, .. } => {
            let mut wanted = face;
            let hand = wanted.hand_mut(*colour);
            hand.left = hand.left.map(|left| left.saturating_add(*amount).clamp(0, LONGEST));
            Some(wanted)
        }
        _ => None,
    }
}

/// The face of an external clock after it took a setting: what was set, and what its players did meanwhile.
fn after(act: &Act, external: &External, wanted: &Face) -> Face {
    let face = external.face();
    match act {
        Act::Stop { .. } => Face { going: Going::Paused, ..face },
        Act::Run { .. } => Face { going: Going::Running, ..face },
        Act::Add { colour, .. } => {
            let mut after = face;
            after.hand_mut(*colour).left = wanted.hand(*colour).left;
            after
        }
        _ => *wanted,
    }
}
