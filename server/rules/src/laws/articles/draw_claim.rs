//! Claims of a draw by repetition (9.2) or fifty moves (9.3): right, the game is drawn; wrong, the opponent is given time (9.5). Who has
//! made a move has lost the right to claim on it (9.4). What no score proves may be claimed in a quickplay finish.
//!
//! Only the surviving score counts: annulled plies are no occurrence and no move (U: no text says so).

use alloc::{format, vec, vec::Vec};

use shakmaty::Position;

use super::{quickplay_finish, remedy};
use crate::{
    board::{
        Scan,
        infer::{self, put_down},
    },
    clock::{Colour, Face},
    game::{Ending, Finding, Game, Irregularity, Outcome, Remedy, Uci, Words, state},
    laws::{Edition, Found, words},
};

/// Whether the score proves the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    Repetition,
    FiftyMoves,
    Wrong,
    /// Nothing on record proves it, but the record begins after the last move that cannot be taken back: what stood before, nobody
    /// has seen.
    Early,
    /// The moves were not seen, or not all of them.
    Unknown,
}

impl Proof {
    /// The draw that the score proves.
    const fn ending(self) -> Option<Ending> {
        match self {
            Proof::Repetition => Some(Ending::Repetition),
            Proof::FiftyMoves => Some(Ending::FiftyMoves),
            Proof::Wrong | Proof::Early | Proof::Unknown => None,
        }
    }
}

/// The claim as a finding. `fixed`: it was made to the arbiter, who has stopped the clock; a button alone is only a call.
#[must_use]
pub fn found(edition: &Edition, game: &Game, by: Colour, next: Option<Uci>, to_arbiter: bool, note: &str) -> Found {
    let (proof, board) = (proof(game, by, next), game.scan);
    let mut seen = match proof {
        Proof::Repetition => words("the position stood on the board three times", "позиция стояла на доске трижды"),
        Proof::FiftyMoves => words(
            "fifty moves by each without a capture or a pawn move",
            "по пятьдесят ходов без взятий и ходов пешками",
        ),
        Proof::Wrong => {
            let mut counts = counted(game, next);
            if next.is_some_and(|next| after(game, next).is_some()) {
                let now = counted(game, None);
                counts.en = format!("with the move written {}; before it {}", counts.en, now.en);
                counts.ru = format!("с записанным ходом {}; до него {}", counts.ru, now.ru);
            }
            counts
        }
        Proof::Early => words(
            "the record begins later than the positions that count: the score sheets must tell",
            "запись начинается позже позиций, которые идут в счёт: нужны бланки записи",
        ),
        Proof::Unknown => words(
            "the moves were not all seen: the score sheets must tell",
            "не все ходы известны: нужны бланки записи",
        ),
    };
    if differs(game, board.as_ref()) {
        seen = words(
            format!("{}; the board shows another position", seen.en),
            format!("{}; на доске другая позиция", seen.ru),
        );
    }
    let finish = in_finish(edition, game, by, &game.face, board.as_ref());
    if finish && proof.ending().is_none() {
        seen = words(
            format!("{}; in a quickplay finish the claim may be that there is no win by normal means", seen.en),
            format!(
                "{}; в быстром завершении партии требовать можно и потому, что обычными средствами не выиграть",
                seen.ru
            ),
        );
    }
    if !note.is_empty() {
        seen = words(format!("{}; {note}", seen.en), format!("{}; {note}", seen.ru));
    }
    let proven = match proof {
        Proof::Repetition | Proof::FiftyMoves => true,
        Proof::Wrong => edition.wrong_claim_fixed && !finish && standing_now(game, by, next).is_none(),
        Proof::Early | Proof::Unknown => false,
    };
    // A move made or not, before the claim or after: that is the arbiter's to see.
    let fixed = to_arbiter && proven && !differs(game, board.as_ref()) && game.held.is_empty();
    let article =
        if proof == Proof::Wrong && finish { edition.articles.quickplay_finish } else { edition.articles.draw_claim };
    Found { kind: Irregularity::DrawClaim, article, fixed, seen }
}

/// The draw, or the time for the opponent; both where the score cannot tell, or a button was all that was pressed. Where the claimant's
/// move stands on the board, play goes on unless he claimed before he made it.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let Finding { by, fixed, .. } = *finding;
    let (board, next) = (finding.evidence.settled.as_ref(), finding.facts.next);
    let made = board.is_some_and(|board| put_down(&infer::scan(&game.position), board, by));
    let lost = made.then(|| {
        let words = words("a move was made before the claim, play on", "ход сделан до требования, игра продолжается");
        remedy::plain(game, "play_on", edition.articles.claim_lost, words)
    });
    let proof = proof(game, by, next);
    if let Some(ending) = proof.ending() {
        return lost.into_iter().chain([drawn(edition, game, ending)]).collect();
    }
    // The move that stands there may be the one he claims with, if he declared it before he made it (9.2.1, 9.3.1).
    let declared = board.filter(|_| made).and_then(|board| standing(game, board));
    let declared = declared.and_then(|next| self::proof(game, by, Some(next)).ending());
    let wrong = wrong(edition, game, by, face);
    // The opponent's move is on the board: it may be the one that the claim is about.
    let others = !fixed && !made && differs(game, board);
    let draws = match declared.or_else(|| standing_now(game, by, next)) {
        Some(ending) if proof != Proof::Unknown => vec![ending],
        _ if proof == Proof::Unknown || (proof == Proof::Wrong && others) => {
            vec![Ending::Repetition, Ending::FiftyMoves]
        }
        _ if proof == Proof::Early => vec![Ending::Repetition],
        _ => Vec::new(),
    };
    let draws = draws.into_iter().map(|ending| drawn(edition, game, ending));
    let finish = in_finish(edition, game, by, face, board) || quickplay_finish::put_off(game);
    let finish = if finish { quickplay_finish::ways(edition, game, by, face) } else { Vec::new() };
    let mut ways: Vec<Remedy> = lost.into_iter().chain(draws).chain(finish).chain([wrong]).collect();
    if ways.len() == 1 && !fixed {
        ways.push(remedy::play_on(game, edition.articles.draw_claim));
    }
    ways
}

/// The player has the move, or his opponent's stands on the board, and he may claim what no score proves.
fn in_finish(edition: &Edition, game: &Game, by: Colour, face: &Face, board: Option<&Scan>) -> bool {
    let his = game.to_move() == by || differs(game, board);
    his && quickplay_finish::can_be_claimed(edition, game, by, face)
}

/// The draw that stands on the board as it is, where a move was written that does not bring it about (9.2.2, 9.3.2).
fn standing_now(game: &Game, by: Colour, next: Option<Uci>) -> Option<Ending> {
    next.and_then(|_| proof(game, by, None).ending())
}

/// The one move that stands on the board and not in the score.
fn standing(game: &Game, board: &Scan) -> Option<Uci> {
    match infer::read(&game.position, board) {
        infer::Reading::Line(line) => line.first().filter(|_| line.len() == 1).map(|&m| infer::uci(m)),
        _ => None,
    }
}

/// The board shows another position than the score: a move is made or being made that it does not know of yet.
fn differs(game: &Game, board: Option<&Scan>) -> bool {
    board.is_some_and(|board| *board != infer::scan(&game.position))
}

fn drawn(edition: &Edition, game: &Game, ending: Ending) -> Remedy {
    let (key, article, words) = match ending {
        Ending::FiftyMoves => {
            ("fifty_moves", edition.articles.fifty_moves, words("draw: fifty moves", "ничья: 50 ходов"))
        }
        _ => ("repetition", edition.articles.repetition, words("draw: repetition", "ничья: повторение позиции")),
    };
    Remedy { outcome: Some((Outcome::Draw, ending)), ..remedy::plain(game, key, article, words) }
}

fn wrong(edition: &Edition, game: &Game, by: Colour, face: &Face) -> Remedy {
    let bonus = edition.wrong_claim.of(game.setup.play);
    let way = remedy::award(game, "wrong_claim", edition.articles.draw_claim, face, (by.other(), bonus));
    remedy::because("wrong draw claim", "неверное требование ничьей", way)
}

fn proof(game: &Game, by: Colour, next: Option<Uci>) -> Proof {
    if !game.position_is_known() {
        return Proof::Unknown;
    }
    // Only the player having the move can claim; a move written must be one he could make.
    let legal = next.is_none_or(|next| after(game, next).is_some());
    if Colour::from(game.position.turn()) != by || !legal {
        return Proof::Wrong;
    }
    match () {
        () if occurrences(game, next) >= 3 => Proof::Repetition,
        () if plies(game, next) >= 100 => Proof::FiftyMoves,
        () if !is_recorded(game, plies(game, next) as usize, next.is_some()) => Proof::Early,
        () => Proof::Wrong,
    }
}

/// Every position that counts was seen: the last move that cannot be taken back, or the first one, is on record. One that is only known
/// from what was set up after moves that nobody saw is not.
fn is_recorded(game: &Game, plies: usize, next: bool) -> bool {
    let seen = game.seen_in_a_row() + usize::from(next);
    plies < seen || (plies == seen && game.seen_in_a_row() == game.plies.len())
}

fn after(game: &Game, next: Uci) -> Option<shakmaty::Chess> {
    let mut position = game.position.clone();
    state::play(&mut position, next);
    (position != game.position).then_some(position)
}

/// How often the position claimed has stood, the one about to appear included.
fn occurrences(game: &Game, next: Option<Uci>) -> u32 {
    match next.and_then(|next| after(game, next)) {
        Some(position) => game.times(&position) + 1,
        None => game.occurrences(),
    }
}

fn plies(game: &Game, next: Option<Uci>) -> u32 {
    next.and_then(|next| after(game, next)).map_or(game.position.halfmoves(), |position| position.halfmoves())
}

/// Both counts, for the arbiter.
fn counted(game: &Game, next: Option<Uci>) -> Words {
    let (times, plies) = (occurrences(game, next), plies(game, next));
    words(
        format!("{times} occurrences, {plies} plies without a capture or a pawn move"),
        format!("повторений: {times}, полуходов без взятий и ходов пешками: {plies}"),
    )
}
