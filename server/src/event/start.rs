//! Preparing and starting a round: games are opened and clocks run, all boards at once.

use flagfall_proto::{
    clock::v1::{Stage, directive},
    desk::v1::{BoardTrouble, GameSnapshot},
};
use flagfall_rules::game::{self, DeskAct, Setup, Words};
use tokio::task::JoinSet;

use super::{
    act::{Act, Seat},
    decide, game_name,
    organiser::{Organiser, Place, Who, act_of},
    request_of, view,
};
use crate::wire::{Refused, Unfit};

/// What starting a round comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Started {
    /// Boards whose clocks are, or would be, started.
    pub(super) boards: Vec<u32>,
    /// How many of their games had to be opened.
    pub(super) to_open: u32,
    /// Boards that run already.
    pub(super) under_way: u32,
    /// Boards with a result.
    pub(super) over: u32,
    /// Boards without a clock.
    pub(super) without_clock: u32,
    /// Boards that could not be started.
    pub(super) troubles: Vec<BoardTrouble>,
    /// Of the boards, those whose clocks are not connected.
    pub(super) away: Vec<BoardTrouble>,
}

/// Its clock was told to run, and did not refuse.
fn was_told(game: &GameSnapshot) -> bool {
    game.directives.iter().any(|sent| {
        let runs = sent.directive.as_ref().and_then(|directive| directive.act.as_ref());
        matches!(runs, Some(directive::Act::Run(_))) && sent.stage() != Stage::Rejected
    })
}

impl Organiser {
    /// Opens the games of a round that are not open: how many were opened, and what hindered the others.
    pub(super) async fn prepare(&self, who: Who, place: &Place) -> Result<(u32, Vec<BoardTrouble>), Refused> {
        self.with(&place.event, |t| decide::open_round(t, place.round).map(drop))?;
        let mut seats = Vec::new();
        for seat in self.seats(place)? {
            let over =
                self.with(&place.event, |t| Ok(decide::round(t, place.round)?.results.contains_key(&seat.board)))?;
            if seat.device.is_some() && !over && self.game(place, seat.board).await?.is_none() {
                seats.push(seat);
            }
        }
        let (opened, troubles) = self.open(&who, place, seats).await?;
        let count = opened.len() as u32;
        if count > 0 {
            self.keep_round(place, who, Act::Prepare(opened)).await?;
        }
        Ok((count, troubles))
    }

    /// What starting a round would come to.
    pub(super) async fn look(&self, place: &Place) -> Result<(Started, Vec<Seat>), Refused> {
        self.with(&place.event, |t| decide::open_round(t, place.round).map(drop))?;
        let (mut started, mut to_open) = (Started::default(), Vec::new());
        for seat in self.seats(place)? {
            let entered =
                self.with(&place.event, |t| Ok(decide::round(t, place.round)?.results.contains_key(&seat.board)))?;
            let game = self.game(place, seat.board).await?;
            match &game {
                _ if entered => started.over += 1,
                Some(game) if game.ended.is_some() => started.over += 1,
                Some(game) if view::is_started(game) || was_told(game) => started.under_way += 1,
                Some(_) => started.boards.push(seat.board),
                None if seat.device.is_none() => started.without_clock += 1,
                None => {
                    started.boards.push(seat.board);
                    to_open.push(seat);
                }
            }
        }
        started.to_open = to_open.len() as u32;
        started.away = self.away(place, &started.boards).await?;
        Ok((started, to_open))
    }

    /// Of these boards, those whose clocks are not connected: they are told to run all the same.
    async fn away(&self, place: &Place, boards: &[u32]) -> Result<Vec<BoardTrouble>, Refused> {
        let vitals = self.arena.roster().vitals();
        let mut away = Vec::new();
        for seat in self.seats(place)?.into_iter().filter(|seat| boards.contains(&seat.board)) {
            let game = self.game(place, seat.board).await?;
            let device = game.and_then(|game| game.setup).map(|setup| setup.device).or(seat.device).unwrap_or_default();
            if !vitals.iter().any(|vital| vital.device == device && vital.connected) {
                away.push(trouble(seat.board, device.clone(), &Unfit::ClockAway { device }.into()));
            }
        }
        Ok(away)
    }

    /// Starts a round, if what would be started is still so many.
    pub(super) async fn start_round(&self, who: Who, place: &Place, expected: u32) -> Result<Started, Refused> {
        let (mut started, to_open) = self.look(place).await?;
        if self.is_done(&who, place)? {
            started.boards.clear();
            started.away.clear();
            return Ok(started);
        }
        let now = started.boards.len() as u32;
        if now != expected {
            return Err(Unfit::CountChanged { expected, now }.into());
        }
        let (opened, troubles) = self.open(&who, place, to_open).await?;
        started.to_open = opened.len() as u32;
        started.boards.retain(|board| !troubles.iter().any(|trouble| trouble.board == *board));
        started.troubles = troubles;
        if started.boards.is_empty() {
            return Ok(started);
        }
        self.keep_round(place, who.clone(), Act::Start(started.boards.clone())).await?;
        let mut acts = JoinSet::new();
        for &board in &started.boards {
            let (arena, name) = (self.arena.clone(), game_name(&place.event, place.round, board));
            let act =
                act_of(&who, &board.to_string(), DeskAct::Direct(game::Act::Run, Words::default(), Default::default()));
            acts.spawn(async move { (board, arena.act(&name, act).await) });
        }
        while let Some(done) = acts.join_next().await {
            if let Ok((board, Err(refused))) = done {
                started.boards.retain(|other| *other != board);
                started.troubles.push(trouble(board, String::new(), &refused));
            }
        }
        started.troubles.sort_by_key(|trouble| trouble.board);
        started.away.retain(|away| started.boards.contains(&away.board));
        tracing::info!(event = place.event, round = place.round, clocks = started.boards.len(), "round started");
        Ok(started)
    }

    /// Opens games: the boards that now have one, and what hindered the others.
    async fn open(&self, who: &Who, place: &Place, seats: Vec<Seat>) -> Result<(Vec<u32>, Vec<BoardTrouble>), Refused> {
        let settings = self.with(&place.event, |t| Ok(t.settings.clone()))?;
        let mut games = JoinSet::new();
        for seat in seats {
            let (arena, who, board) = (self.arena.clone(), who.clone(), seat.board);
            let setup = Setup {
                game: game_name(&place.event, place.round, board),
                device: seat.device.unwrap_or_default(),
                edition: settings.edition.clone(),
                play: settings.play,
                control: Some(settings.control.clone()),
                white_place: settings.white_place,
                position: None,
                overlay: settings.overlay,
            };
            games.spawn(async move {
                let what = format!("{board}.open");
                let device = setup.device.clone();
                let request = request_of(&who.request, &what);
                (board, device, arena.open(&request, setup, |act| act_of(&who, &what, act)).await)
            });
        }
        let (mut opened, mut troubles) = (Vec::new(), Vec::new());
        while let Some(done) = games.join_next().await {
            match done {
                Ok((board, _, Ok(_))) => opened.push(board),
                Ok((board, device, Err(refused))) => troubles.push(trouble(board, device, &refused)),
                Err(_) => return Err(Refused::JournalDown),
            }
        }
        opened.sort_unstable();
        troubles.sort_by_key(|trouble| trouble.board);
        Ok((opened, troubles))
    }
}

fn trouble(board: u32, device: String, refused: &Refused) -> BoardTrouble {
    BoardTrouble { board, device, reason: refused.to_string() }
}
