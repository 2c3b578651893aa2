//! From the first frame to Welcome.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    time::Duration,
};

use flagfall_proto::clock::v1::{Goodbye, LinkRequest, LinkResponse, Welcome, link_request, link_response};
use flagfall_rules::game::Notice;
use tokio::time::timeout;
use tonic::Streaming;

use super::{
    House, QUEUE, SILENCE,
    intake::Intake,
    session::{Begin, Parts, Session, frame_error},
};
use crate::{
    arena::{Arena, Claim, Greeted, Identity, LaneGuard, Origin, Released, Wanted},
    journal::codec::{Kept, Session as Opened},
    trail::Presence,
    wire::{
        Greeting, Outgoing, Refused,
        guest::{HELLO, Pass},
        hello::PROTOCOL,
    },
};

/// How long a clock may wait for its turn to be taken in.
const CROWD: Duration = Duration::from_secs(5);

/// After how long a clock that waited in vain is asked to come again: at most so long as it takes to take in all clocks, within these
/// bounds.
const COME_AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// Serves one stream to its end.
///
/// # Errors
/// The clock is not taken in. What ends a session later is told by the session.
pub(super) async fn serve(
    house: House,
    pass: &Pass,
    mut incoming: Streaming<LinkRequest>,
    out: &Outgoing<LinkResponse>,
) -> Result<(), Refused> {
    let House { arena, drain, gate } = house;
    let greeting = greet(&mut incoming).await?;
    pass.said_hello();
    let identity = Identity { spool: greeting.spool, past: greeting.past.map(|(spool, _)| spool) };
    let claim = arena.roster().claim(&greeting.device, identity).inspect_err(|refused| second(&arena, refused))?;
    let lane = tokio::select! {
        biased;
        lane = claim.slot().lane() => lane,
        () = claim.superseded.cancelled() => {
            return Err(Refused::StaleEpoch { device: greeting.device, epoch: 0 });
        }
        () = drain.cancelled() => return Err(Refused::Draining),
        () = out.gone() => return Ok(()),
    };
    let turn = tokio::select! {
        turn = gate.turn(CROWD) => turn,
        () = drain.cancelled() => return Err(Refused::Draining),
        () = out.gone() => return Ok(()),
    };
    let Some(turn) = turn else {
        // Anywhere from now on, by the clock and its try: they are not to come in one moment again.
        let mut hasher = DefaultHasher::new();
        (&greeting.device, claim.number()).hash(&mut hasher);
        let most = gate.time_for(arena.roster().clocks()).clamp(COME_AGAIN[0], COME_AGAIN[1]);
        let resume_after_ms = hasher.finish() % (most.as_millis() as u64 + 1);
        let goodbye = Goodbye { resume_after_ms, reason: "too many clocks come back at once".to_owned() };
        // A clock that does not read it finds the status.
        let _unread = out.send(LinkResponse { frame: Some(link_response::Frame::Goodbye(goodbye)) });
        return Err(Refused::Crowded);
    };
    // From here on nothing breaks off: a write that was begun is waited for, so that the lane knows where its stream ends.
    let taken_in = take_in(&arena, lane, &claim, &greeting).await;
    drop(turn);
    if let Err(refused @ (Refused::EventsLost { .. } | Refused::ForkedSpool { .. })) = &taken_in {
        tracing::error!(device = greeting.device, %refused, "ALARM: the board is frozen");
        arena.notice(claim.slot().game(), Notice::Frozen(refused.to_string()));
    }
    let TakenIn { lane, epoch, game, wanted } = taken_in?;
    let mark = lane.mark(&greeting.spool);
    let Greeting { device, spool, software, last_seq, acked, game: greeted, applied_rev: applied, .. } = greeting;
    tracing::info!(device, epoch, software, durable = mark.seq, last_seq, game, "clock taken in");
    let durable = mark.seq;
    let trouble = if last_seq < durable {
        Some(format!(
            "{device}: its spool ends at {last_seq} and {durable} were acknowledged: the card is an old copy. Give the clock a new spool"
        ))
    } else if acked > durable {
        Some(format!(
            "{device}: the journal had lost events {} to {acked} of this clock; they are taken from its spool again",
            durable + 1
        ))
    } else {
        None
    };
    if let Some(text) = trouble {
        tracing::error!(device, text, "ALARM");
        arena.notice(claim.slot().game(), Notice::Trouble(text));
    }
    let chain_hash = if durable == 0 { Vec::new() } else { mark.hash.to_vec() };
    let released_through = match claim.slot().released() {
        Released::Nothing => 0,
        Released::Earlier => wanted.before_game,
        Released::All => durable,
    };
    let moved_to = arena.gone_to(&greeted, claim.slot()).unwrap_or_default();
    if let Some((other, _)) =
        arena.place_of(&greeted).filter(|_| moved_to.is_empty() && !arena.is_on(&greeted, claim.slot()))
    {
        let text = format!(
            "{device} has come with the spool of this game, which is on {other}: what is pressed there does not reach the game. \
             Give {device} its own card, or a new spool"
        );
        tracing::error!(device, game = greeted, other, "ALARM: the clock has another one's spool");
        arena.notice(Some(greeted.as_str().into()), Notice::Trouble(text));
    }
    let welcome = Welcome {
        session_epoch: epoch,
        durable_through: durable,
        chain_hash,
        window: arena.limits().window,
        game: game.clone(),
        desired_rev: wanted.desired_rev,
        protocol: PROTOCOL,
        released_through,
        moved_to,
    };
    // Most of what a journal that lost its end wants done was done; the spool says so further on.
    let (held, told) = if acked > durable { (wanted.directives, vec![]) } else { (vec![], wanted.directives) };
    let mut frames = vec![link_response::Frame::Welcome(welcome)];
    frames.extend(told.into_iter().map(link_response::Frame::Directive));
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
    gate.taken_in(pass);
    let presence = Presence::new(&device, claim.board(), epoch, last_seq, durable);
    presence.revisions(wanted.desired_rev, if greeted == game { applied } else { 0 });
    let presence = arena.trails().opened(presence, &software);
    let intake = Intake::new(&device, epoch, arena.limits().window, mark);
    let out = out.clone();
    let parts = Parts { arena, gate, claim, lane, drain, incoming, out, intake, spool, epoch, presence };
    let answered = HashSet::new();
    let begin = Begin { durable, game, desired_rev: wanted.desired_rev, refilled_at: acked, held, answered };
    Session::new(parts, begin).run().await;
    Ok(())
}

/// A second clock was refused: the desk of the one that is there is told.
fn second(arena: &Arena, refused: &Refused) {
    let (Refused::BoardTaken { holder, .. } | Refused::DeviceTaken { device: holder }) = refused else { return };
    let game = arena.roster().listed(holder).and_then(|slot| slot.game());
    arena.notice(game, Notice::Trouble(refused.to_string()));
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
    lane.not_below(greeting.last_epoch);
    if let Some((past, had)) = greeting.past.filter(|_| !lane.is_new()) {
        let have = lane.mark(&past).seq;
        if have < had {
            return Err(Refused::EventsLost { device: greeting.device.clone(), have, had });
        }
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
        Some(game) => {
            let Greeting { spool, game: has, applied_rev, .. } = greeting;
            let greeted = Greeted { spool: *spool, game: has.clone(), applied_rev: *applied_rev };
            (game.to_string(), arena.wanted(&game, greeted).await?)
        }
        None => Default::default(),
    };
    Ok(TakenIn { lane, epoch, game, wanted })
}

/// What a clock is told that does not read.
pub(super) fn slow_reader(device: &str) -> Refused {
    Refused::SlowReader { who: device.to_owned(), limit: QUEUE }
}
