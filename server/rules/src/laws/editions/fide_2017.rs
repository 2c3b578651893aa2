//! FIDE Laws of Chess, in force from 1 July 2017: adds two hands and the press without a move, each with a penalty clause of its
//! own. FIDE's interpretation of June 2017 counts any two of them together, and so does the strike count here.

use super::{FIRST_LOSES, fide_2018};
use crate::laws::{
    Articles, Edition, Phrase,
    edition::{ByPlay, FlagCall, Unsupervised},
};

/// FIDE 2017.
pub static EDITION: Edition = Edition {
    id: "fide-2017",
    title: Phrase {
        en: "FIDE Laws of Chess, 1 July 2017", ru: "Правила шахмат ФИДЕ, 1 июля 2017 г."
    },
    penalties: ByPlay { rapid: FIRST_LOSES, blitz: FIRST_LOSES, ..fide_2018::EDITION.penalties },
    // The text says that the arbiter may call a flag, an interpretation that he shall.
    rapid: Unsupervised { flag: FlagCall::ArbiterMay, ..fide_2018::EDITION.rapid },
    blitz: Unsupervised { flag: FlagCall::ArbiterMay, ..fide_2018::EDITION.blitz },
    articles: Articles {
        press_without_move: "7.8.1",
        two_hands: "7.7.1",
        penalty: "7.5.3?",
        two_hands_penalty: "7.7.2",
        press_penalty: "7.8.2",
        ..fide_2018::ARTICLES
    },
    ..fide_2018::EDITION
};
