//! Clocks reduced to the wire that never give up, and a record of everything they were told.
//!
//! A player plays game after game without making a move on its board, so that the service finds irregularities and sends
//! directives, and carries those out. It keeps what it was told (acks, epochs, directives) apart from what it did, and writes
//! down whatever the service should never have said.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use flagfall_proto::clock::v1::{
    Call, Directive, Events, LinkRequest, LinkResponse, Quiet, Stage, Welcome,
    clock_service_client::ClockServiceClient, device_event::What, directive::Act, link_request, link_response::Frame,
};
use flagfall_rules::clock::{Colour, Face, Going, Hand, Place};
use flagfall_server::wire::sha256;
use flagfall_tests::clock::{Spool, hello};
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::{
    sync::{mpsc, watch},
    time::{interval, sleep, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming, transport::Endpoint};

/// What a clock was told, and what it has.
pub struct Record {
    /// Everything it says.
    pub spool: Spool,
    /// The last event that it was told is durable, by an ack or a greeting.
    pub acked: u64,
    /// The session numbers it was greeted with.
    pub epochs: Vec<u64>,
    /// Every directive it was sent, by id.
    pub directives: BTreeMap<String, Directive>,
    /// Ids of those it carried out.
    pub applied: BTreeSet<String>,
    /// Game and newest revision that it carried out.
    pub at: (String, u64),
    /// The newest revision it was told is wanted.
    pub desired_rev: u64,
    /// How long it was asked to stay away, milliseconds.
    pub rests: Vec<u64>,
    /// It wants a game.
    pub free: bool,
    /// A session is live.
    pub online: bool,
    /// What the service should not have said.
    pub complaints: Vec<String>,
}

/// A player; the future of [`Player::play`] drives it.
pub struct Player {
    record: Arc<Mutex<Record>>,
    clocks: SocketAddr,
    table: Table,
    rng: StdRng,
}

/// What a player shares with those who watch it.
#[derive(Clone)]
pub struct Table {
    /// Whether it goes on pressing.
    pub busy: watch::Receiver<bool>,
    /// Changes whenever it was told something.
    pub told: watch::Sender<()>,
    /// About how often it does something.
    pub pace: Duration,
}

/// Looks into a record.
pub fn look(record: &Mutex<Record>) -> MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Player {
    /// A player at a clock, and its record.
    #[must_use]
    pub fn new(device: &str, id: u8, clocks: SocketAddr, table: Table, seed: u64) -> (Player, Arc<Mutex<Record>>) {
        let record = Record {
            spool: Spool::new(device, id),
            acked: 0,
            epochs: Vec::new(),
            directives: BTreeMap::new(),
            applied: BTreeSet::new(),
            at: (String::new(), 0),
            desired_rev: 0,
            rests: Vec::new(),
            free: true,
            online: false,
            complaints: Vec::new(),
        };
        let record = Arc::new(Mutex::new(record));
        let rng = StdRng::seed_from_u64(seed ^ u64::from(id) << 32);
        (Player { record: Arc::clone(&record), clocks, table, rng }, record)
    }

    /// Plays until it is dropped.
    pub async fn play(mut self) {
        loop {
            let ended = self.session().await;
            look(&self.record).offline(ended);
            sleep(Duration::from_millis(self.rng.random_range(1..20))).await;
        }
    }

    async fn session(&mut self) -> Result<(), Status> {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.clocks)).expect("an address");
        let endpoint = endpoint.connect_timeout(Duration::from_secs(2)).tcp_nodelay(true);
        let Ok(channel) = endpoint.connect().await else { return Ok(()) };
        let (requests, frames) = mpsc::channel(64);
        let greeting = hello(&look(&self.record).spool);
        let greeting = LinkRequest { frame: Some(link_request::Frame::Hello(greeting)) };
        let _open = requests.send(greeting).await;
        let mut client = ClockServiceClient::new(channel);
        let answer = async {
            let mut responses = client.link(ReceiverStream::new(frames)).await?.into_inner();
            let first = responses.message().await?;
            Ok::<_, Status>((first, responses))
        };
        let Ok(answer) = timeout(Duration::from_secs(10), answer).await else { return Ok(()) };
        let (first, responses) = answer?;
        let Some(LinkResponse { frame: Some(Frame::Welcome(welcome)) }) = first else { return Ok(()) };
        look(&self.record).welcomed(&welcome);
        self.table.told.send_replace(());
        self.talk(welcome, requests, responses).await
    }

    async fn talk(
        &mut self,
        welcome: Welcome,
        requests: mpsc::Sender<LinkRequest>,
        mut responses: Streaming<LinkResponse>,
    ) -> Result<(), Status> {
        let (mut sent, window) = (welcome.durable_through, u64::from(welcome.window));
        let mut tick = interval(self.table.pace);
        let mut leaving = false;
        loop {
            let events = {
                let record = look(&self.record);
                let to = if leaving { sent } else { record.spool.last().min(record.acked + window).min(sent + 200) };
                let events: Vec<_> = (sent + 1..=to).map(|seq| record.spool.events[seq as usize - 1].clone()).collect();
                sent += events.len() as u64;
                events
            };
            if !events.is_empty() {
                let events = Events { session_epoch: welcome.session_epoch, events, sent_ms: 0 };
                let frame = Some(link_request::Frame::Events(events));
                if requests.send(LinkRequest { frame }).await.is_err() {
                    return Ok(());
                }
            }
            tokio::select! {
                message = responses.message() => {
                    let Some(LinkResponse { frame: Some(frame) }) = message? else { return Ok(()) };
                    let mut record = look(&self.record);
                    match frame {
                        Frame::Ack(ack) => record.acked(ack.durable_through, sent, ack.desired_rev),
                        Frame::Rewind(rewind) => sent = rewind.from_seq - 1,
                        Frame::Directive(directive) => record.obey(directive),
                        Frame::Heartbeat(beat) => record.desired_rev = beat.desired_rev,
                        Frame::Goodbye(goodbye) => {
                            record.rests.push(goodbye.resume_after_ms);
                            leaving = true;
                        }
                        Frame::Welcome(_) => record.complaints.push("greeted twice".into()),
                    }
                    drop(record);
                    self.table.told.send_replace(());
                }
                _ = tick.tick(), if *self.table.busy.borrow() => look(&self.record).act(&mut self.rng),
            }
        }
    }
}

impl Record {
    fn complain(&mut self, what: String) {
        self.complaints.push(what);
    }

    /// A session is over.
    fn offline(&mut self, ended: Result<(), Status>) {
        self.online = false;
        // Anything but its end is no way to treat a clock.
        if let Err(status) = ended
            && !is_dying(&status)
            && !status.message().starts_with("h2 protocol error")
        {
            self.complain(format!("refused: {status}"));
        }
    }

    /// All is told and everything that is wanted is done.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.online && self.acked == self.spool.last() && self.desired_rev <= self.at.1
    }

    fn welcomed(&mut self, welcome: &Welcome) {
        let Welcome { session_epoch, durable_through, chain_hash, desired_rev, .. } = welcome;
        if self.epochs.last().is_some_and(|last| last >= session_epoch) {
            self.complain(format!("epoch {session_epoch} after {:?}", self.epochs.last()));
        }
        self.epochs.push(*session_epoch);
        if *durable_through < self.acked {
            self.complain(format!("{} was acknowledged, now {durable_through} is durable", self.acked));
        }
        match usize::try_from(*durable_through) {
            Ok(0) => {}
            Ok(through) if through <= self.spool.events.len() => {
                if sha256(&self.spool.events[through - 1]).as_slice() != chain_hash {
                    self.complain(format!("the service has another event {through}"));
                }
            }
            _ => self.complain(format!("{durable_through} durable of {}", self.spool.last())),
        }
        self.acked = self.acked.max(*durable_through);
        self.desired_rev = *desired_rev;
        self.online = true;
    }

    fn acked(&mut self, through: u64, sent: u64, desired_rev: u64) {
        if through > sent {
            self.complain(format!("{through} acknowledged, {sent} sent"));
        }
        self.acked = self.acked.max(through);
        self.desired_rev = desired_rev;
    }

    /// Carries out a directive once; a known one is only reported again.
    fn obey(&mut self, directive: Directive) {
        if let Some(known) = self.directives.get(&directive.id)
            && *known != directive
        {
            self.complain(format!("{} says {directive:?}, and said {known:?}", directive.id));
        }
        if !self.applied.contains(&directive.id) {
            // What is left out on the way here was replaced.
            let replaced = |rev| directive.supersedes.contains(&format!("{}#{rev}", directive.game));
            let follows = matches!(directive.act, Some(Act::Prepare(_)))
                || directive.game == self.at.0 && (self.at.1 + 1..directive.rev).all(replaced);
            if !follows {
                self.complain(format!("{} after {:?}", directive.id, self.at));
            }
            self.carry_out(&directive);
            self.at = (directive.game.clone(), directive.rev);
            self.applied.insert(directive.id.clone());
        }
        self.spool.report(&directive, Stage::Applied);
        self.directives.insert(directive.id.clone(), directive);
    }

    fn carry_out(&mut self, directive: &Directive) {
        let face = &mut self.spool.face;
        match &directive.act {
            Some(Act::Prepare(_)) => {
                let hands = [Hand::fresh(Some(300_000)); 2];
                *face = Face { hands, going: Going::Idle, ..Face::unknown(Place::Left) };
            }
            Some(Act::Stop(_)) => face.going = Going::Paused,
            Some(Act::Set(set)) => {
                let hand = |hand: Option<_>| hand.and_then(|hand| Hand::try_from(hand).ok());
                if let Some(hands) = hand(set.white).zip(hand(set.black)) {
                    face.hands = hands.into();
                }
                face.turn = if set.turn == 2 { Colour::Black } else { Colour::White };
                face.going = if set.run { Going::Running } else { Going::Paused };
            }
            Some(Act::Run(_)) => face.going = Going::Running,
            Some(Act::Conclude(_)) => (face.going, self.free) = (Going::Over, true),
            _ => {}
        }
    }

    /// Something happens at the clock.
    fn act(&mut self, rng: &mut StdRng) {
        match self.spool.face.going {
            Going::Idle if self.at.1 > 0 => {
                self.spool.scan(START);
                self.spool.start();
            }
            Going::Running => match rng.random_range(0..40) {
                0 => self.spool.push(What::Call(Call { colour: 0 })),
                1 => self.spool.scan(START),
                2 => {
                    let since_ms = self.spool.last() * 1_000;
                    self.spool.push(What::Quiet(Quiet { since_ms }));
                }
                3 => self.spool.flag(self.spool.face.turn),
                _ => self.spool.press(self.spool.face.turn),
            },
            Going::Paused => {
                self.spool.face.going = Going::Running;
                self.spool.push(What::Resumed(flagfall_proto::clock::v1::Resumed {}));
            }
            Going::Idle | Going::Over => {}
        }
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// A service that is going down says nothing, or that it cannot write any more, or that its disk is full.
pub(crate) fn is_dying(status: &Status) -> bool {
    let full = status.code() == Code::ResourceExhausted && status.message().starts_with("JOURNAL_FULL: ");
    full || matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled)
}
