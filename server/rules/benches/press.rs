//! What a press costs: the board as it changes (the man lifted, the man put down) and the press itself with every rule, beside
//! shakmaty's legal move generation of the same positions.
//!
//! `cargo bench -p flagfall-rules --bench press`

use divan::{AllocProfiler, Bencher, black_box, black_box_drop};
use flagfall_rules::{
    board::infer,
    clock::{Colour, Going, Place},
    game::{DeskAct, DeskInput, DeviceAct, DeviceInput, Event, Game, Input, Overlay, Setup, decide, state},
    laws::{self, Edition, Play},
    time::Moment,
};
use shakmaty::{Chess, Position};

/// Its counts of allocations say whether a press allocates more in a longer game.
#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Middlegames as they are met: many moves to choose from, castling open or done, a passed pawn.
const MIDDLEGAMES: [&str; 4] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 9",
    "r3k2r/pp1nbppp/2pqpn2/8/3P2b1/2NBBN2/PPP2PPP/R2Q1RK1 b kq - 0 10",
    "2rq1rk1/1b2bppp/p2ppn2/1p6/3BPP2/P1NB4/1PP1Q1PP/R4RK1 w - - 0 16",
    "r4rk1/1pp1qppp/p1np1n2/4p3/2B1P1b1/2PP1N2/PP2QPPP/R1B2RK1 w - - 0 11",
];

/// How long the game has been going on, in plies.
const LENGTHS: [usize; 3] = [0, 80, 300];

fn main() {
    divan::main();
}

fn edition() -> &'static Edition {
    laws::edition("fide-2023").unwrap_or(laws::EDITIONS[0])
}

/// A game at a middlegame after so many plies of moving about, with the next move's inputs: man in hand, man put down, press.
fn played(fen: &str, plies: usize) -> (Game, [Input; 3]) {
    let setup = Setup {
        game: "bench".into(),
        device: "clock".into(),
        edition: edition().id.into(),
        play: Play::Standard,
        control: "5400+30".parse().ok(),
        white_place: Place::Left,
        position: Some(fen.into()),
        overlay: Overlay::default(),
    };
    let mut game = Game::new("bench");
    let open = DeskInput {
        request: "r".into(),
        actor: "bench".into(),
        wall_ms: 0,
        reason: String::new(),
        act: DeskAct::Open(setup),
    };
    decide(edition(), &mut game, &Input::Desk(open)).expect("the setup is a good one");
    let mut face = game.face;
    face.going = Going::Running;
    let (mut seq, mut now) = (0, 0);
    let mut input = |face, act| {
        (seq, now) = (seq + 1, now + 2_000);
        Input::Device(DeviceInput { seq, at: Moment { boot: 1, ms: now }, face, act })
    };
    let feed = |game: &mut Game, input: &Input| drop(decide(edition(), game, input));
    let board = infer::scan(&game.position);
    feed(&mut game, &input(face, DeviceAct::Scan(board)));
    feed(&mut game, &input(face, DeviceAct::Started));
    for ply in 0..=plies {
        let m = quiet(&game.position, ply);
        let mut next = game.position.clone();
        next.play_unchecked(m);
        let mut in_hand = infer::scan(&game.position);
        in_hand.put(m.from().map_or(0, |square| square as u8), None);
        let by = Colour::from(game.position.turn());
        let inputs = [input(face, DeviceAct::Scan(in_hand)), input(face, DeviceAct::Scan(infer::scan(&next))), {
            face.turn = by.other();
            face.hand_mut(by).moves += 1;
            input(face, DeviceAct::Press(by))
        }];
        if ply == plies {
            return (game, inputs);
        }
        inputs.iter().for_each(|input| feed(&mut game, input));
        assert_eq!(game.plies.len(), ply + 1, "every move is followed");
        // No draw by seventy-five moves or repetition ends the bench.
        game.plies.iter_mut().zip(0..).for_each(|(ply, n)| ply.position = n);
        game.position = state::position(&without_count(&game.fen())).expect("the same position");
    }
    unreachable!("the last ply returns")
}

/// The position with its count of quiet plies taken back to zero.
fn without_count(fen: &str) -> String {
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[4] = "0";
    fields.join(" ")
}

/// A move that takes nothing and can be taken back: knights, bishops, rooks and queens going about.
fn quiet(position: &Chess, ply: usize) -> shakmaty::Move {
    let moves = position.legal_moves();
    let safe = |m: &&shakmaty::Move| {
        let mut next = position.clone();
        next.play_unchecked(**m);
        !m.is_capture() && !m.is_zeroing() && !m.is_castle() && !next.is_game_over() && !next.is_check()
    };
    let quiet: Vec<_> = moves.iter().filter(safe).collect();
    *quiet[(ply * 7 + 3) % quiet.len()]
}

/// A copy with room for the next ply: a copy has none, and a live game seldom lacks it.
fn roomy((game, inputs): &(Game, [Input; 3])) -> (Game, [Input; 3]) {
    let mut game = game.clone();
    game.plies.reserve(8);
    (game, inputs.clone())
}

/// Board and press: the whole of a move, as the service hears it.
#[divan::bench(args = LENGTHS)]
fn move_and_press(bencher: Bencher<'_, '_>, plies: usize) {
    let games: Vec<_> = MIDDLEGAMES.iter().map(|fen| played(fen, plies)).collect();
    let mut turn = 0;
    let next = || {
        turn += 1;
        roomy(&games[turn % games.len()])
    };
    bencher.with_inputs(next).bench_local_refs(|(game, inputs)| {
        let events: Vec<Vec<Event>> = inputs.iter().filter_map(|input| decide(edition(), game, input).ok()).collect();
        assert!(matches!(events[2][1], Event::Made(_)));
        black_box(events)
    });
}

/// The press alone, with the board already as it shall be.
#[divan::bench(args = LENGTHS)]
fn press(bencher: Bencher<'_, '_>, plies: usize) {
    let games: Vec<_> = MIDDLEGAMES.iter().map(|fen| played(fen, plies)).collect();
    let mut turn = 0;
    let next = || {
        turn += 1;
        let (mut game, inputs) = roomy(&games[turn % games.len()]);
        inputs[..2].iter().for_each(|input| drop(decide(edition(), &mut game, input)));
        (game, inputs)
    };
    bencher.with_inputs(next).bench_local_refs(|(game, inputs)| black_box(decide(edition(), game, &inputs[2])));
}

/// The floor: the legal moves of the same positions, once.
#[divan::bench]
fn legal_moves(bencher: Bencher<'_, '_>) {
    let positions: Vec<Chess> = MIDDLEGAMES.iter().filter_map(|fen| state::position(fen)).collect();
    let mut turn = 0;
    let next = || {
        turn += 1;
        positions[turn % positions.len()].clone()
    };
    bencher.with_inputs(next).bench_local_refs(|position| black_box_drop(position.legal_moves()));
}
