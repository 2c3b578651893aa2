//! What the service notices of a clock, and last words on directives.

use flagfall_rules::{
    clock::{Colour, Going},
    game::{
        Act, Alarm, DeskAct, DeviceAct, Event, Facts, Input, Irregularity, Notice, Outcome, Refusal, RejectReason,
        Report, ServiceAct, Stage, Terms, Words,
    },
    time::Moment,
};

use crate::table::{BOOT, Table};

const M: i64 = 60_000;

fn notice(t: &mut Table, notice: Notice) {
    t.feed(Input::Service(ServiceAct::Noticed(notice))).expect("the service is never refused");
}

/// A heartbeat: the clock as it stands, with nothing having happened on it.
fn shows(t: &mut Table) {
    let (at, face) = (Moment { boot: BOOT, ms: t.now }, t.face);
    notice(t, Notice::Shows { at, face });
}

fn by_hand(t: &mut Table, act: Act, until: Option<Moment>) {
    t.desk(DeskAct::Direct(act, Words::default(), Terms { until, ..Terms::default() })).expect("issued");
}

fn says(t: &mut Table, rev: u64, stage: Stage, reason: Option<RejectReason>) {
    t.device(DeviceAct::Report(Report { rev, stage, reason, before: None }));
}

fn alarms(t: &Table, kind: Alarm) -> Vec<&str> {
    t.game.alarms.iter().filter(|(is, _)| *is == kind).map(|(_, text)| text.as_str()).collect()
}

#[test]
fn row_17_a_clock_that_was_replaced_is_told_how_the_game_stands() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.play("e2e4 e7e5 g1f3");
    t.think(5 * M);
    by_hand(&mut t, Act::Stop, None);
    notice(&mut t, Notice::Replaced);
    let [.., stop, prepare] = &t.game.directives[..] else { panic!("two directives") };
    assert_eq!((stop.directive.rev, stop.stage, stop.is_final()), (2, Stage::Unknown, false));
    let Act::Prepare { stands: Some(stands), position, .. } = &prepare.directive.act else { panic!("{prepare:?}") };
    assert_eq!((stands.going, stands.turn), (Going::Paused, Colour::Black));
    assert_eq!(
        stands.hands.map(|hand| (hand.left, hand.moves)),
        [(Some(60 * M + 30_000), 2), (Some(60 * M + 30_000), 1)]
    );
    assert!(position.starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/"), "{position}");
    assert!(alarms(&t, Alarm::Device)[0].contains("another clock has come in the place"));

    // The newcomer presses before it has the game, and refuses what it was never told: neither is the game's.
    t.other_clock(0);
    t.face.turn = Colour::Black;
    t.press(None);
    says(&mut t, 2, Stage::Rejected, Some(RejectReason::Revision));
    assert_eq!((t.moves().as_str(), t.game.directives[1].stage), ("e2e4 e7e5 g1f3", Stage::Unknown));
    t.obey();
    assert_eq!((t.face.going, t.counters()), (Going::Paused, [2, 1]));
    t.show();
    t.quiet();
    t.face.going = Going::Running;
    t.now += 2_000;
    t.device(DeviceAct::Resumed);
    t.play("b8c6");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 g1f3 b8c6", 0));
}

#[test]
fn another_clock_takes_the_game_on_as_the_former_one_last_showed_it() {
    for replaced in [false, true] {
        let mut t = Table::started("fide-2018", "3600+30", None);
        t.play("e2e4 e7e5 g1f3");
        t.think(25 * M);
        shows(&mut t);
        t.think(3_000);
        match replaced {
            true => notice(&mut t, Notice::Replaced),
            false => t.desk(DeskAct::Move { device: "e".into(), note: String::new() }).expect("moved"),
        }
        t.other_clock(0);
        t.obey();
        // Black has thought for 25 minutes of his 60 and 30 s when the clock was last heard of; 3 s more nobody knows of.
        assert_eq!(t.clocks(), [Some(60 * M + 30_000), Some(35 * M + 30_000)]);
        assert_eq!((t.face.going, t.face.turn, t.counters()), (Going::Paused, Colour::Black, [2, 1]));
    }
}

#[test]
fn what_is_reported_while_a_clock_runs_goes_by_what_it_shows() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.play("e2e4 e7e5 g1f3");
    t.think(10 * M);
    shows(&mut t);
    let (by, note) = (Colour::White, String::new());
    let kind = Irregularity::TouchMove;
    t.desk(DeskAct::Irregularity { kind, by, ply: None, note, facts: Facts::default() }).expect("admitted");
    let then = t.game.cases[0].finding.evidence.face;
    assert_eq!(then.hands.map(|hand| hand.left), [Some(60 * M + 30_000), Some(50 * M + 30_000)]);
}

#[test]
fn a_heartbeat_only_runs_a_clock_down() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.play("e2e4");
    let before = t.game.clone();
    // A press that is still on its way says it itself.
    (t.face.turn, t.face.hands[1].moves) = (Colour::White, 1);
    shows(&mut t);
    t.face.going = Going::Paused;
    shows(&mut t);
    assert_eq!(t.game, before);
}

#[test]
fn an_adjourned_game_has_the_times_of_its_envelope_whatever_its_clock_shows() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    t.face.going = Going::Running;
    t.device(DeviceAct::Resumed);
    t.think(5 * M);
    shows(&mut t);
    t.desk(DeskAct::Move { device: "e".into(), note: String::new() }).expect("moved");
    t.other_clock(0);
    t.obey();
    assert_eq!(t.clocks(), [Some(42 * M), Some(60 * M + 30_000)]);
}

#[test]
fn row_17_a_game_that_is_over_is_no_business_of_a_replacement() {
    let mut t = Table::started("fide-2018", "3600", None);
    by_hand(&mut t, Act::Conclude(Outcome::Draw), None);
    let before = t.game.clone();
    notice(&mut t, Notice::Replaced);
    assert_eq!(t.game, before);
}

#[test]
fn row_28_a_lasting_difference_is_an_alarm_once() {
    let mut t = Table::started("fide-2018", "3600", None);
    for _ in 0..2 {
        notice(&mut t, Notice::Differs(0));
        notice(&mut t, Notice::Trouble("a plug is loose".into()));
    }
    let [differs] = alarms(&t, Alarm::Directive)[..] else { panic!("one alarm") };
    assert!(differs.starts_with("the clock has handled directives up to 0 and 1 are wanted of it"), "{differs}");
    assert_eq!(alarms(&t, Alarm::Device), ["a plug is loose"]);
}

#[test]
fn numbers_that_a_lost_record_gave_are_not_given_again() {
    let mut t = Table::started("fide-2018", "3600", None);
    notice(&mut t, Notice::Differs(4));
    assert_eq!(t.events.iter().filter(|event| matches!(event, Event::Lapsed(4))).count(), 1);
    assert_eq!((t.game.rev(), t.game.directives[3].is_final()), (4, true));
    by_hand(&mut t, Act::Stop, None);
    assert_eq!(t.game.directives[4].directive.rev, 5);
    // What no clock can have done is not believed.
    notice(&mut t, Notice::Differs(u64::MAX));
    assert_eq!(t.game.rev(), 5);
}

#[test]
fn row_26_new_times_replace_those_on_their_way_and_a_result_everything() {
    let mut t = Table::started("fide-2018", "3600", None);
    let set = |t: &Table, left| {
        let mut hands = t.face.hands;
        hands[0].left = Some(left);
        let (turn, white_place) = (t.face.turn, t.face.white_place);
        Act::Set { hands, turn, run: false, white_place, position: None }
    };
    by_hand(&mut t, Act::Stop, None);
    by_hand(&mut t, Act::Add(Colour::White, M), None);
    let first = set(&t, M);
    by_hand(&mut t, first, None);
    let second = set(&t, 2 * M);
    by_hand(&mut t, second, None);
    by_hand(&mut t, Act::Show, None);
    let replaced = |t: &Table| t.game.directives.last().expect("one").directive.supersedes.clone();
    assert_eq!(t.game.directives[3].directive.supersedes, [3], "the added minute is in the time that is set");
    assert_eq!(t.game.directives[4].directive.supersedes, [3, 4]);
    says(&mut t, 2, Stage::Applied, None);
    by_hand(&mut t, Act::Conclude(Outcome::Draw), None);
    assert_eq!(replaced(&t), [3, 4, 5, 6], "the stop was carried out");
    says(&mut t, 4, Stage::Rejected, Some(RejectReason::Superseded));
    assert_eq!(alarms(&t, Alarm::Directive), [] as [&str; 0]);
}

#[test]
fn row_26_words_alone_may_come_too_late() {
    let mut t = Table::started("fide-2018", "3600", None);
    let until = Some(Moment { boot: BOOT, ms: 90_000 });
    by_hand(&mut t, Act::Show, until);
    by_hand(&mut t, Act::Stop, until);
    assert_eq!([1, 2].map(|at| t.game.directives[at].directive.not_after), [until, None]);
}

#[test]
fn row_28_what_the_clock_itself_cannot_tell_is_a_last_word() {
    let mut t = Table::started("fide-2018", "3600", None);
    by_hand(&mut t, Act::Add(Colour::White, M), None);
    let unknown = (Stage::Unknown, Some(RejectReason::Display));
    says(&mut t, 2, unknown.0, unknown.1);
    says(&mut t, 2, Stage::Applied, None);
    assert_eq!((t.game.directives[1].stage, t.game.directives[1].reason), unknown);
    assert_eq!(alarms(&t, Alarm::Directive), ["nobody knows whether directive 2 is on the clock: read it and set it"]);
}

/// An arbiter adds two minutes to Black, going by what the clock had shown up to that event.
fn add_as_of(t: &mut Table, as_of: u64) -> Result<(), Refusal> {
    let terms = Terms { as_of, ..Terms::default() };
    t.desk(DeskAct::Direct(Act::Add(Colour::Black, 2 * M), Words::default(), terms))
}

#[test]
fn time_added_on_the_ground_of_a_reading_is_refused_once_a_move_is_completed() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    let seen = t.game.seq;
    // A board and a stop of the clock change no time that the arbiter goes by.
    t.carry("e2", "e4");
    add_as_of(&mut t, seen).expect("nothing has happened since");
    assert_eq!(t.game.directives.last().map(|sent| sent.directive.as_of_seq), Some(seen), "the clock looks too");
    t.obey();
    let seen = t.game.seq;
    t.press(None);
    assert_eq!(add_as_of(&mut t, seen), Err(Refusal::Overtaken));
    add_as_of(&mut t, 0).expect("without a condition it holds whatever happens");
}

#[test]
fn of_two_arbiters_who_add_time_for_one_thing_the_second_is_told() {
    let mut t = Table::started("fide-2018", "5400+30", None);
    let seen = t.game.seq;
    add_as_of(&mut t, seen).expect("the first");
    assert_eq!(add_as_of(&mut t, seen), Err(Refusal::Overtaken), "it is on its way");
    t.obey();
    assert_eq!(add_as_of(&mut t, seen), Err(Refusal::Overtaken), "it is on the clock");
    let seen = t.game.seq;
    add_as_of(&mut t, seen).expect("whoever has seen the first may add more");
    // There is no word of it: whoever has seen that is not kept waiting for ever.
    let rev = t.game.rev();
    t.feed(Input::Service(ServiceAct::Overdue(rev))).expect("no refusal");
    add_as_of(&mut t, seen).expect("nobody is setting the clock as far as is known");
}
