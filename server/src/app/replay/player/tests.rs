use super::*;
use crate::app::replay::{lexer, pgn};

fn game(text: &str) -> PgnGame {
    pgn::read(lexer::games(text).swap_remove(0))
}

fn view(player: &Player, going: Going) -> View<'static> {
    View { going, turn: player.turn, left: player.reckoning.shown(), position: "" }
}

/// Plays on a clock that nobody stops, and returns everything sensed.
fn played(player: &mut Player) -> Vec<Sensed> {
    let mut all = player.opening();
    while let Deed::Act(senses) = player.next(&view(player, Going::Running)) {
        assert!(!senses.is_empty());
        all.extend(senses);
    }
    all.extend(player.linger());
    all
}

fn boards(senses: &[Sensed]) -> Vec<Scan> {
    senses.iter().filter_map(|s| if let Sense::Board(scan) = s.sense { Some(scan) } else { None }).collect()
}

const LONG: &str = "[TimeControl \"900+10\"]\n\n1. e4 {[%clk 0:15:09]} d5 {[%clk 0:15:00]} 2. e5 {[%clk 0:14:50]} f5 {[%clk 0:14:10]} 3. exf6 {[%clk 0:14:00]} Nc6 4. fxg7 {[%clk 0:13:00]} Bf5 {[%clk 0:00:00]} 5. gxh8=Q {[%clk 0:12:00]} Qd7 {[%clk 0:13:30]} 6. Nf3 O-O-O 7. Be2 Nb8 8. O-O a6 1-0";

#[test]
fn the_board_ends_in_the_last_position_and_time_never_runs_back() {
    let game = game(LONG);
    assert_eq!((game.moves.len(), game.faults.len()), (16, 0), "{:?}", game.faults);
    let mut player = Player::new(&game, &[]);
    let all = played(&mut player);
    assert!(all.is_sorted_by_key(|sensed| sensed.at));
    let last = infer::scan(&player.positions[16]);
    assert_eq!(boards(&all).last(), Some(&last));
    let turns: Vec<_> = all
        .iter()
        .filter_map(|s| if let Sense::Dial(d) = s.sense { d.running.then_some(d.turn) } else { None })
        .collect();
    let switches = turns.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!((switches, player.played(), player.faults().len()), (16, 16, 0));
}

#[test]
fn an_illegal_move_is_undone_when_the_arbiter_says_so_and_the_ply_follows() {
    let game = game(LONG);
    let mut player = Player::new(&game, &["3:illegal_move".parse().expect("an injection")]);
    player.opening();
    for _ in 0..2 {
        player.next(&view(&player, Going::Running));
    }
    let before = player.board;
    let Deed::Act(_) = player.next(&view(&player, Going::Running)) else { panic!("a misplay") };
    assert_ne!(player.board, before);
    let stopped = Face {
        going: Going::Paused,
        turn: Colour::White,
        hands: [Some(900_000), Some(1_020_000)].map(flagfall_rules::clock::Hand::fresh),
        ..Face::unknown(Place::Left)
    };
    player.answer(&stopped);
    let fen = shakmaty::fen::Fen::from_position(&player.positions[2], shakmaty::EnPassantMode::Legal).to_string();
    let left = player.reckoning.shown();
    assert_eq!(left, [Some(900_000), Some(1_020_000)]);
    let view_ = View { going: Going::Paused, turn: Colour::White, left, position: &fen };
    let Deed::Act(restored) = player.next(&view_) else { panic!("restored") };
    assert_eq!((player.board, player.next), (before, 2));
    assert!(matches!(restored.last(), Some(Sensed { sense: Sense::Dial(dial), .. }) if dial.running));
    player.next(&view(&player, Going::Running));
    assert_eq!((player.next, player.faults.len()), (3, 0));
}

#[test]
fn what_nobody_notices_ends_the_play_with_a_fault() {
    let game = game(LONG);
    let mut player = Player::new(&game, &["2:press_without_move".parse().expect("an injection")]);
    played(&mut player);
    assert_eq!((player.played(), player.faults.len(), player.faults[0].ply), (1, 1, 2));
}

#[test]
fn what_a_game_does_not_have_is_a_fault_and_the_game_is_played() {
    let game = game("1. e4 e5 2. Nf3 *");
    let orders = ["1:pawn_left", "9:displaced", "2:clock_jump"].map(|text| text.parse().expect("an injection"));
    let mut player = Player::new(&game, &orders);
    played(&mut player);
    assert_eq!(player.played(), 3);
    assert_eq!(player.faults.iter().map(|fault| fault.ply).collect::<Vec<_>>(), [1, 9, 2]);
}

#[test]
fn a_turned_board_is_seen_turned_until_the_position_is_transferred() {
    let game = game("1. e4 e5 *");
    let mut player = Player::new(&game, &["1:board_turned".parse().expect("an injection")]);
    let right = infer::scan(&game.start);
    assert_eq!(boards(&player.opening()), [right.turned(Turn::ThreeQuarters)]);
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let Deed::Act(senses) = player.next(&View { position: fen, ..view(&player, Going::Paused) }) else { panic!() };
    assert_eq!(boards(&senses), [right]);
}
