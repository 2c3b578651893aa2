//! Legal games, made before anything is measured: a clock only looks up what its board shows next.

use flagfall_rules::{
    board::{Man, Scan, infer},
    clock::Colour,
};
use shakmaty::{Chess, Position as _};

/// Plies of every game: about as many as games between people have.
pub(crate) const PLIES: usize = 80;

/// Different games; clocks share them.
const GAMES: u64 = 64;

/// How often a board may stand in a game: five times would end it.
const MOST_REPEATED: usize = 3;

/// A small generator (splitmix64): the same games in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// One game as its board shows it.
pub(crate) struct Game {
    boards: Vec<Scan>,
    agreed: Scan,
}

impl Game {
    /// The board after so many plies.
    pub(crate) fn board(&self, plies: usize) -> Scan {
        self.boards[plies.min(PLIES)]
    }

    /// The board at the end, with the kings side by side in the centre: that is how players show that they agreed on a draw.
    pub(crate) fn agreed(&self) -> Scan {
        self.agreed
    }
}

/// All games.
pub(crate) fn all() -> Vec<Game> {
    (0u64..).filter_map(game).take(GAMES as usize).collect()
}

/// A random legal game that nothing ends before its last ply; `None` when this seed makes none.
fn game(seed: u64) -> Option<Game> {
    let (mut chance, mut position) = (Chance(seed), Chess::default());
    let mut boards = vec![infer::scan(&position)];
    for _ in 0..PLIES {
        let legal = position.legal_moves();
        position.play_unchecked(*legal.get(chance.below(legal.len()))?);
        let board = infer::scan(&position);
        let repeated = boards.iter().filter(|before| **before == board).count();
        if position.is_game_over() || repeated == MOST_REPEATED {
            return None;
        }
        boards.push(board);
    }
    let agreed = agreed(*boards.last()?)?;
    Some(Game { boards, agreed })
}

/// Both kings side by side in the centre, each put where it did not stand before: on e4 and e5 or on d4 and d5, on one file, so a draw.
fn agreed(mut board: Scan) -> Option<Scan> {
    let kings = [Colour::White, Colour::Black].map(|colour| board.king(colour));
    let [white, black] = [kings[0]?, kings[1]?];
    let men: [Option<Man>; 2] = [white, black].map(|king| board.at(king));
    let files = [[28, 36], [27, 35], [36, 28], [35, 27]];
    let squares = files.into_iter().find(|&[one, other]| one != white && other != black)?;
    [white, black].into_iter().for_each(|king| board.put(king, None));
    squares.into_iter().zip(men).for_each(|(square, man)| board.put(square, man));
    Some(board)
}

#[cfg(test)]
mod tests {
    use flagfall_rules::game::Outcome;

    use super::*;

    #[test]
    fn every_game_is_whole_and_ends_in_a_draw_by_agreement() {
        let games = all();
        assert_eq!(games.len(), GAMES as usize);
        for game in &games {
            assert_eq!(game.boards.len(), PLIES + 1);
            assert_eq!(infer::shown(&game.board(PLIES), &game.agreed()), Some(Outcome::Draw));
            assert!(game.agreed().census().is_ok());
        }
    }
}
