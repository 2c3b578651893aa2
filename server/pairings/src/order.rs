//! How boards are numbered: as pairing programs publish them (FIDE handbook, C.04.2).
//!
//! By the score of the higher player, then by the sum of both scores, then by the higher player's starting rank. The higher of two
//! is the one with more points, and of equals the one with the smaller number.

use std::cmp::Reverse;

/// A pair before it has a board: numbers and scores, in tenths of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// White's number and score.
    pub white: (u32, i32),
    /// Black's number and score.
    pub black: (u32, i32),
}

impl Pair {
    /// What pairs are sorted by.
    #[must_use]
    pub fn key(&self) -> (Reverse<i32>, Reverse<i32>, u32) {
        let higher = |(number, score): (u32, i32)| (Reverse(score), number);
        let (Reverse(score), number) = higher(self.white).min(higher(self.black));
        (Reverse(score), Reverse(self.white.1.saturating_add(self.black.1)), number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_follow_score_sum_and_rank() {
        let pair = |white, black| Pair { white, black };
        let mut pairs = [
            pair((9, 10), (3, 10)), // sum 20, higher is 3
            pair((1, 15), (2, 5)),  // higher score 15
            pair((4, 10), (8, 5)),  // sum 15
            pair((7, 10), (2, 10)), // sum 20, higher is 2
            pair((5, 20), (6, 0)),  // higher score 20
        ];
        pairs.sort_by_key(Pair::key);
        assert_eq!(pairs.map(|pair| pair.white.0), [5, 1, 7, 9, 4]);
    }
}
