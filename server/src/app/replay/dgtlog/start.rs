//! Where the game of a log begins: the initial position as a rule, or the middle of a game; and what its clock first shows.

use flagfall_clock::hw::dgt::decode::Message;
use flagfall_rules::{
    board::{
        Kind, Man, Scan, Turn,
        infer::{Reading, read},
        play_on::{self, Untold},
    },
    clock::{Colour, Place},
    time::Millis,
};
use shakmaty::{Chess, EnPassantMode, fen::Fen};

use super::{lines::Said, shown::Shown};

/// With as many men as this, all of them at home, it is the initial position, however wrongly it was set up.
const NEARLY_ALL: u8 = 30;

/// The beginning of a game.
#[derive(Debug, Default)]
pub(super) struct Start {
    shown: Shown,
    /// The first whole board.
    first: Option<Scan>,
    /// The clock as it was started for the first move.
    begun: Option<Begun>,
    /// A man came to stand elsewhere while the clock ran.
    moved: bool,
    /// Whose man it was that first came to stand elsewhere.
    mover: Option<Colour>,
    /// The pawn that was lifted last.
    pawn: Option<(u8, Colour)>,
    /// Steps of pawns towards the eighth rank where they are White's, less those the other way.
    forward: i32,
}

/// The clock is started.
#[derive(Clone, Copy, Debug)]
struct Begun {
    board: Option<Scan>,
    half: Place,
    /// The more of both times. An idle clock may show those of the game before.
    time: Option<Millis>,
}

impl Start {
    /// Looks through a game.
    pub(super) fn of(said: &[Said]) -> Start {
        let mut start = Start::default();
        said.iter().flat_map(|said| &said.messages).for_each(|message| start.take(message));
        start
    }

    fn take(&mut self, message: &Message) {
        let ran = self.shown.runs();
        if let (Message::FieldUpdate(square, man), Some(board)) = (message, self.shown.board) {
            self.steps(*square, *man, &board);
            if let Some(man) = man.filter(|_| board.at(*square) != *man) {
                let back = self.begun.and_then(|begun| begun.board).is_some_and(|start| start.at(*square) == Some(man));
                self.moved |= ran.is_some() && !back;
                self.mover = self.mover.or((!back).then_some(man.colour));
            }
        }
        self.shown.take(message);
        self.first = self.first.or(self.shown.board);
        let runs = self.shown.runs();
        if let (Some(half), false) = (runs, self.moved || runs == ran) {
            let time = self.shown.clock.and_then(|clock| clock.times.into_iter().flatten().max());
            self.begun = Some(Begun { board: self.shown.board, half, time });
        }
    }

    /// Which way pawns go tells how the board lies.
    fn steps(&mut self, square: u8, man: Option<Man>, board: &Scan) {
        let pawn = |man: Option<Man>| man.filter(|man| man.kind == Kind::Pawn).map(|man| (square, man.colour));
        match (self.pawn, pawn(man)) {
            (Some((from, by)), Some((to, colour))) if by == colour && from / 8 != to / 8 && from % 8 == to % 8 => {
                let up = (to > from) == (colour == Colour::White);
                self.forward += if up { 1 } else { -1 };
                self.pawn = None;
            }
            _ if man.is_none() => self.pawn = pawn(board.at(square)).or(self.pawn),
            _ => {}
        }
    }

    /// How the board lies: by which way the pawns go, or else by which of them stand farther up.
    fn lies(&self, board: &Scan) -> Turn {
        let [(white, whites), (black, blacks)] = Colour::BOTH.map(|colour| pawns(board, colour));
        let right = if self.forward == 0 { black * whites >= white * blacks } else { self.forward > 0 };
        if right { Turn::None } else { Turn::Half }
    }

    /// There was a board at all.
    pub(super) fn is_seen(&self) -> bool {
        self.first.is_some()
    }

    /// The more of what the clock shows when it runs for the first move, milliseconds.
    pub(super) fn time(&self) -> Option<Millis> {
        self.begun.and_then(|begun| begun.time)
    }

    /// The position of a log that begins in the middle of a game, FEN; `None`: the initial position, or none that could be.
    pub(super) fn position(&self, white: Place) -> Option<String> {
        let raw = self.begun.and_then(|begun| begun.board).or(self.first).filter(|board| !is_beginning(board))?;
        let board = raw.turned(self.lies(&raw));
        let runs = self.begun.map(|begun| begun.half.colour(white));
        let turn = runs.or(self.mover).unwrap_or(Colour::White);
        // Where the king of the one could be taken, it is the other who moves.
        let position = [turn, turn.other()].into_iter().find_map(|turn| position(&board, turn))?;
        Some(Fen::from_position(&position, EnPassantMode::Legal).to_string())
    }
}

/// How far the pawns of a colour stand from the first rank, all together and how many they are.
fn pawns(board: &Scan, colour: Colour) -> (i32, i32) {
    let pawn = Some(Man { colour, kind: Kind::Pawn });
    let ranks = (0..64u8).filter(|&square| board.at(square) == pawn).map(|square| i32::from(square / 8));
    ranks.fold((0, 0), |(all, count), rank| (all + rank, count + 1))
}

/// The initial position, perhaps with the first moves made or with men on each other's squares.
fn is_beginning(board: &Scan) -> bool {
    let start = Chess::default();
    let nearly_all = board.men() >= NEARLY_ALL;
    Turn::ALL.into_iter().any(|turn| {
        let board = board.turned(turn);
        let at_home = |square: u8| {
            board.at(square).is_none_or(|man| match man.colour {
                Colour::White => square < 16,
                Colour::Black => square >= 48,
            })
        };
        (nearly_all && (0..64).all(at_home))
            || !matches!(read(&start, &board), Reading::Unexplained | Reading::Kings(_))
    })
}

/// The position with castling wherever king and rook stand at home: whether they have moved nobody knows.
fn position(board: &Scan, turn: Colour) -> Option<Chess> {
    board.census_at_rest().ok()?;
    let untold = Untold { turn, halfmoves: 0, fullmoves: std::num::NonZeroU32::MIN, passed: None };
    play_on::position(play_on::setup(board, &Chess::default(), untold))
}
