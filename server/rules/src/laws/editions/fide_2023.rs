//! FIDE Laws of Chess, in force from 1 January 2023.

use super::{ONE_MINUTE_THEN_LOSS, TWO_MINUTES_THEN_LOSS, fide_2018};
use crate::laws::{Edition, Penalties, Words2};

/// FIDE 2023.
pub static EDITION: Edition = Edition {
    id: "fide-2023",
    title: Words2 {
        en: "FIDE Laws of Chess, 1 January 2023", ru: "Правила шахмат ФИДЕ, 1 января 2023 г."
    },
    penalties: Penalties {
        standard: TWO_MINUTES_THEN_LOSS,
        // A.3: one minute instead of two.
        rapid_supervised: ONE_MINUTE_THEN_LOSS,
        rapid: ONE_MINUTE_THEN_LOSS,
        // By the letter B.2 imports no A.3; an event may set one minute.
        blitz_supervised: TWO_MINUTES_THEN_LOSS,
        blitz: ONE_MINUTE_THEN_LOSS,
    },
    mating_exception: fide_2018::EDITION.mating_exception,
    pawn_left: fide_2018::EDITION.pawn_left,
    reversed: fide_2018::EDITION.reversed,
    fivefold: fide_2018::EDITION.fivefold,
    articles: fide_2018::ARTICLES,
    rules: fide_2018::RULES,
};
