//! Where a game is played, as rights go by it.

use crate::event::board_of;

/// Where a game is played.
///
/// Numbers are those of the boards that people see. A game of a round has its board's from its name (`open.r3.b07` is board 7), on
/// whichever clock it goes on; any other game has the number that the name of its board ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it is called where somebody is refused.
    called: String,
    number: Option<u32>,
    /// The clock that it is on.
    device: String,
    /// The board that this clock reads.
    reads: String,
}

impl Place {
    /// The place of a game on a clock, which may read a board that has a name of its own.
    #[must_use]
    pub fn of(game: &str, device: &str, reads: Option<&str>) -> Place {
        let reads = reads.unwrap_or(device);
        let (called, number) = match board_of(game) {
            Some((event, round, board)) => (format!("board {board} of {event}, round {round}"), Some(board)),
            None => (reads.to_owned(), trailing(reads)),
        };
        Place { called, number, device: device.to_owned(), reads: reads.to_owned() }
    }

    /// What it is called.
    pub(super) fn called(&self) -> &str {
        &self.called
    }

    /// One of a sector arbiter's boards means this place: a number or a range of them, or the name of the clock or of the board it reads.
    pub(super) fn is(&self, own: &str) -> bool {
        let number = |text: &str| text.parse::<u32>().ok();
        let range = match own.split_once('-') {
            Some((from, to)) => number(from).zip(number(to)),
            None => number(own).map(|one| (one, one)),
        };
        match range {
            Some((from, to)) => self.number.is_some_and(|number| (from..=to).contains(&number)),
            None => own == self.reads || own == self.device,
        }
    }
}

/// The number that a name ends with: `board-07` is 7.
fn trailing(name: &str) -> Option<u32> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name.get(name.len() - digits..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_of_a_round_keeps_its_number_on_any_clock() {
        let moved = Place::of("open.r3.b01", "clock-3", Some("board-3"));
        assert!(moved.is("1") && moved.is("1-2") && !moved.is("3") && !moved.is("2-40"));
        // What is named is the thing itself.
        assert!(moved.is("clock-3") && moved.is("board-3") && !moved.is("clock-1") && !moved.is("board-1"));
        assert_eq!(moved.called(), "board 1 of open, round 3");
    }

    #[test]
    fn a_game_of_no_round_is_where_its_clock_is() {
        let is = |reads: &str, own: &str| Place::of("table", "clock-x", Some(reads)).is(own);
        assert!(is("board-1", "1-40") && is("b040", "1-40") && is("stage", "stage") && is("t77", "77"));
        assert!(!is("board-0", "1-40") && !is("b041", "1-40") && !is("stage-", "stage") && !is("t770", "77"));
        assert!(Place::of("table", "stage", None).is("stage") && Place::of("table", "clock-7", None).is("7"));
        assert_eq!(Place::of("r1.b07", "clock-9", Some("board-9")).called(), "board-9");
    }
}
