//! FIDE Laws of Chess, in force from 1 January 2023.

use super::{ONE_MINUTE_THEN_LOSS, TWO_MINUTES_THEN_LOSS, fide_2018};
use crate::{
    laws::{
        Edition, Phrase,
        edition::{ByPlay, Unsupervised, UnsupervisedArticles},
    },
    time::MINUTE,
};

/// FIDE 2023.
pub static EDITION: Edition = Edition {
    id: "fide-2023",
    title: Phrase {
        en: "FIDE Laws of Chess, 1 January 2023", ru: "Правила шахмат ФИДЕ, 1 января 2023 г."
    },
    penalties: ByPlay {
        standard: TWO_MINUTES_THEN_LOSS,
        // By the letter B.2 does not import A.3 with its one minute; an event may set it.
        blitz_supervised: TWO_MINUTES_THEN_LOSS,
        ..ByPlay::all(ONE_MINUTE_THEN_LOSS)
    },
    resignation_exception: true,
    wrong_claim: ByPlay { standard: 2 * MINUTE, blitz_supervised: 2 * MINUTE, ..ByPlay::all(MINUTE) },
    rapid: Unsupervised {
        articles: UnsupervisedArticles {
            illegal_move: "A.5.2",
            illegal_position: "A.5.4",
            flag: "A.5.5",
            set_up: "A.5.1",
        },
        ..fide_2018::EDITION.rapid
    },
    blitz: Unsupervised { articles: UnsupervisedArticles::all("B.3"), ..fide_2018::EDITION.blitz },
    ..fide_2018::EDITION
};
