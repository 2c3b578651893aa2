//! A hall: the whole service in this process, a journal, and tables.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use flagfall_proto::{
    clock::v1::{self, Conclude, Directive, Outcome, Place, Stop, directive},
    desk::v1::{
        Act, CloseRoundRequest, CreateEventRequest, DecideRequest, EventPlan, GetGameRequest, IssueDirectiveRequest,
        OpenGameRequest, PairRoundRequest, PrepareRoundRequest, PutPlayersRequest, StartRoundRequest,
        desk_service_client::DeskServiceClient, event_service_client::EventServiceClient,
    },
    journal::v1::{ActByHand, Decision, Overlay, Pairing, Play, Player, Sector},
};
use flagfall_rules::clock::Control;
use flagfall_server::{
    app::serve::{Running, Service, ServiceSettings},
    arena::Device,
    desk::auth::{Role, Users},
    journal::{Journal, MemoryJournal},
};
use tokio::time::{Instant, sleep};
use tonic::transport::Channel;

use crate::{PATIENCE, table::Table};

/// A service with its journal; the journal outlives a restart.
pub struct Hall {
    journal: Arc<dyn Journal>,
    settings: ServiceSettings,
    running: Option<Running>,
}

/// How the games of a hall are opened.
#[derive(Clone, Debug)]
pub struct Games {
    /// The time control, as `flagfall open --control` reads it.
    pub control: &'static str,
    /// The kind of play.
    pub play: Play,
    /// What the Laws fix waits for the arbiter all the same.
    pub confirms: bool,
}

impl Default for Games {
    fn default() -> Games {
        Games { control: "5400+30", play: Play::Standard, confirms: true }
    }
}

impl Hall {
    /// A hall with so many boards; `users` is who the desk knows.
    ///
    /// # Errors
    /// The service does not start.
    pub async fn start(boards: usize, users: Users) -> anyhow::Result<Hall> {
        Hall::with(boards, |settings| settings.users = users).await
    }

    /// A hall with so many boards whose service has other settings.
    ///
    /// # Errors
    /// The service does not start.
    pub async fn with(boards: usize, set: impl FnOnce(&mut ServiceSettings)) -> anyhow::Result<Hall> {
        Hall::on(Arc::new(MemoryJournal::new()), boards, set).await
    }

    /// As [`Hall::with`], on a journal of its own: the one in memory has no shelf.
    ///
    /// # Errors
    /// The service does not start.
    pub async fn on(
        journal: Arc<dyn Journal>,
        boards: usize,
        set: impl FnOnce(&mut ServiceSettings),
    ) -> anyhow::Result<Hall> {
        let device = |n| Device { device: format!("clock-{n}"), board: format!("board-{n}") };
        let mut settings = ServiceSettings::loopback((1..=boards).map(device).collect());
        set(&mut settings);
        let mut hall = Hall { journal, settings, running: None };
        hall.restart().await?;
        Ok(hall)
    }

    /// Stops the service, if it runs, and starts it again on the same addresses with the same journal.
    ///
    /// # Errors
    /// The service does not start.
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        self.stop().await;
        let running = Service::start(self.settings.clone(), Arc::clone(&self.journal)).await?;
        let (clocks, desk, web, ops) = (running.clocks, running.desk, running.web, running.ops);
        self.settings = ServiceSettings { clocks, desk, web, ops, ..self.settings.clone() };
        self.running = Some(running);
        Ok(())
    }

    /// Changes settings; they hold from the next restart on.
    pub fn set(&mut self, set: impl FnOnce(&mut ServiceSettings)) {
        set(&mut self.settings);
    }

    /// Stops the service.
    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.shutdown().await;
        }
    }

    /// The address of a page.
    #[must_use]
    pub fn page(&self, path: &str) -> String {
        format!("http://{}{path}", self.settings.web)
    }

    /// The address of a page for operators.
    #[must_use]
    pub fn ops(&self, path: &str) -> String {
        format!("http://{}{path}", self.settings.ops)
    }

    /// The desk knows these from now on.
    pub fn know(&self, users: &Users) {
        if let Some(running) = &self.running {
            running.know(users);
        }
    }

    /// A clock that has no game.
    ///
    /// # Errors
    /// The address of the service is none.
    pub fn clock(&self, number: usize) -> anyhow::Result<Table> {
        Table::new(&format!("clock-{number}"), &Hall::uri(self.settings.clocks))
    }

    fn uri(address: SocketAddr) -> String {
        format!("http://{address}")
    }

    /// A program's desk; it says nothing of who it is.
    ///
    /// # Errors
    /// The service does not listen.
    pub async fn desk(&self) -> anyhow::Result<DeskServiceClient<Channel>> {
        Ok(DeskServiceClient::connect(Hall::uri(self.settings.desk)).await?)
    }

    /// Stops a clock by hand.
    ///
    /// # Errors
    /// The desk refuses.
    pub async fn stop_clock(&self, game: &str) -> anyhow::Result<()> {
        self.direct(game, directive::Act::Stop(Stop { words: None })).await
    }

    /// A game is drawn.
    ///
    /// # Errors
    /// The desk refuses.
    pub async fn conclude(&self, game: &str) -> anyhow::Result<()> {
        self.direct(game, directive::Act::Conclude(Conclude { outcome: Outcome::Draw.into(), words: None })).await
    }

    async fn direct(&self, game: &str, act: directive::Act) -> anyhow::Result<()> {
        let directive = Some(Directive { act: Some(act), ..Directive::default() });
        let request = IssueDirectiveRequest {
            act: Some(Act { request: format!("by-hand-{game}"), actor: "arbiter".into(), ..Act::default() }),
            game: game.to_owned(),
            by_hand: Some(ActByHand { directive }),
        };
        self.desk().await?.issue_directive(request).await?;
        Ok(())
    }

    /// An event with a round that is paired, two players a board, and its games open on their clocks.
    ///
    /// # Errors
    /// The organiser's service refuses.
    pub async fn event(&self, boards: u32, name: impl Fn(u32) -> String) -> anyhow::Result<Vec<Table>> {
        let mut organiser = EventServiceClient::connect(Hall::uri(self.settings.desk)).await?;
        let act = |what: &str| Some(Act { request: what.to_owned(), actor: "organiser".into(), ..Act::default() });
        let half = boards / 2;
        let sector = |name: &str, first, last| Sector { name: name.to_owned(), first, last };
        let plan = EventPlan {
            name: "open".into(),
            title: "Harbour Open".into(),
            preset: "fide-2023 90+30".into(),
            overlay: Some(Overlay { confirms: true, ..Overlay::default() }),
            sectors: vec![sector("A", 1, half), sector("B", half + 1, boards)],
            rounds: 9,
            ..EventPlan::default()
        };
        organiser.create_event(CreateEventRequest { act: act("create"), plan: Some(plan) }).await?;
        let players = (1..=boards * 2).map(|number| Player { number, name: name(number), ..Player::default() });
        let (event, players) = ("open".to_owned(), players.collect());
        organiser.put_players(PutPlayersRequest { act: act("players"), event: event.clone(), players }).await?;
        let seat = |board| Pairing { board, white: board, black: board + boards, ..Pairing::default() };
        let seats = (1..=boards).map(seat).collect();
        let pair =
            PairRoundRequest { act: act("pair"), event: event.clone(), round: 1, boards: seats, ..Default::default() };
        organiser.pair_round(pair).await?;
        organiser.prepare_round(PrepareRoundRequest { act: act("prepare"), event, round: 1 }).await?;
        (1..=boards).map(|board| Table::new(&format!("clock-{board}"), &Hall::uri(self.settings.clocks))).collect()
    }

    /// An event of which no round is paired.
    ///
    /// # Errors
    /// The organiser's service refuses.
    pub async fn create(&self, name: &str, title: &str) -> anyhow::Result<()> {
        let mut organiser = EventServiceClient::connect(Hall::uri(self.settings.desk)).await?;
        let act = Some(Act { request: name.to_owned(), actor: "organiser".into(), ..Act::default() });
        let (name, title, preset) = (name.to_owned(), title.to_owned(), "fide-2023 90+30".into());
        let plan = EventPlan { name, title, preset, rounds: 9, ..EventPlan::default() };
        organiser.create_event(CreateEventRequest { act, plan: Some(plan) }).await?;
        Ok(())
    }

    /// One more player of an event, who is in no pairing.
    ///
    /// # Errors
    /// The organiser's service refuses.
    pub async fn enter(&self, event: &str, name: &str) -> anyhow::Result<()> {
        let mut organiser = EventServiceClient::connect(Hall::uri(self.settings.desk)).await?;
        let act = Some(Act { request: "enter".into(), actor: "organiser".into(), ..Act::default() });
        let players = vec![Player { number: 999, name: name.to_owned(), ..Player::default() }];
        organiser.put_players(PutPlayersRequest { act, event: event.to_owned(), players }).await?;
        Ok(())
    }

    /// Starts so many clocks of that round.
    ///
    /// # Errors
    /// The organiser's service refuses.
    pub async fn start_round(&self, expected: u32) -> anyhow::Result<()> {
        let mut organiser = EventServiceClient::connect(Hall::uri(self.settings.desk)).await?;
        let act = Some(Act { request: "start".into(), actor: "organiser".into(), ..Act::default() });
        let (event, round, dry_run) = ("open".into(), 1, false);
        organiser.start_round(StartRoundRequest { act, event, round, dry_run, expected }).await?;
        Ok(())
    }

    /// Closes that round; boards without a result stay so.
    ///
    /// # Errors
    /// The organiser's service refuses.
    pub async fn close_round(&self) -> anyhow::Result<()> {
        let mut organiser = EventServiceClient::connect(Hall::uri(self.settings.desk)).await?;
        let act = Some(Act { request: "close".into(), actor: "organiser".into(), ..Act::default() });
        let (event, round, note) = ("open".into(), 1, "the hall is needed".into());
        organiser.close_round(CloseRoundRequest { act, event, round, open_boards: true, note }).await?;
        Ok(())
    }

    /// Waits until a game lies on the shelf.
    ///
    /// # Errors
    /// It does not within the patience of all tests.
    pub async fn shelved(&self, game: &str) -> anyhow::Result<()> {
        let end = Instant::now() + PATIENCE;
        // The journal is asked, for the desk would wake the game.
        while !self.journal.shelved()?.iter().any(|(stream, _)| stream.name() == game) {
            anyhow::ensure!(Instant::now() < end, "{game} is never laid down");
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// Decides a game's first case as it is proposed.
    ///
    /// # Errors
    /// It is not proposed yet, or the desk refuses.
    pub async fn confirm(&self, game: &str) -> anyhow::Result<()> {
        let mut desk = self.desk().await?;
        let stands = desk.get_game(GetGameRequest { game: game.into() }).await?.into_inner().game.unwrap_or_default();
        let proposal = stands.cases.first().and_then(|case| case.proposal.as_ref()).context("nothing is proposed")?;
        let choice = proposal.remedies.first().map(|remedy| remedy.key.clone()).unwrap_or_default();
        let act = Some(Act { request: format!("decide-{game}"), actor: "arbiter".into(), ..Act::default() });
        let decision = Some(Decision { case: 1, choice, note: String::new() });
        desk.decide(DecideRequest { act, game: game.into(), decision }).await?;
        Ok(())
    }

    /// Opens a game on a board and gives it a clock; `token` is of a user who may.
    ///
    /// # Errors
    /// The desk refuses.
    pub async fn table(&self, number: usize, games: &Games, token: Option<&str>) -> anyhow::Result<Table> {
        let device = format!("clock-{number}");
        let control: Control = games.control.parse().ok().context("a time control")?;
        let mut request = tonic::Request::new(OpenGameRequest {
            act: Some(Act { request: format!("open-{number}"), actor: "organiser".into(), ..Act::default() }),
            game: format!("r1.b{number:02}"),
            device: device.clone(),
            edition: "fide-2023".into(),
            play: games.play.into(),
            control: Some(v1::Control::from(&control)),
            side_binding: Place::Left.into(),
            position: String::new(),
            overlay: games.confirms.then(|| Overlay { confirms: true, ..Overlay::default() }),
        });
        if let Some(token) = token {
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        }
        self.desk().await?.open_game(request).await?;
        Table::new(&device, &Hall::uri(self.settings.clocks))
    }
}

/// A user of each role, all with the password `correct horse`, and the organiser's token.
///
/// # Errors
/// A hash cannot be made.
pub fn people() -> anyhow::Result<(Users, String)> {
    let mut users = Users::default();
    let password = Some("correct horse");
    users.add("Vera", Role::Viewer, Vec::new(), password)?;
    users.add("Sascha", Role::SectorArbiter, vec!["1-4".into()], password)?;
    users.add("Chris", Role::ChiefArbiter, Vec::new(), password)?;
    users.add("Olga", Role::Organiser, Vec::new(), password)?;
    let token = users.token("Olga")?;
    Ok((users, token))
}
