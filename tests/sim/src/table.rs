//! A table: two players with a script, a board, a clock, and a Pi that watches them. People and wood know nothing of networks.
//!
//! ```text
//!   waiting ─ game on the display, calm ─▶ playing ─ script at its end ─▶ done
//!                                          │    ▲
//!                      the clock stands    ▼    │ calm, board restored, start button
//!                                          stopped
//! ```

use std::{collections::VecDeque, sync::Arc};

use flagfall_clock::{
    ClockKind,
    sense::{Ask, Sense, Shown},
};
use flagfall_rules::{
    board::{Scan, infer},
    clock::{Colour, Face, Going, Place},
};
use flagfall_server::app::replay::script::{Touch, carry_out, restore};
use rand::{Rng, rngs::StdRng};
use shakmaty::Position;

use crate::{
    dial::PhysicalClock,
    mutation::Mutation,
    pi::Pi,
    script::Script,
    trace::{Trace, lock},
};

/// How long a clock stands before players who may go on do, milliseconds.
const REST: u64 = 2_500;

/// How long players wait for what went wrong to be noticed, milliseconds.
const PATIENCE: u64 = 90_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Playing,
    Stopped { since: u64 },
    Done,
}

/// What a hand does next.
#[derive(Clone, Copy, Debug)]
enum Act {
    Touch(Touch),
    Press(Colour),
    Start,
}

/// An external clock on its way to a face.
struct Setting {
    at: u64,
    boot: u64,
    face: Face,
    /// Whose lever was up when it was sent.
    turn: Place,
}

/// See the module.
pub(crate) struct Table {
    pub(crate) pi: Arc<Pi>,
    /// The game's name.
    pub(crate) game: String,
    pub(crate) script: Script,
    pub(crate) dial: Option<PhysicalClock>,
    board: Scan,
    phase: Phase,
    /// The next ply of the script.
    next: usize,
    doing: VecDeque<Act>,
    /// When the next hand moves.
    at: u64,
    /// An irregularity was committed then, under that start of the agent, and is not yet seen to.
    awaiting: Option<(u64, u64)>,
    /// It could not be noticed: the Pi was dark in between, or when the last move was made.
    excused: bool,
    /// The last press was made before a Pi that was dark.
    unseen: bool,
    settings: VecDeque<Setting>,
    /// The start of the agent that is plugged in.
    plugged: u64,
    chance: StdRng,
    mutation: Option<Mutation>,
    trace: Trace,
}

/// What the clock in front of the players does.
struct View {
    going: Going,
    turn: Colour,
}

fn place(colour: Colour) -> Place {
    if colour == Colour::White { Place::Left } else { Place::Right }
}

impl Table {
    pub(crate) fn new(
        pi: Arc<Pi>,
        game: &str,
        script: Script,
        mut chance: StdRng,
        mutation: Option<Mutation>,
        trace: Trace,
    ) -> Table {
        let minds_lever = chance.random_bool(0.5);
        let dial = (pi.kind == ClockKind::External).then(|| PhysicalClock::new(BASE_MS, INCREMENT_MS, minds_lever));
        let board = infer::scan(&script.positions[0]);
        Table {
            pi,
            game: game.to_owned(),
            script,
            dial,
            board,
            phase: Phase::Waiting,
            next: 0,
            doing: VecDeque::new(),
            at: 0,
            awaiting: None,
            excused: false,
            unseen: false,
            settings: VecDeque::new(),
            plugged: 0,
            chance,
            mutation,
            trace,
        }
    }

    /// All that is to be played stands on the board, or the game is over.
    pub(crate) fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Since when all is played.
    pub(crate) fn done_at(&self) -> Option<u64> {
        self.is_done().then_some(self.at)
    }

    /// Nobody could be alarmed of what went wrong here.
    pub(crate) fn is_excused(&self) -> bool {
        self.excused
    }

    /// The next ply, and what the players are doing, for whoever asks why nothing happens.
    pub(crate) fn standing(&self) -> String {
        format!("{:?} at ply {} of {}, awaiting {:?}", self.phase, self.next, self.script.moves.len(), self.awaiting)
    }

    /// Time passes; `calm`: the arbiter lets the players go on.
    pub(crate) fn step(&mut self, passed: u64, calm: bool) {
        let now = self.trace.now();
        self.wire(now, passed);
        if now < self.at || self.phase == Phase::Done {
            return;
        }
        let shown = self.pi.shown();
        let Some(view) = self.view(shown.as_ref()) else { return };
        if shown.as_ref().is_some_and(|shown| shown.result.is_some() && shown.game == self.game) {
            self.phase = Phase::Done;
            return;
        }
        match self.phase {
            Phase::Waiting => self.sit_down(now, shown.as_ref(), &view, calm),
            Phase::Playing => match view.going {
                Going::Running => self.play(now, &view),
                Going::Idle | Going::Paused => self.phase = Phase::Stopped { since: now },
                Going::Over => self.phase = Phase::Done,
            },
            Phase::Stopped { since } => self.go_on(now, since, shown.as_ref(), &view, calm),
            Phase::Done => {}
        }
    }

    /// The wire between clock, board and Pi.
    fn wire(&mut self, now: u64, passed: u64) {
        let mut asked = Vec::new();
        let mut boot = None;
        if let Some(plug) = lock(&self.pi.plug).as_mut() {
            boot = Some(plug.boot);
            while let Ok(ask) = plug.asks.try_recv() {
                asked.push(ask);
            }
        }
        for ask in asked {
            if let (Ask::Dial(face), Some(boot)) = (ask, boot) {
                let at = now + self.chance.random_range(40..400);
                self.trace.step(&self.pi.name, format_args!("asks its clock: {}", told(&face)));
                let turn = self.dial.as_ref().map_or(Place::Left, PhysicalClock::turn);
                self.settings.push_back(Setting { at, boot, face, turn });
            }
        }
        let Some(dial) = &mut self.dial else {
            if let Some(boot) = boot.filter(|&boot| boot != self.plugged) {
                self.plugged = boot;
                self.pi.sense(Sense::Board(self.board));
            }
            return;
        };
        dial.tick(i64::try_from(passed).unwrap_or(i64::MAX));
        while let Some(setting) = self.settings.pop_front_if(|setting| setting.at <= now) {
            let leaps = dial.leaps.len();
            dial.set(&setting.face, setting.turn);
            if self.mutation == Some(Mutation::AppliedTwice) {
                dial.add_again(leaps);
            }
            self.trace.step(&self.pi.name, format_args!("its clock is set: {}", told(&setting.face)));
            // What the clock was told it does, whatever became of the Pi that told it; only the same one waits for an answer.
            if boot == Some(setting.boot) {
                self.pi.sense(Sense::DialDone(Ok(())));
            }
        }
        match boot {
            Some(boot) if boot != self.plugged => {
                self.plugged = boot;
                self.pi.sense(Sense::Board(self.board));
                self.pi.sense(Sense::Dial(dial.dial()));
            }
            _ => {}
        }
        if let Some(news) = dial.news() {
            self.pi.sense(Sense::Dial(news));
        }
    }

    /// What the players see on the clock; nothing when it is dark.
    fn view(&self, shown: Option<&Shown>) -> Option<View> {
        match &self.dial {
            Some(dial) => {
                let going = if dial.running() { Going::Running } else { Going::Paused };
                Some(View { going, turn: dial.turn().colour(Place::Left) })
            }
            None => shown.map(|shown| View { going: shown.face.going, turn: shown.face.turn }),
        }
    }

    fn sit_down(&mut self, now: u64, shown: Option<&Shown>, view: &View, calm: bool) {
        let ready = shown.is_some_and(|shown| shown.game == self.game && shown.applied_rev >= shown.desired_rev);
        if !ready || !calm {
            self.at = now + 300;
        } else if view.going == Going::Running {
            self.phase = Phase::Playing;
        } else {
            self.hand(Act::Start);
            self.phase = Phase::Playing;
            self.at = now + self.chance.random_range(500..1_500);
        }
    }

    fn play(&mut self, now: u64, view: &View) {
        if let Some(act) = self.doing.pop_front() {
            self.hand(act);
            self.at = now + self.chance.random_range(60..250);
            return;
        }
        if let Some((since, committed)) = self.awaiting {
            self.at = now + 500;
            if now > since + PATIENCE {
                // Nobody has noticed: they stop the clock and fetch the arbiter.
                self.hand(Act::Start);
                self.phase = Phase::Done;
                self.excused = committed != self.plugged;
                self.trace.step(&self.game, "is given up: nobody has noticed what went wrong");
            }
            return;
        }
        if self.next >= self.script.moves.len() {
            self.phase = Phase::Done;
            self.at = now;
            self.excused |= self.unseen;
            self.trace.step(&self.game, "is played to its end");
            return;
        }
        let mover = self.script.mover(self.next);
        if view.turn != mover {
            // A press that the clock did not take: whoever should wait presses again.
            self.hand(Act::Press(mover.other()));
            self.at = now + 1_000;
            return;
        }
        if self.script.illegal == Some(self.next) && lock(&self.pi.plug).is_some() {
            self.script.illegal = None;
            if let Some(touches) = self.illegal() {
                self.trace.step(&self.game, format_args!("ply {}: an illegal move", self.next + 1));
                self.doing.extend(touches.into_iter().map(Act::Touch));
                self.doing.push_back(Act::Press(mover));
                self.awaiting = Some((now, self.plugged));
                self.at = now + 300;
                return;
            }
        }
        let way = self.chance.random_range(0..60);
        let touches = carry_out(&self.script.positions[self.next], self.script.moves[self.next], way);
        self.doing.extend(touches.into_iter().map(Act::Touch));
        self.doing.push_back(Act::Press(mover));
        self.next += 1;
        self.at = now + self.chance.random_range(400..4_500);
    }

    /// A man of the mover goes where no man of his may go: his king's pawn, or else a rook, three ranks on and one file aside.
    fn illegal(&self) -> Option<Vec<Touch>> {
        let position = &self.script.positions[self.next];
        let mover = self.script.mover(self.next);
        let home = if mover == Colour::White { 8..16u8 } else { 48..56u8 };
        let from = home.rev().find(|&square| self.board.at(square).is_some_and(|man| man.colour == mover))?;
        let to = (24..40u8).find(|&square| {
            let legal = position
                .legal_moves()
                .iter()
                .any(|m| m.from() == Some(shakmaty::Square::new(u32::from(from))) && u8::from(m.to()) == square);
            self.board.at(square).is_none() && !legal && square % 8 != from % 8
        })?;
        let man = self.board.at(from);
        Some(vec![Touch { square: from, man: None }, Touch { square: to, man }])
    }

    /// The clock stands: the players wait for the arbiter, put the board as the display wants it, and start the clock.
    fn go_on(&mut self, now: u64, since: u64, shown: Option<&Shown>, view: &View, calm: bool) {
        if view.going == Going::Running {
            self.phase = Phase::Playing;
            return;
        }
        if view.going == Going::Over {
            self.phase = Phase::Done;
            return;
        }
        let Some(shown) = shown.filter(|shown| shown.applied_rev >= shown.desired_rev) else { return };
        if !calm || now < since + REST {
            return;
        }
        if let Some(target) = Scan::from_fen(&shown.position).filter(|target| *target != self.board) {
            self.doing.clear();
            for touch in restore(&self.board, &target) {
                self.hand(Act::Touch(touch));
            }
            self.phase = Phase::Stopped { since: now };
            return;
        }
        if self.awaiting.is_some() || !shown.position.is_empty() || self.doing.is_empty() {
            self.awaiting = None;
            match self.script.place(&self.board, view.turn, self.next) {
                Some((next, press_only)) => {
                    self.doing.clear();
                    self.next = next;
                    if press_only {
                        self.doing.push_back(Act::Press(self.script.mover(next)));
                        self.next = next + 1;
                    }
                }
                // Nobody completed what stands there: it is put back, and played as it should be.
                None if self.doing.is_empty() => {
                    for touch in restore(&self.board, &infer::scan(&self.script.positions[self.next])) {
                        self.hand(Act::Touch(touch));
                    }
                    self.at = now + 1_000;
                    return;
                }
                None => {}
            }
        }
        self.hand(Act::Start);
        self.phase = Phase::Playing;
        self.at = now + 800;
    }

    fn hand(&mut self, act: Act) {
        self.trace.step(&self.game, format_args!("hand: {act:?}"));
        if matches!(act, Act::Press(_)) {
            self.unseen = lock(&self.pi.plug).is_none();
        }
        match (act, &mut self.dial) {
            (Act::Touch(touch), _) => {
                self.board.put(touch.square, touch.man);
                self.pi.sense(Sense::Board(self.board));
            }
            (Act::Press(colour), Some(dial)) => {
                dial.press(place(colour));
                // The board tells of the lever at once: no setting comes between.
                if let Some(news) = dial.news().filter(|_| lock(&self.pi.plug).is_some()) {
                    self.pi.sense(Sense::Dial(news));
                }
            }
            (Act::Press(colour), None) => drop(self.pi.sense(Sense::Button(place(colour)))),
            (Act::Start, Some(dial)) => dial.start_stop(),
            (Act::Start, None) => drop(self.pi.sense(Sense::StartStop)),
        }
    }
}

/// The control of every game: long enough that no flag falls.
pub(crate) const BASE_MS: i64 = 40 * 60_000;
/// See [`BASE_MS`].
pub(crate) const INCREMENT_MS: i64 = 10_000;

fn told(face: &Face) -> String {
    let [white, black] = face.hands.map(|hand| hand.left.unwrap_or(-1));
    format!("{white}/{black} {:?} {:?}", face.turn, face.going)
}
