//! What people in the playing hall know of the games: what arbiters were last told, what they were answered, what they want.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use flagfall_proto::{
    clock::v1::Stage,
    desk::v1::{CaseSnapshot, GameSnapshot},
};

use crate::{deed::Deed, trace::lock};

/// How old word of a game may be for an arbiter to let its players go on, milliseconds.
const FRESH: u64 = 3_000;

/// A desk's act that the service answered.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) game: String,
    pub(crate) request: String,
    pub(crate) rev: u64,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Hall {
    games: Mutex<BTreeMap<String, (u64, GameSnapshot)>>,
    /// Since the oracle last looked.
    answered: Mutex<Vec<Answered>>,
    looked: Mutex<Vec<GameSnapshot>>,
    wrong: Mutex<Vec<String>>,
    /// What the next arbiter who is free does.
    wanted: Mutex<VecDeque<(String, Deed)>>,
    /// Arbiters act more than they must.
    pub(crate) busy: AtomicBool,
    /// Numbers acts, and makes amounts of time that occur once.
    acts: AtomicU64,
}

impl Hall {
    /// The list of games came in.
    pub(crate) fn saw(&self, now: u64, games: Vec<GameSnapshot>) {
        let mut known = lock(&self.games);
        for game in games {
            lock(&self.looked).push(game.clone());
            let name = game.setup.as_ref().map_or_else(String::new, |setup| setup.game.clone());
            known.insert(name, (now, game));
        }
    }

    /// A game as it was last seen.
    pub(crate) fn game(&self, name: &str) -> Option<GameSnapshot> {
        lock(&self.games).get(name).map(|(_, game)| game.clone())
    }

    /// The arbiter lets the players of this game go on.
    pub(crate) fn is_calm(&self, name: &str, now: u64) -> bool {
        lock(&self.games).get(name).is_some_and(|(at, game)| {
            let waiting = game.directives.iter().any(|sent| matches!(sent.stage(), Stage::Sent | Stage::Received));
            *at + FRESH >= now && !waiting && open(game).next().is_none()
        })
    }

    pub(crate) fn answer(&self, answered: Answered) {
        lock(&self.answered).push(answered);
    }

    pub(crate) fn answers(&self) -> Vec<Answered> {
        std::mem::take(&mut lock(&self.answered))
    }

    pub(crate) fn looks(&self) -> Vec<GameSnapshot> {
        std::mem::take(&mut lock(&self.looked))
    }

    /// An arbiter was told something that contradicts what he was told before.
    pub(crate) fn is_wrong(&self, what: String) {
        lock(&self.wrong).push(what);
    }

    pub(crate) fn wrongs(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.wrong))
    }

    /// Some arbiter shall do this, under this request.
    pub(crate) fn want(&self, request: String, deed: Deed) {
        lock(&self.wanted).push_back((request, deed));
    }

    pub(crate) fn wanted(&self) -> Option<(String, Deed)> {
        lock(&self.wanted).pop_front()
    }

    pub(crate) fn next_act(&self) -> u64 {
        self.acts.fetch_add(1, Ordering::Relaxed)
    }
}

/// Cases that wait for the desk.
pub(crate) fn open(game: &GameSnapshot) -> impl Iterator<Item = &CaseSnapshot> {
    let shown = |case: &CaseSnapshot| case.proposal.as_ref().is_some_and(|proposal| proposal.running);
    let over = game.ended.is_some();
    game.cases.iter().filter(move |case| !over && case.ruling.is_none() && !shown(case))
}
