//! `flagfall.desk.v1` over the arena. Acts are stamped with wall time here and nowhere deeper.

use flagfall_proto::{
    desk::v1::{
        Act, DecideRequest, DecideResponse, EnterClaimRequest, EnterClaimResponse, IssueDirectiveRequest,
        IssueDirectiveResponse, ListGamesRequest, ListGamesResponse, OpenGameRequest, OpenGameResponse,
        ReportIrregularityRequest, ReportIrregularityResponse, WatchGamesRequest, WatchGamesResponse,
        desk_service_server,
    },
    journal::v1::{self, desk_input},
};
use flagfall_rules::game::{DeskAct, DeskInput};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::{
    arena::{Answer, Arena},
    journal::codec,
    wire::{OutStream, Refused, is_name, is_text},
};

/// The longest id of a request, and the longest name of an actor.
const WHO: usize = 64;

/// The longest name of a game.
const GAME: usize = 128;

/// The longest note, in characters.
const NOTE: usize = 2_000;

/// The longest words for a display, in characters.
const WORDS: usize = 200;

/// The longest position in FEN; the longest that says anything is shorter.
const FEN: usize = 120;

/// The longest request of a desk in bytes.
pub const REQUEST_MAX: usize = 64 * 1024;

/// The desk's service.
#[derive(Clone)]
pub struct Desk {
    arena: Arena,
    drain: CancellationToken,
}

impl Desk {
    /// A service over an arena. Once `drain` is cancelled nothing more is begun.
    #[must_use]
    pub fn new(arena: Arena, drain: CancellationToken) -> Desk {
        Desk { arena, drain }
    }

    fn admit(&self) -> Result<(), Refused> {
        if self.drain.is_cancelled() { Err(Refused::Draining) } else { Ok(()) }
    }

    /// Carries out an act in a game.
    async fn act(&self, act: Option<Act>, game: &str, what: Option<desk_input::Act>) -> Result<Answer, Refused> {
        self.admit()?;
        let input = read(act, what)?;
        if !is_name(game, GAME) {
            return Err(Refused::request("game", format!("expected 1 to {GAME} characters of [A-Za-z0-9._-]")));
        }
        self.arena.act(game, input).await
    }
}

/// An act of the contract as one of the rules, stamped.
fn read(act: Option<Act>, what: Option<desk_input::Act>) -> Result<DeskInput, Refused> {
    let Act { request, actor } = act.ok_or_else(|| Refused::request("act", "missing"))?;
    for (field, text) in [("act.request", &request), ("act.actor", &actor)] {
        if !is_text(text, WHO) {
            return Err(Refused::request(
                field,
                format!("expected 1 to {WHO} characters, none of them a control character"),
            ));
        }
    }
    let wall_ms = jiff::Timestamp::now().as_millisecond();
    let what = what.ok_or_else(|| Refused::request("act", "says nothing to do"))?;
    let message = v1::DeskInput { request, actor, wall_ms, act: Some(what) };
    let input = codec::desk_input(message).map_err(|refused| Refused::request(refused.what, refused.why))?;
    check_words(&input.act)?;
    Ok(input)
}

/// The contract's limits for what people write.
fn check_words(act: &DeskAct) -> Result<(), Refused> {
    let texts: Vec<(&'static str, &str, usize)> = match act {
        DeskAct::Open(setup) => vec![("position", setup.position.as_deref().unwrap_or_default(), FEN)],
        DeskAct::Claim { note, .. } => vec![("claim.note", note.as_str(), NOTE)],
        DeskAct::Irregularity { note, .. } => vec![("seen.note", note.as_str(), NOTE)],
        DeskAct::Decide { choice, note, .. } => vec![("decision.choice", choice, WHO), ("decision.note", note, NOTE)],
        DeskAct::Direct(_, words) => vec![("words.en", &*words.en, WORDS), ("words.ru", &*words.ru, WORDS)],
    };
    match texts.into_iter().find(|(_, text, longest)| text.chars().count() > *longest) {
        Some((field, _, longest)) => Err(Refused::request(field, format!("at most {longest} characters"))),
        None => Ok(()),
    }
}

fn missing(field: &'static str) -> impl FnOnce() -> Refused {
    move || Refused::request(field, "missing")
}

#[tonic::async_trait]
impl desk_service_server::DeskService for Desk {
    async fn open_game(&self, request: Request<OpenGameRequest>) -> Result<Response<OpenGameResponse>, Status> {
        self.admit()?;
        let OpenGameRequest { act, game, device, edition, play, control, side_binding, position, overlay } =
            request.into_inner();
        if !game.is_empty() && !is_name(&game, GAME) {
            let why = format!("expected nothing or 1 to {GAME} characters of [A-Za-z0-9._-]");
            return Err(Refused::request("game", why).into());
        }
        // A nameless game is named by the arena; until then it has a name that the contract's reader accepts.
        let (named, game) = if game.is_empty() { (false, "nameless".to_owned()) } else { (true, game) };
        let setup = v1::Setup { game, device, edition, play, control, side_binding, position, overlay };
        let input = read(act, Some(desk_input::Act::Open(setup)))?;
        let DeskAct::Open(mut setup) = input.act.clone() else { return Err(missing("act")().into()) };
        if !named {
            setup.game.clear();
        }
        let device = setup.device.clone();
        let opening = self.arena.open(&input.request, setup, |act| DeskInput { act, ..input.clone() }).await?;
        let (game, rev) = (opening.game.to_string(), opening.answer.rev.unwrap_or(0));
        tracing::info!(game, device, "game opened");
        Ok(Response::new(OpenGameResponse { game, rev }))
    }

    async fn list_games(&self, _: Request<ListGamesRequest>) -> Result<Response<ListGamesResponse>, Status> {
        let games = self.arena.snapshots().await?;
        Ok(Response::new(ListGamesResponse { games }))
    }

    type WatchGamesStream = OutStream<WatchGamesResponse>;

    async fn watch_games(
        &self,
        request: Request<WatchGamesRequest>,
    ) -> Result<Response<Self::WatchGamesStream>, Status> {
        self.admit()?;
        Ok(Response::new(self.arena.watch(request.into_inner().games)?))
    }

    async fn report_irregularity(
        &self,
        request: Request<ReportIrregularityRequest>,
    ) -> Result<Response<ReportIrregularityResponse>, Status> {
        let ReportIrregularityRequest { act, game, seen } = request.into_inner();
        let seen = seen.ok_or_else(missing("seen"))?;
        let answer = self.act(act, &game, Some(desk_input::Act::Irregularity(seen))).await?;
        Ok(Response::new(ReportIrregularityResponse { case: answer.case.unwrap_or(0) }))
    }

    async fn enter_claim(&self, request: Request<EnterClaimRequest>) -> Result<Response<EnterClaimResponse>, Status> {
        let EnterClaimRequest { act, game, claim } = request.into_inner();
        let claim = claim.ok_or_else(missing("claim"))?;
        let answer = self.act(act, &game, Some(desk_input::Act::Claim(claim))).await?;
        Ok(Response::new(EnterClaimResponse { case: answer.case.unwrap_or(0), rev: answer.rev.unwrap_or(0) }))
    }

    async fn decide(&self, request: Request<DecideRequest>) -> Result<Response<DecideResponse>, Status> {
        let DecideRequest { act, game, decision } = request.into_inner();
        let decision = decision.ok_or_else(missing("decision"))?;
        let answer = self.act(act, &game, Some(desk_input::Act::Decide(decision))).await?;
        Ok(Response::new(DecideResponse { rev: answer.rev.unwrap_or(0) }))
    }

    async fn issue_directive(
        &self,
        request: Request<IssueDirectiveRequest>,
    ) -> Result<Response<IssueDirectiveResponse>, Status> {
        let IssueDirectiveRequest { act, game, by_hand } = request.into_inner();
        let by_hand = by_hand.ok_or_else(missing("by_hand"))?;
        let answer = self.act(act, &game, Some(desk_input::Act::Direct(by_hand))).await?;
        Ok(Response::new(IssueDirectiveResponse { rev: answer.rev.unwrap_or(0) }))
    }
}
