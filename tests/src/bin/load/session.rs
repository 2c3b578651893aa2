//! One clock on its connection, to the service or to the echo: sends, waits, and answers what it is told.

use std::{collections::VecDeque, net::Ipv4Addr, time::Duration};

use anyhow::{Context as _, bail, ensure};
use flagfall_proto::clock::v1::{
    Control, Directive, LinkRequest, LinkResponse, clock_service_client::ClockServiceClient, directive::Act,
    link_request, link_response::Frame,
};
use tokio::{
    sync::mpsc,
    time::{Instant, Interval, MissedTickBehavior, interval_at, sleep, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Streaming, transport::Endpoint};

use crate::{desk::Desk, echo, player::Player, stats::Samples};

/// How often a clock says that it is there.
const BEAT: Duration = Duration::from_secs(3);

/// Presses in a frame while a game is brought to the ply from which it is measured.
const AHEAD: usize = 8;

/// Frames that may wait to be sent.
const QUEUE: usize = 8;

/// How long a clock waits for Welcome, from dialling on; as the agent.
const GREETING: Duration = Duration::from_secs(15);

/// A stream to the service and back.
type Link = (mpsc::Sender<LinkRequest>, Streaming<LinkResponse>);

/// Why the service did not take a clock in.
pub(crate) enum NotTaken {
    /// The link failed, or the service refused.
    Lost(anyhow::Error),
    /// Not before so long.
    Goodbye(Duration),
}

impl<E: Into<anyhow::Error>> From<E> for NotTaken {
    fn from(error: E) -> NotTaken {
        NotTaken::Lost(error.into())
    }
}

/// When presses are counted, and how they are paced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// A press counts when it is acknowledged from here on.
    pub(crate) begin: Instant,
    /// And no later than this.
    pub(crate) end: Instant,
    /// When this clock presses first, and the time from one of its presses to the next; `None`: the loop is closed.
    pub(crate) pace: Option<(Instant, Duration)>,
}

/// What a clock measured.
#[derive(Default)]
pub(crate) struct Tally {
    /// From handing a press over to its acknowledgement.
    pub(crate) ack: Samples,
    /// From handing a press without a move over to the directive that stops the clock.
    pub(crate) directive: Samples,
    /// From the time a press was due to handing it over, where presses are paced.
    pub(crate) late: Samples,
}

enum Inbound {
    Service(Streaming<LinkResponse>, Desk, Control),
    /// With the last event of every frame on its way.
    Echo(Streaming<LinkRequest>, VecDeque<u64>),
}

/// See the module.
pub(crate) struct Session {
    pub(crate) number: u32,
    pub(crate) player: Player,
    pub(crate) tally: Tally,
    out: mpsc::Sender<LinkRequest>,
    inbound: Inbound,
    beat: Interval,
    acked: u64,
    directives: VecDeque<(Directive, Instant)>,
}

impl Session {
    /// Connects, to the service when there is a desk; afterwards the first game is set up and not started.
    pub(crate) async fn begin(
        number: u32,
        mut player: Player,
        port: u16,
        desk: Option<(Desk, Control)>,
    ) -> anyhow::Result<Session> {
        let endpoint = endpoint(port)?;
        let (out, inbound) = match desk {
            Some((desk, control)) => {
                let (out, inbound) = loop {
                    match greet(&endpoint, &mut player).await {
                        Ok(link) => break link,
                        Err(NotTaken::Goodbye(rest)) => sleep(rest).await,
                        Err(NotTaken::Lost(error)) => return Err(error),
                    }
                };
                (out, Inbound::Service(inbound, desk, control))
            }
            None => {
                player.sit_down(player.next_game());
                let channel = endpoint.connect().await.context("connecting")?;
                let (out, frames) = mpsc::channel(QUEUE);
                (out, Inbound::Echo(echo::link(channel, ReceiverStream::new(frames)).await?, VecDeque::new()))
            }
        };
        let beat = heartbeats();
        let (acked, directives, tally) = (0, VecDeque::new(), Tally::default());
        let mut session = Session { number, player, tally, out, inbound, beat, acked, directives };
        session.set_up().await?;
        Ok(session)
    }

    /// The link is gone. A clock that is connected to the echo has nothing to come back to.
    pub(crate) fn cut(self) -> Option<Cut> {
        match self.inbound {
            Inbound::Service(_, desk, control) => Some(Cut { number: self.number, player: self.player, desk, control }),
            Inbound::Echo(..) => None,
        }
    }

    /// Starts the game and plays it to a ply; an echo keeps no game, so there nothing need be sent for it.
    pub(crate) async fn start(&mut self, ply: usize) -> anyhow::Result<()> {
        self.player.start();
        if matches!(self.inbound, Inbound::Echo(..)) {
            self.player.skip_to(ply);
        }
        self.send_and_wait().await?;
        while self.player.standing().1 < ply {
            for _ in 0..AHEAD.min(ply - self.player.standing().1) {
                self.player.press();
            }
            self.send_and_wait().await?;
        }
        self.player.begin_to_slip();
        Ok(())
    }

    /// Plays until the window ends.
    pub(crate) async fn play(&mut self, window: Window) -> anyhow::Result<()> {
        for turn in 0u32.. {
            if let Some((first, every)) = window.pace {
                let due = first + every * turn;
                self.rest_until(due.min(window.end)).await?;
                if due >= window.end {
                    break;
                }
                if due >= window.begin {
                    self.tally.late.add(due.elapsed());
                }
            } else if Instant::now() >= window.end {
                break;
            }
            self.turn(window).await?;
        }
        Ok(())
    }

    /// One press, and whatever follows from it.
    pub(crate) async fn turn(&mut self, window: Window) -> anyhow::Result<()> {
        let slip = self.player.is_about_to_slip();
        if slip {
            self.player.slip()
        } else {
            self.player.press()
        }
        // Behind a press without a move comes the board's silence.
        let press = self.player.seq() - u64::from(slip);
        let sent = Instant::now();
        self.send().await?;
        self.acknowledged(press).await?;
        if (window.begin..window.end).contains(&Instant::now()) {
            self.tally.ack.add(sent.elapsed());
        }
        let corrects = matches!(self.inbound, Inbound::Service(..));
        if slip && corrects {
            let (stop, at) = self.directive().await?;
            ensure!(matches!(stop.act, Some(Act::Stop(_))), "a stop is wanted, not {:?}", stop.act);
            if (window.begin..window.end).contains(&at) {
                self.tally.directive.add(at - sent);
            }
            self.player.apply(&stop)?;
            self.send().await?;
            self.carry_out(|act| matches!(act, Act::Set(_))).await?;
        } else if slip {
            self.acknowledged(self.player.seq()).await?;
            self.player.take_back();
        } else if self.player.is_at_end() {
            self.player.agree();
            self.send_and_wait().await?;
            if corrects {
                self.carry_out(|act| matches!(act, Act::Conclude(_))).await?;
            } else {
                self.player.sit_down(self.player.next_game());
            }
            self.set_up().await?;
            self.player.start();
            self.send_and_wait().await?;
        }
        Ok(())
    }

    /// Has the next game opened, and takes it on.
    async fn set_up(&mut self) -> anyhow::Result<()> {
        let Inbound::Service(_, desk, control) = &mut self.inbound else { return Ok(()) };
        desk.open(&self.player.next_game(), self.number, control).await?;
        self.carry_out(|act| matches!(act, Act::Prepare(_))).await
    }

    /// Waits for a directive of a kind, carries it out, and waits until the report of it is durable.
    async fn carry_out(&mut self, wanted: fn(&Act) -> bool) -> anyhow::Result<()> {
        let (directive, _) = self.directive().await?;
        ensure!(directive.act.as_ref().is_some_and(wanted), "another directive is wanted than {:?}", directive.act);
        self.player.apply(&directive)?;
        self.send_and_wait().await
    }

    async fn send_and_wait(&mut self) -> anyhow::Result<()> {
        self.send().await?;
        self.acknowledged(self.player.seq()).await
    }

    async fn send(&mut self) -> anyhow::Result<()> {
        let frame = self.player.frame();
        if let Inbound::Echo(_, flying) = &mut self.inbound {
            flying.push_back(self.player.seq());
        }
        self.out.send(frame).await.context("the stream is closed")
    }

    async fn acknowledged(&mut self, seq: u64) -> anyhow::Result<()> {
        while self.acked < seq {
            self.step().await?;
        }
        Ok(())
    }

    async fn directive(&mut self) -> anyhow::Result<(Directive, Instant)> {
        loop {
            if let Some(directive) = self.directives.pop_front() {
                return Ok(directive);
            }
            self.step().await?;
        }
    }

    /// Only says that it is there.
    pub(crate) async fn rest_until(&mut self, until: Instant) -> anyhow::Result<()> {
        loop {
            tokio::select! {
                () = sleep_until(until) => return Ok(()),
                done = self.step() => done?,
            }
        }
    }

    /// Waits for one frame, or until it is time to say that the clock is there. Nothing is lost when it is broken off.
    pub(crate) async fn step(&mut self) -> anyhow::Result<()> {
        let beat = &mut self.beat;
        match &mut self.inbound {
            Inbound::Service(inbound, ..) => tokio::select! {
                biased;
                response = inbound.message() => {
                    match response?.and_then(|response| response.frame).context("the service closed the stream")? {
                        Frame::Ack(ack) => self.acked = self.acked.max(ack.durable_through),
                        Frame::Directive(directive) => self.directives.push_back((directive, Instant::now())),
                        Frame::Heartbeat(_) => {}
                        other => bail!("a frame that nothing called for: {other:?}"),
                    }
                    return Ok(());
                }
                _ = beat.tick() => {}
            },
            Inbound::Echo(inbound, flying) => tokio::select! {
                biased;
                request = inbound.message() => {
                    if let Some(link_request::Frame::Events(_)) = request?.context("the echo closed the stream")?.frame {
                        self.acked = flying.pop_front().unwrap_or(self.acked);
                    }
                    return Ok(());
                }
                _ = beat.tick() => {}
            },
        }
        // A full queue says by itself that the clock is there.
        let _full = self.out.try_send(self.player.heartbeat());
        Ok(())
    }
}

/// A clock whose link is gone.
pub(crate) struct Cut {
    number: u32,
    player: Player,
    desk: Desk,
    control: Control,
}

impl Cut {
    /// Tries once to be taken in again. What it has to say the service had before the link was cut.
    pub(crate) async fn back(mut self, port: u16) -> Result<Session, (Cut, NotTaken)> {
        let link = match endpoint(port) {
            Ok(endpoint) => greet(&endpoint, &mut self.player).await,
            Err(error) => Err(error.into()),
        };
        let (out, inbound) = match link {
            Ok(link) => link,
            Err(why) => return Err((self, why)),
        };
        let Cut { number, player, desk, control } = self;
        let (acked, directives, tally, beat) = (player.seq(), VecDeque::new(), Tally::default(), heartbeats());
        let inbound = Inbound::Service(inbound, desk, control);
        Ok(Session { number, player, tally, out, inbound, beat, acked, directives })
    }
}

/// With the settings of the agent.
fn endpoint(port: u16) -> anyhow::Result<Endpoint> {
    Ok(flagfall_clock::uplink::endpoint(&format!("http://{}:{port}", Ipv4Addr::LOCALHOST))?)
}

fn heartbeats() -> Interval {
    let mut beat = interval_at(Instant::now() + BEAT, BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

/// Connects, says Hello and is welcomed.
async fn greet(endpoint: &Endpoint, player: &mut Player) -> Result<Link, NotTaken> {
    let greeting = async {
        let channel = endpoint.connect().await.context("connecting")?;
        let (out, frames) = mpsc::channel(QUEUE);
        out.try_send(player.hello())?;
        let mut inbound = ClockServiceClient::new(channel).link(ReceiverStream::new(frames)).await?.into_inner();
        match inbound.message().await?.and_then(|response| response.frame) {
            Some(Frame::Welcome(welcome)) => player.epoch = welcome.session_epoch,
            Some(Frame::Goodbye(goodbye)) => {
                return Err(NotTaken::Goodbye(Duration::from_millis(goodbye.resume_after_ms)));
            }
            other => return Err(NotTaken::Lost(anyhow::anyhow!("no Welcome but {other:?}"))),
        }
        Ok((out, inbound))
    };
    timeout(GREETING, greeting).await.map_err(|_| anyhow::anyhow!("no answer to the greeting"))?
}
