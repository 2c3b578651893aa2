//! Displaced pieces: by a player (7.4), or found later (7.6). What the penalty is, if any, is the arbiter's (12.9).

use alloc::{format, string::String, vec, vec::Vec};

use shakmaty::{Chess, Move, Position};

use super::{clock_setting, remedy};
use crate::{
    board::{Scan, infer},
    clock::Face,
    game::{Finding, Game, Irregularity, Remedy, Words, state},
    laws::{Edition, Found, Settled, words},
    time::Millis,
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

/// The legal move that stands on a board beside displaced men.
#[must_use]
pub fn played(position: &Chess, board: &Scan) -> Option<Move> {
    explained(position, board).map(|(m, _)| m)
}

/// The one legal move beside which the fewest men are displaced.
fn explained(position: &Chess, board: &Scan) -> Option<(Move, Words)> {
    let mut best: Option<(usize, Move, Words)> = None;
    let mut tied = false;
    for m in position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(m);
        let Some(men) = displaced_men(&infer::scan(&next), board) else { continue };
        if best.as_ref().is_some_and(|(count, ..)| *count < men.len()) {
            continue;
        }
        tied = best.as_ref().is_some_and(|(count, ..)| *count == men.len());
        let seen = words(format!("displaced: {}", men.join(", ")), format!("смещены: {}", men.join(", ")));
        best = Some((men.len(), m, seen));
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
            Some(format!("{}→{}", infer::square_name(square), infer::square_name(to)))
        })
        .collect()
}

/// Found later (7.6): back to the position before the men were displaced, or to the last before it that is on record. Where the
/// moves since then are good all the same, the men go back and nothing is annulled.
fn found_later(edition: &Edition, game: &Game, finding: &Finding, face: &Face, stated: u32) -> Vec<Remedy> {
    let keep = if game.blind() { stated } else { game.last_position(stated as usize) as u32 };
    let back = |key: &str, hands, words| remedy::back(game, key, &finding.article, keep, hands, words);
    let (deep, left) = (clock_setting::deep(game, face, keep), clock_setting::left_alone(game, face, keep));
    let said = ("back to the position before the pieces were displaced", "возврат к позиции до смещения фигур");
    let mut ways = vec![back("restore", deep, words(said.0, said.1))];
    remedy::say_what_stays(game, keep, &mut ways[0]);
    if edition.times_may_stay && left != deep {
        let words = words(format!("{}, the times stay", said.0), format!("{}, время не меняется", said.1));
        let first = usize::from(!clock_setting::in_doubt(game, keep));
        ways.insert(first, back("restore_times_left", left, words));
    }
    let said =
        words("displaced pieces are put back, the moves stand", "фигуры возвращаются на место, ходы остаются в силе");
    let position = game.position_is_known().then(|| game.fen());
    ways.push(Remedy { position, ..remedy::plain(game, "put_back", &finding.article, said) });
    ways.push(remedy::play_on(game, &finding.article));
    ways
}

/// Restore the position. After a press the move played stands; what was displaced goes back; times as they are.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let keep = finding.ply.saturating_sub(1);
    // What was pressed since they were found is none of what they were displaced before.
    let then = game.case(finding.case).map_or(game.known(), |case| case.known);
    if finding.kind == Irregularity::DisplacedFound && keep < then {
        return found_later(edition, game, finding, face, keep);
    }
    let board = finding.evidence.settled.as_ref();
    // Where the board is no position of chess only the displaced men go back, by hand: what was played stands until it is claimed.
    let known = game.position_is_known();
    let played = board.filter(|_| known && finding.ply as usize > game.plies.len());
    let played = played.and_then(|board| explained(&game.position, board));
    let mut restored = game.position.clone();
    let place = played.map(|(m, _)| {
        restored.play_unchecked(m);
        infer::uci(m)
    });
    let restore = Remedy {
        place,
        position: known.then(|| state::fen(&restored)),
        turn: if known { game.after_presses(restored.turn().into()) } else { game.to_move() },
        ..remedy::plain(
            game,
            "restore",
            &finding.article,
            words("displaced pieces are put back, play on", "фигуры возвращаются на место, игра продолжается"),
        )
    };
    let article = edition.article(Irregularity::DisplacedFound, game.setup.play);
    if let Some(ran) = finding.facts.ran {
        return ran_meanwhile(edition, game, finding, face, ran, &restore);
    }
    let play_on = Remedy { turn: restore.turn, ..remedy::play_on(game, article) };
    vec![restore, play_on]
}

/// The other player's clock ran while the position was restored, which is to be done in the offender's time (case 13).
fn ran_meanwhile(
    edition: &Edition,
    game: &Game,
    finding: &Finding,
    face: &Face,
    ran: Millis,
    restore: &Remedy,
) -> Vec<Remedy> {
    let way = |key: &str, given: Millis, taken: Millis, en: &str, ru: &str| {
        let mut hands = face.hands;
        remedy::add(&mut hands[finding.by.other().index()], given);
        remedy::take(&mut hands[finding.by.index()], taken);
        let time = remedy::clock(ran);
        let said = words(format!("{time} {en}"), format!("{time} {ru}"));
        let base = Remedy { turn: face.turn, words: said, ..restore.clone() };
        Remedy { key: key.into(), hands: Some(hands), article: edition.articles.displaced.into(), ..base }
    };
    vec![
        way("time_moved", ran, ran, "moved to the offender's clock", "переносятся на часы нарушителя"),
        way("time_given", ran, 0, "given back to the opponent", "возвращаются сопернику"),
        way("time_taken", 0, ran, "taken from the offender", "снимаются у нарушителя"),
        restore.clone(),
        remedy::play_on(game, edition.articles.displaced),
    ]
}
