//! What play goes on from where nobody stepped in on an illegal move: the men as they stand, also after a ruling has gone back to them.

use flagfall_rules::{
    clock::{Colour, Place},
    game::{Act, Alarm, Claim, DeskAct, Event, Facts, Game},
    laws::Play,
};

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
