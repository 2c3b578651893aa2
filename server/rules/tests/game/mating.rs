//! Whether the opponent can still mate: where it decides, and what happens while nobody knows.

use flagfall_rules::{
    clock::{Colour, Going},
    game::{Claim, DeskAct, Facts, Input, Refusal, ServiceAct},
};

use crate::table::Table;

const ED: &str = "fide-2018";

#[test]
fn a_second_illegal_move_loses_and_is_a_draw_when_the_opponent_cannot_mate() {
    for (position, result) in [
        ("4k3/8/8/8/8/8/7r/K6R w - - 0 1", "0-1 7.5.5"),
        // Trap 2: a second offence against a bare king.
        ("4k3/8/8/8/8/8/8/K6R w - - 0 1", "1/2-1/2 7.5.5"),
    ] {
        let mut t = Table::started(ED, "5400+30", Some(position));
        t.carry("a1", "a3");
        t.press(None);
        t.quiet();
        t.obey();
        t.resume();
        t.carry("a1", "a3");
        t.press(None);
        t.quiet();
        t.obey();
        assert_eq!((t.result().as_str(), t.game.strikes, t.face.going), (result, [2, 0], Going::Over));
    }
}

/// A second illegal move in a position, the first being one that only moves a king where it may not go.
fn second_offence(t: &mut Table, first: (&str, &str), second: (&str, &str)) {
    for (from, to) in [first, second] {
        t.carry(from, to);
        t.press(None);
        t.quiet();
        t.obey();
        if t.game.ended.is_none() && t.game.unanswered().next().is_none() {
            t.resume();
        }
    }
}

#[test]
fn trap_1_the_exception_is_tested_on_the_reinstated_position() {
    // The pawn left on e8 becomes a queen first, and a knight cannot mate a king with a queen.
    let mut t = Table::started(ED, "5400+30", Some("7k/4P3/8/8/8/8/6n1/K7 w - - 0 36"));
    second_offence(&mut t, ("a1", "a3"), ("e7", "e8"));
    assert_eq!(t.found()[1], "pawn_left 7.5.2 ply 1 white fixed");
    assert_eq!(t.result(), "1/2-1/2 7.5.5");
}

#[test]
fn trap_4_a_position_in_which_nobody_can_mate_ends_the_game_when_it_arises() {
    // Black has only Kxg7, which is stalemate.
    let mut t = Table::started(ED, "5400+30", Some("7k/8/8/8/8/6Q1/5q2/7K w - - 0 1"));
    t.play("g3g7");
    assert_eq!(t.result(), "1/2-1/2 5.2.2");
}

/// Blocked so far that it takes more than a moment to say whether White can still mate.
const BLOCKED: &str = "8/4k3/3b1b2/p1pBp1p1/P1P1P1P1/8/4K3/8 w - - 0 1";

#[test]
fn a_flag_waits_for_the_answer_whether_the_opponent_can_mate() {
    for (answer, result) in [(Some(true), "1-0 6.9"), (Some(false), "1/2-1/2 6.9"), (None, "*")] {
        let mut t = Table::started(ED, "5400+30", Some(BLOCKED));
        t.flag(Colour::Black);
        assert_eq!(t.result(), "*");
        let question = t.game.unanswered().next().cloned().expect("a question");
        assert_eq!((question.side, question.number), (Colour::White, 1));
        t.feed(Input::Service(ServiceAct::Answered(1, answer))).expect("no refusal");
        t.feed(Input::Service(ServiceAct::Answered(1, Some(true)))).expect("the first answer stands");
        assert_eq!(t.result(), result);
        if answer.is_none() {
            // Never a guess: the arbiter gets both results.
            t.obey();
            assert_eq!(t.found(), ["flag_in_doubt 6.9 ply 1 black discretion"]);
            let act = DeskAct::Decide { case: 1, choice: "drawn".into(), note: "blocked".into() };
            t.desk(act).expect("decided");
            assert_eq!(t.result(), "1/2-1/2 6.9");
        }
    }
}

#[test]
fn nothing_that_comes_after_the_flag_or_the_resignation_overtakes_its_result() {
    // 6.9 and 5.1.2 have ended the game: only the result is open.
    let flagged = |t: &mut Table| t.flag(Colour::Black);
    let resigned = |t: &mut Table| claim(t, Colour::Black, Claim::Resignation);
    for (over, result) in [(&flagged as &dyn Fn(&mut Table), "1/2-1/2 6.9"), (&resigned, "1/2-1/2 5.1.2")] {
        let mut t = Table::started("fide-2023", "5400+30", Some(BLOCKED));
        over(&mut t);
        for later in [
            DeskAct::Claim {
                by: Colour::White,
                claim: Claim::Resignation,
                note: String::new(),
                facts: Facts::default(),
            },
            DeskAct::Claim { by: Colour::White, claim: Claim::Draw, note: String::new(), facts: Facts::default() },
            DeskAct::Annul,
        ] {
            assert_eq!(t.desk(later), Err(Refusal::ResultWaits));
        }
        t.flag(Colour::White);
        t.play("e2e3");
        t.feed(Input::Service(ServiceAct::Answered(1, Some(false)))).expect("no refusal");
        assert_eq!((t.result().as_str(), t.game.plies.len()), (result, 0));
    }
}

#[test]
fn a_flag_that_the_arbiter_must_see_is_his_with_the_answer() {
    // The event has everything confirmed, or nobody knows which period it is: the clock is stopped, then it is looked at.
    for (control, answer, ways) in [
        ("5400+30", Some(true), vec!["flag", "play_on"]),
        ("", Some(true), vec!["flag", "play_on"]),
        ("", None, vec!["lost", "drawn", "play_on"]),
    ] {
        let mut t = Table::started(ED, control, Some(BLOCKED));
        t.overlay(|overlay| overlay.confirms = !control.is_empty());
        t.flag(Colour::Black);
        t.obey();
        t.feed(Input::Service(ServiceAct::Answered(1, answer))).expect("no refusal");
        assert_eq!(t.found(), ["flag_seen 6.9 ply 1 black discretion"]);
        assert_eq!((t.ways(), t.result().as_str()), (ways, "*"));
    }
}

#[test]
fn a_last_illegal_move_waits_for_the_answer_too() {
    // Black certainly cannot mate here: where White cannot either the game had ended before.
    for (answer, result) in [(Some(true), "1-0 7.5.5"), (Some(false), "1/2-1/2 5.2.2"), (None, "*")] {
        let mut t = Table::started(ED, "5400+30", Some("8/4k3/3b1b2/p1pBp1p1/P1P1P1P1/8/4K3/8 b - - 0 1"));
        second_offence(&mut t, ("e7", "e5"), ("e7", "e4"));
        if t.result() == "*" && t.game.unanswered().next().is_some() {
            t.feed(Input::Service(ServiceAct::Answered(1, answer))).expect("no refusal");
        }
        assert_eq!(t.result(), result);
        if answer.is_none() {
            let proposal = t.game.cases[1].proposal.as_ref().expect("both results");
            let keys: Vec<&str> = proposal.remedies.iter().map(|remedy| remedy.key.as_str()).collect();
            assert_eq!(keys, ["lost", "drawn"]);
        }
    }
}

fn claim(t: &mut Table, by: Colour, claim: Claim) {
    t.desk(DeskAct::Claim { by, claim, note: String::new(), facts: Facts::default() }).expect("admitted");
}

#[test]
fn a_resignation_waits_for_the_answer_whether_the_game_had_ended() {
    for (edition, answer, result) in [
        (ED, Some(true), "1-0 5.1.2"),
        (ED, Some(false), "1/2-1/2 5.2.2"),
        (ED, None, "*"),
        ("fide-2023", Some(true), "1-0 5.1.2"),
        ("fide-2023", Some(false), "1/2-1/2 5.1.2"),
        ("fide-2023", None, "*"),
    ] {
        let mut t = Table::started(edition, "5400+30", Some(BLOCKED));
        claim(&mut t, Colour::Black, Claim::Resignation);
        let question = t.game.unanswered().next().cloned().expect("a question");
        assert_eq!((question.side, t.result().as_str()), (Colour::White, "*"));
        t.feed(Input::Service(ServiceAct::Answered(1, answer))).expect("no refusal");
        assert!(t.game.unanswered().next().is_none(), "asked once");
        assert_eq!(t.result(), result, "{edition} {answer:?}");
        if answer.is_none() {
            t.obey();
            assert_eq!(t.ways(), ["lost", "drawn"], "never a guess");
        }
    }
}

#[test]
fn a_claim_of_a_draw_waits_for_the_answer_whether_the_game_had_ended() {
    for (answer, result, ways) in [
        (Some(true), "*", "wrong_claim"),
        (Some(false), "1/2-1/2 5.2.2", "ended"),
        // Nobody could show that the position is dead: then the claim is judged as any other.
        (None, "*", "wrong_claim"),
    ] {
        let mut t = Table::started(ED, "5400+30", Some(BLOCKED));
        claim(&mut t, Colour::White, Claim::Draw);
        t.obey();
        assert!(t.game.cases[0].ruling.is_none());
        t.feed(Input::Service(ServiceAct::Answered(1, answer))).expect("no refusal");
        let ruling = t.game.cases[0].ruling.as_ref().expect("ruled");
        assert_eq!((ruling.remedy.key.as_str(), t.result().as_str()), (ways, result), "{answer:?}");
    }
}

#[test]
fn where_no_exception_asks_a_lost_game_waits_for_the_answer_too() {
    for (answer, result) in [(Some(true), "1-0 7.4б"), (Some(false), "1/2-1/2 9.6?")] {
        let mut t = Table::started("rf-2011", "5400", Some(BLOCKED));
        t.overlay(|overlay| overlay.loses_at = Some(1));
        t.play("e2e3");
        t.carry("e7", "e5");
        t.press(None);
        t.quiet();
        t.obey();
        assert_eq!(t.result(), "*");
        t.feed(Input::Service(ServiceAct::Answered(1, answer))).expect("no refusal");
        assert_eq!(t.result(), result, "{answer:?}");
    }
}
