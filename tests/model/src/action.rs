//! What can happen next, and how it is told.

use std::fmt;

use crate::{
    bounds::{Bounds, Fault, WINDOW},
    pack::What,
    server::ROOM,
    state::{Agent, Client, Down, Entry, Session, State, Stream, Up},
};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// An instance opens a stream.
    Connect(u8),
    /// A player presses at an instance.
    Press(u8),
    /// The clock's end of a stream sends its next event.
    Send(usize),
    /// The clock's end takes a message.
    Hear(usize),
    /// The clock's end takes a Welcome and begins its spool anew.
    HearAndForget(usize),
    /// The clock's end finds that the stream is closed.
    ClientNotices(usize),
    /// The physical clock of an instance does what it was asked.
    ClockTakes(u8),
    /// Its answer is heard.
    DialDone(u8),
    /// It says that it does not do it.
    Refuses(u8),
    /// Its answer is lost.
    AnswerLost(u8),
    /// It is read after a loss of power or of its answer, and tells whether the directive got there.
    TakeUp(u8),
    /// The same, and it does not tell.
    Untold(u8),
    /// Only under a fault: it tells wrongly.
    TakeUpMisread(u8),
    /// Only under a fault: a press gets to the clock's disk after it was seen.
    Fsync(u8),
    /// The service's end of a stream takes a frame.
    Serve(usize),
    /// A session has the lane; its epoch goes to the journal.
    Open(usize),
    /// Its Welcome leaves.
    Welcome(usize),
    /// A game rules on the first event that waits for it, and gives it to the journal.
    Admit(usize),
    /// The first entry on its way is on disk.
    Commit,
    /// The service's end finds that the clock has let go; what was on its way is lost.
    ServerNotices(usize),
    /// The clock's heart beats, and the service asks for what was lost on the way.
    Beat(usize),
    /// The desk issues a directive.
    Desk,
    /// The desk opens the next game on the clock.
    NextGame,
    /// Patience with a directive ends.
    Overdue(u8),
    /// The clock gives a stream up; what it sent may still arrive.
    ClientBreaks(usize),
    /// The service loses a stream; what it sent may still arrive.
    ServerBreaks(usize),
    /// An instance loses power.
    ClockCrash(u8),
    /// The service loses power; so many entries on their way got to the disk.
    ServerCrash(usize),
    /// A frame is dropped on its way to the service.
    Drop(usize),
    /// A frame arrives twice.
    Double(usize),
    /// Two frames arrive in the wrong order.
    Swap(usize),
}

/// Lists what can happen; `faults`: streams break, power is lost, people act. Without, only what goes on by itself.
pub(crate) fn enabled(state: &State, bounds: &Bounds, fault: Fault, faults: bool, out: &mut Vec<Action>) {
    by_itself(state, bounds, fault, faults, out);
    if faults {
        by_others(state, bounds, fault, out);
    }
}

fn by_itself(state: &State, bounds: &Bounds, fault: Fault, faults: bool, out: &mut Vec<Action>) {
    let room = state.queue.room() > 0;
    if !state.queue.is_empty() && state.streams.iter().all(|stream| stream.down.room() >= ROOM) {
        out.push(Action::Commit);
    }
    for (game, mailbox) in state.mailboxes.iter().enumerate() {
        if room && !mailbox.is_empty() {
            out.push(Action::Admit(game));
        }
    }
    for (at, stream) in state.streams.iter().enumerate().filter(|(_, stream)| stream.open) {
        let Stream { who, client, session, up, down, .. } = *stream;
        let agent = &state.agents[usize::from(who)];
        match down.first() {
            Some(message) => {
                out.push(Action::Hear(at));
                if let Down::Welcome { through, .. } = message {
                    let all = through == agent.log.len() || fault == Fault::ForgetBeforeAck;
                    if faults && state.left.forgets > 0 && all && !agent.log.is_empty() && agent.pending().is_none() {
                        out.push(Action::HearAndForget(at));
                    }
                }
            }
            None if client != Client::Gone && matches!(session, Session::Closed | Session::Ending { .. }) => {
                out.push(Action::ClientNotices(at));
            }
            None => {}
        }
        if let Client::Talking { sent, acked, .. } = client
            && sent < agent.log.len().min(acked + WINDOW)
            && up.room() > 0
        {
            out.push(Action::Send(at));
        }
        if !up.is_empty()
            && state.may_take(at, fault)
            && !matches!(session, Session::Claimed { .. } | Session::Opening { .. })
        {
            out.push(Action::Serve(at));
        }
        match session {
            Session::Claimed { .. } if room && state.lane_is_free(fault) => out.push(Action::Open(at)),
            Session::Opening { epoch, .. } if state.may_welcome(epoch, fault) && down.room() >= ROOM => {
                out.push(Action::Welcome(at));
            }
            _ => {}
        }
        if state.misses(at, fault) {
            out.push(Action::Beat(at));
        }
        if client == Client::Gone && !matches!(session, Session::Closed | Session::Ending { .. }) {
            out.push(Action::ServerNotices(at));
        }
    }
    for who in 0..bounds.instances {
        let agent = &state.agents[usize::from(who)];
        match (agent.pending(), agent.asked, agent.taken) {
            (Some(_), false, _) => {
                out.push(Action::TakeUp(who));
                match fault {
                    Fault::ReadingMisleads if faults => out.push(Action::TakeUpMisread(who)),
                    _ if faults => out.push(Action::Untold(who)),
                    _ => {}
                }
            }
            (Some(_), true, false) => out.push(Action::ClockTakes(who)),
            (Some(_), true, true) => out.push(Action::DialDone(who)),
            (None, ..) => {}
        }
        if agent.synced < agent.log.len() {
            out.push(Action::Fsync(who));
        }
        let free = state.streams.iter().any(|stream| !stream.open);
        if free && !agent.forked && state.stream_of(who).is_none() && (state.left.sessions > 0 || !faults) {
            out.push(Action::Connect(who));
        }
    }
}

fn by_others(state: &State, bounds: &Bounds, fault: Fault, out: &mut Vec<Action>) {
    let left = &state.left;
    for who in 0..bounds.instances {
        if left.presses > 0 && !state.agents[usize::from(who)].forked {
            out.push(Action::Press(who));
        }
        let Agent { asked, taken, .. } = state.agents[usize::from(who)];
        if left.refusals > 0 && asked {
            out.push(Action::AnswerLost(who));
            if !taken {
                out.push(Action::Refuses(who));
            }
        }
        if left.clock_crashes > 0 {
            out.push(Action::ClockCrash(who));
        }
    }
    let room = state.queue.room() > 0;
    let ahead = state.ahead(bounds, fault);
    if left.desk > 0 && room {
        out.push(Action::Desk);
    }
    if left.games > 0 {
        out.push(Action::NextGame);
    }
    for (directive, stage) in ahead.issued() {
        if left.overdues > 0 && room && stage.is_awaited() && state.armed & 1 << directive.rev != 0 {
            out.push(Action::Overdue(directive.rev));
        }
    }
    if left.server_crashes > 0 {
        out.extend((0..=state.queue.items().len()).map(Action::ServerCrash));
    }
    for (at, stream) in state.streams.iter().enumerate().filter(|(_, stream)| stream.open) {
        if left.breaks > 0 && stream.client != Client::Gone {
            out.push(Action::ClientBreaks(at));
            if !matches!(stream.session, Session::Closed | Session::Ending { .. }) {
                out.push(Action::ServerBreaks(at));
            }
        }
        if left.mangles > 0 && stream.up.first().is_some_and(Up::is_event) {
            out.push(Action::Drop(at));
            if stream.up.room() > 0 {
                out.push(Action::Double(at));
            }
            if stream.up.items().len() > 1 {
                out.push(Action::Swap(at));
            }
        }
    }
}

impl State {
    /// Takes a step.
    pub(crate) fn step(&mut self, action: Action, bounds: &Bounds, fault: Fault) {
        match action {
            Action::Connect(who) => {
                self.left.sessions = self.left.sessions.saturating_sub(1);
                self.connect(who);
            }
            Action::Press(who) => {
                let number = bounds.presses - self.left.presses;
                self.left.presses -= 1;
                self.agents[usize::from(who)].press(number, fault);
            }
            Action::Send(at) => self.send(at),
            Action::Hear(at) => self.hear(at, false, bounds, fault),
            Action::HearAndForget(at) => {
                self.left.forgets -= 1;
                self.hear(at, true, bounds, fault);
            }
            Action::ClientNotices(at) => self.streams[at].client = Client::Gone,
            Action::ClockTakes(who) => self.agents[usize::from(who)].clock_takes(),
            Action::DialDone(who) => self.agents[usize::from(who)].dial_done(bounds, fault),
            Action::Refuses(who) => {
                self.left.refusals -= 1;
                self.agents[usize::from(who)].refuses(bounds, fault);
            }
            Action::AnswerLost(who) => {
                self.left.refusals -= 1;
                self.agents[usize::from(who)].answer_lost(bounds, fault);
            }
            Action::Untold(who) => self.agents[usize::from(who)].untold(bounds, fault),
            Action::Beat(at) => self.beat(at),
            Action::TakeUp(who) => self.agents[usize::from(who)].take_up(false, bounds, fault),
            Action::TakeUpMisread(who) => self.agents[usize::from(who)].take_up(true, bounds, fault),
            Action::Fsync(who) => {
                let agent = &mut self.agents[usize::from(who)];
                agent.synced = agent.log.len();
            }
            Action::Serve(at) => self.serve(at, bounds, fault),
            Action::Open(at) => self.open(at, bounds, fault),
            Action::Welcome(at) => self.welcome(at, fault),
            Action::Admit(game) => self.admit(game, bounds, fault),
            Action::Commit => self.commit(bounds, fault),
            Action::ServerNotices(at) => self.end(at),
            Action::Desk => {
                let number = bounds.desk - self.left.desk;
                self.left.desk -= 1;
                let supersedes = bounds.supersede && self.left.desk == 0;
                self.append(Entry::Desk { number, supersedes }, bounds, fault);
            }
            Action::NextGame => {
                self.left.games -= 1;
                self.game += 1;
            }
            Action::Overdue(rev) => {
                self.left.overdues -= 1;
                self.armed &= !(1 << rev);
                self.append(Entry::Overdue(rev), bounds, fault);
            }
            Action::ClientBreaks(at) => {
                self.left.breaks -= 1;
                self.streams[at].client = Client::Gone;
            }
            Action::ServerBreaks(at) => {
                self.left.breaks -= 1;
                self.end(at);
            }
            Action::ClockCrash(who) => {
                self.left.clock_crashes -= 1;
                self.clock_crash(who, fault);
            }
            Action::ServerCrash(kept) => {
                self.left.server_crashes -= 1;
                self.server_crash(kept, bounds, fault);
            }
            Action::Drop(at) => {
                self.left.mangles -= 1;
                self.streams[at].up.pop();
            }
            Action::Double(at) => {
                self.left.mangles -= 1;
                self.streams[at].up.repeat_first();
            }
            Action::Swap(at) => {
                self.left.mangles -= 1;
                self.streams[at].up.swap_first();
            }
        }
        self.tidy();
    }

    /// What a step does here, in words.
    #[must_use]
    pub fn told(&self, action: Action) -> String {
        let clock = |who: u8| if who == 0 { "clock A" } else { "clock B" };
        let at = |at: usize| {
            let stream = &self.streams[at];
            let epoch = match stream.session {
                Session::Opening { epoch, .. } | Session::Live { epoch, .. } | Session::Ending { epoch } => {
                    format!("session {epoch}")
                }
                Session::Claimed { .. } => "a session without an epoch".to_owned(),
                Session::Unmet => "a stream not greeted yet".to_owned(),
                Session::Closed => "a closed stream".to_owned(),
            };
            format!("{epoch} with {}", clock(stream.who))
        };
        match action {
            Action::Connect(who) => format!("{} connects and says Hello", clock(who)),
            Action::Press(who) => format!("{}: a press, spooled as event {}", clock(who), self.next_seq(who)),
            Action::Send(i) => format!("{}: the clock sends its next event", at(i)),
            Action::Hear(i) => format!("{}: the clock takes {}", at(i), Shown(self.streams[i].down.first())),
            Action::HearAndForget(i) => {
                format!("{}: the clock takes {} and begins its spool anew", at(i), Shown(self.streams[i].down.first()))
            }
            Action::ClientNotices(i) => format!("{}: the clock sees the stream closed", at(i)),
            Action::ClockTakes(who) => format!("{}: the physical clock is changed", clock(who)),
            Action::DialDone(who) => format!("{}: the change is recorded and APPLIED spooled", clock(who)),
            Action::Refuses(who) => format!("{}: the physical clock refuses, REJECTED spooled", clock(who)),
            Action::AnswerLost(who) => format!("{}: the answer of the physical clock is lost", clock(who)),
            Action::Untold(who) => format!("{}: the reading does not tell, UNKNOWN spooled", clock(who)),
            Action::Beat(i) => format!("{}: the heart beats, and the service asks for what was lost", at(i)),
            Action::TakeUp(who) => {
                format!("{} reads its physical clock again and takes up what was pending", clock(who))
            }
            Action::TakeUpMisread(who) => format!("{} reads its physical clock again and is misled", clock(who)),
            Action::Fsync(who) => format!("{}: the press gets to disk", clock(who)),
            Action::Serve(i) => format!("{}: the service takes {}", at(i), Shown(self.streams[i].up.first())),
            Action::Open(i) => format!("{}: it has the lane, its epoch goes to the journal", at(i)),
            Action::Welcome(i) => format!("{}: Welcome leaves", at(i)),
            Action::Admit(game) => {
                format!("game {} takes {}", game + 1, Shown(self.mailboxes[game].first()))
            }
            Action::Commit => format!("the journal syncs {}", Shown(self.queue.first())),
            Action::ServerNotices(i) => format!("{}: the service sees that the clock has gone", at(i)),
            Action::Desk => "the desk issues a directive".to_owned(),
            Action::NextGame => "the desk opens the next game on the clock".to_owned(),
            Action::Overdue(rev) => format!("patience with directive {rev} ends: UNKNOWN"),
            Action::ClientBreaks(i) => format!("{}: the clock gives the stream up", at(i)),
            Action::ServerBreaks(i) => format!("{}: the service loses the stream", at(i)),
            Action::ClockCrash(who) => format!("{} loses power and starts again", clock(who)),
            Action::ServerCrash(kept) => {
                let of = self.queue.items().len();
                format!("the service loses power and starts again; {kept} of {of} entries on their way had got to disk")
            }
            Action::Drop(i) => format!("{}: a frame is lost: {}", at(i), Shown(self.streams[i].up.first())),
            Action::Double(i) => format!("{}: a frame is doubled: {}", at(i), Shown(self.streams[i].up.first())),
            Action::Swap(i) => format!("{}: two frames change places", at(i)),
        }
    }

    fn next_seq(&self, who: u8) -> u8 {
        self.agents[usize::from(who)].log.len() + 1
    }
}

/// A message or entry in words.
struct Shown<T>(Option<T>);

impl fmt::Display for Shown<Up> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Up::Hello { .. }) => write!(f, "Hello"),
            Some(Up::Event { seq, what, .. }) => write!(f, "event {seq} ({})", Shown(Some(what))),
            Some(Up::Nothing) | None => write!(f, "nothing"),
        }
    }
}

impl fmt::Display for Shown<Down> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Down::Welcome { epoch, through, .. }) => {
                write!(f, "Welcome (epoch {epoch}, durable through {through})")
            }
            Some(Down::Ack(through)) => write!(f, "Ack through {through}"),
            Some(Down::Rewind(from)) => write!(f, "Rewind to {from}"),
            Some(Down::Directive(directive)) => write!(f, "directive {}", directive.rev),
            Some(Down::Nothing) | None => write!(f, "nothing"),
        }
    }
}

impl fmt::Display for Shown<Entry> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Entry::Epoch(epoch)) => write!(f, "epoch {epoch}"),
            Some(Entry::Event { epoch, seq, what, .. }) => {
                write!(f, "event {seq} ({}) of epoch {epoch}", Shown(Some(what)))
            }
            Some(Entry::Desk { .. }) => write!(f, "the desk's directive"),
            Some(Entry::Overdue(rev)) => write!(f, "that directive {rev} is UNKNOWN"),
            Some(Entry::Nothing) | None => write!(f, "nothing"),
        }
    }
}

impl fmt::Display for Shown<What> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(What::Press(_)) | None => write!(f, "a press"),
            Some(What::Report(rev, stage)) => write!(f, "report: directive {rev} {stage:?}"),
        }
    }
}
