//! What Guidelines I do differently.

use crate::desk::*;
use flagfall_rules::adjourn::{CLASSIC, Deed, GUIDELINES, GUIDELINES_2023, Phase, Procedure, Resumption, Session};
use flagfall_rules::time::MINUTE;

/// With an hour's default time.
const HOUR: Procedure = Procedure { default_time: 60 * MINUTE, ..GUIDELINES };

fn look(desk: &mut Desk, at: i64) -> String {
    desk.now = at;
    desk.does(Deed::LookForLate)
}

#[test]
fn the_whole_clock_is_stopped() {
    let mut desk = Desk::sealed(GUIDELINES, SPANISH);
    let stop = Deed::StopClock { hands: hands(hm(1, 7), hm(1, 29)), opponent_runs: false };
    assert_eq!(desk.does(stop), "stop I.1.1?");
    assert_eq!(desk.recorded(), "1:07 1:29", "both readings are those of the stopped clock");
}

#[test]
fn case_19_is_the_same() {
    let begin = |left| {
        let mut desk = Desk::playing(GUIDELINES);
        desk.now = on(0, 19, 40);
        let mut situation = situation(SPANISH);
        situation.hands = hands(left, hm(1, 30));
        let followed = desk.does(Deed::AdjournEarly(situation));
        (desk, followed)
    };
    let (mut desk, _) = begin(hm(1, 12));
    let sheets = [White, Black].map(|of| Deed::SheetIn { of, paper: false });
    for deed in [Deed::Write(seal(1))].into_iter().chain(sheets).chain([Deed::CloseEnvelope]) {
        desk.does(deed);
    }
    desk.does(Deed::StopClock { hands: hands(hm(1, 12), hm(1, 30)), opponent_runs: false });
    assert_eq!(desk.recorded(), "0:52 1:30");
    assert_eq!(desk.state.envelope.as_ref().expect("an envelope").used.map(time), ["2:08", "1:30"]);
    assert_eq!(begin(hm(0, 19)).1, "stop 6.9; end 0-1 Flag 6.9");
}

#[test]
fn from_2023_on_the_move_is_sealed_on_paper() {
    let mut desk = Desk::sealing(GUIDELINES_2023, SPANISH);
    assert_eq!(desk.refuses(Deed::SheetIn { of: White, paper: false }), "NOT_PAPER");
    desk.does(Deed::SheetIn { of: Black, paper: false });
    desk.does(Deed::SheetIn { of: White, paper: true });
    let mut desk = Desk::sealing(GUIDELINES, SPANISH);
    desk.does(Deed::SheetIn { of: White, paper: false });
}

#[test]
fn only_the_start_is_announced() {
    let mut desk = Desk::playing(GUIDELINES);
    desk.does(Deed::Announce(Session { start: on(0, 15, 0), end: None }));
    assert_eq!(desk.refuses(Deed::AdjournEarly(situation(SPANISH))), "NO_SESSION", "the nominal end must be known");
    desk.does(Deed::EndSession(situation(SPANISH)));
    let without_end = Resumption { session: Session { start: on(1, 10, 0), end: None }, ..resumption() };
    desk.does(Deed::Appoint(without_end));
}

#[test]
fn default_time_instead_of_an_hour() {
    let mut desk = Desk::begun(GUIDELINES, SPANISH, &[White]);
    desk.now = on(1, 10, 0) + 1;
    assert_eq!(desk.comes(Black), "stop I.10?; open I.10?", "silent rules mean zero");
    assert_eq!(desk.opened("Bb5"), "stop I.10?; end 1-0 Late I.10?");
    let mut desk = Desk::begun(HOUR, SPANISH, &[White]);
    assert_eq!(look(&mut desk, on(1, 11, 0)), "");
    assert_eq!(look(&mut desk, on(1, 11, 1)), "stop I.10?; open I.10?");
    assert_eq!(desk.opened("Bb5"), "stop I.10?; end 1-0 Late I.10?", "he is not even there");
}

#[test]
fn an_end_by_the_sealed_move_stands_whoever_is_late() {
    for (fen, text, expected) in [
        (MATE, "Re8#", "play e1e8 I.9.1?; stop I.10?; end 1-0 Checkmate I.10?"),
        (STALEMATE, "Qg6", "play g5g6 I.9.1?; stop I.10?; end 1/2-1/2 Stalemate I.10?"),
        (LAST_PAWN, "Kxd2", "play d1d2 I.9.1?; stop I.10?; end 1/2-1/2 DeadPosition I.10?"),
    ] {
        for there in [vec![White], vec![Black], vec![]] {
            let mut desk = Desk::begun(HOUR, fen, &there);
            assert_eq!(look(&mut desk, on(1, 11, 1)), "stop I.10?; open I.10?");
            assert_eq!(desk.state.phase, Phase::Judging);
            assert_eq!(desk.opened(text), expected, "{there:?}");
        }
    }
    // In the classic text only when it is the sealer who is late.
    let mut desk = Desk::begun(CLASSIC, STALEMATE, &[White]);
    assert_eq!(look(&mut desk, on(1, 11, 1)), "stop A10; end 1-0 Late A10");
}

#[test]
fn late_responder_and_an_unclear_sealed_move_is_for_the_arbiter() {
    let mut desk = Desk::begun(HOUR, SPANISH, &[White]);
    look(&mut desk, on(1, 11, 1));
    assert_eq!(desk.opened("Bb6"), "stop I.8.3?; propose sealer_loses|responder_loses I.8.3?");
    assert_eq!(desk.choose("responder_loses"), "end 1-0 Late I.8.3?");
}

#[test]
fn unclear_moves_have_articles_of_their_own() {
    for (fen, text, article) in [(KNIGHTS, "Nd2", "I.8.1?"), (SPANISH, "Bb6", "I.8.3?")] {
        let mut desk = Desk::begun(HOUR, fen, &[White, Black]);
        assert_eq!(desk.opened(text), format!("stop {article}; end 0-1 SealedMove {article}"));
    }
    let mut desk = Desk::begun(HOUR, SPANISH, &[White, Black]);
    assert!(desk.opened("zz").starts_with("stop I.8.2?; propose sealer_loses|"));
    assert_eq!(desk.choose("sealer_loses"), "end 0-1 SealedMove I.8.2?");
}

#[test]
fn neither_present_with_a_default_time_the_responder_loses_the_elapsed_time() {
    let mut desk = Desk::set_up(HOUR, SPANISH);
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "run black I.11?");
    let mut desk = Desk::set_up(GUIDELINES, SPANISH);
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "run black I.9.2?", "with none that article is silent");
    let mut desk = Desk::set_up(HOUR, SPANISH);
    desk.comes(White);
    desk.now = on(1, 10, 0);
    assert_eq!(desk.does(Deed::Begin), "run black I.9.2?");
}

#[test]
fn both_late_without_an_end_is_for_the_arbiter() {
    let mut desk = Desk::begun(HOUR, SPANISH, &[]);
    look(&mut desk, on(1, 11, 1));
    assert_eq!(desk.opened("Bb5"), "stop I.10?; propose both_lose|white_wins|black_wins|play_on I.10?");
    assert_eq!(desk.choose("play_on"), "run black I.10?");
    assert_eq!(desk.state.phase, Phase::Waiting);
    assert_eq!(desk.refuses(Deed::Opened("Bb5".into())), "ENVELOPE_SHUT");
}

#[test]
fn late_corrections_are_for_the_arbiter() {
    let mut desk = Desk::begun(HOUR, SPANISH, &[White, Black]);
    desk.opened("Bb5");
    let error = |by| Deed::ClockError { by, hands: hands(hm(1, 17), hm(1, 30)) };
    assert_eq!(desk.does(error(Black)), "stop I.13?; set 1:17 1:30 for black I.13?; run black I.13?");
    desk.does(Deed::FirstMove(Black));
    assert_eq!(desk.does(error(Black)), "propose leave|correct I.13?");
    assert_eq!(desk.choose("correct"), "stop I.13?; set 1:17 1:30 for white I.13?; run white I.13?");
}

#[test]
fn from_2023_on_a_resignation_asks_whether_the_opponent_can_mate() {
    let mut desk = Desk::adjourned(GUIDELINES_2023, WHITE_PAWN);
    assert_eq!(desk.does(Deed::Resign(White)), "end 1/2-1/2 Resignation 5.1.2");
    let mut desk = Desk::adjourned(GUIDELINES, WHITE_PAWN);
    assert_eq!(desk.does(Deed::Resign(White)), "end 0-1 Resignation I.6?");
}
