//! What an irregularity that counts as an illegal move costs (7.5.5): time for the opponent, or the game.

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use shakmaty::{Chess, Position};

use super::{mating, pawn_left, remedy};
use crate::{
    board::infer,
    clock::{Colour, Hand},
    game::{Ending, Finding, Game, Outcome, Remedy, state},
    laws::{Edition, Penalty, words},
};

/// What it costs in this game: the edition's penalty with what the event sets differently.
#[must_use]
pub fn cost(edition: &Edition, game: &Game) -> Penalty {
    let letter = edition.penalties.of(game.setup.play);
    let overlay = &game.setup.overlay;
    let loses_at = overlay.loses_at.unwrap_or(letter.loses_at);
    // Where the letter has the first one lose it names no time: then the one that such play has under an arbiter's eyes (B.2).
    let watched = edition.penalties.of(game.setup.play.watched());
    let usual = if letter.loses_at == 1 && loses_at > 1 { watched.bonus } else { letter.bonus };
    Penalty { bonus: overlay.bonus.unwrap_or(usual), loses_at }
}

/// The penalty for one irregularity on given hands, with the score cut to `keep` plies.
#[must_use]
pub(super) fn ways(
    edition: &Edition,
    game: &Game,
    finding: &Finding,
    hands: [Hand; 2],
    keep: u32,
    key: &str,
) -> Vec<Remedy> {
    let (base, reinstated) = base(edition, game, finding, keep, key);
    let mut ways = strike(edition, game, finding.by, hands, reinstated.as_ref(), base);
    for way in &mut ways {
        let pawn = pawn_left::said(edition, game, finding, way);
        way.words.en += &pawn.en;
        way.words.ru += &pawn.ru;
    }
    ways
}

/// Both players erred one after the other: each strikes, the first one first.
#[must_use]
pub(super) fn both(
    edition: &Edition,
    game: &Game,
    finding: &Finding,
    hands: [Hand; 2],
    keep: u32,
    key: &str,
) -> Vec<Remedy> {
    let first = ways(edition, game, finding, hands, keep, key);
    let [Remedy { outcome: None, hands: Some(hands), given, strikes, words: said, .. }] = first.as_slice() else {
        return first;
    };
    let (base, reinstated) = base(edition, game, finding, keep, key);
    let mut second = strike(edition, game, finding.by.other(), *hands, reinstated.as_ref(), base);
    for way in &mut second {
        for (total, more) in way.strikes.iter_mut().zip(strikes) {
            *total += more;
        }
        for (total, more) in way.given.iter_mut().zip(given) {
            *total += more;
        }
        way.words.en = format!("{}; {}", said.en, way.words.en);
        way.words.ru = format!("{}; {}", said.ru, way.words.ru);
    }
    second
}

/// The shape of a penalty: the plies from the offending one on are annulled and the offender moves again, or presses again with the
/// queen that he owed. With it the position to play on from, where the record has it: it may be known though the board has gone
/// adrift since.
fn base(edition: &Edition, game: &Game, finding: &Finding, keep: u32, key: &str) -> (Remedy, Option<Chess>) {
    let mut reinstated = game.position_after(keep as usize);
    let owed = reinstated.as_ref().and_then(|before| pawn_left::owed(edition, game, finding, before));
    let mut position = game.fen_after(keep as usize);
    if let Some((before, queen)) = reinstated.as_mut().zip(owed) {
        before.play_unchecked(queen);
        position = Some(state::fen(before));
    }
    let article = edition.penalty_article(finding.kind, game.setup.play);
    let base = Remedy {
        annul_from: (keep < game.known()).then_some(finding.ply),
        place: owed.map(infer::uci),
        position,
        turn: finding.by,
        ..remedy::plain(game, key, article, words("", ""))
    };
    (base, reinstated.filter(|_| game.is_known_after(keep as usize)))
}

/// Fills in the strike, and the time or the result, with words. Both results where nobody knows yet whether the opponent can
/// mate from the reinstated position, or which it is.
#[must_use]
fn strike(
    edition: &Edition,
    game: &Game,
    offender: Colour,
    mut hands: [Hand; 2],
    reinstated: Option<&Chess>,
    base: Remedy,
) -> Vec<Remedy> {
    let cost = cost(edition, game);
    let opponent = offender.other();
    let number = game.strikes[offender.index()] + 1;
    let mut strikes = [0; 2];
    strikes[offender.index()] = 1;
    if number < cost.loses_at {
        remedy::add(&mut hands[opponent.index()], cost.bonus);
        let given = remedy::given(opponent, cost.bonus);
        let (en, ru) = remedy::to_whom(opponent);
        let time = remedy::clock(cost.bonus);
        let mut words =
            words(format!("illegal move {number}: +{time} to {en}"), format!("невозможный ход {number}: +{time} {ru}"));
        if game.setup.control.is_none() {
            words.en += "; the increment is not known and not taken back";
            words.ru += "; добавление неизвестно и не снято";
        }
        return vec![Remedy { hands: Some(hands), given, strikes, words, ..base }];
    }
    // The exception is asked of the position after 7.5.1 or 7.5.2 has been applied, not of the one on the board.
    let can_mate = match (edition.mating_exception, reinstated) {
        (false, _) => Some(true),
        (true, None) => None,
        (true, Some(position)) => mating::can_mate(game, position, opponent),
    };
    let way = |key: &str, can_mate: bool| {
        let outcome = if can_mate { Outcome::win(opponent) } else { Outcome::Draw };
        let why: (&str, &str) = if can_mate {
            ("", "")
        } else {
            (", the opponent cannot mate", ", соперник не может поставить мат")
        };
        let words = words(
            format!("illegal move {number}: {}{}", outcome.pgn(), why.0),
            format!("невозможный ход {number}: {}{}", outcome.pgn(), why.1),
        );
        let (key, outcome): (String, _) = (key.to_string(), Some((outcome, Ending::Illegal)));
        Remedy { key, hands: Some(hands), outcome, strikes, words, ..base.clone() }
    };
    match can_mate {
        Some(can_mate) => vec![way(&base.key, can_mate)],
        None => vec![way("lost", true), way("drawn", false)],
    }
}
