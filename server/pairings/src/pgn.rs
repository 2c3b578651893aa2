//! Pairings out of the headers of PGN: one game a pair, as broadcasting programs prepare them.
//!
//! `White` and `Black` name the players, `WhiteElo`, `WhiteTitle`, `WhiteFideId`, `WhiteTeam` and their counterparts say more of them,
//! `Round` is the round, or `3.7` for board 7 of round 3, and `Board` the board.

use crate::{
    Board, Fault, Faults, NUMBER_MAX, Outcome, Player, ROUNDS_MAX, Sheet,
    entrants::Entrants,
    sheet::{fide_id, name, rating, tidy, title},
};

/// The headers of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// The line at which the game begins, from 1.
    pub line: usize,
    /// Tag pairs in order.
    pub tags: Vec<(String, String)>,
}

impl Headers {
    fn value(&self, tag: &str) -> &str {
        let found = self.tags.iter().find(|(name, _)| name == tag).map(|(_, value)| value.trim());
        found.filter(|value| !matches!(*value, "?" | "-" | "*")).unwrap_or_default()
    }

    /// The round and the board, 0 for what is not said.
    fn place(&self) -> (u32, u32) {
        let number = |text: &str, most| text.parse().ok().filter(|number| (1..=most).contains(number)).unwrap_or(0);
        let (round, behind) = self.value("Round").split_once('.').unwrap_or((self.value("Round"), ""));
        let stated = number(self.value("Board"), NUMBER_MAX);
        let board = if stated > 0 { stated } else { number(behind.split('.').next().unwrap_or_default(), NUMBER_MAX) };
        (number(round, ROUNDS_MAX), board)
    }

    fn player(&self, side: &str) -> Player {
        let value = |what: &str| self.value(&format!("{side}{what}"));
        let rating = rating(value("Elo")).unwrap_or(0);
        Player {
            number: 0,
            name: name(value("")),
            title: title(value("Title")),
            rating,
            federation: tidy(value("Federation"), 3),
            fide_id: fide_id(value("FideId")),
        }
    }
}

/// Reads the games of a round; without one they must all be of the same. `known` are the players the event has already. Games that
/// name no board are numbered as they come, if none names one.
///
/// # Errors
/// Everything that does not fit, with the line at which the game begins.
pub fn sheet(games: &[Headers], round: Option<u32>, known: &[Player]) -> Result<Sheet, Faults> {
    let mut faults = Faults::default();
    let (mut entrants, mut boards) = (Entrants::new(known), Vec::<Board>::new());
    let mut of = round.unwrap_or(0);
    let some_number = games.iter().any(|game| game.place().1 > 0);
    let mut title = String::new();
    for game in games {
        let mut fault = |what: String, remedy: &str| faults.push(Fault::at(game.line, 0, what, remedy));
        let (said, board) = game.place();
        if said > 0 && of > 0 && said != of {
            if round.is_none() {
                fault(format!("round {said}, before it was {of}"), "say which round is meant");
            }
            continue;
        }
        of = of.max(said);
        if title.is_empty() {
            title = tidy(game.value("Event"), 200);
        }
        if some_number && board == 0 {
            fault("no board, and others have one".to_owned(), "give every game a Board");
            continue;
        }
        let board = if some_number { board } else { boards.len() as u32 + 1 };
        if boards.iter().any(|other| other.board == board) {
            fault(format!("board {board} is there twice"), "give each game a Board of its own");
            continue;
        }
        let outcome = Outcome::of(game.value("Result"));
        let mut seat = |side: &str| entrants.seat(game.player(side)).map_err(|why| format!("{side}: {why}"));
        match seat("White").and_then(|white| Ok((white, seat("Black")?))) {
            Ok((white, black)) => boards.push(Board { board, white, black, device: None, outcome }),
            Err(why) => fault(why, "give White and Black a name each"),
        }
    }
    if boards.is_empty() && faults.faults.is_empty() {
        faults.push(Fault::whole("no game of that round", "expected a game with White and Black for every board"));
    }
    boards.sort_by_key(|board| board.board);
    faults.unless(Sheet { title, round: of, players: entrants.into_players(), boards, byes: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(line: usize, tags: &[(&str, &str)]) -> Headers {
        Headers { line, tags: tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect() }
    }

    #[test]
    fn headers_say_round_board_and_players() {
        let games = [
            game(
                1,
                &[
                    ("Event", "Open"),
                    ("Round", "3.2"),
                    ("White", "A"),
                    ("Black", "B"),
                    ("WhiteElo", "2100"),
                    ("BlackTitle", "WGM"),
                ],
            ),
            game(9, &[("Round", "3.1"), ("White", "C"), ("Black", "D"), ("BlackFideId", "4100018"), ("Result", "*")]),
        ];
        let sheet = sheet(&games, None, &[]).expect("a round");
        assert_eq!((sheet.title.as_str(), sheet.round), ("Open", 3));
        assert_eq!(
            sheet.boards.iter().map(|b| (b.board, b.white, b.black)).collect::<Vec<_>>(),
            [(1, 3, 4), (2, 1, 2)]
        );
        assert_eq!(
            (sheet.players[0].rating, sheet.players[1].title.as_str(), sheet.players[3].fide_id.as_str()),
            (2100, "WGM", "4100018")
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_the_line_of_its_game() {
        let a = game(1, &[("Round", "1"), ("White", "A"), ("Black", "B")]);
        let other = game(7, &[("Round", "2"), ("White", "C"), ("Black", "D")]);
        let said = |games: &[Headers], round| sheet(games, round, &[]).expect_err("faulty").to_string();
        assert!(said(&[a.clone(), other.clone()], None).starts_with("line 7: round 2, before it was 1"));
        assert_eq!(sheet(&[a.clone(), other], Some(2), &[]).map(|sheet| sheet.boards.len()), Ok(1));
        let nameless = game(4, &[("White", "?"), ("Black", "B")]);
        assert!(said(&[nameless], None).starts_with("line 4: White: neither a name nor a number"));
        let bare = game(8, &[("White", "E"), ("Black", "F")]);
        let board = game(12, &[("White", "G"), ("Black", "H"), ("Board", "1")]);
        assert!(said(&[bare, board], None).starts_with("line 8: no board"));
        assert!(said(&[], None).starts_with("no game of that round"));
    }
}
