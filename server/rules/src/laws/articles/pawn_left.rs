//! A pawn left on the last rank (7.5.2; 7.4a before 2014): since 2014 it becomes a queen, earlier it went back.

use alloc::{format, vec::Vec};

use shakmaty::{Chess, Move, Position, Role};

use super::{clock_setting, penalty, remedy};
use crate::{
    board::{Kind, Man, Scan, infer},
    clock::Face,
    game::{Finding, Game, Irregularity, Remedy, state},
    laws::{Edition, Found, Settled, edition::PawnLeft, words},
};

/// The settled board is that of a legal promotion but for the pawn itself.
#[must_use]
pub fn rule(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    let m = promotion(&settled.game.position, settled.board)?;
    let square = infer::square_name(m.to() as u8);
    let seen = words(format!("a pawn stands on {square}"), format!("пешка стоит на {square}"));
    Some(Found { kind: Irregularity::PawnLeft, article: edition.articles.pawn_left, fixed: true, seen })
}

/// The promotion to a queen that the player owes.
fn promotion(before: &Chess, board: &Scan) -> Option<Move> {
    let pawn = Man { colour: before.turn().into(), kind: Kind::Pawn };
    before.promotion_moves().into_iter().filter(|m| m.promotion() == Some(Role::Queen)).find(|&m| {
        let mut next = before.clone();
        next.play_unchecked(m);
        let mut left = infer::scan(&next);
        left.put(m.to() as u8, Some(pawn));
        left == *board
    })
}

/// The one promotion there can be, where an arbiter saw what no board did.
fn only_promotion(before: &Chess) -> Option<Move> {
    let mut queens = before.promotion_moves().into_iter().filter(|m| m.promotion() == Some(Role::Queen));
    let only = queens.next();
    only.filter(|_| queens.next().is_none())
}

/// The queen is put on the board and the player presses again (case 6); or the pawn goes back and he moves again.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let keep = finding.ply.saturating_sub(1).min(game.known());
    let credit = clock_setting::taken_back(game, clock_setting::credit_at(game, face, finding.by, keep));
    let hands = clock_setting::immediate(game, face, keep, clock_setting::only(finding.by, credit));
    let mut reinstated = game.position_after(keep as usize);
    let seen = finding.evidence.settled.as_ref().and_then(|board| promotion(&reinstated, board));
    let owed = seen.or_else(|| only_promotion(&reinstated)).filter(|_| !game.blind());
    let place = owed.filter(|_| edition.pawn_left == PawnLeft::BecomesQueen);
    if let Some(m) = place {
        reinstated.play_unchecked(m);
    }
    let known = Some(&reinstated).filter(|_| game.is_known_after(keep as usize));
    let base = Remedy {
        annul_from: (keep < game.known()).then_some(finding.ply),
        place: place.map(infer::uci),
        position: (!game.blind()).then(|| state::fen(&reinstated)),
        turn: finding.by,
        ..remedy::plain(game, "penalty", edition.penalty_article(finding.kind, game.setup.play), words("", ""))
    };
    let mut ways = penalty::strike(edition, game, finding.by, hands, known, base);
    let (en, ru) = match edition.pawn_left {
        PawnLeft::BecomesQueen => ("; the pawn becomes a queen", "; пешка становится ферзём"),
        PawnLeft::Restored => ("; the pawn goes back", "; пешка возвращается"),
    };
    for way in &mut ways {
        way.words.en += en;
        way.words.ru += ru;
        // Where the game is over nobody presses any more.
        if way.outcome.is_none() && edition.pawn_left == PawnLeft::BecomesQueen {
            way.words.en += ", press again";
            way.words.ru += ", нажмите часы";
        }
    }
    ways
}
