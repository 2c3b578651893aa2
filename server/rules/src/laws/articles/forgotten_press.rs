//! A press was forgotten and play went on (6.2.1): the counters follow the score, and the increments not given are the arbiter's to
//! give or keep. Players are told nothing of an unpressed clock (12.6): it is shown to the desk.

use alloc::{vec, vec::Vec};

use super::{credit::Credited, remedy};
use crate::{
    clock::{Colour, Face, Hand},
    game::{Finding, Game, Irregularity, Remedy, Ruling},
    laws::{Edition, Found, words},
    time::Millis,
};

/// The next move is on the board though the clock was not pressed.
#[must_use]
pub fn found(edition: &Edition) -> Found {
    let seen = words(
        "the next move is on the board though the clock was not pressed",
        "следующий ход уже на доске, а часы не были нажаты",
    );
    Found { kind: Irregularity::ForgottenPress, article: edition.articles.completion, fixed: false, seen }
}

/// Times unchanged and counters by the score; or with the increments that the forgotten presses would have given; or nothing.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let article = edition.articles.completion;
    let both = finding.facts.reply == Some(Irregularity::ForgottenPress);
    let (mut counted, mut credited) = (face.hands, face.hands);
    for colour in Colour::BOTH {
        let forgot = both || colour == finding.by;
        let shown = face.hand(colour).moves;
        let moves = if game.known() > 0 { game.completed(colour) } else { shown + u32::from(forgot) };
        for hands in [&mut counted, &mut credited] {
            let hand = &mut hands[colour.index()];
            hand.moves = moves;
            if let Some(control) = &game.setup.control {
                // The clock will never give the time of a period that its counter has jumped into.
                while hand.period < control.period_of(moves, hand.period) {
                    let Some((next, bonus)) = control.next(hand.period) else { break };
                    hand.period = next;
                    remedy::add(hand, bonus);
                }
            }
        }
        if let Some(control) = game.setup.control.as_ref().filter(|_| forgot) {
            let before = moves.saturating_sub(1);
            let credit = control.credit(before, control.period_of(before, face.hand(colour).period), None);
            remedy::add(&mut credited[colour.index()], credit.compensation);
        }
    }
    let set = |key, hands: [Hand; 2], words| {
        let given = Colour::BOTH.map(|colour| {
            let (after, before) = (hands[colour.index()].left, face.hand(colour).left);
            after.zip(before).map_or(0, |(after, before)| after - before)
        });
        Remedy { hands: Some(hands), given, turn: face.turn, ..remedy::plain(game, key, article, words) }
    };
    vec![
        set(
            "counters",
            counted,
            words("counters by the score, times unchanged", "счётчики по записи, время без изменений"),
        ),
        set("credited", credited, words("the missed increments are given", "добавляется недоданное время")),
        remedy::play_on(game, article),
    ]
}

/// What of it goes back with the plies after the first `keep`, as if the press had credited it: the increment goes with the move whose
/// press was forgotten, and a period's time unless it was earned without them.
#[must_use]
pub fn goes_back(game: &Game, finding: &Finding, ruling: &Ruling, colour: Colour, keep: u32) -> Credited {
    let forgotten = finding.ply + u32::from(colour != finding.by);
    let bonus = begun(game, ruling, colour);
    let increment = (ruling.remedy.given[colour.index()] - bonus).max(0);
    let compensation = if forgotten > keep { increment } else { 0 };
    let from = ruling.before.hand(colour).period;
    let earned = game.period_after(keep, colour, game.completed_in(keep, colour));
    Credited { compensation, bonus, from, ..Credited::default() }.goes_back(earned)
}

/// What of it stays.
#[must_use]
pub fn stays(game: &Game, finding: &Finding, ruling: &Ruling, colour: Colour, keep: u32) -> Millis {
    let given = ruling.remedy.given[colour.index()].max(begun(game, ruling, colour));
    given - goes_back(game, finding, ruling, colour, keep).total()
}

/// The time of the periods that the player's counter has jumped into.
fn begun(game: &Game, ruling: &Ruling, colour: Colour) -> Millis {
    let to = ruling.remedy.hands.map(|hands| hands[colour.index()].period);
    let control = game.setup.control.as_ref().zip(to);
    control.map_or(0, |(control, to)| control.credit_from(ruling.before.hand(colour).period, to, None).bonus)
}
