//! A board that nobody reads says nothing: what is pressed meanwhile is kept and judged by nobody, and the board tells it once it is read
//! again, or the desk is asked.

use flagfall_rules::{
    adjourn::{Deed, Situation},
    board::infer,
    clock::{Colour, Going, Place},
    game::{
        Act, Alarm, Claim, DeskAct, DeviceAct, Facts, Fault, Input, Irregularity, Notice, Refusal, RejectReason,
        Report, ServiceAct, Stage,
    },
    laws::Play,
    time::Moment,
};

use proptest::{collection::vec, prelude::*};
use shakmaty::Position;

use crate::table::{BOOT, Table, square};

const M: i64 = 60_000;
const S: i64 = 1_000;

/// 1.e4 e5, and then the board is gone.
fn dark(fault: Fault) -> Table {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    t.quiet();
    t.fault(fault);
    t
}

fn alarmed(t: &Table, kind: Alarm) -> usize {
    t.game.alarms.iter().filter(|(alarm, _)| *alarm == kind).count()
}

impl Table {
    fn fault(&mut self, fault: Fault) {
        self.now += 100;
        self.device(DeviceAct::Fault(fault, String::new()));
    }

    /// A man is moved, and nobody sees it.
    fn hand(&mut self, m: &str) {
        let man = self.board.at(square(&m[..2]));
        self.board.put(square(&m[..2]), None);
        self.board.put(square(&m[2..]), man);
    }

    /// Moves are made and pressed, and nobody sees them.
    fn unseen(&mut self, moves: &str) {
        for m in moves.split_whitespace() {
            self.hand(m);
            self.now += 5_000;
            self.press(None);
        }
    }

    /// A person at the desk reports this of a ply.
    fn report_of(&mut self, kind: Irregularity, by: Colour, ply: Option<u32>) {
        let (note, facts) = (String::new(), Facts::default());
        self.desk(DeskAct::Irregularity { kind, by, ply, note, facts }).expect("admitted");
    }

    fn set_position(&mut self, position: &str) {
        let (hands, turn, white_place) = (self.face.hands, self.face.turn, Place::Left);
        let set = Act::Set { hands, turn, run: true, white_place, position: Some(position.into()) };
        self.desk(DeskAct::Direct(set, Default::default(), Default::default())).expect("issued");
        self.obey();
    }
}

/// Nobody is accused, and the clock was told nothing but to take on the game.
fn nobody_is_accused(t: &Table) {
    assert_eq!((t.found(), t.game.strikes, t.result().as_str()), (vec![], [0, 0], "*"));
    assert_eq!(t.game.directives.len(), 1);
}

#[test]
fn presses_while_the_board_is_gone_are_no_presses_without_a_move() {
    for fault in [Fault::BoardLost, Fault::Garbled] {
        let mut t = dark(fault);
        t.press(None);
        // A clock that goes on to say so has read nothing.
        t.quiet();
        t.think(5 * S);
        t.press(None);
        t.device(DeviceAct::Paused);
        t.quiet();
        nobody_is_accused(&t);
        assert_eq!(t.moves(), "e2e4 e7e5 ---- ----");
        assert_eq!((t.game.completed(Colour::White), t.game.completed(Colour::Black)), (2, 2));
        assert_eq!((t.game.blind(), t.game.known_fen()), (true, None));
        assert_eq!(alarmed(&t, Alarm::Lost), 0);
        // What is wrong with the device, and once what that means for the game.
        assert_eq!(alarmed(&t, Alarm::Device), 2);
    }
}

#[test]
fn a_clock_that_booted_anew_has_not_seen_the_board() {
    let mut t = dark(Fault::BoardBack);
    t.boot();
    t.fault(Fault::PowerLost);
    t.device(DeviceAct::Resumed);
    t.press(None);
    t.think(5 * S);
    t.press(None);
    nobody_is_accused(&t);
    assert_eq!(t.moves(), "e2e4 e7e5 ---- ----");
    assert_eq!(alarmed(&t, Alarm::Device), 3, "the board answered, the power was lost, moves are made unseen");
}

#[test]
fn what_a_clock_of_another_boot_shows_while_nothing_happens_on_it_is_no_look_at_the_board() {
    let mut t = dark(Fault::ClockBack);
    t.boot();
    let at = Moment { boot: BOOT + 1, ms: 500 };
    let mut face = t.face;
    face.hands[0].left = Some(90 * M);
    t.feed(Input::Service(ServiceAct::Noticed(Notice::Shows { at, face }))).expect("never refused");
    t.press(None);
    t.quiet();
    nobody_is_accused(&t);
    assert_eq!(t.moves(), "e2e4 e7e5 ----");
}

#[test]
fn a_press_that_waited_for_the_board_when_it_went_waits_no_more() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    t.press(None);
    assert_eq!(t.game.held.len(), 1, "the board has not changed yet");
    t.now += 3 * S as u64;
    t.fault(Fault::BoardLost);
    t.think(5 * S);
    t.press(None);
    nobody_is_accused(&t);
    assert_eq!(t.moves(), "e2e4 e7e5 ---- ----");
}

#[test]
fn the_board_tells_what_was_played_while_it_was_gone() {
    let mut t = dark(Fault::BoardLost);
    t.unseen("g1f3 b8c6");
    t.fault(Fault::BoardBack);
    t.show();
    assert_eq!(t.moves(), "e2e4 e7e5 g1f3 b8c6");
    nobody_is_accused(&t);
    let ply = t.game.plies[2];
    assert!(t.game.position_is_known() && ply.completed && ply.left == [Some(90 * M + 30 * S); 2], "{ply:?}");
    t.play("f1b5 a7a6");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6", 0));
    // From here on the board is read: what is done wrong is found.
    t.quiet();
    t.press(None);
    t.quiet();
    assert_eq!(t.found(), ["press_without_move 7.5.3 ply 7 white fixed"]);
}

#[test]
fn the_dump_may_come_before_the_word_that_the_board_is_back_and_show_the_next_move() {
    let mut t = dark(Fault::Garbled);
    t.unseen("g1f3");
    t.hand("b8c6");
    t.show();
    t.fault(Fault::BoardBack);
    t.quiet();
    assert_eq!(t.moves(), "e2e4 e7e5 g1f3", "Black has not pressed");
    t.press(None);
    assert_eq!(t.moves(), "e2e4 e7e5 g1f3 b8c6");
    nobody_is_accused(&t);
    assert_eq!(alarmed(&t, Alarm::Lost), 0);
}

#[test]
fn three_moves_that_only_one_order_explains_are_told_and_of_two_orders_the_position_is() {
    let mut t = dark(Fault::BoardLost);
    t.unseen("d2d3 b8c6 c1g5");
    t.show();
    assert_eq!(t.moves(), "e2e4 e7e5 d2d3 b8c6 c1g5");
    let mut t = dark(Fault::BoardLost);
    t.unseen("g1f3 b8c6 f1c4");
    t.show();
    // 2.Nf3 Nc6 3.Bc4 and 2.Bc4 Nc6 3.Nf3: one position.
    assert_eq!(t.moves(), "e2e4 e7e5 ---- ---- ----");
    let stands = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
    assert_eq!((t.game.known_fen().as_deref(), t.game.position_is_known()), (Some(stands), true));
    t.play("g8f6");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 ---- ---- ---- g8f6", 0));
    // Who reports the fourth ply is not told what nobody saw.
    t.report_of(Irregularity::IllegalMove, Colour::Black, Some(4));
    t.obey();
    let ways = &t.game.cases[0].proposal.as_ref().expect("discretion").remedies;
    assert!(ways.iter().all(|way| way.position.is_none()), "{ways:?}");
}

#[test]
fn a_gap_that_the_board_does_not_tell_is_for_the_desk_once() {
    let mut t = dark(Fault::BoardLost);
    // Two presses, and one move on the board: nobody knows who pressed for what.
    t.unseen("g1f3");
    t.press(None);
    t.show();
    t.quiet();
    t.press(None);
    t.quiet();
    t.quiet();
    assert_eq!((t.found().len(), alarmed(&t, Alarm::Lost)), (0, 1));
    assert_eq!((t.game.known_fen(), t.game.known()), (None, 5));
    // The arbiter says what stands there, and the game is followed from it.
    t.set_position("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 3");
    assert!(!t.game.blind() && t.game.position_is_known());
    t.play("b8c6");
    assert_eq!(t.moves(), "e2e4 e7e5 ---- ---- ---- b8c6");
    t.carry("e1", "e3");
    t.press(None);
    t.quiet();
    assert_eq!(t.found(), ["illegal_move 7.5.1 ply 7 white fixed"]);
}

#[test]
fn a_press_without_a_move_in_the_dark_is_not_punished_when_the_board_is_back() {
    let mut t = dark(Fault::BoardLost);
    t.press(None);
    t.show();
    t.quiet();
    nobody_is_accused(&t);
    assert_eq!((t.game.known_fen(), alarmed(&t, Alarm::Lost)), (None, 1));
}

#[test]
fn mate_that_nobody_saw_ends_the_game_when_the_board_is_read() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("f2f3 e7e5");
    t.fault(Fault::BoardLost);
    t.unseen("g2g4 d8h4");
    assert_eq!(t.result(), "*");
    t.show();
    assert_eq!(t.result(), "0-1 5.1.1");
}

#[test]
fn a_flag_while_nobody_reads_the_board_is_for_the_arbiter() {
    // By the score Black has a bare king, and White's flag would give a draw; the board may have shown anything since.
    let mut t = Table::started("fide-2018", "300", Some("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"));
    t.fault(Fault::BoardLost);
    t.flag(Colour::White);
    assert_eq!(t.found(), ["flag_in_doubt 6.9 ply 1 white discretion"]);
    t.obey();
    assert_eq!((t.ways(), t.result().as_str()), (vec!["lost", "drawn"], "*"));
}

#[test]
fn a_report_of_what_was_done_in_the_dark_is_ruled_by_what_is_known() {
    let mut t = dark(Fault::BoardLost);
    t.press(None);
    // The arbiter saw it: the record has nothing against that, and knows where the game stood before.
    t.report_of(Irregularity::PressWithoutMove, Colour::White, None);
    t.obey();
    assert_eq!(t.found(), ["press_without_move 7.5.3 ply 3 white fixed"]);
    let ruling = t.game.cases[0].ruling.as_ref().expect("ruled");
    let stood = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!((ruling.remedy.position.as_deref(), ruling.remedy.strikes), (Some(stood), [1, 0]));
    assert_eq!((t.moves().as_str(), t.game.blind()), ("e2e4 e7e5", false), "it is annulled");
    assert_eq!(t.clocks(), [Some(90 * M), Some(92 * M + 30 * S)]);
}

#[test]
fn a_claim_goes_by_no_score_with_a_gap() {
    let mut t = dark(Fault::BoardLost);
    t.unseen("g1f3 g8f6");
    t.unseen("f3g1 f6g8");
    t.press(None);
    t.press(None);
    t.set_position("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 5");
    t.board = infer::scan(&t.game.position);
    t.show();
    t.play("g1f3 g8f6");
    t.desk(DeskAct::Claim { by: Colour::White, claim: Claim::Draw, note: String::new(), facts: Facts::default() })
        .expect("admitted");
    t.obey();
    // It stood there once that anybody saw; how often before, the score sheets must tell.
    assert_eq!(t.ways(), ["repetition", "wrong_claim"]);
}

#[test]
fn a_case_that_was_open_when_the_board_went_is_decided_by_what_was_seen() {
    let open = || {
        let mut t = Table::started("fide-2018", "5400+30", None);
        t.play("e2e4 e7e5");
        t.overlay(|overlay| overlay.confirms = true);
        t.press(None);
        t.quiet();
        assert_eq!(t.found(), ["press_without_move 7.5.3 ply 3 white fixed"]);
        t.fault(Fault::BoardLost);
        t.obey();
        t
    };
    let mut t = open();
    t.choose("penalty");
    t.obey();
    assert_eq!((t.moves().as_str(), t.game.strikes, t.clocks()[1]), ("e2e4 e7e5", [1, 0], Some(92 * M + 30 * S)));
    // Not upheld: the press stands with the board on which it was found.
    let mut t = open();
    t.choose("dismiss");
    t.obey();
    assert_eq!((t.moves().as_str(), t.game.strikes), ("e2e4 e7e5 0000", [0, 0]));
    t.face.going = Going::Running;
    t.device(DeviceAct::Resumed);
    t.press(None);
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 0000 ----", 1));
}

#[test]
fn presses_while_a_case_is_open_and_nobody_reads_the_board_accuse_nobody() {
    let mut t = dark(Fault::BoardLost);
    t.report_of(Irregularity::Conduct, Colour::Black, None);
    t.press(None);
    t.press(None);
    t.quiet();
    t.obey();
    let ways: Vec<String> = t.ways().into_iter().map(Into::into).collect();
    t.choose(ways.last().expect("a way"));
    t.obey();
    assert_eq!((t.kinds(), t.game.strikes), (vec![Irregularity::Conduct], [0, 0]));
}

#[test]
fn play_that_had_gone_on_by_no_legal_move_is_not_judged_unseen_either() {
    // White is in check and leaves his king there; nobody steps in, and the board goes.
    let mut t = Table::playing("fide-2018", Play::Rapid, "900+10", Some("4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1"));
    t.carry("a1", "a2");
    t.press(None);
    t.quiet();
    assert!(t.game.adrift().is_some());
    assert_eq!(t.found(), ["illegal_move 7.5.1 ply 1 white fixed"]);
    t.press(None);
    t.fault(Fault::BoardLost);
    t.press(None);
    t.quiet();
    assert_eq!((t.found().len(), t.moves().as_str(), t.game.known_fen()), (1, "a1a2 ---- ----", None));
    // The king could be taken when the board was last seen: from there no board tells a move.
    t.show();
    t.quiet();
    assert_eq!((t.found().len(), alarmed(&t, Alarm::Lost)), (1, 1));
}

#[test]
fn a_position_that_nobody_saw_is_not_sealed() {
    let mut t = dark(Fault::BoardLost);
    t.unseen("g1f3 b8c6");
    let situation = Situation {
        names: [None, None],
        position: String::new(),
        hands: t.face.hands,
        allotted: [None; 2],
        draw_offer: None,
    };
    let deed = Deed::EndSession(Box::new(situation));
    let act = DeskAct::Adjourn { deed: Box::new(deed), nonce: Vec::new() };
    assert_eq!(t.desk(act).expect_err("unknown"), Refusal::PositionUnknown);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever hands, board and clock do: what is found while nobody reads the board is found by nobody's eyes but a person's.
    #[test]
    fn nothing_is_found_while_nobody_reads_the_board(rapid in any::<bool>(), steps in vec((0u8..12, 0u8..64, 0u8..64), 1..50)) {
        let play = if rapid { Play::Rapid } else { Play::Standard };
        let mut t = Table::playing("fide-2018", play, "5400+30", None);
        for (what, from, to) in steps {
            let (found, unread) = (t.found().len(), t.game.unread());
            match what {
                0 => t.fault(Fault::BoardLost),
                1 => t.fault(Fault::Garbled),
                2 => t.fault(Fault::BoardBack),
                3 => t.boot(),
                4 => t.show(),
                5 => t.quiet(),
                6 => t.obey(),
                7 => {
                    // A legal move, seen by nobody.
                    let legal = t.game.position.legal_moves();
                    if let Some(m) = legal.get(usize::from(from) % legal.len().max(1)) {
                        let mut next = t.game.position.clone();
                        next.play_unchecked(*m);
                        t.board = infer::scan(&next);
                    }
                }
                8 => {
                    let man = t.board.at(from);
                    t.board.put(from, None);
                    t.board.put(to, man);
                }
                _ => t.press(None),
            }
            let blind = unread && t.game.unread();
            prop_assert!(!blind || t.found().len() == found, "{:?}", t.found());
        }
    }
}

#[test]
fn what_a_refusal_says_is_words() {
    let mut t = dark(Fault::BoardLost);
    t.desk(DeskAct::Direct(Act::Stop, Default::default(), Default::default())).expect("issued");
    let report = Report { rev: 2, stage: Stage::Rejected, reason: Some(RejectReason::Display), before: None };
    t.device(DeviceAct::Report(report));
    let said = "the clock refused directive 2: the physical clock did not take it";
    assert_eq!(t.game.alarms.last().map(|(_, said)| said.as_str()), Some(said));
    assert_eq!(t.face.going, Going::Running);
}
