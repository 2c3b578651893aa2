//! A10: who comes more than an hour after the resumption.

use crate::desk::*;
use flagfall_rules::adjourn::{CLASSIC, Deed, Phase, Procedure};
use flagfall_rules::game::Uci;
use flagfall_rules::time::MINUTE;

fn look(desk: &mut Desk, at: i64) -> String {
    desk.now = at;
    desk.does(Deed::LookForLate)
}

#[test]
fn an_hour_is_not_more_than_an_hour() {
    let mut desk = Desk::classic(SPANISH, &[White]);
    assert_eq!(look(&mut desk, on(1, 11, 0)), "");
    assert_eq!(desk.comes(Black), "");
    assert_eq!(look(&mut desk, on(1, 13, 0)), "", "he has come in time");
}

#[test]
fn the_responder_comes_too_late() {
    let mut desk = Desk::classic(SPANISH, &[White]);
    desk.now = on(1, 11, 0) + 1;
    assert_eq!(desk.comes(Black), "stop A10; end 1-0 Late A10");
    let mut desk = Desk::classic(SPANISH, &[White]);
    assert_eq!(look(&mut desk, on(1, 11, 1)), "stop A10; end 1-0 Late A10", "or not at all");
}

#[test]
fn the_responder_is_late_though_the_sealed_move_would_have_drawn() {
    let mut desk = Desk::classic(STALEMATE, &[White]);
    assert_eq!(look(&mut desk, on(1, 11, 1)), "stop A10; end 1-0 Late A10", "the envelope stays shut (A7)");
}

#[test]
fn the_hour_counts_from_the_resumption() {
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.comes(White);
    desk.now = on(1, 10, 30);
    desk.does(Deed::Begin);
    assert_eq!(look(&mut desk, on(1, 11, 30)), "");
    assert_eq!(look(&mut desk, on(1, 11, 31)), "stop A10; end 1-0 Late A10");
}

#[test]
fn the_sealer_comes_too_late_after_a_normal_reply() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.does(Deed::Reply(Uci::parse("a7a6").expect("uci")));
    assert_eq!(look(&mut desk, on(1, 11, 1)), "stop A10; end 0-1 Late A10");
}

#[test]
fn the_sealer_comes_too_late_for_a_sealed_reply() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.does(Deed::SealReply { seal: seal(9), to: "arbiter".into() });
    desk.now = on(1, 11, 1);
    assert_eq!(desk.comes(White), "stop A10; end 0-1 Late A10");
}

#[test]
fn late_sealer_but_the_sealed_move_mates() {
    let mut desk = Desk::classic(MATE, &[Black]);
    assert_eq!(desk.opened("Re8#"), "play e1e8 A9; stop A10; end 1-0 Checkmate A10");
}

#[test]
fn late_sealer_but_the_sealed_move_stalemates_or_leaves_a_dead_position() {
    let mut desk = Desk::classic(STALEMATE, &[Black]);
    assert_eq!(desk.opened("Qg6"), "play g5g6 A9; stop A10; end 1/2-1/2 Stalemate A10");
    let mut desk = Desk::classic(LAST_PAWN, &[Black]);
    assert_eq!(desk.opened("Kxd2"), "play d1d2 A9; stop A10; end 1/2-1/2 DeadPosition A10");
}

#[test]
fn nobody_is_late_for_a_game_that_had_ended() {
    let mut desk = Desk::classic(LOCKED, &[White]);
    desk.now = on(1, 11, 1);
    assert_eq!(desk.comes(Black), "stop A10; end 1/2-1/2 DeadPosition 9.6");
}

#[test]
fn late_sealer_but_the_present_player_lost_by_6_10() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.now = on(1, 10, 50);
    assert_eq!(desk.refuses(Deed::FlagFell(White)), "NOT_RUNNING");
    assert_eq!(desk.does(Deed::FlagFell(Black)), "stop 6.10; end 1-0 Flag 6.10");
    // After Ke3 the bare king cannot mate: by 6.10 nobody has lost.
    let mut desk = Desk::classic(BLACK_PAWN, &[Black]);
    desk.opened("Ke3");
    assert_eq!(desk.does(Deed::FlagFell(Black)), "stop 6.10; end 1/2-1/2 Flag 6.10");
}

#[test]
fn the_sealers_flag_while_his_clock_runs() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.does(Deed::SealReply { seal: seal(9), to: "arbiter".into() });
    assert_eq!(desk.does(Deed::FlagFell(White)), "stop 6.10; end 0-1 Flag 6.10");
}

#[test]
fn late_sealer_with_the_envelope_not_opened_yet() {
    let begin = |fen| {
        let mut desk = Desk::classic(fen, &[Black]);
        assert_eq!(look(&mut desk, on(1, 11, 1)), "stop A10; open A10");
        assert_eq!(desk.state.phase, Phase::Judging);
        desk
    };
    assert_eq!(begin(MATE).opened("Re8"), "play e1e8 A9; stop A10; end 1-0 Checkmate A10");
    assert_eq!(begin(SPANISH).opened("Bb5"), "stop A10; end 0-1 Late A10");
    assert_eq!(begin(SPANISH).opened("Bb6"), "stop A8; end 0-1 SealedMove A8");
    assert_eq!(begin(SPANISH).does(Deed::FlagFell(Black)), "stop 6.10; end 1-0 Flag 6.10");
    let mut desk = begin(SPANISH);
    let lost = desk.does(Deed::EnvelopeLost { position_known: true });
    assert_eq!(lost, "stop A10; end 0-1 Late A10", "nothing can say otherwise any more");
}

#[test]
fn both_late_is_for_the_arbiter() {
    let begin = || {
        let mut desk = Desk::classic(SPANISH, &[]);
        let followed = look(&mut desk, on(1, 11, 1));
        assert_eq!(followed, "stop A10; propose both_lose|white_wins|black_wins|play_on A10");
        desk
    };
    assert_eq!(begin().choose("both_lose"), "end 0-0 Late A10");
    assert_eq!(begin().choose("white_wins"), "end 1-0 Late A10");
    let mut desk = begin();
    assert_eq!(desk.comes(Black), "", "the question stays open");
    assert_eq!(desk.choose("play_on"), "run black A10");
    assert_eq!(desk.opened("Bb5"), "play f1b5 A9; run black A9");
    assert_eq!(look(&mut desk, on(1, 13, 0)), "");
}

#[test]
fn an_excuse_restarts_only_what_was_stopped() {
    let mut desk = Desk::classic(SPANISH, &[White]);
    assert_eq!(desk.does(Deed::Excuse(Black)), "", "his clock runs already");
}

#[test]
fn both_late_when_the_first_of_them_comes() {
    let mut desk = Desk::classic(SPANISH, &[]);
    desk.now = on(1, 11, 5);
    assert_eq!(desk.comes(White), "stop A10; propose both_lose|white_wins|black_wins|play_on A10");
}

#[test]
fn unless_the_arbiter_says_otherwise() {
    let mut desk = Desk::classic(SPANISH, &[White]);
    desk.does(Deed::Excuse(Black));
    assert_eq!(look(&mut desk, on(1, 12, 0)), "");
    assert_eq!(desk.comes(Black), "");
    let mut desk = Desk::classic(SPANISH, &[Black]);
    look(&mut desk, on(1, 11, 1));
    assert_eq!(desk.does(Deed::Excuse(White)), "open A10", "the envelope is opened in the ordinary way");
    assert_eq!(desk.state.phase, Phase::Opening);
    assert_eq!(desk.opened("Bb5"), "play f1b5 A9; run black A9");
}

#[test]
fn unless_the_rules_of_the_event_say_otherwise() {
    let half_an_hour = Procedure { default_time: 30 * MINUTE, ..CLASSIC };
    let mut desk = Desk::begun(half_an_hour, SPANISH, &[White]);
    assert_eq!(look(&mut desk, on(1, 10, 31)), "stop A10; end 1-0 Late A10");
}
