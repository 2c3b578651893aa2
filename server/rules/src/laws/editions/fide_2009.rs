//! FIDE Laws of Chess, in force from 1 July 2009: three strikes, with the draw exception; a pawn left goes back.

use super::{FIRST_LOSES, TWO_MINUTES_TWICE, fide_2014};
use crate::{
    laws::{
        Articles, Edition, Phrase, Rates,
        edition::{
            BothFlags, ByPlay, FlagCall, IllegalPosition, MayAct, PawnLeft, QuickplayFinish, Reversed, SetUp,
            Unsupervised, UnsupervisedArticles,
        },
    },
    time::MINUTE,
};

/// FIDE 2009.
pub static EDITION: Edition = Edition {
    id: "fide-2009",
    title: Phrase {
        en: "FIDE Laws of Chess, 1 July 2009", ru: "Правила шахмат ФИДЕ, 1 июля 2009 г."
    },
    penalties: ByPlay { blitz: FIRST_LOSES, ..ByPlay::all(TWO_MINUTES_TWICE) },
    next_completes: false,
    times_may_stay: false,
    mating_exception: true,
    resignation_exception: false,
    pawn_left: PawnLeft::Restored,
    reversed: Reversed::ArbiterDecides,
    fivefold: None,
    both_flags: BothFlags::DrawnInLastPeriod,
    wrong_claim: ByPlay::all(3 * MINUTE),
    wrong_claim_fixed: true,
    quickplay_finish: QuickplayFinish::Everywhere,
    default_time: 0,
    rates: Rates { blitz: 15 * MINUTE - 1, rapid: 60 * MINUTE },
    rapid: Unsupervised {
        articles: UnsupervisedArticles { illegal_move: "A.4c", illegal_position: "A.4c", flag: "A.4d", set_up: "A.4a" },
        may_act: MayAct::Opponent,
        illegal_position: IllegalPosition::StepIn,
        flag: FlagCall::Claim,
        set_up: SetUp::MadeByEach(3),
    },
    blitz: Unsupervised {
        articles: UnsupervisedArticles::all("B.3"),
        may_act: MayAct::Opponent,
        illegal_position: IllegalPosition::LeftAlone,
        flag: FlagCall::Claim,
        set_up: SetUp::MadeByEach(3),
    },
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
        late: "6.6a?",
        clock_defect: "6.11?",
        fivefold: "",
        seventy_five: "",
        conduct: "13.4",
        quickplay_finish: "10.2",
        ..fide_2014::ARTICLES
    },
    rules: fide_2014::RULES,
};
