//! Rapid and blitz without adequate supervision: the arbiter alone is shown what was found, and the window shuts when the opponent
//! makes a move (A.4 or A.5, B.3 or B.4).

use flagfall_rules::{
    clock::Colour,
    game::{CasePhase, Claim, DeskAct, DeviceAct, Facts, Irregularity, Refusal},
    laws::Play,
};

use crate::table::Table;

const M: i64 = 60_000;
const S: i64 = 1_000;

/// A game in which White has just pressed after an impossible move of his rook, at 3:05 and 2:40 with ten seconds a move.
fn after_an_illegal_move(edition: &str, play: Play) -> Table {
    let mut t = Table::playing(edition, play, "900+10", None);
    t.play("e2e4 e7e5");
    t.set(3 * M + 5 * S, 2 * M + 40 * S);
    t.carry("a1", "b3");
    t.press(Some(3 * M + 15 * S));
    t.quiet();
    t
}

fn claim(by: Colour, claim: Claim) -> DeskAct {
    DeskAct::Claim { by, claim, note: String::new(), facts: Facts::default() }
}

fn decide(case: u32, choice: &str) -> DeskAct {
    DeskAct::Decide { case, choice: choice.into(), note: "seen".into() }
}

fn ruled(t: &Table, case: usize) -> Option<(&str, &str)> {
    let ruling = t.game.cases[case].ruling.as_ref()?;
    Some((ruling.remedy.key.as_str(), ruling.actor.as_str()))
}

#[test]
fn trap_10_what_sensors_see_stops_no_clock_and_tells_no_player() {
    let t = after_an_illegal_move("fide-2018", Play::Rapid);
    assert_eq!(t.found(), ["illegal_move 7.5.1 ply 3 white fixed"]);
    assert_eq!((t.game.cases[0].phase, t.ways()), (CasePhase::Shown, vec!["penalty", "stands"]));
    // The directives of the opening and of the times set by the test: nothing since.
    assert_eq!(t.game.directives.len(), 2);
    assert!(t.game.open_case().is_none(), "play goes on");
}

#[test]
fn the_opponents_claim_at_his_clock_stops_it_and_the_penalty_follows() {
    for (edition, bonus, article) in
        [("fide-2018", 2 * M, "A.4.2"), ("rf-2017", 2 * M, "13.4.2"), ("fide-2023", M, "A.5.2")]
    {
        let mut t = after_an_illegal_move(edition, Play::Rapid);
        t.device(DeviceAct::Claim(Colour::Black, Claim::IllegalMove));
        t.obey();
        assert_eq!(ruled(&t, 0), Some(("penalty", "black")), "{edition}");
        assert_eq!(t.game.cases[0].ruling.as_ref().map(|r| r.remedy.article.as_str()), Some(article));
        assert_eq!(t.clocks(), [Some(3 * M + 5 * S), Some(2 * M + 40 * S + bonus)], "{edition}");
        assert_eq!((t.moves().as_str(), t.game.strikes, t.counters()), ("e2e4 e7e5", [1, 0], [1, 1]));
    }
}

#[test]
fn trap_6_the_window_shuts_when_the_opponent_makes_a_move() {
    let mut t = after_an_illegal_move("fide-2018", Play::Rapid);
    t.carry("b8", "c6");
    t.press(None);
    assert_eq!(ruled(&t, 0), Some(("stands", "laws")));
    assert_eq!(t.moves(), "e2e4 e7e5 a1b3 b8c6");
    assert_eq!(t.desk(claim(Colour::Black, Claim::IllegalMove)), Err(Refusal::NothingToClaim));
    assert_eq!(t.desk(decide(1, "penalty")), Err(Refusal::AlreadyDecided(1, "laws".into())));
    assert_eq!(t.game.strikes, [0, 0]);
}

#[test]
fn made_is_not_pressed_so_a_claim_over_a_reply_on_the_board_is_for_the_arbiter() {
    let mut t = after_an_illegal_move("fide-2018", Play::Rapid);
    t.carry("b8", "c6");
    t.quiet();
    t.device(DeviceAct::Claim(Colour::Black, Claim::IllegalMove));
    assert_eq!((t.game.cases[0].phase, t.game.directives.len()), (CasePhase::Shown, 2), "nobody guesses");
    t.desk(decide(1, "stands")).expect("the reply was made");
    assert_eq!((ruled(&t, 0), t.game.directives.len()), (Some(("stands", "arbiter")), 2));
}

#[test]
fn in_a_game_that_is_annulled_nothing_is_left_to_claim() {
    let mut t = after_an_illegal_move("fide-2018", Play::Rapid);
    t.desk(DeskAct::Annul).expect("annulled");
    assert_eq!((t.game.cases[0].phase, ruled(&t, 0)), (CasePhase::Ruled, Some(("noted", "laws"))));
    assert_eq!(t.desk(claim(Colour::Black, Claim::IllegalMove)), Err(Refusal::NothingToClaim));
    assert_eq!(t.desk(decide(1, "penalty")), Err(Refusal::AlreadyDecided(1, "laws".into())));
}

#[test]
fn the_set_up_of_a_game_that_is_played_anew_is_looked_at_anew() {
    let mut t = Table::playing("fide-2018", Play::RapidSupervised, "900+10", None);
    t.play("e2e4 e7e5");
    t.desk(DeskAct::Annul).expect("annulled");
    t.obey();
    // Bishop and knight of White's king change places.
    t.fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKNBR");
    t.now += 2_000;
    t.start();
    t.quiet();
    assert_eq!(t.kinds(), [Irregularity::WrongStart]);
}

#[test]
fn a_pawn_that_the_record_does_not_tell_goes_back() {
    let mut t = Table::playing("fide-2018", Play::RapidSupervised, "900+10", Some("8/P3P3/8/7k/8/8/K7/8 w - - 0 50"));
    let left = |t: &mut Table| {
        let (kind, by) = (Irregularity::PawnLeft, Colour::White);
        t.desk(DeskAct::Irregularity { kind, by, ply: None, note: String::new(), facts: Facts::default() })
    };
    t.play("a2b2");
    left(&mut t).expect("reported");
    t.obey();
    let seen = t.game.cases[0].finding.evidence.seen.en.as_str();
    assert_eq!((t.ways(), seen), (vec!["penalty", "play_on"], "reported to the arbiter; the board saw Kb2"));
    let proposal = t.game.cases[0].proposal.as_ref().expect("the record speaks against it");
    assert_eq!(proposal.remedies[0].place, None);
    assert_eq!(proposal.remedies[0].words.en, "illegal move 1: +2:00 to Black; the pawn goes back");
    assert_eq!(t.moves(), "a2b2");
}

#[test]
fn trap_9_a_reply_that_is_legal_on_the_board_as_it_stands_is_no_offence() {
    // The rook came to b3 by no legal move; from there it could be taken.
    let mut t = Table::playing("fide-2018", Play::Blitz, "180+2", Some("4k3/8/8/8/p7/8/8/R3K3 w - - 0 1"));
    t.carry("a1", "b3");
    t.press(None);
    t.quiet();
    t.fen("4k3/8/8/8/8/1p6/8/4K3");
    t.press(None);
    t.quiet();
    assert_eq!((t.kinds(), ruled(&t, 0)), (vec![Irregularity::IllegalMove], Some(("stands", "laws"))));
    assert_eq!(t.moves(), "a1b3 a4b3");
}

#[test]
fn the_arbiters_acknowledgement_is_the_observation_where_he_may_act() {
    let mut t = after_an_illegal_move("fide-2018", Play::Rapid);
    t.desk(decide(1, "penalty")).expect("he saw it");
    assert_eq!(t.game.cases[0].phase, CasePhase::Stopping(3));
    t.obey();
    assert_eq!(ruled(&t, 0), Some(("penalty", "arbiter")));
    // In 2009 only the opponent may claim.
    let mut t = after_an_illegal_move("fide-2009", Play::Rapid);
    assert_eq!(t.desk(decide(1, "penalty")), Err(Refusal::OnlyByClaim("A.4c")));
    t.desk(claim(Colour::Black, Claim::IllegalMove)).expect("he claims it of the arbiter");
    t.obey();
    assert_eq!((ruled(&t, 0), t.game.strikes), (Some(("penalty", "arbiter")), [1, 0]));
}

#[test]
fn the_first_loses_where_the_edition_says_so_and_draws_against_a_bare_king() {
    let mut t = after_an_illegal_move("fide-2017", Play::Rapid);
    t.device(DeviceAct::Claim(Colour::Black, Claim::IllegalMove));
    t.obey();
    assert_eq!(t.result(), "0-1 A.4.2");
    let mut t = Table::playing("fide-2017", Play::Blitz, "180+2", Some("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"));
    t.carry("a1", "b3");
    t.press(None);
    t.quiet();
    t.device(DeviceAct::Claim(Colour::Black, Claim::IllegalMove));
    t.obey();
    assert_eq!(t.result(), "1/2-1/2 B.4");
}

#[test]
fn trap_8_a_king_left_in_check_is_followed_and_cured_by_the_next_move() {
    // White's king walks onto the rook's file; Black moves the rook away, and all is chess again.
    let mut t = Table::playing("fide-2018", Play::Rapid, "900", Some("3rk3/8/8/8/8/8/8/4K2R w - - 0 1"));
    t.carry("e1", "d1");
    t.press(None);
    t.quiet();
    assert!(t.game.adrift().is_some());
    t.carry("d8", "a8");
    t.press(None);
    t.quiet();
    assert_eq!((t.game.adrift(), ruled(&t, 0)), (None, Some(("stands", "laws"))));
    t.play("h1h8");
    assert_eq!((t.moves().as_str(), t.kinds()), ("e1d1 d8a8 h1h8", vec![Irregularity::IllegalMove]));
}

#[test]
fn an_illegal_position_is_waited_out_for_one_move_and_then_drawn() {
    // White does not see the check and gives one; Black does not see it either.
    let start = Some("4k3/p7/8/8/4r3/8/8/4K2R w - - 0 1");
    let mut t = Table::playing("fide-2018", Play::Rapid, "900", start);
    t.carry("h1", "h8");
    t.press(None);
    t.quiet();
    t.carry("a7", "a6");
    t.press(None);
    t.quiet();
    assert_eq!((ruled(&t, 0), t.found().len()), (Some(("stands", "laws")), 2));
    t.obey();
    assert_eq!(t.result(), "1/2-1/2 A.4.4");
    let mut t = Table::playing("fide-2018", Play::Rapid, "900", Some("4k3/P7/8/8/8/8/8/4K3 w - - 0 1"));
    t.carry("a7", "a8");
    t.press(None);
    t.quiet();
    assert_eq!(t.kinds(), [Irregularity::PawnLeft]);
    t.carry("e8", "e7");
    t.press(None);
    t.quiet();
    t.obey();
    assert_eq!(t.found()[1], "illegal_position A.4.4 ply 1 white fixed", "he brought it about, not who was waited for");
    assert_eq!(t.result(), "1/2-1/2 A.4.4");
}

#[test]
fn a_move_taken_back_on_the_board_is_read_anew_and_the_offence_stays_to_be_claimed() {
    let mut t = after_an_illegal_move("fide-2018", Play::Rapid);
    t.carry("b3", "a1");
    t.carry("g1", "f3");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.game.cases[0].phase), ("e2e4 e7e5 g1f3", CasePhase::Shown));
    t.carry("b8", "c6");
    t.press(None);
    assert_eq!((t.moves().as_str(), ruled(&t, 0)), ("e2e4 e7e5 g1f3 b8c6", Some(("stands", "laws"))));
}

#[test]
fn a_flag_is_claimed_in_2009_and_called_by_the_arbiter_in_2018() {
    let mut t = Table::playing("fide-2009", Play::Blitz, "300", None);
    t.play("e2e4 e7e5");
    t.flag(Colour::White);
    assert_eq!((t.result().as_str(), t.found()), ("*", vec!["flag_seen B.3 ply 3 white discretion".to_owned()]));
    assert_eq!(t.desk(decide(1, "flag")), Err(Refusal::OnlyByClaim("B.3")));
    assert_eq!(t.desk(claim(Colour::White, Claim::Flag)), Err(Refusal::NothingToClaim), "not his own");
    t.device(DeviceAct::Claim(Colour::Black, Claim::Flag));
    t.obey();
    assert_eq!(t.result(), "0-1 B.3");
    let mut t = Table::playing("fide-2018", Play::Blitz, "300", None);
    t.play("e2e4 e7e5");
    t.flag(Colour::White);
    assert_eq!(t.result(), "0-1 B.4");
}

#[test]
fn a_claimant_whose_own_time_is_up_claims_nothing() {
    let mut t = Table::playing("fide-2009", Play::Blitz, "300", None);
    t.play("e2e4 e7e5");
    t.flag(Colour::White);
    t.face.hands[1].left = Some(0);
    t.device(DeviceAct::Claim(Colour::Black, Claim::Flag));
    assert_eq!((t.result().as_str(), t.game.directives.len()), ("*", 1));
}

#[test]
fn a_wrong_set_up_is_only_shown_and_play_goes_on_from_it() {
    let mut t = Table::open_for("fide-2018", Play::Rapid, "900", None);
    t.report(1);
    t.fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR");
    t.quiet();
    t.start();
    t.quiet();
    assert_eq!((t.kinds(), t.game.directives.len()), (vec![Irregularity::WrongStart], 1));
    t.play("c1d3 e7e5");
    assert_eq!(t.moves(), "c1d3 e7e5", "the knight began on c1");
    t.quiet();
    assert_eq!(t.kinds().len(), 1, "told once");
}

#[test]
fn a_report_punishes_nobody_while_the_replys_press_waits_for_the_board() {
    let mut t = Table::playing("fide-2018", Play::Blitz, "180+2", None);
    t.play("f2f3 e7e5 g2g4");
    t.press(None);
    let (kind, by, ply, note, facts) = (Irregularity::TwoHands, Colour::White, None, String::new(), Facts::default());
    t.desk(DeskAct::Irregularity { kind, by, ply, note, facts }).expect("reported");
    t.obey();
    assert_eq!(t.found(), ["two_hands 7.5.4 ply 3 white discretion"]);
    assert_eq!((t.game.cases[0].phase, t.ways()), (CasePhase::Proposed, vec!["penalty", "play_on"]));
}

#[test]
fn a_claim_at_the_clock_does_not_wait_for_the_board_to_settle() {
    let mut t = Table::playing("fide-2018", Play::Blitz, "180+2", None);
    t.play("e2e4 e7e5");
    t.carry("a1", "b3");
    t.press(None);
    t.device(DeviceAct::Claim(Colour::Black, Claim::IllegalMove));
    t.obey();
    assert_eq!((ruled(&t, 0), t.game.strikes), (Some(("penalty", "black")), [1, 0]));
    // Of a board that shows nothing yet there is nothing to claim.
    let mut t = Table::playing("fide-2018", Play::Blitz, "180+2", None);
    t.press(None);
    t.device(DeviceAct::Claim(Colour::Black, Claim::IllegalMove));
    t.carry("e2", "e4");
    t.quiet();
    assert_eq!((t.moves().as_str(), t.found()), ("e2e4", vec![]));
}
