//! The table a case is played at: a clock, a board and a desk that feed the rules as the service does. No clockwork: every
//! reading is the case's own.

use flagfall_rules::{
    board::{Scan, infer, notation::Written},
    clock::{Colour, Face, Going, Place},
    game::{
        Act, DeskAct, DeskInput, DeviceAct, DeviceInput, Event, Fault, Game, Input, Refusal, Report, ServiceAct, Setup,
        Stage, Uci, decide,
    },
    time::{Millis, Moment},
    unwinnable::{self, Verdict},
};
use shakmaty::{Chess, Position};

use crate::{
    Case,
    facts::{Entry, Step},
};

/// Positions looked at before a question whether a side can mate is given up.
const BUDGET: u64 = 2_000_000;

/// How long a move takes where the record does not say.
const USUAL: Millis = 5_000;

/// How long a board takes to settle.
const SETTLE: u64 = 1_000;

/// A move as it was written, in algebraic notation or UCI, and the position after it.
pub(crate) fn legal(position: &Chess, text: &str) -> Option<(Uci, Chess)> {
    let m = Written::parse(text)?.to_move(position).ok()?;
    let mut next = position.clone();
    next.play_unchecked(m);
    Some((infer::uci(m), next))
}

pub(crate) struct Table<'c> {
    pub(crate) case: &'c Case,
    pub(crate) game: Game,
    pub(crate) face: Face,
    /// A board shows the moves.
    pub(crate) seen: bool,
    /// Nobody reads the board.
    unread: bool,
    /// The position after the last move that was made on it, read or not.
    stands: Option<Chess>,
    /// How many plies each ruling annulled, by the number of its case.
    pub(crate) annulled: Vec<(u32, u32)>,
    boot: u128,
    now: u64,
    seq: u64,
    requests: u32,
}

impl<'c> Table<'c> {
    /// Opens the game, sets up clock and board, starts, and plays what is on record.
    pub(crate) fn open(case: &'c Case) -> Result<Table<'c>, Refusal> {
        let setup = Setup {
            game: case.title.clone(),
            device: "clock".into(),
            edition: case.edition.id.into(),
            play: case.play,
            control: case.control.clone(),
            white_place: Place::Left,
            position: case.position.clone(),
            overlay: case.overlay,
        };
        let (game, face) = (Game::new(&case.title), Face::unknown(Place::Left));
        let seen = case.log.is_empty() || !case.moves.is_empty();
        let (unread, stands, annulled) = (false, None, Vec::new());
        let mut table =
            Table { case, game, face, seen, unread, stands, annulled, boot: 1, now: 0, seq: 0, requests: 0 };
        table.desk(DeskAct::Open(setup))?;
        // What was done wrong earlier in the game is told, not played: the rules only count it.
        table.game.strikes = [case.strikes.white.unwrap_or(0), case.strikes.black.unwrap_or(0)];
        table.face.turn = table.game.face.turn;
        for colour in Colour::BOTH {
            let moves = table.game.completed(colour);
            table.count(colour, moves);
        }
        table.obey();
        if table.seen {
            let board = infer::scan(&table.game.position);
            table.show(&board);
            table.quiet();
        }
        table.face.going = Going::Running;
        table.device(DeviceAct::Started);
        table.record();
        Ok(table)
    }

    fn record(&mut self) {
        let case = self.case;
        if case.moves.is_empty() {
            for entry in &case.log {
                self.now += self.used(entry) as u64;
                self.logged(entry);
            }
        }
        // The presses on record belong to the last moves.
        let unlogged = case.moves.len().saturating_sub(case.log.len());
        for (index, uci) in case.moves.iter().enumerate() {
            let by = self.face.turn;
            let nothing = Entry { by, left: [None; 2].into(), credit: None, used: None };
            let entry = index.checked_sub(unlogged).and_then(|index| case.log.get(index)).copied().unwrap_or(nothing);
            let Some((_, next)) = legal(&self.game.position, uci.as_str()) else { return };
            self.now += (self.used(&entry) as u64).saturating_sub(200);
            self.show(&infer::scan(&next));
            self.now += 100;
            self.logged(&entry);
            self.settle();
        }
    }

    /// How long the mover thought, as far as the record tells.
    fn used(&self, entry: &Entry) -> Millis {
        let between = self.face.hand(entry.by).left.zip(entry.left.of(entry.by)).map(|(before, now)| before - now);
        entry.used.or(between.filter(|&used| used >= 0)).unwrap_or(USUAL)
    }

    fn logged(&mut self, entry: &Entry) {
        let by = entry.by;
        let hand = *self.face.hand(by);
        let credit = self.case.control.as_ref().map(|control| {
            let given = control.credit(hand.moves, hand.period, Some(self.used(entry)));
            given.compensation + given.bonus
        });
        let credit = entry.credit.or(credit).unwrap_or(0);
        self.count(by, hand.moves + 1);
        self.face.hand_mut(by).left = entry.left.of(by).map(|left| left + credit);
        self.face.hand_mut(by.other()).left = entry.left.of(by.other());
        self.face.turn = by.other();
        self.device(DeviceAct::Press(by));
    }

    /// The clock counts so many moves of a player.
    fn count(&mut self, colour: Colour, moves: u32) {
        let hand = self.face.hand_mut(colour);
        let period = self.case.control.as_ref().map_or(0, |control| control.period_of(moves, hand.period));
        (hand.moves, hand.period) = (moves, period);
    }

    /// The clock shows what a step says it does. `pressed`: that player's press was counted.
    pub(crate) fn display(&mut self, step: &Step, pressed: Option<Colour>) {
        for colour in Colour::BOTH {
            let shown = &step.display;
            let counted = pressed.filter(|&by| by == colour).map(|by| self.face.hand(by).moves + 1);
            if let Some(moves) = shown.counters.of(colour).or(counted) {
                self.count(colour, moves);
            }
            let hand = self.face.hand_mut(colour);
            hand.left = shown.clocks.of(colour).or(hand.left);
            // A clock that shows time has its flag up again.
            hand.flagged &= shown.clocks.of(colour).is_none_or(|left| left == 0);
            hand.period = shown.period.of(colour).unwrap_or(hand.period);
        }
        if let Some(by) = pressed {
            self.face.turn = by.other();
        }
        self.face.first_flag = self.face.first_flag.filter(|&colour| self.face.hand(colour).flagged);
    }

    /// The player thinks for as long as his clock shows, before he presses.
    pub(crate) fn think(&mut self, step: &Step, by: Colour) {
        let hand = *self.face.hand(by);
        let period = step.display.period.of(by).unwrap_or(hand.period);
        let credit = self.case.control.as_ref().map_or(0, |control| {
            let given = control.credit(hand.moves, hand.period, None);
            given.compensation + given.bonus + control.begun(hand.period, period)
        });
        let used = hand.left.zip(step.display.clocks.of(by)).map_or(0, |(before, now)| before + credit - now);
        self.now += u64::try_from(used).unwrap_or(0);
    }

    /// Whose move it is, by what is on record.
    pub(crate) fn to_move(&self) -> Colour {
        let pressed = self.game.press_at(self.game.known()).filter(|_| self.game.blind());
        pressed.map_or_else(|| self.position().turn().into(), |press| press.by.other())
    }

    pub(crate) fn desk(&mut self, act: DeskAct) -> Result<(), Refusal> {
        self.requests += 1;
        let request = format!("r{}", self.requests);
        self.feed(&Input::Desk(DeskInput { request, actor: "arbiter".into(), wall_ms: 0, reason: String::new(), act }))
    }

    pub(crate) fn device(&mut self, act: DeviceAct) {
        self.seq += 1;
        let at = Moment { boot: self.boot, ms: self.now };
        // A clock's word is a fact once the game is open, and no game is played here that is not.
        let _never = self.feed(&Input::Device(DeviceInput { seq: self.seq, at, face: self.face, act }));
    }

    fn feed(&mut self, input: &Input) -> Result<(), Refusal> {
        let known = self.game.known();
        for event in decide(self.case.edition, &mut self.game, input)? {
            if let Event::Ruled(ruling) = event {
                let annulled = ruling.remedy.annul_from.map_or(0, |from| (known + 1).saturating_sub(from));
                self.annulled.push((ruling.case, annulled));
            }
        }
        Ok(())
    }

    /// The position on the board, whether or not anybody reads it.
    pub(crate) fn position(&self) -> &Chess {
        let known = !self.unread && !self.game.blind();
        self.stands.as_ref().filter(|_| !known).unwrap_or(&self.game.position)
    }

    /// A move was made on the board.
    pub(crate) fn play(&mut self, position: Chess) {
        self.show(&infer::scan(&position));
        self.stands = Some(position);
    }

    /// Something is wrong with the board, or right again: then it is read.
    pub(crate) fn fault(&mut self, fault: Fault) {
        self.unread = fault != Fault::BoardBack;
        self.now += 100;
        self.device(DeviceAct::Fault(fault, String::new()));
        let board = infer::scan(self.position());
        self.show(&board);
    }

    /// The clock lost power, and has not seen the board since.
    pub(crate) fn restart(&mut self) {
        (self.boot, self.now, self.unread) = (self.boot + 1, 0, true);
        self.face.going = Going::Paused;
        self.device(DeviceAct::Fault(Fault::PowerLost, String::new()));
    }

    /// The board shows this, a tenth of a second later; what is shown is read.
    pub(crate) fn look(&mut self, board: &Scan) {
        self.unread = false;
        self.show(board);
    }

    fn show(&mut self, board: &Scan) {
        if self.seen && !self.unread {
            self.now += 100;
            self.device(DeviceAct::Scan(*board));
        }
    }

    /// The board stands still. A clock may say so of one that it does not read.
    pub(crate) fn quiet(&mut self) {
        if self.seen {
            let since = self.now;
            self.now += SETTLE;
            self.device(DeviceAct::Quiet(since));
        }
    }

    pub(crate) fn press(&mut self, by: Colour) {
        self.now += 100;
        self.device(DeviceAct::Press(by));
    }

    /// Answers what was asked and carries out what was told, until nothing is left.
    pub(crate) fn settle(&mut self) {
        loop {
            let question = self.game.unanswered().next().cloned();
            if let Some(question) = question {
                let (number, side) = (question.number, question.side);
                let position = flagfall_rules::game::state::position(&question.position);
                let can = position.and_then(|position| match unwinnable::can_mate(&position, side, BUDGET) {
                    Verdict::Winnable(_) => Some(true),
                    Verdict::Unwinnable(_) => Some(false),
                    Verdict::Undetermined => None,
                });
                let _never = self.feed(&Input::Service(ServiceAct::Answered(number, can)));
            } else if !self.obey() {
                return;
            }
        }
    }

    /// Carries out the first directive that was not yet; false when there is none.
    fn obey(&mut self) -> bool {
        let waiting = (1..).zip(&self.game.directives).find(|(_, sent)| sent.stage == Stage::Sent);
        let Some((rev, act)) = waiting.map(|(rev, sent)| (rev, sent.directive.act.clone())) else { return false };
        let before = Some(self.face);
        match &act {
            Act::Stop => self.face.going = Going::Paused,
            Act::Set { hands, turn, .. } => {
                (self.face.hands, self.face.turn, self.face.going) = (*hands, *turn, Going::Paused);
            }
            Act::Conclude(_) => self.face.going = Going::Over,
            _ => {}
        }
        self.now += 10;
        self.device(DeviceAct::Report(Report { rev, stage: Stage::Applied, reason: None, before }));
        let on = matches!(act, Act::Set { .. }) && self.game.ended.is_none() && self.game.open_case().is_none();
        if on {
            self.resume();
        }
        true
    }

    /// The position stands on the board again, and the arbiter lets the clock run.
    pub(crate) fn resume(&mut self) {
        let board = self.game.board();
        self.show(&board);
        self.face.going = Going::Running;
        self.face.first_flag = None;
        self.now += 2 * SETTLE;
        self.device(DeviceAct::Resumed);
    }
}
