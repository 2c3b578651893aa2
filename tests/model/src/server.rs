//! The service's steps: `server/src/link` and `server/src/arena`.

use crate::{
    bounds::{Bounds, DOWN, Fault},
    invariant::CONTIGUOUS,
    pack::What,
    state::{Client, Directive, Down, Entry, Session, State, Up},
};

/// Room that a step which sends must find: what one entry leads to, or a Welcome with all directives.
pub(crate) const ROOM: usize = 4;

const _: () = assert!(DOWN > ROOM);

impl State {
    /// The service takes the first frame of a stream.
    pub(crate) fn serve(&mut self, at: usize, bounds: &Bounds, fault: Fault) {
        match self.streams[at].up.pop() {
            Some(Up::Hello { spool }) => self.claim(at, spool, fault),
            Some(Up::Event { epoch, seq, what, chain }) => self.intake(at, (epoch, seq, what, chain), bounds, fault),
            Some(Up::Nothing) | None => {}
        }
    }

    /// A newer session of the clock throws the older one out.
    fn claim(&mut self, at: usize, spool: u8, fault: Fault) {
        if fault != Fault::NoFencing {
            for other in 0..self.streams.len() {
                if other != at && self.streams[other].session != Session::Unmet {
                    self.end(other);
                }
            }
        }
        self.streams[at].session = Session::Claimed { spool };
    }

    /// A session reads nothing more.
    pub(crate) fn end(&mut self, at: usize) {
        let session = &mut self.streams[at].session;
        *session = match *session {
            Session::Opening { epoch, .. } | Session::Live { epoch, .. } | Session::Ending { epoch } => {
                Session::Ending { epoch }
            }
            Session::Unmet | Session::Claimed { .. } | Session::Closed => Session::Closed,
        };
    }

    /// Nobody else holds what only one session of a clock may hold.
    pub(crate) fn lane_is_free(&self, fault: Fault) -> bool {
        matches!(fault, Fault::NoFencing | Fault::NoLane)
            || self.streams.iter().all(|stream| {
                !matches!(stream.session, Session::Opening { .. } | Session::Live { .. } | Session::Ending { .. })
            })
    }

    /// The session has the lane: its epoch goes to the journal.
    pub(crate) fn open(&mut self, at: usize, bounds: &Bounds, fault: Fault) {
        if let Session::Claimed { spool } = self.streams[at].session {
            let epoch = self.ahead(bounds, fault).epoch + 1;
            self.queue.push(Entry::Epoch(epoch));
            self.streams[at].session = Session::Opening { spool, epoch };
        }
    }

    /// Welcome may leave: the epoch is on disk, and so is everything that it says of the game.
    pub(crate) fn may_welcome(&self, epoch: u8, fault: Fault) -> bool {
        match fault {
            Fault::EpochNotPersisted => true,
            Fault::NoFencing | Fault::NoLane => !self.queue.items().contains(&Entry::Epoch(epoch)),
            _ => self.queue.is_empty(),
        }
    }

    /// Welcome, and what there is no final word of.
    pub(crate) fn welcome(&mut self, at: usize, fault: Fault) {
        let Session::Opening { spool, epoch } = self.streams[at].session else { return };
        let log = self.disk.logs[usize::from(spool)];
        let through = log.len();
        self.streams[at].session = Session::Live { spool, epoch, last: through, rewinding: false, goal: 0 };
        self.seen.epoch_twice |= epoch <= self.seen.welcomed;
        self.seen.welcomed = self.seen.welcomed.max(epoch);
        self.acknowledged(spool, through);
        let disk = self.disk;
        self.say(at, Down::Welcome { epoch, through, chain: log.chain(through) });
        // Of a game that the clock has gone on from nothing is wanted of it any more.
        if fault != Fault::NoRedelivery && self.game == 0 {
            let open = disk.issued().filter(|(_, stage)| !stage.is_final());
            open.for_each(|(directive, _)| self.say(at, Down::Directive(directive)));
        }
    }

    fn acknowledged(&mut self, spool: u8, through: u8) {
        let acked = &mut self.seen.acked[usize::from(spool)];
        *acked = (*acked).max(through);
    }

    /// Puts a message on its way; an ack takes the place of one that nothing has passed.
    fn say(&mut self, at: usize, message: Down) {
        let stream = &mut self.streams[at];
        if stream.client != Client::Gone {
            let acks = matches!(message, Down::Ack(_));
            stream.down.push_or_replace(message, |last| acks && matches!(last, Down::Ack(_)));
        }
    }

    fn ack(&mut self, at: usize, spool: u8, through: u8) {
        self.acknowledged(spool, through);
        self.say(at, Down::Ack(through));
    }

    /// An event is new, comes again, or comes too early.
    fn intake(&mut self, at: usize, event: (u8, u8, What, u64), bounds: &Bounds, fault: Fault) {
        let (named, seq, what, chain) = event;
        let Session::Live { spool, epoch, last, rewinding, goal } = self.streams[at].session else { return };
        if named != epoch {
            return self.end(at);
        }
        let known = self.taken(bounds, fault).logs[usize::from(spool)];
        if seq > last + 1 && fault != Fault::TakePastGap {
            self.streams[at].session = Session::Live { spool, epoch, last, rewinding: true, goal };
            if !rewinding {
                self.say(at, Down::Rewind(last + 1));
            }
            return;
        }
        if seq <= last && fault != Fault::ForgetDedup {
            if known.get(seq) != Some(what) {
                self.seen.forked = true;
                return self.end(at);
            }
            let through = self.disk.logs[usize::from(spool)].len();
            if seq <= through {
                self.ack(at, spool, through);
            }
            return;
        }
        let broken = fault.breaks().contains(&CONTIGUOUS);
        if !broken && known.chain(last) != chain {
            self.seen.forked = true;
            return self.end(at);
        }
        let goal = self.goal(what);
        self.streams[at].session = Session::Live { spool, epoch, last: last.max(seq), rewinding: false, goal };
        self.mailboxes[usize::from(goal)].push(Entry::Event { epoch, spool, seq, what });
        if fault == Fault::AckBeforeCommit {
            self.ack(at, spool, seq);
        }
    }

    /// Something was lost on the way: the clock's heart beats, its spool has more than came, and all that came is on disk.
    pub(crate) fn misses(&self, at: usize, fault: Fault) -> bool {
        let stream = &self.streams[at];
        let (Client::Talking { sent, .. }, Session::Live { spool, last, .. }) = (stream.client, stream.session) else {
            return false;
        };
        let still = stream.up.is_empty() && !stream.down.items().iter().any(|down| matches!(down, Down::Rewind(_)));
        let on_disk = self.disk.logs[usize::from(spool)].len() == last;
        fault != Fault::GapStalls && still && on_disk && sent > last && stream.down.room() >= ROOM
    }

    /// The service asks for it again.
    pub(crate) fn beat(&mut self, at: usize) {
        if let Session::Live { last, rewinding, .. } = &mut self.streams[at].session {
            let from = *last + 1;
            *rewinding = true;
            self.say(at, Down::Rewind(from));
        }
    }

    /// An event may be taken: its game has room, and nothing is under way to another game. Otherwise the journal could keep it
    /// and lose one before it.
    pub(crate) fn may_take(&self, at: usize, fault: Fault) -> bool {
        match (self.streams[at].session, self.streams[at].up.first()) {
            (Session::Live { epoch, last, goal, .. }, Some(Up::Event { seq, what, .. })) => {
                let to = self.goal(what);
                let waits = seq == last + 1 && to != goal && self.is_writing(epoch) && fault != Fault::NoGoalWait;
                !waits && self.mailboxes[usize::from(to)].room() > 0 && self.streams[at].down.room() >= ROOM
            }
            _ => true,
        }
    }

    /// A game takes the first event that waits for it.
    pub(crate) fn admit(&mut self, game: usize, bounds: &Bounds, fault: Fault) {
        if let Some(entry) = self.mailboxes[game].pop() {
            self.append(entry, bounds, fault);
        }
    }

    /// Gives an entry to the journal. What it leads to leaves when it is on disk; patience with a directive begins now.
    pub(crate) fn append(&mut self, entry: Entry, bounds: &Bounds, fault: Fault) {
        let mut ahead = self.ahead(bounds, fault);
        self.queue.push(entry);
        let issued = ahead.take(entry, bounds, fault);
        if let Some(directive) = issued {
            self.armed |= 1 << directive.rev;
        }
        for (directive, stage) in ahead.issued() {
            if stage.is_final() {
                self.armed &= !(1 << directive.rev);
            }
        }
        if fault == Fault::DirectiveBeforeCommit {
            issued.into_iter().for_each(|directive| self.tell(directive));
        }
    }

    /// The first entry on its way is on disk; what waited for it leaves: the ack, then the directive.
    pub(crate) fn commit(&mut self, bounds: &Bounds, fault: Fault) {
        let Some(entry) = self.queue.pop() else { return };
        let issued = self.disk.take(entry, bounds, fault);
        if let Entry::Event { epoch, spool, .. } = entry
            && fault != Fault::AckBeforeCommit
        {
            let through = self.disk.logs[usize::from(spool)].len();
            let in_session = |session| matches!(session, Session::Live { epoch: live, .. } if live == epoch);
            if let Some(at) = self.streams.iter().position(|stream| in_session(stream.session)) {
                self.ack(at, spool, through);
            }
        }
        if fault != Fault::DirectiveBeforeCommit {
            issued.into_iter().for_each(|directive| self.tell(directive));
        }
    }

    /// The live session is told; without one the next Welcome brings it along.
    fn tell(&mut self, directive: Directive) {
        let live = |session| matches!(session, Session::Live { .. });
        if let Some(at) = self.streams.iter().rposition(|stream| live(stream.session))
            && self.game == 0
        {
            self.say(at, Down::Directive(directive));
        }
    }

    /// Power is lost: of what was on its way to the disk, the first `kept` entries got there. The service comes back at once,
    /// as a service that is away longer differs in nothing that a clock could see.
    pub(crate) fn server_crash(&mut self, kept: usize, bounds: &Bounds, fault: Fault) {
        for _ in 0..kept {
            if let Some(entry) = self.queue.pop() {
                self.disk.take(entry, bounds, fault);
            }
        }
        self.queue.clear();
        self.mailboxes = Default::default();
        for stream in &mut self.streams {
            stream.session = Session::Closed;
        }
        self.armed = 0;
        for (directive, stage) in self.disk.issued() {
            self.armed |= u8::from(stage.is_awaited()) << directive.rev;
        }
    }

    /// Brings what cannot be told apart into one form, and the oldest stream to the front.
    pub(crate) fn tidy(&mut self) {
        for at in 0..self.streams.len() {
            let stream = &self.streams[at];
            if let Session::Ending { epoch } = stream.session
                && !self.is_writing(epoch)
            {
                self.streams[at].session = Session::Closed;
            }
            let stream = &mut self.streams[at];
            if matches!(stream.session, Session::Closed | Session::Ending { .. }) {
                stream.up.clear();
            }
            if stream.client == Client::Gone {
                stream.down.clear();
                if stream.session == Session::Closed {
                    *stream = Default::default();
                }
            }
        }
        if !self.streams[0].open {
            self.streams.swap(0, 1);
        }
    }
}
