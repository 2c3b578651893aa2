//! `flagfall.desk.v1` over the arena. Acts are stamped with wall time here and nowhere deeper.

use flagfall_proto::{
    desk::v1::{
        Act, AdjournRequest, AdjournResponse, AnnulRequest, AnnulResponse, DecideRequest, DecideResponse,
        EnterClaimRequest, EnterClaimResponse, GetGameRequest, GetGameResponse, GetRecipientRequest,
        GetRecipientResponse, HeedRequest, HeedResponse, IssueDirectiveRequest, IssueDirectiveResponse,
        ListClocksRequest, ListClocksResponse, ListGamesRequest, ListGamesResponse, MoveGameRequest, MoveGameResponse,
        OpenGameRequest, OpenGameResponse, PreviewRequest, PreviewResponse, ReadGameRequest, ReadGameResponse,
        ReportIrregularityRequest, ReportIrregularityResponse, StoredEntry, WatchGamesRequest, WatchGamesResponse,
        desk_service_server, preview_request,
    },
    journal::v1::{self, adjournment_deed::Deed as Adjourned, desk_input},
};
use flagfall_rules::game::{DeskAct, DeskInput};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::{
    auth::{Caller, Deed, Gate, Place},
    words::{self, NOTE, WHO},
};
use crate::{
    arena::{Answer, Arena},
    journal::{Stored, codec},
    seal::Recipient,
    wire::{Refused, WhileKnown, is_name, is_text},
};

/// The longest name of a game.
const GAME: usize = 128;

/// The longest request of a desk in bytes.
pub const REQUEST_MAX: usize = 64 * 1024;

/// The most entries of a game in one answer.
const ENTRIES: u32 = 1_000;

/// The desk's service.
#[derive(Clone)]
pub struct Desk {
    arena: Arena,
    drain: CancellationToken,
    recipient: Option<Recipient>,
    gate: Gate,
}

impl Desk {
    /// A service over an arena. Once `drain` is cancelled nothing more is begun. Moves are sealed for the recipient. The gate says who
    /// asks.
    #[must_use]
    pub fn new(arena: Arena, drain: CancellationToken, recipient: Option<Recipient>, gate: Gate) -> Desk {
        Desk { arena, drain, recipient, gate }
    }

    /// Who asks, and whether he may do such a thing at all. To look is allowed while the service drains.
    async fn admit<T: Sync>(&self, request: &Request<T>, deed: Deed) -> Result<Caller, Refused> {
        if self.drain.is_cancelled() && deed != Deed::See {
            return Err(Refused::Draining);
        }
        self.gate.admit(request, deed).await
    }

    /// Carries out an act that rules in a game, if the game is on a board of the caller's.
    async fn rule(
        &self,
        caller: &Caller,
        act: Option<Act>,
        game: &str,
        what: Option<desk_input::Act>,
    ) -> Result<Answer, Refused> {
        self.may_rule(caller, game)?;
        self.act(caller, act, game, what).await
    }

    /// Whether the board of a game is the caller's to rule on; of a game that is nowhere the arena says so.
    fn may_rule(&self, caller: &Caller, game: &str) -> Result<(), Refused> {
        let place = self.arena.place_of(game);
        place
            .map_or(Ok(()), |(device, reads)| caller.may(Deed::Rule, Some(&Place::of(game, &device, reads.as_deref()))))
    }

    /// Carries out an act in a game.
    async fn act(
        &self,
        caller: &Caller,
        act: Option<Act>,
        game: &str,
        what: Option<desk_input::Act>,
    ) -> Result<Answer, Refused> {
        let input = self.read(caller, act, what)?;
        if !is_name(game, GAME) {
            return Err(Refused::request("game", format!("expected 1 to {GAME} characters of [A-Za-z0-9._-]")));
        }
        self.arena.act(game, input).await
    }

    /// An act of the contract as one of the rules, stamped, in the name of who is known to have sent it.
    fn read(&self, caller: &Caller, act: Option<Act>, what: Option<desk_input::Act>) -> Result<DeskInput, Refused> {
        let Act { request, actor, reason } = who(caller, act)?;
        let wall_ms = self.arena.journal().wall_ms();
        let what = what.ok_or_else(|| Refused::request("act", "says nothing to do"))?;
        let message = v1::DeskInput { request, actor, wall_ms, reason, act: Some(what) };
        let input = codec::desk_input(message).map_err(|refused| Refused::request(refused.what, refused.why))?;
        words::check(&input.act)?;
        Ok(input)
    }
}

/// Who acts, under which id and why: said, and short enough. Who is known acts in his own name.
pub(crate) fn who(caller: &Caller, act: Option<Act>) -> Result<Act, Refused> {
    let Act { request, actor, reason } = act.ok_or_else(|| Refused::request("act", "missing"))?;
    let actor = caller.name.clone().unwrap_or(actor);
    for (field, text) in [("act.request", &request), ("act.actor", &actor)] {
        if !is_text(text, WHO) {
            return Err(Refused::request(
                field,
                format!("expected 1 to {WHO} characters, none of them a control character"),
            ));
        }
    }
    if reason.chars().count() > NOTE {
        return Err(Refused::request("act.reason", format!("at most {NOTE} characters")));
    }
    Ok(Act { request, actor, reason })
}

fn missing(field: &'static str) -> impl FnOnce() -> Refused {
    move || Refused::request(field, "missing")
}

#[tonic::async_trait]
impl desk_service_server::DeskService for Desk {
    async fn open_game(&self, request: Request<OpenGameRequest>) -> Result<Response<OpenGameResponse>, Status> {
        let caller = self.admit(&request, Deed::Organise).await?;
        let OpenGameRequest { act, game, device, edition, play, control, side_binding, position, overlay } =
            request.into_inner();
        if !game.is_empty() && !is_name(&game, GAME) {
            let why = format!("expected nothing or 1 to {GAME} characters of [A-Za-z0-9._-]");
            return Err(Refused::request("game", why).into());
        }
        // A nameless game is named by the arena; until then it has a name that the contract's reader accepts.
        let (named, game) = if game.is_empty() { (false, "nameless".to_owned()) } else { (true, game) };
        let setup = v1::Setup { game, device, edition, play, control, side_binding, position, overlay };
        let input = self.read(&caller, act, Some(desk_input::Act::Open(setup)))?;
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
        self.admit(&request, Deed::See).await?;
        let ListGamesRequest { finished, page_size, after } = request.into_inner();
        let crate::arena::Page { games, next } = self.arena.list(finished, page_size as usize, &after).await?;
        Ok(Response::new(ListGamesResponse { games, next }))
    }

    async fn get_game(&self, request: Request<GetGameRequest>) -> Result<Response<GetGameResponse>, Status> {
        self.admit(&request, Deed::See).await?;
        let game = self.arena.snapshot(&request.into_inner().game).await?;
        Ok(Response::new(GetGameResponse { game: Some(game) }))
    }

    async fn list_clocks(&self, request: Request<ListClocksRequest>) -> Result<Response<ListClocksResponse>, Status> {
        self.admit(&request, Deed::See).await?;
        let clocks = self.arena.roster().vitals().into_iter().map(Into::into).collect();
        Ok(Response::new(ListClocksResponse { clocks }))
    }

    type WatchGamesStream = WhileKnown<WatchGamesResponse>;

    async fn watch_games(
        &self,
        request: Request<WatchGamesRequest>,
    ) -> Result<Response<Self::WatchGamesStream>, Status> {
        let caller = self.admit(&request, Deed::See).await?;
        let updates = self.arena.watch(request.into_inner().games)?;
        let gate = self.gate.clone();
        let gone = async move { gate.gone(&caller).await };
        Ok(Response::new(WhileKnown::new(updates, gone)))
    }

    async fn report_irregularity(
        &self,
        request: Request<ReportIrregularityRequest>,
    ) -> Result<Response<ReportIrregularityResponse>, Status> {
        let caller = self.admit(&request, Deed::Rule).await?;
        let ReportIrregularityRequest { act, game, seen } = request.into_inner();
        let seen = seen.ok_or_else(missing("seen"))?;
        let answer = self.rule(&caller, act, &game, Some(desk_input::Act::Irregularity(seen))).await?;
        Ok(Response::new(ReportIrregularityResponse { case: answer.case.unwrap_or(0) }))
    }

    async fn enter_claim(&self, request: Request<EnterClaimRequest>) -> Result<Response<EnterClaimResponse>, Status> {
        let caller = self.admit(&request, Deed::Rule).await?;
        let EnterClaimRequest { act, game, claim } = request.into_inner();
        let claim = claim.ok_or_else(missing("claim"))?;
        let answer = self.rule(&caller, act, &game, Some(desk_input::Act::Claim(claim))).await?;
        Ok(Response::new(EnterClaimResponse { case: answer.case.unwrap_or(0), rev: answer.rev.unwrap_or(0) }))
    }

    async fn decide(&self, request: Request<DecideRequest>) -> Result<Response<DecideResponse>, Status> {
        let caller = self.admit(&request, Deed::Rule).await?;
        let DecideRequest { act, game, decision } = request.into_inner();
        let decision = decision.ok_or_else(missing("decision"))?;
        let answer = self.rule(&caller, act, &game, Some(desk_input::Act::Decide(decision))).await?;
        Ok(Response::new(DecideResponse { rev: answer.rev.unwrap_or(0) }))
    }

    async fn issue_directive(
        &self,
        request: Request<IssueDirectiveRequest>,
    ) -> Result<Response<IssueDirectiveResponse>, Status> {
        let caller = self.admit(&request, Deed::Rule).await?;
        let IssueDirectiveRequest { act, game, by_hand } = request.into_inner();
        let by_hand = by_hand.ok_or_else(missing("by_hand"))?;
        let answer = self.rule(&caller, act, &game, Some(desk_input::Act::Direct(by_hand))).await?;
        Ok(Response::new(IssueDirectiveResponse { rev: answer.rev.unwrap_or(0) }))
    }

    async fn heed(&self, request: Request<HeedRequest>) -> Result<Response<HeedResponse>, Status> {
        let caller = self.admit(&request, Deed::Rule).await?;
        let HeedRequest { act, game, heed } = request.into_inner();
        let heed = heed.ok_or_else(missing("heed"))?;
        self.rule(&caller, act, &game, Some(desk_input::Act::Heed(heed))).await?;
        Ok(Response::new(HeedResponse {}))
    }

    async fn annul(&self, request: Request<AnnulRequest>) -> Result<Response<AnnulResponse>, Status> {
        let caller = self.admit(&request, Deed::Rule).await?;
        let AnnulRequest { act, game } = request.into_inner();
        let answer = self.rule(&caller, act, &game, Some(desk_input::Act::Annul(v1::Annul {}))).await?;
        Ok(Response::new(AnnulResponse { rev: answer.rev.unwrap_or(0) }))
    }

    async fn preview(&self, request: Request<PreviewRequest>) -> Result<Response<PreviewResponse>, Status> {
        let deed = match request.get_ref().act {
            Some(preview_request::Act::Move(_)) => Deed::Organise,
            _ => Deed::Rule,
        };
        let caller = self.admit(&request, deed).await?;
        let PreviewRequest { game, act } = request.into_inner();
        if deed == Deed::Rule {
            self.may_rule(&caller, &game)?;
        }
        let what = match act {
            Some(preview_request::Act::Decide(decision)) => desk_input::Act::Decide(decision),
            Some(preview_request::Act::ByHand(by_hand)) => desk_input::Act::Direct(by_hand),
            Some(preview_request::Act::Adjourn(deed)) => desk_input::Act::Adjourn(deed),
            Some(preview_request::Act::Annul(annul)) => desk_input::Act::Annul(annul),
            Some(preview_request::Act::Move(to)) => desk_input::Act::Move(to),
            Some(preview_request::Act::Claim(claim)) => desk_input::Act::Claim(claim),
            Some(preview_request::Act::Irregularity(seen)) => desk_input::Act::Irregularity(seen),
            None => return Err(missing("act")().into()),
        };
        // Of no request: the rules know none of this name, and nothing of it is kept.
        let act = Act { request: "preview".to_owned(), actor: "preview".to_owned(), reason: String::new() };
        let input = self.read(&caller, Some(act), Some(what))?;
        let foreseen = self.arena.preview(&game, input).await?;
        let events = foreseen.events.iter().map(|event| codec::event_to_proto(&game, event)).collect();
        Ok(Response::new(PreviewResponse { events, before: Some(foreseen.before.into()) }))
    }

    async fn read_game(&self, request: Request<ReadGameRequest>) -> Result<Response<ReadGameResponse>, Status> {
        self.admit(&request, Deed::See).await?;
        let ReadGameRequest { game, from, max } = request.into_inner();
        let max = match max {
            0 => ENTRIES,
            1..=ENTRIES => max,
            _ => return Err(Refused::request("max", format!("expected 1 to {ENTRIES}")).into()),
        };
        let read = |stored: Stored| {
            let entry = codec::message(&stored.bytes).map_err(|error| {
                tracing::error!(game, index = stored.index, %error, "an entry cannot be understood");
                Refused::JournalDown
            });
            Ok::<_, Refused>(StoredEntry { index: stored.index, entry: Some(entry?) })
        };
        let stored = self.arena.entries(&game, from, max as usize).await?;
        let entries = stored.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Response::new(ReadGameResponse { entries }))
    }

    async fn adjourn(&self, request: Request<AdjournRequest>) -> Result<Response<AdjournResponse>, Status> {
        let caller = self.admit(&request, Deed::Rule).await?;
        let AdjournRequest { act, game, deed } = request.into_inner();
        let deed = deed.ok_or_else(missing("deed"))?;
        if matches!(deed.deed, Some(Adjourned::Write(_) | Adjourned::SealReply(_))) && self.recipient.is_none() {
            // Sealed for whom? Nobody could ever open it.
            return Err(Refused::NoRecipient.into());
        }
        let answer = self.rule(&caller, act, &game, Some(desk_input::Act::Adjourn(deed))).await?;
        Ok(Response::new(AdjournResponse { rev: answer.rev.unwrap_or(0) }))
    }

    async fn get_recipient(
        &self,
        request: Request<GetRecipientRequest>,
    ) -> Result<Response<GetRecipientResponse>, Status> {
        self.admit(&request, Deed::See).await?;
        let recipient = self.recipient.as_ref().ok_or(Refused::NoRecipient)?;
        Ok(Response::new(GetRecipientResponse { recipient: recipient.to_string() }))
    }

    async fn move_game(&self, request: Request<MoveGameRequest>) -> Result<Response<MoveGameResponse>, Status> {
        let caller = self.admit(&request, Deed::Organise).await?;
        let MoveGameRequest { act, game, device, note } = request.into_inner();
        let to = v1::MoveToClock { device: device.clone(), note };
        let answer = self.act(&caller, act, &game, Some(desk_input::Act::Move(to))).await?;
        tracing::info!(game, device, "game moved to another clock");
        Ok(Response::new(MoveGameResponse { rev: answer.rev.unwrap_or(0) }))
    }
}
