//! A game that goes on on another clock.

use flagfall_rules::{
    adjourn::{Deed, Phase},
    clock::{Colour, Going},
    game::{Act, DeskAct, Refusal, Stage},
};

use crate::table::Table;

const M: i64 = 60_000;

fn go(t: &mut Table, device: &str) -> Result<(), Refusal> {
    t.desk(DeskAct::Move { device: device.into(), note: "its clock has another game".into() })
}

fn acts(t: &Table, from: usize) -> Vec<&'static str> {
    let name = |act: &Act| match act {
        Act::Prepare { .. } => "prepare",
        Act::Stop => "stop",
        Act::Set { run: true, .. } => "run",
        Act::Set { .. } => "set",
        _ => "other",
    };
    t.game.directives[from..].iter().map(|sent| name(&sent.directive.act)).collect()
}

#[test]
fn an_adjourned_game_is_set_up_on_another_clock_and_goes_on_there() {
    let mut t = Table::adjourned("rf-2011", "3600+30", "e2e4 e7e5");
    let before = t.game.directives.len();
    go(&mut t, "e").expect("moved");
    assert_eq!(acts(&t, before), ["stop", "prepare", "set"]);
    let directives = &t.game.directives[before..];
    assert_eq!(directives[0].stage, Stage::Unknown, "nobody will hear of it");
    assert!(directives.iter().all(|sent| sent.directive.as_of_seq == 0), "the other clock counts anew");
    assert_eq!((t.game.setup.device.as_str(), t.game.seq, t.game.left_rev), ("e", 0, before as u64 + 1));
    assert_eq!(t.phase(), Phase::Adjourned);

    t.other_clock(300);
    t.obey();
    assert_eq!((t.face.going, t.face.turn), (Going::Paused, Colour::Black));
    assert_eq!(t.clocks(), [Some(42 * M), Some(60 * M + 30_000)]);
    t.begun([true, true]);
    t.does(Deed::Opened("Nf3".into()));
    t.obey();
    assert_eq!((t.face.going, t.face.turn, t.counters()), (Going::Running, Colour::Black, [2, 1]));
    t.play("b8c6");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 g1f3 b8c6", 0));
}

#[test]
fn a_clock_that_dies_in_the_middle_of_a_game_is_replaced() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.play("e2e4 e7e5 g1f3");
    t.think(5 * M);
    go(&mut t, "e").expect("moved");
    t.other_clock(0);
    t.lies = flagfall_rules::board::Turn::Half;
    t.obey();
    assert_eq!((t.face.going, t.face.turn, t.counters()), (Going::Paused, Colour::Black, [2, 1]));
    // The other board lies the other way round; that is seen from its first scan.
    t.show();
    t.quiet();
    t.face.going = Going::Running;
    t.now += 2_000;
    t.device(flagfall_rules::game::DeviceAct::Resumed);
    t.play("b8c6");
    assert_eq!((t.moves().as_str(), t.found().len()), ("e2e4 e7e5 g1f3 b8c6", 0));
}

#[test]
fn a_game_that_has_not_begun_is_only_prepared() {
    let mut t = Table::open("fide-2018", "3600+30", None);
    go(&mut t, "e").expect("moved");
    assert_eq!(acts(&t, 1), ["stop", "prepare"]);
}

#[test]
fn a_case_that_waited_for_the_former_clock_goes_on_from_what_is_known() {
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.carry("a1", "a4");
    t.press(None);
    t.quiet();
    assert!(t.game.open_case().is_some_and(|case| case.proposal.is_none()));
    go(&mut t, "e").expect("moved");
    assert!(t.game.open_case().is_none(), "the Laws fix what follows");
    t.other_clock(0);
    t.obey();
    assert_eq!(t.game.strikes, [1, 0]);
    assert_eq!(t.clocks(), [Some(60 * M), Some(62 * M + 30_000)]);
}

#[test]
fn a_game_that_is_over_stays_where_it_was() {
    let mut t = Table::started("fide-2018", "3600", None);
    t.desk(DeskAct::Direct(Act::Conclude(flagfall_rules::game::Outcome::Draw), Default::default(), Default::default()))
        .expect("over");
    assert_eq!(go(&mut t, "e"), Err(Refusal::GameOver));
}
