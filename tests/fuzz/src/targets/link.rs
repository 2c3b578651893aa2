//! The link, both ways.

use flagfall_clock::{
    Settings,
    core::{ClockKind, Core, Effect, LinkNews},
    sense::{NotDone, Sense},
    wire::{
        self,
        frame::{self, Said, Standing},
    },
};
use flagfall_proto::clock::v1::{DeviceEvent, LinkRequest, LinkResponse, link_request::Frame};
use flagfall_rules::{
    clock::Place,
    game::{self, Game, Input},
    laws,
};
use flagfall_server::{
    journal::codec,
    wire::{Greeting, snapshot},
};
use prost::Message;

use crate::samples;

/// Messages that are read from the bytes at most.
const MESSAGES: usize = 256;

/// Messages one after the other, each with its length before it, up to the first that is none.
pub(super) fn messages<M: Message + Default>(mut bytes: &[u8]) -> impl Iterator<Item = M> {
    std::iter::from_fn(move || M::decode_length_delimited(&mut bytes).ok()).take(MESSAGES)
}

/// A clock's frames, as far as the service and its rules.
pub(super) fn requests(bytes: &[u8]) {
    let (mut game, edition) = samples::opened();
    for request in messages::<LinkRequest>(bytes) {
        match request.frame {
            Some(Frame::Hello(hello)) => {
                if let Ok(greeting) = Greeting::read(hello) {
                    assert!(greeting.device.len() <= 64 && greeting.software.chars().count() <= 100);
                }
            }
            Some(Frame::Events(events)) => {
                for event in events.events {
                    device_event(&mut game, edition, &event);
                }
            }
            Some(Frame::Heartbeat(_) | Frame::Goodbye(_)) | None => {}
        }
    }
    drop(snapshot::of(&game, 1));
}

/// One event, as the link reads it and the game takes it.
pub(super) fn device_event(game: &mut Game, edition: &'static laws::Edition, bytes: &[u8]) {
    let Ok(event) = DeviceEvent::decode(bytes) else { return };
    let Ok(input) = codec::device_input(event) else { return };
    let events = game::decide(edition, game, &Input::Device(input)).expect("a clock's word is a fact");
    for event in events {
        let back = codec::event(codec::event_to_proto(&game.setup.game, &event));
        assert_eq!(back.as_ref(), Ok(&event), "what the rules say can be kept and read again");
    }
}

/// The service's frames, as far as the clock's mind; whatever comes of them the service can read.
pub(super) fn responses(bytes: &[u8]) {
    for kind in [ClockKind::Own, ClockKind::External] {
        let mut clock = Clock::new(kind);
        for response in messages::<LinkResponse>(bytes) {
            clock.hear(response);
        }
        clock.rest();
    }
}

/// A clock in the middle of a game.
struct Clock {
    core: Core,
    now: u64,
    head: wire::Hash,
}

const BOOT: u128 = 7;
const SPOOL: [u8; 16] = [3; 16];

impl Clock {
    fn new(clock: ClockKind) -> Clock {
        let settings = Settings {
            device: "clock-1".to_owned(),
            clock,
            default_control: "300+3".parse().ok(),
            white_place: Place::Left,
            boot: BOOT,
            settle_ms: 1_000,
        };
        let mut clock = Clock { core: Core::new(settings, None), now: 1_000, head: wire::NO_HASH };
        clock.sense(Sense::StartStop);
        clock
    }

    fn hear(&mut self, response: LinkResponse) {
        // Not the same after each frame, so that flags, patience and settling fall between them.
        self.now += 1 + self.now % 4_001;
        let Ok(said) = frame::read(response) else { return };
        match said {
            Said::Welcome(welcome) => {
                let (acked, game, desired_rev) = (welcome.durable_through, welcome.game, welcome.desired_rev);
                self.core.link(LinkNews::Up { acked, game, desired_rev });
            }
            Said::Ack { through, desired_rev } => self.core.link(LinkNews::Acked { through, desired_rev }),
            Said::Heartbeat { desired_rev: rev, .. } => {
                self.core.link(LinkNews::Desired(rev));
                // The players go on meanwhile.
                let side = if rev.is_multiple_of(2) { Place::Left } else { Place::Right };
                self.sense(Sense::Button(side));
            }
            Said::Directive(Ok(directive)) => {
                let effects = self.core.directive(self.now, *directive);
                self.carry_out(effects);
            }
            Said::Rewind(_) => self.sense(Sense::StartStop),
            Said::Goodbye { reason, .. } => self.core.link(LinkNews::Down(Some([reason.clone(), reason]))),
            Said::Directive(Err(_)) => {}
        }
        drop(self.core.shown());
    }

    /// Time passes with nobody at the board.
    fn rest(&mut self) {
        for _ in 0..64 {
            let Some(due) = self.core.due() else { return };
            self.now = self.now.max(due);
            let effects = self.core.wake(self.now);
            self.carry_out(effects);
        }
    }

    fn sense(&mut self, sense: Sense) {
        let effects = self.core.handle(self.now, sense);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Spool(draft) => {
                    let bytes = wire::encode_event(&draft, BOOT, &self.head, &SPOOL);
                    self.head = wire::hash(&bytes);
                    let read = wire::decode_event(&bytes).map(|event| event.draft);
                    assert_eq!(read.map(|read| read.what), Ok(draft.what), "the clock reads what it wrote");
                    let event = DeviceEvent::decode(bytes.as_slice()).expect("an event");
                    codec::device_input(event).expect("the service reads what the clock wrote");
                }
                Effect::Ask(_) => {
                    // Every other errand is carried out, the rest are refused or not answered.
                    let done = match self.now % 4 {
                        0 | 2 => Ok(()),
                        1 => Err(NotDone::Refused("no".to_owned())),
                        _ => Err(NotDone::Unanswered("?".to_owned())),
                    };
                    self.now += 1;
                    let effects = self.core.handle(self.now, Sense::DialDone(done));
                    self.carry_out(effects);
                }
                Effect::Applied(_) | Effect::Checkpoint(_) => {}
            }
        }
        let face = self.core.face();
        let standing = Standing {
            spool_id: SPOOL,
            last_seq: self.core.memory().last_seq,
            game: self.core.memory().game.clone(),
            applied_rev: self.core.memory().rev,
            face,
            busy: self.core.busy(),
            past: self.core.memory().past,
            acked: self.core.acked(),
        };
        let Some(Frame::Hello(hello)) = frame::hello("clock-1", BOOT, 1, &standing).frame else { return };
        Greeting::read(hello).expect("the service takes the clock in");
    }
}
