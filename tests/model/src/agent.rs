//! The clock's steps: `clock-agent/src/{agent,core,spool,uplink}`.
//!
//! A batch is fsynced before anything of it is seen, so noticing, writing and syncing are one step here: what is lost between
//! them nobody ever saw.

use crate::{
    bounds::{Bounds, Fault},
    pack::{Stage, What},
    state::{Agent, Client, Directive, Down, Handled, State, Stream, Up},
};

impl Agent {
    fn spool(&mut self, what: What) {
        self.log.push(what);
        self.synced = self.log.len();
    }

    /// A press; only under a fault it is seen before it is on disk.
    pub(crate) fn press(&mut self, number: u8, fault: Fault) {
        let synced = self.synced;
        self.spool(What::Press(number));
        if fault == Fault::SendBeforeFsync {
            self.synced = synced;
        }
    }

    /// The directive that is stored and not yet known to be carried out.
    #[must_use]
    pub fn pending(&self) -> Option<Directive> {
        self.handled.iter().find_map(|handled| match handled {
            Handled::Pending(directive) => Some(*directive),
            _ => None,
        })
    }

    fn receive(&mut self, directive: Directive, bounds: &Bounds, fault: Fault) {
        let rev = directive.rev;
        match self.handled[at(rev)] {
            Handled::Never if self.pending().is_some() => {
                if !self.waiting.items().contains(&directive) {
                    self.waiting.push(directive);
                }
            }
            Handled::Never => self.judge(directive, bounds, fault),
            Handled::Pending(_) => self.received(rev, bounds),
            Handled::Applied(_) => self.spool(What::Report(rev, Stage::Applied)),
            Handled::Rejected => self.spool(What::Report(rev, Stage::Rejected)),
            Handled::Untold => self.spool(What::Report(rev, Stage::Untold)),
        }
    }

    fn received(&mut self, rev: u8, bounds: &Bounds) {
        if bounds.received {
            self.spool(What::Report(rev, Stage::Received));
        }
    }

    fn judge(&mut self, directive: Directive, bounds: &Bounds, fault: Fault) {
        let rev = directive.rev;
        let replaced = |by: &Directive| by.supersedes && by.rev == rev + 1;
        let superseded = self.superseded & 1 << rev != 0 || self.waiting.items().iter().any(replaced);
        let follows = self.on_game && rev == self.rev + 1;
        let last_press = self.log.events().filter(|(_, what)| matches!(what, What::Press(_))).last();
        let overtaken = directive.as_of != 0 && last_press.is_some_and(|(seq, _)| seq > directive.as_of);
        if self.on_game && directive.supersedes {
            self.superseded |= 1 << (rev - 1);
        }
        if superseded || !follows || overtaken {
            // What belongs to another game is refused and not remembered.
            if self.on_game {
                self.handled[at(rev)] = Handled::Rejected;
                self.rev = self.rev.max(rev);
            }
            self.spool(What::Report(rev, Stage::Rejected));
            return;
        }
        self.handled[at(rev)] = Handled::Pending(directive);
        self.asked = true;
        if fault == Fault::ApplyBeforeRecord {
            self.clock_takes();
        }
        self.received(rev, bounds);
    }

    /// The physical clock does what it was asked.
    pub(crate) fn clock_takes(&mut self) {
        if let Some(directive) = self.pending() {
            self.changes[at(directive.rev)] += 1;
            self.taken = true;
        }
    }

    /// The physical clock's answer is heard.
    pub(crate) fn dial_done(&mut self, bounds: &Bounds, fault: Fault) {
        let Some(directive) = self.pending() else { return };
        self.handled[at(directive.rev)] = Handled::Applied(directive);
        self.rev = self.rev.max(directive.rev);
        (self.asked, self.taken, self.in_vain) = (false, false, false);
        self.spool(What::Report(directive.rev, Stage::Applied));
        self.judge_waiting(bounds, fault);
    }

    /// The pending directive is over without having been carried out, as far as is known.
    fn give_up(&mut self, handled: Handled, word: Stage, bounds: &Bounds, fault: Fault) {
        let Some(directive) = self.pending() else { return };
        self.handled[at(directive.rev)] = handled;
        self.rev = self.rev.max(directive.rev);
        (self.asked, self.taken, self.in_vain) = (false, false, false);
        self.spool(What::Report(directive.rev, word));
        self.judge_waiting(bounds, fault);
    }

    /// The physical clock says that it does not do it.
    pub(crate) fn refuses(&mut self, bounds: &Bounds, fault: Fault) {
        self.give_up(Handled::Rejected, Stage::Rejected, bounds, fault);
    }

    /// Its answer is lost: nobody knows, and the clock is read again.
    pub(crate) fn answer_lost(&mut self, bounds: &Bounds, fault: Fault) {
        if fault == Fault::AnswerLost {
            return self.refuses(bounds, fault);
        }
        (self.asked, self.taken, self.in_vain) = (false, false, true);
    }

    fn judge_waiting(&mut self, bounds: &Bounds, fault: Fault) {
        while self.pending().is_none()
            && let Some(next) = self.waiting.pop()
        {
            self.judge(next, bounds, fault);
        }
    }

    /// The physical clock is read after a loss of power or of its answer, and tells whether the directive got there; `misread`: it
    /// tells wrongly.
    pub(crate) fn take_up(&mut self, misread: bool, bounds: &Bounds, fault: Fault) {
        let Some(directive) = self.pending() else { return };
        match (self.changes[at(directive.rev)] > 0) != misread {
            true => self.dial_done(bounds, fault),
            false if self.in_vain => self.refuses(bounds, fault),
            false => self.asked = true,
        }
    }

    /// The reading does not tell: play has moved it since. The directive is not tried again, and nobody pretends to know.
    pub(crate) fn untold(&mut self, bounds: &Bounds, fault: Fault) {
        self.give_up(Handled::Untold, Stage::Untold, bounds, fault);
    }

    fn crash(&mut self, fault: Fault) {
        (self.asked, self.taken, self.in_vain) = (false, false, false);
        self.waiting.clear();
        self.log.truncate(self.synced);
        for handled in &mut self.handled {
            let lost = match fault {
                Fault::ApplyBeforeRecord => matches!(handled, Handled::Pending(_)),
                Fault::MemoryLost => true,
                _ => false,
            };
            if lost {
                *handled = Handled::Never;
            }
        }
        if fault == Fault::MemoryLost {
            (self.rev, self.superseded) = (0, 0);
        }
    }

    /// Everything is on the service's disk: a new spool, with the present of the old one.
    fn forget(&mut self, spool: u8) {
        let present = Agent { rev: self.rev, on_game: self.on_game, changes: self.changes, ..Agent::default() };
        *self = Agent { spool, ..present };
    }
}

fn at(rev: u8) -> usize {
    usize::from(rev) - 1
}

impl State {
    /// An instance opens a stream and says Hello.
    pub(crate) fn connect(&mut self, who: u8) {
        let spool = self.agents[usize::from(who)].spool;
        if let Some(free) = self.streams.iter_mut().find(|stream| !stream.open) {
            *free = Stream { open: true, who, client: Client::Greeting, ..Stream::default() };
            free.up.push(Up::Hello { spool });
        }
    }

    /// The next event goes out.
    pub(crate) fn send(&mut self, stream: usize) {
        let Stream { who, client, up, .. } = &mut self.streams[stream];
        if let Client::Talking { epoch, sent, .. } = client {
            let log = self.agents[usize::from(*who)].log;
            let seq = *sent + 1;
            if let Some(what) = log.get(seq) {
                up.push(Up::Event { epoch: *epoch, seq, what, chain: log.chain(*sent) });
                *sent = seq;
            }
        }
    }

    /// The clock takes the first message of a stream; `forget`: it begins its spool anew at this Welcome.
    pub(crate) fn hear(&mut self, stream: usize, forget: bool, bounds: &Bounds, fault: Fault) {
        let Some(message) = self.streams[stream].down.pop() else { return };
        let who = usize::from(self.streams[stream].who);
        let agent = &mut self.agents[who];
        let client = &mut self.streams[stream].client;
        match (message, &mut *client) {
            (Down::Welcome { epoch, through, chain }, Client::Greeting) => {
                if through > agent.log.len() || agent.log.chain(through) != chain {
                    agent.forked = true;
                    *client = Client::Gone;
                } else if forget {
                    self.seen.dropped[usize::from(agent.spool)] = agent.log.len();
                    agent.forget(2);
                    *client = Client::Gone;
                } else {
                    *client = Client::Talking { epoch, sent: through, acked: through };
                }
            }
            (Down::Ack(through), Client::Talking { sent, acked, .. }) if through <= *sent => {
                *acked = (*acked).max(through);
            }
            (Down::Rewind(from), Client::Talking { sent, acked, .. }) if *acked < from && from <= *sent + 1 => {
                *sent = from - 1;
            }
            (Down::Directive(directive), Client::Talking { .. }) => agent.receive(directive, bounds, fault),
            // A service that makes no sense is not followed.
            _ => *client = Client::Gone,
        }
    }

    /// An instance loses power and comes back. Being away longer is the same as doing nothing.
    pub(crate) fn clock_crash(&mut self, who: u8, fault: Fault) {
        self.agents[usize::from(who)].crash(fault);
        for stream in self.streams.iter_mut().filter(|stream| stream.who == who) {
            stream.client = Client::Gone;
        }
    }
}
