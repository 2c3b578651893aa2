//! Rapid and blitz without adequate supervision (A.5 and B.3 of 2023): who may act, and until when.
//!
//! What sensors see is no observation by an arbiter: he alone is shown it, and his act, or the opponent's claim, is what counts.
//! Players are told nothing of it (12.6).

use alloc::{format, vec, vec::Vec};

use shakmaty::{Bitboard, Color, Piece, Role};

use super::{clock_setting, remedy};
use crate::{
    board::{Scan, infer},
    clock::{Colour, Face},
    game::{CasePhase, Ending, Finding, Game, Irregularity, Outcome, Remedy, Words},
    laws::{
        Edition, Found,
        edition::{IllegalPosition, MayAct, SetUp},
        words,
    },
};

/// The opponent has made a move since: pressed or not, the window is shut (made is not pressed). `reply`: what it was by the
/// word of people, where they said so; a press alone is no move.
#[must_use]
pub fn answered(game: &Game, by: Colour, ply: u32, reply: Option<Irregularity>) -> bool {
    let made = |&later: &u32| match reply {
        Some(Irregularity::PressWithoutMove) if later == ply + 1 => false,
        _ => game.moved_at(later) && game.press_at(later).is_some_and(|press| press.by != by),
    };
    (ply + 1..=game.known()).any(|later| made(&later))
}

/// When it was reported a man of the opponent had been put down, though the clock was not pressed: by the board he has replied, and
/// the arbiter says whether that move was made.
#[must_use]
pub fn replying(game: &Game, finding: &Finding) -> bool {
    let board = finding.evidence.settled.as_ref();
    board.is_some_and(|board| infer::put_down(&game.board(), board, finding.by.other()))
}

/// The arbiter alone is shown it; the clock was not stopped.
#[must_use]
pub fn shown(game: &Game, finding: &Finding) -> bool {
    let index = (finding.case as usize).checked_sub(1);
    index.and_then(|index| game.cases.get(index)).is_some_and(|case| case.phase == CasePhase::Shown)
}

/// The arbiter may act by himself.
#[must_use]
pub fn arbiter_may_act(edition: &Edition, game: &Game) -> bool {
    edition.unsupervised(game.setup.play).is_none_or(|rules| rules.may_act == MayAct::ArbiterOrOpponent)
}

/// What was done wrong stands, and play goes on.
#[must_use]
pub fn stands(edition: &Edition, game: &Game) -> Remedy {
    let article = edition.unsupervised(game.setup.play).map_or("", |rules| rules.articles.illegal_move);
    remedy::plain(game, "stands", article, words("the move stands, play on", "ход остаётся в силе, игра продолжается"))
}

/// The cases that a move of `mover` closes, each with what is recorded.
pub fn shut<'g>(edition: &'g Edition, game: &'g Game, mover: Colour) -> impl Iterator<Item = (u32, Remedy)> + use<'g> {
    let open = game.cases.iter().filter(move |case| {
        let finding = &case.finding;
        case.phase == CasePhase::Shown && case.chosen.is_none() && finding.kind.is_strike() && finding.by != mover
    });
    let unsupervised = edition.unsupervised(game.setup.play).is_some();
    open.filter(move |_| unsupervised).map(move |case| (case.finding.case, stands(edition, game)))
}

/// The set-up can no longer be put right: both have played the moves within which it can.
#[must_use]
pub fn set_up_stays(edition: &Edition, game: &Game) -> bool {
    let Some(rules) = edition.unsupervised(game.setup.play) else { return false };
    Colour::BOTH.iter().all(|&colour| match rules.set_up {
        SetUp::MadeByEach(moves) => game.made(colour) >= moves,
        SetUp::CompletedByEach(moves) => game.completed(colour) >= moves,
    })
}

/// Nobody steps in on an illegal position.
#[must_use]
pub fn illegal_position_stays(edition: &Edition, game: &Game) -> bool {
    let rules = edition.unsupervised(game.setup.play);
    rules.is_some_and(|rules| rules.illegal_position == IllegalPosition::LeftAlone)
}

/// A move was completed on a board from which play had gone on though it was no position of chess, and it still is none.
#[must_use]
pub fn still_illegal(edition: &Edition, game: &Game, before: &Scan, board: &Scan) -> Option<Found> {
    let rules = edition.unsupervised(game.setup.play)?;
    illegal(before)?;
    let seen = illegal(board)?;
    (rules.illegal_position != IllegalPosition::LeftAlone).then(|| Found {
        kind: Irregularity::IllegalPosition,
        article: rules.articles.illegal_position,
        fixed: rules.illegal_position == IllegalPosition::WaitThenDraw,
        seen,
    })
}

/// Both kings in check, or a pawn on the first or last rank.
fn illegal(scan: &Scan) -> Option<Words> {
    let board = scan.men_on_it();
    if let Some(square) = (board.pawns() & Bitboard::BACKRANKS).first() {
        return Some(words(format!("a pawn stands on {square}"), format!("пешка стоит на {square}")));
    }
    let attacked = |colour: Color| {
        let king = board.by_piece(Piece { color: colour, role: Role::King }).first();
        king.is_some_and(|king| board.attacks_to(king, colour.other(), board.occupied()).any())
    };
    (attacked(Color::White) && attacked(Color::Black)).then(|| words("both kings are in check", "оба короля под шахом"))
}

/// The ways out of an illegal position: a draw where it was waited for. What is only reported may have been put right meanwhile, or the
/// next move is still to be completed: a board that is followed would have shown it, otherwise the arbiter has seen it.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let Some(rules) = edition.unsupervised(game.setup.play) else {
        return vec![remedy::play_on(game, edition.articles.illegal_move)];
    };
    let article = rules.articles.illegal_position;
    let on = remedy::play_on(game, article);
    let draw = Remedy {
        outcome: Some((Outcome::Draw, Ending::IllegalPosition)),
        ..remedy::plain(game, "draw", article, words("illegal position: draw", "невозможная позиция: ничья"))
    };
    match rules.illegal_position {
        IllegalPosition::WaitThenDraw if finding.fixed => vec![draw],
        IllegalPosition::WaitThenDraw if game.scan.is_some() && !game.blind() => vec![on, draw],
        IllegalPosition::WaitThenDraw => vec![draw, on],
        IllegalPosition::LeftAlone => vec![on],
        IllegalPosition::StepIn => {
            // The last position that was one: everything after it is annulled.
            let keep = game.last_position(game.plies.len()) as u32;
            let said = words("back to the last legal position", "возврат к последней возможной позиции");
            let hands = clock_setting::deep(game, face, keep);
            let back = (keep < game.known()).then(|| remedy::back(game, "restore", article, keep, hands, said));
            back.into_iter().chain([draw, on]).collect()
        }
    }
}
