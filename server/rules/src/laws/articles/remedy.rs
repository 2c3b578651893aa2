//! The shapes that remedies are made from.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use shakmaty::Position;

use super::clock_setting::{LEAST, in_doubt, stays};
use crate::{
    clock::{Colour, Face, Hand, run::LONGEST},
    game::{Finding, Game, Remedy, Words},
    laws::words,
    time::{MINUTE, Millis, SECOND},
};

/// A remedy that changes nothing yet: the position and the times stay, the side to move goes on.
pub(super) fn plain(game: &Game, key: &str, article: &str, words: Words) -> Remedy {
    Remedy {
        key: key.to_string(),
        words,
        article: article.to_string(),
        annul_from: None,
        place: None,
        position: None,
        hands: None,
        given: [0; 2],
        turn: game.to_move(),
        strikes: [0; 2],
        outcome: None,
        cancel: false,
    }
}

/// Back to the position after so many plies: what was played from there on is annulled, and who made the first of it moves again.
pub(super) fn back(game: &Game, key: &str, article: &str, keep: u32, hands: [Hand; 2], words: Words) -> Remedy {
    let before = || game.position_after(keep as usize).map_or_else(|| game.to_move(), |before| before.turn().into());
    Remedy {
        annul_from: Some(keep + 1),
        position: game.fen_after(keep as usize),
        hands: Some(hands),
        turn: game.press_at(keep + 1).map_or_else(before, |press| press.by),
        ..plain(game, key, article, words)
    }
}

/// For the record only.
pub(super) fn noted(game: &Game, finding: &Finding) -> Remedy {
    plain(game, "noted", &finding.article, words("noted for the arbiter", "отмечено для арбитра"))
}

/// Play goes on as it stands; what was found is not punished.
pub(super) fn play_on(game: &Game, article: &str) -> Remedy {
    plain(game, "play_on", article, words("play on", "игра продолжается"))
}

/// One player is given time, and play goes on.
pub(super) fn award(game: &Game, key: &str, article: &str, face: &Face, (to, amount): (Colour, Millis)) -> Remedy {
    let mut hands = face.hands;
    add(&mut hands[to.index()], amount);
    let ((en, ru), time) = (to_whom(to), clock(amount));
    let words = words(format!("+{time} to {en}"), format!("+{time} {ru}"));
    Remedy { hands: Some(hands), given: given(to, amount), turn: face.turn, ..plain(game, key, article, words) }
}

/// What a way is for, before what it does.
pub(super) fn because(en: &str, ru: &str, way: Remedy) -> Remedy {
    let words = words(format!("{en}: {}", way.words.en), format!("{ru}: {}", way.words.ru));
    Remedy { words, ..way }
}

/// A reading as people say it: `2:00`, `1:02:30`.
pub(super) fn clock(ms: Millis) -> String {
    let seconds = ms / SECOND;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if ms >= 60 * MINUTE { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A player's name for the display: English, and Russian in the dative.
pub(super) const fn to_whom(colour: Colour) -> (&'static str, &'static str) {
    match colour {
        Colour::White => ("White", "белым"),
        Colour::Black => ("Black", "чёрным"),
    }
}

/// A player's name after "from": English, and Russian in the genitive with its preposition.
pub(super) const fn from_whom(colour: Colour) -> (&'static str, &'static str) {
    match colour {
        Colour::White => ("White", "у белых"),
        Colour::Black => ("Black", "у чёрных"),
    }
}

/// An amount that one player is given, or that is taken from him.
pub(super) fn given(colour: Colour, amount: Millis) -> [Millis; 2] {
    Colour::BOTH.map(|one| if one == colour { amount } else { 0 })
}

/// Takes time off a hand.
pub(super) fn take(hand: &mut Hand, amount: Millis) {
    hand.left = hand.left.map(|left| left - amount);
}

/// Says by what ways differ from others that have the same penalty. Where the game is over the times do not matter.
pub(super) fn apart(mut ways: Vec<Remedy>, said: (&str, &str)) -> Vec<Remedy> {
    for way in ways.iter_mut().filter(|way| way.outcome.is_none()) {
        way.words.en += &format!("; {}", said.0);
        way.words.ru += &format!("; {}", said.1);
    }
    ways
}

/// Says what the readings of then do not show: what was given or taken since stays, and that one of them leapt.
pub(super) fn say_what_stays(game: &Game, keep: u32, way: &mut Remedy) {
    if in_doubt(game, keep) && way.outcome.is_none() {
        way.words.en += "; one of the readings of then leapt";
        way.words.ru += "; одно из показаний того времени — скачок";
    }
    for colour in Colour::BOTH {
        let amount = stays(game, keep, colour);
        let time = clock(amount.abs());
        let ((to_en, to_ru), (from_en, from_ru)) = (to_whom(colour), from_whom(colour));
        let (en, ru) = match amount {
            _ if way.outcome.is_some() => continue,
            0 => continue,
            1.. => (
                format!("the {time} given to {to_en} since then stay"),
                format!("{time}, данные {to_ru} потом, остаются"),
            ),
            _ => (
                format!("the {time} taken from {from_en} since then stay off"),
                format!("{time}, снятые {from_ru} потом, не возвращаются"),
            ),
        };
        way.words.en += &format!("; {en}");
        way.words.ru += &format!("; {ru}");
    }
}

/// No correction makes a flag fall: whoever had less than is to be taken off keeps the least there is, and it is said.
pub(super) fn keep_flags_up(way: &mut Remedy, face: &Face) {
    let Some(hands) = way.hands.as_mut().filter(|_| way.outcome.is_none()) else { return };
    for ((colour, hand), given) in Colour::BOTH.into_iter().zip(hands).zip(&mut way.given) {
        let now = face.hand(colour).left;
        let falls = |left: Millis| left < LEAST && (left <= 0 || now.is_some_and(|now| left < now));
        let Some(left) = hand.left.filter(|&left| falls(left)) else { continue };
        if hand.flagged {
            hand.left = Some(0);
            continue;
        }
        hand.left = Some(LEAST);
        // Less is taken than was to be.
        *given = (*given).max((*given + LEAST - left).min(0));
        let ((en, _), (_, ru), least) = (to_whom(colour), from_whom(colour), clock(LEAST));
        way.words.en += &format!("; {en} keeps {least}, no correction makes a flag fall");
        way.words.ru += &format!("; {ru} остаётся {least}: исправление не роняет флажок");
    }
}

/// Adds time to a hand whose reading is known, which puts its flag up; an unknown one stays unknown for the arbiter to set.
pub(super) fn add(hand: &mut Hand, amount: Millis) {
    hand.left = hand.left.map(|left| (left + amount).min(LONGEST));
    hand.flagged &= hand.left.is_none_or(|left| left <= 0);
}
