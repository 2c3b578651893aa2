//! How good each of the 64 squares looks as a goal: numbers written across bit sets.
//!
//! Bit `n` of every square's number is in plane `n`. A few operations add a weight to a whole set of squares, and going down
//! the planes finds the best of a set, so that no move is looked at by itself. Counters laid out like this are known as
//! bit-sliced or vertical counters (H. Warren, "Hacker's Delight").

use super::sets::Squares;

/// Weights on one square must stay below `2^PLANES` in sum.
const PLANES: usize = 6;

/// Chance adds numbers below `2^CHANCE`.
const CHANCE: usize = 4;

/// A number for every square.
#[derive(Clone, Copy)]
pub(super) struct Looks {
    planes: [Squares; PLANES],
    /// What 0 in the planes stands for: the sum of all negative weights.
    floor: i32,
}

impl Looks {
    /// The same for every square.
    pub(super) const fn even() -> Looks {
        Looks { planes: [0; PLANES], floor: 0 }
    }

    /// A little more or less for each square, by chance; the state must not be 0.
    pub(super) fn uneven(state: &mut u64) -> Looks {
        let mut looks = Looks::even();
        for plane in &mut looks.planes[..CHANCE] {
            // Xorshift (G. Marsaglia, 2003): every bit of a word is as good as any other here.
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            *plane = *state;
        }
        looks
    }

    /// Adds a weight, which may be negative, to some squares.
    #[inline]
    pub(super) fn favour(&mut self, squares: Squares, weight: i32) {
        // A square is worth less when all others are worth more.
        let squares = if weight < 0 { !squares } else { squares };
        self.floor += weight.min(0);
        for power in 0..PLANES {
            if weight.unsigned_abs() >> power & 1 == 0 {
                continue;
            }
            let mut carry = squares;
            for plane in &mut self.planes[power..] {
                let both = *plane & carry;
                *plane ^= carry;
                carry = both;
            }
        }
    }

    /// The greatest number on any of some squares, and the squares that have it.
    pub(super) fn best(&self, squares: Squares) -> (i32, Squares) {
        let (mut most, mut left) = (0, squares);
        for plane in self.planes.iter().rev() {
            let both = left & plane;
            most = most * 2 + i32::from(both != 0);
            left = if both != 0 { both } else { left };
        }
        (most + self.floor, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_square_by_square() {
        let mut looks = Looks::even();
        looks.favour(0b1111, 5);
        looks.favour(0b0011, -8);
        looks.favour(0b0101, 3);
        assert_eq!(looks.best(0b0001), (0, 0b0001));
        assert_eq!(looks.best(0b0010), (-3, 0b0010));
        assert_eq!(looks.best(0b1011), (5, 0b1000));
        assert_eq!(looks.best(!0), (8, 0b0100));
        assert_eq!(looks.best(0b11_0000), (0, 0b11_0000));
    }
}
