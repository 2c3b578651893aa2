//! A7–A9, A11, A12: opening, lost envelopes and errors of the clock.

use crate::desk::*;
use flagfall_rules::adjourn::{CLASSIC, Deed, Fact, GUIDELINES, Phase, Refusal};
use flagfall_rules::clock::Hand;
use flagfall_rules::game::Uci;
use flagfall_rules::time::MINUTE;

fn uci(text: &str) -> Uci {
    Uci::parse(text).expect("uci")
}

#[test]
fn a9_responder_present_open_make_the_move_start_his_clock() {
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.comes(White);
    desk.comes(Black);
    assert_eq!(desk.refuses(Deed::Begin), "TOO_EARLY", "ten to ten");
    let told = Refusal::TooEarly(599_001).to_string();
    assert_eq!(told, "it is too early by the arbiter's clock: 0 h 10 min to go");
    desk.now = i64::MIN;
    assert_eq!(desk.refuses(Deed::Begin), "TOO_EARLY", "whatever the arbiter's clock shows");
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "open A9");
    assert_eq!(desk.state.phase, Phase::Opening);
    assert_eq!(desk.refuses(Deed::FlagFell(Black)), "NOT_RUNNING");
    assert_eq!(desk.opened("Bb5"), "play f1b5 A9; run black A9");
    assert_eq!(desk.state.phase, Phase::Resumed);
    assert_eq!(desk.state.sealed_move, Some(uci("f1b5")));
    assert_eq!(desk.refuses(Deed::FlagFell(Black)), "WRONG_PHASE", "the game's own now");
    assert_eq!(desk.refuses(Deed::AgreeDraw), "WRONG_PHASE");
    assert_eq!(desk.refuses(Deed::Opened("Bb5".into())), "WRONG_PHASE");
}

#[test]
fn a7_the_envelope_stays_shut_without_the_responder() {
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.comes(White);
    assert_eq!(desk.refuses(Deed::Opened("Bb5".into())), "ENVELOPE_SHUT");
    desk.now = on(1, 10, 0);
    desk.does(Deed::Begin);
    assert_eq!(desk.refuses(Deed::Opened("Bb5".into())), "ENVELOPE_SHUT");
    assert!(desk.state.text.is_none());
}

#[test]
fn a9_responder_absent_his_clock_runs_and_he_may_stop_it_on_arrival() {
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.comes(White);
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "run black A9");
    assert_eq!(desk.state.phase, Phase::Waiting);
    assert_eq!(desk.refuses(Deed::StopOnArrival), "PLAYER_ABSENT");
    desk.now = on(1, 10, 25);
    assert_eq!(desk.comes(Black), "");
    assert_eq!(desk.does(Deed::StopOnArrival), "stop A9; open A9");
    assert_eq!(desk.opened("Bb5"), "play f1b5 A9; run black A9");
    assert_eq!(desk.state.phase, Phase::Resumed);
}

#[test]
fn a9_he_need_not_stop_it() {
    let mut desk = Desk::classic(SPANISH, &[White]);
    desk.now = on(1, 10, 5);
    desk.comes(Black);
    assert_eq!(desk.opened("Bb5"), "play f1b5 A9; run black A9");
}

#[test]
fn a9_both_absent_the_responders_clock_runs() {
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "run black A9");
    assert_eq!(desk.state.phase, Phase::Waiting);
}

#[test]
fn who_was_at_the_adjournment_has_not_come_to_the_resumption() {
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    assert_eq!(desk.refuses(Deed::Presence { player: Black, here: true }), "WRONG_PHASE");
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.comes(Black);
    desk.does(Deed::Presence { player: Black, here: false });
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "run black A9", "he left again before ten");
}

#[test]
fn a9_sealer_absent_and_the_responder_replies_normally() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    assert_eq!(desk.opened("Bb5"), "play f1b5 A9; run black A9");
    assert_eq!(desk.state.phase, Phase::Open);
    assert_eq!(desk.refuses(Deed::Reply(uci("a7a4"))), "ILLEGAL_MOVE");
    assert_eq!(desk.does(Deed::Reply(uci("a7a6"))), "play a7a6 A9; run white A9");
    assert_eq!(desk.state.phase, Phase::Resumed);
}

#[test]
fn a9_sealer_absent_and_the_reply_is_sealed_until_he_comes() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.now = on(1, 10, 7);
    let reply = Deed::SealReply { seal: seal(9), to: "arbiter".into() };
    assert_eq!(desk.does(reply.clone()), "stop A9; run white A9");
    assert_eq!(desk.state.phase, Phase::ReplySealed);
    assert_eq!(
        desk.state.custody.last().map(|held| (held.holder.as_str(), held.since)),
        Some(("arbiter", on(1, 10, 7)))
    );
    assert_eq!(desk.refuses(Deed::ReplyOpened("a6".into())), "PLAYER_ABSENT");
    assert_eq!(desk.refuses(reply), "WRONG_PHASE");
    desk.now = on(1, 10, 40);
    assert_eq!(desk.comes(White), "open reply A9");
    assert_eq!(desk.does(Deed::ReplyOpened("a6".into())), "play a7a6 A9; run white A9");
    assert_eq!(desk.state.phase, Phase::Resumed);
    assert_eq!(desk.state.seal, Some(seal(1)), "both seals are kept");
    assert_eq!(desk.state.reply_seal, Some(seal(9)));
}

#[test]
fn a9_no_sealed_reply_once_the_sealer_is_here() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.comes(White);
    assert_eq!(desk.state.phase, Phase::Resumed);
    assert_eq!(desk.refuses(Deed::SealReply { seal: seal(9), to: "arbiter".into() }), "SEALER_HERE");
}

#[test]
fn a9_a_sealed_reply_that_cannot_be_read_is_for_the_arbiter() {
    let begin = || {
        let mut desk = Desk::classic(SPANISH, &[Black]);
        desk.opened("Bb5");
        desk.does(Deed::SealReply { seal: seal(9), to: "arbiter".into() });
        desk.comes(White);
        assert_eq!(desk.does(Deed::ReplyOpened("a3".into())), "stop A8?; propose replier_loses|reply_anew A8?");
        desk
    };
    assert_eq!(begin().choose("replier_loses"), "end 1-0 SealedMove A8?");
    let mut desk = begin();
    assert_eq!(desk.choose("reply_anew"), "stop A8?; run black A8?");
    assert_eq!(desk.does(Deed::FirstMove(Black)), "");
}

#[test]
fn a9_a_reply_that_mates_ends_the_game() {
    // After Kh1 the rook mates on e1.
    let mut desk = Desk::classic("4r1k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 40", &[Black]);
    desk.opened("Kh1");
    assert_eq!(desk.does(Deed::Reply(uci("e8e1"))), "play e8e1 A9; stop 5.1а?; end 0-1 Checkmate 5.1а?");
}

#[test]
fn a8_ambiguous_or_illegal_loses() {
    for (fen, text) in [(KNIGHTS, "Nd2"), (SPANISH, "Bb6")] {
        let mut desk = Desk::classic(fen, &[White, Black]);
        assert_eq!(desk.opened(text), "stop A8; end 0-1 SealedMove A8", "{text:?}");
        assert_eq!(desk.state.text.as_deref(), Some(text), "it is kept as it stood");
    }
}

#[test]
fn a8_what_cannot_be_read_is_for_the_arbiter() {
    // The king, a Russian knight typed in a Latin letter, or nothing that can be established.
    let begin = || {
        let mut desk = Desk::classic(KNIGHTS, &[White, Black]);
        assert_eq!(desk.opened("Kd2"), "stop A8; propose b1d2|f3d2|e1d2|sealer_loses A8");
        desk
    };
    assert_eq!(begin().choose("e1d2"), "play e1d2 A8; run black A8");
    assert_eq!(begin().choose("sealer_loses"), "end 0-1 SealedMove A8");
    // Nothing is read: any legal move may be, but first comes what the article says.
    let mut desk = Desk::classic("7k/8/8/8/8/8/P7/K7 w - - 0 60", &[White, Black]);
    let followed = desk.opened("пешка вперёд");
    assert!(followed.starts_with("stop A8; propose sealer_loses|") && followed.contains("|a2a4"), "{followed}");
    assert_eq!(desk.choose("a2a3"), "play a2a3 A8; run black A8");
    // A player who is too late loses if the move that is meant does not end the game.
    let mut desk = Desk::begun(GUIDELINES, SPANISH, &[White]);
    desk.now += 1;
    assert_eq!(desk.comes(Black), "stop I.10?; open I.10?");
    assert_eq!(desk.opened("Sb5"), "stop I.8.2?; propose f1b5|sealer_loses|responder_loses I.8.2?");
    assert_eq!(desk.choose("f1b5"), "stop I.10?; end 1-0 Late I.10?");
}

#[test]
fn a9_a_sealed_reply_that_cannot_be_read_is_too() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.does(Deed::SealReply { seal: seal(9), to: "arbiter".into() });
    desk.comes(White);
    let followed = desk.does(Deed::ReplyOpened("Sf6".into()));
    assert_eq!(followed, "stop A8?; propose f7f6|g8f6|d8f6|replier_loses|reply_anew A8?");
    assert_eq!(desk.choose("g8f6"), "play g8f6 A9; run white A9");
}

#[test]
fn a8_except_a_dead_position() {
    // By what is left, or by pawns that lock the board with many moves left to both.
    for fen in [KINGS, LOCKED] {
        let mut desk = Desk::classic(fen, &[White, Black]);
        assert_eq!(desk.opened("nonsense"), "end 1/2-1/2 DeadPosition 9.6");
    }
}

#[test]
fn a8_except_a_flag_that_fell_before() {
    // The sheet is illegible, but nobody has seen it when Black's flag falls.
    let mut desk = Desk::classic(SPANISH, &[White]);
    assert_eq!(desk.does(Deed::FlagFell(Black)), "stop 6.10; end 1-0 Flag 6.10");
    assert_eq!(desk.refuses(Deed::Opened("nonsense".into())), "GAME_OVER");
    let mut desk = Desk::classic(BLACK_PAWN, &[White]);
    assert_eq!(desk.does(Deed::FlagFell(Black)), "stop 6.10; end 1/2-1/2 Flag 6.10", "a bare king cannot mate");
}

#[test]
fn a_flag_nobody_can_judge_is_for_the_arbiter() {
    let begin = || {
        let mut desk = Desk::classic(BLOCKED, &[White]);
        assert_eq!(desk.does(Deed::FlagFell(Black)), "stop 6.10; propose lost|drawn 6.10");
        desk
    };
    assert_eq!(begin().choose("lost"), "end 1-0 Flag 6.10");
    assert_eq!(begin().choose("drawn"), "end 1/2-1/2 Flag 6.10");
    assert_eq!(begin().refuses(Deed::AgreeDraw), "PROPOSAL_OPEN");
}

#[test]
fn the_sealed_move_ends_the_game_with_both_present() {
    for (fen, text, expected) in [
        (MATE, "Re8#", "play e1e8 A9; stop 5.1а?; end 1-0 Checkmate 5.1а?"),
        (STALEMATE, "Qg6", "play g5g6 A9; stop 5.2а?; end 1/2-1/2 Stalemate 5.2а?"),
        (LAST_PAWN, "Kxd2", "play d1d2 A9; stop 9.6; end 1/2-1/2 DeadPosition 9.6"),
    ] {
        assert_eq!(Desk::classic(fen, &[White, Black]).opened(text), expected);
    }
}

#[test]
fn a11_lost_with_the_position_known_goes_on_from_the_record() {
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    assert_eq!(desk.does(Deed::EnvelopeLost { position_known: true }), "");
    assert_eq!(desk.refuses(Deed::HandOver("safe".into())), "ENVELOPE_LOST");
    desk.comes(White);
    desk.comes(Black);
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "", "the sealer is asked");
    assert_eq!(desk.refuses(Deed::Opened("Bb5".into())), "ENVELOPE_LOST");
    assert_eq!(desk.does(Deed::Stated("Bc4".into())), "play f1c4 A11; run black A11");
    assert_eq!(desk.state.phase, Phase::Resumed);
    assert_eq!(desk.state.seal, Some(seal(1)), "what is known of the seal stays");
    let mut there = Desk::classic(SPANISH, &[White, Black]);
    assert_eq!(there.refuses(Deed::Stated("Bc4".into())), "ENVELOPE_NOT_LOST");
}

#[test]
fn a11_unknown_times_are_set_by_the_arbiter() {
    let mut desk = Desk::sealed(CLASSIC, SPANISH);
    desk.does(Deed::StopClock { hands: [Hand::fresh(None), Hand::fresh(Some(hm(1, 30)))], opponent_runs: false });
    desk.does(Deed::Appoint(resumption()));
    assert_eq!(desk.refuses(Deed::Check(None)), "ENVELOPE_INCOMPLETE");
    desk.does(Deed::EnvelopeLost { position_known: true });
    desk.does(Deed::Check(None));
    assert_eq!(desk.refuses(Deed::SetUp { times: None }), "TIMES_UNKNOWN");
    let times = Some(hands(hm(1, 0), hm(9, 0)));
    let followed = desk.does(Deed::SetUp { times });
    assert_eq!(followed, "board A11; set 1:00 1:30 for black A11", "the known reading stays");
}

#[test]
fn a11_lost_and_the_sealer_absent_is_for_the_arbiter() {
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.does(Deed::EnvelopeLost { position_known: true });
    desk.comes(Black);
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "propose sealer_runs|wait A11");
    assert_eq!(desk.choose("sealer_runs"), "run white A11");
    assert_eq!(desk.refuses(Deed::Stated("Bb5".into())), "PLAYER_ABSENT");
    desk.comes(White);
    assert_eq!(desk.does(Deed::Stated("Bb5".into())), "play f1b5 A11; run black A11");
}

#[test]
fn a11_position_lost_too_annuls_the_game() {
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    assert_eq!(desk.does(Deed::EnvelopeLost { position_known: false }), "stop A11; annul A11");
    assert_eq!(desk.state.phase, Phase::Annulled);
    assert_eq!(desk.refuses(Deed::AgreeDraw), "GAME_OVER");
}

#[test]
fn a12_an_error_raised_before_ones_first_move_is_corrected() {
    let mut desk = Desk::classic(SPANISH, &[White, Black]);
    let right = hands(hm(1, 17), hm(1, 30));
    let error = |by| Deed::ClockError { by, hands: right };
    assert_eq!(desk.does(error(White)), "set 1:17 1:30 for black A12", "before anything ran");
    desk.opened("Bb5");
    assert_eq!(desk.does(error(Black)), "stop A12; set 1:17 1:30 for black A12; run black A12");
    desk.does(Deed::FirstMove(Black));
    let followed = desk.does(error(White));
    assert_eq!(followed, "stop A12; set 1:17 1:30 for white A12; run white A12", "White has not moved yet");
    let unknown = Deed::ClockError { by: White, hands: [Hand::fresh(None); 2] };
    assert_eq!(desk.refuses(unknown), "TIMES_UNKNOWN");
}

#[test]
fn a12_raised_later_it_stays_unless_too_severe() {
    let begin = || {
        let mut desk = Desk::classic(SPANISH, &[White, Black]);
        desk.opened("Bb5");
        desk.does(Deed::FirstMove(Black));
        assert_eq!(desk.refuses(Deed::FirstMove(Black)), "ALREADY_MOVED");
        let error = Deed::ClockError { by: Black, hands: hands(hm(1, 17), hm(1, 30)) };
        assert_eq!(desk.does(error), "propose leave|too_severe A12");
        desk
    };
    let mut desk = begin();
    assert_eq!(desk.choose("leave"), "");
    assert!(!desk.events.iter().any(|event| matches!(event.fact, Fact::ClockCorrected(_))));
    assert_eq!(begin().choose("too_severe"), "stop A12; set 1:17 1:30 for white A12; run white A12");
    let mut desk = begin();
    desk.choose("leave");
    desk.does(Deed::FirstMove(White));
    desk.does(Deed::ClockError { by: White, hands: hands(hm(1, 17), hm(1, 30)) });
    assert_eq!(desk.choose("too_severe"), "stop A12; set 1:17 1:30 for mover A12", "whose turn it is the game knows");
}

#[test]
fn a12_a_sealed_reply_is_his_first_move() {
    let mut desk = Desk::classic(SPANISH, &[Black]);
    desk.opened("Bb5");
    desk.does(Deed::SealReply { seal: seal(9), to: "arbiter".into() });
    let error = |by| Deed::ClockError { by, hands: hands(hm(1, 17), hm(1, 30)) };
    assert_eq!(desk.does(error(White)), "stop A12; set 1:17 1:30 for white A12; run white A12");
    assert_eq!(desk.does(error(Black)), "propose leave|too_severe A12");
}

#[test]
fn a13_times_are_the_arbiters() {
    let mut desk = Desk::classic(SPANISH, &[White]);
    assert_eq!(desk.state.began, Some(on(1, 10, 0)));
    desk.now += 3 * MINUTE;
    desk.comes(Black);
    assert_eq!(desk.state.came[1], Some(on(1, 10, 3)));
}
