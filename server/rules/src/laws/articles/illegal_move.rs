//! Illegal moves (7.5.1, 7.5.3, 7.5.4) and their penalty (7.5.5).

use alloc::{format, string::ToString, vec, vec::Vec};

use super::{clock_setting, mating, remedy};
use crate::{
    board::{
        Kind, Scan,
        infer::{self, Carry, square_name},
    },
    clock::{Colour, Face, Hand},
    game::{Ending, Finding, Game, Irregularity, Outcome, Remedy, state},
    laws::{Edition, Found, Settled, words},
};

/// One man was carried where it may not go, and the clock was pressed: the settled board shows it alone.
#[must_use]
pub fn rule(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    let base = infer::scan(&settled.game.position);
    let seen = en_passant_left(settled)
        .or_else(|| castled(&base, settled.board, settled.by))
        .or_else(|| carried(&base, settled.board, settled.by))?;
    Some(Found { kind: Irregularity::IllegalMove, article: edition.articles.illegal_move, fixed: true, seen })
}

/// A complete illegal position stood on the board at the press and was put right before it settled. A lagging board shows
/// the same, so what follows is for the arbiter.
#[must_use]
pub fn repaired(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    let found = rule(edition, settled)?;
    Some(Found { fixed: false, seen: format!("{} at the press, put right at once", found.seen), ..found })
}

fn carried(base: &Scan, board: &Scan, by: Colour) -> Option<alloc::string::String> {
    let Carry { from, to, now, was, taken } = infer::carry(base, board, by)?;
    // A pawn left on the last rank has an article of its own, also when it got there by no legal move.
    let takes = taken.map_or("-", |_| "x");
    let became = if now.kind == was.kind { "" } else { " changing into another piece" };
    Some(format!("{}{}{takes}{}{became}", letter(was.kind), square_name(from), square_name(to)))
}

/// King and rook of one colour both moved on their rank though castling was not allowed.
fn castled(base: &Scan, board: &Scan, by: Colour) -> Option<alloc::string::String> {
    let squares: Vec<u8> = base.differences(board).collect();
    if !(3..=4).contains(&squares.len()) {
        return None;
    }
    let rank = if by == Colour::White { 0 } else { 7 };
    let own = |kind: Kind, scan: &Scan| {
        squares.iter().copied().find(|&s| scan.at(s).is_some_and(|m| m.kind == kind && m.colour == by))
    };
    let king = (own(Kind::King, base)?, own(Kind::King, board)?);
    let rook = (own(Kind::Rook, base)?, own(Kind::Rook, board)?);
    let all = [king.0, king.1, rook.0, rook.1];
    let only = squares.iter().all(|s| all.contains(s)) && all.iter().all(|s| s / 8 == rank);
    let emptied = squares.iter().all(|s| board.at(*s).is_none_or(|m| m.colour == by));
    (only && emptied && king.0.abs_diff(king.1) == 2).then(|| format!("castling to {}", square_name(king.1)))
}

/// A pawn taken en passant was left standing: the move on the board is no legal move.
fn en_passant_left(settled: &Settled<'_>) -> Option<alloc::string::String> {
    use shakmaty::Position;
    settled.game.position.en_passant_moves().into_iter().find_map(|m| {
        let mut next = settled.game.position.clone();
        next.play_unchecked(m);
        let mut left = infer::scan(&next);
        let taken = (m.from()? as u8 / 8) * 8 + m.to() as u8 % 8;
        left.put(taken, infer::scan(&settled.game.position).at(taken));
        (left == *settled.board).then(|| {
            format!("en passant to {} with the taken pawn left on {}", square_name(m.to() as u8), square_name(taken))
        })
    })
}

fn letter(kind: Kind) -> &'static str {
    match kind {
        Kind::Pawn => "",
        Kind::Knight => "N",
        Kind::Bishop => "B",
        Kind::Rook => "R",
        Kind::Queen => "Q",
        Kind::King => "K",
    }
}

/// The ways to deal with an illegal move. Found at once: penalty by 7.5.5 on the immediate baseline. Found later: proposals on
/// the deep baseline, or with the times left alone.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let offender = finding.by;
    let made = game.plies.len() as u32;
    let in_score = finding.ply <= made;
    let keep = (finding.ply as usize - usize::from(finding.ply > 0)).min(game.plies.len());
    if in_score && finding.ply < made {
        let deep = clock_setting::deep(game, face, offender, finding.ply);
        let mut leave = clock_setting::immediate(game, face, offender, keep, 0);
        for (hand, now) in leave.iter_mut().zip(face.hands) {
            hand.left = now.left;
        }
        let mut ways = penalised(edition, game, finding, deep, keep, "penalty");
        ways.extend(penalised(edition, game, finding, leave, keep, "penalty_times_left"));
        // Where the game is lost the times do not matter any more.
        ways.dedup_by(|one, other| one.outcome.is_some() && one.outcome == other.outcome);
        ways.push(remedy::play_on(game, edition.articles.clock_setting));
        return ways;
    }
    let credit = match game.plies.get(keep) {
        Some(ply) if in_score => ply.credit.unwrap_or(0),
        _ => clock_setting::credit_of_next(game, face, offender),
    };
    let hands = clock_setting::immediate(game, face, offender, keep, credit);
    let mut ways = penalised(edition, game, finding, hands, keep, "penalty");
    if !finding.fixed {
        ways.push(remedy::play_on(game, edition.articles.illegal_move));
    }
    ways
}

/// Penalty for one illegal move on given hands: time for the opponent, or the game by the last one allowed.
fn penalised(
    edition: &Edition,
    game: &Game,
    finding: &Finding,
    hands: [Hand; 2],
    keep: usize,
    key: &str,
) -> Vec<Remedy> {
    let reinstated = game.position_after(keep);
    let annul_from = (keep < game.plies.len()).then_some(finding.ply);
    let base = Remedy {
        annul_from,
        position: Some(state::fen(&reinstated)),
        turn: finding.by,
        ..remedy::plain(game, key, edition.penalty_article(finding.kind), words("", ""))
    };
    let mut ways = penalty(edition, game, finding.by, hands, &reinstated, base);
    for way in ways.iter_mut().filter(|way| game.setup.control.is_none() && way.outcome.is_none()) {
        way.words.en += "; the increment is not known and not taken back";
        way.words.ru += "; добавление неизвестно и не снято";
    }
    ways
}

/// 7.5.5 on a reinstated position: fills in the strike, and the time or the result, with words. Both results where nobody knows
/// yet whether the opponent can mate.
pub(super) fn penalty(
    edition: &Edition,
    game: &Game,
    offender: Colour,
    mut hands: [Hand; 2],
    reinstated: &shakmaty::Chess,
    base: Remedy,
) -> Vec<Remedy> {
    let cost = edition.penalty(game.setup.play);
    let opponent = offender.other();
    let strike = game.strikes[offender.index()] + 1;
    if strike < cost.loses_at {
        remedy::add(&mut hands[opponent.index()], cost.bonus);
        let (en, ru) = remedy::to_whom(opponent);
        let time = remedy::clock(cost.bonus);
        let words =
            words(format!("illegal move {strike}: +{time} to {en}"), format!("невозможный ход {strike}: +{time} {ru}"));
        return vec![Remedy { hands: Some(hands), strike: Some(offender), words, ..base }];
    }
    // The exception is asked of the position after 7.5.1 or 7.5.2 has been applied, not of the one on the board.
    let can_mate = if edition.mating_exception { mating::can_mate(game, reinstated, opponent) } else { Some(true) };
    let way = |key: &str, can_mate: bool| {
        let outcome = if can_mate { Outcome::win(opponent) } else { Outcome::Draw };
        let why = if can_mate {
            ("", "")
        } else {
            (", the opponent cannot mate", ", соперник не может поставить мат")
        };
        let words = words(
            format!("illegal move {strike}: {}{}", outcome.pgn(), why.0),
            format!("невозможный ход {strike}: {}{}", outcome.pgn(), why.1),
        );
        let (key, outcome, strike) = (key.to_string(), Some((outcome, Ending::Illegal)), Some(offender));
        Remedy { key, outcome, strike, words, ..base.clone() }
    };
    match can_mate {
        Some(can_mate) => vec![way(&base.key, can_mate)],
        None => vec![way("lost", true), way("drawn", false)],
    }
}
