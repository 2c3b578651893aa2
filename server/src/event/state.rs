//! An event and its rounds, as the fold of their acts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use flagfall_pairings::{Bye, Player};
use flagfall_rules::{
    laws::{self, Edition},
    time::Millis,
};

use super::{
    act::{Act, Input, Seat, Settings},
    result::Entered,
};

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct Tournament {
    /// What it sets.
    pub settings: Settings,
    /// Its players by number.
    pub players: BTreeMap<u32, Player>,
    /// Its rounds by number.
    pub rounds: BTreeMap<u32, Round>,
    /// When it last changed, milliseconds since 1970.
    pub touched_ms: Millis,
    /// Requests that were carried out.
    admitted: HashSet<String>,
}

impl Tournament {
    /// An event that was just created.
    #[must_use]
    pub fn new(settings: Settings) -> Tournament {
        Tournament {
            settings,
            players: BTreeMap::new(),
            rounds: BTreeMap::new(),
            touched_ms: 0,
            admitted: HashSet::new(),
        }
    }

    /// A copy of the event and of one of its rounds, without the others; `None`: the round is not paired.
    #[must_use]
    pub fn round_alone(&self, number: u32) -> Option<(Tournament, Round)> {
        let round = self.rounds.get(&number)?.clone();
        let (settings, players) = (self.settings.clone(), self.players.clone());
        Some((Tournament { players, touched_ms: self.touched_ms, ..Tournament::new(settings) }, round))
    }

    /// The edition; `None`: it is of a later build.
    #[must_use]
    pub fn edition(&self) -> Option<&'static Edition> {
        laws::edition(&self.settings.edition)
    }

    /// How late a player may come, milliseconds, and the article it rests on.
    #[must_use]
    pub fn default_time(&self) -> (Millis, &'static str) {
        let edition = self.edition();
        let of_edition = edition.map_or(0, |edition| edition.default_time);
        (self.settings.default_time.unwrap_or(of_edition), edition.map_or("", |edition| edition.articles.late))
    }

    /// The part of the hall that a board stands in; empty: none.
    #[must_use]
    pub fn sector(&self, board: u32) -> &str {
        let sector = self.settings.sectors.iter().find(|sector| (sector.first..=sector.last).contains(&board));
        sector.map_or("", |sector| sector.name.as_str())
    }

    /// The name of a player; empty: nobody has the number.
    #[must_use]
    pub fn name(&self, player: u32) -> &str {
        self.players.get(&player).map_or("", |player| player.name.as_str())
    }

    /// The request was carried out before.
    #[must_use]
    pub fn has_admitted(&self, request: &str) -> bool {
        self.admitted.contains(request)
    }

    /// Goes on by an act on the event. Acts are facts: one that does not belong here changes nothing.
    pub fn evolve(&mut self, input: Input) {
        self.admitted.insert(input.request);
        self.touched_ms = self.touched_ms.max(input.wall_ms);
        match input.act {
            Act::Create(settings) | Act::Revise(settings) => self.settings = *settings,
            Act::Players(players) => self.players.extend(players.into_iter().map(|player| (player.number, player))),
            Act::Pair(..) | Act::Assign(..) | Act::Prepare(_) | Act::Start(_) | Act::Result { .. } | Act::Close(..) => {
            }
        }
    }
}

/// A round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// Its boards by number.
    pub seats: BTreeMap<u32, Seat>,
    /// Who does not play, by number.
    pub byes: Vec<Bye>,
    /// Boards whose games were opened.
    pub prepared: BTreeSet<u32>,
    /// Boards whose clocks were told to run.
    pub started: BTreeSet<u32>,
    /// When the first of them was, milliseconds since 1970.
    pub started_ms: Option<Millis>,
    /// Results as entered.
    pub results: BTreeMap<u32, Entered>,
    /// When it was closed, milliseconds since 1970.
    pub closed_ms: Option<Millis>,
    /// When it last changed, milliseconds since 1970.
    pub touched_ms: Millis,
    admitted: HashSet<String>,
}

impl Round {
    /// The request was carried out before.
    #[must_use]
    pub fn has_admitted(&self, request: &str) -> bool {
        self.admitted.contains(request)
    }

    /// Goes on by an act on the round.
    pub fn evolve(&mut self, input: Input) {
        self.admitted.insert(input.request);
        self.touched_ms = self.touched_ms.max(input.wall_ms);
        match input.act {
            Act::Pair(seats, byes) => {
                self.seats = seats.into_iter().map(|seat| (seat.board, seat)).collect();
                self.byes = byes;
                self.byes.sort_by_key(|bye| bye.player);
                self.results.clear();
            }
            Act::Assign(board, device, _) => {
                if let Some(seat) = self.seats.get_mut(&board) {
                    seat.device = device;
                }
            }
            Act::Prepare(boards) => self.prepared.extend(boards),
            Act::Start(boards) => {
                self.started.extend(boards);
                self.started_ms.get_or_insert(input.wall_ms);
            }
            Act::Result { board, outcome: Some(outcome), note, after } => {
                let entered = Entered { outcome, note, at_ms: input.wall_ms, after };
                self.results.insert(board, entered);
            }
            Act::Result { board, outcome: None, .. } => drop(self.results.remove(&board)),
            Act::Close(..) => self.closed_ms = Some(input.wall_ms),
            Act::Create(_) | Act::Revise(_) | Act::Players(_) => {}
        }
    }
}
