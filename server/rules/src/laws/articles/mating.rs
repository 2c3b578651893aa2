//! Can this side still mate by any series of legal moves?

use shakmaty::Chess;

use crate::{
    clock::Colour,
    game::Game,
    unwinnable::{self, Verdict},
};

/// Positions looked at before the question is given to the service: a few hundred microseconds.
const AT_ONCE: u64 = 1_000;

/// Whether `side` could mate from `position` by any series of legal moves; `None`: not known, or not determinable in the time
/// there is. An answer the service gave in this game counts.
#[must_use]
pub fn can_mate(game: &Game, position: &Chess, side: Colour) -> Option<bool> {
    match unwinnable::can_mate(position, side, AT_ONCE) {
        Verdict::Winnable(_) => Some(true),
        Verdict::Unwinnable(_) => Some(false),
        Verdict::Undetermined => {
            let text = crate::game::state::fen(position);
            let same = |question: &crate::game::Question| question.side == side && question.position == text;
            game.questions.iter().find(|(question, _)| same(question)).and_then(|(_, answer)| answer.flatten())
        }
    }
}

/// Nobody can mate any more: 5.2.2 has ended the game. Only asked where few moves are left, so that it costs a press nothing.
#[must_use]
pub fn is_dead(position: &Chess) -> bool {
    use shakmaty::Position;
    let few = position.legal_moves().len() <= 2 || position.board().occupied().count() <= 4;
    let cannot = |side| matches!(unwinnable::can_mate(position, side, AT_ONCE), Verdict::Unwinnable(_));
    position.is_insufficient_material() || (few && Colour::BOTH.into_iter().all(cannot))
}
