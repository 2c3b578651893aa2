//! A board of the hall: what stands on its tile, and whether it needs a person.

use flagfall_proto::{
    clock::v1::{Colour, Compensation, Face, Going, Hand, Outcome, Stage},
    desk::v1::{CaseSnapshot, ClockSnapshot, DirectiveSnapshot, GameSnapshot},
    journal::v1::{AdjournmentPhase, AdjournmentProposal, Alarm, Alarmed, Event, event::What},
};
use serde::Serialize;

/// What a board wants of a person, the most urgent first. Each has a colour and a shape of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// A case waits for a decision.
    Case,
    /// A player calls, or claims something.
    Call,
    /// The clock refused a directive, or there is no word of it.
    Unconfirmed,
    /// The clock is not connected, or says that something is wrong with it.
    Fault,
    /// Something to look at when there is time.
    Look,
    /// Nothing.
    Nothing,
}

/// What a game is doing, for the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not started.
    Idle,
    /// A clock runs.
    Running,
    /// Stopped.
    Paused,
    /// Waits for another day.
    Adjourned,
    /// Over.
    Over,
}

/// One half of a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Half {
    /// Milliseconds left when the face was shown; `None`: not known.
    pub left: Option<i64>,
    /// Moves completed.
    pub moves: u32,
    /// The flag is down.
    pub flag: bool,
    /// Milliseconds that pass after a press before the time runs.
    pub delay: i64,
}

/// A tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tile {
    /// The game.
    pub game: String,
    /// The entry of its journal up to which this speaks.
    #[serde(skip)]
    pub entry: u64,
    /// Its clock.
    pub device: String,
    /// What the board is called in the hall.
    pub board: String,
    /// The board that its clock reads, as the settings name it.
    #[serde(skip)]
    pub(super) reads: String,
    /// The part of the hall; empty: not said.
    pub sector: String,
    /// White, as the pairing names him; empty: not known.
    pub white: String,
    /// Black.
    pub black: String,
    /// White's half, then Black's.
    pub hands: [Half; 2],
    /// Whose time runs or would: 0 White, 1 Black.
    pub turn: u8,
    /// What the game is doing.
    pub state: State,
    /// Milliseconds since the clock showed this; `None`: nobody knows, so the page does not count on.
    pub ago: Option<u64>,
    /// Plies of the surviving score.
    pub plies: usize,
    /// Cases that wait, and what is asked about an adjournment.
    pub cases: usize,
    /// Calls and claims that nobody has attended to.
    pub calls: usize,
    /// What its clock wants somebody for and nobody has looked at.
    #[serde(skip)]
    pub(super) stuck: usize,
    /// The most urgent of what it wants.
    pub need: Need,
    /// The result as PGN writes it; empty: none yet.
    pub result: &'static str,
    /// What the round counts, where that is not the result of the game itself; empty: it is.
    pub counts: &'static str,
    /// It is over, and so is its round: the board has others now.
    pub past: bool,
    /// A directive is on its way to the display.
    pub sending: bool,
    /// The clock has a live session.
    pub connected: bool,
    /// Milliseconds since anything was heard of it.
    pub heard: Option<u64>,
    /// Numbers of the faults that are not right again.
    pub faults: Vec<i32>,
    /// Something was ruled or directed by hand.
    #[serde(skip)]
    pub(super) touched: bool,
    /// Of the last directive there is no good word.
    #[serde(skip)]
    unconfirmed: bool,
    /// There are alarms that nobody has looked at.
    #[serde(skip)]
    alarmed: bool,
}

/// The case waits for somebody.
pub(crate) fn is_open(case: &CaseSnapshot) -> bool {
    case.ruling.is_none()
}

/// What the arbiter is asked about the game's adjournment.
pub(crate) fn asked(game: &GameSnapshot) -> Option<&AdjournmentProposal> {
    game.adjournment.as_ref().and_then(|adjournment| adjournment.proposal.as_ref())
}

/// A player wants something of a person.
pub(crate) fn attention(alarm: &Alarmed) -> bool {
    matches!(alarm.alarm(), Alarm::Call | Alarm::Claim)
}

/// The clock of a game that is not over wants somebody: it stands and says what is wrong, a directive did not get through, or nothing
/// that it says is taken any more.
pub(crate) fn stuck(game: &GameSnapshot, alarm: &Alarmed) -> bool {
    let adjourned = game.adjournment.as_ref().is_some_and(|of| of.phase() == AdjournmentPhase::Adjourned);
    let stands = game.face.is_some_and(|face| face.going() == Going::Paused) && !adjourned;
    let wants = match alarm.alarm() {
        // A frozen board's face is what was last heard, and may seem to run.
        Alarm::Directive | Alarm::Frozen => true,
        Alarm::Device => stands,
        _ => false,
    };
    wants && game.ended.is_none()
}

/// The last word on a directive is no good one.
fn is_unconfirmed(sent: &DirectiveSnapshot) -> bool {
    matches!(sent.stage(), Stage::Unknown | Stage::Rejected)
}

/// The outcome as PGN writes it.
pub(super) const fn pgn(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unspecified => "",
        Outcome::WhiteWins => "1-0",
        Outcome::BlackWins => "0-1",
        Outcome::Draw => "½-½",
        Outcome::BothLose => "0-0",
    }
}

impl Tile {
    /// A game as it stands; its clock is added by [`Tile::clock`].
    #[must_use]
    pub fn of(game: &GameSnapshot) -> Tile {
        let setup = game.setup.clone().unwrap_or_default();
        let over = game.ended.as_ref();
        let open = if over.is_some() { 0 } else { game.cases.iter().filter(|case| is_open(case)).count() };
        let last = game.directives.last();
        let unheeded = game.alarms.get(game.heeded as usize..).unwrap_or_default();
        let adjourned = game.adjournment.as_ref().map(|adjournment| adjournment.phase());
        let delays = setup.control.as_ref().map(|control| {
            let delay = |period: u32| {
                let period = control.periods.get(period as usize)?;
                (period.compensation() == Compensation::Delay).then_some(period.amount_ms)
            };
            let of = |hand: Option<&Hand>| hand.and_then(|hand| delay(hand.period)).unwrap_or(0);
            game.face.as_ref().map_or([0; 2], |face| [of(face.white.as_ref()), of(face.black.as_ref())])
        });
        let mut tile = Tile {
            game: setup.game,
            entry: game.entry,
            board: setup.device.clone(),
            reads: setup.device.clone(),
            device: setup.device,
            sector: String::new(),
            white: String::new(),
            black: String::new(),
            hands: Default::default(),
            turn: 0,
            state: State::Idle,
            ago: None,
            plies: game.plies.len(),
            cases: open + usize::from(asked(game).is_some()),
            calls: unheeded.iter().filter(|alarm| attention(alarm)).count(),
            stuck: unheeded.iter().filter(|alarm| stuck(game, alarm)).count(),
            need: Need::Nothing,
            result: over.map_or("", |ended| pgn(ended.outcome())),
            counts: "",
            past: false,
            sending: last.is_some_and(|sent| matches!(sent.stage(), Stage::Sent | Stage::Received)),
            connected: false,
            heard: None,
            faults: Vec::new(),
            // The first directive prepares the clock.
            touched: game.directives.len() > 1 || !game.cases.is_empty(),
            unconfirmed: last.is_some_and(is_unconfirmed),
            alarmed: !unheeded.is_empty(),
        };
        tile.show(&game.face.unwrap_or_default());
        for (hand, delay) in tile.hands.iter_mut().zip(delays.unwrap_or_default()) {
            hand.delay = delay;
        }
        if over.is_some() {
            tile.state = State::Over;
        } else if adjourned == Some(AdjournmentPhase::Adjourned) {
            tile.state = State::Adjourned;
        }
        tile.weigh();
        tile
    }

    /// The clock shows this.
    fn show(&mut self, face: &Face) {
        for (half, hand) in self.hands.iter_mut().zip([face.white, face.black]) {
            let hand = hand.unwrap_or_default();
            (half.left, half.moves, half.flag) = (hand.left_ms, hand.moves, hand.flagged);
        }
        self.turn = u8::from(face.turn() == Colour::Black);
        if !matches!(self.state, State::Over | State::Adjourned) {
            self.state = match face.going() {
                Going::Running => State::Running,
                Going::Paused => State::Paused,
                _ => State::Idle,
            };
        }
    }

    /// Its clock, as it was last heard.
    pub fn clock(&mut self, clock: Option<&ClockSnapshot>) {
        let Some(clock) = clock else {
            (self.connected, self.ago) = (false, None);
            return self.weigh();
        };
        if !clock.board.is_empty() {
            self.board.clone_from(&clock.board);
            self.reads.clone_from(&clock.board);
        }
        (self.connected, self.heard, self.faults) = (clock.connected, clock.heard_ago_ms, clock.faults.clone());
        // The times of an adjourned game are those of its envelope, whatever its clock shows.
        if clock.game == self.game
            && self.state != State::Adjourned
            && let Some(face) = &clock.face
        {
            self.show(face);
            self.ago = Some(clock.face_ago_ms);
        }
        self.weigh();
    }

    /// What it wants most.
    fn weigh(&mut self) {
        let live = !matches!(self.state, State::Over | State::Adjourned);
        self.need = match () {
            () if self.cases > 0 => Need::Case,
            () if self.calls > 0 => Need::Call,
            () if self.unconfirmed => Need::Unconfirmed,
            () if live && (!self.connected || !self.faults.is_empty()) => Need::Fault,
            () if live && self.alarmed => Need::Look,
            () => Need::Nothing,
        };
    }

    /// Takes an event that changes only what can be counted here; false: ask for the game anew.
    pub fn count(&mut self, event: &Event) -> bool {
        match &event.what {
            Some(What::Made(_)) => self.plies += 1,
            Some(What::Heard(_) | What::Looked(_) | What::Held(_) | What::Completed(_) | What::Pressed(_)) => {}
            Some(What::Turned(_) | What::Admitted(_)) => {}
            _ => return false,
        }
        true
    }

    /// The same but for what runs by itself: a clock that runs on as before says nothing new.
    #[must_use]
    pub fn says_the_same(&self, other: &Tile) -> bool {
        let still = |tile: &Tile| {
            let mut still = Tile { ago: None, heard: None, entry: 0, ..tile.clone() };
            if still.state == State::Running {
                still.hands.iter_mut().for_each(|half| half.left = None);
            }
            still
        };
        self.ago.is_some() == other.ago.is_some() && still(self) == still(other)
    }
}
