//! What play goes on from where nobody stepped in on an illegal move: the men as they stand, also after a ruling has gone back to them.

use flagfall_rules::{
    clock::{Colour, Place},
    game::{Act, Alarm, Claim, DeskAct, Event, Facts, Game, Irregularity},
    laws::Play,
};
use proptest::{collection::vec, prelude::*};

use crate::table::Table;

/// White is in check from the rook on e2.
const BEFORE: &str = "r3k3/8/8/8/8/8/4r3/4K2R w - - 0 30";

/// He plays Rh1-h2 all the same.
const MEN: &str = "r3k3/8/8/8/8/8/4r2R/4K3 b - - 1 30";

fn after_a_king_left_in_check() -> Table {
    let mut t = Table::playing("fide-2018", Play::Blitz, "180+2", Some(BEFORE));
    t.carry("h1", "h2");
    t.press(None);
    t.quiet();
    t
}

/// Black takes the king, and White claims.
fn after_the_king_was_taken_and_claimed() -> Table {
    let mut t = after_a_king_left_in_check();
    t.carry("e2", "e1");
    t.press(None);
    t.quiet();
    let (by, claim, note) = (Colour::White, Claim::IllegalMove, String::new());
    t.desk(DeskAct::Claim { by, claim, note, facts: Facts::default() }).expect("claimed");
    t.obey();
    t
}

/// The position of the last directive that sets one.
fn shown(t: &Table) -> Option<&str> {
    t.game.directives.iter().rev().find_map(|sent| match &sent.directive.act {
        Act::Set { position, .. } => position.as_deref(),
        _ => None,
    })
}

#[test]
fn a_ruling_goes_back_to_the_men_that_stood_there_and_play_goes_on_from_them() {
    let mut t = after_the_king_was_taken_and_claimed();
    assert_eq!((t.moves().as_str(), shown(&t)), ("h1h2", Some(MEN)));
    assert_eq!((t.game.fen().as_str(), t.game.to_move()), (MEN, Colour::Black));
    assert!(!t.game.position_is_known());
    t.resume();
    t.carry("e2", "");
    t.carry("h2", "");
    t.fen("r3k3/8/8/8/8/8/7r/4K3");
    t.press(None);
    t.quiet();
    t.play("e1d1 a8a1");
    assert_eq!(t.moves(), "h1h2 e2h2 e1d1 a8a1");
    // But for the king that was taken there was nothing to alarm anybody of.
    assert!(t.game.position_is_known() && t.game.alarms.iter().all(|(alarm, _)| *alarm == Alarm::ImpossibleBoard));
}

#[test]
fn a_game_that_goes_to_another_clock_is_set_up_there_as_it_stands() {
    let mut t = after_a_king_left_in_check();
    t.desk(DeskAct::Move { device: "e".into(), note: "its clock died".into() }).expect("moved");
    assert_eq!((t.game.known_fen().as_deref(), shown(&t)), (Some(MEN), Some(MEN)));
    assert_eq!(t.game.board(), t.board);
}

#[test]
fn a_position_set_by_hand_is_the_one_to_play_on_from_also_where_it_was_the_last_that_was_one() {
    let mut t = after_a_king_left_in_check();
    let (mut hands, turn) = (t.face.hands, Colour::White);
    hands[0].moves -= 1;
    let set = Act::Set { hands, turn, run: true, white_place: Place::Left, position: Some(BEFORE.into()) };
    t.desk(DeskAct::Direct(set, Default::default(), Default::default())).expect("set");
    t.obey();
    t.resume();
    assert_eq!((t.game.fen().as_str(), t.game.position_is_known()), (BEFORE, true));
    t.play("e1e2 e8e7");
    assert_eq!(t.moves(), "h1h2 e1e2 e8e7");
    assert!(t.game.alarms.is_empty(), "{:?}", t.game.alarms);
}

/// Rulings of before said of such a board that it goes back to the last position of chess, and the clock was told so.
#[test]
fn what_an_older_journal_has_put_on_the_board_stands_there() {
    let mut older = after_the_king_was_taken_and_claimed().events;
    for event in &mut older {
        match event {
            Event::Ruled(ruling) if ruling.remedy.position.is_some() => ruling.remedy.position = Some(BEFORE.into()),
            Event::Issued(directive) => {
                if let Act::Set { position: Some(text), .. } = &mut directive.act {
                    *text = BEFORE.into();
                }
            }
            _ => {}
        }
    }
    let game = Game::replay("g", &older);
    assert_eq!((game.fen().as_str(), game.to_move(), game.plies.len()), (BEFORE, Colour::White, 1));
    assert!(game.adrift().is_none());
}

/// One of the mover's men is carried to this square, whatever the Laws say; or he only presses.
fn carry_any(t: &mut Table, man: usize, to: u8) {
    let by = t.face.turn;
    let is_his = |square: u8| t.board.at(square).is_some_and(|man| man.colour == by);
    let men: Vec<u8> = (0..64).filter(|&square| is_his(square)).collect();
    let Some(&from) = men.get(man % 20) else { return };
    let man = t.board.at(from);
    if !is_his(to) {
        t.board.put(from, None);
        t.board.put(to, man);
        t.show();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever was played, legal or not, a ruling on the last of it brings back what stood there before.
    #[test]
    fn what_is_annulled_gives_back_what_stood_before_it(steps in vec((0..24usize, 0..64u8, 0..3u8), 1..16)) {
        let start = "r3k2r/p6p/8/3q4/3Q4/8/P6P/R3K2R w KQkq - 0 20";
        let mut t = Table::playing("fide-2018", Play::Blitz, "180+2", Some(start));
        t.overlay(|overlay| overlay.loses_at = Some(100));
        let mut stood = vec![t.game.fen()];
        for (man, to, then) in steps {
            carry_any(&mut t, man, to);
            t.press(None);
            t.quiet();
            t.obey();
            if t.game.ended.is_some() || t.game.lost || t.game.plies.len() != stood.len() {
                break;
            }
            stood.push(t.game.fen());
            let by = t.face.turn.other();
            if then == 0 {
                let facts = Facts { claimed: true, ..Facts::default() };
                let (kind, note) = (Irregularity::TwoHands, String::new());
                t.desk(DeskAct::Irregularity { kind, by, ply: None, note, facts }).expect("reported");
                t.obey();
                if let Some(way) = t.game.open_case().and_then(|_| t.ways().first().map(ToString::to_string)) {
                    t.choose(&way);
                    t.obey();
                }
                if t.game.ended.is_some() {
                    break;
                }
                // What was punished at this ply already is not taken back once more.
                if t.game.plies.len() + 1 < stood.len() {
                    stood.truncate(t.game.plies.len() + 1);
                    prop_assert_eq!((t.game.to_move(), t.face.turn), (by, by));
                }
                prop_assert_eq!(stood.last(), Some(&t.game.fen()));
                t.resume();
            }
        }
    }
}
