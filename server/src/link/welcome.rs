//! From the first frame to Welcome.

use flagfall_proto::clock::v1::{LinkRequest, LinkResponse, Welcome, link_request, link_response};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::Streaming;

use super::{
    HELLO, QUEUE, SILENCE,
    intake::Intake,
    session::{Parts, Session, frame_error},
};
use crate::{
    arena::{Arena, Claim, LaneGuard, Origin, Wanted},
    journal::codec::{Kept, Session as Opened},
    trail::Presence,
    wire::{Greeting, Outgoing, Refused, hello::PROTOCOL},
};

/// Serves one stream to its end.
///
/// # Errors
/// The clock is not taken in. What ends a session later is told by the session.
pub(super) async fn serve(
    arena: Arena,
    drain: CancellationToken,
    mut incoming: Streaming<LinkRequest>,
    out: &Outgoing<LinkResponse>,
) -> Result<(), Refused> {
    let greeting = greet(&mut incoming).await?;
    let claim = arena.roster().claim(&greeting.device)?;
    let lane = tokio::select! {
        biased;
        lane = claim.slot().lane() => lane,
        () = claim.superseded.cancelled() => {
            return Err(Refused::StaleEpoch { device: greeting.device, epoch: 0 });
        }
        () = drain.cancelled() => return Err(Refused::Draining),
        () = out.gone() => return Ok(()),
    };
    // From here on nothing breaks off: a write that was begun is waited for, so that the lane knows where its stream ends.
    let TakenIn { lane, epoch, game, wanted } = take_in(&arena, lane, &claim, &greeting).await?;
    let mark = lane.mark(&greeting.spool);
    let Greeting { device, spool, software, last_seq, game: greeting_game, applied_rev: greeting_rev, .. } = greeting;
    tracing::info!(device, epoch, software, durable = mark.seq, last_seq, game, "clock taken in");
    if last_seq < mark.seq {
        tracing::error!(
            device,
            last_seq,
            durable = mark.seq,
            "ALARM: the clock's spool is shorter than what it was acknowledged"
        );
    }
    if greeting_rev > wanted.desired_rev && greeting_game == game {
        tracing::error!(
            device,
            game,
            greeting_rev,
            "ALARM: the clock applied directives that the journal does not know"
        );
    }
    let chain_hash = if mark.seq == 0 { Vec::new() } else { mark.hash.to_vec() };
    let window = arena.limits().window;
    let desired_rev = wanted.desired_rev;
    let (session_epoch, durable_through, protocol) = (epoch, mark.seq, PROTOCOL);
    let welcome =
        Welcome { session_epoch, durable_through, chain_hash, window, game: game.clone(), desired_rev, protocol };
    let mut frames = vec![link_response::Frame::Welcome(welcome)];
    frames.extend(wanted.directives.into_iter().map(link_response::Frame::Directive));
    for frame in frames {
        // Waits for room: these may be more than the queue holds, and the clock reads them before all else.
        let room = tokio::select! {
            biased;
            room = timeout(SILENCE, out.room()) => room.map_err(|_| slow_reader(&device))?,
            () = claim.superseded.cancelled() => return Err(Refused::StaleEpoch { device, epoch }),
        };
        let Some(room) = room else { return Ok(()) };
        room.send(LinkResponse { frame: Some(frame) });
    }
    let presence = Presence::new(&device, claim.board(), epoch, last_seq, mark.seq);
    presence.revisions(desired_rev, if greeting_game == game { greeting_rev } else { 0 });
    let presence = arena.trails().opened(presence, &software);
    let intake = Intake::new(&device, epoch, window, mark);
    let out = out.clone();
    let parts = Parts { arena, claim, lane, drain, incoming, out, intake, spool, epoch, presence };
    Session::new(parts, mark.seq, game, desired_rev).run().await;
    Ok(())
}

/// The first frame, checked.
async fn greet(incoming: &mut Streaming<LinkRequest>) -> Result<Greeting, Refused> {
    let bad = |why: &str| Refused::BadHello { device: "a clock".to_owned(), field: "frame", why: why.to_owned() };
    let first = timeout(HELLO, incoming.message()).await.map_err(|_| bad("no Hello within 5 s"))?;
    let first =
        first.map_err(|status| frame_error(&status, "a clock").unwrap_or_else(|| bad("the stream broke off")))?;
    match first.and_then(|request| request.frame) {
        Some(link_request::Frame::Hello(hello)) => Greeting::read(hello),
        _ => Err(bad("the first frame is no Hello")),
    }
}

struct TakenIn {
    lane: LaneGuard,
    epoch: u64,
    game: String,
    wanted: Wanted,
}

/// Writes the epoch, and asks the clock's game.
async fn take_in(arena: &Arena, mut lane: LaneGuard, claim: &Claim, greeting: &Greeting) -> Result<TakenIn, Refused> {
    if lane.is_doubtful() {
        let spool = greeting.spool;
        let missed = arena.recorded(claim.slot(), spool, lane.mark(&spool).seq + 1).await?;
        missed.into_iter().for_each(|(seq, hash)| lane.advance(spool, seq, hash));
        lane.look_up(arena.journal()).map_err(|_| Refused::JournalDown)?;
    }
    let mark = lane.mark(&greeting.spool);
    if mark.forked {
        let (device, why) = (greeting.device.clone(), "this spool showed two histories before");
        return Err(Refused::ForkedSpool { device, seq: mark.seq, why });
    }
    let epoch = lane.next_epoch();
    #[cfg(feature = "failpoints")]
    fail::fail_point!("epoch-taken");
    let (device, spool_id, boot) = (greeting.device.clone(), greeting.spool, u128::from_be_bytes(greeting.boot));
    let session = Kept::Session(Opened { device, session_epoch: epoch, spool_id, boot });
    let written = lane.append(arena.journal(), &[session], Origin { epoch, spool: spool_id }).await;
    written.inspect_err(|_| lane.doubt()).map_err(|error| Refused::from(&error))?;
    #[cfg(feature = "failpoints")]
    fail::fail_point!("epoch-written");
    let (game, wanted) = match claim.slot().game() {
        Some(game) => (game.to_string(), arena.wanted(&game).await?),
        None => Default::default(),
    };
    Ok(TakenIn { lane, epoch, game, wanted })
}

/// What a clock is told that does not read.
pub(super) fn slow_reader(device: &str) -> Refused {
    Refused::SlowReader { who: device.to_owned(), limit: QUEUE }
}
