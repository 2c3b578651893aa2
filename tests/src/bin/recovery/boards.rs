//! Legal games of any length, as their boards show them.

use flagfall_rules::board::{Scan, infer};
use shakmaty::{Chess, Position as _};

/// Different games; clocks share them.
const GAMES: usize = 16;

/// How often a board may stand in a game: five times would end it.
const MOST_REPEATED: usize = 3;

/// Plies beyond those that are in the journal: each start of the service plays one more.
const BEYOND: usize = 40;

/// Games that nothing ends before so many plies, nor for a while behind them; the same in every run.
pub(crate) fn games(plies: usize) -> Vec<Vec<Scan>> {
    (0u64..).filter_map(|seed| game(seed, plies + BEYOND)).take(GAMES).collect()
}

fn game(seed: u64, plies: usize) -> Option<Vec<Scan>> {
    let (mut state, mut position) = (seed, Chess::default());
    let mut boards = vec![infer::scan(&position)];
    for _ in 0..plies {
        let legal = position.legal_moves();
        // A linear congruence is chance enough for a bench.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(state >> 33).unwrap_or_default();
        position.play_unchecked(*legal.get(drawn.checked_rem(legal.len())?)?);
        let board = infer::scan(&position);
        let repeated = boards.iter().filter(|before| **before == board).count();
        if position.is_game_over() || repeated == MOST_REPEATED {
            return None;
        }
        boards.push(board);
    }
    Some(boards)
}
