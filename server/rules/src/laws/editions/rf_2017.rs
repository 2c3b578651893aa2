//! Rules of the sport "chess" of the Russian ministry of sport: order 654 of 17 July 2017 as amended by order 1087 of
//! 19 December 2017. Article 7 is worded in the order itself; articles outside it are numbered as in FIDE's text of the same
//! year, which order 654 follows (U: only article 7 and 13.4 are at hand).

use super::fide_2018;
use crate::laws::{
    Edition, Phrase,
    edition::{Reversed, Unsupervised, UnsupervisedArticles},
};

/// Orders 654 and 1087.
pub static EDITION: Edition = Edition {
    id: "rf-2017",
    title: Phrase {
        en: "Russian rules of the sport, orders 654 and 1087 of 2017",
        ru: "Правила вида спорта «шахматы», приказы 654 и 1087 (2017)",
    },
    // 7.3 of the order: ten moves completed by each player.
    reversed: Reversed::CompletedByEach(10),
    rapid: Unsupervised {
        articles: UnsupervisedArticles {
            illegal_move: "13.4.2",
            illegal_position: "13.4.4?",
            flag: "13.4.5",
            set_up: "13.4.1?",
        },
        ..fide_2018::EDITION.rapid
    },
    blitz: Unsupervised { articles: UnsupervisedArticles::all("B.4?"), ..fide_2018::EDITION.blitz },
    ..fide_2018::EDITION
};
