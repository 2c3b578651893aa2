//! Displaced pieces: by a player (7.4), or found later (7.6). What the penalty is, if any, is the arbiter's (12.9).

use alloc::{format, string::String, vec, vec::Vec};

use shakmaty::{Chess, Move, Position};

use super::remedy;
use crate::{
    board::{Scan, infer},
    game::{Finding, Game, Irregularity, Remedy, state},
    laws::{Edition, Found, Settled, words},
};

/// The settled board is that of a legal move, but up to two other men stand on wrong squares.
#[must_use]
pub fn rule(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    if !infer::beyond(&settled.game.position, settled.board, settled.presses).is_empty() {
        return None;
    }
    let (_, seen) = explained(&settled.game.position, settled.board)?;
    Some(Found { kind: Irregularity::Displaced, article: edition.articles.displaced, fixed: false, seen })
}

/// The one legal move beside which the fewest men are displaced.
fn explained(position: &Chess, board: &Scan) -> Option<(Move, String)> {
    let mut best: Option<(usize, Move, String)> = None;
    let mut tied = false;
    for m in position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(m);
        let Some(men) = displaced_men(&infer::scan(&next), board) else { continue };
        if best.as_ref().is_some_and(|(count, ..)| *count < men.len()) {
            continue;
        }
        tied = best.as_ref().is_some_and(|(count, ..)| *count == men.len());
        best = Some((men.len(), m, men.join(", ")));
    }
    best.filter(|_| !tied).map(|(_, m, seen)| (m, seen))
}

/// The men that stand elsewhere than they should, one or two, every one of them still on the board.
fn displaced_men(should: &Scan, board: &Scan) -> Option<Vec<String>> {
    let squares: Vec<u8> = should.differences(board).collect();
    let (from, to): (Vec<u8>, Vec<u8>) = squares.iter().partition(|&&s| board.at(s).is_none());
    if from.len() != to.len() || !(1..=2).contains(&from.len()) || to.iter().any(|&s| should.at(s).is_some()) {
        return None;
    }
    let mut rest = to;
    from.into_iter()
        .map(|square| {
            let index = rest.iter().position(|&t| board.at(t) == should.at(square))?;
            let to = rest.swap_remove(index);
            Some(format!("{} displaced to {}", infer::square_name(square), infer::square_name(to)))
        })
        .collect()
}

/// Restore the position. After a press the move played stands; what was displaced goes back; times as they are.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding) -> Vec<Remedy> {
    let board = finding.evidence.settled.as_ref();
    let played = board.filter(|_| finding.ply as usize > game.plies.len()).and_then(|b| explained(&game.position, b));
    let mut restored = game.position.clone();
    let place = played.map(|(m, _)| {
        restored.play_unchecked(m);
        infer::uci(m)
    });
    let restore = Remedy {
        place,
        position: Some(state::fen(&restored)),
        turn: restored.turn().into(),
        ..remedy::plain(
            game,
            "restore",
            &finding.article,
            words("displaced pieces are put back, play on", "фигуры возвращаются на место, игра продолжается"),
        )
    };
    let article = edition.article(Irregularity::DisplacedFound);
    vec![restore, remedy::play_on(game, article)]
}
