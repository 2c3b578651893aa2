//! FIDE Laws of Chess, in force from 1 July 2014: two strikes, the right to leave the clock alone, a pawn left becomes a queen.

use super::{FIRST_LOSES, ONE_MINUTE_THEN_LOSS, RATES, TWO_MINUTES_THEN_LOSS};
use crate::{
    laws::{
        Articles, Edition, Phrase, Rule,
        articles::{displaced, illegal_move, initial_position, pawn_left},
        edition::{
            BothFlags, ByPlay, Fivefold, FlagCall, IllegalPosition, MayAct, PawnLeft, QuickplayFinish, Reversed, SetUp,
            Unsupervised, UnsupervisedArticles,
        },
    },
    time::MINUTE,
};

/// FIDE 2014.
pub static EDITION: Edition = Edition {
    id: "fide-2014",
    title: Phrase {
        en: "FIDE Laws of Chess, 1 July 2014", ru: "Правила шахмат ФИДЕ, 1 июля 2014 г."
    },
    penalties: ByPlay {
        rapid: FIRST_LOSES,
        // U: B.2, not at hand: what articles 7 and 9 give is one minute in blitz.
        blitz_supervised: ONE_MINUTE_THEN_LOSS,
        blitz: FIRST_LOSES,
        ..ByPlay::all(TWO_MINUTES_THEN_LOSS)
    },
    next_completes: true,
    times_may_stay: true,
    mating_exception: true,
    resignation_exception: false,
    pawn_left: PawnLeft::BecomesQueen,
    reversed: Reversed::ArbiterDecides,
    fivefold: Some(Fivefold::Consecutive),
    both_flags: BothFlags::DrawnInLastPeriod,
    // U: no text at hand says how much; in blitz it is one minute as for an illegal move (B.2).
    wrong_claim: ByPlay { blitz_supervised: MINUTE, blitz: MINUTE, ..ByPlay::all(2 * MINUTE) },
    wrong_claim_fixed: true,
    quickplay_finish: QuickplayFinish::Announced,
    default_time: 0,
    rates: RATES,
    rapid: Unsupervised {
        // U: numbers but for the illegal move and the limit; the limit itself; who may call the flag.
        articles: UnsupervisedArticles {
            illegal_move: "A.4b",
            illegal_position: "A.4?",
            flag: "A.4d?",
            set_up: "A.4a",
        },
        may_act: MayAct::ArbiterOrOpponent,
        illegal_position: IllegalPosition::WaitThenDraw,
        flag: FlagCall::ArbiterMay,
        set_up: SetUp::CompletedByEach(10),
    },
    blitz: Unsupervised {
        articles: UnsupervisedArticles::all("B.4?"),
        may_act: MayAct::ArbiterOrOpponent,
        illegal_position: IllegalPosition::WaitThenDraw,
        flag: FlagCall::ArbiterMay,
        set_up: SetUp::CompletedByEach(10),
    },
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
    resignation: "5.1b?",
    incorrect_result: "8.7",
    repetition: "9.2",
    fifty_moves: "9.3",
    claim_lost: "9.4",
    draw_claim: "9.5",
    quickplay_finish: "G.5",
    touch_move: "4.3",
    conduct: "12.9",
    both_flags: "6.11",
    late: "6.7a?",
};
