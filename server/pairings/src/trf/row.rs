//! A line of a player.

use crate::{
    Fault, NUMBER_MAX, Player, ROUNDS_MAX,
    sheet::{self, fide_id, name, tidy, title},
    text::{Columns, Encoding, Line, lines},
};

/// First column of the first round.
const ROUNDS: usize = 92;

/// Columns of a round.
const WIDTH: usize = 10;

/// Which colour a cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    White,
    Black,
}

/// What a player's line says of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Cell {
    /// The opponent's number; 0: none.
    pub(super) opponent: u32,
    /// The colour; `None`: not paired.
    pub(super) side: Option<Side>,
    /// The letter of the result, a capital; blank: none.
    pub(super) letter: char,
}

impl Cell {
    /// Nothing stands there.
    pub(super) const BLANK: Cell = Cell { opponent: 0, side: None, letter: ' ' };
}

/// A player's line.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    /// The line, from 1.
    pub(super) line: usize,
    /// Where it begins in the file.
    pub(super) at: usize,
    pub(super) bytes: &'a [u8],
    pub(super) columns: Columns<'a>,
    pub(super) player: Player,
    /// As the file has them, in tenths; `None`: it has none.
    pub(super) points: Option<i32>,
    /// From the first round on; none behind the end of the line.
    cells: Vec<Cell>,
}

impl<'a> Row<'a> {
    /// Programs that know nothing of UTF-8 count bytes: every line of a file that fits only so is read so, for one with as many
    /// letters too many as a round has columns fits either way.
    pub(super) fn count_bytes(bytes: &[u8], encoding: Encoding) -> bool {
        let wide = || lines(bytes).filter(|line| line.bytes.starts_with(b"001") && !line.bytes.is_ascii());
        let characters = wide().all(|line| Row::by_columns(&line, Columns::characters(line.bytes, encoding)).is_ok());
        !characters && wide().all(|line| Row::by_columns(&line, Columns::bytes(line.bytes, encoding)).is_ok())
    }

    /// Reads a line, by its bytes where the whole file is to be read so. In a file that fits neither way a line may.
    pub(super) fn read(line: &Line<'a>, encoding: Encoding, bytes: bool) -> Result<Row<'a>, Vec<Fault>> {
        if bytes {
            return Row::by_columns(line, Columns::bytes(line.bytes, encoding));
        }
        let wide = Columns::characters(line.bytes, encoding);
        let is_wide = wide.is_wide();
        let read = Row::by_columns(line, wide);
        if !is_wide {
            return read;
        }
        read.or_else(|faults| Row::by_columns(line, Columns::bytes(line.bytes, encoding)).map_err(|_| faults))
    }

    fn by_columns(line: &Line<'a>, columns: Columns<'a>) -> Result<Row<'a>, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut fault = |column, what: String, remedy: &str| faults.push(Fault::at(line.number, column, what, remedy));
        let field = |first, last| columns.text(first, last);
        let number = field(5, 8).trim().parse().unwrap_or(0);
        if !(1..=NUMBER_MAX).contains(&number) {
            let what = format!("{:?} is no starting-rank number", field(5, 8));
            fault(5, what, "expected 1 to 9999 in columns 5 to 8");
        }
        let rating = field(49, 52);
        let rating = sheet::rating(&rating).unwrap_or_else(|| {
            fault(49, format!("{rating:?} is no rating"), "expected a number or nothing in columns 49 to 52");
            0
        });
        let points = field(81, 84);
        let points = match points.trim() {
            "" => None,
            text => tenths(text).or_else(|| {
                let remedy = "expected points such as 11.5 in columns 81 to 84";
                fault(81, format!("{text:?} is no number of points"), remedy);
                None
            }),
        };
        let mut cells = Vec::new();
        let mut first = ROUNDS;
        while first <= columns.count() {
            if cells.len() == ROUNDS_MAX as usize {
                let what = format!("there are more than {ROUNDS_MAX} rounds");
                fault(first, what, "cut the line behind the last round");
                break;
            }
            cells.push(cell(&columns, first, &mut fault));
            first += WIDTH;
        }
        while cells.last() == Some(&Cell::BLANK) {
            cells.pop();
        }
        let player = Player {
            number,
            name: name(&field(15, 47)),
            title: title(&field(11, 13)),
            rating,
            federation: tidy(&field(54, 56), 3),
            fide_id: fide_id(&field(58, 68)),
        };
        if player.name.is_empty() {
            fault(15, "the player has no name".to_owned(), "expected one in columns 15 to 47");
        }
        let row = Row { line: line.number, at: line.at, bytes: line.bytes, columns, player, points, cells };
        if faults.is_empty() { Ok(row) } else { Err(faults) }
    }

    /// What the line says of a round, from 1.
    pub(super) fn cell(&self, round: u32) -> Cell {
        self.cells.get(round as usize - 1).copied().unwrap_or(Cell::BLANK)
    }

    /// The last round it says anything of; 0: of none.
    pub(super) fn last_round(&self) -> u32 {
        self.cells.len() as u32
    }

    /// First column of a round, from 1: the opponent's.
    pub(super) fn column(round: u32) -> usize {
        ROUNDS + WIDTH * (round as usize - 1)
    }

    /// The column of a round's result.
    pub(super) fn letter_column(round: u32) -> usize {
        Row::column(round) + 7
    }
}

fn cell(columns: &Columns<'_>, first: usize, fault: &mut impl FnMut(usize, String, &str)) -> Cell {
    let text = columns.text(first, first + 3);
    let opponent = match text.trim() {
        "" => 0,
        digits => digits.parse().ok().filter(|&number| number <= NUMBER_MAX).unwrap_or_else(|| {
            let remedy = "expected a starting-rank number, 0000, or blanks; are the columns shifted?";
            fault(first, format!("{text:?} is no opponent"), remedy);
            0
        }),
    };
    let colour = columns.character(first + 5);
    let side = match colour {
        'w' | 'W' => Some(Side::White),
        'b' | 'B' => Some(Side::Black),
        '-' | ' ' => None,
        _ => {
            fault(
                first + 5,
                format!("{colour:?} is no colour"),
                "expected w, b, - or a blank; are the columns shifted?",
            );
            None
        }
    };
    let letter = columns.character(first + 7).to_ascii_uppercase();
    if !"10=+-WDLHFUZ ".contains(letter) {
        let remedy = "expected one of 1 0 = + - W D L H F U Z or a blank; are the columns shifted?";
        fault(first + 7, format!("{letter:?} is no result"), remedy);
    }
    Cell { opponent, side, letter }
}

/// Points in tenths: `11.5`, `11`, `11,5`, `.5`.
pub(super) fn tenths(text: &str) -> Option<i32> {
    let text = text.trim();
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, part) = match text.split_once(['.', ',']) {
        Some(("", part)) => ("0", part),
        Some(parts) => parts,
        None => (text, "0"),
    };
    let digits = |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole, 3) || !digits(part, 2) {
        return None;
    }
    let tenth: i32 = part.get(..1)?.parse().ok()?;
    Some(sign * (whole.parse::<i32>().ok()? * 10 + tenth))
}
