//! What is played at a table: a legal game, where a player goes wrong in it, and how it ends.

use flagfall_rules::{
    board::{Scan, infer},
    clock::Colour,
};
use rand::{Rng, rngs::StdRng, seq::IndexedRandom};
use shakmaty::{Chess, Move, Position, uci::UciMove};

/// How a game comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// On the board; the service finds it.
    Board,
    /// The side to move resigns, and an arbiter enters it.
    Resigns,
}

/// Short games that end on the board, and their results.
const FINISHED: [(&str, &str); 5] = [
    ("f2f3 e7e5 g2g4 d8h4", "0-1"),
    ("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", "1-0"),
    ("e2e4 e7e5 g1f3 d7d6 f1c4 c8g4 b1c3 g7g6 f3e5 g4d1 c4f7 e8e7 c3d5", "1-0"),
    ("e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4 b8d7 d1e2 g8f6 e4d6", "1-0"),
    ("e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6", "1/2-1/2"),
];

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) moves: Vec<Move>,
    /// The position before each move, and after the last.
    pub(crate) positions: Vec<Chess>,
    pub(crate) ending: Ending,
    /// The expected result.
    pub(crate) result: &'static str,
    /// Before this ply the player first completes an illegal move.
    pub(crate) illegal: Option<usize>,
}

impl Script {
    pub(crate) fn new(chance: &mut StdRng) -> Script {
        let (moves, ending, result) = if chance.random_bool(0.6) {
            let (text, result) = FINISHED.choose(chance).copied().unwrap_or(FINISHED[0]);
            (read(text), Ending::Board, result)
        } else {
            let moves = random(chance);
            let result = if moves.len().is_multiple_of(2) { "0-1" } else { "1-0" };
            (moves, Ending::Resigns, result)
        };
        let mut positions = vec![Chess::default()];
        for &m in &moves {
            let mut next = positions[positions.len() - 1].clone();
            next.play_unchecked(m);
            positions.push(next);
        }
        let illegal = chance.random_bool(0.5).then(|| chance.random_range(1..moves.len()));
        Script { moves, positions, ending, result, illegal }
    }

    /// Who makes this ply.
    pub(crate) fn mover(&self, ply: usize) -> Colour {
        if ply.is_multiple_of(2) { Colour::White } else { Colour::Black }
    }

    /// Where play goes on from a board: the ply that is next, and whether it stands on the board already and is only to be
    /// pressed. Looked for near the ply that was next.
    pub(crate) fn place(&self, board: &Scan, turn: Colour, near: usize) -> Option<(usize, bool)> {
        let mut plies: Vec<usize> = (0..self.positions.len()).collect();
        plies.sort_by_key(|ply| ply.abs_diff(near));
        plies.into_iter().filter(|&ply| infer::scan(&self.positions[ply]) == *board).find_map(|ply| {
            if self.mover(ply) == turn { Some((ply, false)) } else { ply.checked_sub(1).map(|before| (before, true)) }
        })
    }
}

fn read(text: &str) -> Vec<Move> {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for uci in text.split(' ') {
        let m = uci.parse::<UciMove>().expect("a move").to_move(&position).expect("a legal one");
        position.play_unchecked(m);
        moves.push(m);
    }
    moves
}

/// Some legal moves that neither end the game nor promote.
fn random(chance: &mut StdRng) -> Vec<Move> {
    let count = chance.random_range(5..16);
    let mut position = Chess::default();
    let mut moves: Vec<Move> = Vec::new();
    while moves.len() < count {
        let fit: Vec<Move> = position.legal_moves().into_iter().filter(|m| !m.is_promotion()).collect();
        let Some(&m) = fit.choose(chance) else { break };
        position.play_unchecked(m);
        if position.is_game_over() || position.is_insufficient_material() {
            break;
        }
        moves.push(m);
    }
    moves
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use shakmaty::KnownOutcome;

    use super::*;

    #[test]
    fn games_end_as_they_say() {
        for (text, result) in FINISHED {
            let mut position = Chess::default();
            read(text).into_iter().for_each(|m| position.play_unchecked(m));
            let found = position.outcome().known();
            assert_eq!(found.map(KnownOutcome::as_str), Some(result), "{text}");
        }
    }

    #[test]
    fn a_script_is_found_again_on_its_board() {
        let script = Script::new(&mut StdRng::seed_from_u64(3));
        let board = infer::scan(&script.positions[2]);
        assert_eq!(script.place(&board, Colour::White, 3), Some((2, false)));
        assert_eq!(script.place(&board, Colour::Black, 3), Some((1, true)));
    }
}
