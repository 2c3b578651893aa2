//! FIDE Laws of Chess, in force from 1 July 2014: two strikes, the right to leave the clock alone, a pawn left becomes a queen.

use super::{FIRST_LOSES, ONE_MINUTE_THEN_LOSS, TWO_MINUTES_THEN_LOSS};
use crate::laws::{
    Articles, Edition, Fivefold, PawnLeft, Penalties, Reversed, Rule, Words2,
    articles::{displaced, illegal_move, initial_position, pawn_left},
};

/// FIDE 2014.
pub static EDITION: Edition = Edition {
    id: "fide-2014",
    title: Words2 {
        en: "FIDE Laws of Chess, 1 July 2014", ru: "Правила шахмат ФИДЕ, 1 июля 2014 г."
    },
    penalties: Penalties {
        standard: TWO_MINUTES_THEN_LOSS,
        rapid_supervised: TWO_MINUTES_THEN_LOSS,
        rapid: FIRST_LOSES,
        // U: no text at hand says how much.
        blitz_supervised: ONE_MINUTE_THEN_LOSS,
        blitz: FIRST_LOSES,
    },
    mating_exception: true,
    pawn_left: PawnLeft::BecomesQueen,
    reversed: Reversed::ArbiterDecides,
    fivefold: Some(Fivefold::Consecutive),
    articles: ARTICLES,
    rules: RULES,
};

/// Before 2017 a press without a move was no irregularity of its own.
pub(super) const RULES: &[Rule] = &[pawn_left::rule, illegal_move::rule, displaced::rule, initial_position::rule];

/// The numbering of 2014. The commentary's "7.4.a" in the penalty clause is a misprint for 7.5a.
pub(super) const ARTICLES: Articles = Articles {
    clock_setting: "7.1",
    wrong_start: "7.2a",
    board_turned: "7.2b",
    colours: "7.3",
    displaced: "7.4",
    displaced_found: "7.6",
    illegal_move: "7.5a",
    pawn_left: "7.5a",
    press_without_move: "",
    two_hands: "",
    penalty: "7.5b",
    two_hands_penalty: "",
    press_penalty: "",
    completion: "6.2a?",
    flag: "6.9",
    clock_defect: "6.10b?",
    checkmate: "5.1a?",
    stalemate: "5.2a?",
    dead_position: "5.2b?",
    fivefold: "9.6a?",
    seventy_five: "9.6b?",
    agreement: "5.2c?",
};
