//! What the clock of a game shows now, as far as the service knows.

use flagfall_proto::{
    clock::v1::{Colour, Face, Going},
    desk::v1::{ClockSnapshot, GameSnapshot},
    journal::v1::AdjournmentPhase,
};

/// The face that the clock of a game last showed, with the time that has gone since where it runs; without word of the clock, or where
/// the game is adjourned, the one that the game's journal has.
#[must_use]
pub fn face(game: &GameSnapshot, clocks: &[ClockSnapshot]) -> Face {
    let name = game.setup.as_ref().map(|setup| setup.game.as_str());
    let adjourned = game.adjournment.as_ref().is_some_and(|it| it.phase() == AdjournmentPhase::Adjourned);
    let its = clocks.iter().find(|clock| !adjourned && Some(clock.game.as_str()) == name);
    let shown = its.and_then(|clock| {
        let mut face = clock.face?;
        if face.going() == Going::Running {
            let ran = i64::try_from(clock.face_ago_ms).unwrap_or(0);
            let hand = if face.turn() == Colour::White { face.white.as_mut() } else { face.black.as_mut() };
            if let Some(left) = hand.and_then(|hand| hand.left_ms.as_mut()) {
                *left = (*left - ran).max(0);
            }
        }
        Some(face)
    });
    shown.or(game.face).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use flagfall_proto::{clock::v1::Hand, desk::v1::AdjournmentSnapshot, journal::v1::Setup};

    use super::*;

    #[test]
    fn a_running_side_has_lost_what_has_gone_since() {
        let hand = |left| Some(Hand { left_ms: Some(left), ..Hand::default() });
        let (turn, going) = (Colour::Black.into(), Going::Running.into());
        let of = |going| Face { white: hand(9_000), black: hand(5_000), turn, going, ..Face::default() };
        let clock = |game: &str, face| ClockSnapshot {
            game: game.into(),
            face,
            face_ago_ms: 1_200,
            ..ClockSnapshot::default()
        };
        let left = |face: Face| [face.white, face.black].map(|hand| hand.and_then(|hand| hand.left_ms));
        let setup = Some(Setup { game: "g".into(), ..Setup::default() });
        let journal = Some(Face { white: hand(1), black: hand(2), ..Face::default() });
        let mut game = GameSnapshot { setup, face: journal, ..GameSnapshot::default() };
        assert_eq!(left(face(&game, &[clock("g", Some(of(going)))])), [Some(9_000), Some(3_800)]);
        let stopped = Going::Paused.into();
        assert_eq!(left(face(&game, &[clock("g", Some(of(stopped)))])), [Some(9_000), Some(5_000)]);
        // The clock has another game, or has not said: the journal knows.
        assert_eq!(left(face(&game, &[clock("h", Some(of(going)))])), [Some(1), Some(2)]);
        assert_eq!(left(face(&game, &[clock("g", None)])), [Some(1), Some(2)]);
        // Somebody has started the clock of an adjourned game.
        let phase = AdjournmentPhase::Adjourned.into();
        game.adjournment = Some(AdjournmentSnapshot { phase, ..AdjournmentSnapshot::default() });
        assert_eq!(left(face(&game, &[clock("g", Some(of(going)))])), [Some(1), Some(2)]);
    }
}
