//! Which clocks a game has been on, and which games a clock has had.
//!
//! A game knows its clocks and each of them knows the game, so that nobody looks through all games to find those of one clock: ten
//! thousand clocks that come back ask all at once.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use super::roster::{Slot, lock};

/// A game on a clock.
#[derive(Clone)]
pub(super) struct Tenant {
    pub(super) name: Arc<str>,
    stands: Arc<Stands>,
}

#[derive(Default)]
struct Stands {
    /// It is over or adjourned: another game may take the clock.
    free: AtomicBool,
    over: AtomicBool,
    /// Its round is closed, or it lies on the shelf: once it is over, nobody asks its clock for it again.
    put_away: AtomicBool,
}

impl Tenant {
    /// A game under way.
    pub(super) fn new(name: Arc<str>) -> Tenant {
        Tenant { name, stands: Arc::default() }
    }

    /// How it stands now.
    pub(super) fn stands(&self, free: bool, over: bool) {
        self.stands.free.store(free, Ordering::Relaxed);
        self.stands.over.store(over, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.stands.over.load(Ordering::Relaxed)
    }

    pub(super) fn is_free(&self) -> bool {
        self.stands.free.load(Ordering::Relaxed)
    }

    /// It needs its clock again: no other can take it.
    pub(super) fn hold(&self) {
        self.stands.free.store(false, Ordering::Relaxed);
    }

    /// Its round is closed, or it lies on the shelf.
    pub(super) fn put_away(&self) {
        self.stands.put_away.store(true, Ordering::Relaxed);
    }

    fn is_put_away(&self) -> bool {
        self.stands.put_away.load(Ordering::Relaxed)
    }
}

/// Which of a clock's events nobody asks for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// A game that it had before is not over.
    Nothing,
    /// Those before the game that it has now.
    Earlier,
    /// All so far.
    All,
}

impl Slot {
    /// See [`Released`].
    #[must_use]
    pub fn released(&self) -> Released {
        let Some(now) = self.tenant() else { return Released::Nothing };
        let earlier = self.had().0.iter().filter(|tenant| tenant.name != now.name).all(Tenant::is_over);
        match earlier {
            true if now.is_over() && now.is_put_away() => Released::All,
            true => Released::Earlier,
            false => Released::Nothing,
        }
    }
}

/// The clocks a game has been on, the present one last: what it heard stands in its stream, whichever clock said it.
pub(super) struct Home {
    tenant: Tenant,
    slots: Mutex<Vec<Arc<Slot>>>,
}

impl Home {
    pub(super) fn new(tenant: Tenant, former: Vec<Arc<Slot>>, present: Arc<Slot>) -> Home {
        let home = Home { tenant, slots: Mutex::default() };
        former.into_iter().chain([present]).for_each(|slot| home.go(slot));
        home
    }

    /// The present one.
    pub(super) fn is(&self, slot: &Arc<Slot>) -> bool {
        lock(&self.slots).last().is_some_and(|present| Arc::ptr_eq(present, slot))
    }

    pub(super) fn present(&self) -> Option<Arc<Slot>> {
        lock(&self.slots).last().cloned()
    }

    pub(super) fn go(&self, slot: Arc<Slot>) {
        slot.had().enter(&self.tenant);
        lock(&self.slots).push(slot);
    }

    /// It did not go after all.
    pub(super) fn back(&self) {
        let mut slots = lock(&self.slots);
        if let Some(left) = slots.pop().filter(|left| !slots.iter().any(|slot| Arc::ptr_eq(slot, left))) {
            left.had().leave(&self.tenant.name);
        }
    }

    /// The game is at hand no more: its clocks forget it.
    pub(super) fn leave(&self) {
        lock(&self.slots).iter().for_each(|slot| slot.had().leave(&self.tenant.name));
    }
}

/// The games at hand that a clock has or had.
#[derive(Default)]
pub(super) struct Had(Vec<Tenant>);

impl Had {
    fn enter(&mut self, tenant: &Tenant) {
        self.leave(&tenant.name);
        self.0.push(tenant.clone());
    }

    fn leave(&mut self, game: &str) {
        self.0.retain(|tenant| *tenant.name != *game);
    }

    /// Their names.
    pub(super) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().map(|tenant| &tenant.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Device, Roster, lane::Lane};

    #[test]
    fn what_a_clock_said_is_released_game_by_game() {
        let roster = Roster::default();
        roster.admit(Device { device: "a".into(), board: "1".into() });
        let [slot, other] = ["a", "b"].map(|device| roster.known(device, Lane::new));
        assert_eq!(slot.released(), Released::Nothing, "it has had no game");
        let [first, second] = ["first", "second"].map(|name| Tenant::new(name.into()));
        let home = Home::new(first.clone(), vec![], Arc::clone(&slot));
        slot.give(first.clone());
        assert_eq!(slot.released(), Released::Earlier, "there are none");
        first.stands(true, true);
        assert_eq!(slot.released(), Released::Earlier, "its round goes on");
        first.put_away();
        assert_eq!(slot.released(), Released::All);
        first.stands(true, false);
        assert_eq!(slot.released(), Released::Earlier, "a result was taken back");

        let _home_of_second = Home::new(second.clone(), vec![], Arc::clone(&slot));
        slot.give(second.clone());
        assert_eq!(slot.released(), Released::Nothing, "the first is only adjourned");
        home.go(Arc::clone(&other));
        assert_eq!(slot.released(), Released::Nothing, "what was heard of it here is still here");
        first.stands(true, true);
        assert_eq!((slot.released(), other.released()), (Released::Earlier, Released::Nothing));
        first.stands(true, false);
        home.leave();
        assert_eq!(slot.released(), Released::Earlier, "the first is at hand no more");
        assert_eq!(slot.had().names().map(|name| &**name).collect::<Vec<_>>(), ["second"]);
    }

    #[test]
    fn a_game_that_did_not_go_after_all_leaves_nothing_behind() {
        let roster = Roster::default();
        let [here, there] = ["a", "b"].map(|device| roster.known(device, Lane::new));
        let home = Home::new(Tenant::new("g".into()), vec![], Arc::clone(&here));
        home.go(Arc::clone(&there));
        assert!(home.is(&there) && there.had().names().count() == 1);
        home.back();
        assert!(home.is(&here) && there.had().names().count() == 0 && here.had().names().count() == 1);
        home.go(Arc::clone(&here));
        home.back();
        assert_eq!(here.had().names().count(), 1, "it has been here before");
    }
}
