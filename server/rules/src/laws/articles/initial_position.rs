//! The initial position (7.2.1) and the board's orientation (7.2.2).

use alloc::{format, vec, vec::Vec};

use super::{remedy, unsupervised};
use crate::{
    board::{
        Scan,
        infer::{Reading, read},
    },
    game::{Finding, Game, Irregularity, Remedy, state},
    laws::{Edition, Found, Settled, words},
};

/// The clock runs, nothing was played yet, and the board is complete but shows another position.
#[must_use]
pub fn judge(edition: &Edition, game: &Game, board: &Scan) -> Option<Found> {
    let men = crate::board::infer::scan(&game.position).men();
    if game.set_up {
        return None;
    }
    let complete = board.census_at_rest().is_ok() && board.men() == men;
    (complete && read(&game.position, board) == Reading::Unexplained).then(|| Found {
        kind: Irregularity::WrongStart,
        article: edition.articles.wrong_start,
        fixed: is_fixed(game),
        seen: words("the board did not show the initial position", "на доске была не начальная позиция"),
    })
}

/// [`judge`] for a press that was the first of the game: two men or more stand wrong beside the first move.
#[must_use]
pub fn rule(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    if !settled.game.plies.is_empty() {
        return None;
    }
    judge(edition, settled.game, settled.board)
}

/// The ways to deal with a wrong initial position. Without supervision it stays once both have completed the moves within which
/// it can be put right, and a king or rook that began on a wrong square does not castle.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding) -> Vec<Remedy> {
    let Some(rules) = edition.unsupervised(game.setup.play) else { return vec![cancel(edition, game)] };
    let article = rules.articles.set_up;
    if unsupervised::set_up_stays(edition, game) {
        return vec![remedy::play_on(game, article)];
    }
    let mut ways = vec![cancel(edition, game)];
    if unsupervised::shown(game, finding) {
        ways.push(remedy::play_on(game, article));
    }
    ways
}

/// The ways to deal with a board that lies a quarter turn wrong.
#[must_use]
pub fn turned(edition: &Edition, game: &Game) -> Vec<Remedy> {
    match edition.unsupervised(game.setup.play).filter(|_| unsupervised::set_up_stays(edition, game)) {
        Some(rules) => vec![remedy::play_on(game, rules.articles.set_up)],
        None => vec![transfer(edition, game)],
    }
}

/// The Laws fix the new game, but not its times where nobody knows what they were.
#[must_use]
pub fn is_fixed(game: &Game) -> bool {
    game.setup.control.is_some()
}

/// The game is cancelled and a new one is played: initial position, initial times, no strikes.
#[must_use]
pub fn cancel(edition: &Edition, game: &Game) -> Remedy {
    let start = game.beginning();
    let (en, ru) = match game.setup.control {
        Some(_) => ("", ""),
        None => {
            ("; the initial time is not known and is to be set", "; начальное время неизвестно, его нужно установить")
        }
    };
    Remedy {
        annul_from: Some(1),
        position: Some(state::fen(&start)),
        hands: Some(game.hands_at_the_beginning()),
        turn: shakmaty::Position::turn(&start).into(),
        cancel: true,
        ..remedy::plain(
            game,
            "new_game",
            edition.articles.wrong_start,
            words(
                format!("the game is cancelled, a new game is played{en}"),
                format!("партия отменяется, играется новая партия{ru}"),
            ),
        )
    }
}

/// The position is transferred to a board that lies right; play goes on with the times as they are.
#[must_use]
pub fn transfer(edition: &Edition, game: &Game) -> Remedy {
    Remedy {
        position: game.known_fen(),
        ..remedy::plain(
            game,
            "transfer",
            edition.articles.board_turned,
            words(
                "the position is transferred to a correctly placed board, play on",
                "позиция переносится на правильно расположенную доску, игра продолжается",
            ),
        )
    }
}
