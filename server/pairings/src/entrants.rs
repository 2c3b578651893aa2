//! Players of a file that may know no numbers: told by number, else by name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{NUMBER_MAX, Player};

/// The players of an event, those that a file adds among them.
pub(crate) struct Entrants {
    players: BTreeMap<u32, Player>,
    by_name: HashMap<String, u32>,
    /// Who was named in this round.
    seated: BTreeSet<u32>,
}

impl Entrants {
    pub(crate) fn new(known: &[Player]) -> Entrants {
        let by_name = known.iter().map(|player| (player.name.clone(), player.number)).collect();
        let players = known.iter().map(|player| (player.number, player.clone())).collect();
        Entrants { players, by_name, seated: BTreeSet::new() }
    }

    /// Takes a player in: under the number he states, the number of his name, or the next free one. What the file does not say
    /// of him stays as it is known. Returns the number, or why not.
    pub(crate) fn seat(&mut self, stated: Player) -> Result<u32, String> {
        let number = match (stated.number, self.by_name.get(&stated.name)) {
            (0, _) if stated.name.is_empty() => return Err("neither a name nor a number".to_owned()),
            (0, Some(&number)) => number,
            (0, None) => self.players.keys().next_back().map_or(1, |last| last + 1),
            (number, _) => number,
        };
        if !(1..=NUMBER_MAX).contains(&number) {
            return Err(format!("{number} is no starting-rank number: expected 1 to {NUMBER_MAX}"));
        }
        if !self.seated.insert(number) {
            return Err(format!("player {number} is named twice in this round"));
        }
        let known = self.players.remove(&number).unwrap_or_default();
        let or = |said: String, known: String| if said.is_empty() { known } else { said };
        let player = Player {
            number,
            name: or(stated.name, known.name),
            title: or(stated.title, known.title),
            rating: if stated.rating > 0 { stated.rating } else { known.rating },
            federation: or(stated.federation, known.federation),
            fide_id: or(stated.fide_id, known.fide_id),
        };
        if player.name.is_empty() {
            return Err(format!("player {number} has no name, and none is known"));
        }
        self.by_name.insert(player.name.clone(), number);
        self.players.insert(number, player);
        Ok(number)
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn into_players(self) -> Vec<Player> {
        self.players.into_values().collect()
    }
}
