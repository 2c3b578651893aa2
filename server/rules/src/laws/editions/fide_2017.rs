//! FIDE Laws of Chess, in force from 1 July 2017: adds two hands and the press without a move, each with a penalty clause of its
//! own. FIDE's interpretation of June 2017 counts any two of them together, and so does the strike count here.

use super::{FIRST_LOSES, ONE_MINUTE_THEN_LOSS, TWO_MINUTES_THEN_LOSS, fide_2018};
use crate::laws::{Articles, Edition, Penalties, Words2};

/// FIDE 2017.
pub static EDITION: Edition = Edition {
    id: "fide-2017",
    title: Words2 {
        en: "FIDE Laws of Chess, 1 July 2017", ru: "Правила шахмат ФИДЕ, 1 июля 2017 г."
    },
    penalties: Penalties {
        standard: TWO_MINUTES_THEN_LOSS,
        rapid_supervised: TWO_MINUTES_THEN_LOSS,
        rapid: FIRST_LOSES,
        blitz_supervised: ONE_MINUTE_THEN_LOSS,
        blitz: FIRST_LOSES,
    },
    mating_exception: fide_2018::EDITION.mating_exception,
    pawn_left: fide_2018::EDITION.pawn_left,
    reversed: fide_2018::EDITION.reversed,
    fivefold: fide_2018::EDITION.fivefold,
    articles: Articles {
        press_without_move: "7.8.1",
        two_hands: "7.7.1",
        penalty: "7.5.3?",
        two_hands_penalty: "7.7.2",
        press_penalty: "7.8.2",
        ..fide_2018::ARTICLES
    },
    rules: fide_2018::RULES,
};
