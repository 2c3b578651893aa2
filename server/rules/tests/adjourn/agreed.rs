//! What the players themselves say of the game ends it at once, wherever the adjournment stands (A6, 5.1.2, 5.2.3).

use crate::desk::*;
use flagfall_rules::adjourn::{CLASSIC, Deed, GUIDELINES, GUIDELINES_2023};
use flagfall_rules::time::MINUTE;

#[test]
fn while_a_move_is_being_sealed_a_resignation_or_an_agreed_draw_ends_the_game() {
    let ends = |procedure, position, deed| Desk::sealing(procedure, position).does(deed);
    assert_eq!(ends(CLASSIC, SPANISH, Deed::Resign(Black)), "end 1-0 Resignation 5.1б?", "the one who waits");
    assert_eq!(ends(GUIDELINES, SPANISH, Deed::Resign(White)), "end 0-1 Resignation 5.1.2", "the one who seals");
    assert_eq!(ends(CLASSIC, SPANISH, Deed::AgreeDraw), "end 1/2-1/2 Agreement 5.2в?");
    assert_eq!(ends(GUIDELINES, SPANISH, Deed::AgreeDraw), "end 1/2-1/2 Agreement 5.2.3");
    // Black has a bare king and cannot mate: drawn from 2023 on. Bare kings: it had ended before.
    assert_eq!(ends(GUIDELINES_2023, WHITE_PAWN, Deed::Resign(White)), "end 1/2-1/2 Resignation 5.1.2");
    assert_eq!(ends(GUIDELINES, WHITE_PAWN, Deed::Resign(White)), "end 0-1 Resignation 5.1.2");
    assert_eq!(ends(CLASSIC, KINGS, Deed::Resign(White)), "end 1/2-1/2 DeadPosition 9.6");
}

#[test]
fn what_was_sealed_changes_nothing_of_it_and_no_flag_falls_after_it() {
    let mut desk = Desk::sealed(CLASSIC, SPANISH);
    assert_eq!(desk.does(Deed::Resign(Black)), "end 1-0 Resignation 5.1б?");
    desk.now += 90 * MINUTE;
    assert_eq!(desk.refuses(Deed::FlagFell(White)), "GAME_OVER");
}

#[test]
fn while_the_sealer_is_awaited_too() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    assert_eq!(desk.does(Deed::Resign(White)), "end 0-1 Resignation 5.1б?", "the absent player telephones");
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.does(Deed::SealReply { seal: seal(9), to: "arbiter".into() });
    assert_eq!(desk.does(Deed::AgreeDraw), "end 1/2-1/2 Agreement 5.2в?");
}

#[test]
fn what_is_asked_lapses_unless_it_may_have_decided_the_game_before() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.does(Deed::SealReply { seal: seal(9), to: "arbiter".into() });
    desk.does(Deed::ClockError { by: Black, hands: hands(hm(1, 17), hm(1, 30)) });
    assert!(desk.state.proposal.is_some(), "whether the clock is put right decides nothing");
    assert_eq!(desk.does(Deed::Resign(Black)), "end 1-0 Resignation 5.1б?");
    assert_eq!(desk.state.proposal, None);
    let mut desk = Desk::classic(SPANISH, &[]);
    desk.now += 61 * MINUTE;
    assert!(desk.does(Deed::LookForLate).contains("propose both_lose|"));
    assert_eq!(desk.refuses(Deed::Resign(White)), "PROPOSAL_OPEN", "both may have lost before");
    assert_eq!(desk.refuses(Deed::AgreeDraw), "PROPOSAL_OPEN");
}
