//! Tournaments made up for the tests, and the files a pairing program would write of them. Points are counted here in the plain way.

use flagfall_pairings::{Outcome, trf::Result};
use proptest::prelude::*;

/// How a file is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Letters {
    Ascii,
    Latin1,
    /// UTF-8 by characters.
    Utf8,
}

#[derive(Clone, Debug)]
pub(crate) struct Player {
    pub(crate) name: String,
    rating: u32,
}

/// A tournament of which `round` is paired and not played. In earlier rounds neighbours in a shifted circle met.
#[derive(Clone, Debug)]
pub(crate) struct Tournament {
    pub(crate) players: Vec<Player>,
    pub(crate) round: u32,
    end: &'static str,
    letters: Letters,
    /// Lines end with their last letter.
    trimmed: bool,
    /// Results of every pair of every round, by round and pair.
    outcomes: Vec<Outcome>,
    /// The letter of the player who is left over, if one is.
    bye: char,
}

pub(crate) fn tournament() -> impl Strategy<Value = Tournament> {
    let letters = prop_oneof![Just(Letters::Ascii), Just(Letters::Latin1), Just(Letters::Utf8)];
    let end = prop::sample::select(vec!["\r", "\n", "\r\n"]);
    let outcome = prop::sample::select(Outcome::ALL.to_vec());
    let bye = prop::sample::select(vec!['H', 'F', 'U', 'Z']);
    let player = ("[A-Za-z=+'\"(){}/. -]{1,30}", 0..2_900u32);
    (
        prop::collection::vec(player, 2..24),
        1..6u32,
        end,
        letters,
        any::<bool>(),
        prop::collection::vec(outcome, 60),
        bye,
    )
        .prop_map(|(players, round, end, letters, trimmed, outcomes, bye)| {
            let mark = match letters {
                Letters::Ascii => "",
                Letters::Latin1 => "\u{e9}",
                Letters::Utf8 => "\u{416}",
            };
            let players = players
                .into_iter()
                .map(|(name, rating)| Player { name: format!("{mark}x{}", name.trim()), rating })
                .collect();
            Tournament { players, round, end, letters, trimmed, outcomes, bye }
        })
}

impl Tournament {
    pub(crate) fn smallest() -> Tournament {
        let player = |name: &str| Player { name: name.into(), rating: 0 };
        let players = vec![player("A"), player("B")];
        let outcomes = vec![Outcome::Draw; 60];
        Tournament { players, round: 1, end: "\n", letters: Letters::Ascii, trimmed: false, outcomes, bye: 'U' }
    }

    /// Who meets whom: the last stays, the others go round; the first named has White.
    fn met(&self, round: u32) -> Vec<(u32, u32)> {
        let count = self.players.len() as u32 & !1;
        let seat = |place: u32| if place == count - 1 { count } else { (place + round) % (count - 1) + 1 };
        (0..count / 2).map(|place| (seat(place), seat(count - 1 - place))).collect()
    }

    pub(crate) fn pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = self.met(self.round);
        pairs.sort_unstable();
        pairs
    }

    fn outcome(&self, round: u32, index: usize) -> Outcome {
        self.outcomes[(round as usize * 11 + index) % self.outcomes.len()]
    }

    /// The results of the round that is being played.
    pub(crate) fn results(&self) -> impl Iterator<Item = Result> {
        self.met(self.round).into_iter().enumerate().map(|(index, (white, black))| Result {
            white,
            black,
            outcome: self.outcome(self.round, index),
        })
    }

    /// The file before the round is played, or after it.
    pub(crate) fn file(&self, results: Option<&[Result]>) -> Vec<u8> {
        let mut text = format!("012 Made{0}062 {1}{0}XXR 9{0}", self.end, self.players.len());
        for (index, player) in self.players.iter().enumerate() {
            let number = index as u32 + 1;
            let (mut cells, mut tenths) = (String::new(), 0);
            for round in 1..=self.round {
                let open = round == self.round && results.is_none();
                let met = self.met(round);
                let seat = met.iter().position(|&(white, black)| white == number || black == number);
                let (cell, letter) = match seat {
                    Some(seat) => {
                        let (white, black) = met[seat];
                        let letters = self.outcome(round, seat).letters();
                        let (opponent, colour, letter) =
                            if white == number { (black, 'w', letters[0]) } else { (white, 'b', letters[1]) };
                        (format!("{opponent:>4} {colour} "), if open { ' ' } else { letter })
                    }
                    // The bye of the round that is played is not in the points before it is over.
                    None => ("0000 - ".to_owned(), self.bye),
                };
                let counted = !(seat.is_none() && open);
                tenths += match letter {
                    '1' | '+' | 'F' | 'U' if counted => 10,
                    '=' | 'H' if counted => 5,
                    _ => 0,
                };
                cells.push_str(&format!("  {cell}{letter}"));
            }
            let points = format!("{}.{}", tenths / 10, tenths % 10);
            let rating = if player.rating == 0 { String::new() } else { player.rating.to_string() };
            let line = format!(
                "001 {number:>4}      {:<33} {rating:>4} {:>3} {:>11} {:>10} {points:>4} {:>4}{cells}",
                player.name, "", "", "", number
            );
            let line = if self.trimmed && results.is_none() { line.trim_end().to_owned() } else { line };
            text.push_str(&line);
            text.push_str(self.end);
        }
        match self.letters {
            Letters::Latin1 => text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect(),
            Letters::Ascii | Letters::Utf8 => text.into_bytes(),
        }
    }
}
