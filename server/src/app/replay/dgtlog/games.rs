//! Several games in one log. Nobody says where one ends: the men are set up anew, and played from there.

use flagfall_clock::hw::dgt::{decode::Message, reply};
use flagfall_rules::board::{
    Scan, Turn,
    infer::{self, Reading, read},
};
use shakmaty::Chess;

use super::{lines::Said, shown::Shown};

/// So many squares differ from the initial position after four plies. Who takes back so much begins another game.
const FAR: usize = 8;

/// A log cut where another game begins. Every part but the first starts with what board and clock showed then.
pub(super) fn split(mut said: Vec<Said>) -> Vec<Vec<Said>> {
    let mut evening = Evening::default();
    let mut begins = Vec::new();
    for (line, said) in said.iter().enumerate() {
        begins.extend(said.messages.iter().filter_map(|message| evening.take(message, line)));
    }
    let mut games = Vec::new();
    for set_up in begins.into_iter().rev() {
        let rest = said.split_off(set_up.line + 1);
        let Shown { board, clock } = set_up.shown;
        let shown = [board.as_ref().map(reply::dump), clock.as_ref().map(reply::time)];
        games.push(shown.into_iter().flatten().map(Said::from).chain(rest).collect());
    }
    games.push(said);
    games.reverse();
    games
}

/// What is played on a board one game after the other.
#[derive(Debug, Default)]
struct Evening {
    shown: Shown,
    /// A game is under way: the clock has run, or a move was made without one.
    begun: bool,
    /// It has come too far to go back.
    far: bool,
    /// The men were set up anew since.
    set_up: Option<SetUp>,
}

/// The initial position, set up after a game.
#[derive(Clone, Copy, Debug)]
struct SetUp {
    /// The line that completed it.
    line: usize,
    /// How the board lies.
    lies: Turn,
    shown: Shown,
}

impl Evening {
    /// The men had been set up so, and now a game is played from there.
    fn take(&mut self, message: &Message, line: usize) -> Option<SetUp> {
        self.shown.take(message);
        let board = self.shown.board?;
        let runs = self.shown.runs().is_some();
        let start = infer::scan(&Chess::default());
        let lies = |&turn: &Turn| board.turned(turn) == start;
        if let Some(lies) = [Turn::None, Turn::Half].into_iter().find(lies) {
            if self.far {
                self.set_up = Some(SetUp { line, lies, shown: self.shown });
            }
            return None;
        }
        let moved = |turn: Turn| matches!(read(&Chess::default(), &board.turned(turn)), Reading::Line(_));
        let played = |set_up: &SetUp| (runs || self.shown.clockless()) && moved(set_up.lies);
        if let Some(set_up) = self.set_up.filter(played) {
            *self = Evening { shown: self.shown, begun: true, ..Evening::default() };
            return Some(set_up);
        }
        self.begun |= runs || (self.shown.clockless() && (moved(Turn::None) || moved(Turn::Half)));
        self.far |= self.begun && is_far(&board, &start) && is_far(&board, &start.turned(Turn::Half));
        None
    }
}

/// Men went too far to be on their way back, pawns among them, which never go back.
fn is_far(board: &Scan, start: &Scan) -> bool {
    let away: Vec<u8> = board.differences(start).collect();
    away.len() >= FAR && away.iter().any(|square| matches!(square / 8, 1 | 6))
}
