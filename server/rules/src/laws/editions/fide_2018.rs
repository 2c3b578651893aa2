//! FIDE Laws of Chess, in force from 1 January 2018.

use super::{ONE_MINUTE_THEN_LOSS, RATES, TWO_MINUTES_THEN_LOSS};
use crate::{
    laws::{
        Articles, Edition, Phrase, Rule,
        articles::{displaced, illegal_move, initial_position, pawn_left, press_without_move},
        edition::{
            BothFlags, ByPlay, Fivefold, FlagCall, IllegalPosition, MayAct, PawnLeft, QuickplayFinish, Reversed, SetUp,
            Unsupervised, UnsupervisedArticles,
        },
    },
    time::MINUTE,
};

/// FIDE 2018.
pub static EDITION: Edition = Edition {
    id: "fide-2018",
    title: Phrase {
        en: "FIDE Laws of Chess, 1 January 2018", ru: "Правила шахмат ФИДЕ, 1 января 2018 г."
    },
    penalties: ByPlay {
        blitz_supervised: ONE_MINUTE_THEN_LOSS,
        blitz: ONE_MINUTE_THEN_LOSS,
        ..ByPlay::all(TWO_MINUTES_THEN_LOSS)
    },
    next_completes: true,
    times_may_stay: true,
    mating_exception: true,
    resignation_exception: false,
    pawn_left: PawnLeft::BecomesQueen,
    reversed: Reversed::MadeByBoth(10),
    fivefold: Some(Fivefold::AnyFive),
    both_flags: BothFlags::QuickplayFinish,
    wrong_claim: ByPlay { blitz_supervised: MINUTE, blitz: MINUTE, ..ByPlay::all(2 * MINUTE) },
    wrong_claim_fixed: true,
    quickplay_finish: QuickplayFinish::Announced,
    default_time: 0,
    rates: RATES,
    rapid: Unsupervised {
        articles: UnsupervisedArticles {
            illegal_move: "A.4.2",
            illegal_position: "A.4.4",
            flag: "A.4.5",
            set_up: "A.4.1",
        },
        may_act: MayAct::ArbiterOrOpponent,
        illegal_position: IllegalPosition::WaitThenDraw,
        flag: FlagCall::ArbiterShall,
        set_up: SetUp::CompletedByEach(10),
    },
    blitz: Unsupervised {
        articles: UnsupervisedArticles::all("B.4"),
        may_act: MayAct::ArbiterOrOpponent,
        illegal_position: IllegalPosition::WaitThenDraw,
        flag: FlagCall::ArbiterShall,
        set_up: SetUp::CompletedByEach(10),
    },
    articles: ARTICLES,
    rules: RULES,
};

/// From 2017 on a press without a move is an irregularity of its own.
pub(super) const RULES: &[Rule] =
    &[pawn_left::rule, press_without_move::rule, illegal_move::rule, displaced::rule, initial_position::rule];

/// The numbering of 2018.
pub(super) const ARTICLES: Articles = Articles {
    clock_setting: "7.1",
    wrong_start: "7.2.1",
    board_turned: "7.2.2",
    colours: "7.3",
    displaced: "7.4.1",
    displaced_found: "7.6",
    illegal_move: "7.5.1",
    pawn_left: "7.5.2",
    press_without_move: "7.5.3",
    two_hands: "7.5.4",
    penalty: "7.5.5",
    two_hands_penalty: "7.5.5",
    press_penalty: "7.5.5",
    completion: "6.2.1",
    flag: "6.9",
    clock_defect: "6.10.2",
    checkmate: "5.1.1",
    stalemate: "5.2.1",
    dead_position: "5.2.2",
    fivefold: "9.6.1",
    seventy_five: "9.6.2",
    agreement: "5.2.3",
    resignation: "5.1.2",
    incorrect_result: "8.7",
    repetition: "9.2",
    fifty_moves: "9.3",
    claim_lost: "9.4",
    draw_claim: "9.5",
    quickplay_finish: "III.5",
    touch_move: "4.3",
    conduct: "12.9",
    both_flags: "III",
    late: "6.7.1?",
};
