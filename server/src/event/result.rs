//! Results: what an organiser enters, over what the games say. What was said last counts: an entry is told to the game, and a result that
//! the game gets after it has the last word. A game that is over never goes on, so that nothing ends one unasked.

use flagfall_pairings::Outcome;
use flagfall_proto::{
    clock::v1::{Hand, directive},
    desk::v1::GameSnapshot,
    journal::v1::Ending,
};
use flagfall_rules::{
    game::{self, DeskAct, DeskInput, Words},
    time::Millis,
};

use super::{
    act::Act,
    decide, game_name,
    organiser::{Organiser, Place, Who, act_of},
    state::Tournament,
    view,
};
use crate::{
    broadcast::pgn::time,
    journal::codec::Numbered,
    wire::{Refused, Unfit},
};

/// What is asked for a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) board: u32,
    /// The result; `None`: what was entered is withdrawn.
    pub(super) outcome: Option<Outcome>,
    pub(super) note: String,
    /// It may end a game that is under way.
    pub(super) ends_game: bool,
}

/// A result as an organiser entered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entered {
    /// The result.
    pub outcome: Outcome,
    /// Why.
    pub note: String,
    /// When, milliseconds since 1970.
    pub at_ms: Millis,
    /// The revision of the directive by which the game's clock had been told its result; 0: it had none; `None`: not kept.
    pub after: Option<u64>,
}

impl Entered {
    /// It still counts, though the game says this by itself: nobody gave the game another result since.
    #[must_use]
    pub fn stands(&self, own: Option<&Own>) -> bool {
        let later =
            |own: &&Own| self.after.is_some_and(|after| own.rev > after) && own.outcome != of_game(self.outcome);
        own.filter(later).is_none()
    }
}

/// What a game says of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// How it ended.
    pub outcome: game::Outcome,
    /// The revision of the directive by which its clock was first told this.
    pub rev: u64,
}

impl Own {
    /// Of a game that ended so, with the results that its clock was told, in order.
    pub fn new(outcome: game::Outcome, told: impl Iterator<Item = (u64, game::Outcome)>) -> Own {
        let (mut rev, mut last) = (0, None);
        for (at, told) in told {
            if last.replace(told) != Some(told) {
                rev = at;
            }
        }
        Own { outcome, rev }
    }

    /// Of a game; `None`: it goes on.
    pub(super) fn of(game: &GameSnapshot) -> Option<Own> {
        let outcome = |number| game::Outcome::named("outcome", number).ok();
        let told =
            game.directives.iter().filter_map(|sent| sent.directive.as_ref()).filter_map(|sent| match sent.act {
                Some(directive::Act::Conclude(ref end)) => Some((sent.rev, outcome(end.outcome)?)),
                _ => None,
            });
        Some(Own::new(outcome(game.ended.as_ref()?.outcome)?, told))
    }
}

impl Organiser {
    /// Enters the result of a board. The books first, then the game: what was cut short in between is done by entering it again.
    pub(super) async fn result(&self, who: Who, place: &Place, asked: Asked) -> Result<(), Refused> {
        decide::note(&asked.note)?;
        let game = self.game(place, asked.board).await?;
        let own = game.as_ref().and_then(Own::of);
        let name = game_name(&place.event, place.round, asked.board);
        let tell =
            asked.outcome.map(of_game).filter(|given| game.is_some() && own.map(|own| own.outcome) != Some(*given));
        let tell = tell.map(|outcome| conclusion(&who, &asked, outcome));
        if !self.is_done(&who, place)? {
            self.with(&place.event, |t| fits(t, place.round, &asked, game.as_ref()))?;
            if let Some(tell) = &tell {
                taken(self.arena.preview(&name, tell.clone()).await)?;
            }
            let Asked { board, outcome, note, .. } = asked;
            let after = Some(own.map_or(0, |own| own.rev));
            self.keep_round(place, who, Act::Result { board, outcome, note, after }).await?;
        }
        match tell {
            Some(tell) => taken(self.arena.act(&name, tell).await),
            None => Ok(()),
        }
    }
}

/// The game is told why, too: its own record is what is read of it.
fn conclusion(who: &Who, asked: &Asked, outcome: game::Outcome) -> DeskInput {
    let act = DeskAct::Direct(game::Act::Conclude(outcome), Words::default(), Default::default());
    let told = act_of(who, &asked.board.to_string(), act);
    if asked.note.is_empty() { told } else { DeskInput { reason: asked.note.clone(), ..told } }
}

/// What the Laws or a ruling made of a game stays in it, whatever the books have: it may end by itself this moment.
fn taken<T>(told: Result<T, Refused>) -> Result<(), Refused> {
    match told {
        Err(Refused::Rules { refusal: game::Refusal::GameOver, .. }) | Ok(_) => Ok(()),
        Err(refused) => Err(refused),
    }
}

/// The result that a game gets by a result of the books.
pub(super) const fn of_game(outcome: Outcome) -> game::Outcome {
    match outcome {
        Outcome::WhiteWins | Outcome::WhiteByForfeit => game::Outcome::WhiteWins,
        Outcome::BlackWins | Outcome::BlackByForfeit => game::Outcome::BlackWins,
        Outcome::Draw => game::Outcome::Draw,
        Outcome::BothLose | Outcome::BothForfeit => game::Outcome::BothLose,
    }
}

/// The result of the books that a game has by its own.
pub(super) const fn of_books(outcome: game::Outcome) -> Outcome {
    match outcome {
        game::Outcome::WhiteWins => Outcome::WhiteWins,
        game::Outcome::BlackWins => Outcome::BlackWins,
        game::Outcome::Draw => Outcome::Draw,
        game::Outcome::BothLose => Outcome::BothLose,
    }
}

/// Who forfeits by a result: White, Black.
const fn forfeits(outcome: Outcome) -> [bool; 2] {
    match outcome {
        Outcome::WhiteByForfeit => [false, true],
        Outcome::BlackByForfeit => [true, false],
        Outcome::BothForfeit => [true, true],
        _ => [false, false],
    }
}

/// A result that may be entered, or withdrawn. A round that is closed and a game that ended otherwise want a reason, and so does a forfeit
/// of a game that was played; a game under way wants a word that it may end.
fn fits(tournament: &Tournament, number: u32, asked: &Asked, game: Option<&GameSnapshot>) -> Result<(), Refused> {
    let Asked { board, note, .. } = asked;
    let round = decide::round(tournament, number)?;
    let seat = decide::seat(tournament, round, number, *board)?;
    let event = || tournament.settings.name.clone();
    let named = || game_name(&event(), number, *board);
    let reason = !note.trim().is_empty();
    if round.closed_ms.is_some() && !reason {
        return Err(Unfit::RoundClosed { event: event(), round: number }.into());
    }
    let Some(given) = asked.outcome else {
        let by_hand = |game: &GameSnapshot| game.ended.as_ref().is_some_and(|ended| ended.ending() == Ending::Desk);
        return match round.results.get(board) {
            None => Err(Unfit::NothingEntered { event: event(), round: number, board: *board }.into()),
            Some(_) if game.is_some_and(by_hand) => Err(Unfit::ResultEndedGame { game: named() }.into()),
            Some(_) => Ok(()),
        };
    };
    let Some(game) = game else { return Ok(()) };
    let moved = [0, 1].map(|side| view::moved(game, side));
    let Some(own) = Own::of(game) else {
        let absent =
            forfeits(given) != [false; 2] && forfeits(given).iter().zip(moved).all(|(lost, moved)| !(*lost && moved));
        if !view::is_started(game) || absent || asked.ends_game {
            return Ok(());
        }
        let [white, black] = [seat.white, seat.black].map(|player| tournament.name(player).to_owned());
        let stands = stands(game);
        return Err(Unfit::EndsGame { game: named(), white, black, stands, given: given.to_string() }.into());
    };
    let differs = of_game(given) != own.outcome || forfeits(given) != [false; 2] && moved != [false; 2];
    if differs && !reason {
        let has = own.outcome.pgn().to_owned();
        return Err(Unfit::ResultDiffers { game: named(), has, given: given.to_string() }.into());
    }
    Ok(())
}

/// Moves and clocks of both, as far as they are known.
fn stands(game: &GameSnapshot) -> String {
    let face = game.face.unwrap_or_default();
    let one = |hand: Option<Hand>, side: usize| {
        let hand = hand.unwrap_or_default();
        let left = hand.left_ms.map_or_else(|| "?".to_owned(), |left| time(left / 1_000 * 1_000));
        (view::moves(game, side), left)
    };
    let [(white, white_left), (black, black_left)] = [one(face.white, 0), one(face.black, 1)];
    format!("{white} and {black} moves made, {white_left} and {black_left} on the clock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_last_counts() {
        use game::Outcome::{BlackWins, Draw, WhiteWins};
        let entered = |after| Entered { outcome: Outcome::WhiteByForfeit, note: String::new(), at_ms: 0, after };
        let own =
            |told: &[(u64, game::Outcome)]| told.last().map(|(_, outcome)| Own::new(*outcome, told.iter().copied()));
        // Entered while the game went on, and told to it: a forfeit is a game won.
        assert!(entered(Some(0)).stands(None) && entered(Some(0)).stands(own(&[(3, WhiteWins)]).as_ref()));
        // The arbiter gave the game another result since.
        assert!(!entered(Some(0)).stands(own(&[(3, WhiteWins), (4, Draw)]).as_ref()));
        // Entered over the game's own result, which another clock of the game was told once more.
        assert!(entered(Some(3)).stands(own(&[(3, BlackWins), (5, BlackWins)]).as_ref()));
        // The arbiter went back to what the game had before it was entered.
        assert!(!entered(Some(3)).stands(own(&[(3, BlackWins), (5, WhiteWins), (6, BlackWins)]).as_ref()));
        // Entries kept without that revision count, as they did.
        assert!(entered(None).stands(own(&[(3, Draw)]).as_ref()));
    }
}
