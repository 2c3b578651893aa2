//! A clock with its players and its board, as far as the service can see them: the events of a spool, ready to send.
//!
//! Nothing here waits and nothing reads a clock: a ply takes twenty seconds of the device's time, whatever it takes to send.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use flagfall_proto::clock::v1::{
    self, ClockHeartbeat, DeviceEvent, Directive, Events, Hello, LinkRequest, Press, Quiet, Report, Resumed, Scan,
    Stage, Started, device_event::What, directive::Act, link_request::Frame,
};
use flagfall_proto::convert;
use flagfall_rules::{
    board,
    clock::{Clock, Control, Place},
    time::Moment,
};
use flagfall_server::wire::{Hash, sha256};
use flagfall_trace::context::TraceContext;
use prost::Message as _;

use crate::games::{Game, PLIES};

/// The control of every game: an hour and a half, thirty seconds a move.
pub(crate) const CONTROL: &str = "5400+30";

/// One press in so many is a press without a move.
const SLIP: u64 = 100;

/// A player thinks until the board changes, then his hand goes to the clock; milliseconds of the device.
const THINK: u64 = 19_600;
const HAND: u64 = 400;

/// After how long a board that stands still is called quiet.
const SETTLE: u64 = 1_000;

/// See the module.
pub(crate) struct Player {
    number: u32,
    games: Arc<Vec<Game>>,
    control: Control,
    spool: [u8; 16],
    boot: u128,
    /// The session, from Welcome.
    pub(crate) epoch: u64,
    seq: u64,
    previous: Hash,
    /// Milliseconds since the device's boot.
    now: u64,
    clock: Clock,
    /// The clock before a press without a move, for the echo, which corrects nothing.
    before_slip: Clock,
    game: String,
    rev: u64,
    /// Games taken on.
    round: u32,
    ply: usize,
    slips: u32,
    /// Presses until the next one without a move.
    until_slip: u64,
    events: Vec<Vec<u8>>,
}

impl Player {
    /// A clock that was just switched on.
    pub(crate) fn new(number: u32, games: Arc<Vec<Game>>, control: Control) -> Player {
        let clock = Clock::new(control.clone(), Place::Left);
        let id = u128::from(number) << 64 | 0x666c_6167;
        Player {
            number,
            games,
            spool: id.to_be_bytes(),
            boot: id + 1,
            epoch: 0,
            seq: 0,
            previous: [0; 32],
            now: 1_000,
            before_slip: clock.clone(),
            clock,
            control,
            game: String::new(),
            rev: 0,
            round: 0,
            ply: 0,
            slips: 0,
            until_slip: SLIP,
            events: Vec::new(),
        }
    }

    /// Its name in the service's settings.
    pub(crate) fn device(number: u32) -> String {
        format!("clock-{number:05}")
    }

    /// The name of its next game.
    pub(crate) fn next_game(&self) -> String {
        format!("load-{:05}-{}", self.number, self.round + 1)
    }

    /// The game it plays, and how many plies and presses without a move it has so far.
    pub(crate) fn standing(&self) -> (&str, usize, u32) {
        (&self.game, self.ply, self.slips)
    }

    /// The number of the last event.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    /// The first frame of a session.
    pub(crate) fn hello(&self) -> LinkRequest {
        request(Frame::Hello(Hello {
            protocol_min: 1,
            protocol_max: 1,
            device: Player::device(self.number),
            spool_id: self.spool.to_vec(),
            boot_id: self.boot.to_be_bytes().to_vec(),
            last_seq: self.seq,
            game: self.game.clone(),
            applied_rev: self.rev,
            face: Some(self.clock.face(self.now).into()),
            state_digest: vec![0; 32],
            software: "flagfall-load".to_owned(),
            ..Hello::default()
        }))
    }

    /// Still here.
    pub(crate) fn heartbeat(&self) -> LinkRequest {
        request(Frame::Heartbeat(ClockHeartbeat {
            session_epoch: self.epoch,
            last_seq: self.seq,
            game: self.game.clone(),
            applied_rev: self.rev,
            face: Some(self.clock.face(self.now).into()),
            at: Some(Moment { boot: self.boot, ms: self.now }.into()),
        }))
    }

    /// All events since the last frame.
    pub(crate) fn frame(&mut self) -> LinkRequest {
        let events = std::mem::take(&mut self.events);
        request(Frame::Events(Events { session_epoch: self.epoch, events, sent_ms: 0 }))
    }

    /// The board is seen for the first time, and the clock is started.
    pub(crate) fn start(&mut self) {
        let board = self.game().board(0);
        self.scan(board);
        let turn = self.clock.face(self.now).turn;
        let _started_before = self.clock.start(self.now, turn);
        self.push(What::Started(Started {}));
    }

    /// The next press is one without a move. One player slips at most once in a game, or he would lose it: presses without a
    /// move lie further apart than a game is long.
    pub(crate) fn is_about_to_slip(&self) -> bool {
        self.until_slip <= 1 && self.slips == 0 && self.ply > 1
    }

    /// The game has as many plies as it shall have.
    pub(crate) fn is_at_end(&self) -> bool {
        self.ply >= PLIES
    }

    /// The next ply: the board changes, then the clock is pressed.
    pub(crate) fn press(&mut self) {
        self.ply += 1;
        self.now += THINK;
        let board = self.game().board(self.ply);
        self.scan(board);
        self.button();
        self.until_slip = self.until_slip.saturating_sub(1);
    }

    /// The clock is pressed and the board stands still.
    pub(crate) fn slip(&mut self) {
        self.before_slip.clone_from(&self.clock);
        let since_ms = self.now;
        self.now += THINK;
        self.button();
        self.now += SETTLE;
        self.push(What::Quiet(Quiet { since_ms }));
        self.slips += 1;
        self.until_slip = SLIP;
    }

    /// Nobody corrects the press without a move.
    pub(crate) fn take_back(&mut self) {
        self.clock.clone_from(&self.before_slip);
    }

    /// The kings are put in the centre.
    pub(crate) fn agree(&mut self) {
        self.now += THINK;
        let since_ms = self.now;
        let board = self.game().agreed();
        self.scan(board);
        self.now += SETTLE;
        self.push(What::Quiet(Quiet { since_ms }));
    }

    /// A new game, set up on the board and not yet started.
    pub(crate) fn sit_down(&mut self, game: String) {
        (self.game, self.rev, self.ply, self.slips) = (game, 0, 0, 0);
        self.round += 1;
        self.clock = Clock::new(self.control.clone(), Place::Left);
    }

    /// Looks a game up at a later ply, as if it had been played until there.
    pub(crate) fn skip_to(&mut self, ply: usize) {
        self.ply = ply;
    }

    /// From now on one press in a hundred is one without a move: each clock's first comes at another time, so that a short run
    /// has its share of them.
    pub(crate) fn begin_to_slip(&mut self) {
        self.until_slip = 1 + u64::from(self.number) % SLIP;
    }

    /// Carries out a directive and reports it; after a correction the arbiter restarts the clock.
    pub(crate) fn apply(&mut self, directive: &Directive) -> anyhow::Result<()> {
        let before = self.clock.face(self.now);
        match directive.act.as_ref().context("a directive without an act")? {
            Act::Prepare(_) => {
                self.sit_down(directive.game.clone());
                self.report(directive, before.into());
            }
            Act::Stop(_) => {
                drop(self.clock.stop(self.now));
                self.report(directive, before.into());
            }
            Act::Set(set) => {
                let hands = convert::hands(set.white, set.black)?;
                drop(self.clock.set(self.now, hands, convert::colour(set.turn)?, Place::Left, set.run));
                self.report(directive, before.into());
                self.now += SETTLE;
                let _runs_already = self.clock.resume(self.now);
                self.push(What::Resumed(Resumed {}));
            }
            Act::Conclude(_) => {
                drop(self.clock.conclude(self.now));
                self.report(directive, before.into());
            }
            other => bail!("a directive that nothing called for: {other:?}"),
        }
        Ok(())
    }

    fn game(&self) -> &Game {
        let games = self.games.len();
        &self.games[(self.number as usize + self.round as usize) % games]
    }

    fn scan(&mut self, board: board::Scan) {
        self.push(What::Scan(Scan { board: Some(board.into()) }));
    }

    /// The side to move presses, so the clock takes it.
    fn button(&mut self) {
        self.now += HAND;
        let colour = self.clock.face(self.now).turn;
        let _ticks = self.clock.press(self.now, colour);
        self.push(What::Press(Press { colour: v1::Colour::from(colour).into() }));
    }

    fn report(&mut self, directive: &Directive, before: v1::Face) {
        self.rev = directive.rev;
        // The trace of the press that led to it goes on.
        let traceparent = directive.traceparent.clone();
        let (directive, rev, stage) = (directive.id.clone(), directive.rev, Stage::Applied.into());
        let report = Report { directive, rev, stage, reason: 0, before: Some(before) };
        self.push_in(traceparent, What::Report(report));
    }

    /// What begins a trace and what does not, as the agent has it.
    fn push(&mut self, what: What) {
        let traceparent = match what {
            What::Scan(_) | What::Quiet(_) => String::new(),
            _ => TraceContext::of_event(&self.spool, self.seq + 1).to_string(),
        };
        self.push_in(traceparent, what);
    }

    fn push_in(&mut self, traceparent: String, what: What) {
        self.seq += 1;
        let event = DeviceEvent {
            seq: self.seq,
            previous_hash: self.previous.to_vec(),
            at: Some(Moment { boot: self.boot, ms: self.now }.into()),
            face: Some(self.clock.face(self.now).into()),
            traceparent,
            what: Some(what),
            game: self.game.clone(),
        };
        let bytes = event.encode_to_vec();
        self.previous = sha256(&bytes);
        self.events.push(bytes);
    }
}

fn request(frame: Frame) -> LinkRequest {
    LinkRequest { frame: Some(frame) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;

    #[test]
    fn a_report_goes_on_with_the_trace_of_its_directive_and_a_press_begins_one() {
        let mut player = Player::new(7, Arc::new(games::all()), CONTROL.parse().expect("a control"));
        player.sit_down(player.next_game());
        player.start();
        player.press();
        let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned();
        let act = Some(Act::Stop(v1::Stop::default()));
        player.apply(&Directive { traceparent: traceparent.clone(), act, ..Directive::default() }).expect("applied");
        let Some(Frame::Events(Events { events, .. })) = player.frame().frame else { panic!("events") };
        let told: Vec<String> =
            events.iter().map(|bytes| DeviceEvent::decode(bytes.as_slice()).expect("an event").traceparent).collect();
        let of = |seq| TraceContext::of_event(&player.spool, seq).to_string();
        assert_eq!(told, [String::new(), of(2), String::new(), of(4), traceparent]);
    }

    #[test]
    fn a_slip_is_one_press_in_a_hundred_and_never_twice_in_a_game() {
        let games = Arc::new(games::all());
        let mut player = Player::new(7, games, CONTROL.parse().expect("a control"));
        player.begin_to_slip();
        let (mut presses, mut slips) = (0, 0);
        for _ in 0..50 {
            player.sit_down(player.next_game());
            player.start();
            while !player.is_at_end() {
                presses += 1;
                if player.is_about_to_slip() {
                    slips += 1;
                    player.slip();
                    player.take_back();
                } else {
                    player.press();
                }
            }
            assert!(player.standing().2 <= 1);
        }
        assert!((presses / 100 - 2..=presses / 100 + 2).contains(&slips), "{slips} of {presses}");
    }
}
