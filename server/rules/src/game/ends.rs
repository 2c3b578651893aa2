//! The end on the board. Mate, stalemate, a dead position and, where the edition has them, five times and seventy-five moves end the
//! game at once (5.1.1, 5.2, 9.6). It is asked of every move, however it came to the board, and again with more time before anything
//! is ruled: nothing survives the end.

use super::{adrift, case, decide::Draft, follow::make, reading::unpressed};
use crate::laws::articles::game_end;

/// A move has come to the board: made, read anew, unsealed, or put there by a ruling. Perhaps it ends the game.
pub(super) fn judge(draft: &mut Draft) {
    if let Some((outcome, ending, article)) = game_end::judge(draft.edition, draft.game) {
        case::end(draft, outcome, ending, article);
    }
}

/// A flag, a claim, a report or a ruling is about to be judged: what ended the game before comes first, also by the move that stands on
/// the board unpressed. While a case is open it does so where that case does not come first, and what stands there was played before
/// the clock stopped. True if the game is over; otherwise nothing has changed.
pub(super) fn stands(draft: &mut Draft) -> bool {
    if draft.game.open_case().is_some() && (draft.game.waits_for_case() || !draft.game.stands_as_played()) {
        return draft.game.ended.is_some();
    }
    adrift::stands_unpressed(draft);
    if draft.game.ended.is_some() {
        return true;
    }
    let (edition, game) = (draft.edition, &*draft.game);
    let only = if let [m] = *unpressed(game) { Some(m) } else { None };
    let by_move = only.and_then(|m| game_end::stands(edition, game, Some(m)).map(|end| (m, end)));
    if let Some((m, (outcome, ending, article))) = by_move {
        make(draft, m, None, true);
        case::end(draft, outcome, ending, article);
    } else if game.position_is_known()
        && let Some((outcome, ending, article)) = game_end::stands(edition, game, None)
    {
        case::end(draft, outcome, ending, article);
    }
    draft.game.ended.is_some()
}
