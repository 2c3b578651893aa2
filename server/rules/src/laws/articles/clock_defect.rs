//! A clock that was set wrongly, or died and is set anew (6.10.2): what both players should have left.
//!
//! With the wrong setting known, each hand is given what it was short of, less what it was given for that already. Otherwise the sum is known: what both were given in all,
//! penalties of the opponent's included, less the playing time that has passed; how it is shared is the arbiter's.

use alloc::{vec, vec::Vec};

use super::{clock_setting::counted, remedy, unsupervised};
use crate::{
    clock::{Colour, Control, Face, Hand, run::LONGEST},
    game::{Finding, Game, Remedy},
    laws::{Edition, words},
    time::Millis,
};

/// The ways to set the clock anew, the default first. Where nobody has seen the moves the sheets say whose turn it is.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let mut ways = anew_or_not(edition, game, finding, face);
    if let Some(turn) = finding.facts.moves.filter(|_| game.plies.is_empty()).and_then(to_move) {
        ways.iter_mut().for_each(|way| way.turn = turn);
    }
    ways
}

/// Whose turn it is after so many completed moves of each; `None` where no game comes to that.
const fn to_move([white, black]: [u32; 2]) -> Option<Colour> {
    match white.checked_sub(black) {
        Some(0) => Some(Colour::White),
        Some(1) => Some(Colour::Black),
        _ => None,
    }
}

fn anew_or_not(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let leave = remedy::play_on(game, edition.articles.clock_defect);
    let Some(right) = &game.setup.control else { return vec![leave] };
    let moves = finding.facts.moves.unwrap_or_else(|| Colour::BOTH.map(|colour| counted(game, face, colour)));
    let least = game.periods_after(game.known());
    let set = |key, article, left: [Option<Millis>; 2], en: &str, ru: &str| {
        let hands = anew(right, face, moves, least, left);
        // What a dead clock shows is no reading.
        let given = Colour::BOTH.map(|colour| {
            let before = game.believed[colour.index()].map(|believed| believed.left);
            hands[colour.index()].left.zip(before).map_or(0, |(left, before)| left - before)
        });
        Remedy { hands: Some(hands), given, turn: face.turn, ..remedy::plain(game, key, article, words(en, ru)) }
    };
    if finding.facts.set_as.is_some() {
        let owed = Colour::BOTH.map(|colour| {
            let short = short(game, finding, moves[colour.index()], least[colour.index()])?;
            Some(short - game.put_right(u32::MAX, colour, finding))
        });
        if owed == [Some(0); 2] {
            let (en, ru) = ("play on: nothing is wanting", "игра продолжается: добавлять нечего");
            return vec![Remedy { words: words(en, ru), ..leave }];
        }
        let short =
            Colour::BOTH.map(|colour| face.hand(colour).left.zip(owed[colour.index()]).map(|(left, owed)| left + owed));
        let (en, ru) = ("what the wrong setting did not give", "недоданное время из-за неверной установки");
        if unsupervised::set_up_stays(edition, game) {
            // Too late for a claim, unless the schedule would suffer.
            let article = edition.unsupervised(game.setup.play).map_or("", |rules| rules.articles.set_up);
            let leave = remedy::play_on(game, article);
            return if finding.fixed { vec![leave] } else { vec![leave, set("corrected", article, short, en, ru)] };
        }
        return vec![set("corrected", edition.articles.clock_defect, short, en, ru), leave];
    }
    let Some(elapsed) = finding.facts.elapsed else { return vec![leave] };
    // More can have passed than both were given: then nothing is left, and the arbiter sees it.
    let [white, black] = Colour::BOTH.map(|colour| {
        let given = given(right, moves[colour.index()], least[colour.index()]);
        given + game.granted(colour).unwrap_or(0)
    });
    let sum = (white + black - elapsed).max(0);
    let article = edition.articles.clock_defect;
    let used = elapsed / 2;
    let shared = [white - used, black - (elapsed - used)];
    let (en, ru) = ("the time used is shared equally", "использованное время делится поровну");
    let mut ways = vec![set("shared", article, shared.map(Some), en, ru)];
    if let [Some(white), Some(black)] = face.hands.map(|hand| hand.left)
        && white != black
    {
        // The difference between the two displays is believed, their level is not.
        let apart = (white - black).clamp(-sum, sum);
        let hands = [Some((sum + apart) / 2), Some(sum - (sum + apart) / 2)];
        let (en, ru) = ("the displays' difference is kept", "разница показаний сохраняется");
        ways.push(set("difference_kept", article, hands, en, ru));
    }
    ways.push(leave);
    ways
}

/// How much less a clock that was set wrongly had given a player than it should have, when he had completed so many moves; `None` where
/// no wrong setting is known.
#[must_use]
pub fn short(game: &Game, finding: &Finding, moves: u32, least: u8) -> Option<Millis> {
    let (right, wrong) = game.setup.control.as_ref().zip(finding.facts.set_as.as_ref())?;
    Some(given(right, moves, least) - given(wrong, moves, least))
}

/// What a control gives until so many moves are completed, by a player who is in this period at least.
fn given(control: &Control, moves: u32, least: u8) -> Millis {
    control.given(moves, control.period_of(moves, least).max(least))
}

fn anew(control: &Control, face: &Face, moves: [u32; 2], least: [u8; 2], left: [Option<Millis>; 2]) -> [Hand; 2] {
    let mut hands = face.hands;
    for colour in Colour::BOTH {
        let hand = &mut hands[colour.index()];
        hand.moves = moves[colour.index()];
        hand.period = control.period_of(hand.moves, hand.period).max(least[colour.index()]);
        hand.left = left[colour.index()].map(|left| left.min(LONGEST)).or(hand.left);
        hand.flagged = false;
    }
    hands
}
