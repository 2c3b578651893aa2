//! Whether what a structure allows is enough for a mate: necessary conditions only.
//!
//! The mated king stands on a square it can reach, in check by a man that can attack that square, and every neighbouring
//! square is attacked or taken up by a man of its own. The winner's king is placed exactly, and so is a single officer;
//! all others count as being everywhere they may ever be.

use shakmaty::{Color, Role, Square, attacks};

use super::{
    sets::{Squares, bit, each, king, officer},
    structure::{Man, Structure},
};

/// Whether the structure leaves `winner` any mate at all. `false` is certain, `true` is not.
pub(super) fn possible(structure: &Structure, winner: Color) -> bool {
    let (Some(hunter), Some(prey)) = (structure.king(winner), structure.king(winner.other())) else { return false };
    let open = structure.clear | bit(prey.origin);
    let force = Force::new(structure, winner, open);
    if !force.any_checks {
        return false;
    }
    each(prey.steps).any(|corner| {
        let ring = king(bit(corner));
        force.checks(structure, winner, corner)
            && each(hunter.steps & !ring & !bit(corner)).any(|at| force.mates(structure, winner, corner, at))
    })
}

struct Force<'a> {
    /// What the winner's pawns may attack, and the officers that are not placed exactly.
    attacks: Squares,
    /// The one officer that is placed exactly.
    officer: Option<&'a Man>,
    any_checks: bool,
    open: Squares,
}

impl<'a> Force<'a> {
    fn new(structure: &'a Structure, winner: Color, open: Squares) -> Force<'a> {
        let officers = structure.company(winner).filter(|man| man.role != Role::Pawn || man.promoted != 0).count();
        let mut force = Force { attacks: 0, officer: None, any_checks: false, open };
        for man in structure.company(winner) {
            force.any_checks = true;
            if officers == 1 && man.role != Role::Pawn {
                force.officer = Some(man);
            } else {
                force.attacks |= sight(man, open);
            }
        }
        force
    }

    /// Whether some move can give check on `corner`: by a man that comes to attack it, or by one that steps out of the
    /// line of a man that never moves.
    fn checks(&self, structure: &Structure, winner: Color, corner: u32) -> bool {
        structure.company(winner).any(|man| {
            if sight(man, self.open) & bit(corner) == 0 {
                return false;
            }
            if man.moves() {
                return true;
            }
            let line = attacks::between(Square::new(man.origin), Square::new(corner)).0;
            // Taking in passing empties a square that the taker never stands on.
            let opens = |other: &Man| other.stand() & line != 0 || other.strays != 0;
            structure.men.iter().any(|other| other.color == winner && other.moves() && opens(other))
        })
    }

    /// Whether the king on `corner` may be mated with the winner's king on `at`.
    fn mates(&self, structure: &Structure, winner: Color, corner: u32, at: u32) -> bool {
        let ring = king(bit(corner));
        let denied = self.attacks | king(bit(at));
        let Some(man) = self.officer else { return filled(structure, winner, ring & !denied) };
        let open = (self.open & !bit(at)) | bit(corner);
        each(man.steps & !bit(at) & !bit(corner)).any(|square| {
            let seen = officer(man.role, bit(square), open);
            (seen | self.attacks) & bit(corner) != 0 && filled(structure, winner, ring & !denied & !seen)
        })
    }
}

/// What a man may attack, looking through the square of the king it attacks.
fn sight(man: &Man, open: Squares) -> Squares {
    match man.role {
        Role::Pawn if man.promoted == 0 => man.targets,
        Role::Pawn => {
            man.targets | officer(Role::Queen, man.promoted, open) | officer(Role::Knight, man.promoted, open)
        }
        role => officer(role, man.steps, open),
    }
}

/// Whether the loser's men can take up all of these squares at once, each man one of them.
fn filled(structure: &Structure, winner: Color, holes: Squares) -> bool {
    if holes == 0 {
        return true;
    }
    if holes & !structure.stand[winner.other() as usize] != 0 {
        return false;
    }
    let mut taken_by = [None; 64];
    each(holes).all(|hole| assign(structure, winner, hole, &mut taken_by, &mut 0))
}

/// One augmenting path of a matching between squares and men.
fn assign(structure: &Structure, winner: Color, hole: u32, taken_by: &mut [Option<u32>; 64], tried: &mut u64) -> bool {
    for (index, man) in structure.company(winner.other()).enumerate().take(64) {
        if man.stand() & bit(hole) == 0 || *tried & bit(index as u32) != 0 {
            continue;
        }
        *tried |= bit(index as u32);
        let free = match taken_by[index] {
            None => true,
            Some(other) => assign(structure, winner, other, taken_by, tried),
        };
        if free {
            taken_by[index] = Some(hole);
            return true;
        }
    }
    false
}
