//! What an arbiter tells the clock himself, and the results he enters.

use flagfall_rules::{
    clock::{Colour, Going, Place},
    game::{
        Act, Alarm, Amount, Claim, DeskAct, DeviceAct, Facts, Irregularity, Outcome, Refusal, RejectReason, Report,
        Stage,
    },
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

/// A clock without a board on which each has pressed once.
fn pressed_once() -> Table {
    let mut t = Table::open("fide-2018", "40/5400+30:1800+30", None);
    t.report(1);
    t.start();
    t.press(Some(90 * M));
    t.press(Some(90 * M));
    t
}

/// The arbiter puts the counters right, and the clock runs on.
fn put_right(t: &mut Table, counters: [u32; 2]) {
    let mut hands = t.face.hands;
    (hands[0].moves, hands[1].moves) = (counters[0], counters[1]);
    let (turn, white_place) = (t.face.turn, t.face.white_place);
    direct(t, Act::Set { hands, turn, run: true, white_place, position: None }).expect("issued");
}

fn completed(t: &Table) -> [u32; 2] {
    Colour::BOTH.map(|colour| t.game.completed(colour))
}

fn two_hands(t: &mut Table, by: Colour) {
    let (note, facts) = (String::new(), Facts::default());
    t.desk(DeskAct::Irregularity { kind: Irregularity::TwoHands, by, ply: None, note, facts }).expect("admitted");
    t.obey();
}

#[test]
fn counters_put_right_by_hand_are_counted_on_from() {
    let mut t = pressed_once();
    put_right(&mut t, [39, 39]);
    t.obey();
    assert_eq!(completed(&t), [39, 39]);
    // White's 40th at 5:00: with it come 0:30 and the half hour of the second period.
    t.face.hands[0].period = 1;
    t.press(Some(35 * M + 30_000));
    assert_eq!(completed(&t), [40, 39]);
    two_hands(&mut t, Colour::White);
    t.choose("penalty");
    t.obey();
    assert_eq!((t.clocks()[0], t.counters(), t.face.hands[0].period), (Some(5 * M), [39, 39], 0));
    assert_eq!(completed(&t), [39, 39]);
}

#[test]
fn moves_made_before_the_counters_were_put_right_are_counted_down() {
    let mut t = pressed_once();
    put_right(&mut t, [17, 17]);
    t.obey();
    two_hands(&mut t, Colour::Black);
    assert_eq!(t.counters(), [17, 16]);
}

#[test]
fn a_counter_that_is_left_as_the_clock_shows_it_says_nothing() {
    let mut t = pressed_once();
    // The clock has lost White's press, which is on record: nobody says that he has not moved.
    t.face.hands[0].moves = 0;
    t.device(DeviceAct::Call(None));
    put_right(&mut t, [0, 7]);
    t.obey();
    assert_eq!(completed(&t), [1, 7]);
    t.set(60 * M, 61 * M);
    assert_eq!(completed(&t), [1, 7], "times alone were set");
    t.desk(DeskAct::Move { device: "another".into(), note: String::new() }).expect("goes on there");
    t.other_clock(0);
    t.obey();
    assert_eq!((t.counters(), completed(&t)), ([0, 7], [1, 7]), "another clock shows what that one showed");
}

#[test]
fn counters_that_came_too_late_are_no_fact() {
    let mut t = pressed_once();
    put_right(&mut t, [39, 39]);
    let (stage, reason) = (Stage::Rejected, Some(RejectReason::Overtaken));
    t.device(DeviceAct::Report(Report { rev: 2, stage, reason, before: None }));
    assert_eq!(completed(&t), [1, 1]);
}

#[test]
fn no_time_given_by_hand_makes_a_flag_fall_or_goes_over_ten_hours() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.play("e2e4 e7e5");
    let set = |t: &Table, white: i64, run| {
        let mut hands = t.face.hands;
        (hands[0].left, hands[0].flagged) = (Some(white), false);
        Act::Set { hands, turn: Colour::White, run, white_place: Place::Left, position: None }
    };
    let before = t.game.clone();
    for wrong in [0, 600 * M + 1] {
        let act = set(&t, wrong, false);
        assert_eq!(direct(&mut t, act), Err(Refusal::BadAmount(Amount::Time(wrong))));
    }
    // White has 60 minutes and 30 seconds: nine hours more are ten and a half minutes too much.
    assert_eq!(
        direct(&mut t, Act::Add(Colour::White, 540 * M)),
        Err(Refusal::BadAmount(Amount::Time(600 * M + 30_000)))
    );
    assert_eq!(t.game, before);
    direct(&mut t, Act::Add(Colour::White, 539 * M)).expect("nine hours and 59 and a half minutes in all");
    let act = set(&t, 600 * M, false);
    direct(&mut t, act).expect("ten hours");
}

#[test]
fn a_flag_that_is_down_stays_down_where_its_time_is_left_alone() {
    let mut t = dismissed("fide-2018");
    let set = |t: &Table, run| {
        let mut hands = t.face.hands;
        (hands[0].flagged, hands[0].moves) = (false, 40);
        Act::Set { hands, turn: Colour::White, run, white_place: Place::Left, position: None }
    };
    let act = set(&t, true);
    assert_eq!(direct(&mut t, act), Err(Refusal::FlagDown(Colour::White)));
    let act = set(&t, false);
    direct(&mut t, act).expect("his counter is put right");
    t.obey();
    assert_eq!((t.clocks()[0], t.face.hands[0].flagged, t.counters()[0]), (Some(0), true, 40));
}

#[test]
fn the_sides_are_changed_by_the_desk_and_that_is_no_alarm() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    let (hands, turn) = (t.face.hands, t.face.turn);
    direct(&mut t, Act::Set { hands, turn, run: false, white_place: Place::Right, position: None }).expect("swapped");
    t.face.white_place = Place::Right;
    t.obey();
    assert_eq!((t.game.setup.white_place, t.game.alarms.len()), (Place::Right, 0));
    // Turned round again by hand, it is.
    t.face.white_place = Place::Left;
    t.device(DeviceAct::Resumed);
    assert_eq!(t.game.alarms.iter().map(|(alarm, _)| *alarm).collect::<Vec<_>>(), [Alarm::Binding]);
}
