//! A round as organisers see it: what the books say of a board, and what its game does.

use flagfall_proto::{
    clock::v1::{Colour, Compensation, Control, Face, Going},
    desk::v1::{self, BoardState, GameSnapshot, RoundState},
    journal::v1::{AdjournmentPhase, Player},
};
use flagfall_rules::{laws::Rates, time::Millis};

use super::{
    result::{Own, of_books, of_game},
    state::{Round, Tournament},
};
use crate::journal::codec::{self, Numbered};

/// Moves that a player is known to have made: by the score, or by what the clock counts.
pub(super) fn moves(game: &GameSnapshot, side: usize) -> u32 {
    let hand = game.face.and_then(|face| if side == 0 { face.white } else { face.black });
    let made = (game.plies.len() + 1 - side) / 2;
    hand.map_or(0, |hand| hand.moves).max(made as u32)
}

/// A player is known to have made a move.
pub(super) fn moved(game: &GameSnapshot, side: usize) -> bool {
    moves(game, side) > 0
}

/// A face that was shown so many milliseconds ago, with the time of a running side counted on: a delay comes first.
pub(super) fn counted_on(mut face: Face, control: Option<&Control>, ago: u64) -> Face {
    if face.going() != Going::Running {
        return face;
    }
    let hand = if face.turn() == Colour::Black { &mut face.black } else { &mut face.white };
    if let Some(hand) = hand.as_mut() {
        let period = control.and_then(|control| control.periods.get(hand.period as usize));
        let delay = period.filter(|period| period.compensation() == Compensation::Delay).map_or(0, |it| it.amount_ms);
        let gone = i64::try_from(ago).unwrap_or(i64::MAX).saturating_sub(delay).max(0);
        hand.left_ms = hand.left_ms.map(|left| left.saturating_sub(gone).max(0));
    }
    face
}

/// Its clock was started, by whomever.
pub(super) fn is_started(snapshot: &GameSnapshot) -> bool {
    let going = snapshot.face.as_ref().map_or(Going::Idle, |face| face.going());
    matches!(going, Going::Running | Going::Paused | Going::Over) || !snapshot.plies.is_empty()
}

/// A board at this instant; `game` with the face that its clock shows.
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
    let own = game.and_then(Own::of);
    let entered = round.results.get(&board);
    let counts = entered.filter(|entered| entered.stands(own.as_ref()));
    let overtaken = entered.filter(|_| counts.is_none()).map(|entered| entered.outcome);
    let result = counts.map(|entered| entered.outcome).or_else(|| own.map(|own| of_books(own.outcome)));
    let differs = own.map(|own| own.outcome).filter(|own| result.map(of_game) != Some(*own));
    let setup = game.and_then(|game| game.setup.as_ref());
    let device = setup.map(|setup| setup.device.clone()).or_else(|| seat.device.clone()).unwrap_or_default();
    let late = look_at(tournament, round).is_some_and(|at| now_ms >= at) && result.is_none();
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
        entered: counts.is_some(),
        note: counts.map(|entered| entered.note.clone()).unwrap_or_default(),
        plies: game.map_or(0, |game| game.plies.len() as u32),
        face: game.and_then(|game| game.face),
        open_cases: game.map_or(0, open_cases),
        white_unseen: unseen(0),
        black_unseen: unseen(1),
        game_result: differs.map_or(0, |own| of_books(own).number()),
        overtaken: overtaken.map_or(0, Numbered::number),
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

/// When a first move that was not made is worth a look: a player who comes later than the default time loses (6.7.1), but nobody sees him
/// come, and who is there thinks. The Laws reckon a game as sixty moves (A.1, B.1): the time for one of them is waited for.
fn look_at(tournament: &Tournament, round: &Round) -> Option<Millis> {
    default_at(tournament, round).map(|at| at.saturating_add(Rates::total(&tournament.settings.control) / 60))
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

#[cfg(test)]
mod tests {
    use flagfall_proto::clock::v1::{Hand, Period};

    use super::*;
    use crate::event::{Act, Input, decide};

    #[test]
    fn a_running_side_is_counted_on_after_its_delay() {
        let hand = |left_ms| Some(Hand { left_ms: Some(left_ms), ..Hand::default() });
        let face = |going: Going| Face {
            white: hand(60_000),
            black: hand(50_000),
            turn: Colour::Black.into(),
            going: going.into(),
            ..Face::default()
        };
        let left = |face: Face| [face.white, face.black].map(|hand| hand.and_then(|hand| hand.left_ms));
        assert_eq!(left(counted_on(face(Going::Running), None, 3_000)), [Some(60_000), Some(47_000)]);
        assert_eq!(left(counted_on(face(Going::Paused), None, 3_000)), [Some(60_000), Some(50_000)]);
        assert_eq!(left(counted_on(face(Going::Running), None, 90_000)), [Some(60_000), Some(0)]);
        let period = Period { compensation: Compensation::Delay.into(), amount_ms: 2_000, ..Period::default() };
        let delay = Control { periods: vec![period], ..Control::default() };
        assert_eq!(left(counted_on(face(Going::Running), Some(&delay), 3_000)), [Some(60_000), Some(49_000)]);
    }
    #[test]
    fn a_first_move_is_looked_for_after_the_default_time_and_the_time_for_one_move() {
        let looked_for = |preset: &str, late| {
            let plan = v1::EventPlan {
                name: "open".into(),
                preset: preset.into(),
                default_time_ms: late,
                ..v1::EventPlan::default()
            };
            let tournament = Tournament::new(decide::settings(plan).expect("a plan"));
            let mut round = Round::default();
            assert_eq!(look_at(&tournament, &round), None, "it is not started");
            let (request, actor, reason) = Default::default();
            round.evolve(Input { request, actor, wall_ms: 1_000_000, reason, act: Act::Start(vec![1]) });
            look_at(&tournament, &round)
        };
        // A hundred and twenty minutes for sixty moves: two minutes each. Five minutes: five seconds.
        assert_eq!(looked_for("90+30", None), Some(1_120_000));
        assert_eq!(looked_for("90+30", Some(1_800_000)), Some(2_920_000));
        assert_eq!(looked_for("3+2", None), Some(1_005_000));
    }
}
