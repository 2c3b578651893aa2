//! A clock and the service at one table, without anything between them: whatever one says is encoded as it would be sent or kept.

use flagfall_clock::{
    FileSpool, Settings, Spool,
    core::{ClockKind, Core, Effect},
    sense::{Ask, Sense},
    spool::Record,
    wire::{self, directive},
};
use flagfall_proto::clock::v1::{DeviceEvent, LinkResponse, link_response::Frame};
use flagfall_rules::{
    board::Scan,
    clock::Place,
    game::{self, DeskAct, DeskInput, Event, Game, Input, Overlay, ServiceAct, Setup},
    laws::{self, Edition, Play},
};
use flagfall_server::journal::codec::{self, Kept, Meta};
use prost::Message as _;
use tempfile::TempDir;

use crate::targets::seal;

/// The game that is played.
const GAME: &str = "r1.b07";
const DEVICE: &str = "clock-1";
const BOOT: u128 = 0x1234;
/// In place of the one that a spool draws, so that samples come out the same each time.
pub(super) const SPOOL: [u8; 16] = *b"sample of spool.";

/// How the game of every sample is opened.
fn setup(edition: &str) -> Setup {
    Setup {
        game: GAME.to_owned(),
        device: DEVICE.to_owned(),
        edition: edition.to_owned(),
        play: Play::Standard,
        control: "300+3".parse().ok(),
        white_place: Place::Left,
        position: None,
        overlay: Overlay::default(),
    }
}

/// A game that was just opened.
pub(crate) fn opened() -> (Game, &'static Edition) {
    let edition = laws::EDITIONS[laws::EDITIONS.len() - 1];
    let mut game = Game::new(GAME);
    let open = DeskInput {
        request: "open".into(),
        actor: "a".into(),
        wall_ms: 0,
        reason: String::new(),
        act: DeskAct::Open(setup(edition.id)),
    };
    game::decide(edition, &mut game, &Input::Desk(open)).expect("an empty hall");
    (game, edition)
}

/// See the module.
pub(super) struct Table {
    edition: &'static Edition,
    game: Game,
    core: Core,
    now: u64,
    head: wire::Hash,
    folder: TempDir,
    spool: FileSpool,
    requests: u32,
    previous: [u8; 32],
    /// The clock's events, encoded.
    pub(super) events: Vec<Vec<u8>>,
    /// What the service told the clock.
    pub(super) told: Vec<LinkResponse>,
    /// Entries of the game's stream.
    pub(super) entries: Vec<Vec<u8>>,
}

impl Table {
    /// The game is opened, and the clock has taken it on.
    pub(super) fn open(edition: &'static str, clock: ClockKind) -> anyhow::Result<Table> {
        let settings = Settings {
            device: DEVICE.to_owned(),
            clock,
            default_control: None,
            white_place: Place::Left,
            boot: BOOT,
            settle_ms: 1_000,
        };
        let folder = tempfile::tempdir()?;
        let (spool, _) = FileSpool::open(folder.path())?;
        let mut table = Table {
            edition: laws::edition(edition).expect("an edition"),
            game: Game::new(GAME),
            core: Core::new(settings, None),
            now: 1_000,
            head: wire::NO_HASH,
            folder,
            spool,
            requests: 0,
            previous: codec::NO_HASH,
            events: Vec::new(),
            told: Vec::new(),
            entries: Vec::new(),
        };
        table.desk(DeskAct::Open(setup(edition)));
        Ok(table)
    }

    /// Something is done at the desk. A refusal is kept by nobody.
    pub(super) fn desk(&mut self, act: DeskAct) {
        self.requests += 1;
        let request = format!("request-{}", self.requests);
        let input =
            DeskInput { request, actor: "arbiter".into(), wall_ms: 1_777_000_000_000, reason: String::new(), act };
        self.decide(Input::Desk(input.clone()), Kept::Desk(Box::new(input)));
    }

    /// Something is noticed at the clock, so many milliseconds later.
    pub(super) fn sense(&mut self, later: u64, sense: Sense) {
        self.now += later;
        while let Some(due) = self.core.due().filter(|&due| due < self.now) {
            let effects = self.core.wake(due);
            self.carry_out(effects);
        }
        let effects = self.core.handle(self.now, sense);
        self.carry_out(effects);
    }

    /// A move: the board, then the button of who made it; the board alone when nobody presses.
    pub(super) fn play(&mut self, board: &str, pressed: Option<Place>) {
        self.sense(2_000, Sense::Board(Scan::from_fen(board).expect("a board")));
        if let Some(place) = pressed {
            self.sense(500, Sense::Button(place));
        }
        self.sense(1_200, Sense::Tick);
    }

    /// The clock was on a directive for too long.
    pub(super) fn overdue(&mut self, rev: u64) {
        self.decide(Input::Service(ServiceAct::Overdue(rev)), Kept::Overdue(rev));
    }

    /// The bytes of the clock's spool.
    pub(super) fn spool(&self) -> anyhow::Result<Vec<u8>> {
        let mut bytes = std::fs::read(self.folder.path().join("spool.ff"))?;
        bytes[8..24].copy_from_slice(&SPOOL);
        seal(&mut bytes);
        Ok(bytes)
    }

    /// The service forgets the clock's events, and the spool begins anew.
    pub(super) fn forget(&mut self) -> anyhow::Result<()> {
        self.core.forgotten(SPOOL);
        self.head = wire::NO_HASH;
        Ok(self.spool.forget()?)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let (mut records, mut asks, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                Effect::Spool(draft) => {
                    let bytes = wire::encode_event(&draft, BOOT, &self.head, &SPOOL);
                    self.head = wire::hash(&bytes);
                    told.push(bytes.clone());
                    records.push(Record::Event(bytes));
                }
                Effect::Applied(applied) => records.push(Record::Applied { boot: BOOT, applied }),
                Effect::Checkpoint(checkpoint) => records.push(Record::Checkpoint { boot: BOOT, checkpoint }),
                Effect::Ask(ask) => asks.push(ask),
            }
        }
        self.spool.append(&records).expect("spooled");
        for ask in asks {
            if let Ask::Dial(_) = ask {
                self.sense(300, Sense::DialDone(Ok(())));
            }
        }
        for bytes in told {
            let event = DeviceEvent::decode(bytes.as_slice()).expect("an event");
            let input = codec::device_input(event).expect("one the service reads");
            self.events.push(bytes.clone());
            self.decide(Input::Device(input), Kept::Device(bytes));
        }
    }

    fn decide(&mut self, input: Input, kept: Kept) {
        let Ok(events) = game::decide(self.edition, &mut self.game, &input) else { return };
        let meta =
            Meta { previous_hash: self.previous, wall_ms: 1_777_000_000_000, session_epoch: 1, spool_id: SPOOL.into() };
        let entry = codec::entry(GAME, "", &meta, &[kept], &events);
        self.previous = flagfall_server::journal::hash(&entry);
        self.entries.push(entry);
        for event in events {
            match event {
                Event::Issued(directive) => {
                    let message = codec::directive_to_proto(GAME, &directive);
                    self.told.push(LinkResponse { frame: Some(Frame::Directive(message.clone())) });
                    let directive = directive::read(message).expect("a directive");
                    let effects = self.core.directive(self.now, directive);
                    self.carry_out(effects);
                }
                Event::Asked(question) => {
                    let (number, answer) = (question.number, Some(true));
                    let input = Input::Service(ServiceAct::Answered(number, answer));
                    self.decide(input, Kept::Answered(number, answer));
                }
                _ => {}
            }
        }
    }
}
