//! A game that goes on on another clock.

use flagfall_rules::{
    adjourn::{Deed, Phase},
    clock::{Colour, Going, Place},
    game::{Act, DeskAct, DeviceAct, Input, Notice, Refusal, ServiceAct, Stage, Terms, Words},
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

/// A clock shows a hundred hours at most, whatever is added to it on the way: more could not be written down and read again.
#[test]
fn a_game_goes_on_with_no_more_than_a_clock_can_show() {
    const LONGEST: i64 = 6_000 * M;
    let mut t = Table::started("fide-2018", "3600+30", None);
    t.play("e2e4 e7e5");
    t.desk(DeskAct::Direct(Act::Add(Colour::White, 60 * M), Words::default(), Terms::default())).expect("an hour more");
    t.face.going = Going::Paused;
    t.face.hands[0].left = Some(LONGEST);
    t.device(DeviceAct::Paused);
    go(&mut t, "e").expect("moved");
    let set = t.game.directives.iter().find_map(|sent| match sent.directive.act {
        Act::Set { hands, .. } => Some(hands[0].left),
        _ => None,
    });
    assert_eq!(set, Some(Some(LONGEST)));
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

/// What the clock is told to set up by the last directive.
fn shown(t: &Table) -> Option<&str> {
    match &t.game.directives.last().expect("a directive").directive.act {
        Act::Prepare { position, .. } => Some(position.as_str()).filter(|position| !position.is_empty()),
        Act::Set { position, .. } => position.as_deref(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nobody_is_told_to_set_up_a_position_that_nobody_has_seen() {
    let begun = || {
        let mut t = Table::open("fide-2018", "3600+30", None);
        t.report(1);
        t.start();
        t
    };
    let mut t = begun();
    t.press(None);
    t.press(None);
    go(&mut t, "e").expect("moved");
    assert_eq!(shown(&t), None);
    let prepare = &t.game.directives[t.game.directives.len() - 2].directive.act;
    assert!(matches!(prepare, Act::Prepare { position, .. } if position.is_empty()), "{prepare:?}");
    t.feed(Input::Service(ServiceAct::Noticed(Notice::Replaced))).expect("never refused");
    assert_eq!(shown(&t), None);

    // What the arbiter gave is known, until the next move.
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let mut t = begun();
    t.press(None);
    t.press(None);
    let (hands, turn) = (t.face.hands, t.face.turn);
    let set = Act::Set { hands, turn, run: true, white_place: Place::Left, position: Some(fen.into()) };
    t.desk(DeskAct::Direct(set, Default::default(), Default::default())).expect("set");
    t.obey();
    assert_eq!(t.game.known_fen().as_deref(), Some(fen));
    go(&mut t, "e").expect("moved");
    assert_eq!(shown(&t), Some(fen));
    t.other_clock(0);
    t.obey();
    t.face.going = Going::Running;
    t.device(flagfall_rules::game::DeviceAct::Resumed);
    t.press(None);
    assert_eq!(t.game.known_fen(), None);
}

#[test]
fn a_sealed_move_is_known_though_no_board_has_shown_one() {
    // Two moves without a board; what stood then the arbiter has written on the envelope.
    let before = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    let mut t = Table::adjourned_blind("rf-2011", "3600+30", before);
    go(&mut t, "e").expect("moved");
    assert_eq!(shown(&t), Some(before));
    t.other_clock(300);
    t.obey();
    t.begun([true, true]);
    t.does(Deed::Opened("Nf3".into()));
    assert_eq!((shown(&t), t.game.known_fen().as_deref()), (Some(after), Some(after)));
    t.obey();
    assert_eq!((t.face.going, t.face.turn, t.counters()), (Going::Running, Colour::Black, [2, 1]));
    t.press(None);
    assert_eq!(t.game.known_fen(), None);
}
