//! Rules of the sport "chess" of the Russian ministry of sport: order 654 of 17 July 2017 as amended by order 1087 of
//! 19 December 2017. Article 7 is worded in the order itself; articles outside it are numbered as in FIDE's text of the same
//! year, which order 654 follows (U: only article 7 and 13.4 are at hand).

use super::fide_2018;
use crate::laws::{Edition, Reversed, Words2};

/// Orders 654 and 1087.
pub static EDITION: Edition = Edition {
    id: "rf-2017",
    title: Words2 {
        en: "Russian rules of the sport, orders 654 and 1087 of 2017",
        ru: "Правила вида спорта «шахматы», приказы 654 и 1087 (2017)",
    },
    // 7.3 of the order: ten moves completed by each player.
    reversed: Reversed::CompletedByEach(10),
    fivefold: fide_2018::EDITION.fivefold,
    penalties: fide_2018::EDITION.penalties,
    mating_exception: fide_2018::EDITION.mating_exception,
    pawn_left: fide_2018::EDITION.pawn_left,
    articles: fide_2018::ARTICLES,
    rules: fide_2018::EDITION.rules,
};
