//! Can this side still mate by any series of legal moves?
//!
//! ```text
//!   material ──▶ quick: guided lines  ──▶ structure: who ever gets where ──▶ search: best first, each position once
//!      │                  │                          │                              │           │
//!      ▼                  ▼                          ▼                              ▼           ▼
//!  Unwinnable          Winnable                 Unwinnable                       Winnable   Unwinnable
//!  (Material)       (a line to mate)            (Blocked)                                   (Exhausted)
//! ```
//!
//! Articles 6.9 and 7.5.5 make a draw of a loss when the opponent has no such series; 5.2.2 ends the game when neither side
//! has. The verdict is never wrong: a line is played through before it is given, what is excluded is excluded by argument,
//! and a search that ends early says so. After M. Ambrona, "A Practical Algorithm for Chess Unwinnability" (FUN 2022).

mod choice;
mod guide;
mod looks;
mod mate;
mod outline;
mod pack;
mod picture;
mod queue;
mod reach;
mod score;
mod screen;
mod search;
mod sets;
mod structure;
mod table;
mod threat;

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use crate::clock::Colour;
use search::{Found, Search};

/// Whether a side can still mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// By this line: legal moves of both sides, the last of them mate by the side asked about. Empty when it has mated.
    Winnable(Vec<Move>),
    /// By no series of legal moves.
    Unwinnable(Reason),
    /// The budget ended first. Not a guess in either direction.
    Undetermined,
}

/// Why a side cannot mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// What is on the board never suffices, wherever it stands.
    Material,
    /// Men that never move and squares that no man ever reaches leave no mate.
    Blocked,
    /// Every position that can still arise was looked at; a stalemate or a mate by the other side leaves none.
    Exhausted,
}

impl Reason {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Material => "material",
            Reason::Blocked => "blocked",
            Reason::Exhausted => "exhausted",
        }
    }
}

/// Outlines of kings and pawns looked at before the search begins.
const OUTLINES: usize = 20_000;

/// Guided lines tried before the search, the quick ones included.
const WALKS: u32 = 16;

/// Guided lines of the quick stage, hardly ever more than one, and plies of each of them and of the later ones.
const SHORT_WALKS: u32 = 3;
const SHORT_WALK: usize = 64;
const LONG_WALK: usize = 40;

/// A verdict and what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Positions looked at: one for each move made, whether or not the position was met before.
    pub nodes: u64,
}

/// Whether `side` can mate from `position`, looking at no more than `budget` positions.
#[must_use]
pub fn can_mate(position: &Chess, side: Colour, budget: u64) -> Verdict {
    examine(position, side, budget, &mut || true).verdict
}

/// Like [`can_mate`], with the cost; asks `go_on` every few thousand positions and ends undetermined when told to stop.
#[must_use]
pub fn examine(position: &Chess, side: Colour, budget: u64, go_on: &mut dyn FnMut() -> bool) -> Answer {
    let winner = Color::from(side);
    let first = glance(position, side);
    let mut nodes = first.nodes;
    if first.verdict != Verdict::Undetermined {
        return first;
    }
    let answer = |verdict, nodes| Answer { verdict, nodes };
    if screen::dead_structure(position, winner).is_some() || screen::dead_outline(position, winner, OUTLINES) {
        return answer(Verdict::Unwinnable(Reason::Blocked), nodes);
    }
    for attempt in SHORT_WALKS..WALKS {
        if nodes >= budget {
            return answer(Verdict::Undetermined, nodes);
        }
        if let Some(line) = guide::walk(position, winner, LONG_WALK, attempt, &mut nodes) {
            return answer(proven(position, winner, line), nodes);
        }
    }
    let mut search = Search::new(position, winner, budget.saturating_sub(nodes), go_on);
    let verdict = match search.run(position) {
        Found::Mate(line) => proven(position, winner, line),
        Found::Nothing => Verdict::Unwinnable(Reason::Exhausted),
        Found::Budget => Verdict::Undetermined,
    };
    answer(verdict, nodes + search.nodes)
}

/// The quick stage alone: material, guided lines, and structure where pawns are locked.
#[must_use]
pub fn quick(position: &Chess, side: Colour) -> Verdict {
    glance(position, side).verdict
}

/// Like [`quick`], with the cost.
#[must_use]
pub fn glance(position: &Chess, side: Colour) -> Answer {
    let winner = Color::from(side);
    if let Some(verdict) = at_once(position, winner) {
        return Answer { verdict, nodes: 0 };
    }
    let mut nodes = 0;
    for attempt in 0..SHORT_WALKS {
        if let Some(line) = guide::walk(position, winner, SHORT_WALK, attempt, &mut nodes) {
            return Answer { verdict: proven(position, winner, line), nodes };
        }
    }
    let blocked = screen::locked(position, winner) && screen::dead_structure(position, winner).is_some();
    let verdict = if blocked { Verdict::Unwinnable(Reason::Blocked) } else { Verdict::Undetermined };
    Answer { verdict, nodes }
}

/// What needs no search: the game is over, or the material never suffices.
fn at_once(position: &Chess, winner: Color) -> Option<Verdict> {
    if position.has_insufficient_material(winner) {
        return Some(Verdict::Unwinnable(Reason::Material));
    }
    if position.is_check() && position.legal_moves().is_empty() {
        let mated = position.turn() != winner;
        return Some(if mated { Verdict::Winnable(Vec::new()) } else { Verdict::Unwinnable(Reason::Exhausted) });
    }
    position.is_stalemate().then_some(Verdict::Unwinnable(Reason::Exhausted))
}

/// The line as a verdict, after playing it.
fn proven(position: &Chess, winner: Color, line: Vec<Move>) -> Verdict {
    let mut board = position.clone();
    for &m in &line {
        if !legal(&board, m) {
            return Verdict::Undetermined;
        }
        board.play_unchecked(m);
    }
    if board.is_checkmate() && board.turn() != winner { Verdict::Winnable(line) } else { Verdict::Undetermined }
}
/// Whether a move is legal. Of an ordinary move, only those of its kind to its square are listed, and the list stays put.
fn legal(position: &Chess, m: Move) -> bool {
    match m {
        Move::Normal { role, to, .. } => position.san_candidates(role, to).contains(&m),
        _ => position.is_legal(m),
    }
}
