//! Directives: judged, carried out once, remembered, reported.
//!
//! ```text
//!              ┌─ handled before ──────────────▶ reported again, as it ended
//!              ├─ another under its number was ▶ REJECTED(REVISION)
//!   receive ───┼─ another is on its way ───────▶ queued ──┐
//!              └─ judge ◀─────────────────────────────────┘
//!                   ├─ objection ──────────────▶ REJECTED(reason); its revision counts as handled
//!                   ├─ done at once ───────────▶ APPLIED
//!                   └─ the external clock's ───▶ RECEIVED, stored as pending, Ask::Dial
//!                                                  ├─ done ──────▶ APPLIED
//!                                                  ├─ refused ───▶ REJECTED(DISPLAY)
//!                                                  └─ no answer, or power lost ─▶ the clock is read again (`doubt`)
//! ```
//!
//! - It is stored with the face before and the face wanted, in one fsynced record, before the clock is asked.
//! - The answer, what it says of the clock, and the report are one record again.
//! - A setting carries a turn. One that leaves it alone and arrives over a press is not done before the clock has been set to
//!   the players' turn again: the same directive, pending still, asks once more.
//! - Whatever ended, ended for good: sent again, the same directive is reported again as it ended.
//!
//! An own clock does everything at once. Of an external one only its times are its own: taking on a game, its end and
//! words are the display's business.

use std::ops::Range;

use flagfall_rules::clock::{Clock, Colour, Face, Going, Hand, run::LONGEST};

use super::{
    Act, Applied, Cause, Core, Directive, Effect, Errand, External, Keeper, Pending, RejectReason, Report, Stage, What,
    Words, trouble::words,
};
use crate::sense::{Ask, NotDone};

/// How many directives may wait for an external clock. What does not fit is sent again by the service.
const QUEUE_MAX: usize = 64;

impl Core {
    pub(super) fn receive(&mut self, directive: Directive) {
        if let Some(handled) = self.memory.handled.get(&directive.id) {
            let (stage, reason, before) = (handled.stage, handled.reason, handled.before);
            if handled.directive.asks_the_same(&directive) {
                self.report(&directive, stage, reason, before);
            } else {
                self.report(&directive, Stage::Rejected, Some(RejectReason::Revision), None);
            }
        } else if self.busy() {
            if self.queue.len() < QUEUE_MAX && self.queue.iter().all(|queued| queued.id != directive.id) {
                self.queue.push_back(directive);
            }
        } else {
            self.judge(&directive);
        }
    }

    /// The hardware answered what it was asked first.
    pub(super) fn dial_done(&mut self, done: Result<(), NotDone>) {
        if let Some(errand) = self.errands.pop_front() {
            self.answered(errand, done);
        }
    }

    pub(super) fn answered(&mut self, errand: Errand, done: Result<(), NotDone>) {
        match done {
            Err(not_done) => {
                let what = ["the clock did not take its setting", "часы не приняли установку"];
                self.trouble.set(Cause::Display, words(what, &not_done.to_string()));
                match (errand, not_done) {
                    (Errand::Courtesy, _) => {}
                    // The directive was carried out. Only the turn is not the players', and the trouble says so.
                    (Errand::Directive, NotDone::Refused(_)) if self.turns_back() => self.done(),
                    (Errand::Directive, NotDone::Refused(_)) => self.given_up(Stage::Rejected, RejectReason::Display),
                    (Errand::Directive, NotDone::Unanswered(_)) => self.unanswered(),
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

    fn judge(&mut self, directive: &Directive) {
        for rev in self.never_came(directive) {
            let id = format!("{}#{rev}", directive.game);
            let (expected_rev, act) = (rev - 1, Act::Show { words: Words::default() });
            let replaced = Directive { id, rev, expected_rev, supersedes: Vec::new(), act, ..directive.clone() };
            self.end(&replaced, Stage::Rejected, RejectReason::Superseded);
        }
        if let Some(reason) = self.objection(directive) {
            self.end(directive, Stage::Rejected, reason);
            return;
        }
        let before = self.face();
        match wanted(&directive.act, before).filter(|_| matches!(self.keeper, Keeper::External(_))) {
            Some(wanted) => {
                self.ask(directive, before, wanted);
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

    /// Revisions between the last one and this directive, when it replaces every one of them: then they were not even sent.
    fn never_came(&self, directive: &Directive) -> Range<u64> {
        let missing = self.memory.rev.saturating_add(1)..directive.rev;
        let named = |rev| directive.supersedes.contains(&format!("{}#{rev}", directive.game));
        let whole = directive.game == self.memory.game && missing.clone().all(named);
        if whole { missing } else { 0..0 }
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

    pub(super) fn expired(&self, directive: &Directive) -> bool {
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
        if let Act::Prepare { control, white_place, stands, .. } = act {
            self.link.moved_to.clear();
            let control = control.clone().or_else(|| self.settings.default_control.clone());
            let anew = |control| match stands {
                Some(stands) => Clock::restored(control, Face { white_place: *white_place, ..*stands }),
                None => Clock::new(control, *white_place),
            };
            match &mut self.keeper {
                Keeper::Own(clock) => *clock = control.map(anew),
                Keeper::External(external) => external.prepare(*white_place, *stands),
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
            Act::Prepare { .. }
            | Act::Set { .. }
            | Act::Run { .. }
            | Act::Conclude { .. }
            | Act::Add { .. }
            | Act::Show { .. }
            | Act::Unsupported(_) => {}
        }
    }

    /// Sends a directive on its way to the external clock, which was so before it.
    pub(super) fn ask(&mut self, directive: &Directive, before: Face, wanted: Face) {
        self.tell_scan(self.now, self.face());
        if let Keeper::External(external) = &mut self.keeper {
            external.setting(wanted, before.turn);
        }
        self.remember(directive, Stage::Received, None, before, wanted);
        self.in_vain = false;
        self.errands.push_back(Errand::Directive);
        self.out.push(Effect::Ask(Ask::Dial(wanted)));
    }

    /// The external clock took the pending directive.
    pub(super) fn done(&mut self) {
        let before = self.face();
        self.tell_scan(self.now, before);
        let (Some(pending), Keeper::External(external)) = (self.memory.pending.clone(), &mut self.keeper) else {
            return;
        };
        let after = after(&pending.directive.act, external, &pending.wanted);
        external.set(self.now, after);
        if after.turn != pending.wanted.turn {
            // A press came before the setting did, which has brought the old turn back.
            let before = Face { turn: pending.wanted.turn, ..pending.before };
            self.ask(&pending.directive, before, after);
            return;
        }
        self.remember(&pending.directive, Stage::Applied, None, pending.before, after);
        self.report(&pending.directive, Stage::Applied, None, Some(pending.before));
        self.judge_queued();
    }

    /// The pending directive is over without having been carried out, as far as is known.
    pub(super) fn given_up(&mut self, stage: Stage, reason: RejectReason) {
        let before = self.face();
        let (Some(pending), Keeper::External(external)) = (self.memory.pending.clone(), &mut self.keeper) else {
            return;
        };
        // What it did meanwhile was no echo of a setting after all.
        let told = external.expire(stage == Stage::Rejected);
        self.end(&pending.directive, stage, reason);
        self.tell_all(told, before);
        self.judge_queued();
    }

    /// The pending directive was carried out, and asks only for the players' turn again.
    fn turns_back(&self) -> bool {
        self.memory.pending.as_ref().is_some_and(Pending::turns_back)
    }

    fn judge_queued(&mut self) {
        while !self.busy()
            && let Some(directive) = self.queue.pop_front()
        {
            self.judge(&directive);
        }
    }

    /// A last word that is not APPLIED.
    fn end(&mut self, directive: &Directive, stage: Stage, reason: RejectReason) {
        let face = self.face();
        self.tell_scan(self.now, face);
        self.remember(directive, stage, Some(reason), face, face);
        self.report(directive, stage, Some(reason), None);
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
pub(super) fn wanted(act: &Act, face: Face) -> Option<Face> {
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
    let mut face = external.face();
    let pressed = external.pressed();
    if let Some(pressed) = pressed {
        pressed.restore(&mut face);
    }
    match act {
        Act::Stop { .. } => Face { going: Going::Paused, ..face },
        Act::Run { .. } => Face { going: Going::Running, ..face },
        Act::Add { colour, .. } => {
            let gained = pressed.map_or(0, |pressed| pressed.gained(*colour));
            face.hand_mut(*colour).left =
                wanted.hand(*colour).left.map(|left| left.saturating_add(gained).clamp(0, LONGEST));
            face
        }
        _ => *wanted,
    }
}
