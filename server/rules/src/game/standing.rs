//! What an adjournment takes from the game: how it stands when it is adjourned, and what the clock will show once it has done what
//! it was told.

use alloc::boxed::Box;

use shakmaty::Position as _;

use super::{
    decide::Draft,
    event::{Act, Stage},
    refusal::Refusal,
    state::{Game, position},
};
use crate::{
    adjourn::{Deed, Situation},
    clock::{Colour, Compensation, Face, Going, Hand, Period, run::LONGEST},
    time::Millis,
};

/// The act with what it leaves out taken from the game.
pub(super) fn filled(draft: &Draft, deed: &Deed) -> Result<Deed, Refusal> {
    let game = &*draft.game;
    let face = expected(game).face;
    let readings = |given: &[Hand; 2]| [0, 1].map(|i| complete(given[i], face.hands[i]));
    Ok(match deed {
        Deed::EndSession(situation) => Deed::EndSession(Box::new(stands(draft, situation)?)),
        Deed::AdjournEarly(situation) => Deed::AdjournEarly(Box::new(stands(draft, situation)?)),
        Deed::StopClock { hands, opponent_runs } => {
            if hands.iter().any(|hand| hand.left.is_none()) && !expected(game).known {
                return Err(Refusal::ClockRuns);
            }
            Deed::StopClock { hands: readings(hands), opponent_runs: *opponent_runs }
        }
        Deed::SetUp { times: Some(times) } => Deed::SetUp { times: Some(readings(times)) },
        Deed::ClockError { by, hands } => Deed::ClockError { by: *by, hands: readings(hands) },
        deed => deed.clone(),
    })
}

/// A reading as given, with the counters of the one known; the known one where none is given.
fn complete(given: Hand, known: Hand) -> Hand {
    match given.left {
        None => known,
        Some(_) if (given.moves, given.period) == (0, 0) => Hand { moves: known.moves, period: known.period, ..given },
        Some(_) => given,
    }
}

/// The game as it stands when it is adjourned.
fn stands(draft: &Draft, given: &Situation) -> Result<Situation, Refusal> {
    let game = &*draft.game;
    if let Some(open) = game.open_case() {
        return Err(Refusal::CaseOpen(open.finding.case));
    }
    let face = expected(game).face;
    let stands_so = match given.position.as_str() {
        "" if game.blind() || game.lost || game.adrift().is_some() => return Err(Refusal::PositionUnknown),
        "" => game.fen(),
        given
            if face.going != Going::Idle && position(given).is_some_and(|it| Colour::from(it.turn()) != face.turn) =>
        {
            // Who has the move seals; a slip in the position would make the other player seal, and lose when it is opened.
            return Err(Refusal::OtherToMove(face.turn));
        }
        given => given.into(),
    };
    let hands = Colour::BOTH.map(|colour| {
        let mut known = *face.hand(colour);
        if face.going == Going::Running && face.turn == colour {
            // It was last heard when this player's time began to run: how much is left now, nobody has said.
            known.left = None;
        }
        complete(given.hands[colour.index()], known)
    });
    let allotted = Colour::BOTH.map(|colour| given.allotted[colour.index()].or_else(|| allotted(game, colour)));
    Ok(Situation { position: stands_so, hands, allotted, ..given.clone() })
}

/// All the time a player was given: by the control, and by what was set or added on the clock. `None` where the control does not
/// tell, as Bronstein gives back what was used, or where a reading was not known.
fn allotted(game: &Game, colour: Colour) -> Option<Millis> {
    let control = game.setup.control.as_ref()?;
    let Hand { moves, period, .. } = *expected(game).face.hand(colour);
    let gives_back = |period: &Period| matches!(period.compensation, Compensation::Bronstein(_));
    let mut begun = control.periods().iter().take(usize::from(period) + 1);
    if begun.any(gives_back) {
        return None;
    }
    game.granted(colour).map(|granted| control.given(moves, period).saturating_add(granted))
}

/// The clock as it will be once it has done what it was told.
pub(super) struct Expected {
    /// The face.
    pub(super) face: Face,
    /// Its readings are those of then: nothing runs that would change them.
    pub(super) known: bool,
}

/// See [`Expected`].
pub(super) fn expected(game: &Game) -> Expected {
    use Stage::{Received, Sent};
    let mut face = game.face;
    let mut known = face.going != Going::Running;
    let left = usize::try_from(game.left_rev).unwrap_or(usize::MAX).min(game.directives.len());
    let waiting = game.directives[left..].iter().filter(|sent| matches!(sent.stage, Sent | Received));
    for sent in waiting {
        match &sent.directive.act {
            Act::Prepare { control, white_place, stands, .. } => {
                let start = || control.as_ref().map_or(Face::unknown(*white_place), |c| c.start_face(*white_place));
                face = stands.unwrap_or_else(start);
                known = true;
            }
            Act::Set { hands, turn, run, .. } => {
                (face.hands, face.turn, known) = (*hands, *turn, !run);
                face.going = if *run { Going::Running } else { Going::Paused };
            }
            Act::Stop if face.going == Going::Running => face.going = Going::Paused,
            Act::Run => (face.going, known) = (Going::Running, false),
            Act::Add(colour, more) => {
                let hand = face.hand_mut(*colour);
                hand.left = hand.left.map(|left| left.saturating_add(*more).min(LONGEST));
            }
            Act::Stop | Act::Conclude(_) | Act::Show => {}
        }
    }
    Expected { face, known }
}
