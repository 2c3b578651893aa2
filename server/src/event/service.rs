//! `flagfall.desk.v1.EventService`. Acts are stamped with the journal's date here and nowhere deeper.

use flagfall_proto::desk::v1::{
    Act, AssignClockRequest, AssignClockResponse, Board, CloseRoundRequest, CloseRoundResponse, CreateEventRequest,
    CreateEventResponse, EnterResultRequest, EnterResultResponse, GetEventRequest, GetEventResponse, GetRoundRequest,
    GetRoundResponse, ListEventsRequest, ListEventsResponse, PairRoundRequest, PairRoundResponse, PrepareRoundRequest,
    PrepareRoundResponse, PutPlayersRequest, PutPlayersResponse, ReadActsRequest, ReadActsResponse, ReviseEventRequest,
    ReviseEventResponse, RoundSummary, StartRoundRequest, StartRoundResponse, event_service_server,
};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::{
    decide,
    organiser::{Organiser, Place, Who},
    pairing::Pairing,
    result::Asked,
    start::Started,
    view,
};
use crate::{
    desk::{
        auth::{Caller, Deed, Gate},
        service,
    },
    journal::codec,
    wire::Refused,
};

/// The most acts of one answer.
const ACTS: u32 = 200;

/// The longest request, bytes: the pairing of a thousand boards with the players of both sides.
pub const REQUEST_MAX: usize = 1024 * 1024;

/// The organiser's service.
#[derive(Clone)]
pub struct Events {
    organiser: Organiser,
    drain: CancellationToken,
    gate: Gate,
}

impl Events {
    /// A service; once `drain` is cancelled nothing more is begun. The gate says who asks.
    #[must_use]
    pub fn new(organiser: Organiser, drain: CancellationToken, gate: Gate) -> Events {
        Events { organiser, drain, gate }
    }

    fn who(&self, caller: &Caller, act: Option<Act>) -> Result<Who, Refused> {
        if self.drain.is_cancelled() {
            return Err(Refused::Draining);
        }
        let Act { request, actor, reason } = service::who(caller, act)?;
        Ok(Who { request, actor, reason, wall_ms: self.organiser.now() })
    }

    async fn board(&self, place: &Place, board: u32) -> Result<Option<Board>, Refused> {
        let game = self.organiser.game(place, board).await?;
        self.organiser.with(&place.event, |t| {
            Ok(view::board(t, decide::round(t, place.round)?, board, game.as_ref(), self.organiser.now()))
        })
    }
}

fn counted(started: Started) -> StartRoundResponse {
    StartRoundResponse {
        clocks: started.boards.len() as u32,
        to_open: started.to_open,
        under_way: started.under_way,
        over: started.over,
        without_clock: started.without_clock,
        troubles: started.troubles,
        away: started.away,
    }
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl event_service_server::EventService for Events {
    async fn create_event(&self, request: Request<CreateEventRequest>) -> Answer<CreateEventResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let CreateEventRequest { act, plan } = request.into_inner();
        let (who, plan) = (self.who(&caller, act)?, plan.ok_or_else(|| Refused::request("plan", "missing"))?);
        let organiser = self.organiser.clone();
        let settings = self.organiser.alone(async move { organiser.create(who, plan).await }).await?;
        Ok(Response::new(CreateEventResponse { settings: Some(codec::event_settings_to_proto(&settings)) }))
    }

    async fn revise_event(&self, request: Request<ReviseEventRequest>) -> Answer<ReviseEventResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let ReviseEventRequest { act, plan } = request.into_inner();
        let (who, plan) = (self.who(&caller, act)?, plan.ok_or_else(|| Refused::request("plan", "missing"))?);
        let organiser = self.organiser.clone();
        let settings = self.organiser.alone(async move { organiser.revise(who, plan).await }).await?;
        Ok(Response::new(ReviseEventResponse { settings: Some(codec::event_settings_to_proto(&settings)) }))
    }

    async fn list_events(&self, request: Request<ListEventsRequest>) -> Answer<ListEventsResponse> {
        self.gate.admit(&request, Deed::See).await?;
        let book = self.organiser.book();
        let events = book.events.values().map(|event| codec::event_settings_to_proto(&event.settings)).collect();
        Ok(Response::new(ListEventsResponse { events }))
    }

    async fn get_event(&self, request: Request<GetEventRequest>) -> Answer<GetEventResponse> {
        self.gate.admit(&request, Deed::See).await?;
        let event = self.organiser.with(&request.into_inner().event, |t| {
            let (default_time_ms, article) = t.default_time();
            let summary = |(&round, of): (&u32, &super::Round)| RoundSummary {
                round,
                state: view::round_state(of).into(),
                boards: of.seats.len() as u32,
            };
            Ok(GetEventResponse {
                settings: Some(codec::event_settings_to_proto(&t.settings)),
                default_time_ms,
                default_time_article: article.to_owned(),
                players: t.players.values().map(codec::player_to_proto).collect(),
                rounds: t.rounds.iter().map(summary).collect(),
            })
        })?;
        Ok(Response::new(event))
    }

    async fn put_players(&self, request: Request<PutPlayersRequest>) -> Answer<PutPlayersResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let PutPlayersRequest { act, event, players } = request.into_inner();
        let (who, organiser) = (self.who(&caller, act)?, self.organiser.clone());
        let players = players.into_iter().map(codec::player).collect();
        let work = async move { organiser.players(who, &event, players).await };
        Ok(Response::new(PutPlayersResponse { players: self.organiser.alone(work).await? }))
    }

    async fn pair_round(&self, request: Request<PairRoundRequest>) -> Answer<PairRoundResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let PairRoundRequest { act, event, round, boards, byes, players } = request.into_inner();
        let (who, organiser) = (self.who(&caller, act)?, self.organiser.clone());
        let byes = byes.into_iter().map(codec::bye).collect::<Result<_, _>>();
        let byes = byes.map_err(|refused| Refused::request(refused.what, refused.why))?;
        let (seats, players) = (boards.into_iter().map(codec::seat), players.into_iter().map(codec::player));
        let pairing = Pairing { seats: seats.collect(), byes, players: players.collect() };
        let place = Place { event, round };
        let work = async move {
            let entered = organiser.pair(who, &place, pairing).await?;
            Ok((organiser.round(&place, organiser.now()).await?, entered))
        };
        let (round, entered) = self.organiser.alone(work).await?;
        Ok(Response::new(PairRoundResponse { round: Some(round), players: entered }))
    }

    async fn assign_clock(&self, request: Request<AssignClockRequest>) -> Answer<AssignClockResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let AssignClockRequest { act, event, round, board, device, note } = request.into_inner();
        let (who, events, place) = (self.who(&caller, act)?, self.clone(), Place { event, round });
        let device = Some(device).filter(|device| !device.is_empty());
        let work = async move {
            events.organiser.assign(who, &place, board, device, note).await?;
            events.board(&place, board).await
        };
        Ok(Response::new(AssignClockResponse { board: self.organiser.alone(work).await? }))
    }

    async fn prepare_round(&self, request: Request<PrepareRoundRequest>) -> Answer<PrepareRoundResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let PrepareRoundRequest { act, event, round } = request.into_inner();
        let (who, organiser, place) = (self.who(&caller, act)?, self.organiser.clone(), Place { event, round });
        let (opened, troubles) = self.organiser.alone(async move { organiser.prepare(who, &place).await }).await?;
        Ok(Response::new(PrepareRoundResponse { opened, troubles }))
    }

    async fn start_round(&self, request: Request<StartRoundRequest>) -> Answer<StartRoundResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let StartRoundRequest { act, event, round, dry_run, expected } = request.into_inner();
        let (organiser, place) = (self.organiser.clone(), Place { event, round });
        if dry_run {
            return Ok(Response::new(counted(organiser.look(&place).await?.0)));
        }
        let who = self.who(&caller, act)?;
        let work = async move { organiser.start_round(who, &place, expected).await };
        Ok(Response::new(counted(self.organiser.alone(work).await?)))
    }

    async fn enter_result(&self, request: Request<EnterResultRequest>) -> Answer<EnterResultResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let EnterResultRequest { act, event, round, board, result, note, ends_game } = request.into_inner();
        let (who, events, place) = (self.who(&caller, act)?, self.clone(), Place { event, round });
        let asked = Asked { board, outcome: decide::given(result)?, note, ends_game };
        let work = async move {
            events.organiser.result(who, &place, asked).await?;
            events.board(&place, board).await
        };
        Ok(Response::new(EnterResultResponse { board: self.organiser.alone(work).await? }))
    }

    async fn close_round(&self, request: Request<CloseRoundRequest>) -> Answer<CloseRoundResponse> {
        let caller = self.gate.admit(&request, Deed::Organise).await?;
        let CloseRoundRequest { act, event, round, open_boards, note } = request.into_inner();
        let (who, organiser, place) = (self.who(&caller, act)?, self.organiser.clone(), Place { event, round });
        let work = async move { organiser.close(who, &place, open_boards, note).await };
        let (open, released) = self.organiser.alone(work).await?;
        Ok(Response::new(CloseRoundResponse { open, released }))
    }

    async fn get_round(&self, request: Request<GetRoundRequest>) -> Answer<GetRoundResponse> {
        self.gate.admit(&request, Deed::See).await?;
        let GetRoundRequest { event, round } = request.into_inner();
        let round = self.organiser.round(&Place { event, round }, self.organiser.now()).await?;
        Ok(Response::new(GetRoundResponse { round: Some(round) }))
    }

    async fn read_acts(&self, request: Request<ReadActsRequest>) -> Answer<ReadActsResponse> {
        self.gate.admit(&request, Deed::See).await?;
        let ReadActsRequest { event, round, from, max } = request.into_inner();
        let max = match max {
            0 => ACTS,
            1..=ACTS => max,
            _ => return Err(Refused::request("max", format!("expected 1 to {ACTS}")).into()),
        };
        let round = Some(round).filter(|&round| round > 0);
        let acts = self.organiser.acts(&event, round, from, max as usize).await?;
        Ok(Response::new(ReadActsResponse { acts }))
    }
}
