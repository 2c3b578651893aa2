//! What is not worth searching: positions excluded by material or by their structure, with a memory of earlier findings.
//!
//! Structures repeat: a capture with the kings here or there leaves the same blocked board. What was found of one of them
//! holds for every position that its analysis covers, so that most are settled without a new analysis.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Position};

use super::{mate, outline, score::Ground, sets::forward, structure::Structure};

/// Earlier findings kept.
const KEPT: usize = 256;

/// See the module.
pub(super) struct Screen {
    winner: Color,
    /// Structures without a mate, each with the squares of its pawns.
    dead: Vec<(u64, Structure)>,
    oldest: usize,
}

impl Screen {
    pub(super) fn new(winner: Color) -> Screen {
        Screen { winner, dead: Vec::new(), oldest: 0 }
    }

    /// Whether the winner certainly has no mate from here.
    pub(super) fn excludes(&mut self, position: &Chess) -> bool {
        if position.has_insufficient_material(self.winner) {
            return true;
        }
        if !suspicious(position, self.winner) {
            return false;
        }
        let plain = position.castles().is_empty() && position.maybe_ep_square().is_none();
        let pawns = position.board().pawns().0;
        if plain && self.dead.iter().any(|(key, dead)| *key == pawns && dead.covers(position)) {
            return true;
        }
        let Some(structure) = dead_structure(position, self.winner) else { return false };
        if self.dead.len() < KEPT {
            self.dead.push((pawns, structure));
        } else {
            self.dead[self.oldest] = (pawns, structure);
            self.oldest = (self.oldest + 1) % KEPT;
        }
        true
    }
}

/// Whether the structure is worth a look: pawns are locked, or the winner has nothing but minor men.
fn suspicious(position: &Chess, winner: Color) -> bool {
    let board = position.board();
    let able = board.by_color(winner) & (board.rooks_and_queens() | board.pawns());
    able.is_empty() || locked(position, winner)
}

/// Whether so many pawns stand in each other's way that it may matter.
pub(super) fn locked(position: &Chess, winner: Color) -> bool {
    let board = position.board();
    let locked = forward((board.white() & board.pawns()).0, Color::White) & (board.black() & board.pawns()).0;
    let major = (board.by_color(winner) & board.rooks_and_queens()).any();
    locked.count_ones() >= if major { 3 } else { 1 }
}

/// The analysis of a position when it leaves the winner no mate.
pub(super) fn dead_structure(position: &Chess, winner: Color) -> Option<Structure> {
    let mut structure = Structure::new(position);
    while structure.grow(position) {
        if mate::possible(&structure, winner) {
            return None;
        }
    }
    (!mate::possible(&structure, winner)).then_some(structure)
}

/// Whether kings and pawns alone show that there is no mate; the dearer test.
pub(super) fn dead_outline(position: &Chess, winner: Color, states: usize) -> bool {
    let mut structure = Structure::new(position);
    while structure.grow(position) {}
    outline::excludes(position, &structure, winner, states)
}

/// What the structure says of the two kings.
pub(super) fn ground(position: &Chess, winner: Color) -> Ground {
    let mut structure = Structure::new(position);
    while structure.grow(position) {}
    Ground { reach: structure.king(winner.other()).map_or(0, |man| man.steps) }
}
