//! Makes the games of the demo: a small engine plays itself at a real time control and writes PGN with clock readings.
//!
//! `cargo run --release -p flagfall-tests --bin selfplay -- 20 > server/src/app/demo/games.pgn`
//!
//! The same count always gives the same games: the only chance is a seeded generator. Thinking times are drawn so that they look
//! like people's: long in the middlegame, short when little is left.

use std::fmt::Write as _;

use shakmaty::{Chess, Color, Move, Position, Role, san::SanPlus};

/// Base and increment in seconds: the control of every game.
const CONTROL: (i64, i64) = (900, 10);

/// Plies after which a game that nobody won is left as a draw.
const LONGEST: usize = 160;

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    for number in 1..=count {
        println!("{}", game(number));
    }
}

/// A small generator (splitmix64): seeds are game numbers, so that games stay what they are when others are added.
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}

fn game(number: u64) -> String {
    let mut chance = Chance(number);
    let (mut position, mut clocks) = (Chess::default(), [CONTROL.0 + CONTROL.1; 2]);
    let (mut moves, mut seen) = (String::new(), Vec::new());
    let mut ply = 0;
    let again = |seen: &[shakmaty::Board], now: &shakmaty::Board| seen.iter().filter(|&board| board == now).count();
    while !position.is_game_over() && ply < LONGEST && again(&seen, &position.board().clone()) < 3 {
        let m = choose(&position, &seen, &mut chance);
        let mover = usize::from(position.turn() == Color::Black);
        let most = (clocks[mover] / 12).clamp(1, 60) as u64;
        clocks[mover] += CONTROL.1 - (1 + chance.next(most) as i64);
        if mover == 0 {
            let _ = write!(moves, "{}. ", ply / 2 + 1);
        }
        let mut next = position.clone();
        let san = SanPlus::from_move_and_play_unchecked(&mut next, m);
        let left = clocks[mover];
        let _ = writeln!(moves, "{san} {{[%clk {}:{:02}:{:02}]}}", left / 3600, left / 60 % 60, left % 60);
        position = next;
        seen.push(position.board().clone());
        ply += 1;
    }
    let result = match position.outcome().winner() {
        Some(Color::White) => "1-0",
        Some(Color::Black) => "0-1",
        None => "1/2-1/2",
    };
    format!(
        "[Event \"Flagfall demonstration\"]\n[Site \"-\"]\n[Date \"2026.11.29\"]\n[Round \"1.{number}\"]\n\
         [White \"Player {:03}\"]\n[Black \"Player {:03}\"]\n[Result \"{result}\"]\n[TimeControl \"{}+{}\"]\n\n{moves}{result}\n",
        2 * number - 1,
        2 * number,
        CONTROL.0,
        CONTROL.1,
    )
}

/// Three plies of search after a random opening; a repeated position is worth a little less, so that games end.
fn choose(position: &Chess, seen: &[shakmaty::Board], chance: &mut Chance) -> Move {
    let legal = position.legal_moves();
    if seen.len() < 6 {
        return legal[chance.next(legal.len() as u64) as usize];
    }
    let mut best = (i32::MIN, legal[0]);
    for &m in &legal {
        let mut next = position.clone();
        next.play_unchecked(m);
        let again = if seen.contains(next.board()) { 80 } else { 0 };
        let value = -search(&next, 2, -100_000, 100_000) - again + chance.next(12) as i32;
        if value > best.0 {
            best = (value, m);
        }
    }
    best.1
}

fn search(position: &Chess, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    let legal = position.legal_moves();
    if legal.is_empty() {
        return if position.is_check() { -90_000 - depth as i32 } else { 0 };
    }
    if depth == 0 {
        return evaluate(position) + legal.len() as i32 / 2;
    }
    let mut ordered: Vec<Move> = legal.into_iter().collect();
    ordered.sort_by_key(|m| !m.is_capture());
    for m in ordered {
        let mut next = position.clone();
        next.play_unchecked(m);
        alpha = alpha.max(-search(&next, depth - 1, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// Material, and men that stand towards the middle or, for pawns, far up the board; from the side to move.
fn evaluate(position: &Chess) -> i32 {
    let turn = position.turn();
    let value = |(square, piece): (shakmaty::Square, shakmaty::Piece)| {
        let (file, rank) = (square.file() as i32, square.rank() as i32);
        let centre = 3 - (2 * file - 7).abs().max((2 * rank - 7).abs()) / 2;
        let worth = match piece.role {
            Role::Pawn => 100 + 6 * piece.color.fold_wb(rank, 7 - rank),
            Role::Knight => 300 + 8 * centre,
            Role::Bishop => 320 + 4 * centre,
            Role::Rook => 500 + 2 * centre,
            Role::Queen => 900 + centre,
            Role::King => -6 * centre,
        };
        if piece.color == turn { worth } else { -worth }
    };
    position.board().clone().into_iter().map(value).sum()
}
