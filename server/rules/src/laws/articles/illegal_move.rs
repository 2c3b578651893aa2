//! Illegal moves: what is one (7.5.1), and the ways to deal with one.

use alloc::{format, vec::Vec};

use super::{clock_setting, credit::Credited, penalty, remedy, unsupervised};
use crate::{
    board::{
        Kind, Scan,
        infer::{self, Carry, square_name},
    },
    clock::{Colour, Compensation, Face, Hand},
    game::{Finding, Game, Irregularity, Remedy, Words},
    laws::{Edition, Found, Settled, words},
    time::{Millis, SECOND},
};

/// The readings are those of the moment, and nothing is taken back.
const TIMES_STAY: (&str, &str) = ("the times stay", "время не меняется");

/// One man was carried where it may not go, and the clock was pressed: the settled board shows it alone.
#[must_use]
pub fn rule(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    let base = infer::scan(&settled.game.position);
    if let Some(seen) = en_passant_left(settled) {
        return Some(found(edition, seen, true));
    }
    let Found { fixed, seen, .. } = among(edition, &base, settled.board, settled.by)?;
    Some(found(edition, seen, fixed && !castling_half_done(settled, &base)))
}

/// The same of men that need be no position of chess; that no legal move led from one board to the other is known.
#[must_use]
pub fn among(edition: &Edition, before: &Scan, board: &Scan, by: Colour) -> Option<Found> {
    if let Some((seen, two_squares)) = castled(before, board, by) {
        return Some(found(edition, seen, two_squares));
    }
    let seen = en_passant_late(before, board, by).or_else(|| carried(before, board, by))?;
    Some(found(edition, seen, true))
}

/// The king was taken: no move of chess, in any edition.
#[must_use]
pub fn king_taken(edition: &Edition) -> Found {
    found(edition, words("the king was taken", "взят король"), true)
}

fn found(edition: &Edition, seen: Words, fixed: bool) -> Found {
    Found { kind: Irregularity::IllegalMove, article: edition.articles.illegal_move, fixed, seen }
}

/// A complete illegal position stood on the board at the press and was put right before it settled. A lagging board shows
/// the same, so what follows is for the arbiter.
#[must_use]
pub fn repaired(edition: &Edition, settled: &Settled<'_>) -> Option<Found> {
    let found = rule(edition, settled)?;
    let seen = words(
        format!("{} at the press, put right at once", found.seen.en),
        format!("{} при нажатии, сразу исправлено", found.seen.ru),
    );
    Some(Found { fixed: false, seen, ..found })
}

fn carried(base: &Scan, board: &Scan, by: Colour) -> Option<Words> {
    let Carry { from, to, now, was, taken } = infer::carry(base, board, by)?;
    // A pawn left on the last rank has an article of its own, also when it got there by no legal move.
    let takes = taken.map_or("-", |_| "x");
    let (en, ru) = match now.kind == was.kind {
        true => ("", ""),
        false => (" changing into another piece", " с превращением в другую фигуру"),
    };
    let notation = format!("{}{}{takes}{}", letter(was.kind), square_name(from), square_name(to));
    Some(words(format!("{notation}{en}"), format!("{notation}{ru}")))
}

/// The king went where castling takes him and the rook was forgotten: the player is asked what he did before he is punished.
fn castling_half_done(settled: &Settled<'_>, base: &Scan) -> bool {
    use shakmaty::Position;
    let Some(carry) = infer::carry(base, settled.board, settled.by).filter(|carry| carry.was.kind == Kind::King) else {
        return false;
    };
    let sides = [shakmaty::CastlingSide::KingSide, shakmaty::CastlingSide::QueenSide];
    let mut castles = sides.into_iter().flat_map(|side| settled.game.position.castling_moves(side));
    castles.any(|m| infer::uci(m) == carry.uci())
}

/// King and rook of one colour both moved on their rank though castling was not allowed: the king by two squares, or the rook over to his
/// other side, as when the sides are taken one for the other. With it whether the king went two squares: nothing but castling looks so,
/// while a hand that knocks the king over beside a rook's move can leave them in any order.
fn castled(base: &Scan, board: &Scan, by: Colour) -> Option<(Words, bool)> {
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
    let two_squares = king.0.abs_diff(king.1) == 2;
    let crossed = (rook.0 < king.0) != (rook.1 < king.1);
    (only && emptied && (two_squares || crossed)).then(|| {
        let square = square_name(king.1);
        (words(format!("castling to {square}"), format!("рокировка на {square}")), two_squares)
    })
}

/// A pawn taken en passant was left standing: the move on the board is no legal move.
fn en_passant_left(settled: &Settled<'_>) -> Option<Words> {
    use shakmaty::Position;
    settled.game.position.en_passant_moves().into_iter().find_map(|m| {
        let mut next = settled.game.position.clone();
        next.play_unchecked(m);
        let mut left = infer::scan(&next);
        let taken = (m.from()? as u8 / 8) * 8 + m.to() as u8 % 8;
        left.put(taken, infer::scan(&settled.game.position).at(taken));
        (left == *settled.board).then(|| {
            let (to, taken) = (square_name(m.to() as u8), square_name(taken));
            words(
                format!("en passant to {to} with the taken pawn left on {taken}"),
                format!("взятие на проходе на {to}, а взятая пешка осталась на {taken}"),
            )
        })
    })
}

/// A pawn was taken en passant where that was not, or no longer, possible.
fn en_passant_late(base: &Scan, board: &Scan, by: Colour) -> Option<Words> {
    let squares: Vec<u8> = base.differences(board).collect();
    let pawn = |colour| Some(crate::board::Man { colour, kind: Kind::Pawn });
    let was = |man| squares.iter().copied().find(|&s| base.at(s) == man && board.at(s).is_none());
    let (from, taken) = (was(pawn(by))?, was(pawn(by.other()))?);
    let to = squares.iter().copied().find(|&s| base.at(s).is_none() && board.at(s) == pawn(by))?;
    let ahead = if by == Colour::White { 8 } else { -8 };
    let beside = from / 8 == taken / 8 && (from % 8).abs_diff(taken % 8) == 1;
    (squares.len() == 3 && beside && i16::from(to) == i16::from(taken) + ahead).then(|| {
        let to = square_name(to);
        words(
            format!("en passant to {to} though it was not possible"),
            format!("взятие на проходе на {to}, которое было невозможно"),
        )
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

/// From how long on it is worth asking whether the time the opponent thought meanwhile is given back to him (case 2).
const REFUND_FROM: Millis = 5 * SECOND;

/// The ways to deal with an illegal move. Found at once: the penalty on the immediate baseline. Found later: proposals on the deep
/// baseline, or with the times left alone. More than one way: the arbiter chooses.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let known = game.known();
    let keep = finding.ply.saturating_sub(1).min(known);
    let reply = reply(game, finding);
    // A press in reply that moved nothing is no play that went on.
    let last = finding.ply + u32::from(reply == Some(Irregularity::PressWithoutMove));
    let later = last < known;
    let alone = edition.unsupervised(game.setup.play).is_some();
    if alone && unsupervised::answered(game, finding.by, finding.ply, reply) {
        return alloc::vec![unsupervised::stands(edition, game)];
    }
    // Both erred only where the edition punishes what the opponent did.
    let erred = reply.is_some_and(|reply| edition.is_strike(reply, game.setup.play));
    let mut ways = match (later, reply) {
        (true, _) => found_later(edition, game, finding, face, (keep, erred)),
        (false, Some(_)) => replied(edition, game, finding, face, (keep, erred)),
        (false, None) => found_at_once(edition, game, finding, face, keep),
    };
    // Where the game is lost the times do not matter any more.
    let all = core::mem::take(&mut ways);
    for way in all {
        if way.outcome.is_none() || ways.iter().all(|known: &Remedy| known.outcome != way.outcome) {
            ways.push(way);
        }
    }
    if alone && unsupervised::shown(game, finding) {
        ways.push(unsupervised::stands(edition, game));
    } else if alone && unsupervised::replying(game, finding) {
        ways.insert(0, unsupervised::stands(edition, game));
    } else if later || !finding.fixed {
        let article = if later { edition.articles.clock_setting } else { edition.articles.illegal_move };
        ways.push(remedy::play_on(game, article));
    }
    ways
}

/// What the opponent did wrong in reply: as people state it, or by the record, where his press followed and no man had moved.
fn reply(game: &Game, finding: &Finding) -> Option<Irregularity> {
    let next = finding.ply + 1;
    let pressed = next == game.known() && !game.moved_at(next);
    finding.facts.reply.or(pressed.then_some(Irregularity::PressWithoutMove))
}

/// Nobody has replied: what the press credited is taken back (guidance), unless the event says otherwise; the rest of a credit
/// is for the arbiter to judge.
fn found_at_once(edition: &Edition, game: &Game, finding: &Finding, face: &Face, keep: u32) -> Vec<Remedy> {
    let offender = finding.by;
    let back = clock_setting::taken_back(game, face, offender, keep);
    let without = |credit| clock_setting::immediate(game, face, keep, clock_setting::only(offender, credit));
    let mut ways = penalty::ways(edition, game, finding, without(back), keep, "penalty");
    if back.bonus > 0 {
        let kept = without(Credited { bonus: 0, ..back });
        let kept = penalty::ways(edition, game, finding, kept, keep, "penalty_bonus_kept");
        ways.extend(remedy::apart(kept, ("the bonus of the period stays", "добавка за период остаётся")));
    } else if back.total() > 0 && matches!(back.kind, Compensation::Bronstein(_)) {
        let left = without(Credited::default());
        let left = penalty::ways(edition, game, finding, left, keep, "penalty_times_left");
        ways.extend(remedy::apart(left, TIMES_STAY));
    }
    let opponent = offender.other();
    let thought = clock_setting::thought(game, face, keep, opponent);
    let thought =
        finding.facts.ran.or(thought).or_else(|| clock_setting::ran(game, &finding.evidence.face, face, opponent));
    if let Some(thought) = thought.filter(|&thought| thought >= REFUND_FROM) {
        let mut refunded = without(back);
        remedy::add(&mut refunded[opponent.index()], thought);
        let refunded = penalty::ways(edition, game, finding, refunded, keep, "penalty_refund");
        let time = remedy::clock(thought);
        let (en, ru) = (format!("his {time} of thought given back"), format!("потраченные ими {time} возвращаются"));
        ways.extend(remedy::apart(refunded, (&en, &ru)));
    }
    ways
}

/// Play went on before it was found.
fn found_later(
    edition: &Edition,
    game: &Game,
    finding: &Finding,
    face: &Face,
    (keep, erred): (u32, bool),
) -> Vec<Remedy> {
    let deep = clock_setting::deep(game, face, keep);
    let left = clock_setting::left_alone(game, face, keep);
    if erred {
        // Both erred: each strikes, and each gives the other his time (case 11).
        let mut ways = penalty::both(edition, game, finding, deep, keep, "both");
        ways.extend(penalty::ways(edition, game, finding, deep, keep, "first_only"));
        ways.iter_mut().for_each(|way| remedy::say_what_stays(game, keep, way));
        return ways;
    }
    let mut ways = penalty::ways(edition, game, finding, deep, keep, "penalty");
    ways.iter_mut().for_each(|way| remedy::say_what_stays(game, keep, way));
    if edition.times_may_stay && left != deep {
        let stay = remedy::apart(penalty::ways(edition, game, finding, left, keep, "penalty_times_left"), TIMES_STAY);
        let first = if clock_setting::in_doubt(game, keep) { 0 } else { ways.len() };
        ways.splice(first..first, stay);
    }
    ways
}

/// The opponent pressed instead of stopping the clock, or erred himself at once: accident or strike, the arbiter says (case 12).
fn replied(edition: &Edition, game: &Game, finding: &Finding, face: &Face, (keep, erred): (u32, bool)) -> Vec<Remedy> {
    let opponent = finding.by.other();
    // What he did without a press has credited him nothing: he forgot it, or something else of his was seen before he came to it.
    let pressed = finding.facts.reply.is_none_or(Irregularity::is_strike);
    let credits = Colour::BOTH.map(|colour| {
        // A press that waits goes back by itself.
        if game.held.iter().any(|press| press.by == colour) || (colour == opponent && !pressed) {
            return None;
        }
        let at = keep + u32::from(colour == opponent);
        Some(clock_setting::taken_back(game, face, colour, at))
    });
    let hands: [Hand; 2] = clock_setting::immediate(game, face, keep, credits);
    let mut ways = penalty::ways(edition, game, finding, hands, keep, "accident");
    if let Some(ran) = finding.facts.ran {
        let mut refunded = hands;
        remedy::add(&mut refunded[finding.by.index()], ran);
        let refunded = penalty::ways(edition, game, finding, refunded, keep, "accident_refund");
        let (time, (to_en, to_ru)) = (remedy::clock(ran), remedy::to_whom(finding.by));
        let (en, ru) = (format!("{time} given back to {to_en}"), format!("{time} возвращаются {to_ru}"));
        ways.extend(remedy::apart(refunded, (&en, &ru)));
    }
    if erred {
        ways.extend(penalty::both(edition, game, finding, hands, keep, "both"));
    }
    ways
}
