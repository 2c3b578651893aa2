//! A round as organisers see it: what the books say of a board, and what its game does.

use flagfall_proto::{
    clock::v1::Going,
    desk::v1::{self, BoardState, GameSnapshot, RoundState},
    journal::v1::{AdjournmentPhase, Player},
};
use flagfall_rules::{game::Outcome, time::Millis};

use super::{
    decide::{Ended, books},
    state::{Round, Tournament},
};
use crate::journal::codec::{self, Numbered};

/// What a game says of its result; `None`: it goes on.
pub(super) fn ended(snapshot: &GameSnapshot) -> Option<Ended> {
    let ended = snapshot.ended.as_ref()?;
    let outcome = Outcome::named("ended.outcome", ended.outcome).ok()?;
    Some(Ended { outcome, played: moved(snapshot, 0) || moved(snapshot, 1) })
}

/// A player is known to have made a move: by the score, or by what the clock counts.
fn moved(snapshot: &GameSnapshot, side: usize) -> bool {
    let face = snapshot.face.as_ref();
    let hand = face.and_then(|face| if side == 0 { face.white.as_ref() } else { face.black.as_ref() });
    snapshot.plies.len() > side || hand.is_some_and(|hand| hand.moves > 0)
}

/// Its clock was started, by whomever.
pub(super) fn is_started(snapshot: &GameSnapshot) -> bool {
    let going = snapshot.face.as_ref().map_or(Going::Idle, |face| face.going());
    matches!(going, Going::Running | Going::Paused | Going::Over) || !snapshot.plies.is_empty()
}

/// A board at this instant.
pub(super) fn board(
    tournament: &Tournament,
    round: &Round,
    board: u32,
    game: Option<&GameSnapshot>,
    now_ms: Millis,
) -> Option<v1::Board> {
    let seat = round.seats.get(&board)?;
    let player = |number: u32| {
        let nobody = || Player { number, ..Player::default() };
        Some(tournament.players.get(&number).map_or_else(nobody, codec::player_to_proto))
    };
    let entered = round.results.get(&board);
    let own = game.and_then(ended);
    let result = entered.map(|(outcome, _)| *outcome).or_else(|| own.as_ref().map(|ended| books(ended.outcome)));
    let setup = game.and_then(|game| game.setup.as_ref());
    let device = setup.map(|setup| setup.device.clone()).or_else(|| seat.device.clone()).unwrap_or_default();
    let late = default_at(tournament, round).is_some_and(|at| now_ms >= at) && result.is_none();
    let unseen = |side| late && game.is_some_and(|game| !moved(game, side));
    Some(v1::Board {
        board,
        sector: tournament.sector(board).to_owned(),
        white: player(seat.white),
        black: player(seat.black),
        device,
        game: setup.map(|setup| setup.game.clone()).unwrap_or_default(),
        state: state(seat.device.is_some(), result.is_some(), game).into(),
        result: result.map_or(0, Numbered::number),
        entered: entered.is_some(),
        note: entered.map(|(_, note)| note.clone()).unwrap_or_default(),
        plies: game.map_or(0, |game| game.plies.len() as u32),
        face: game.and_then(|game| game.face),
        open_cases: game.map_or(0, open_cases),
        white_unseen: unseen(0),
        black_unseen: unseen(1),
    })
}

fn state(has_clock: bool, is_over: bool, game: Option<&GameSnapshot>) -> BoardState {
    let Some(game) = game else {
        return match (is_over, has_clock) {
            (true, _) => BoardState::Over,
            (false, true) => BoardState::Paired,
            (false, false) => BoardState::NoClock,
        };
    };
    let adjourned =
        game.adjournment.as_ref().is_some_and(|adjournment| adjournment.phase() == AdjournmentPhase::Adjourned);
    match game.face.as_ref().map_or(Going::Idle, |face| face.going()) {
        _ if is_over => BoardState::Over,
        _ if adjourned => BoardState::Adjourned,
        Going::Running => BoardState::Running,
        Going::Paused | Going::Over => BoardState::Paused,
        Going::Idle | Going::Unspecified if game.plies.is_empty() => BoardState::Ready,
        Going::Idle | Going::Unspecified => BoardState::Paused,
    }
}

/// Cases that wait, and what is asked about an adjournment: those of a game that is over are only on record.
fn open_cases(game: &GameSnapshot) -> u32 {
    let open = |case: &&v1::CaseSnapshot| {
        case.ruling.is_none() && !case.proposal.as_ref().is_some_and(|proposal| proposal.running)
    };
    let asked = game.adjournment.as_ref().is_some_and(|adjournment| adjournment.proposal.is_some());
    if game.ended.is_some() { 0 } else { game.cases.iter().filter(open).count() as u32 + u32::from(asked) }
}

/// When the default time is over; `None`: the round is not started.
pub(super) fn default_at(tournament: &Tournament, round: &Round) -> Option<Millis> {
    round.started_ms.map(|started| started.saturating_add(tournament.default_time().0))
}

/// Where a round stands.
pub(super) fn round_state(round: &Round) -> RoundState {
    match round {
        Round { closed_ms: Some(_), .. } => RoundState::Closed,
        Round { started_ms: Some(_), .. } => RoundState::Started,
        Round { prepared, .. } if !prepared.is_empty() => RoundState::Prepared,
        _ => RoundState::Paired,
    }
}

/// A round, its boards given.
pub(super) fn round(tournament: &Tournament, number: u32, round: &Round, boards: Vec<v1::Board>) -> v1::Round {
    v1::Round {
        event: tournament.settings.name.clone(),
        round: number,
        state: round_state(round).into(),
        started_ms: round.started_ms.unwrap_or(0),
        default_at_ms: default_at(tournament, round).unwrap_or(0),
        closed_ms: round.closed_ms.unwrap_or(0),
        boards,
        byes: round.byes.iter().map(codec::bye_to_proto).collect(),
    }
}
