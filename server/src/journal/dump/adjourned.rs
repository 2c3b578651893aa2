//! Adjournments in plain words. A sealed move is named only once its envelope was opened.

use flagfall_rules::{
    adjourn::{Deed, Envelope, Event, Fact, Reason, Resumption, Seal, Session, Situation},
    clock::Colour,
    game::Outcome,
    time::Millis,
};

use super::plain::{both, line, time};

/// What was done.
pub(super) fn deed(deed: &Deed) -> String {
    match deed {
        Deed::Announce(session) => format!("announces the session: {}", held(*session)),
        Deed::EndSession(_) => "ends the session: the player to move is to seal".to_owned(),
        Deed::AdjournEarly(_) => "the player to move adjourns early".to_owned(),
        Deed::Write(seal) => format!("a move is written and sealed, {}", sealed(seal)),
        Deed::MoveOnBoard(uci) => format!("{uci} was made on the board instead"),
        Deed::SheetIn { of, paper } => {
            format!("{}'s {} is in the envelope", of.name(), if *paper { "score sheet" } else { "electronic sheet" })
        }
        Deed::CloseEnvelope => "the envelope is sealed".to_owned(),
        Deed::StopClock { opponent_runs, .. } => {
            format!(
                "the player who sealed stops the clock{}",
                if *opponent_runs { ", the opponent's runs" } else { "" }
            )
        }
        Deed::Appoint(resumption) => format!("fixes the resumption: {}", appointed(resumption)),
        Deed::Check(None) => "checks the envelope: it is right".to_owned(),
        Deed::Check(Some(envelope)) => format!("puts the envelope right: {}", written(envelope)),
        Deed::HandOver(to) => format!("hands the envelope to {}", line(to)),
        Deed::OfferDraw(by) => format!("{} offers a draw", by.name()),
        Deed::AcceptDraw(by) => format!("{} accepts the draw", by.name()),
        Deed::DeclineDraw(by) => format!("{} declines the draw", by.name()),
        Deed::AgreeDraw => "a draw was agreed".to_owned(),
        Deed::Resign(by) => format!("{} resigns", by.name()),
        Deed::SetUp { times: None } => "sets up position and times".to_owned(),
        Deed::SetUp { times: Some(hands) } => format!("sets up position and times, {}", both(hands)),
        Deed::Presence { player, here } => format!("{} {}", player.name(), if *here { "has come" } else { "has gone" }),
        Deed::Begin => "begins the resumption".to_owned(),
        Deed::StopOnArrival => "the player who must reply stops his clock".to_owned(),
        Deed::Opened(text) => format!("opens the envelope: {}", line(text)),
        Deed::Stated(text) => format!("the envelope being lost, the sealed move is said to be {}", line(text)),
        Deed::Reply(uci) => format!("the reply is {uci}"),
        Deed::SealReply { seal, to } => format!("a reply is sealed, {}, and given to {}", sealed(seal), line(to)),
        Deed::ReplyOpened(text) => format!("opens the reply: {}", line(text)),
        Deed::FirstMove(by) => format!("{} has made a first move", by.name()),
        Deed::FlagFell(by) => format!("{}'s flag fell", by.name()),
        Deed::LookForLate => "looks whether somebody is too late".to_owned(),
        Deed::Excuse(player) => format!("{} may come later", player.name()),
        Deed::EnvelopeLost { position_known } => {
            format!("the envelope is lost, the position {}", if *position_known { "is known" } else { "too" })
        }
        Deed::ClockError { by, hands } => format!("{} says the clock should show {}", by.name(), both(hands)),
        Deed::Choose(key) => format!("decides {}", line(key)),
    }
}

/// What followed.
pub(super) fn event(event: &Event) -> String {
    format!("{} (article {})", fact(&event.fact), line(&event.article))
}

fn fact(fact: &Fact) -> String {
    match fact {
        Fact::Announced(session) => format!("the session is announced: {}", held(*session)),
        Fact::SealingBegan(situation) => format!("the session ended: {}", stands(situation)),
        Fact::AdjournedEarly(situation, charged) => {
            format!("adjourned early, {} will be left: {}", time(*charged), stands(situation))
        }
        Fact::Written(seal) => format!("a move is written, {}", sealed(seal)),
        Fact::MadeOnBoard(uci) => format!("{uci} was made on the board and must be written"),
        Fact::SheetIn(of) => format!("{}'s sheet is in the envelope", of.name()),
        Fact::Closed => "the envelope is sealed".to_owned(),
        Fact::Adjourned(envelope) => format!("the game is adjourned: {}", written(envelope)),
        Fact::Appointed(resumption) => format!("the game goes on {}", appointed(resumption)),
        Fact::Checked(envelope) => format!("the envelope is right: {}", written(envelope)),
        Fact::HandedOver(to) => format!("{} has the envelope", line(to)),
        Fact::Offered(by) => format!("{} offered a draw", by.name()),
        Fact::Declined => "the draw offer is gone".to_owned(),
        Fact::SetUp(hands) => format!("position and times are set up, {}", both(hands)),
        Fact::Came(player) => format!("{} came", player.name()),
        Fact::Went(player) => format!("{} went", player.name()),
        Fact::Began => "the resumption began".to_owned(),
        Fact::BeganWaiting => "the resumption began without the player who must reply".to_owned(),
        Fact::StoppedOnArrival => "the player who must reply stopped his clock".to_owned(),
        Fact::Read(text) => format!("on the sheet stood {}", line(text)),
        Fact::SealedMoveMade(uci) => format!("the sealed move {uci} is made"),
        Fact::Replied(uci) => format!("the reply {uci} is made"),
        Fact::ReplySealed(seal, to) => format!("the reply is sealed, {}; {} has it", sealed(seal), line(to)),
        Fact::ReplyAnew => "the reply is made anew".to_owned(),
        Fact::FirstMove(by) => format!("{} made a first move since the resumption", by.name()),
        Fact::FlagFell(by, at) => format!("{}'s flag fell at {}", by.name(), when(*at)),
        Fact::FoundLate(late) => format!("too late: {}; the sealed move may still decide", players(*late)),
        Fact::Excused(player) => format!("{} may come late", player.name()),
        Fact::EnvelopeLost => "the envelope is lost".to_owned(),
        Fact::ClockCorrected(hands) => format!("the clocks are corrected: {}", both(hands)),
        Fact::Proposed(proposal) => {
            let ways: Vec<_> =
                proposal.ways.iter().map(|way| format!("{}: {}", line(&way.key), line(&way.words.en))).collect();
            format!("the arbiter is asked: {}", ways.join(" | "))
        }
        Fact::Chosen(key) => format!("the arbiter decided {}", line(key)),
        Fact::Ended(outcome, reason) => {
            format!("the game ended {}, {}", outcome.unwrap_or(Outcome::BothLose).pgn(), ended(*reason))
        }
        Fact::Annulled => "the game is annulled".to_owned(),
    }
}

const fn ended(reason: Reason) -> &'static str {
    match reason {
        Reason::Agreement => "agreement",
        Reason::Resignation => "resignation",
        Reason::Flag => "flag",
        Reason::Checkmate => "mate",
        Reason::Stalemate => "stalemate",
        Reason::DeadPosition => "dead position",
        Reason::SealedMove => "by the sealed move",
        Reason::Late => "too late",
    }
}

fn players(of: [bool; 2]) -> String {
    let named = Colour::BOTH.into_iter().filter(|colour| of[colour.index()]).map(Colour::name);
    named.collect::<Vec<_>>().join(" and ")
}

fn stands(situation: &Situation) -> String {
    format!("{}; {}", line(&situation.position), both(&situation.hands))
}

/// The beginning of a commitment, enough to tell two apart.
fn sealed(seal: &Seal) -> String {
    let [a, b, c, d, ..] = seal.commitment;
    format!("commitment {a:02x}{b:02x}{c:02x}{d:02x}")
}

fn held(session: Session) -> String {
    let end = session.end.map_or_else(|| "its end is open".to_owned(), |end| format!("until {}", when(end)));
    format!("from {} {end}", when(session.start))
}

fn appointed(resumption: &Resumption) -> String {
    let Resumption { date, time, venue, session } = resumption;
    format!("{} {} at {}, {}", line(date), line(time), line(venue), held(*session))
}

fn written(envelope: &Envelope) -> String {
    let name = |colour: Colour| envelope.names[colour.index()].as_deref().map_or("?".to_owned(), line);
    let [white, black] = Colour::BOTH.map(name);
    let used = envelope.used.map(time);
    let offer = envelope.draw_offer.map(|by| format!(", {} offers a draw", by.name())).unwrap_or_default();
    let (sealer, number) = (envelope.sealer.name(), envelope.move_number);
    let goes_on = envelope.resumption.as_ref().map(|resumption| format!(", goes on {}", appointed(resumption)));
    format!(
        "{white} – {black}, {sealer} sealed move {number}, {}; {}; used {} – {}{offer}{}",
        line(&envelope.position),
        both(&envelope.hands),
        used[0],
        used[1],
        goes_on.unwrap_or_default()
    )
}

fn when(ms: Millis) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| format!("{ms} ms"), |time| time.to_string())
}
