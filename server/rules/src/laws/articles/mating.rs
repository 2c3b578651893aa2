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
        Verdict::Undetermined => answer(game, position, side).flatten(),
    }
}

/// Nobody can mate any more: 5.2.2 has ended the game. Only asked where few moves are left, so that it costs a press nothing.
#[must_use]
pub fn is_dead(position: &Chess) -> bool {
    use shakmaty::Position;
    let few = position.legal_moves().len() <= 2 || position.board().occupied().count() <= 4;
    position.is_insufficient_material() || (few && nobody_mates(position, AT_ONCE))
}

/// Neither side can mate, as far as so many positions for each tell.
#[must_use]
pub fn nobody_mates(position: &Chess, budget: u64) -> bool {
    let cannot = |side| matches!(unwinnable::can_mate(position, side, budget), Verdict::Unwinnable(_));
    Colour::BOTH.into_iter().all(cannot)
}

/// Whether 5.2.2 has ended the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// Neither side can mate.
    Yes,
    /// One of them can.
    No,
    /// It takes longer than a moment to say so of this side: the service is to be asked.
    Ask(Colour),
    /// It was asked, and not determined in the time there is.
    Unknown,
}

/// Whether the position is dead, wherever that is asked: pawns may have locked it long ago, with many moves left to both.
#[must_use]
pub fn dead(game: &Game, position: &Chess) -> Dead {
    let can = Colour::BOTH.map(|side| (side, can_mate(game, position, side)));
    if can.iter().any(|(_, can)| *can == Some(true)) {
        return Dead::No;
    }
    let mut open = can.iter().filter(|(_, can)| can.is_none()).map(|(side, _)| *side).peekable();
    if open.peek().is_none() {
        return Dead::Yes;
    }
    open.find(|&side| !asked(game, position, side)).map_or(Dead::Unknown, Dead::Ask)
}

/// The service was asked and has answered, if only that it could not say.
#[must_use]
pub fn asked(game: &Game, position: &Chess, side: Colour) -> bool {
    answer(game, position, side).is_some()
}

fn answer(game: &Game, position: &Chess, side: Colour) -> Option<Option<bool>> {
    let text = crate::game::state::fen(position);
    let same = |question: &crate::game::Question| question.side == side && question.position == text;
    game.questions.iter().find(|(question, _)| same(question)).and_then(|(_, answer)| *answer)
}
