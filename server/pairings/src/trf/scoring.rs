//! What a result is worth, in tenths of a point.

use super::row::{Cell, Side, tenths};

/// Points for every kind of result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scoring {
    /// With White, with Black.
    win: [i32; 2],
    draw: [i32; 2],
    loss: [i32; 2],
    forfeit_win: i32,
    forfeit_loss: i32,
    full: i32,
    half: i32,
    zero: i32,
    allocated: i32,
}

impl Default for Scoring {
    fn default() -> Scoring {
        Scoring {
            win: [10; 2],
            draw: [5; 2],
            loss: [0; 2],
            forfeit_win: 10,
            forfeit_loss: 0,
            full: 10,
            half: 5,
            zero: 0,
            allocated: 10,
        }
    }
}

impl Scoring {
    /// Record 162 without its tag: `␣W 3.0` in steps of nine columns; what is not stated keeps its default.
    pub(super) fn fide(&mut self, text: &str) {
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            // The points may stand right behind the letter, or after a blank.
            let (letter, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            let points = match tenths(rest) {
                Some(points) => Some(points),
                None => words.peek().and_then(|next| tenths(next)).inspect(|_| {
                    words.next();
                }),
            };
            if let Some(points) = points {
                self.set(letter, points);
            }
        }
    }

    fn set(&mut self, letter: &str, points: i32) {
        match letter {
            "W" => (self.win, self.forfeit_win, self.full, self.allocated) = ([points; 2], points, points, points),
            "D" => (self.draw, self.half) = ([points; 2], points),
            "L" => self.loss = [points; 2],
            "A" => (self.zero, self.forfeit_loss) = (points, points),
            "P" => self.allocated = points,
            _ => {}
        }
    }

    /// JaVaFo's `XXS WW=3.0 BW=3.0 …`.
    pub(super) fn javafo(&mut self, text: &str) {
        for (key, value) in text.split_whitespace().filter_map(|word| word.split_once('=')) {
            let Some(points) = tenths(value) else { continue };
            match key {
                "W" => self.win = [points; 2],
                "D" => self.draw = [points; 2],
                "WW" => self.win[0] = points,
                "BW" => self.win[1] = points,
                "WD" => self.draw[0] = points,
                "BD" => self.draw[1] = points,
                "WL" => self.loss[0] = points,
                "BL" => self.loss[1] = points,
                "FW" => self.forfeit_win = points,
                "FL" => self.forfeit_loss = points,
                "FPB" => self.full = points,
                "HPB" => self.half = points,
                "ZPB" => self.zero = points,
                "PAB" => self.allocated = points,
                _ => {}
            }
        }
    }

    /// bbpPairings' `BBW 3.0`, the letter apart.
    pub(super) fn bbp(&mut self, kind: u8, text: &str) {
        let Some(points) = tenths(text) else { return };
        match kind {
            b'W' => (self.win, self.forfeit_win, self.full) = ([points; 2], points, points),
            b'D' => (self.draw, self.half) = ([points; 2], points),
            b'L' => self.loss = [points; 2],
            b'Z' => self.zero = points,
            b'F' => self.forfeit_loss = points,
            b'U' => self.allocated = points,
            _ => {}
        }
    }

    /// What a cell is worth.
    pub(super) fn worth(&self, cell: Cell) -> i32 {
        let side = usize::from(cell.side == Some(Side::Black));
        let paired = cell.opponent > 0;
        match cell.letter {
            '1' | 'W' => self.win[side],
            '=' | 'D' => self.draw[side],
            '0' | 'L' => self.loss[side],
            '+' if paired => self.forfeit_win,
            '+' | 'F' => self.full,
            '-' if paired => self.forfeit_loss,
            'H' => self.half,
            'U' => self.allocated,
            // A game that has no result yet is worth nothing yet.
            ' ' if paired => 0,
            _ => self.zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_for_a_win() {
        let won = Cell { opponent: 4, side: Some(Side::Black), letter: '1' };
        let drawn = Cell { letter: '=', ..won };
        let bye = Cell { opponent: 0, side: None, letter: 'U' };
        let of = |read: &dyn Fn(&mut Scoring)| {
            let mut scoring = Scoring::default();
            read(&mut scoring);
            [won, drawn, bye].map(|cell| scoring.worth(cell))
        };
        assert_eq!(of(&|_| ()), [10, 5, 10]);
        assert_eq!(of(&|s| s.fide(" W 3.0     D 1.0     L 0.0")), [30, 10, 30]);
        assert_eq!(of(&|s| s.fide(" W03.0    D01.0    P01.5")), [30, 10, 15]);
        assert_eq!(of(&|s| s.javafo("WW=3.0 BW=2.5 D=1 PAB=0.0")), [25, 10, 0]);
        assert_eq!(of(&|s| (s.bbp(b'W', " 3.0"), s.bbp(b'D', "1.0")).0), [30, 10, 10]);
        assert_eq!(of(&|s| s.fide("W D é= 1 ?")), [10, 5, 10]);
    }
}
