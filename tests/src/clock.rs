//! A clock reduced to the wire: a spool in memory and a raw stream.

use std::{net::SocketAddr, time::Duration};

use flagfall_proto::clock::v1::{
    ClockHeartbeat, DeviceEvent, Directive, Events, Flag, Hello, LinkRequest, LinkResponse, Press, Report, Scan,
    ServerHeartbeat, Stage, Started, Welcome, clock_service_client::ClockServiceClient, device_event::What,
    link_request, link_response::Frame,
};
use flagfall_rules::{
    board,
    clock::{Colour, Face, Going, Hand, Place},
    time::Moment,
};
use flagfall_server::wire::{Hash, sha256};
use prost::Message;
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming, transport::Endpoint};

/// Nothing here takes long; a test that waits for longer waits for something that will not come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What a clock has stored.
#[derive(Clone)]
pub struct Spool {
    /// The clock.
    pub device: String,
    /// The spool.
    pub id: [u8; 16],
    /// The boot that events happen in.
    pub boot: u128,
    /// Encoded events, number 1 first.
    pub events: Vec<Vec<u8>>,
    /// The face that the next event carries.
    pub face: Face,
}

impl Spool {
    /// An empty one.
    #[must_use]
    pub fn new(device: &str, id: u8) -> Spool {
        let hands = [Hand::fresh(Some(300_000)); 2];
        let face = Face { hands, ..Face::unknown(Place::Left) };
        Spool { device: device.into(), id: [id; 16], boot: 1, events: Vec::new(), face }
    }

    /// The last number.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.events.len() as u64
    }

    fn last_hash(&self) -> Hash {
        self.events.last().map_or([0; 32], |bytes| sha256(bytes))
    }

    /// One more event.
    pub fn push(&mut self, what: What) {
        let (seq, previous_hash) = (self.last() + 1, self.last_hash().to_vec());
        let at = Some(Moment { boot: self.boot, ms: seq * 1_000 }.into());
        let (face, traceparent) = (Some(self.face.into()), format!("00-{seq:032x}-{seq:016x}-01"));
        let event = DeviceEvent { seq, previous_hash, at, face, traceparent, what: Some(what), game: String::new() };
        self.events.push(event.encode_to_vec());
    }

    /// The clock is started.
    pub fn start(&mut self) {
        self.face.going = Going::Running;
        self.push(What::Started(Started {}));
    }

    /// A player presses.
    pub fn press(&mut self, colour: Colour) {
        self.face.hand_mut(colour).moves += 1;
        self.face.turn = colour.other();
        self.push(What::Press(Press { colour: colour.index() as i32 + 1 }));
    }

    /// The device shows a flag.
    pub fn flag(&mut self, colour: Colour) {
        let hand = self.face.hand_mut(colour);
        (hand.left, hand.flagged) = (Some(0), true);
        self.face.first_flag = Some(colour);
        self.push(What::Flag(Flag { colour: colour.index() as i32 + 1 }));
    }

    /// A board that shows this.
    ///
    /// # Panics
    /// It is no position.
    pub fn scan(&mut self, fen: &str) {
        let board = board::Scan::from_fen(fen).expect("a position");
        self.push(What::Scan(Scan { board: Some(board.into()) }));
    }

    /// The clock reports how far a directive has come.
    pub fn report(&mut self, directive: &Directive, stage: Stage) {
        let (id, rev, stage) = (directive.id.clone(), directive.rev, stage.into());
        self.push(What::Report(Report { directive: id, rev, stage, reason: 0, before: None }));
    }
}

/// A stream to the service.
pub struct Clock {
    /// What the service greeted with.
    pub welcome: Welcome,
    requests: mpsc::Sender<LinkRequest>,
    responses: Streaming<LinkResponse>,
}

impl Clock {
    /// Says Hello for a spool and waits for Welcome.
    ///
    /// # Errors
    /// The service refuses.
    ///
    /// # Panics
    /// Nobody listens, or something else comes first.
    pub async fn connect(clocks: SocketAddr, spool: &Spool) -> Result<Clock, Status> {
        Clock::connect_with(clocks, hello(spool)).await
    }

    /// Says this Hello and waits for Welcome.
    ///
    /// # Errors
    /// The service refuses.
    ///
    /// # Panics
    /// Nobody listens, or something else comes first.
    pub async fn connect_with(clocks: SocketAddr, hello: Hello) -> Result<Clock, Status> {
        let mut clock = Clock::greet(clocks, hello).await?;
        match clock.next().await? {
            Some(Frame::Welcome(welcome)) => clock.welcome = welcome,
            other => panic!("Welcome comes first, not {other:?}"),
        }
        Ok(clock)
    }

    /// Says Hello and waits for nothing.
    ///
    /// # Errors
    /// The service refuses.
    ///
    /// # Panics
    /// Nobody listens.
    pub async fn greet(clocks: SocketAddr, hello: Hello) -> Result<Clock, Status> {
        // A small window, so that a clock that does not read is soon noticed.
        let endpoint = Endpoint::from_shared(format!("http://{clocks}")).expect("an address");
        let channel = endpoint.initial_stream_window_size(65_535).connect().await.expect("a listener");
        let mut client = ClockServiceClient::new(channel);
        let (requests, frames) = mpsc::channel(64);
        let first = LinkRequest { frame: Some(link_request::Frame::Hello(hello)) };
        requests.send(first).await.expect("an open queue");
        let responses = client.link(ReceiverStream::new(frames)).await?.into_inner();
        Ok(Clock { welcome: Welcome::default(), requests, responses })
    }

    /// Sends a frame.
    pub async fn send(&self, frame: link_request::Frame) {
        // A stream that the service has ended says so to whoever reads it.
        let _ended = self.requests.send(LinkRequest { frame: Some(frame) }).await;
    }

    /// Sends events of a spool, by number.
    pub async fn events(&self, spool: &Spool, numbers: std::ops::RangeInclusive<u64>) {
        let events = numbers.map(|seq| spool.events[seq as usize - 1].clone()).collect();
        self.send(link_request::Frame::Events(Events {
            session_epoch: self.welcome.session_epoch,
            events,
            sent_ms: 0,
        }))
        .await;
    }

    /// A heartbeat: the clock as it stands, at so many milliseconds of its boot.
    pub async fn beats(&self, spool: &Spool, game: &str, ms: u64) {
        let at = Some(Moment { boot: spool.boot, ms }.into());
        let (session_epoch, last_seq, face) = (self.welcome.session_epoch, spool.last(), Some(spool.face.into()));
        let beat = ClockHeartbeat { session_epoch, last_seq, game: game.to_owned(), applied_rev: 0, face, at };
        self.send(link_request::Frame::Heartbeat(beat)).await;
    }

    /// The next frame that is no heartbeat; `None` at the end of the stream.
    ///
    /// # Errors
    /// The status that the stream ended with.
    ///
    /// # Panics
    /// None comes in time.
    pub async fn next(&mut self) -> Result<Option<Frame>, Status> {
        loop {
            let response = timeout(PATIENCE, self.responses.message()).await.expect("a frame in time")?;
            match response.map(|response| response.frame.expect("one frame is set")) {
                Some(Frame::Heartbeat(_)) => {}
                frame => return Ok(frame),
            }
        }
    }

    /// Waits until the service's heartbeat tells this, whatever else comes meanwhile.
    ///
    /// # Panics
    /// The stream ends first, or no frame comes in time.
    pub async fn beaten(&mut self, told: impl Fn(&ServerHeartbeat) -> bool) {
        loop {
            let response = timeout(PATIENCE, self.responses.message()).await.expect("a frame in time");
            match response.expect("no status").expect("no end").frame {
                Some(Frame::Heartbeat(beat)) if told(&beat) => return,
                _ => {}
            }
        }
    }

    /// The next frame.
    ///
    /// # Panics
    /// There is none.
    pub async fn frame(&mut self) -> Frame {
        self.next().await.expect("no status").expect("no end")
    }

    /// Waits until events are acknowledged up to a number; what else came meanwhile.
    ///
    /// # Panics
    /// They are not, in time.
    pub async fn acked(&mut self, seq: u64) -> Vec<Frame> {
        let mut others = Vec::new();
        loop {
            match self.frame().await {
                Frame::Ack(ack) if ack.durable_through >= seq => return others,
                Frame::Ack(_) => {}
                other => others.push(other),
            }
        }
    }

    /// The next directive.
    ///
    /// # Panics
    /// Something else comes than acks before it.
    pub async fn directive(&mut self) -> Directive {
        loop {
            match self.frame().await {
                Frame::Directive(directive) => return directive,
                Frame::Ack(_) => {}
                other => panic!("a directive, not {other:?}"),
            }
        }
    }

    /// The status the stream ends with.
    ///
    /// # Panics
    /// It ends without one.
    pub async fn status(&mut self) -> Status {
        loop {
            match self.next().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the stream ended without a status"),
                Err(status) => return status,
            }
        }
    }
}

/// How a clock introduces itself.
#[must_use]
pub fn hello(spool: &Spool) -> Hello {
    let (device, spool_id, boot_id) = (spool.device.clone(), spool.id.to_vec(), spool.boot.to_be_bytes().to_vec());
    let (protocol_min, protocol_max, last_seq) = (1, 1, spool.last());
    Hello { protocol_min, protocol_max, device, spool_id, boot_id, last_seq, ..Hello::default() }
}
