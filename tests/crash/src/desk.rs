//! An arbiter who never gives up: opens games, says things on displays, and sends every request again until it is answered.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use flagfall_proto::{
    clock::v1::{self, Place, Words, directive},
    desk::v1::{
        Act, GameSnapshot, IssueDirectiveRequest, ListGamesRequest, OpenGameRequest,
        desk_service_client::DeskServiceClient,
    },
    journal::v1::{ActByHand, Play},
};
use flagfall_rules::clock::Control;
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::{sync::watch, time::sleep};
use tonic::{Code, Status, transport::Channel};

use crate::player::{Record, is_dying, look};

/// What the desk was answered, by request.
#[derive(Debug, Default)]
pub struct Log {
    /// Game and revision.
    pub answers: BTreeMap<String, (String, u64)>,
    /// What the service should not have said.
    pub complaints: Vec<String>,
}

/// The desk's work at one board.
struct Board {
    record: Arc<Mutex<Record>>,
    device: String,
    game: String,
    games: u64,
    /// Sent and not answered.
    pending: Option<Request>,
}

#[derive(Clone)]
enum Request {
    Open(Box<OpenGameRequest>),
    Show(Box<IssueDirectiveRequest>),
}

impl Request {
    fn id(&self) -> &str {
        let act = match self {
            Request::Open(open) => &open.act,
            Request::Show(show) => &show.act,
        };
        act.as_ref().map_or("", |act| &act.request)
    }
}

/// See the module.
pub struct Desk {
    address: SocketAddr,
    boards: Vec<Board>,
    log: Arc<Mutex<Log>>,
    busy: watch::Receiver<bool>,
    rng: StdRng,
    requests: u64,
}

/// Looks into a log.
pub fn read(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    /// A desk for these clocks, and its log.
    #[must_use]
    pub fn new(
        address: SocketAddr,
        records: &[Arc<Mutex<Record>>],
        busy: watch::Receiver<bool>,
        seed: u64,
    ) -> (Desk, Arc<Mutex<Log>>) {
        let log = Arc::<Mutex<Log>>::default();
        let board = |record: &Arc<Mutex<Record>>| {
            let (record, device) = (Arc::clone(record), look(record).spool.device.clone());
            Board { record, device, game: String::new(), games: 0, pending: None }
        };
        let boards = records.iter().map(board).collect();
        let (rng, requests) = (StdRng::seed_from_u64(seed), 0);
        (Desk { address, boards, log: Arc::clone(&log), busy, rng, requests }, log)
    }

    /// Works until it is dropped.
    pub async fn work(mut self) {
        loop {
            if let Ok(mut client) = DeskServiceClient::connect(format!("http://{}", self.address)).await {
                while self.round(&mut client).await.is_ok() {
                    sleep(Duration::from_millis(5)).await;
                }
            }
            sleep(Duration::from_millis(self.rng.random_range(1..20))).await;
        }
    }

    /// One look at every board; an error when the service is gone.
    async fn round(&mut self, client: &mut DeskServiceClient<Channel>) -> Result<(), Status> {
        for board in 0..self.boards.len() {
            if self.boards[board].pending.is_none() {
                self.boards[board].pending = self.wanted(board);
            }
            let Some(pending) = self.boards[board].pending.clone() else { continue };
            let answer = match &pending {
                Request::Open(open) => client.open_game((**open).clone()).await.map(|answer| {
                    let answer = answer.into_inner();
                    (answer.game, answer.rev)
                }),
                Request::Show(show) => {
                    let game = show.game.clone();
                    client.issue_directive((**show).clone()).await.map(|answer| (game, answer.into_inner().rev))
                }
            };
            self.answered(board, &pending, answer)?;
        }
        Ok(())
    }

    fn wanted(&mut self, board: usize) -> Option<Request> {
        // What is asked for now is not asked for again: the answer may come when the game is over by then.
        let free = std::mem::take(&mut look(&self.boards[board].record).free);
        let rare = *self.busy.borrow() && self.rng.random_range(0..20) == 0;
        let board = &mut self.boards[board];
        let request = format!("r{}-{}", self.requests, board.device);
        let act = Some(Act { request, actor: "arbiter".into(), ..Act::default() });
        if free {
            self.requests += 1;
            board.games += 1;
            board.game = format!("{}.{}", board.device, board.games);
            return Some(Request::Open(Box::new(opening(act, &board.game, &board.device, "300+3"))));
        }
        rare.then(|| {
            self.requests += 1;
            let words = Some(Words { en: "quiet, please".into(), ru: "тише, пожалуйста".into() });
            let directive = v1::Directive { act: Some(directive::Act::Show(v1::Show { words })), ..Default::default() };
            let by_hand = Some(ActByHand { directive: Some(directive) });
            Request::Show(Box::new(IssueDirectiveRequest { act, game: board.game.clone(), by_hand }))
        })
    }

    fn answered(
        &mut self,
        board: usize,
        request: &Request,
        answer: Result<(String, u64), Status>,
    ) -> Result<(), Status> {
        let board = &mut self.boards[board];
        match answer {
            Ok(answer) => {
                read(&self.log).answers.insert(request.id().to_owned(), answer);
                board.pending = None;
            }
            Err(status) if is_dying(&status) => return Err(status),
            // The game is over, or the clock has not let go of its last one yet.
            Err(status) if matches!(status.code(), Code::FailedPrecondition | Code::AlreadyExists) => {
                look(&board.record).free |= matches!(request, Request::Open(_));
                board.pending = None;
            }
            Err(status) => {
                read(&self.log).complaints.push(format!("{}: {status}", request.id()));
                board.pending = None;
            }
        }
        Ok(())
    }
}

/// Every game as it stands.
///
/// # Errors
/// The service is gone.
pub async fn games(address: SocketAddr) -> Result<Vec<GameSnapshot>, Status> {
    let mut client = client(address).await?;
    let (mut games, mut asked) = (Vec::new(), ListGamesRequest::default());
    loop {
        let page = client.list_games(asked.clone()).await?.into_inner();
        games.extend(page.games);
        if page.next.is_empty() {
            return Ok(games);
        }
        asked.after = page.next;
    }
}

async fn client(address: SocketAddr) -> Result<DeskServiceClient<Channel>, Status> {
    let connected = DeskServiceClient::connect(format!("http://{address}")).await;
    connected.map_err(|error| Status::unavailable(error.to_string()))
}

fn opening(act: Option<Act>, game: &str, device: &str, control: &str) -> OpenGameRequest {
    let control: Control = control.parse().expect("a control");
    OpenGameRequest {
        act,
        game: game.into(),
        device: device.into(),
        edition: "fide-2018".into(),
        play: Play::Standard.into(),
        control: Some((&control).into()),
        side_binding: Place::Left.into(),
        position: String::new(),
        overlay: None,
    }
}

/// Opens a game on a clock, without a board's position; White sits on the left.
///
/// # Errors
/// The service refuses.
///
/// # Panics
/// The control is none.
pub async fn open(address: SocketAddr, game: &str, device: &str, control: &str) -> Result<u64, Status> {
    let act = Some(Act { request: format!("open-{game}"), actor: "arbiter".into(), ..Act::default() });
    let request = opening(act, game, device, control);
    Ok(client(address).await?.open_game(request).await?.into_inner().rev)
}

/// Gives White so many milliseconds more.
///
/// # Errors
/// The service refuses.
pub async fn add(address: SocketAddr, request: &str, game: &str, amount_ms: i64) -> Result<u64, Status> {
    let add = v1::Add { colour: v1::Colour::White.into(), amount_ms, words: None };
    let directive = v1::Directive { act: Some(directive::Act::Add(add)), ..Default::default() };
    let request = IssueDirectiveRequest {
        act: Some(Act { request: request.into(), actor: "arbiter".into(), ..Act::default() }),
        game: game.into(),
        by_hand: Some(ActByHand { directive: Some(directive) }),
    };
    Ok(client(address).await?.issue_directive(request).await?.into_inner().rev)
}
