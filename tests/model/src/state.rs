//! Everything that is the case at one moment: both ends' disks and memories, the streams between them, what may still go wrong,
//! and what the invariants must remember.

use crate::{
    bounds::{Bounds, DOWN, Fault, GAMES, MAILBOX, QUEUE, REVS, SPOOLS, STREAMS, UP},
    pack::{Fifo, Log, Stage, What},
};

/// An entry of the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Entry {
    /// None; fills what is empty.
    #[default]
    Nothing,
    /// A session begins.
    Epoch(u8),
    /// An event of a clock.
    Event {
        /// The session it came in.
        epoch: u8,
        /// Its spool.
        spool: u8,
        /// Its number.
        seq: u8,
        /// What it says.
        what: What,
    },
    /// The desk issues a directive.
    Desk {
        /// Counts the desk's acts.
        number: u8,
        /// It replaces the one before it.
        supersedes: bool,
    },
    /// Patience with a directive ran out.
    Overdue(u8),
}

/// A directive as the journal knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Directive {
    /// From 1; 0: there is none.
    pub rev: u8,
    /// What it goes back to: the number of the press, or 8 and the number of the desk's act. Stands for its content.
    pub cause: u8,
    /// The last event the ruling knew of; 0: no such condition.
    pub as_of: u8,
    /// It replaces the one before it.
    pub supersedes: bool,
}

/// The journal, folded: entries are judged as they come, and then only what follows from them is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Journal {
    /// The newest session in it.
    pub epoch: u8,
    /// The events of each spool.
    pub logs: [Log; SPOOLS],
    /// The directives issued, and how each fares.
    pub directives: [(Directive, Stage); REVS],
    /// Whose report was the final word on each: the spool.
    pub by: [u8; REVS],
    /// How many there are.
    pub issued: u8,
    /// An event was not the next of its spool.
    pub torn: bool,
    /// An entry's session was older than one before it.
    pub unfenced: bool,
}

impl Journal {
    /// Takes an entry; a directive that it issues is returned.
    pub fn take(&mut self, entry: Entry, bounds: &Bounds, fault: Fault) -> Option<Directive> {
        match entry {
            Entry::Nothing => None,
            Entry::Epoch(epoch) => {
                self.in_epoch(epoch);
                None
            }
            Entry::Event { epoch, spool, seq, what } => {
                self.in_epoch(epoch);
                let log = &mut self.logs[usize::from(spool)];
                if seq != log.len() + 1 {
                    self.torn = true;
                    return None;
                }
                log.push(what);
                match what {
                    What::Press(number) if number < bounds.rulings => {
                        self.issue(Directive { cause: number, as_of: seq, ..Directive::default() })
                    }
                    What::Press(_) => None,
                    What::Report(rev, stage) => {
                        self.report(spool, rev, stage, fault);
                        None
                    }
                }
            }
            Entry::Desk { number, supersedes } => {
                let supersedes = supersedes && self.issued > 0;
                self.issue(Directive { cause: 8 + number, supersedes, ..Directive::default() })
            }
            Entry::Overdue(rev) => {
                let (_, stage) = &mut self.directives[usize::from(rev) - 1];
                if stage.is_awaited() {
                    *stage = Stage::Unknown;
                }
                None
            }
        }
    }

    fn in_epoch(&mut self, epoch: u8) {
        self.unfenced |= epoch < self.epoch;
        self.epoch = self.epoch.max(epoch);
    }

    fn issue(&mut self, directive: Directive) -> Option<Directive> {
        self.issued += 1;
        let directive = Directive { rev: self.issued, ..directive };
        self.directives[usize::from(self.issued) - 1] = (directive, Stage::Sent);
        Some(directive)
    }

    /// The first final word stays; any other word replaces the one before it, but that it was received is no word once patience has
    /// ended: nobody waits any more.
    fn report(&mut self, spool: u8, rev: u8, word: Stage, fault: Fault) {
        let at = usize::from(rev) - 1;
        let (_, stage) = &mut self.directives[at];
        let late = (*stage, word) == (Stage::Unknown, Stage::Received) && fault != Fault::TimerNotRearmed;
        if at < usize::from(self.issued) && !stage.is_final() && !late {
            *stage = word;
            self.by[at] = if word.is_final() { spool } else { 0 };
        }
    }

    /// The directives issued, in order.
    pub fn issued(&self) -> impl Iterator<Item = (Directive, Stage)> {
        self.directives.into_iter().take(usize::from(self.issued))
    }
}

/// From the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Up {
    /// None; fills what is empty.
    #[default]
    Nothing,
    /// The clock introduces itself.
    Hello {
        /// Its spool.
        spool: u8,
    },
    /// An event. The contract carries several in a frame; one by one they can be torn apart anywhere.
    Event {
        /// The session.
        epoch: u8,
        /// Its number.
        seq: u8,
        /// What it says.
        what: What,
        /// What it follows.
        chain: u64,
    },
}

impl Up {
    /// It is an event.
    #[must_use]
    pub const fn is_event(self) -> bool {
        matches!(self, Up::Event { .. })
    }
}

/// To the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Down {
    /// None; fills what is empty.
    #[default]
    Nothing,
    /// The service takes the clock in.
    Welcome {
        /// The session.
        epoch: u8,
        /// Events up to here are on disk.
        through: u8,
        /// What the next one follows.
        chain: u64,
    },
    /// Events up to here are on disk.
    Ack(u8),
    /// Send again from here.
    Rewind(u8),
    /// Something to do.
    Directive(Directive),
}

/// The clock's end of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Client {
    /// It has let go; what it sent may still arrive.
    #[default]
    Gone,
    /// Hello is sent.
    Greeting,
    /// A session.
    Talking {
        /// Its epoch.
        epoch: u8,
        /// The last event sent.
        sent: u8,
        /// The last one acknowledged.
        acked: u8,
    },
}

/// The service's end of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Session {
    /// Hello has not come.
    #[default]
    Unmet,
    /// Hello has come; the session waits for the lane.
    Claimed {
        /// The clock's spool.
        spool: u8,
    },
    /// Its epoch is on its way to the disk.
    Opening {
        /// The clock's spool.
        spool: u8,
        /// The epoch.
        epoch: u8,
    },
    /// Welcome is sent.
    Live {
        /// The clock's spool.
        spool: u8,
        /// The epoch.
        epoch: u8,
        /// The last event taken.
        last: u8,
        /// A gap was reported and is not closed yet.
        rewinding: bool,
        /// The game to which events are under way.
        goal: u8,
    },
    /// It reads nothing more, and keeps the lane until all it took is on disk.
    Ending {
        /// The epoch.
        epoch: u8,
    },
    /// It is over.
    Closed,
}

/// A stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stream {
    /// It is there.
    pub open: bool,
    /// The instance at the clock's end.
    pub who: u8,
    /// The clock's end.
    pub client: Client,
    /// The service's end.
    pub session: Session,
    /// On its way to the service.
    pub up: Fifo<Up, UP>,
    /// On its way to the clock.
    pub down: Fifo<Down, DOWN>,
}

/// What a clock's disk says of a directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Handled {
    /// Nothing.
    #[default]
    Never,
    /// It was stored, and is to be carried out.
    Pending(Directive),
    /// It was carried out.
    Applied(Directive),
    /// It was refused.
    Rejected,
    /// Nobody knows whether it was carried out, and it will not be again.
    Untold,
}

/// An instance of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Agent {
    /// Its spool's name.
    pub spool: u8,
    /// On disk: the events.
    pub log: Log,
    /// Those of them on disk; all, unless a fault says otherwise.
    pub synced: u8,
    /// On disk: the directives.
    pub handled: [Handled; REVS],
    /// On disk: the last revision handled.
    pub rev: u8,
    /// On disk: revisions that a later directive replaced, a bit each.
    pub superseded: u8,
    /// It has taken on the game. An instance that has not refuses every directive of it.
    pub on_game: bool,
    /// The physical clock: how often each directive changed it.
    pub changes: [u8; REVS],
    /// In memory: the physical clock was asked to carry out what is pending.
    pub asked: bool,
    /// In memory: and it did.
    pub taken: bool,
    /// In memory: it was asked and did not answer; the next reading decides.
    pub in_vain: bool,
    /// In memory: directives that wait for the one that is pending.
    pub waiting: Fifo<Directive, REVS>,
    /// It found that the service has other events of its spool, and stopped.
    pub forked: bool,
}

/// What may still happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Left {
    /// See [`Bounds`].
    pub presses: u8,
    /// See [`Bounds`].
    pub desk: u8,
    /// See [`Bounds`].
    pub sessions: u8,
    /// See [`Bounds`].
    pub breaks: u8,
    /// See [`Bounds`].
    pub clock_crashes: u8,
    /// See [`Bounds`].
    pub server_crashes: u8,
    /// See [`Bounds`].
    pub mangles: u8,
    /// See [`Bounds`].
    pub forgets: u8,
    /// See [`Bounds`].
    pub games: u8,
    /// See [`Bounds`].
    pub overdues: u8,
    /// See [`Bounds`].
    pub refusals: u8,
}

/// What only the invariants know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seen {
    /// The greatest number ever acknowledged of each spool, by Ack or Welcome.
    pub acked: [u8; SPOOLS],
    /// The greatest epoch in a Welcome.
    pub welcomed: u8,
    /// An epoch was in two Welcomes.
    pub epoch_twice: bool,
    /// The service found a spool with two histories.
    pub forked: bool,
    /// Of each spool that was begun anew: the events it had.
    pub dropped: [u8; SPOOLS],
}

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// On the service's disk.
    pub disk: Journal,
    /// In the service's memory: events taken from a session and not yet given to the journal. A game may hold them back.
    pub mailboxes: [Fifo<Entry, MAILBOX>; GAMES],
    /// The clock's game, from 0. Directives are all of the first one.
    pub game: u8,
    /// On its way to the disk, in order.
    pub queue: Fifo<Entry, QUEUE>,
    /// In the service's memory: directives whose patience is running, a bit each.
    pub armed: u8,
    /// The streams, the oldest first.
    pub streams: [Stream; STREAMS],
    /// The instances.
    pub agents: [Agent; 2],
    /// What may still happen.
    pub left: Left,
    /// What only the invariants know.
    pub seen: Seen,
}

impl State {
    /// The beginning: nothing has happened, the first instance has the game.
    #[must_use]
    pub fn first(bounds: &Bounds) -> State {
        let mut state = State::default();
        state.agents[0].on_game = true;
        state.agents[1].spool = 1;
        state.left = Left {
            presses: bounds.presses,
            desk: bounds.desk,
            sessions: bounds.sessions,
            breaks: bounds.breaks,
            clock_crashes: bounds.clock_crashes,
            server_crashes: bounds.server_crashes,
            mangles: bounds.mangles,
            forgets: bounds.forgets,
            games: bounds.games,
            overdues: bounds.overdues,
            refusals: bounds.refusals,
        };
        state
    }

    /// The journal with what is on its way to it: what the service goes by.
    #[must_use]
    pub fn ahead(&self, bounds: &Bounds, fault: Fault) -> Journal {
        let mut journal = self.disk;
        for &entry in self.queue.items() {
            journal.take(entry, bounds, fault);
        }
        journal
    }

    /// The journal with all that was taken from sessions too.
    #[must_use]
    pub fn taken(&self, bounds: &Bounds, fault: Fault) -> Journal {
        let mut journal = self.ahead(bounds, fault);
        for &entry in self.mailboxes.iter().flat_map(Fifo::items) {
            journal.take(entry, bounds, fault);
        }
        journal
    }

    /// The game that an event goes to.
    #[must_use]
    pub const fn goal(&self, what: What) -> u8 {
        match what {
            What::Press(_) => self.game,
            What::Report(..) => 0,
        }
    }

    /// An event or the epoch of this session is on its way to the disk.
    #[must_use]
    pub fn is_writing(&self, session: u8) -> bool {
        self.mailboxes.iter().flat_map(Fifo::items).chain(self.queue.items()).any(|entry| match *entry {
            Entry::Epoch(epoch) | Entry::Event { epoch, .. } => epoch == session,
            _ => false,
        })
    }

    /// The stream that an instance believes in.
    #[must_use]
    pub fn stream_of(&self, who: u8) -> Option<usize> {
        self.streams.iter().position(|stream| stream.open && stream.who == who && stream.client != Client::Gone)
    }
}

/// Every state is copied for every step from it.
const _: () = assert!(size_of::<State>() < 600);
