//! Where a game is: on its clock, and how it goes to another one.
//!
//! A clock has one game under way. One that is adjourned leaves its clock free; it takes it again when it is set up, if no other game
//! has come in between, and else must be moved to a clock first. A move is one step of the game's actor: the other clock is taken, the
//! rules decide, and only then the former clock is let go. What fails is undone. Every act goes by what the clock shows, as far as its
//! heartbeats have told: that goes into the journal with the act.

use std::sync::Arc;

use flagfall_proto::clock::v1;
use flagfall_rules::{
    adjourn::Deed,
    game::{Act, DeskAct, DeskInput, Event, Notice, Terms},
    time::Moment,
};

use super::{
    core::Core,
    handle::{Answer, Foreseen, ToSession},
    home::{Home, Tenant},
    lane::Lane,
    leaving::Outcome,
    roster::{Roster, Slot},
    shared::Shared,
};
use crate::wire::Refused;

/// See the module.
pub(super) struct Place {
    tenant: Tenant,
    home: Arc<Home>,
    slot: Arc<Slot>,
    /// Clocks that the game has left, each with the last revision that is for it.
    former: Vec<(u64, Arc<Slot>)>,
    /// Moves that are not on disk yet, the oldest first.
    moving: Vec<Moving>,
}

/// A move that can still be undone.
struct Moving {
    from: Arc<Slot>,
    to: Arc<Slot>,
    /// The game that the other clock had.
    before: Option<Tenant>,
}

impl Place {
    /// Where the game says it is.
    pub(super) fn new(tenant: Tenant, home: Arc<Home>, core: &Core, roster: &Roster) -> Place {
        let device = &core.game().setup.device;
        let known = home.present().filter(|slot| !core.game().opened || slot.name() == device);
        let slot = known.unwrap_or_else(|| {
            // A move that seemed to have failed is on disk after all.
            let slot = roster.known(device, Lane::new);
            if let Err(other) = slot.take(tenant.clone()) {
                tracing::error!(game = &*tenant.name, device, other = &*other, "the clock of the game has another one");
            }
            home.go(Arc::clone(&slot));
            slot
        });
        Place { tenant, home, slot, former: Vec::new(), moving: Vec::new() }
    }

    /// The game is on this clock.
    pub(super) fn is(&self, slot: &Arc<Slot>) -> bool {
        Arc::ptr_eq(&self.slot, slot)
    }

    /// Tells the clock that a directive is for.
    pub(super) fn tell(&self, directive: v1::Directive) {
        let former = self.former.iter().find(|(last, _)| directive.rev <= *last);
        former.map_or(&self.slot, |(_, slot)| slot).tell(ToSession::Directive(Box::new(directive)));
    }

    /// An entry is on disk; `free`: the game leaves its clock to others; `over`: for good.
    pub(super) fn on_disk(&mut self, events: &[Event], free: bool, over: bool) {
        // A clock that was replaced is no move: the game stays where it was.
        let moved = |moving: &Moving| {
            events.iter().any(|event| matches!(event, Event::Moved { device } if device == moving.to.name()))
        };
        if self.moving.first().is_some_and(moved) {
            self.moving.remove(0);
        }
        self.tenant.stands(free, over);
    }

    /// What is not on disk did not happen.
    pub(super) fn undo(&mut self) {
        for Moving { from, to, before } in self.moving.drain(..).rev() {
            to.give_back(&self.tenant.name, before);
            // Taken by another game meanwhile, the clock stays with that one.
            drop(from.take(self.tenant.clone()));
            self.home.back();
            self.slot = from;
        }
    }

    /// Carries out an act at the desk; those that need a clock take it first.
    pub(super) fn act(
        &mut self,
        core: &mut Core,
        input: DeskInput,
        shared: &Shared,
    ) -> Result<(Outcome, Answer), Refused> {
        let shows = self.shows(core);
        match &input.act {
            DeskAct::Move { device, .. } => {
                let device = device.clone();
                self.go(core, &device, input, shared)
            }
            DeskAct::Adjourn { deed, .. } if core.game().is_adjourned() && needs_clock(deed) => {
                if !self.slot.hold(&self.tenant.name) {
                    let (game, device) = (core.name.to_string(), self.slot.name().to_owned());
                    return Err(Refused::NotOnClock { game, device });
                }
                let done = core.desk(input, shows, &*shared.journal);
                self.tenant.stands(core.is_free(), core.game().ended.is_some());
                done
            }
            DeskAct::Direct(Act::Show, words, terms @ Terms { until: None, .. }) => {
                // Somebody who was away does not want to read what was said to him an hour ago.
                let lasts = shared.limits.message_s.saturating_mul(1_000);
                let until = self.slot.pulse().time().map(|now| Moment { ms: now.ms.saturating_add(lasts), ..now });
                let act = DeskAct::Direct(Act::Show, words.clone(), Terms { until, ..*terms });
                core.desk(DeskInput { act, ..input }, shows, &*shared.journal)
            }
            _ => core.desk(input, shows, &*shared.journal),
        }
    }

    /// What its clock shows, run down since the last event of it that the game has.
    pub(super) fn shows(&self, core: &Core) -> Option<Notice> {
        self.slot.pulse().shows(&core.name, core.game().seq)
    }

    /// What would follow from an act at the desk.
    pub(super) fn preview(&self, core: &Core, input: DeskInput, shared: &Shared) -> Result<Foreseen, Refused> {
        if let DeskAct::Move { device, .. } = &input.act {
            let there = self.other(device, shared)?.tenant();
            if let Some(other) = there.filter(|other| other.name != self.tenant.name && !other.is_free()) {
                return Err(busy(device, &other.name));
            }
        }
        core.preview(input, self.shows(core))
    }

    /// A clock that the game can go to: a listed one, and not the one that has it.
    fn other(&self, device: &str, shared: &Shared) -> Result<Arc<Slot>, Refused> {
        let to = shared.roster.listed(device).ok_or_else(|| Refused::NoSuchDevice { device: device.to_owned() })?;
        let has_it = to.tenant().is_some_and(|tenant| tenant.name == self.tenant.name);
        if self.is(&to) && has_it {
            return Err(Refused::OnThisClock { game: self.tenant.name.to_string(), device: device.to_owned() });
        }
        Ok(to)
    }

    fn go(
        &mut self,
        core: &mut Core,
        device: &str,
        input: DeskInput,
        shared: &Shared,
    ) -> Result<(Outcome, Answer), Refused> {
        let to = self.other(device, shared)?;
        let before = to.take(self.tenant.clone()).map_err(|game| busy(device, &game))?;
        let shows = self.shows(core);
        match core.desk(input, shows, &*shared.journal) {
            Ok(done) => {
                let from = std::mem::replace(&mut self.slot, Arc::clone(&to));
                self.former.push((core.game().left_rev, Arc::clone(&from)));
                if !Arc::ptr_eq(&from, &to) {
                    from.give_back(&self.tenant.name, None);
                }
                self.home.go(Arc::clone(&to));
                self.moving.push(Moving { from, to, before });
                Ok(done)
            }
            Err(refused) => {
                to.give_back(&self.tenant.name, before);
                Err(refused)
            }
        }
    }
}

fn busy(device: &str, game: &str) -> Refused {
    Refused::DeviceBusy { device: device.to_owned(), game: game.to_owned() }
}

/// From an adjourned game back to one that is played.
fn needs_clock(deed: &Deed) -> bool {
    matches!(deed, Deed::SetUp { .. } | Deed::EnvelopeLost { position_known: false })
}

#[cfg(test)]
mod tests;
