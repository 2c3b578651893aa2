//! What a board's sensors show: 64 squares, no side to move, no rights.
//!
//! Squares are numbered 0 = a1, 1 = b1, … 63 = h8. A scan is in the board's own orientation until [`Scan::turned`] brings it
//! into the game's.

use core::fmt;

use crate::clock::Colour;

/// The kind of a man on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook; upside down it is still a rook.
    Rook,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King];
}

/// A pawn or piece of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Man {
    /// Whose it is.
    pub colour: Colour,
    /// What it is.
    pub kind: Kind,
}

impl Man {
    /// 1 to 6 for white pawn, knight, bishop, rook, queen, king; 7 to 12 for black.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.kind as u8 + 1 + 6 * self.colour as u8
    }

    /// The man of a code, `None` for 0 and anything above 12.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Man> {
        let colour = if code > 6 { Colour::Black } else { Colour::White };
        let kind = *Kind::ALL.get(usize::from(code.checked_sub(1)? % 6))?;
        (code <= 12).then_some(Man { colour, kind })
    }

    /// The letter of FEN: upper case for White.
    #[must_use]
    pub const fn letter(self) -> char {
        let letter = match self.kind {
            Kind::Pawn => 'p',
            Kind::Knight => 'n',
            Kind::Bishop => 'b',
            Kind::Rook => 'r',
            Kind::Queen => 'q',
            Kind::King => 'k',
        };
        match self.colour {
            Colour::White => letter.to_ascii_uppercase(),
            Colour::Black => letter,
        }
    }

    /// The man of a FEN letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Man> {
        (1..=12).filter_map(Man::from_code).find(|man| man.letter() == letter)
    }
}

/// How a board lies relative to the game: what must be done to its scan to read it from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Turn {
    /// As it should.
    #[default]
    None,
    /// A quarter turn clockwise brings it right: article 7.2.2 of the present Laws.
    Quarter,
    /// Half a turn: installed the other way round, which is no error.
    Half,
    /// Three quarters clockwise.
    ThreeQuarters,
}

impl Turn {
    /// Every way a board can lie.
    pub const ALL: [Turn; 4] = [Turn::None, Turn::Quarter, Turn::Half, Turn::ThreeQuarters];

    /// The turn that undoes this one.
    #[must_use]
    pub const fn back(self) -> Turn {
        match self {
            Turn::Quarter => Turn::ThreeQuarters,
            Turn::ThreeQuarters => Turn::Quarter,
            same => same,
        }
    }

    /// The squares' colours are wrong: the dark corner is on the players' right.
    #[must_use]
    pub const fn is_error(self) -> bool {
        matches!(self, Turn::Quarter | Turn::ThreeQuarters)
    }
}

/// All 64 squares as seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scan {
    squares: [u8; 64],
}

/// Bytes that are no scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// Not 32 bytes long; the length it has.
    Length(usize),
    /// A code above 12; the square and the code.
    Code(u8, u8),
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScanError::Length(n) => write!(f, "a board is 32 bytes long, this has {n}"),
            ScanError::Code(square, code) => write!(f, "square {square} holds code {code}, the highest is 12"),
        }
    }
}

impl core::error::Error for ScanError {}

/// Why a scan cannot be a board in play: sensors or set-up are at fault, no player is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Impossible {
    /// More than sixteen men of a colour.
    TooManyMen(Colour, u8),
    /// More than one king of a colour.
    TwoKings(Colour),
    /// No king of a colour, and not because it is in a player's hand for a moment.
    NoKing(Colour),
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Impossible::TooManyMen(colour, n) => write!(f, "{n} {} men", colour.name()),
            Impossible::TwoKings(colour) => write!(f, "more than one {} king", colour.name()),
            Impossible::NoKing(colour) => write!(f, "no {} king", colour.name()),
        }
    }
}

impl Scan {
    /// A board with nothing on it.
    pub const EMPTY: Scan = Scan { squares: [0; 64] };

    /// Reads the packed form: 32 bytes, two squares a byte, the lower square in the low nibble.
    ///
    /// # Errors
    /// Another length, or a code above 12.
    pub fn from_packed(bytes: &[u8]) -> Result<Scan, ScanError> {
        let bytes: &[u8; 32] = bytes.try_into().map_err(|_| ScanError::Length(bytes.len()))?;
        let mut scan = Scan::EMPTY;
        for (square, slot) in scan.squares.iter_mut().enumerate() {
            let byte = bytes[square / 2];
            let code = if square % 2 == 0 { byte & 15 } else { byte >> 4 };
            if code > 12 {
                return Err(ScanError::Code(square as u8, code));
            }
            *slot = code;
        }
        Ok(scan)
    }

    /// The packed form that [`Scan::from_packed`] reads.
    #[must_use]
    pub fn packed(&self) -> [u8; 32] {
        core::array::from_fn(|i| self.squares[2 * i] | self.squares[2 * i + 1] << 4)
    }

    /// Reads the first field of a FEN.
    #[must_use]
    pub fn from_fen(fen: &str) -> Option<Scan> {
        let mut scan = Scan::EMPTY;
        let (mut rank, mut file) = (7u8, 0u8);
        for c in fen.split(' ').next()?.chars() {
            match c {
                '/' if file == 8 && rank > 0 => (rank, file) = (rank - 1, 0),
                '1'..='8' => file += c as u8 - b'0',
                _ if file < 8 => {
                    scan.put(rank * 8 + file, Some(Man::from_letter(c)?));
                    file += 1;
                }
                _ => return None,
            }
            if file > 8 {
                return None;
            }
        }
        (rank == 0 && file == 8).then_some(scan)
    }

    /// The man on a square.
    ///
    /// # Panics
    /// Never for squares 0 to 63; the board repeats beyond.
    #[must_use]
    pub fn at(&self, square: u8) -> Option<Man> {
        Man::from_code(self.squares[usize::from(square % 64)])
    }

    /// Puts a man on a square, or clears it.
    pub fn put(&mut self, square: u8, man: Option<Man>) {
        self.squares[usize::from(square % 64)] = man.map_or(0, Man::code);
    }

    /// The scan after the board was turned so.
    #[must_use]
    pub fn turned(&self, turn: Turn) -> Scan {
        let source = |square: usize| {
            let (file, rank) = (square % 8, square / 8);
            match turn {
                Turn::None => square,
                Turn::Quarter => file * 8 + (7 - rank),
                Turn::Half => 63 - square,
                Turn::ThreeQuarters => (7 - file) * 8 + rank,
            }
        };
        Scan { squares: core::array::from_fn(|square| self.squares[source(square)]) }
    }

    /// The squares on which two scans differ, lowest first.
    pub fn differences(&self, other: &Scan) -> impl Iterator<Item = u8> + use<> {
        let (a, b) = (self.squares, other.squares);
        (0..64u8).filter(move |&s| a[usize::from(s)] != b[usize::from(s)])
    }

    /// How many of a man stand on the board.
    #[must_use]
    pub fn count(&self, man: Man) -> u8 {
        self.squares.iter().filter(|&&code| code == man.code()).count() as u8
    }

    /// How many men stand on the board.
    #[must_use]
    pub fn men(&self) -> u8 {
        self.squares.iter().filter(|&&code| code != 0).count() as u8
    }

    /// The square of a colour's king, when exactly one is seen.
    #[must_use]
    pub fn king(&self, colour: Colour) -> Option<u8> {
        let code = Man { colour, kind: Kind::King }.code();
        let mut kings = (0..64u8).filter(|&s| self.squares[usize::from(s)] == code);
        kings.next().filter(|_| kings.next().is_none())
    }

    /// Whether this can be a board in play at all. A missing king is only impossible once the board stands still: see
    /// [`Scan::census_at_rest`].
    ///
    /// # Errors
    /// Names what is too many.
    pub fn census(&self) -> Result<(), Impossible> {
        for colour in Colour::BOTH {
            let men =
                self.squares.iter().filter_map(|&code| Man::from_code(code)).filter(|m| m.colour == colour).count();
            if men > 16 {
                return Err(Impossible::TooManyMen(colour, men as u8));
            }
            if self.count(Man { colour, kind: Kind::King }) > 1 {
                return Err(Impossible::TwoKings(colour));
            }
        }
        Ok(())
    }

    /// [`Scan::census`] for a board that stands still: both kings must be there.
    ///
    /// # Errors
    /// Names what is too many or missing.
    pub fn census_at_rest(&self) -> Result<(), Impossible> {
        self.census()?;
        match Colour::BOTH.into_iter().find(|&colour| self.king(colour).is_none()) {
            Some(colour) => Err(Impossible::NoKing(colour)),
            None => Ok(()),
        }
    }
}

/// The first field of a FEN.
impl fmt::Display for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.at(rank * 8 + file) {
                    None => empty += 1,
                    Some(man) => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                            empty = 0;
                        }
                        write!(f, "{}", man.letter())?;
                    }
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scan({self})")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[test]
    fn packed_fen_and_turns_agree() {
        let start = Scan::from_fen(START).expect("the initial position");
        assert_eq!(start.packed()[0], 0x24, "a1 rook in the low nibble, b1 knight in the high one");
        assert_eq!(Scan::from_packed(&start.packed()), Ok(start));
        assert_eq!(start.to_string(), START);
        // After a clockwise quarter turn what stood on a1 stands on a8.
        let quarter = start.turned(Turn::Quarter);
        assert_eq!(quarter.at(56), start.at(0));
        assert_eq!(quarter.turned(Turn::ThreeQuarters), start);
        assert_eq!(start.turned(Turn::Half).at(63), start.at(0));
    }

    #[test]
    fn what_is_no_board_is_named() {
        assert_eq!(Scan::from_packed(&[0; 31]), Err(ScanError::Length(31)));
        let mut bytes = [0; 32];
        bytes[1] = 0xd0;
        assert_eq!(Scan::from_packed(&bytes), Err(ScanError::Code(3, 13)));
        assert!(Scan::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN").is_none());
        let crowded = Scan::from_fen("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR").expect("a scan");
        assert_eq!(crowded.census(), Err(Impossible::TooManyMen(Colour::White, 17)));
        let headless = Scan::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR").expect("a scan");
        assert_eq!((headless.census(), headless.census_at_rest()), (Ok(()), Err(Impossible::NoKing(Colour::White))));
    }
}
