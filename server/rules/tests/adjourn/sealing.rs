//! A1–A6: from the end of the session to the resumption.

use crate::desk::*;
use flagfall_rules::adjourn::{CLASSIC, CLASSIC_2009, Deed, Phase, Resumption, Session, of_edition, procedure};
use flagfall_rules::clock::Hand;
use flagfall_rules::game::Uci;
use flagfall_rules::time::{MINUTE, Millis};

fn uci(text: &str) -> Uci {
    Uci::parse(text).expect("uci")
}

fn sheet(of: flagfall_rules::clock::Colour) -> Deed {
    Deed::SheetIn { of, paper: true }
}

fn stop(white: Millis, black: Millis) -> Deed {
    Deed::StopClock { hands: hands(white, black), opponent_runs: false }
}

#[test]
fn a1_at_the_end_of_the_session_the_player_to_move_must_seal() {
    let mut desk = Desk::playing(CLASSIC);
    let now = core::mem::replace(&mut desk.now, i64::MIN);
    assert_eq!(desk.refuses(Deed::EndSession(situation(SPANISH))), "TOO_EARLY", "whatever the arbiter's clock shows");
    desk.now = now;
    assert_eq!(desk.refuses(Deed::EndSession(situation(SPANISH))), "TOO_EARLY", "half past seven");
    desk.now = on(0, 20, 0);
    assert_eq!(desk.does(Deed::EndSession(situation(SPANISH))), "");
    assert_eq!((desk.state.phase, desk.state.sealer), (Phase::Sealing, Some(White)));
    assert_eq!(desk.events.last().expect("an event").article, "A1");
    assert_eq!(desk.refuses(Deed::EndSession(situation(SPANISH))), "WRONG_PHASE");
}

#[test]
fn a1_no_position_no_adjournment() {
    let mut desk = Desk::playing(CLASSIC);
    desk.now = on(0, 20, 0);
    assert_eq!(desk.refuses(Deed::EndSession(situation("8/8 w"))), "BAD_POSITION");
}

#[test]
fn a1_both_sheets_then_sealed_and_only_then_the_clock() {
    let mut desk = Desk::sealing(CLASSIC, SPANISH);
    assert_eq!(desk.refuses(Deed::CloseEnvelope), "NOT_WRITTEN");
    desk.does(Deed::Write(seal(1)));
    assert_eq!(desk.refuses(Deed::CloseEnvelope), "SHEET_MISSING");
    desk.does(sheet(White));
    assert_eq!(desk.refuses(Deed::CloseEnvelope), "SHEET_MISSING");
    desk.does(sheet(Black));
    assert_eq!(desk.refuses(stop(hm(1, 7), hm(1, 30))), "NOT_SEALED");
    desk.does(Deed::CloseEnvelope);
    assert_eq!(desk.refuses(Deed::CloseEnvelope), "ALREADY_SEALED");
    let started = Deed::StopClock { hands: hands(hm(1, 7), hm(1, 30)), opponent_runs: true };
    assert_eq!(desk.refuses(started), "OPPONENT_STARTED");
    assert_eq!(desk.does(stop(hm(1, 7), hm(1, 30))), "", "he stops his own clock by hand");
    assert_eq!(desk.state.phase, Phase::Adjourned);
}

#[test]
fn a1_the_opponents_reading_stays() {
    let mut desk = Desk::sealed(CLASSIC, SPANISH);
    desk.does(stop(hm(1, 7), hm(1, 29)));
    assert_eq!(desk.recorded(), "1:07 1:30");
}

#[test]
fn a1_he_may_change_the_move_until_his_clock_stops() {
    let mut desk = Desk::sealed(CLASSIC, SPANISH);
    desk.does(Deed::Write(seal(2)));
    assert!(!desk.state.closed, "the envelope was opened for it");
    assert_eq!(desk.refuses(stop(hm(1, 7), hm(1, 30))), "NOT_SEALED");
    desk.does(Deed::CloseEnvelope);
    desk.does(stop(hm(1, 7), hm(1, 30)));
    assert_eq!(desk.refuses(Deed::Write(seal(3))), "WRONG_PHASE");
    assert_eq!(desk.state.seal, Some(seal(2)));
}

#[test]
fn a1_a_move_on_the_board_is_the_move_he_must_write() {
    let mut desk = Desk::sealed(CLASSIC, SPANISH);
    assert_eq!(desk.refuses(Deed::MoveOnBoard(uci("f1f5"))), "ILLEGAL_MOVE");
    desk.does(Deed::MoveOnBoard(uci("f1c4")));
    assert_eq!(desk.refuses(stop(hm(1, 7), hm(1, 30))), "NOT_SEALED", "what was written is another move");
    assert_eq!(desk.refuses(Deed::CloseEnvelope), "NOT_WRITTEN");
    assert_eq!(desk.refuses(Deed::MoveOnBoard(uci("f1b5"))), "MOVE_MADE");
    desk.does(Deed::Write(seal(2)));
    assert_eq!(desk.refuses(Deed::Write(seal(3))), "MOVE_MADE", "it no longer changes");
    desk.does(Deed::CloseEnvelope);
    desk.does(stop(hm(1, 7), hm(1, 30)));
    assert_eq!(desk.state.seal, Some(seal(2)));
}

#[test]
fn a1_another_move_written_than_the_one_on_the_board_is_for_the_arbiter() {
    let begin = || {
        let mut desk = Desk::sealing(CLASSIC, SPANISH);
        desk.does(Deed::MoveOnBoard(uci("f1c4")));
        for deed in [Deed::Write(seal(1)), sheet(White), sheet(Black), Deed::CloseEnvelope, stop(hm(1, 7), hm(1, 30))] {
            desk.does(deed);
        }
        desk.does(Deed::Appoint(resumption()));
        desk.does(Deed::Check(None));
        desk.now = on(1, 10, 0);
        desk.does(Deed::SetUp { times: None });
        desk.comes(White);
        desk.comes(Black);
        assert_eq!(desk.does(Deed::Begin), "open A9");
        desk
    };
    let mut desk = begin();
    assert_eq!(desk.opened("Bb5"), "propose board|written|sealer_loses A1");
    assert_eq!(desk.refuses(Deed::FirstMove(Black)), "PROPOSAL_OPEN");
    assert_eq!(desk.refuses(Deed::Choose("coin".into())), "NO_SUCH_CHOICE");
    assert_eq!(desk.choose("board"), "play f1c4 A1; run black A1");
    assert_eq!(begin().opened("Bc4"), "play f1c4 A9; run black A9");
}

#[test]
fn a1_his_flag_while_he_seals_is_judged_by_6_10() {
    let mut desk = Desk::sealing(CLASSIC, SPANISH);
    assert_eq!(desk.refuses(Deed::FlagFell(Black)), "NOT_RUNNING");
    assert_eq!(desk.does(Deed::FlagFell(White)), "stop 6.10; end 0-1 Flag 6.10");
    let mut desk = Desk::sealing(CLASSIC, WHITE_PAWN);
    assert_eq!(desk.does(Deed::FlagFell(White)), "stop 6.10; end 1/2-1/2 Flag 6.10", "a bare king cannot mate");
    let mut desk = Desk::sealing(CLASSIC_2009, SPANISH);
    assert_eq!(desk.does(Deed::FlagFell(White)), "stop 6.9; end 0-1 Flag 6.9");
}

/// Adjourns at 19:40 with so much left; the session ends at 20:00.
fn early(left: Option<Millis>) -> (Desk, String) {
    let mut desk = Desk::playing(CLASSIC);
    desk.now = on(0, 19, 40);
    let mut situation = situation(SPANISH);
    situation.hands[0] = Hand::fresh(left);
    let followed = desk.does(Deed::AdjournEarly(situation));
    (desk, followed)
}

/// Puts everything in the envelope and stops the clock.
fn seal_and_stop(desk: &mut Desk, left: Millis) -> String {
    for deed in [Deed::Write(seal(1)), sheet(White), sheet(Black), Deed::CloseEnvelope] {
        desk.does(deed);
    }
    desk.does(stop(left, hm(1, 30)))
}

#[test]
fn case_19_he_is_charged_to_the_nominal_end() {
    let (mut desk, _) = early(Some(hm(1, 12)));
    desk.now = on(0, 19, 45);
    seal_and_stop(&mut desk, hm(1, 7));
    assert_eq!(desk.recorded(), "0:52 1:30");
    let envelope = desk.state.envelope.as_ref().expect("an envelope");
    assert_eq!(envelope.used.map(time), ["2:08", "1:30"]);
    assert_eq!((envelope.sealer, envelope.move_number), (White, 3));
}

#[test]
fn case_19_with_less_than_twenty_minutes_his_flag_falls_at_its_zero() {
    let (desk, followed) = early(Some(hm(0, 20) - 1));
    assert_eq!(followed, "stop 6.10; end 0-1 Flag 6.10");
    let fell = desk.events.iter().find_map(|event| match event.fact {
        flagfall_rules::adjourn::Fact::FlagFell(colour, when) => Some((colour, when)),
        _ => None,
    });
    assert_eq!(fell, Some((White, on(0, 20, 0) - 1)));
}

#[test]
fn case_19_with_twenty_minutes_he_has_sealed_with_nothing_left() {
    let (mut desk, followed) = early(Some(hm(0, 20)));
    assert_eq!(followed, "");
    seal_and_stop(&mut desk, hm(0, 18));
    assert_eq!(desk.recorded(), "0:00 1:30");
}

#[test]
fn case_19_longer_than_the_session_costs_longer() {
    let (mut desk, _) = early(Some(hm(1, 12)));
    desk.now = on(0, 20, 10);
    seal_and_stop(&mut desk, hm(0, 42));
    assert_eq!(desk.recorded(), "0:42 1:30");
}

#[test]
fn case_19_with_a_reading_known_only_when_he_stops() {
    let (mut desk, _) = early(None);
    desk.now = on(0, 19, 45);
    seal_and_stop(&mut desk, hm(1, 7));
    assert_eq!(desk.recorded(), "0:52 1:30");
    let (mut desk, _) = early(None);
    desk.now = on(0, 19, 45);
    assert_eq!(seal_and_stop(&mut desk, hm(0, 14)), "stop 6.10; end 0-1 Flag 6.10", "a minute short");
}

#[test]
fn a1_early_needs_the_announced_end_and_is_early() {
    let mut desk = Desk::playing(CLASSIC);
    desk.now = on(0, 20, 0);
    assert_eq!(desk.refuses(Deed::AdjournEarly(situation(SPANISH))), "NOT_EARLY");
    let mut fresh = Desk { state: Default::default(), events: Vec::new(), ..desk };
    assert_eq!(fresh.refuses(Deed::AdjournEarly(situation(SPANISH))), "NO_SESSION");
    assert_eq!(fresh.refuses(Deed::EndSession(situation(SPANISH))), "NO_SESSION");
}

#[test]
fn a2_everything_stands_on_the_envelope() {
    let mut desk = Desk::playing(CLASSIC);
    desk.now = on(0, 20, 0);
    let mut at_eight = situation(SPANISH);
    at_eight.draw_offer = Some(Black);
    desk.does(Deed::EndSession(at_eight));
    seal_and_stop(&mut desk, hm(1, 7));
    desk.does(Deed::Appoint(resumption()));
    let envelope = desk.state.envelope.clone().expect("an envelope");
    assert_eq!(envelope.names, [Some("Player-One".into()), Some("Player-Two".into())]);
    assert_eq!(envelope.position, SPANISH);
    assert_eq!(envelope.used.map(time), ["1:53", "1:30"], "3:00 less 1:07, 3:00 less 1:30");
    assert_eq!((envelope.sealer, envelope.move_number, envelope.draw_offer), (White, 3, Some(Black)));
    assert_eq!(envelope.resumption, Some(resumption()));
    assert!(desk.state.text.is_none() && desk.state.sealed_move.is_none(), "the move is not known");
}

#[test]
fn a3_the_arbiter_checks_that_nothing_is_missing_or_wrong() {
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    assert_eq!(desk.refuses(Deed::Check(None)), "ENVELOPE_INCOMPLETE", "no resumption");
    assert_eq!(desk.refuses(Deed::SetUp { times: None }), "NOT_CHECKED");
    desk.does(Deed::Appoint(resumption()));
    let mut right = desk.state.envelope.clone().expect("an envelope");
    right.names[1] = None;
    assert_eq!(desk.refuses(Deed::Check(Some(Box::new(right.clone())))), "ENVELOPE_INCOMPLETE");
    right.names[1] = Some("Player-Three".into());
    right.sealer = Black;
    assert_eq!(desk.refuses(Deed::Check(Some(Box::new(right.clone())))), "OTHER_SEALER");
    right.sealer = White;
    right.position = "nonsense".into();
    assert_eq!(desk.refuses(Deed::Check(Some(Box::new(right.clone())))), "BAD_POSITION");
    right.position = SPANISH.into();
    let session = Session { start: on(0, 20, 0), end: Some(on(0, 23, 0)) };
    right.resumption = Some(Resumption { session, ..resumption() });
    assert_eq!(desk.refuses(Deed::Check(Some(Box::new(right.clone())))), "NOT_IN_ADVANCE");
    right.resumption = Some(resumption());
    desk.does(Deed::Check(Some(Box::new(right))));
    assert!(desk.state.checked);
    assert_eq!(desk.state.envelope.as_ref().expect("an envelope").names[1].as_deref(), Some("Player-Three"));
    desk.does(Deed::Appoint(resumption()));
    assert!(!desk.state.checked, "another resumption is another envelope");
}

#[test]
fn a3_who_holds_the_envelope_is_logged() {
    let mut desk = Desk::sealing(CLASSIC, SPANISH);
    assert_eq!(desk.refuses(Deed::HandOver("arbiter".into())), "NOT_SEALED");
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    desk.does(Deed::HandOver("arbiter Sidorov".into()));
    desk.now += 30 * MINUTE;
    desk.does(Deed::HandOver("safe".into()));
    let log: Vec<_> = desk.state.custody.iter().map(|held| (held.holder.as_str(), held.since)).collect();
    assert_eq!(log, [("arbiter Sidorov", on(0, 20, 5)), ("safe", on(0, 20, 35))]);
}

#[test]
fn a4_an_offer_to_the_player_who_sealed_stays_open() {
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    assert_eq!(desk.refuses(Deed::OfferDraw(White)), "OFFER_BY_SEALER");
    desk.does(Deed::OfferDraw(Black));
    assert_eq!(desk.refuses(Deed::OfferDraw(Black)), "OFFER_OPEN");
    assert_eq!(desk.refuses(Deed::AcceptDraw(Black)), "NO_OFFER", "it is not his to accept");
    desk.does(Deed::Appoint(resumption()));
    desk.does(Deed::Check(None));
    desk.now = on(1, 9, 0);
    desk.does(Deed::SetUp { times: None });
    assert_eq!(desk.state.offer, Some(Black), "the next morning too");
    assert_eq!(desk.does(Deed::AcceptDraw(White)), "end 1/2-1/2 Agreement A6");
}

#[test]
fn a4_it_ends_when_declined_or_by_his_next_move() {
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    desk.does(Deed::OfferDraw(Black));
    desk.does(Deed::DeclineDraw(White));
    assert_eq!(desk.refuses(Deed::AcceptDraw(White)), "NO_OFFER");
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    desk.does(Deed::OfferDraw(Black));
    desk.comes(White);
    desk.comes(Black);
    desk.now = on(1, 10, 0);
    desk.does(Deed::Begin);
    desk.opened("Bb5");
    desk.does(Deed::FirstMove(Black));
    assert_eq!(desk.state.offer, Some(Black), "his own move does not withdraw it");
    desk.does(Deed::FirstMove(White));
    assert_eq!(desk.state.offer, None);
    assert_eq!(desk.refuses(Deed::AcceptDraw(White)), "NO_OFFER");
}

#[test]
fn a5_position_and_times_of_the_envelope() {
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    desk.does(Deed::Appoint(resumption()));
    desk.does(Deed::Check(None));
    assert_eq!(desk.refuses(Deed::SetUp { times: Some(hands(0, 0)) }), "TIMES_KNOWN");
    assert_eq!(desk.does(Deed::SetUp { times: None }), "board A5; set 1:07 1:30 for black A5");
    assert_eq!(desk.state.phase, Phase::SetUp);
}

#[test]
fn a6_agreement_or_resignation_before_the_resumption() {
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    assert_eq!(desk.does(Deed::AgreeDraw), "end 1/2-1/2 Agreement A6");
    assert_eq!(desk.refuses(Deed::Resign(White)), "GAME_OVER");
    let mut desk = Desk::set_up(CLASSIC, SPANISH);
    assert_eq!(desk.does(Deed::Resign(White)), "end 0-1 Resignation A6");
    let mut desk = Desk::adjourned(CLASSIC, LOCKED);
    assert_eq!(
        desk.does(Deed::Resign(White)),
        "end 1/2-1/2 DeadPosition 9.6",
        "nobody could mate: it had ended before"
    );
    let mut desk = Desk::playing(CLASSIC);
    assert_eq!(desk.refuses(Deed::AgreeDraw), "WRONG_PHASE", "not adjourned yet: it is the game's own");
}

#[test]
fn a13_start_and_end_are_announced_in_advance() {
    let mut desk = Desk::playing(CLASSIC);
    let session = Session { start: on(0, 15, 0), end: None };
    assert_eq!(desk.refuses(Deed::Announce(session)), "END_NOT_ANNOUNCED");
    assert_eq!(desk.refuses(Deed::Announce(Session { end: Some(on(0, 15, 0)), ..session })), "BAD_SESSION");
    let mut desk = Desk::adjourned(CLASSIC, SPANISH);
    let without_end = Resumption { session: Session { start: on(1, 10, 0), end: None }, ..resumption() };
    assert_eq!(desk.refuses(Deed::Appoint(without_end)), "END_NOT_ANNOUNCED");
    desk.now = on(1, 10, 0);
    assert_eq!(desk.refuses(Deed::Appoint(resumption())), "NOT_IN_ADVANCE");
}

#[test]
fn every_edition_has_its_procedure() {
    for edition in flagfall_rules::laws::EDITIONS {
        assert!(of_edition(edition.id).is_some(), "{}", edition.id);
    }
    let of = |id| of_edition(id).map(|procedure| (procedure.id, procedure.articles.flag, procedure.articles.late));
    assert_eq!(of("rf-2011"), Some(("adjournment-classic", "6.10", "A10")));
    assert_eq!(of("fide-2009"), Some(("adjournment-classic-2009", "6.9", "G.10?")));
    assert_eq!(of("fide-2018"), Some(("adjournment-guidelines", "6.9", "I.10?")));
    assert_eq!(procedure("adjournment-guidelines").map(|found| found.default_time), Some(0));
    assert!(procedure("postal").is_none() && of_edition("fide-1997").is_none());
}
