//! A service with the clocks of a hall, and an organiser.

use std::sync::Arc;

use flagfall_pairings::Outcome;
use flagfall_proto::{
    desk::v1::{
        Act, Board, BoardState, CloseRoundRequest, CloseRoundResponse, CreateEventRequest, EnterResultRequest,
        EventPlan, GetEventRequest, GetEventResponse, GetRoundRequest, PairRoundRequest, PrepareRoundRequest,
        PrepareRoundResponse, PutPlayersRequest, Round, StartRoundRequest, StartRoundResponse,
        desk_service_client::DeskServiceClient, event_service_client::EventServiceClient,
    },
    journal::v1::{Bye, EventSettings, Pairing, Player},
};
use flagfall_server::{
    app::serve::{Running, Service, ServiceSettings},
    arena::{Device, Limits},
    journal::{Journal, MemoryJournal, codec::Numbered},
};
use tonic::{Status, transport::Channel};

/// A service with so many clocks: clock-01 and on.
pub(crate) struct Hall {
    pub(crate) running: Running,
    pub(crate) events: EventServiceClient<Channel>,
    pub(crate) desk: DeskServiceClient<Channel>,
    requests: u32,
}

impl Hall {
    pub(crate) async fn new(clocks: u32) -> Hall {
        Hall::on(Arc::new(MemoryJournal::new()), clocks).await
    }

    pub(crate) async fn on(journal: Arc<dyn Journal>, clocks: u32) -> Hall {
        Hall::with(journal, clocks, Limits::default()).await
    }

    pub(crate) async fn with(journal: Arc<dyn Journal>, clocks: u32, limits: Limits) -> Hall {
        let device = |n| Device { device: format!("clock-{n:02}"), board: format!("board-{n}") };
        let loopback = ServiceSettings::loopback((1..=clocks).map(device).collect());
        let settings = ServiceSettings { limits, ..loopback };
        let running = Service::start(settings, journal).await.expect("a free port and a readable journal");
        let uri = format!("http://{}", running.desk);
        let events = EventServiceClient::connect(uri.clone()).await.expect("a listener");
        let desk = DeskServiceClient::connect(uri).await.expect("a listener");
        Hall { running, events, desk, requests: 0 }
    }

    pub(crate) fn act(&mut self) -> Option<Act> {
        self.requests += 1;
        act(&format!("r{}", self.requests))
    }

    pub(crate) async fn create(&mut self, plan: EventPlan) -> Result<EventSettings, Status> {
        let request = CreateEventRequest { act: self.act(), plan: Some(plan) };
        Ok(self.events.create_event(request).await?.into_inner().settings.expect("settings"))
    }

    /// An event "open" with so many players, rated from 2400 down.
    pub(crate) async fn open_event(&mut self, players: u32) {
        self.create(plan("open")).await.expect("created");
        self.enter(players).await;
    }

    pub(crate) async fn enter(&mut self, players: u32) {
        let player =
            |number| Player { number, name: format!("Player {number}"), rating: 2_400 - number, ..Player::default() };
        let players: Vec<Player> = (1..=players).map(player).collect();
        for some in players.chunks(100) {
            let request = PutPlayersRequest { act: self.act(), event: "open".into(), players: some.to_vec() };
            self.events.put_players(request).await.expect("entered");
        }
    }

    /// Pairs a round of neighbours: 1 with 2 on board 1, 3 with 4 on board 2.
    pub(crate) async fn pair(&mut self, round: u32, boards: u32) -> Result<Round, Status> {
        let boards = (1..=boards).map(|board| pairing(board, 2 * board - 1, 2 * board, "")).collect();
        self.pair_as(round, boards, Vec::new()).await
    }

    pub(crate) async fn pair_as(&mut self, round: u32, boards: Vec<Pairing>, byes: Vec<Bye>) -> Result<Round, Status> {
        let request = PairRoundRequest {
            act: self.act(),
            event: "open".into(),
            round,
            boards,
            byes,
            ..PairRoundRequest::default()
        };
        Ok(self.events.pair_round(request).await?.into_inner().round.expect("a round"))
    }

    pub(crate) async fn prepare(&mut self, round: u32) -> Result<PrepareRoundResponse, Status> {
        let request = PrepareRoundRequest { act: self.act(), event: "open".into(), round };
        Ok(self.events.prepare_round(request).await?.into_inner())
    }

    pub(crate) async fn dry(&mut self, round: u32) -> Result<StartRoundResponse, Status> {
        let request = StartRoundRequest { act: None, event: "open".into(), round, dry_run: true, expected: 0 };
        Ok(self.events.start_round(request).await?.into_inner())
    }

    pub(crate) async fn start(&mut self, round: u32, expected: u32) -> Result<StartRoundResponse, Status> {
        let request = StartRoundRequest { act: self.act(), event: "open".into(), round, dry_run: false, expected };
        Ok(self.events.start_round(request).await?.into_inner())
    }

    pub(crate) async fn result(
        &mut self,
        round: u32,
        board: u32,
        result: Option<Outcome>,
        note: &str,
    ) -> Result<Board, Status> {
        let result = result.map_or(0, Numbered::number);
        let note = note.into();
        let request =
            EnterResultRequest { act: self.act(), event: "open".into(), round, board, result, note, ends_game: false };
        Ok(self.events.enter_result(request).await?.into_inner().board.expect("a board"))
    }

    pub(crate) async fn close(&mut self, round: u32, open_boards: bool) -> Result<CloseRoundResponse, Status> {
        let note = String::new();
        let request = CloseRoundRequest { act: self.act(), event: "open".into(), round, open_boards, note };
        Ok(self.events.close_round(request).await?.into_inner())
    }

    pub(crate) async fn round(&mut self, round: u32) -> Result<Round, Status> {
        let request = GetRoundRequest { event: "open".into(), round };
        Ok(self.events.get_round(request).await?.into_inner().round.expect("a round"))
    }

    pub(crate) async fn event(&mut self) -> GetEventResponse {
        self.events.get_event(GetEventRequest { event: "open".into() }).await.expect("an event").into_inner()
    }
}

pub(crate) fn act(request: &str) -> Option<Act> {
    Some(Act { request: request.into(), actor: "organiser".into(), ..Act::default() })
}

pub(crate) fn plan(name: &str) -> EventPlan {
    EventPlan { name: name.into(), preset: "fide-2023 90+30".into(), ..EventPlan::default() }
}

pub(crate) fn pairing(board: u32, white: u32, black: u32, device: &str) -> Pairing {
    Pairing { board, white, black, device: device.into() }
}

/// Board, clock and state, a line each.
pub(crate) fn lines(round: &Round) -> Vec<(u32, &str, BoardState)> {
    round.boards.iter().map(|board| (board.board, board.device.as_str(), board.state())).collect()
}
