//! The clocks: which are listed, which session of each lives, which game each has.
//!
//! One live session a clock: the newest wins and the older is cancelled. One clock a board: the first wins and the other is
//! refused, so that two clocks cannot throw each other out for ever.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard},
};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    handle::ToSession,
    home::{Had, Tenant},
    lane::{Lane, LaneGuard},
    pulse::{Pulse, Vital},
};
use crate::wire::Refused;

/// Messages from games that may wait for a session.
const INBOX: usize = 1_024;

/// Room in it that directives leave alone: a whole window of acks, so that no ack is ever lost.
const FOR_ACKS: usize = 320;

/// A clock as configured.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Its name, 1 to 64 characters of `[A-Za-z0-9._-]`.
    pub device: String,
    /// The board it reads; at most one clock at a time holds a board.
    pub board: String,
}

/// A lock that outlives a panic elsewhere: every change under these locks is a single step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One clock, listed or only known from the journal.
pub struct Slot {
    name: String,
    /// The board; `None` when the clock is not listed.
    board: Mutex<Option<String>>,
    /// The game last taken on by it.
    game: RwLock<Option<Tenant>>,
    /// The games at hand that were on it, that one among them.
    had: Mutex<Had>,
    live: Mutex<Option<Live>>,
    pulse: Mutex<Pulse>,
    lane: Arc<tokio::sync::Mutex<Lane>>,
}

/// How a clock is told from another of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its spool: a new session of the same spool takes the older one's place.
    pub spool: [u8; 16],
    /// The spool before it: so does a clock that began its spool anew.
    pub past: Option<[u8; 16]>,
}

impl Identity {
    /// It is the clock that was here, or comes after it.
    fn follows(self, other: Identity) -> bool {
        self.spool == other.spool || self.past == Some(other.spool)
    }
}

struct Live {
    id: u64,
    clock: Identity,
    inbox: mpsc::Sender<ToSession>,
    superseded: CancellationToken,
}

impl Slot {
    /// The clock's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The board it reads; `None` when it is not listed.
    #[must_use]
    pub fn board(&self) -> Option<String> {
        lock(&self.board).clone()
    }

    /// The game last taken on by it.
    #[must_use]
    pub fn game(&self) -> Option<Arc<str>> {
        self.tenant().map(|tenant| tenant.name)
    }

    pub(super) fn tenant(&self) -> Option<Tenant> {
        self.game.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn had(&self) -> MutexGuard<'_, Had> {
        lock(&self.had)
    }

    fn change(&self) -> RwLockWriteGuard<'_, Option<Tenant>> {
        self.game.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A game takes the clock, unless another one is under way on it: that one's name then, else the one before it.
    pub(super) fn take(&self, game: Tenant) -> Result<Option<Tenant>, Arc<str>> {
        let mut now = self.change();
        match &*now {
            Some(other) if other.name != game.name && !other.is_free() => Err(Arc::clone(&other.name)),
            _ => Ok(now.replace(game)),
        }
    }

    /// The clock has this game, whichever it had before.
    pub(super) fn give(&self, game: Tenant) {
        *self.change() = Some(game);
    }

    /// The game needs the clock again, if it still has it: from now on no other can take it.
    pub(super) fn hold(&self, game: &str) -> bool {
        let now = self.change();
        let holds = now.as_ref().filter(|tenant| *tenant.name == *game);
        holds.inspect(|tenant| tenant.hold()).is_some()
    }

    /// The game has not taken the clock after all, or has left it.
    pub(super) fn give_back(&self, game: &str, before: Option<Tenant>) {
        let mut now = self.change();
        if now.as_ref().is_some_and(|tenant| *tenant.name == *game) {
            *now = before;
        }
    }

    /// It is in the configuration.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        lock(&self.board).is_some()
    }

    /// What is heard of it from moment to moment.
    pub fn pulse(&self) -> MutexGuard<'_, Pulse> {
        lock(&self.pulse)
    }

    /// How it is now; `None` when it is not listed.
    fn vital(&self) -> Option<Vital> {
        let (device, board) = (self.name.clone(), self.board()?);
        let (game, connected, pulse) = (self.game(), lock(&self.live).is_some(), self.pulse().clone());
        Some(Vital { device, board, game, connected, pulse })
    }

    /// Tells the live session, if there is one. A session whose inbox is full is cut off: it takes everything up again from
    /// the journal when it comes back.
    pub(super) fn tell(&self, message: ToSession) {
        let live = lock(&self.live);
        if let Some(live) = &*live
            && (live.inbox.capacity() < FOR_ACKS || live.inbox.try_send(message).is_err())
            && !live.inbox.is_closed()
        {
            tracing::warn!(device = self.name, "the session does not keep up with its games and is closed");
            live.superseded.cancel();
        }
    }

    /// What only one session of a clock may hold at a time. Waits until the former session has let go, that is until all it
    /// sent is on disk or known not to be.
    pub async fn lane(&self) -> LaneGuard {
        Arc::clone(&self.lane).lock_owned().await
    }
}

/// All clocks.
#[derive(Default)]
pub struct Roster {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    slots: HashMap<String, Arc<Slot>>,
    /// Which clock holds a board, by which session.
    boards: HashMap<String, (String, u64)>,
    sessions: u64,
    /// Clocks whose own stream cannot be written on, and why.
    apart: HashMap<String, String>,
}

impl Roster {
    /// Lists a clock, or moves it to another board; a live session keeps its board until it ends.
    pub fn admit(&self, device: Device) {
        let slot = self.known(&device.device, Lane::new);
        *lock(&slot.board) = Some(device.board);
    }

    /// The slot of a clock, made when it is new.
    pub(super) fn known(&self, device: &str, lane: impl FnOnce(&str) -> Lane) -> Arc<Slot> {
        let mut state = lock(&self.state);
        let slot = state.slots.entry(device.to_owned()).or_insert_with(|| {
            Arc::new(Slot {
                name: device.to_owned(),
                board: Mutex::default(),
                game: RwLock::default(),
                had: Mutex::default(),
                live: Mutex::default(),
                pulse: Mutex::default(),
                lane: Arc::new(tokio::sync::Mutex::new(lane(device))),
            })
        });
        Arc::clone(slot)
    }

    /// Takes no session of this clock.
    pub(super) fn set_apart(&self, device: &str, why: String) {
        lock(&self.state).apart.insert(device.to_owned(), why);
    }

    /// A clock that is listed.
    #[must_use]
    pub fn listed(&self, device: &str) -> Option<Arc<Slot>> {
        lock(&self.state).slots.get(device).filter(|slot| slot.is_listed()).cloned()
    }

    /// Every listed clock as it is now, in the order of their names.
    #[must_use]
    pub fn vitals(&self) -> Vec<Vital> {
        let slots: Vec<Arc<Slot>> = lock(&self.state).slots.values().cloned().collect();
        let mut vitals: Vec<Vital> = slots.iter().filter_map(|slot| slot.vital()).collect();
        vitals.sort_by(|one, other| one.device.cmp(&other.device));
        vitals
    }

    /// How many clocks are known.
    #[must_use]
    pub fn clocks(&self) -> usize {
        lock(&self.state).slots.len()
    }

    /// How many sessions live.
    #[must_use]
    pub fn sessions(&self) -> usize {
        lock(&self.state).boards.len()
    }

    /// Takes a clock's place for a new session. An older session of the same clock is cancelled; while another clock of its name is
    /// there the second one is refused, or the two would throw each other out for ever.
    ///
    /// # Errors
    /// `UNKNOWN_DEVICE`, `BOARD_TAKEN` when a clock of another name holds the board, `DEVICE_TAKEN` when one of the same name does.
    pub fn claim(self: &Arc<Self>, device: &str, clock: Identity) -> Result<Claim, Refused> {
        let mut state = lock(&self.state);
        if let Some(why) = state.apart.get(device) {
            return Err(Refused::Quarantined { what: device.to_owned(), why: why.clone() });
        }
        let unknown = || Refused::UnknownDevice { device: device.to_owned() };
        let slot = Arc::clone(state.slots.get(device).ok_or_else(unknown)?);
        let board = lock(&slot.board).clone().ok_or_else(unknown)?;
        if let Some((holder, _)) = state.boards.get(&board).filter(|(holder, _)| holder != device) {
            let (device, holder) = (device.to_owned(), holder.clone());
            tracing::error!(device, board, holder, "ALARM: two clocks claim one board; the second is refused");
            return Err(Refused::BoardTaken { device, board, holder });
        }
        if lock(&slot.live).as_ref().is_some_and(|live| !clock.follows(live.clock)) {
            tracing::error!(device, board, "ALARM: two clocks of one name; the second is refused");
            return Err(Refused::DeviceTaken { device: device.to_owned() });
        }
        state.sessions += 1;
        let id = state.sessions;
        state.boards.insert(board.clone(), (device.to_owned(), id));
        let (sender, inbox) = mpsc::channel(INBOX);
        let superseded = CancellationToken::new();
        let live = Live { id, clock, inbox: sender.clone(), superseded: superseded.clone() };
        if let Some(older) = lock(&slot.live).replace(live) {
            older.superseded.cancel();
        }
        Ok(Claim { roster: Arc::clone(self), slot, board, id, sender, inbox, superseded })
    }
}

/// A session's place; given up when dropped.
pub struct Claim {
    roster: Arc<Roster>,
    slot: Arc<Slot>,
    board: String,
    id: u64,
    /// Where games answer this session.
    pub sender: mpsc::Sender<ToSession>,
    /// What games say to this session.
    pub inbox: mpsc::Receiver<ToSession>,
    /// A newer session has come, or this one does not keep up.
    pub superseded: CancellationToken,
}

impl Claim {
    /// The clock.
    #[must_use]
    pub fn slot(&self) -> &Arc<Slot> {
        &self.slot
    }

    /// The board that the session holds.
    #[must_use]
    pub fn board(&self) -> &str {
        &self.board
    }

    /// Its number among all sessions since the service started.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.id
    }

    /// No newer session of the clock has come.
    #[must_use]
    pub fn is_newest(&self) -> bool {
        lock(&self.slot.live).as_ref().is_some_and(|live| live.id == self.id)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = lock(&self.roster.state);
        let mut live = lock(&self.slot.live);
        if live.as_ref().is_some_and(|live| live.id == self.id) {
            *live = None;
        }
        if state.boards.get(&self.board).is_some_and(|&(_, id)| id == self.id) {
            state.boards.remove(&self.board);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster() -> Arc<Roster> {
        let roster = Arc::new(Roster::default());
        for (device, board) in [("a", "1"), ("b", "1"), ("c", "2")] {
            roster.admit(Device { device: device.into(), board: board.into() });
        }
        roster
    }

    fn clock(n: u8) -> Identity {
        Identity { spool: [n; 16], past: None }
    }

    #[test]
    fn row_17_a_second_clock_of_one_name_is_refused_while_the_first_is_there() {
        let roster = roster();
        let first = roster.claim("a", clock(1)).expect("free");
        let second = roster.claim("a", clock(2)).err().expect("refused");
        assert!(second.to_string().starts_with("DEVICE_TAKEN: a: another clock of this name"), "{second}");
        assert!(!first.superseded.is_cancelled(), "it goes on");
        // The same device again, and with a spool begun anew: it is itself.
        let again = roster.claim("a", clock(1)).expect("the same spool");
        assert!(first.superseded.is_cancelled());
        let anew = roster.claim("a", Identity { past: Some([1; 16]), ..clock(8) }).expect("the spool after it");
        assert!(again.superseded.is_cancelled());
        drop((first, again, anew));
        assert!(roster.claim("a", clock(2)).is_ok(), "nobody is there");
    }

    #[test]
    fn the_newer_session_of_a_clock_wins_and_a_board_has_one_clock() {
        let roster = roster();
        let first = roster.claim("a", clock(1)).expect("free");
        assert!(matches!(roster.claim("b", clock(1)), Err(Refused::BoardTaken { holder, .. }) if holder == "a"));
        let second = roster.claim("a", clock(1)).expect("the same clock");
        assert!(first.superseded.is_cancelled() && !second.superseded.is_cancelled());
        drop(first);
        assert!(roster.claim("b", clock(1)).is_err(), "the older session's end frees nothing");
        drop(second);
        assert!(roster.claim("b", clock(1)).is_ok() && roster.claim("c", clock(1)).is_ok());
        assert!(matches!(roster.claim("d", clock(1)), Err(Refused::UnknownDevice { .. })));
    }

    #[test]
    fn a_clock_has_one_game_under_way_and_one_that_is_adjourned_takes_it_again() {
        let slot = roster().listed("a").expect("listed");
        let game = |name: &str| Tenant::new(name.into());
        let (first, second) = (game("first"), game("second"));
        assert!(slot.take(first.clone()).is_ok());
        assert!(matches!(slot.take(second.clone()), Err(busy) if &*busy == "first"));
        first.stands(true, false);
        assert!(slot.hold("first") && !first.is_free(), "set up again before anybody came");
        assert!(slot.take(second.clone()).is_err());
        first.stands(true, false);
        let before = slot.take(second).expect("adjourned again");
        assert!(!slot.hold("first"), "it has another game now");
        slot.give_back("first", None);
        assert_eq!(slot.game().as_deref(), Some("second"), "only its own game gives a clock back");
        slot.give_back("second", before);
        assert_eq!(slot.game().as_deref(), Some("first"));
    }

    #[test]
    fn a_session_moved_to_another_board_gives_back_the_one_it_took() {
        let roster = roster();
        let session = roster.claim("a", clock(1)).expect("free");
        roster.admit(Device { device: "a".into(), board: "3".into() });
        let newer = roster.claim("a", clock(1)).expect("the same clock");
        assert!(session.superseded.is_cancelled() && !session.is_newest() && newer.is_newest());
        assert!(roster.claim("b", clock(1)).is_err(), "what the older one sent may still be on its way");
        drop(session);
        assert!(roster.claim("b", clock(1)).is_ok());
    }
}
