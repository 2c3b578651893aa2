//! `flagfall.desk.v1` over the arena. Acts are stamped with wall time here and nowhere deeper.

use flagfall_proto::{
    desk::v1::{
        Act, AdjournRequest, AdjournResponse, DecideRequest, DecideResponse, EnterClaimRequest, EnterClaimResponse,
        GetGameRequest, GetGameResponse, GetRecipientRequest, GetRecipientResponse, IssueDirectiveRequest,
        IssueDirectiveResponse, ListClocksRequest, ListClocksResponse, ListGamesRequest, ListGamesResponse,
        MoveGameRequest, MoveGameResponse, OpenGameRequest, OpenGameResponse, ReportIrregularityRequest,
        ReportIrregularityResponse, WatchGamesRequest, WatchGamesResponse, desk_service_server,
    },
    journal::v1::{self, adjournment_deed::Deed, desk_input},
};
use flagfall_rules::game::{DeskAct, DeskInput};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::words::{self, WHO};
use crate::{
    arena::{Answer, Arena},
    journal::codec,
    seal::Recipient,
    wire::{OutStream, Refused, is_name, is_text},
};

/// The longest name of a game.
const GAME: usize = 128;

/// The longest request of a desk in bytes.
pub const REQUEST_MAX: usize = 64 * 1024;

/// The desk's service.
#[derive(Clone)]
pub struct Desk {
    arena: Arena,
    drain: CancellationToken,
    recipient: Option<Recipient>,
}

impl Desk {
    /// A service over an arena. Once `drain` is cancelled nothing more is begun. Moves are sealed for the recipient.
    #[must_use]
    pub fn new(arena: Arena, drain: CancellationToken, recipient: Option<Recipient>) -> Desk {
        Desk { arena, drain, recipient }
    }

    fn admit(&self) -> Result<(), Refused> {
        if self.drain.is_cancelled() { Err(Refused::Draining) } else { Ok(()) }
    }

    /// Carries out an act in a game.
    async fn act(&self, act: Option<Act>, game: &str, what: Option<desk_input::Act>) -> Result<Answer, Refused> {
        self.admit()?;
        let input = read(act, what, self.arena.journal().wall_ms())?;
        if !is_name(game, GAME) {
            return Err(Refused::request("game", format!("expected 1 to {GAME} characters of [A-Za-z0-9._-]")));
        }
        self.arena.act(game, input).await
    }
}

/// Who acts, and under which id: both said, and short enough.
pub(crate) fn who(act: Option<Act>) -> Result<(String, String), Refused> {
    let Act { request, actor } = act.ok_or_else(|| Refused::request("act", "missing"))?;
    for (field, text) in [("act.request", &request), ("act.actor", &actor)] {
        if !is_text(text, WHO) {
            return Err(Refused::request(
                field,
                format!("expected 1 to {WHO} characters, none of them a control character"),
            ));
        }
    }
    Ok((request, actor))
}

/// An act of the contract as one of the rules, stamped.
fn read(act: Option<Act>, what: Option<desk_input::Act>, wall_ms: i64) -> Result<DeskInput, Refused> {
    let (request, actor) = who(act)?;
    let what = what.ok_or_else(|| Refused::request("act", "says nothing to do"))?;
    let message = v1::DeskInput { request, actor, wall_ms, act: Some(what) };
    let input = codec::desk_input(message).map_err(|refused| Refused::request(refused.what, refused.why))?;
    words::check(&input.act)?;
    Ok(input)
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
        let input = read(act, Some(desk_input::Act::Open(setup)), self.arena.journal().wall_ms())?;
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

    async fn list_games(&self, request: Request<ListGamesRequest>) -> Result<Response<ListGamesResponse>, Status> {
        let ListGamesRequest { finished, page_size, after } = request.into_inner();
        let crate::arena::Page { games, next } = self.arena.list(finished, page_size as usize, &after).await?;
        Ok(Response::new(ListGamesResponse { games, next }))
    }

    async fn get_game(&self, request: Request<GetGameRequest>) -> Result<Response<GetGameResponse>, Status> {
        let game = self.arena.snapshot(&request.into_inner().game).await?;
        Ok(Response::new(GetGameResponse { game: Some(game) }))
    }

    async fn list_clocks(&self, _: Request<ListClocksRequest>) -> Result<Response<ListClocksResponse>, Status> {
        let clocks = self.arena.roster().vitals().into_iter().map(Into::into).collect();
        Ok(Response::new(ListClocksResponse { clocks }))
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

    async fn adjourn(&self, request: Request<AdjournRequest>) -> Result<Response<AdjournResponse>, Status> {
        let AdjournRequest { act, game, deed } = request.into_inner();
        let deed = deed.ok_or_else(missing("deed"))?;
        if matches!(deed.deed, Some(Deed::Write(_) | Deed::SealReply(_))) && self.recipient.is_none() {
            // Sealed for whom? Nobody could ever open it.
            return Err(Refused::NoRecipient.into());
        }
        let answer = self.act(act, &game, Some(desk_input::Act::Adjourn(deed))).await?;
        Ok(Response::new(AdjournResponse { rev: answer.rev.unwrap_or(0) }))
    }

    async fn get_recipient(&self, _: Request<GetRecipientRequest>) -> Result<Response<GetRecipientResponse>, Status> {
        let recipient = self.recipient.as_ref().ok_or(Refused::NoRecipient)?;
        Ok(Response::new(GetRecipientResponse { recipient: recipient.to_string() }))
    }

    async fn move_game(&self, request: Request<MoveGameRequest>) -> Result<Response<MoveGameResponse>, Status> {
        let MoveGameRequest { act, game, device, note } = request.into_inner();
        let to = v1::MoveToClock { device: device.clone(), note };
        let answer = self.act(act, &game, Some(desk_input::Act::Move(to))).await?;
        tracing::info!(game, device, "game moved to another clock");
        Ok(Response::new(MoveGameResponse { rev: answer.rev.unwrap_or(0) }))
    }
}
