//! The clock's mind, without any IO: `handle(now, what was sensed)` returns what is to be done.
//!
//! ```text
//!   handle(now, sense) ─┐                            ┌─▶ Spool, Applied, Checkpoint   one write
//!   directive(now, d) ──┼─▶ first all that fell due, ┤
//!   wake(now) ──────────┘   each at its own instant  └─▶ Ask                          only after it
//! ```
//!
//! - Time is an argument. Whether it passes in one step or in many, the same events come with the same instants.
//! - What the core remembers is the fold of what it spools ([`Stored`]), so a restart knows what the core knew.
//! - Buttons and faults are in `play`, the readings of an external clock in `external`, the board in `board`;
//!   directives are judged, carried out and remembered in `orders`; what became of one that was not answered is found out in
//!   `doubt`.

mod board;
mod directive;
mod doubt;
mod effect;
mod external;
mod orders;
mod play;
mod settings;
mod stored;
mod trouble;

use std::collections::VecDeque;

use flagfall_rules::{
    clock::{Clock, Face, Going, Tick, control::MOVES_MAX},
    time::Moment,
};

pub use self::{
    board::HOLD_MS,
    directive::{Act, Directive, RejectReason, Stage, Words},
    effect::{Applied, Checkpoint, Draft, Effect, Report, What},
    settings::{ClockKind, LinkNews, Settings},
    stored::{Handled, Past, Pending, Stored},
};
use self::{
    board::{BoardNews, BoardWatch},
    external::External,
    trouble::{Cause, Trouble},
};
use crate::sense::{Ask, FaultKind, NotDone, Sense, Shown};

/// How often the face of a running own clock is stored at least, milliseconds: what a loss of power can cost.
pub const CHECKPOINT_MS: u64 = 1_000;

/// Who keeps the time.
#[derive(Clone, Debug)]
enum Keeper {
    /// We do; `None` until a control is known.
    Own(Option<Clock>),
    /// A physical clock.
    External(External),
}

/// What [`Ask::Dial`] was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Errand {
    /// For the pending directive, which waits for the answer.
    Directive,
    /// For show: nothing waits for it.
    Courtesy,
}

/// What is known of the link.
#[derive(Clone, Debug, Default)]
struct Link {
    online: bool,
    acked: u64,
    game: String,
    desired_rev: u64,
    /// The clock on which the game of this one goes on; empty when it has gone nowhere.
    moved_to: String,
}

/// The clock's mind.
#[derive(Clone, Debug)]
pub struct Core {
    settings: Settings,
    now: u64,
    keeper: Keeper,
    board: BoardWatch,
    memory: Stored,
    /// Directives that wait for the one on its way to an external clock.
    queue: VecDeque<Directive>,
    /// What the hardware was asked and has not answered, in order.
    errands: VecDeque<Errand>,
    /// The pending directive was asked of the clock and not answered: the next reading decides what became of it.
    in_vain: bool,
    link: Link,
    trouble: Trouble,
    /// The clock was running when it lost its memory of the present, which the service is still to be told.
    interrupted: bool,
    /// When the face was last put into a record.
    saved_at: u64,
    garbled_at: Option<u64>,
    taken: u64,
    out: Vec<Effect>,
}

impl Core {
    /// A core that goes on from what its spool remembers. An own clock that was running comes back paused at its last
    /// stored face: nobody knows how long it was away, and no time is invented.
    #[must_use]
    pub fn new(settings: Settings, restored: Option<Stored>) -> Core {
        let mut memory = restored.unwrap_or_default();
        let now = if memory.at.boot == settings.boot { memory.at.ms } else { 0 };
        let fresh = memory.game.is_empty() && memory.face.is_none_or(|face| face.going == Going::Idle);
        let face = memory.face.filter(|_| !fresh).unwrap_or(Face::unknown(settings.white_place));
        let mut interrupted = false;
        let keeper = match settings.clock {
            ClockKind::Own => {
                memory.pending = None;
                interrupted = face.going == Going::Running;
                let control = memory.control.clone().or_else(|| settings.default_control.clone());
                Keeper::Own(control.map(|control| {
                    if fresh { Clock::new(control, settings.white_place) } else { Clock::restored(control, face) }
                }))
            }
            ClockKind::External => {
                let mut external = External::new(face);
                if let Some(pending) = &memory.pending {
                    external.setting(pending.wanted, pending.before.turn);
                }
                Keeper::External(external)
            }
        };
        Core {
            board: BoardWatch::new(settings.settle_ms),
            settings,
            now,
            keeper,
            memory,
            queue: VecDeque::new(),
            errands: VecDeque::new(),
            in_vain: false,
            link: Link::default(),
            trouble: Trouble::default(),
            interrupted,
            saved_at: now,
            garbled_at: None,
            taken: 0,
            out: Vec::new(),
        }
    }

    /// The board says how it stands whenever it is asked: it is called quiet only when it has, for one that has fallen silent looks
    /// like one that stands still.
    pub fn board_answers(&mut self) {
        self.board.answers();
    }

    /// Takes in what was sensed at `now`. An instant before one already seen counts as that one.
    pub fn handle(&mut self, now: u64, sense: Sense) -> Vec<Effect> {
        self.taken += 1;
        self.pass(now);
        self.sense(sense);
        self.finish()
    }

    /// Lets time pass until `now`.
    pub fn wake(&mut self, now: u64) -> Vec<Effect> {
        self.pass(now);
        self.finish()
    }

    /// Takes in a directive. An own clock carries it out at once; on an external clock it may wait for its turn.
    pub fn directive(&mut self, now: u64, directive: Directive) -> Vec<Effect> {
        self.pass(now);
        self.receive(directive);
        self.finish()
    }

    /// The hardware could not even be given the last [`Ask::Dial`].
    pub fn not_asked(&mut self, reason: &str) -> Vec<Effect> {
        if let Some(errand) = self.errands.pop_back() {
            self.answered(errand, Err(NotDone::Refused(reason.to_owned())));
        }
        self.finish()
    }

    /// Takes in news of the link.
    pub fn link(&mut self, news: LinkNews) {
        match news {
            LinkNews::Up { acked, game, desired_rev } => {
                self.trouble.clear(Cause::Link);
                self.link = Link { online: true, acked, game, desired_rev, moved_to: String::new() };
            }
            LinkNews::Moved(device) => self.link.moved_to = device,
            LinkNews::Acked { through, desired_rev } => {
                self.link.acked = self.link.acked.max(through);
                self.link.desired_rev = desired_rev;
            }
            LinkNews::Desired(rev) => self.link.desired_rev = rev,
            LinkNews::Down(reason) => {
                self.link.online = false;
                if let Some(reason) = reason {
                    self.trouble.set(Cause::Link, reason);
                }
            }
        }
    }

    /// The spool, which had this name, was begun anew: its events, all durable at the service, are forgotten, and numbers begin
    /// again.
    pub fn forgotten(&mut self, former: [u8; 16]) {
        self.memory.past = Some(Past { spool: former, last_seq: self.memory.last_seq });
        (self.memory.last_seq, self.memory.last_press, self.link.acked) = (0, 0, 0);
        self.memory.handled.clear();
        self.memory.superseded.clear();
        self.memory.power_lost = false;
    }

    /// The next instant at which [`Core::wake`] has something to do, if nothing is sensed before.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        let checkpoint = self.keeps_running().then(|| self.saved_at.saturating_add(CHECKPOINT_MS));
        let at_once = self.interrupted || self.must_stop();
        let told = if at_once { Some(self.now) } else { self.falls_due() };
        [told, checkpoint].into_iter().flatten().min()
    }

    /// The latest instant seen, milliseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The face now.
    #[must_use]
    pub fn face(&self) -> Face {
        self.face_at(self.now)
    }

    /// What the core remembers; the same as a restart would find in the spool.
    #[must_use]
    pub fn memory(&self) -> &Stored {
        &self.memory
    }

    /// The last event that the service acknowledged.
    #[must_use]
    pub fn acked(&self) -> u64 {
        self.link.acked
    }

    /// A directive is on its way to the external clock.
    #[must_use]
    pub fn busy(&self) -> bool {
        self.memory.pending.is_some()
    }

    /// What the display shows now.
    #[must_use]
    pub fn shown(&self) -> Shown {
        let memory = &self.memory;
        // A game that the clock has not taken on yet is wanted too, though its revisions begin again at 1.
        let other_game = !self.link.game.is_empty() && self.link.game != memory.game && self.link.desired_rev > 0;
        let desired_rev = if other_game { memory.rev.saturating_add(1) } else { self.link.desired_rev };
        let (game, words, position) = match self.link.moved_to.as_str() {
            "" => (memory.game.clone(), memory.words.clone(), memory.position.clone()),
            there => {
                let gone = [format!("The game goes on at {there}"), format!("Партия продолжается на часах {there}")];
                (String::new(), gone, String::new())
            }
        };
        let power_lost = memory.power_lost.then(|| trouble::words(play::name(FaultKind::PowerLost), ""));
        Shown {
            face: self.face(),
            words,
            position,
            result: memory.result,
            game,
            applied_rev: memory.rev,
            desired_rev,
            spooled: memory.last_seq,
            acked: self.link.acked,
            online: self.link.online,
            trouble: power_lost.into_iter().chain(self.trouble.texts()).collect(),
            taken: self.taken,
        }
    }

    /// Lets time pass until `now`: everything that falls due on the way happens at its own instant.
    fn pass(&mut self, now: u64) {
        if std::mem::take(&mut self.interrupted) {
            self.now = self.now.max(now);
            self.fault(FaultKind::PowerLost, "restarted during a game: paused at the last stored times, set the clock");
        }
        if self.must_stop() {
            self.now = self.now.max(now);
            self.start_stop();
        }
        while let Some(due) = self.falls_due().filter(|&due| due <= now) {
            self.now = self.now.max(due);
            self.fire();
        }
        self.now = self.now.max(now);
    }

    /// The game goes on on another clock, and runs here.
    fn must_stop(&self) -> bool {
        !self.link.moved_to.is_empty() && self.face().going == Going::Running && matches!(self.keeper, Keeper::Own(_))
    }

    fn falls_due(&self) -> Option<u64> {
        let keeper = match &self.keeper {
            Keeper::Own(clock) => clock.as_ref().and_then(Clock::due),
            Keeper::External(external) => external.due(),
        };
        [keeper, self.board.due()].into_iter().flatten().min()
    }

    fn fire(&mut self) {
        // A held board is told with the face of the millisecond before the flag: the flag is not the board's news.
        let eve = self.now.saturating_sub(1).max(self.saved_at);
        let before = self.face_at(eve);
        match &mut self.keeper {
            Keeper::Own(Some(clock)) => {
                for tick in clock.advance(self.now) {
                    if let Tick::Flag(colour) = tick {
                        self.tell_scan(eve, before);
                        self.tell(What::Flag(colour));
                    }
                }
            }
            Keeper::External(external) if external.due().is_some_and(|due| due <= self.now) => {
                let told = external.expire(false);
                self.tell_all(told, before);
            }
            Keeper::Own(None) | Keeper::External(_) => {}
        }
        while let Some(news) = self.board.fire(self.now) {
            let what = match news {
                BoardNews::Scan(scan) => What::Scan(scan),
                BoardNews::Quiet(since) => What::Quiet { since },
                BoardNews::Ask => {
                    self.out.push(Effect::Ask(Ask::Board));
                    continue;
                }
            };
            let face = self.face();
            self.spool(self.now, face, String::new(), what);
        }
    }

    /// Tells of something that changed no face.
    fn tell(&mut self, what: What) {
        let face = self.face();
        self.tell_from(Some(what), face);
    }

    /// Tells of something after which the face is as it now is; `before` it was so.
    fn tell_from(&mut self, what: Option<What>, before: Face) {
        let face = self.face();
        self.tell_all(what.map(|what| (what, face)).into_iter().collect(), before);
    }

    fn tell_all(&mut self, told: Vec<(What, Face)>, before: Face) {
        for (what, face) in told {
            if needs_board(&what) {
                self.tell_scan(self.now, before);
            }
            if matches!(what, What::Press(_)) {
                self.board.pressed(self.now);
            }
            self.spool(self.now, face, String::new(), what);
        }
    }

    /// Tells of the board if it has changed since it was last told.
    fn tell_scan(&mut self, at: u64, face: Face) {
        if let Some(scan) = self.board.flush() {
            self.spool(at, face, String::new(), What::Scan(scan));
        }
    }

    fn spool(&mut self, at: u64, face: Face, traceparent: String, what: What) {
        let seq = self.memory.last_seq + 1;
        self.memory.event(seq, self.moment(at), face, &what);
        self.saved_at = self.saved_at.max(at);
        self.out.push(Effect::Spool(Draft { seq, at, face, traceparent, game: self.memory.game.clone(), what }));
    }

    fn finish(&mut self) -> Vec<Effect> {
        if self.keeps_running() && self.now.saturating_sub(self.saved_at) >= CHECKPOINT_MS {
            let (at, face) = (self.now, self.face());
            self.memory.checkpoint(self.moment(at), face);
            self.saved_at = at;
            self.out.push(Effect::Checkpoint(Checkpoint { at, face }));
        }
        std::mem::take(&mut self.out)
    }

    /// An own clock is running and its flag is not down: time passes on it that no record shows yet.
    pub(crate) fn keeps_running(&self) -> bool {
        let face = self.face();
        let runs = face.going == Going::Running && !face.hand(face.turn).flagged;
        runs && matches!(self.keeper, Keeper::Own(Some(_)))
    }

    fn face_at(&self, at: u64) -> Face {
        match &self.keeper {
            Keeper::Own(Some(clock)) => {
                // Somebody may play with the buttons all night; the contract counts no further.
                let mut face = clock.face(at);
                face.hands.iter_mut().for_each(|hand| hand.moves = hand.moves.min(MOVES_MAX));
                face
            }
            Keeper::Own(None) => Face::unknown(self.settings.white_place),
            Keeper::External(external) => external.face(),
        }
    }

    fn moment(&self, ms: u64) -> Moment {
        Moment { boot: self.settings.boot, ms }
    }
}

/// What the board shows explains these; before they are told, a change of it must be.
fn needs_board(what: &What) -> bool {
    use What::{Call, Claim, Flag, Paused, Press, Report, Resumed, Started};
    matches!(what, Started | Press(_) | Flag(_) | Paused | Resumed | Report(_) | Claim(..) | Call(_))
}

#[cfg(test)]
mod tests;
