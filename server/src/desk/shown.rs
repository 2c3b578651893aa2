//! What the clock of a game shows now, as far as the service knows.

use flagfall_proto::{
    clock::v1::{Colour, Face, Going},
    desk::v1::ClockSnapshot,
};

/// The face that the clock of a game last showed, with the time that has gone since where it runs; without word of the clock the one
/// that the game's journal has.
#[must_use]
pub fn face(game: &str, journal: Option<Face>, clocks: &[ClockSnapshot]) -> Face {
    let shown = clocks.iter().find(|clock| clock.game == game).and_then(|clock| {
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
    shown.or(journal).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use flagfall_proto::clock::v1::Hand;

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
        let journal = Some(Face { white: hand(1), black: hand(2), ..Face::default() });
        assert_eq!(left(face("g", journal, &[clock("g", Some(of(going)))])), [Some(9_000), Some(3_800)]);
        let stopped = Going::Paused.into();
        assert_eq!(left(face("g", journal, &[clock("g", Some(of(stopped)))])), [Some(9_000), Some(5_000)]);
        // The clock has another game, or has not said: the journal knows.
        assert_eq!(left(face("g", journal, &[clock("h", Some(of(going)))])), [Some(1), Some(2)]);
        assert_eq!(left(face("g", journal, &[clock("g", None)])), [Some(1), Some(2)]);
    }
}
