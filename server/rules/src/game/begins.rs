//! Where the record begins: how the board lies, what it shows before the first press, and what of that is an error of the set-up.

use shakmaty::Position;

use super::{
    adrift,
    case::{self, Scene},
    decide::Draft,
    event::Event,
    follow::make,
    irregularity::Irregularity,
    reading::{board_at_rest, in_hand, unpressed},
};
use crate::{
    board::{
        Turn,
        infer::{Reading, read},
    },
    laws,
};

/// The clock was started: the board should show the initial position, or already a first move. Where it runs for whoever moves after
/// that, the move was completed by starting it.
pub(super) fn started(draft: &mut Draft) {
    orient(draft);
    let next = |plies: usize| [draft.game.to_move(), draft.game.to_move().other()][plies % 2];
    let before = unpressed(draft.game);
    if draft.game.plies.is_empty() && draft.game.face.turn == next(before.len()) {
        before.iter().for_each(|&m| make(draft, m, None, true));
    }
    if board_at_rest(draft.game) {
        check_turned(draft);
        check_start(draft);
    }
}

/// Finds out how the board lies. Only asked while the score is empty, or when a board that lay wrong may have been put right:
/// otherwise a board does not turn by itself.
pub(super) fn orient(draft: &mut Draft) {
    let game = &draft.game;
    let Some(raw) = game.scan.map(|scan| scan.turned(game.turn.back())) else { return };
    let explained = |turn: Turn| {
        matches!(read(&game.position, &raw.turned(turn)), Reading::Same | Reading::Line(_) | Reading::UnderWay(_))
    };
    if !(game.plies.is_empty() || game.new_board || game.turn.is_error()) || explained(game.turn) {
        return;
    }
    // The harmless half turn is tried before the wrong quarters.
    let order = [Turn::None, Turn::Half, Turn::Quarter, Turn::ThreeQuarters];
    if let Some(turn) = order.into_iter().find(|&turn| turn != game.turn && explained(turn)) {
        draft.emit(Event::Turned(turn));
    }
}

/// A board that lies a quarter turn wrong is put right once the game is under way, and once only.
pub(super) fn check_turned(draft: &mut Draft) {
    let game = &draft.game;
    let known = game.cases.iter().any(|case| case.finding.kind == Irregularity::BoardTurned);
    if game.turn.is_error() && game.started && !known && game.open_case().is_none() && game.ended.is_none() {
        let scene = Scene::now(draft, game.position.turn().into(), game.ply());
        case::raise(draft, &laws::board_turned(draft.edition), scene);
    }
}

/// With the clock running and no ply made, the board shows the initial position, a first move, or an error of the set-up.
pub(super) fn check_start(draft: &mut Draft) {
    let game = &draft.game;
    let quite_new = game.started && game.plies.is_empty() && game.open_case().is_none();
    let Some(board) = game.scan.filter(|board| quite_new && !in_hand(game, board)) else { return };
    let scene = Scene::now(draft, game.position.turn().into(), 1);
    if let Some(found) = laws::articles::initial_position::judge(draft.edition, game, &board)
        && case::raise(draft, &found, scene)
    {
        adrift::start_from(draft, &board);
    }
}
