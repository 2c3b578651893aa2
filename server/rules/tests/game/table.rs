//! A game table for tests: hands move men, press the clock, and read what the rules say. No clockwork of its own: every
//! reading is stated by the test.

use flagfall_rules::{
    board::{Scan, Turn, infer},
    clock::{Colour, Control, Face, Going, Place},
    game::{
        Act, DeskAct, DeskInput, DeviceAct, DeviceInput, Event, Game, Input, Irregularity, Overlay, Refusal, Report,
        Setup, Stage, decide, state,
    },
    laws::{self, Edition, Play},
    time::Moment,
};

pub(crate) const BOOT: u128 = 7;

pub(crate) struct Table {
    edition: &'static Edition,
    pub(crate) game: Game,
    pub(crate) events: Vec<Event>,
    pub(crate) face: Face,
    pub(crate) board: Scan,
    pub(crate) lies: Turn,
    pub(crate) now: u64,
    /// The arbiter's clock, milliseconds since 1970.
    pub(crate) wall: i64,
    boot: u128,
    seq: u64,
    requests: u32,
}

impl Table {
    pub(crate) fn open(edition: &str, control: &str, position: Option<&str>) -> Table {
        Table::open_for(edition, Play::Standard, control, position)
    }

    /// Opens a game of another kind of play.
    pub(crate) fn open_for(edition: &str, play: Play, control: &str, position: Option<&str>) -> Table {
        Table::set_up(laws::edition(edition).expect("known"), play, control, position)
    }

    fn set_up(edition: &'static Edition, play: Play, control: &str, position: Option<&str>) -> Table {
        let control: Option<Control> = (!control.is_empty()).then(|| control.parse().expect("a control"));
        let setup = Setup {
            game: "g".into(),
            device: "d".into(),
            edition: edition.id.into(),
            play,
            control,
            white_place: Place::Left,
            overlay: Overlay::default(),
            position: position.map(Into::into),
        };
        let game = Game::new("g");
        let face = Face::unknown(Place::Left);
        let (board, lies) = (Scan::EMPTY, Turn::None);
        let (events, now, wall, boot, seq, requests) = (Vec::new(), 0, 0, BOOT, 0, 0);
        let mut table = Table { edition, game, events, face, board, lies, now, wall, boot, seq, requests };
        table.desk(DeskAct::Open(setup)).expect("opens");
        table.face = table.game.face;
        table.board = infer::scan(&table.game.position);
        table
    }

    /// Opens, prepares the clock, shows the board and starts the side to move.
    pub(crate) fn started(edition: &str, control: &str, position: Option<&str>) -> Table {
        Table::playing(edition, Play::Standard, control, position)
    }

    /// The same for another kind of play.
    pub(crate) fn playing(edition: &str, play: Play, control: &str, position: Option<&str>) -> Table {
        Table::under(laws::edition(edition).expect("known"), play, control, position)
    }

    /// The same under an edition that needs not be one of the known ones.
    pub(crate) fn under(edition: &'static Edition, play: Play, control: &str, position: Option<&str>) -> Table {
        let mut table = Table::set_up(edition, play, control, position);
        table.report(1);
        table.show();
        table.quiet();
        table.start();
        table
    }

    pub(crate) fn start(&mut self) {
        self.face.going = Going::Running;
        self.device(DeviceAct::Started);
    }

    pub(crate) fn desk(&mut self, act: DeskAct) -> Result<(), Refusal> {
        self.requests += 1;
        let request = format!("r{}", self.requests);
        self.feed(Input::Desk(DeskInput {
            request,
            actor: "arbiter".into(),
            wall_ms: self.wall,
            reason: String::new(),
            act,
        }))
    }

    /// The ways out of the last case, the default first.
    pub(crate) fn ways(&self) -> Vec<&str> {
        let proposal = self.game.cases.last().and_then(|case| case.proposal.as_ref());
        proposal.into_iter().flat_map(|proposal| &proposal.remedies).map(|way| way.key.as_str()).collect()
    }

    /// The arbiter decides the last case.
    pub(crate) fn choose(&mut self, choice: &str) {
        let (case, choice) = (self.game.cases.len() as u32, choice.into());
        self.desk(DeskAct::Decide { case, choice, note: String::new() }).expect("decided");
    }

    pub(crate) fn device(&mut self, act: DeviceAct) {
        self.seq += 1;
        let at = Moment { boot: self.boot, ms: self.now };
        self.feed(Input::Device(DeviceInput { seq: self.seq, at, face: self.face, act }))
            .expect("a clock is never refused");
    }

    /// The event sets something differently from the letter: in the game, and in the event that opened it.
    pub(crate) fn overlay(&mut self, set: impl Fn(&mut Overlay)) {
        set(&mut self.game.setup.overlay);
        self.events.iter_mut().for_each(|event| {
            if let Event::Opened(setup) = event {
                set(&mut setup.overlay);
            }
        });
    }

    pub(crate) fn feed(&mut self, input: Input) -> Result<(), Refusal> {
        self.events.extend(decide(self.edition, &mut self.game, &input)?);
        debug_assert_eq!(Game::replay("g", &self.events), self.game, "replay gives the live state");
        Ok(())
    }

    /// The board as it now stands is scanned, a tenth of a second later.
    pub(crate) fn show(&mut self) {
        self.now += 100;
        let raw = self.board.turned(self.lies.back());
        self.device(DeviceAct::Scan(raw));
    }

    pub(crate) fn fen(&mut self, board: &str) {
        self.board = Scan::from_fen(board).expect("a board");
        self.show();
    }

    /// Carries a man (or lifts it, with `to` empty) and scans.
    pub(crate) fn carry(&mut self, from: &str, to: &str) {
        let man = self.board.at(square(from));
        self.board.put(square(from), None);
        if !to.is_empty() {
            self.board.put(square(to), man);
        }
        self.show();
    }

    pub(crate) fn quiet(&mut self) {
        let since = self.now;
        self.now += 1_000;
        self.device(DeviceAct::Quiet(since));
    }

    /// The side to move presses; its reading becomes `left` (None: as it is).
    pub(crate) fn press(&mut self, left: Option<i64>) {
        let by = self.face.turn;
        if left.is_some() {
            self.face.hand_mut(by).left = left;
        }
        self.face.hand_mut(by).moves += 1;
        self.face.turn = by.other();
        self.now += 100;
        self.device(DeviceAct::Press(by));
    }

    /// Plays UCI moves cleanly, pressing after each; readings stay.
    pub(crate) fn play(&mut self, moves: &str) {
        for text in moves.split_whitespace() {
            let mut next = self.game.position.clone();
            let uci: shakmaty::uci::UciMove = text.parse().expect("uci");
            let m = uci.to_move(&next).expect("a legal move");
            shakmaty::Position::play_unchecked(&mut next, m);
            self.board = infer::scan(&next);
            self.now += 5_000;
            self.show();
            self.press(None);
        }
    }

    /// The clock reports a directive applied, with the face it leads to.
    pub(crate) fn report(&mut self, rev: u64) {
        let before = Some(self.face);
        match &self.game.directives[rev as usize - 1].directive.act {
            Act::Stop => self.face.going = Going::Paused,
            Act::Set { hands, turn, run, .. } => {
                (self.face.hands, self.face.turn) = (*hands, *turn);
                self.face.going = if *run { Going::Running } else { Going::Paused };
            }
            Act::Conclude(_) => self.face.going = Going::Over,
            Act::Run => self.face.going = Going::Running,
            Act::Prepare { stands: Some(stands), .. } => self.face = *stands,
            Act::Prepare { control: Some(control), .. } if rev > 1 => self.face = control.start_face(Place::Left),
            _ => {}
        }
        self.now += 10;
        self.device(DeviceAct::Report(Report { rev, stage: Stage::Applied, reason: None, before }));
    }

    /// Lets the clock carry out everything it was told and has not yet.
    pub(crate) fn obey(&mut self) {
        while let Some(rev) = (1..).zip(&self.game.directives).find(|(_, s)| s.stage == Stage::Sent).map(|(rev, _)| rev)
        {
            self.report(rev);
        }
    }

    /// The clock boots anew: its time begins again.
    pub(crate) fn boot(&mut self) {
        (self.boot, self.now) = (self.boot + 1, 0);
    }

    /// Another clock stands at the table: its spool begins at its own number, its boot at its own time.
    pub(crate) fn other_clock(&mut self, seq: u64) {
        (self.seq, self.now, self.face) = (seq, 0, Face::unknown(Place::Left));
    }

    /// Restores the position of the last ruling on the board and resumes.
    pub(crate) fn resume(&mut self) {
        self.lies = Turn::None;
        self.board = self.game.board();
        self.show();
        self.face.going = Going::Running;
        self.now += 2_000;
        self.device(DeviceAct::Resumed);
    }

    /// The side to move thinks for so long; its clock runs.
    pub(crate) fn think(&mut self, ms: i64) {
        self.now += ms as u64;
        let hand = self.face.hand_mut(self.face.turn);
        hand.left = hand.left.map(|left| left - ms);
    }

    /// The arbiter sets both readings and lets the clock run on.
    pub(crate) fn set(&mut self, white: i64, black: i64) {
        let mut hands = self.face.hands;
        (hands[0].left, hands[1].left) = (Some(white), Some(black));
        let (turn, white_place) = (self.face.turn, Place::Left);
        let act = Act::Set { hands, turn, run: true, white_place, position: None };
        self.desk(DeskAct::Direct(act, Default::default(), Default::default())).expect("issued");
        self.obey();
    }

    pub(crate) fn flag(&mut self, colour: Colour) {
        let hand = self.face.hand_mut(colour);
        (hand.left, hand.flagged) = (Some(0), true);
        self.face.first_flag.get_or_insert(colour);
        self.device(DeviceAct::Flag(colour));
    }

    pub(crate) fn moves(&self) -> String {
        self.game.plies.iter().map(|ply| ply.uci.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// `kind article ply side fixed` of every case.
    pub(crate) fn found(&self) -> Vec<String> {
        let one = |c: &state::Case| {
            let f = &c.finding;
            let nature = if f.fixed { "fixed" } else { "discretion" };
            format!("{} {} ply {} {} {nature}", f.kind.name(), f.article, f.ply, f.by.name())
        };
        self.game.cases.iter().map(one).collect()
    }

    pub(crate) fn clocks(&self) -> [Option<i64>; 2] {
        self.face.hands.map(|hand| hand.left)
    }

    pub(crate) fn counters(&self) -> [u32; 2] {
        self.face.hands.map(|hand| hand.moves)
    }

    pub(crate) fn result(&self) -> String {
        self.game.ended.as_ref().map_or("*".into(), |(outcome, _, article)| format!("{} {article}", outcome.pgn()))
    }

    pub(crate) fn kinds(&self) -> Vec<Irregularity> {
        self.game.cases.iter().map(|c| c.finding.kind).collect()
    }
}

pub(crate) fn square(name: &str) -> u8 {
    let bytes = name.as_bytes();
    (bytes[1] - b'1') * 8 + bytes[0] - b'a'
}
