//! No time appears or vanishes but by a ruling that says so; and to err and be put right is to have played on without erring, but
//! for the penalty and what ran until the clock stood.

use flagfall_rules::{
    board::infer,
    clock::{Clock, Colour, Control, Place},
    game::{Act, DeskAct, DeskInput, DeviceAct, DeviceInput, Game, Input, Overlay, Report, Setup, Stage, decide},
    laws::{self, Edition, Play},
    time::{Millis, Moment},
};
use proptest::prelude::*;
use shakmaty::Position;

/// Controls whose presses always credit the same: what Bronstein gives back depends on how long a player thinks, and a correction
/// lets him think anew.
const CONTROLS: [&str; 5] = ["3600+30", "1800", "1800d10", "4/1800+30:900+10", "3/1800:900"];

/// A clock that runs, a board with a legal game on it, and the rules.
struct Board {
    edition: &'static Edition,
    clock: Clock,
    game: Game,
    now: u64,
    seq: u64,
    requests: u32,
}

impl Board {
    fn new(edition: &'static Edition, control: &Control) -> Board {
        let clock = Clock::new(control.clone(), Place::Left);
        let mut board = Board { edition, clock, game: Game::new("g"), now: 0, seq: 0, requests: 0 };
        board.desk(DeskAct::Open(Setup {
            game: "g".into(),
            device: "d".into(),
            edition: edition.id.into(),
            play: Play::Standard,
            control: Some(control.clone()),
            white_place: Place::Left,
            position: None,
            overlay: Overlay::default(),
        }));
        board.obey();
        board.show();
        board.clock.start(board.now, Colour::White).expect("idle");
        board.device(DeviceAct::Started);
        board
    }

    fn desk(&mut self, act: DeskAct) {
        self.requests += 1;
        let input = DeskInput {
            request: format!("r{}", self.requests),
            actor: "arbiter".into(),
            wall_ms: 0,
            reason: String::new(),
            act,
        };
        decide(self.edition, &mut self.game, &Input::Desk(input)).expect("admitted");
    }

    fn device(&mut self, act: DeviceAct) {
        self.seq += 1;
        let face = self.clock.face(self.now);
        let input = DeviceInput { seq: self.seq, at: Moment { boot: 1, ms: self.now }, face, act };
        decide(self.edition, &mut self.game, &Input::Device(input)).expect("a clock is never refused");
    }

    fn show(&mut self) {
        self.device(DeviceAct::Scan(infer::scan(&self.game.position)));
    }

    fn press(&mut self) {
        let turn = self.clock.face(self.now).turn;
        self.clock.press(self.now, turn).expect("it runs for him");
        self.device(DeviceAct::Press(turn));
    }

    /// Thinks, makes one of the legal moves and presses; nothing once the game is over.
    fn play(&mut self, think: u64, choice: usize) {
        if self.game.ended.is_some() {
            return;
        }
        self.now += think;
        let moves = self.game.position.legal_moves();
        let mut next = self.game.position.clone();
        next.play_unchecked(moves[choice % moves.len()]);
        self.device(DeviceAct::Scan(infer::scan(&next)));
        self.press();
    }

    /// Carries out what the clock was told and has not done, and reports it.
    fn obey(&mut self) {
        while let Some((rev, sent)) = (1..).zip(&self.game.directives).find(|(_, sent)| sent.stage == Stage::Sent) {
            let before = Some(self.clock.face(self.now));
            match sent.directive.act.clone() {
                Act::Stop => drop(self.clock.stop(self.now)),
                Act::Set { hands, turn, run, white_place, .. } => {
                    drop(self.clock.set(self.now, hands, turn, white_place, run));
                }
                Act::Conclude(_) => drop(self.clock.conclude(self.now)),
                Act::Prepare { .. } | Act::Add(..) | Act::Show | Act::Run => {}
            }
            self.device(DeviceAct::Report(Report { rev, stage: Stage::Applied, reason: None, before }));
        }
    }

    fn left(&self, colour: Colour) -> Millis {
        self.clock.face(self.now).hand(colour).left.expect("known")
    }
}

proptest! {
    #[test]
    fn erring_and_being_put_right_costs_the_penalty_and_nothing_else(
        edition in prop::sample::select(vec!["fide-2017", "rf-2017", "fide-2018", "fide-2023"]),
        control in prop::sample::select(&CONTROLS[..]),
        plies in prop::collection::vec((0..40_000u64, 0..50usize), 1..16),
        until_the_stop in 1_000..4_000u64,
    ) {
        let edition = laws::edition(edition).expect("known");
        let control: Control = control.parse().expect("a control");
        let (&(think, choice), before) = plies.split_last().expect("at least one");
        let [mut erred, mut never] = [0, 1].map(|_| Board::new(edition, &control));
        for board in [&mut erred, &mut never] {
            before.iter().for_each(|&(think, choice)| board.play(think, choice));
        }
        prop_assume!(erred.game.ended.is_none());
        let offender: Colour = erred.game.position.turn().into();
        let opponent = offender.other();

        // He presses without a move; it is found when the board has settled, and the clock stops a while after that.
        erred.now += think;
        let at_the_press = erred.left(offender);
        erred.press();
        let credited = erred.left(offender) - at_the_press;
        let opponent_had = erred.left(opponent);
        erred.now += until_the_stop;
        // A delay runs first.
        let ran = opponent_had - erred.left(opponent);
        erred.device(DeviceAct::Quiet(0));
        erred.obey();
        if let Some(open) = erred.game.open_case() {
            let case = open.finding.case;
            erred.desk(DeskAct::Decide { case, choice: "penalty".into(), note: String::new() });
            erred.obey();
        }
        let ruling = erred.game.cases[0].ruling.clone().expect("ruled");
        let bonus = edition.penalties.of(Play::Standard).bonus;
        let hands = ruling.remedy.hands.expect("both");
        let moved = |colour: Colour| hands[colour.index()].left.zip(ruling.before.hand(colour).left).map(|(a, b)| a - b);
        prop_assert_eq!([moved(offender), moved(opponent)], [Some(-credited), Some(bonus)]);

        erred.clock.resume(erred.now).expect("paused");
        erred.device(DeviceAct::Resumed);
        erred.play(0, choice);
        never.play(think, choice);
        prop_assert_eq!(erred.left(offender), never.left(offender));
        prop_assert_eq!(erred.left(opponent), never.left(opponent) + bonus - ran);
        let of = |board: &Board| board.clock.face(board.now).hands.map(|hand| (hand.moves, hand.period));
        prop_assert_eq!(of(&erred), of(&never));
        let score = |board: &Board| board.game.plies.iter().map(|ply| ply.uci).collect::<Vec<_>>();
        prop_assert_eq!(score(&erred), score(&never));
    }

    /// Without an irregularity the rules touch no time at all: what both have is what they were given less what ran.
    #[test]
    fn no_time_appears_or_vanishes_in_legal_play(
        control in prop::sample::select(&CONTROLS[..]),
        plies in prop::collection::vec((0..40_000u64, 0..50usize), 1..24),
    ) {
        let control: Control = control.parse().expect("a control");
        let mut board = Board::new(laws::edition("fide-2023").expect("known"), &control);
        for &(think, choice) in &plies {
            board.play(think, choice);
        }
        let times = board.game.directives.iter().filter(|sent| matches!(sent.directive.act, Act::Set { .. } | Act::Add(..)));
        prop_assert_eq!(times.count(), 0);
        prop_assert!(board.game.cases.is_empty());
        // Every ply on record says what its press credited, and the reading before it.
        for ply in &board.game.plies {
            let left = ply.left[ply.by.index()];
            prop_assert_eq!(ply.before_credit.zip(ply.credit).map(|(before, credit)| before + credit), left);
        }
    }
}
