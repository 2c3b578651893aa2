//! A directive that was asked of an external clock and not answered: power was lost, or the answer was.
//!
//! ```text
//!   pending, nobody knows ── the clock is read ─┬─ it shows that it was carried out ──▶ APPLIED
//!                                               ├─ it shows that it was not ──────────▶ asked again; REJECTED if it was already in vain
//!                                               └─ it does not tell ──────────────────▶ UNKNOWN: the arbiter reads the clock
//! ```
//!
//! A clock remembers nothing of what it was asked, so all evidence is what it shows. It tells when exactly one of two things explains
//! it: that nobody has touched the clock since, or that the directive is all that happened to it. How far a running side has come is
//! known only within the same boot of this device. Play that went on meanwhile explains anything, and then nothing is done: time
//! added twice is time invented. A stop is the exception: it changes no time, and is asked for as long as the clock runs.

use flagfall_rules::clock::Face;

use super::{Act, Cause, Core, Keeper, RejectReason, Stage, external::External, orders::wanted, stored::Pending};

/// What a reading says of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    /// It was carried out.
    Taken,
    /// It was, over a press: the clock shows the turn before it.
    TurnedBack,
    /// It was not.
    NotTaken,
    /// It does not tell.
    Silent,
}

impl Core {
    /// The clock did not answer: what it shows next decides.
    pub(super) fn unanswered(&mut self) {
        if let Keeper::External(external) = &mut self.keeper {
            external.unread();
            self.in_vain = true;
        }
    }

    /// The clock was read. If a directive is in doubt this ends it, or sends it on its way once more.
    pub(super) fn take_up(&mut self) {
        let (Some(pending), Keeper::External(external)) = (self.memory.pending.clone(), &self.keeper) else { return };
        if self.errands.contains(&super::Errand::Directive) || !external.is_read() {
            return;
        }
        let same_boot = pending.at.boot == self.settings.boot;
        let passed = same_boot.then(|| self.now.saturating_sub(pending.at.ms));
        match (evidence(&pending, external, passed), &pending.directive.act) {
            (Evidence::Taken, _) => self.done(),
            // The times are right. That the turn is not was said when the clock did not take it.
            (Evidence::TurnedBack, _) if self.in_vain => self.done(),
            (Evidence::TurnedBack, _) => {
                let Pending { before, wanted, .. } = pending;
                let again = Face { turn: wanted.turn, going: wanted.going, ..self.face() };
                self.ask(&pending.directive, before, again);
            }
            (Evidence::NotTaken, _) if self.in_vain => self.given_up(Stage::Rejected, RejectReason::Display),
            (Evidence::NotTaken, _) | (Evidence::Silent, Act::Stop { .. }) if self.expired(&pending.directive) => {
                self.given_up(Stage::Rejected, RejectReason::Expired);
            }
            (Evidence::NotTaken, _) | (Evidence::Silent, Act::Stop { .. }) => {
                let wanted = wanted(&pending.directive.act, self.face()).unwrap_or(pending.wanted);
                self.ask(&pending.directive, self.face(), wanted);
            }
            (Evidence::Silent, _) => {
                let words = [
                    "read the clock and call the arbiter: nobody knows whether it took its setting",
                    "сверьте часы и позовите арбитра: неизвестно, приняли ли они установку",
                ];
                self.trouble.set(Cause::Display, words.map(str::to_owned));
                self.given_up(Stage::Unknown, RejectReason::Display);
            }
        }
    }
}

fn evidence(pending: &Pending, external: &External, passed: Option<u64>) -> Evidence {
    let turned_back = Face { turn: pending.before.turn, ..pending.wanted };
    if pending.turns_back() && external.explained_by(&turned_back, passed) {
        return Evidence::TurnedBack;
    }
    match &pending.directive.act {
        Act::Stop { .. } if !external.runs() => return Evidence::Taken,
        Act::Run { .. } if external.runs() => return Evidence::Taken,
        _ => {}
    }
    match (external.explained_by(&pending.before, passed), external.explained_by(&pending.wanted, passed)) {
        (true, false) => Evidence::NotTaken,
        (false, true) => Evidence::Taken,
        (true, true) | (false, false) => Evidence::Silent,
    }
}
