//! What an arbiter tells the clock himself, and the results he enters.

use flagfall_rules::{
    clock::{Colour, Going},
    game::{Act, Alarm, Claim, DeskAct, DeviceAct, Facts, Outcome, Refusal},
    laws::Play,
};

use crate::table::Table;

const M: i64 = 60_000;

fn direct(t: &mut Table, act: Act) -> Result<(), Refusal> {
    t.desk(DeskAct::Direct(act, Default::default(), Default::default()))
}

fn refused(t: &mut Table, act: Act) -> &'static str {
    direct(t, act).expect_err("refused").code()
}

fn dismissed(edition: &str) -> Table {
    let mut t = Table::started(edition, "40/5400+30:1800+30", None);
    t.overlay(|overlay| overlay.confirms = true);
    t.play("e2e4 e7e5");
    t.flag(Colour::White);
    t.obey();
    t.choose("dismiss");
    t.obey();
    assert_eq!((t.clocks()[0], t.face.hands[0].flagged, t.face.going), (Some(0), true, Going::Paused));
    t
}

#[test]
fn nobody_plays_on_at_zero_with_a_flag_that_was_not_upheld() {
    // 6.9: who has no time left has lost, unless the arbiter finds otherwise; then he must give him some, and that can run out again.
    let mut t = dismissed("fide-2018");
    assert_eq!(refused(&mut t, Act::Run), "FLAG_DOWN");
    direct(&mut t, Act::Add(Colour::White, 5 * M)).expect("time is given");
    t.obey();
    assert_eq!((t.clocks()[0], t.face.hands[0].flagged, t.face.going), (Some(5 * M), false, Going::Paused));
    assert_eq!(t.game.flags, []);
    direct(&mut t, Act::Run).expect("he has time");
    t.obey();
    assert_eq!(t.face.going, Going::Running);
    t.flag(Colour::White);
    t.obey();
    assert_eq!(t.game.cases.len(), 2, "his flag falls anew");
}

#[test]
fn a_clock_started_at_zero_by_its_button_calls_the_arbiter() {
    let mut t = dismissed("fide-2018");
    let before = t.game.alarms.len();
    t.face.going = Going::Running;
    t.device(DeviceAct::Resumed);
    let said: Vec<_> = t.game.alarms[before..].iter().map(|(alarm, _)| *alarm).collect();
    assert_eq!(said, [Alarm::FlagAfterControl]);
    // His own clock stands at zero: what it shows is known, and time can be given while it runs.
    direct(&mut t, Act::Add(Colour::White, M)).expect("time is given");
    t.obey();
    assert_eq!((t.clocks()[0], t.face.going), (Some(M), Going::Running));
}

#[test]
fn where_the_flag_can_still_be_called_play_goes_on_at_zero() {
    // A.4.5 of 2018 and A.4d of 2009: a flag that nobody has called yet.
    let mut t = Table::playing("fide-2009", Play::Rapid, "900", None);
    t.play("e2e4 e7e5");
    t.flag(Colour::White);
    direct(&mut t, Act::Stop).expect("a stop");
    t.obey();
    direct(&mut t, Act::Run).expect("the opponent may not have noticed");
}

#[test]
fn a_result_entered_by_a_slip_is_put_right() {
    // 8.7: incorrect, a result stands unless the arbiter decides otherwise.
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    direct(&mut t, Act::Conclude(Outcome::WhiteWins)).expect("a result");
    assert_eq!(t.result(), "1-0 5.2.3");
    assert_eq!(refused(&mut t, Act::Conclude(Outcome::WhiteWins)), "GAME_OVER", "it is right as it is");
    direct(&mut t, Act::Conclude(Outcome::BlackWins)).expect("put right");
    assert_eq!(t.result(), "0-1 8.7");
    assert_eq!(
        t.game.directives.last().map(|sent| sent.directive.act.clone()),
        Some(Act::Conclude(Outcome::BlackWins))
    );
    // The wrong player was entered as the one who resigned.
    let mut t = Table::started("rf-2011", "5400", None);
    t.play("e2e4 e7e5");
    let claim = Claim::Resignation;
    t.desk(DeskAct::Claim { by: Colour::Black, claim, note: String::new(), facts: Facts::default() }).expect("over");
    direct(&mut t, Act::Conclude(Outcome::BlackWins)).expect("put right");
    assert_eq!(t.result(), "0-1 8.7?");
}

#[test]
fn what_ended_on_the_board_or_by_a_flag_is_no_slip() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(t.result(), "0-1 5.1.1");
    assert_eq!(refused(&mut t, Act::Conclude(Outcome::WhiteWins)), "GAME_OVER");
    let mut t = Table::started("fide-2018", "5400+30", None);
    t.play("e2e4 e7e5");
    t.flag(Colour::White);
    assert_eq!(refused(&mut t, Act::Conclude(Outcome::Draw)), "GAME_OVER");
}
