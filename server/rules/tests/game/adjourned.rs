//! An adjournment at a table with a clock and a board: what the procedure asks for reaches the clock, and nothing else does.

use flagfall_rules::{
    adjourn::{self, Deed, Phase, Resumption, Seal, Session, Situation},
    clock::{Colour, Going, Hand},
    game::{Act, Alarm, Claim, DeskAct, DeviceAct, Ending, Facts, Game, Outcome, Refusal, Terms, Words},
};

use crate::table::Table;

const M: i64 = 60_000;
const H: i64 = 60 * M;
/// The session ends at four and goes on the next day at ten.
const END: i64 = 16 * H;
const NEXT: i64 = 34 * H;

impl Table {
    pub(crate) fn deed(&mut self, deed: Deed) -> Result<(), Refusal> {
        self.wall += 1_000;
        self.desk(DeskAct::Adjourn { deed: Box::new(deed), nonce: Vec::new() })
    }

    pub(crate) fn does(&mut self, deed: Deed) {
        let said = format!("{deed:?}");
        self.deed(deed).unwrap_or_else(|refusal| panic!("{said}: {refusal}"));
    }

    fn refused(&mut self, deed: Deed) -> &'static str {
        self.deed(deed).expect_err("refused").code()
    }

    pub(crate) fn phase(&self) -> Phase {
        self.game.phase().expect("an adjournment")
    }

    /// Everything up to the clock's stop: White, who has 42 minutes left by then, seals.
    pub(crate) fn adjourned(edition: &str, control: &str, moves: &str) -> Table {
        let mut t = Table::started(edition, control, None);
        t.play(moves);
        t.adjourn(unstated());
        t
    }

    /// The same after two presses on a clock without a board, the position written down by the arbiter.
    pub(crate) fn adjourned_blind(edition: &str, control: &str, position: &str) -> Table {
        let mut t = Table::open(edition, control, None);
        t.report(1);
        t.start();
        t.press(None);
        t.press(None);
        t.adjourn(Box::new(Situation { position: position.into(), ..*unstated() }));
        t
    }

    fn adjourn(&mut self, situation: Box<Situation>) {
        let t = self;
        t.wall = END;
        t.does(Deed::Announce(Session { start: END - 4 * H, end: Some(END) }));
        t.does(Deed::EndSession(situation));
        t.does(Deed::Write(Seal { commitment: [1; 32], ciphertext: vec![2; 9] }));
        Colour::BOTH.into_iter().for_each(|of| t.does(Deed::SheetIn { of, paper: true }));
        t.does(Deed::CloseEnvelope);
        assert_eq!(t.refused(Deed::StopClock { hands: unknown(), opponent_runs: false }), "CLOCK_RUNS");
        t.face.hands[t.face.turn.index()].left = Some(42 * M);
        t.face.going = Going::Paused;
        t.device(DeviceAct::Paused);
        t.does(Deed::StopClock { hands: unknown(), opponent_runs: false });
        t.obey();
        t.does(Deed::HandOver("the chief arbiter".into()));
    }

    /// Set up the next day, with both players there when it begins.
    pub(crate) fn begun(&mut self, here: [bool; 2]) {
        let session = Session { start: NEXT, end: Some(NEXT + 4 * H) };
        let (date, time, venue) = ("2 May".into(), "10:00".into(), "the club".into());
        self.does(Deed::Appoint(Resumption { date, time, venue, session }));
        self.does(Deed::Check(None));
        self.does(Deed::SetUp { times: None });
        self.obey();
        for (player, here) in Colour::BOTH.into_iter().zip(here) {
            if here {
                self.does(Deed::Presence { player, here });
            }
        }
        self.wall = NEXT;
        self.does(Deed::Begin);
        self.obey();
    }

    fn last_act(&self) -> Act {
        self.game.directives.last().expect("a directive").directive.act.clone()
    }
}

fn unknown() -> [Hand; 2] {
    [Hand::fresh(None); 2]
}

/// What the arbiter need not type: the position, the clocks, the time given.
fn unstated() -> Box<Situation> {
    let names = [Some("Player-One".into()), Some("Player-Two".into())];
    Box::new(Situation { names, position: String::new(), hands: unknown(), allotted: [None; 2], draw_offer: None })
}

#[test]
fn the_envelope_says_what_the_game_knows() {
    let t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    let envelope = t.game.adjournment.as_ref().and_then(|a| a.envelope.clone()).expect("an envelope");
    assert_eq!(envelope.position, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    assert_eq!((envelope.sealer, envelope.move_number), (Colour::White, 2));
    assert_eq!(envelope.hands.map(|hand| hand.left), [Some(42 * M), Some(60 * M + 30_000)]);
    // An hour and two increments were given; the table's presses credited none of them.
    assert_eq!(envelope.used, [Some(19 * M), Some(30_000)]);
    assert_eq!((t.phase(), t.game.is_adjourned()), (Phase::Adjourned, true));
}

#[test]
fn an_adjourned_game_only_records_what_its_clock_says() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    let before = t.game.clone();
    t.face.going = Going::Running;
    t.device(DeviceAct::Resumed);
    t.carry("g1", "f3");
    t.press(Some(41 * M));
    t.quiet();
    t.flag(Colour::Black);
    let heard = t.game.clone();
    let as_before = |game: Game| Game {
        face: before.face,
        face_before: before.face_before,
        at: before.at,
        at_before: before.at_before,
        ran_at: before.ran_at,
        seq: before.seq,
        turned: before.turned,
        believed: before.believed,
        ..game
    };
    // Somebody has started it: the desk is told, and the record is that of the envelope.
    let [.., (Alarm::Device, said)] = &heard.alarms[..] else { panic!("an alarm") };
    assert!(said.starts_with("the clock of an adjourned game was started by hand"), "{said}");
    assert_eq!(heard.alarms.len(), before.alarms.len() + 1);
    assert_eq!(heard.recorded().hands.map(|hand| hand.left), [Some(42 * M), Some(60 * M + 30_000)]);
    assert_eq!((heard.recorded().going, heard.face.hands[0].left), (Going::Paused, Some(41 * M)));
    assert_eq!(as_before(heard), Game { alarms: t.game.alarms.clone(), ..before });
}

#[test]
fn the_sealed_move_is_made_and_the_recorded_times_run_on() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.begun([true, true]);
    assert_eq!((t.phase(), t.face.going), (Phase::Opening, Going::Paused));
    t.does(Deed::Opened("Кf3".into()));
    assert_eq!((t.moves().as_str(), t.phase()), ("e2e4 e7e5 g1f3", Phase::Resumed));
    t.obey();
    assert_eq!((t.face.going, t.face.turn), (Going::Running, Colour::Black));
    assert_eq!(t.clocks(), [Some(42 * M), Some(60 * M + 30_000)]);
    assert_eq!(t.counters(), [2, 1]);
    // The board shows the sealed move by now, and play goes on as ever.
    t.play("b8c6");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 g1f3 b8c6", 0));
    let moved = t.game.adjournment.as_ref().map(|adjournment| adjournment.moved);
    assert_eq!(moved, Some([false, true]), "Black has made his first move, White has not");
}

#[test]
fn a_player_who_pressed_instead_of_stopping_has_counted_his_move() {
    let mut t = Table::started("rf-2011", "3600", None);
    t.play("e2e4 e7e5");
    t.wall = END;
    t.does(Deed::Announce(Session { start: 0, end: Some(END) }));
    t.does(Deed::EndSession(unstated()));
    t.does(Deed::Write(Seal { commitment: [1; 32], ciphertext: vec![2] }));
    Colour::BOTH.into_iter().for_each(|of| t.does(Deed::SheetIn { of, paper: true }));
    t.does(Deed::CloseEnvelope);
    t.press(Some(40 * M));
    t.quiet();
    assert_eq!(t.found().len(), 0, "a press while sealing is no press without a move");
    t.face.going = Going::Paused;
    t.device(DeviceAct::Paused);
    t.does(Deed::StopClock { hands: unknown(), opponent_runs: false });
    t.begun([true, true]);
    t.does(Deed::Opened("Nf3".into()));
    t.obey();
    assert_eq!((t.counters(), t.face.turn, t.face.going), ([2, 1], Colour::Black, Going::Running));
}

#[test]
fn a_sealed_move_that_completes_a_period_brings_its_time() {
    let mut t = Table::adjourned("rf-2011", "2/3600:1800", "e2e4 e7e5");
    t.begun([true, true]);
    t.does(Deed::Opened("g1f3".into()));
    t.obey();
    assert_eq!(t.clocks(), [Some((42 + 30) * M), Some(60 * M)]);
    assert_eq!((t.counters(), t.face.hands[0].period), ([2, 1], 1));
}

#[test]
fn a_sealed_move_is_counted_on_from_counters_that_were_put_right() {
    // By the sheets both have made 39 moves, of which the clock knew one each.
    let mut t = Table::started("rf-2011", "40/3600:1800", None);
    t.play("e2e4 e7e5");
    let hands = t.face.hands.map(|hand| Hand { moves: 39, ..hand });
    let (turn, white_place) = (t.face.turn, t.face.white_place);
    let act = Act::Set { hands, turn, run: true, white_place, position: None };
    t.desk(DeskAct::Direct(act, Default::default(), Default::default())).expect("issued");
    t.obey();
    t.adjourn(unstated());
    t.begun([true, true]);
    t.does(Deed::Opened("g1f3".into()));
    t.obey();
    assert_eq!(t.clocks(), [Some((42 + 30) * M), Some(60 * M)]);
    assert_eq!((t.counters(), t.face.hands[0].period), ([40, 39], 1));
}

#[test]
fn a_sealed_mate_ends_the_game_by_the_procedures_article() {
    let mut t = Table::started("rf-2011", "3600", Some("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 40"));
    t.wall = END;
    t.does(Deed::Announce(Session { start: 0, end: Some(END) }));
    t.does(Deed::EndSession(unstated()));
    t.does(Deed::Write(Seal { commitment: [1; 32], ciphertext: vec![2] }));
    Colour::BOTH.into_iter().for_each(|of| t.does(Deed::SheetIn { of, paper: true }));
    t.does(Deed::CloseEnvelope);
    t.face.going = Going::Paused;
    t.device(DeviceAct::Paused);
    t.does(Deed::StopClock { hands: unknown(), opponent_runs: false });
    t.begun([true, true]);
    t.does(Deed::Opened("Re8".into()));
    assert_eq!((t.moves().as_str(), t.result().as_str()), ("e1e8", "1-0 5.1а?"));
    assert_eq!(t.last_act(), Act::Conclude(Outcome::WhiteWins));
}

#[test]
fn what_a_player_says_to_the_arbiter_ends_the_game_while_its_move_is_being_sealed() {
    let sealing = || {
        let mut t = Table::started("fide-2018", "3600", None);
        t.play("e2e4 e7e5");
        t.wall = END;
        t.does(Deed::Announce(Session { start: 0, end: Some(END) }));
        t.does(Deed::EndSession(unstated()));
        t
    };
    let says = |by, claim| DeskAct::Claim { by, claim, note: String::new(), facts: Facts::default() };
    let mut t = sealing();
    t.device(DeviceAct::Claim(Colour::Black, Claim::Resignation));
    assert_eq!(t.game.alarms.last().map(|(alarm, _)| *alarm), Some(Alarm::Claim), "the button calls the arbiter");
    t.desk(says(Colour::Black, Claim::Resignation)).expect("5.1.2: at once");
    assert_eq!(t.result(), "1-0 5.1.2");
    assert_eq!(t.last_act(), Act::Conclude(Outcome::WhiteWins), "the sealer's clock runs no more");
    t.flag(Colour::White);
    assert_eq!(t.result(), "1-0 5.1.2");
    let mut t = sealing();
    t.desk(says(Colour::White, Claim::Agreement)).expect("5.2.3: at once");
    assert_eq!(t.result(), "1/2-1/2 5.2.3");
    let mut t = sealing();
    t.does(Deed::Resign(Colour::White));
    assert_eq!(t.result(), "0-1 5.1.2");
    let mut t = sealing();
    let refused = t.desk(says(Colour::White, Claim::Flag)).map_err(|refusal| refusal.code());
    assert_eq!(refused, Err("ADJOURNED"));
}

#[test]
fn an_illegal_sealed_move_loses() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.begun([true, true]);
    t.does(Deed::Opened("Nf4".into()));
    assert_eq!(t.game.ended, Some((Outcome::BlackWins, Ending::Adjournment, "A8".into())));
    assert_eq!(t.refused(Deed::AgreeDraw), "GAME_OVER");
}

#[test]
fn both_too_late_can_both_lose() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.begun([false, false]);
    t.wall = NEXT + H + M;
    t.does(Deed::LookForLate);
    let keys = t.game.adjournment.as_ref().and_then(|a| a.proposal.clone()).expect("a question").ways;
    assert_eq!(keys[0].key, "both_lose");
    assert_eq!(t.refused(Deed::Choose("nobody".into())), "NO_SUCH_CHOICE");
    t.does(Deed::Choose("both_lose".into()));
    assert_eq!((t.result().as_str(), t.last_act()), ("0-0 A10", Act::Conclude(Outcome::BothLose)));
}

#[test]
fn what_was_asked_lapses_with_the_game() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.begun([false, false]);
    t.wall = NEXT + H + M;
    t.does(Deed::LookForLate);
    let asked = |t: &Table| t.game.adjournment.as_ref().is_some_and(|adjournment| adjournment.proposal.is_some());
    assert!(asked(&t));
    t.desk(DeskAct::Direct(Act::Conclude(Outcome::Draw), Words::default(), Terms::default())).expect("by hand");
    assert!(!asked(&t), "nobody waits for it any more");
}

#[test]
fn the_event_says_how_late_one_may_come() {
    let mut t = Table::adjourned("fide-2018", "3600+30", "e2e4 e7e5");
    t.overlay(|overlay| overlay.default_time = Some(30 * M));
    t.begun([true, false]);
    t.wall = NEXT + 29 * M;
    t.does(Deed::LookForLate);
    assert!(t.game.ended.is_none());
    assert_eq!(t.phase(), Phase::Waiting);
    t.wall = NEXT + 31 * M;
    t.does(Deed::LookForLate);
    // The sealed move could still mate: by I.10 it is looked at first.
    assert_eq!(t.phase(), Phase::Judging);
    t.does(Deed::Opened("Nf3".into()));
    assert_eq!((t.result().as_str(), t.game.ended.as_ref().map(|e| e.1)), ("1-0 I.10?", Some(Ending::Adjournment)));
}

#[test]
fn a_lost_position_is_annulled_and_a_new_game_played() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.does(Deed::EnvelopeLost { position_known: false });
    t.obey();
    assert_eq!((t.game.plies.len(), t.game.annulled.len(), t.game.strikes), (0, 2, [0; 2]));
    assert_eq!((t.clocks(), t.face.going), ([Some(60 * M + 30_000); 2], Going::Paused));
    assert_eq!(t.game.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    t.resume();
    t.play("d2d4 d7d5");
    assert_eq!((t.moves().as_str(), t.found().len()), ("d2d4 d7d5", 0));
    t.does(Deed::Announce(Session { start: 0, end: Some(END) }));
    assert_eq!(t.phase(), Phase::Playing, "the new game can be adjourned in its turn");
}

#[test]
fn a_clock_is_turned_round_from_where_it_stops() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.begun([false, true]);
    t.does(Deed::Opened("Nf3".into()));
    t.obey();
    assert_eq!((t.phase(), t.face.going, t.face.turn), (Phase::Open, Going::Running, Colour::Black));
    let reply = Seal { commitment: [3; 32], ciphertext: vec![4] };
    t.think(7 * M);
    t.does(Deed::SealReply { seal: reply, to: "the arbiter".into() });
    // Black's clock has run meanwhile, and nobody knows how long before it is stopped.
    assert!(matches!((t.last_act(), t.game.waits), (Act::Stop, Some((_, Colour::White, false)))));
    t.obey();
    assert_eq!((t.face.going, t.face.turn), (Going::Running, Colour::White));
    assert_eq!(t.clocks(), [Some(42 * M), Some(53 * M + 30_000)]);
    // The sealer comes, and the reply is made while his clock runs on.
    t.does(Deed::Presence { player: Colour::White, here: true });
    t.does(Deed::ReplyOpened("Nc6".into()));
    assert_eq!((t.moves().as_str(), t.last_act()), ("e2e4 e7e5 g1f3 b8c6", Act::Run));
}

#[test]
fn a_reply_on_the_board_is_noted_without_the_arbiter() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.begun([false, true]);
    t.does(Deed::Opened("Nf3".into()));
    t.obey();
    t.play("b8c6");
    let adjournment = t.game.adjournment.clone().expect("an adjournment");
    assert_eq!((adjournment.phase, adjournment.moved), (Phase::Resumed, [false, true]));
    assert_eq!(adjournment.reply.map(|uci| uci.to_string()).as_deref(), Some("b8c6"));
}

#[test]
fn a_resumed_game_can_be_adjourned_again() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.begun([true, true]);
    t.does(Deed::Opened("Nf3".into()));
    t.obey();
    assert_eq!(t.refused(Deed::EndSession(unstated())), "TOO_EARLY", "the resumption's session goes on");
    t.wall = NEXT + 4 * H;
    t.does(Deed::EndSession(unstated()));
    assert_eq!(t.phase(), Phase::Sealing);
    let sealer = t.game.adjournment.as_ref().and_then(|adjournment| adjournment.sealer);
    assert_eq!(sealer, Some(Colour::Black));
}

/// A1: the player who has the move seals, and the clock knows who that is.
#[test]
fn a_position_in_which_the_other_player_is_to_move_is_no_slip_to_seal_by() {
    let mut t = Table::open("rf-2011", "3600", None);
    t.report(1);
    t.start();
    t.press(None);
    let after = |to_move: char| {
        let position = format!("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR {to_move} KQkq - 0 1");
        Box::new(Situation { position, ..*unstated() })
    };
    t.does(Deed::Announce(Session { start: 0, end: Some(1) }));
    assert_eq!(t.deed(Deed::EndSession(after('w'))), Err(Refusal::OtherToMove(Colour::Black)));
    t.does(Deed::EndSession(after('b')));
    assert_eq!(t.phase(), Phase::Sealing);
}

#[test]
fn what_is_not_known_is_asked_for() {
    let mut t = Table::started("rf-2011", "3600", None);
    let session = Session { start: 0, end: Some(1) };
    t.does(Deed::Announce(session));
    t.carry("e2", "e5");
    t.press(None);
    t.quiet();
    assert_eq!(t.refused(Deed::EndSession(unstated())), "CASE_OPEN");
    let refusal = t.deed(Deed::Begin).expect_err("not adjourned");
    assert_eq!(refusal, Refusal::Adjournment(adjourn::Refusal::Phase(Phase::Playing)));
    assert!(refusal.to_string().starts_with("this cannot be done now: the game is being played"));
}
