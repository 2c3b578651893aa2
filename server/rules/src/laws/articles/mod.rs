//! Articles as pure functions, one file a topic. None asks which edition it serves: parameters come from the edition.

pub mod clock_reading;
pub mod clock_setting;
pub mod colours;
pub mod displaced;
pub mod flag_fall;
pub mod game_end;
pub mod illegal_move;
pub mod initial_position;
pub mod mating;
pub mod pawn_left;
pub mod press_without_move;
mod remedy;

use alloc::{vec, vec::Vec};

use super::Edition;
use crate::{
    clock::Face,
    game::{Finding, Game, Irregularity, Remedy},
};

/// The ways to deal with a finding, the default first; at least one.
pub(super) fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    match finding.kind {
        Irregularity::IllegalMove | Irregularity::TwoHands | Irregularity::PressWithoutMove => {
            illegal_move::remedies(edition, game, finding, face)
        }
        Irregularity::PawnLeft => pawn_left::remedies(edition, game, finding, face),
        Irregularity::Displaced | Irregularity::DisplacedFound => displaced::remedies(edition, game, finding),
        Irregularity::WrongStart => vec![initial_position::cancel(edition, game)],
        Irregularity::BoardTurned => vec![initial_position::transfer(edition, game)],
        Irregularity::ColoursReversed => colours::remedies(edition, game),
        Irregularity::FlagInDoubt => flag_fall::remedies(edition, game, finding.by),
        Irregularity::ClockJump | Irregularity::ForgottenPress => vec![remedy::noted(game, finding)],
    }
}
