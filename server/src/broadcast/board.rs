//! A board of a round as a game in PGN.

use flagfall_pairings::{Outcome, Player};
use flagfall_rules::{
    clock::{Advance, Compensation, Control},
    game::{self, Act, Ending, Game},
    time::Millis,
};

use super::{
    follow::Follow,
    pgn::{self, Score},
};
use crate::event::{Own, Round, Seat, Tournament, game_name};

/// Writes a board up to an instant; `follow` is its game, if one is open.
pub(super) fn write(
    event: &Tournament,
    number: u32,
    round: &Round,
    seat: &Seat,
    follow: Option<&Follow>,
    until_ms: Millis,
) -> String {
    let game = follow.map(Follow::game).filter(|game| game.opened);
    let own = game.and_then(|game| game.ended.as_ref());
    let said = own.zip(game).map(|((outcome, ..), game)| Own::new(*outcome, told(game)));
    let entered = round.results.get(&seat.board).filter(|entered| entered.at_ms <= until_ms);
    let entered = entered.filter(|entered| entered.stands(said.as_ref())).map(|entered| entered.outcome);
    // What the books have counts once the game is shown to its end: a delay lets nothing through.
    let over = own.is_some() || game.is_none() && !follow.is_some_and(Follow::is_behind);
    let result = match entered {
        Some(outcome) if over => in_pgn(outcome),
        _ => own.map_or("*", |(outcome, ..)| if outcome.pgn() == "0-0" { "*" } else { outcome.pgn() }),
    };
    let mut tags = Tags::default();
    tags.put("Event", &event.settings.title);
    tags.put("Site", &event.settings.site);
    tags.put("Date", &round.started_ms.map(date).unwrap_or_default());
    tags.put("Round", &number.to_string());
    let nobody = Player::default();
    let players = [seat.white, seat.black].map(|number| event.players.get(&number).unwrap_or(&nobody));
    tags.put("White", &players[0].name);
    tags.put("Black", &players[1].name);
    tags.put("Board", &seat.board.to_string());
    for (colour, player) in ["White", "Black"].into_iter().zip(players) {
        let tag = |what: &str| format!("{colour}{what}");
        tags.put(&tag("Elo"), &if player.rating > 0 { player.rating.to_string() } else { String::new() });
        tags.put(&tag("Title"), &player.title);
        tags.put(&tag("FideId"), &player.fide_id);
    }
    tags.put("TimeControl", &control(&event.settings.control));
    tags.put("GameId", &game_name(&event.settings.name, number, seat.board));
    let how = match entered.filter(|_| over) {
        Some(Outcome::WhiteByForfeit | Outcome::BlackByForfeit | Outcome::BothForfeit) => "forfeit",
        Some(Outcome::BothLose) => "both players lose",
        _ => own.map_or("", |(_, ending, _)| termination(*ending)),
    };
    tags.put("Termination", if result == "*" && how.is_empty() { "unterminated" } else { how });

    let start = game.and_then(|game| game.setup.position.clone()).unwrap_or_default();
    let behind = if own.is_some() { 0 } else { event.settings.delay.plies as usize };
    let plies = game.map_or(0, |game| game.plies.len().saturating_sub(behind));
    let (before, moves) = follow.map(|follow| follow.score(plies)).unwrap_or_default();
    pgn::write(&tags.0, &Score { start: &start, moves: &moves, before: &before, result })
}

/// The results that its clock was told, in order.
fn told(game: &Game) -> impl Iterator<Item = (u64, game::Outcome)> {
    game.directives.iter().filter_map(|sent| match sent.directive.act {
        Act::Conclude(outcome) => Some((sent.directive.rev, outcome)),
        _ => None,
    })
}

/// Tags that say something.
#[derive(Default)]
struct Tags(Vec<(String, String)>);

impl Tags {
    fn put(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }
}

/// PGN has no word for a game that both players lost.
const fn in_pgn(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WhiteWins | Outcome::WhiteByForfeit => "1-0",
        Outcome::BlackWins | Outcome::BlackByForfeit => "0-1",
        Outcome::Draw => "1/2-1/2",
        Outcome::BothLose | Outcome::BothForfeit => "*",
    }
}

/// The words of the standard.
const fn termination(ending: Ending) -> &'static str {
    match ending {
        Ending::Flag => "time forfeit",
        Ending::Illegal | Ending::Penalty | Ending::IllegalPosition => "rules infraction",
        Ending::Desk | Ending::Adjournment | Ending::NormalMeans => "adjudication",
        _ => "normal",
    }
}

/// The standard's notation; it has none for delays and for clocks that go on at zero.
fn control(control: &Control) -> String {
    let plain = |compensation| matches!(compensation, Compensation::None | Compensation::Increment(_));
    let known = control.advance() == Advance::AtCount && control.periods().iter().all(|p| plain(p.compensation));
    if known { control.to_string() } else { String::new() }
}

/// The day in the service's own zone.
fn date(ms: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y.%m.%d").to_string()
}
