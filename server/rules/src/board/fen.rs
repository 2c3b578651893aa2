//! Positions as people and programs write them. A FEN may name a right that the board does not allow: to castle with a king or a rook
//! that has left its square, or to take en passant where no pawn has just passed. It says nothing of the men, so it costs no position.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use shakmaty::{CastlingMode, Chess, Position, PositionError, PositionErrorKinds, fen::Fen};

use crate::{clock::control::MOVES_MAX, laws::Phrase};

/// A right that a FEN names and its board does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// To castle.
    Castling,
    /// To take en passant.
    EnPassant,
}

impl Dropped {
    /// What became of it.
    #[must_use]
    pub const fn words(self) -> Phrase {
        match self {
            Dropped::Castling => Phrase {
                en: "the board does not allow all the castling of the FEN: what it does not is left out",
                ru: "доска не допускает всех рокировок из FEN: чего она не допускает, опущено",
            },
            Dropped::EnPassant => Phrase {
                en: "the board does not allow the capture en passant of the FEN: it is left out",
                ru: "доска не допускает взятия на проходе из FEN: оно опущено",
            },
        }
    }
}

/// Reads a position, with the rights left out that its board does not allow.
///
/// # Errors
/// Why it is no position, in English.
pub fn read(text: &str) -> Result<(Chess, Vec<Dropped>), String> {
    let fen = Fen::from_ascii(text.trim().as_bytes()).map_err(|error| error.to_string())?;
    let found = fen.into_position::<Chess>(CastlingMode::Standard);
    let kinds = found.as_ref().map_or_else(|error| error.kinds(), |_| PositionErrorKinds::empty());
    let rights = [
        (PositionErrorKinds::INVALID_CASTLING_RIGHTS, Dropped::Castling),
        (PositionErrorKinds::INVALID_EP_SQUARE, Dropped::EnPassant),
    ];
    let dropped = rights.into_iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, right)| right).collect();
    let found = found.or_else(PositionError::ignore_invalid_castling_rights);
    let position = found.or_else(PositionError::ignore_invalid_ep_square).map_err(|error| error.to_string())?;
    if position.fullmoves().get() > MOVES_MAX {
        return Err("no game has so many moves".to_string());
    }
    Ok((position, dropped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::state::fen;

    #[test]
    fn a_right_that_the_board_does_not_allow_is_left_out() {
        for (text, read_as, dropped) in [
            ("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", &[Dropped::Castling][..]),
            ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", &[Dropped::EnPassant]),
            (
                " 4k3/8/8/8/8/8/8/4K3 b q d6 7 9",
                "4k3/8/8/8/8/8/8/4K3 b - - 7 9",
                &[Dropped::Castling, Dropped::EnPassant],
            ),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", &[]),
        ] {
            let (position, left_out) = read(text).expect("a position");
            assert_eq!((fen(&position).as_str(), &left_out[..]), (read_as, dropped), "{text}");
        }
    }

    #[test]
    fn what_is_no_position_is_none() {
        for text in
            ["", "4k3/8/8/8/8/8/8/8 w - - 0 1", "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 10001"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
