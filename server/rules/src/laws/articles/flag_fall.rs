//! Flags (6.9): a loss, unless the opponent cannot mate by any possible series of legal moves; and both flags.

use alloc::{format, vec, vec::Vec};

use shakmaty::Position;

use super::{clock_setting::counted, mating, quickplay_finish, remedy};
use crate::{
    clock::{Advance, Colour, Control, Face, Hand},
    game::{Ending, Game, Irregularity, Outcome, Remedy, Words, unpressed},
    laws::{Edition, Play, edition::BothFlags, words},
    time::Millis,
};

/// What a fallen flag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The moves of the period were made: not a loss, but somebody should look at the clock.
    ControlPassed,
    /// Nobody knows yet whether this player, the opponent of the one whose flag fell, can still mate.
    Doubt(Colour),
    /// Whether the opponent of this player, whose flag fell, can mate is for the arbiter to see: nobody has seen the position, or a
    /// move stands on the board that was not pressed, and it would make the difference.
    Unseen(Colour),
    /// This player has lost if his opponent can mate, as it says; otherwise the game is drawn.
    Counts(Colour, bool),
    /// Both flags are down and nobody knows which fell first.
    Both,
}

/// Judges a flag. Zero in a period that is not the last is no loss before the moves are counted, and scoresheets outrank the clock's
/// counter. Where both zeros count, the first flag as latched by the device decides, never the order of arrival.
#[must_use]
pub fn judge(game: &Game, fallen: Colour) -> Verdict {
    let counts = |colour: &Colour| {
        let hand = game.face.hand(*colour);
        let down = *colour == fallen || (hand.flagged && hand.went_on().is_none());
        down && !passed(game, *colour)
    };
    let mut counting = Colour::BOTH.into_iter().filter(counts);
    let loser = match (counting.next(), counting.next(), game.face.first_flag) {
        (None, ..) => return Verdict::ControlPassed,
        (Some(one), None, _) => one,
        (Some(_), Some(_), Some(first)) => first,
        (Some(_), Some(_), None) => return Verdict::Both,
    };
    let winner = loser.other();
    if !game.position_is_known() {
        return Verdict::Unseen(loser);
    }
    let line = unpressed(game);
    let on_board = line.iter().fold(game.position.clone(), |mut position, &m| {
        position.play_unchecked(m);
        position
    });
    let made = if line.is_empty() { None } else { mating::can_mate(game, &on_board, winner) };
    match mating::can_mate(game, &game.position, winner) {
        // Made is not completed: which of the two positions counts, no sensor sees.
        Some(can) if made.is_some_and(|made| made != can) => Verdict::Unseen(loser),
        Some(can) => Verdict::Counts(loser, can),
        None => Verdict::Doubt(winner),
    }
}

/// The article by which a flag is called in this kind of play.
#[must_use]
pub fn article(edition: &Edition, game: &Game) -> &'static str {
    edition.article(Irregularity::FlagSeen, game.setup.play)
}

/// The moves of the period were made, so that a zero is no loss.
fn passed(game: &Game, by: Colour) -> bool {
    asked_for(game, by).is_some_and(|asked| made(game, &game.face, by) >= asked)
}

/// How many moves a player must have made by the end of his period.
fn asked_for(game: &Game, by: Colour) -> Option<u32> {
    game.setup.control.as_ref()?.required(game.face.hand(by).period)
}

/// How many moves a player has made when a zero is to be judged. A score outranks the clock's counter; presses are no score, and where
/// either of the two counts more the other has missed some.
fn made(game: &Game, face: &Face, by: Colour) -> u32 {
    let scored = counted(game, face, by);
    if game.position_is_known() { scored } else { scored.max(face.hand(by).moves) }
}

/// Whether a player is in his last period, as far as that is known. In rapid and blitz all the moves are made in one time (A.1, B.1).
/// What is said of the control and what the clock does may not agree: then it is not known.
pub(super) fn last_period(game: &Game, by: Colour) -> Option<bool> {
    let one_time = (game.setup.play != Play::Standard).then_some(true);
    let next = |control: &Control| control.next(game.face.hand(by).period);
    let stated = game.setup.control.as_ref().map_or(one_time, |control| Some(next(control).is_none()));
    stated.filter(|last| !last || game.face.hand(by).went_on().is_none())
}

/// Somebody must count the moves before this player's zero is a loss: not all were seen, or nobody knows how many he must have made.
#[must_use]
pub fn uncounted(game: &Game, by: Colour) -> bool {
    match last_period(game, by) {
        Some(true) => false,
        Some(false) => !game.position_is_known(),
        None => true,
    }
}

/// What the clock shows of a flag, for the arbiter.
#[must_use]
pub fn shown(game: &Game, by: Colour) -> Words {
    match game.face.hand(by).went_on().map(remedy::clock) {
        Some(left) => words(
            format!("a flag is shown, and the clock has gone on with {left}"),
            format!("показан флажок, и часы идут дальше: {left}"),
        ),
        None => words("a flag is down", "упал флажок"),
    }
}

/// What is known of the moves where somebody must count them, for the arbiter.
#[must_use]
pub fn count(game: &Game, by: Colour) -> Words {
    let made = made(game, &game.face, by);
    match asked_for(game, by) {
        _ if !uncounted(game, by) => Words::default(),
        Some(asked) => words(
            format!("; {made} of {asked} moves are on record: count them"),
            format!("; записано ходов: {made} из {asked}, сосчитайте их"),
        ),
        None => words(
            format!("; {made} moves are on record, and it is not known how many this period asks for: count them"),
            format!("; записано ходов: {made}, а сколько их нужно в этом периоде, неизвестно: сосчитайте их"),
        ),
    }
}

/// What the fall of a flag gives the opponent.
#[must_use]
pub const fn outcome(opponent: Colour, can_mate: bool) -> Outcome {
    if can_mate { Outcome::win(opponent) } else { Outcome::Draw }
}

/// Both results, for the arbiter, when it could not be determined whether the opponent can still mate.
#[must_use]
pub fn in_doubt(game: &Game, loser: Colour, ending: Ending, article: &str) -> Vec<Remedy> {
    let mut ways = vec![
        ended(game, "lost", outcome(loser.other(), true), ending, article),
        ended(game, "drawn", outcome(loser.other(), false), ending, article),
    ];
    if ending == Ending::Flag && uncounted(game, loser) {
        ways.push(moves_made(game, article));
    }
    ways
}

fn ended(game: &Game, key: &str, outcome: Outcome, ending: Ending, article: &str) -> Remedy {
    let (en, ru) = match ending {
        Ending::Resignation => ("resignation", "сдача"),
        _ => ("flag", "флаг"),
    };
    let words = words(format!("{en}: {}", outcome.pgn()), format!("{ru}: {}", outcome.pgn()));
    Remedy { outcome: Some((outcome, ending)), ..remedy::plain(game, key, article, words) }
}

/// A flag that somebody has to call, or a zero that somebody has to count the moves of: the result, or play on. Where a decision on a
/// draw was put off, it is due now.
#[must_use]
pub fn seen(edition: &Edition, game: &Game, fallen: Colour) -> Vec<Remedy> {
    let article = article(edition, game);
    let mut ways = match judge(game, fallen) {
        Verdict::Counts(loser, can) => vec![ended(game, "flag", outcome(loser.other(), can), Ending::Flag, article)],
        Verdict::Doubt(winner) => in_doubt(game, winner.other(), Ending::Flag, article),
        Verdict::Unseen(loser) => in_doubt(game, loser, Ending::Flag, article),
        Verdict::Both => both(edition, game),
        Verdict::ControlPassed => Vec::new(),
    };
    let drawn = |way: &Remedy| way.outcome.is_some_and(|(outcome, _)| outcome == Outcome::Draw);
    if quickplay_finish::put_off(game) && !ways.iter().any(drawn) {
        ways.push(quickplay_finish::drawn(edition, game));
    }
    if ways.iter().all(|way| way.key != "play_on") {
        ways.push(match uncounted(game, fallen) {
            true => moves_made(game, article),
            false => remedy::play_on(game, article),
        });
    }
    let hand = game.face.hand(fallen);
    if hand.went_on().or(hand.up()).is_some() {
        // What the clock does is what it was set to: the moves had been made, or must be counted, or it is another clock whose flag is down.
        ways.sort_by_key(|way| way.key != "play_on");
    }
    ways
}

/// What the Laws say when both flags are down and nobody knows which fell first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothDown {
    /// The game is drawn.
    Drawn,
    /// Play goes on. With what time they do not say.
    GoesOn,
    /// One of the two: nobody knows which period it is.
    Either,
    /// Nothing.
    Silent,
}

/// Drawn in the last period of older editions and where a quickplay finish was announced (III.3.1.2); before that it goes on.
#[must_use]
pub fn both_down(edition: &Edition, game: &Game) -> BothDown {
    let last = Colour::BOTH.map(|colour| last_period(game, colour));
    let says = match edition.both_flags {
        BothFlags::DrawnInLastPeriod => true,
        BothFlags::QuickplayFinish => quickplay_finish::is_played(edition, game),
    };
    match last {
        _ if !says => BothDown::Silent,
        [Some(true), Some(true)] => BothDown::Drawn,
        [Some(false), Some(false)] => BothDown::GoesOn,
        [None, None] => BothDown::Either,
        _ => BothDown::Silent,
    }
}

/// Play goes on: no clock can at zero, so each goes on into the next period with its time, where there is one. What else the time
/// shall be is for the arbiter.
fn goes_on(game: &Game, article: &str) -> Remedy {
    let control = game.setup.control.as_ref();
    let mut given: Option<Millis> = None;
    let at_zero = |hand: &Hand| hand.left.map_or(hand.flagged, |left| left == 0);
    let next = |hand: &Hand| control.filter(|_| at_zero(hand))?.next(hand.period);
    let hands = game.face.hands.map(|hand| match next(&hand) {
        Some((period, base)) => {
            given = given.max(Some(base));
            Hand { left: hand.left.map(|left| left + base), period, flagged: false, ..hand }
        }
        None => hand,
    });
    let words = match given.map(remedy::clock) {
        Some(time) => words(
            format!("play on in the next period: +{time}"),
            format!("игра продолжается в следующем периоде: +{time}"),
        ),
        None if game.face.hands.iter().any(at_zero) => {
            words("play on; the time is to be set", "игра продолжается; время нужно установить")
        }
        None => words("play on with the times shown", "игра продолжается с показанным временем"),
    };
    Remedy { hands: given.map(|_| hands), words, ..remedy::play_on(game, article) }
}

/// The moves were counted and had been made: the zero ended a period, and play goes on.
fn moves_made(game: &Game, article: &str) -> Remedy {
    let on = goes_on(game, article);
    let words = words(format!("the moves were made: {}", on.words.en), format!("ходы сделаны: {}", on.words.ru));
    Remedy { words, ..on }
}

/// Both flags, by what the Laws say of it; otherwise the arbiter says. Whichever he finds fell first, the opponent must be able to mate.
#[must_use]
pub fn both(edition: &Edition, game: &Game) -> Vec<Remedy> {
    let article = edition.articles.both_flags;
    let drawn = |article| ended(game, "draw", Outcome::Draw, Ending::Flag, article);
    match both_down(edition, game) {
        BothDown::Drawn => return vec![drawn(article)],
        BothDown::GoesOn => return vec![goes_on(game, article)],
        BothDown::Either => return vec![drawn(article), goes_on(game, article)],
        BothDown::Silent => {}
    }
    // No article says so: the arbiter finds out which fell first, if he can.
    let flag = self::article(edition, game);
    let way = |key, outcome| ended(game, key, outcome, Ending::Flag, flag);
    let lost = |key, loser: Colour| {
        let known = game.position_is_known().then(|| mating::can_mate(game, &game.position, loser.other()));
        let can_mate = known.flatten();
        let mut lost = way(key, outcome(loser.other(), can_mate.unwrap_or(true)));
        if can_mate.is_none() {
            lost.words.en += ", if the opponent can mate";
            lost.words.ru += ", если соперник может поставить мат";
        }
        lost
    };
    vec![lost("white_lost", Colour::White), lost("black_lost", Colour::Black), drawn(flag), goes_on(game, flag)]
}

/// A clock that goes on at zero has done so for this player: how many moves he had made, and how many the period asked for, where
/// they were too few. Zero in a period that is not the last is no loss before the moves are counted.
#[must_use]
pub fn overstepped(game: &Game, by: Colour) -> Option<(u32, u32)> {
    let control = game.setup.control.as_ref().filter(|control| control.advance() == Advance::AtZero)?;
    let (before, now) = (game.face_before.hand(by).period, game.face.hand(by).period);
    let required = control.required(now.checked_sub(1).filter(|&ended| ended >= before)?)?;
    let made = made(game, &game.face_before, by);
    (made < required).then_some((made, required))
}
