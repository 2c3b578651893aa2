//! Moves that were made while nobody read the clock: the score has a gap, so nobody is accused by it and nothing that depends on the
//! position is ruled, until the board and the score agree again.

use flagfall_rules::{
    clock::{Colour, Place},
    game::{Act, Alarm, DeviceAct, Fault},
};

use crate::table::Table;

/// An external clock, whose control nobody stated: 1.d4 Nh6 2.e4 Na6 were seen, then the Pi was dark.
fn dark() -> Table {
    let mut t = Table::open("fide-2023", "", None);
    t.report(1);
    t.show();
    t.start();
    t.play("d2d4 g8h6 e2e4 b8a6");
    assert_eq!(t.moves(), "d2d4 g8h6 e2e4 b8a6");
    t.now += 60_000;
    t
}

fn unread(t: &mut Table) {
    t.device(DeviceAct::Fault(Fault::PressesMissed, String::new()));
    assert_eq!(t.game.alarms.last().map(|(alarm, _)| *alarm), Some(Alarm::Lost));
}

/// 3.Bc4 d5 were not seen. White holds his bishop, 4.Bd3, when the board is read again, and Black answers 4…Bh3.
fn play_on(t: &mut Table) {
    t.fen("r1bqkb1r/ppp1pppp/n6n/3p4/3PP3/8/PPP2PPP/RNBQK1NR");
    t.fen("r1bqkb1r/ppp1pppp/n6n/3p4/3PP3/3B4/PPP2PPP/RNBQK1NR");
    t.press(None);
    t.quiet();
    t.carry("c8", "h3");
    t.press(None);
    t.quiet();
}

#[test]
fn a_legal_move_after_moves_that_nobody_heard_accuses_nobody() {
    let mut t = dark();
    unread(&mut t);
    play_on(&mut t);
    assert_eq!((t.found(), t.game.open_case()), (vec![], None));
    assert_eq!(t.game.directives.len(), 1, "the clock was not stopped for it");
}

#[test]
fn the_same_board_without_a_gap_in_the_presses_is_evidence() {
    let mut t = dark();
    play_on(&mut t);
    assert_eq!(t.found(), ["displaced 7.4.1 ply 6 black discretion"], "only the pawn's move was ever pressed for");
}

#[test]
fn a_gap_that_the_board_explains_closes_again() {
    let mut t = dark();
    unread(&mut t);
    // 3.Bc4 d5 stand on the board, and White plays 4.Bd3 from there: three plies, one press, and only one way to it.
    t.fen("r1bqkb1r/ppp1pppp/n6n/3p4/2BPP3/8/PPP2PPP/RNBQK1NR");
    t.quiet();
    t.carry("c4", "d3");
    t.press(None);
    assert_eq!(t.moves(), "d2d4 g8h6 e2e4 b8a6 f1c4 d7d5 c4d3");
    assert_eq!(t.found(), [] as [&str; 0], "nobody forgot to press");
    // The score is that of the board again: what is done wrong now is found.
    t.press(None);
    t.quiet();
    assert_eq!(t.found(), ["press_without_move 7.5.3 ply 8 black fixed"]);
}

#[test]
fn a_gap_that_the_arbiter_closes_is_closed() {
    let mut t = dark();
    unread(&mut t);
    play_on(&mut t);
    let position = Some("r2qkb1r/ppp1pppp/n6n/3p4/3PP3/3B3b/PPP2PPP/RNBQK1NR w KQkq - 0 5".into());
    let (hands, turn, white_place) = (t.face.hands, Colour::White, Place::Left);
    let set = Act::Set { hands, turn, run: true, white_place, position };
    t.desk(flagfall_rules::game::DeskAct::Direct(set, Default::default(), Default::default())).expect("issued");
    t.obey();
    t.carry("e1", "e3");
    t.press(None);
    t.quiet();
    // Five plies are in the score: this is the sixth of those that are known.
    assert_eq!(t.found(), ["illegal_move 7.5.1 ply 6 white fixed"]);
}

#[test]
fn a_flag_where_the_position_is_not_known_is_for_the_arbiter() {
    // By the score White has a bare king and Black's flag would give a draw; but who knows what was taken meanwhile.
    let mut t = Table::open("fide-2023", "", Some("4k3/p7/8/8/8/8/8/4K3 w - - 0 1"));
    t.report(1);
    t.show();
    t.start();
    t.play("e1e2");
    unread(&mut t);
    t.flag(Colour::Black);
    assert_eq!(t.found(), ["flag_in_doubt 6.9 ply 2 black discretion"]);
    t.obey();
    // Nor is the control known, and so not how many moves there had to be.
    assert_eq!((t.ways(), t.result().as_str()), (vec!["lost", "drawn", "play_on"], "*"));
}
