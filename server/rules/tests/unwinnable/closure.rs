//! The independent judge: every position that can arise, one by one, with nothing left out.

use std::collections::HashSet;

use shakmaty::{Chess, Color, EnPassantMode, Position, zobrist::Zobrist128};

/// Whether a mate by `winner` is among all positions that can arise; `None` when there are more than `most`.
pub(crate) fn mate_arises(from: &Chess, winner: Color, most: usize) -> Option<bool> {
    let key = |position: &Chess| position.zobrist_hash::<Zobrist128>(EnPassantMode::Legal).0;
    let mut seen = HashSet::from([key(from)]);
    let mut open = vec![from.clone()];
    while let Some(position) = open.pop() {
        let moves = position.legal_moves();
        if moves.is_empty() && position.is_check() && position.turn() != winner {
            return Some(true);
        }
        for m in moves {
            let mut child = position.clone();
            child.play_unchecked(m);
            // A bare king mates nobody; the rest is looked at, whatever the material.
            if child.board().by_color(winner).count() > 1 && seen.insert(key(&child)) {
                if seen.len() > most {
                    return None;
                }
                open.push(child);
            }
        }
    }
    Some(false)
}
