//! FIDE Laws of Chess, in force from 1 July 2009: three strikes, with the draw exception; a pawn left goes back.

use super::{FIRST_LOSES, TWO_MINUTES_TWICE, fide_2014};
use crate::laws::{Articles, Edition, PawnLeft, Penalties, Reversed, Words2};

/// FIDE 2009.
pub static EDITION: Edition = Edition {
    id: "fide-2009",
    title: Words2 {
        en: "FIDE Laws of Chess, 1 July 2009", ru: "Правила шахмат ФИДЕ, 1 июля 2009 г."
    },
    penalties: Penalties {
        standard: TWO_MINUTES_TWICE,
        rapid_supervised: TWO_MINUTES_TWICE,
        rapid: TWO_MINUTES_TWICE,
        blitz_supervised: TWO_MINUTES_TWICE,
        blitz: FIRST_LOSES,
    },
    mating_exception: true,
    pawn_left: PawnLeft::Restored,
    reversed: Reversed::ArbiterDecides,
    fivefold: None,
    articles: Articles {
        clock_setting: "6.13",
        wrong_start: "7.1a",
        board_turned: "7.1b",
        colours: "7.2",
        displaced: "7.3",
        displaced_found: "7.5",
        illegal_move: "7.4a",
        pawn_left: "7.4a",
        penalty: "7.4b",
        completion: "6.7a",
        clock_defect: "6.11?",
        fivefold: "",
        seventy_five: "",
        ..fide_2014::ARTICLES
    },
    rules: fide_2014::RULES,
};
