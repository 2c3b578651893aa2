//! Order 83 of the Russian ministry of sport, 11 February 2011: follows FIDE's wording of 2005, not that of 2009. Three strikes, no
//! draw exception, only article 4.3 on the replacing move, clocks by 6.14. Articles 6.10 and 6.14 are cited in the order, but
//! their text is not at hand (U). Nor is anything on rapid and blitz: played as in 2009 (U). Nor is
//! the time that a player may be late: an hour, as in FIDE's wording of 2005 (U). Nor are articles 9 and 10: numbered as in 2009 (U), and
//! what a wrong claim of a draw costs is proposed as it is there, for the wording of 2005 may say more (U).

use super::fide_2009;
use crate::{
    laws::{
        Articles, Edition, Phrase,
        edition::{Unsupervised, UnsupervisedArticles},
    },
    time::MINUTE,
};

/// Order 83 of 2011.
pub static EDITION: Edition = Edition {
    id: "rf-2011",
    title: Phrase {
        en: "Russian rules of the sport, order 83 of 2011",
        ru: "Правила вида спорта «шахматы», приказ 83 (2011)",
    },
    mating_exception: false,
    wrong_claim_fixed: false,
    default_time: 60 * MINUTE,
    rapid: Unsupervised {
        articles: UnsupervisedArticles {
            illegal_move: "A.4c?",
            illegal_position: "A.4c?",
            flag: "A.4d?",
            set_up: "A.4a?",
        },
        ..fide_2009::EDITION.rapid
    },
    blitz: Unsupervised { articles: UnsupervisedArticles::all("B.3?"), ..fide_2009::EDITION.blitz },
    articles: Articles {
        clock_setting: "6.14",
        wrong_start: "7.1а",
        board_turned: "7.1б",
        illegal_move: "7.4а",
        pawn_left: "7.4а",
        penalty: "7.4б",
        completion: "6.7а?",
        late: "6.7?",
        flag: "6.10?",
        clock_defect: "6.11?",
        checkmate: "5.1а?",
        stalemate: "5.2а?",
        dead_position: "9.6?",
        agreement: "5.2в?",
        resignation: "5.1б?",
        incorrect_result: "8.7?",
        both_flags: "6.12",
        conduct: "13.4?",
        repetition: "9.2?",
        fifty_moves: "9.3?",
        claim_lost: "9.4?",
        draw_claim: "9.5?",
        quickplay_finish: "10.2?",
        ..fide_2009::EDITION.articles
    },
    ..fide_2009::EDITION
};
