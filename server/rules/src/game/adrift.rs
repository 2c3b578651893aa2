//! Play that goes on by no legal move, where nobody has stepped in: the score keeps what was played, and the next moves start from
//! the board as it stands. Where that is no position of chess, moves are taken as they come until it is one again.

use alloc::boxed::Box;

use super::{
    case::{self, Scene},
    decide::Draft,
    ends,
    event::{Alarm, Event},
    follow::{clocks, make},
    irregularity::{Finding, Irregularity},
    reading::told_by,
    score::{Ply, Uci},
    state::{Game, HeldPress},
};
use crate::{
    board::{
        Scan,
        infer::{self, Reading, read},
        moves,
    },
    clock::Colour,
    laws::{
        Edition, Found,
        articles::{displaced, game_end, illegal_move, pawn_left, press_without_move, unsupervised},
    },
};

/// The move that was pressed stands for the time being. `before` is the board it was made from; `meant` the legal move that stands
/// on it beside what is wrong.
pub(super) fn go_on(draft: &mut Draft, press: &HeldPress, before: &Scan, board: &Scan, meant: Option<Uci>) {
    let ply = ply(draft.game, press.by, Some(press), (before, board), meant);
    draft.emit(Event::WentOn { board: Box::new(*board), ply: Some(ply) });
    // Who only presses has made no move: what his opponent did wrong before can still be claimed.
    if before != board {
        case::shut(draft, press.by);
    }
}

/// What a player played from one board to another, as far as the men tell.
fn ply(game: &Game, by: Colour, press: Option<&HeldPress>, (before, board): (&Scan, &Scan), meant: Option<Uci>) -> Ply {
    let carried = meant.or_else(|| infer::carry(before, board, by).map(|carry| carry.uci()));
    let uci = carried.unwrap_or(if before == board { Uci::NONE } else { Uci::UNREAD });
    let (left, before_credit, credit) = clocks(game, by, press);
    let at = press.map_or(game.at, |press| Some(press.at));
    Ply { uci, by, completed: true, left, before_credit, credit, at, position: 0 }
}

/// A move that ends the game needs no press (5.1.1), wherever it was made from.
pub(super) fn stands_unpressed(draft: &mut Draft) {
    let game = &*draft.game;
    let (Some(men), Some(board)) = (game.men_adrift().filter(|_| game.held.is_empty()), game.scan) else { return };
    if !moves::leads_to(&men, &board) {
        return;
    }
    let ply = ply(game, game.to_move(), None, (&game.board(), &board), None);
    if game_end::beyond(draft.edition, game, &board, ply).is_some() {
        draft.emit(Event::WentOn { board: Box::new(board), ply: Some(ply) });
        case::shut(draft, ply.by);
        ends::judge(draft);
    }
}

/// The press for which the clock was stopped has completed a move after all: the one that the board shows by now, or play goes on from
/// the board as it stands. Where the opponent has replied since, it is the board at the press that tells the one from the other.
pub(super) fn stands(draft: &mut Draft, finding: &Finding, press: &HeldPress) {
    let game = &*draft.game;
    let at_press = press.scan.filter(|_| !game.held.is_empty());
    // Where nobody reads the board by now, the one that it was found on.
    let Some(board) = at_press.or(game.scan).or(finding.evidence.settled) else { return };
    match read(&game.position, &board) {
        Reading::Line(line) if line.len() == 1 && game.adrift().is_none() => make(draft, line[0], Some(press), true),
        _ => {
            let legal = finding.kind == Irregularity::Displaced;
            let meant = legal.then(|| displaced::played(&game.position, &board).map(infer::uci)).flatten();
            go_on(draft, press, &game.board(), &board, meant);
            if legal {
                ends::judge(draft);
            }
        }
    }
}

/// Play goes on from a wrong initial position.
pub(super) fn start_from(draft: &mut Draft, board: &Scan) {
    draft.emit(Event::WentOn { board: Box::new(*board), ply: None });
}

/// A press where the board is no position of chess: it waits for the board to settle, like every other.
pub(super) fn press(draft: &mut Draft, by: Colour) {
    let to_move = draft.game.plies.last().map(|ply| ply.by.other());
    if draft.game.held.is_empty() && to_move.is_none_or(|to_move| to_move == by) {
        return draft.emit(Event::Held(by));
    }
    let text = alloc::format!("{} pressed out of turn on a board that is no position of chess", by.name());
    draft.alarm_once(Alarm::Lost, text);
}

/// The press that was held is judged on the board as it stands: any change is the reply, and what was wrong before stands. If the
/// board is then still no position, the Laws say what follows.
pub(super) fn settle(draft: &mut Draft, before: &Scan) {
    let (Some(&press), Some(board)) = (draft.game.held.first(), draft.game.scan) else { return };
    let board = told_by(draft.game, &press).unwrap_or(board);
    let (edition, game, opponent) = (draft.edition, &*draft.game, press.by.other());
    let legal = game.men_adrift().is_some_and(|men| moves::leads_to(&men, &board));
    let king_taken = board.king(opponent).is_none() && before.king(opponent).is_some();
    let still = match board == *before || king_taken {
        true => None,
        false => unsupervised::still_illegal(edition, game, before, &board),
    };
    let found = match &still {
        // In doubt as the score itself: nobody is accused. Nor is he with whose move the game is drawn.
        _ if legal || game.lost => None,
        Some(still) if still.fixed => None,
        _ if board == *before => press_without_move::unchanged(edition),
        _ if king_taken => Some(illegal_move::king_taken(edition)),
        _ => fault(edition, game, &press, &board),
    };
    let scene = Scene::at(draft, &press, board);
    if let Some(found) = found
        && !case::raise(draft, &found, scene.clone())
    {
        return;
    }
    go_on(draft, &press, before, &board, None);
    if legal {
        ends::judge(draft);
    }
    if let Some(found) = still.filter(|_| draft.game.ended.is_none()) {
        // It came about at the move before the one that was waited for.
        let ply = draft.game.known().saturating_sub(1).max(1);
        let by = draft.game.press_at(ply).map_or(press.by, |press| press.by);
        let scene = Scene { by, ply, ..scene };
        match found.fixed {
            true => case::open(draft, &found, scene),
            false => case::show(draft, &found, scene),
        }
    }
}

/// What was wrong with a reply that is no legal move. It needs no position of chess to be seen: the men that stand there go as they do in
/// any.
fn fault(edition: &Edition, game: &Game, press: &HeldPress, board: &Scan) -> Option<Found> {
    let men = game.men_adrift().filter(|men| Colour::from(men.turn) == press.by)?;
    let before = game.board();
    pawn_left::among(edition, &men, board).or_else(|| illegal_move::among(edition, &before, board, press.by))
}
