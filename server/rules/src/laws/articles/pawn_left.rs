//! A pawn left on the last rank (7.5.2; 7.4a before 2014): since 2014 it becomes a queen, earlier it went back.

use alloc::{format, string::String};

use shakmaty::{Bitboard, Chess, Move, Piece, Position, Rank, Role, Setup, Square};

use crate::{
    board::{Kind, Man, Scan, infer, moves},
    game::{Finding, Game, Irregularity, Ply, Remedy, Uci, Words},
    laws::{Edition, Found, Settled, edition::PawnLeft, words},
};

/// The settled board is that of a legal promotion but for the pawn itself.
#[must_use]
pub fn rule(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    let m = promotion(&settled.game.position, settled.board)?;
    Some(found(edition, m.to()))
}

/// The same among men that are no position of chess.
#[must_use]
pub fn among(edition: &Edition, men: &Setup, board: &Scan) -> Option<Found> {
    let pawn = Some(Man { colour: men.turn.into(), kind: Kind::Pawn });
    let last = Bitboard::from_rank(men.turn.relative_rank(Rank::Eighth)).into_iter();
    let left =
        last.filter(|&square| board.at(square as u8) == pawn && men.board.piece_at(square) != pawn.map(Piece::from));
    let queened = |square: &Square| {
        let mut queened = *board;
        queened.put(*square as u8, Some(Man { colour: men.turn.into(), kind: Kind::Queen }));
        moves::leads_to(men, &queened)
    };
    left.into_iter().find(queened).map(|square| found(edition, square))
}

fn found(edition: &Edition, square: Square) -> Found {
    let seen = words(format!("a pawn stands on {square}"), format!("пешка стоит на {square}"));
    Found { kind: Irregularity::PawnLeft, article: edition.articles.pawn_left, fixed: true, seen }
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

/// The promotion that an arbiter saw where no board did: the one on record, to whatever piece, or the only one there can be.
fn told_promotion(before: &Chess, record: Option<&Ply>) -> Option<Move> {
    let queens = || before.promotion_moves().into_iter().filter(|m| m.promotion() == Some(Role::Queen));
    let squares = |uci: Uci| uci.as_str().get(..4).map(String::from);
    let recorded = record.and_then(|ply| queens().find(|&m| squares(infer::uci(m)) == squares(ply.uci)));
    let mut all = queens();
    let only = all.next().filter(|_| all.next().is_none());
    recorded.or(only)
}

/// The queen that is put on the board for the player after the ply before it, where the edition puts one there: then he presses
/// again (case 6). Otherwise the pawn goes back and he moves again.
#[must_use]
pub(super) fn owed(edition: &Edition, game: &Game, finding: &Finding, before: &Chess) -> Option<Move> {
    if finding.kind != Irregularity::PawnLeft || edition.pawn_left == PawnLeft::Restored {
        return None;
    }
    if !game.seen_after(finding.ply.saturating_sub(1) as usize) {
        return None;
    }
    let seen = finding.evidence.settled.as_ref().and_then(|board| promotion(before, board));
    let index = (finding.ply as usize).checked_sub(1);
    seen.or_else(|| told_promotion(before, index.and_then(|index| game.plies.get(index))))
}

/// What becomes of the pawn, after what it costs. Where the position is on record and none could be promoted in it, or not which, it goes
/// back.
#[must_use]
pub(super) fn said(edition: &Edition, game: &Game, finding: &Finding, way: &Remedy) -> Words {
    let known = !game.blind() && game.position_after(finding.ply.saturating_sub(1) as usize).is_some();
    let (over, goes_back) = (way.outcome.is_some(), way.place.is_none() && known);
    let (en, ru) = match edition.pawn_left {
        _ if finding.kind != Irregularity::PawnLeft => ("", ""),
        PawnLeft::BecomesQueen if goes_back => ("; the pawn goes back", "; пешка возвращается"),
        PawnLeft::Restored => ("; the pawn goes back", "; пешка возвращается"),
        // Where the game is over nobody presses any more.
        PawnLeft::BecomesQueen if over => ("; the pawn becomes a queen", "; пешка становится ферзём"),
        PawnLeft::BecomesQueen => {
            ("; the pawn becomes a queen, press again", "; пешка становится ферзём, нажмите часы")
        }
    };
    words(en, ru)
}
