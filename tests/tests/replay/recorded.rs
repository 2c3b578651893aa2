//! Logs as a board and its clock would write them.

use flagfall_clock::hw::dgt::{decode::Reading, reply};
use flagfall_rules::{
    board::{Scan, Turn, infer},
    clock::Colour,
};
use flagfall_server::app::replay::script::{Touch, carry_out, restore};
use shakmaty::{CastlingMode, Chess, Position, fen::Fen, uci::UciMove};

/// Writes down what a board and its clock say of a game.
pub(crate) struct Log {
    pub(crate) lines: Vec<Vec<u8>>,
    position: Chess,
    board: Scan,
    /// How the board lies.
    lies: Turn,
    /// White sits on the right.
    right: bool,
    /// Both times, White's first, milliseconds.
    pub(crate) left: [i64; 2],
    plies: u64,
}

impl Log {
    /// From the initial position.
    pub(crate) fn new(lies: Turn, right: bool) -> Log {
        Log::begin(Chess::default(), lies, right)
    }

    /// From the middle of a game.
    pub(crate) fn from(fen: &str, lies: Turn) -> Log {
        let position = Fen::from_ascii(fen.as_bytes()).expect("FEN").into_position(CastlingMode::Standard);
        Log::begin(position.expect("legal"), lies, false)
    }

    fn begin(position: Chess, lies: Turn, right: bool) -> Log {
        let board = infer::scan(&position);
        let lines = vec![reply::dump(&board.turned(lies))];
        Log { lines, position, board, lies, right, left: [300_000; 2], plies: 0 }
    }

    /// The clock shows these times, and this half runs or would run.
    pub(crate) fn clock(&mut self, running: bool, turn: Colour) {
        self.face(running, turn, None);
    }

    /// A flag is shown beside whatever time is left; the clock stands at zero.
    pub(crate) fn flag(&mut self, fallen: Colour) {
        self.face(self.left[fallen as usize] > 0, fallen, Some(fallen));
    }

    fn face(&mut self, running: bool, turn: Colour, fallen: Option<Colour>) {
        let mut times = self.left.map(Some);
        let mut flags = Colour::BOTH.map(|colour| fallen == Some(colour));
        if self.right {
            times.reverse();
            flags.reverse();
        }
        let left_to_move = (turn == Colour::White) != self.right;
        self.lines.push(reply::time(&Reading {
            times,
            fallen: flags,
            running,
            right_lever_high: left_to_move,
            left_to_move,
            right_to_move: !left_to_move,
            low_battery: false,
            not_connected: false,
        }));
    }

    /// The clock is set and started for whoever moves.
    pub(crate) fn start(&mut self) {
        let turn = self.position.turn().into();
        self.clock(false, turn);
        self.clock(true, turn);
    }

    /// Hands carry a move out, and nobody presses.
    pub(crate) fn hands(&mut self, uci: &str) {
        let m = UciMove::from_ascii(uci.as_bytes()).expect("a move").to_move(&self.position).expect("a legal move");
        let touches = carry_out(&self.position, m, self.plies);
        self.touch(touches);
        self.position.play_unchecked(m);
        self.plies += 1;
    }

    /// Moves of two seconds each, pressed.
    pub(crate) fn moves(&mut self, moves: &str) {
        for uci in moves.split(' ') {
            let by: Colour = self.position.turn().into();
            for _ in 0..2 {
                self.left[by as usize] -= 1_000;
                self.clock(true, by);
            }
            self.hands(uci);
            self.clock(true, by.other());
        }
    }

    /// The men are set up anew.
    pub(crate) fn set_up(&mut self) {
        self.position = Chess::default();
        let touches = restore(&self.board, &infer::scan(&self.position));
        self.touch(touches);
    }

    pub(crate) fn touch(&mut self, touches: Vec<Touch>) {
        for touch in touches {
            self.board.put(touch.square, touch.man);
            let square = if self.lies == Turn::Half { 63 - touch.square } else { touch.square };
            self.lines.push(reply::field(square, touch.man));
        }
    }

    pub(crate) fn hex(&self) -> String {
        let line = |line: &Vec<u8>| line.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
        self.lines.iter().map(line).collect()
    }
}
