//! What was typed, as the contract's deed.

use flagfall_proto::{
    clock::v1::{Colour as Wire, Hand},
    journal::v1::{
        self, AdjournmentDeed, BothHands, EnvelopeChecked, PlainDeed, PlaySession, PlayerNames, Presence, SetUpAgain,
        SheetIn, Situation, TimeOfEach, adjournment_deed::Deed,
    },
};
use flagfall_rules::clock::Colour;

use super::{
    super::DeskError,
    Client,
    args::{DeedArgs, SituationArgs, TimesArgs},
    sealed, standing,
};

/// The deed; a sealed move is sealed or opened on the way.
pub(super) async fn of(client: &mut Client, game: &str, args: &DeedArgs) -> Result<AdjournmentDeed, DeskError> {
    let plain = |deed: PlainDeed| Deed::Plain(deed.into());
    let deed = match args {
        DeedArgs::Keygen { .. } => return Err(DeskError::Usage("keygen needs no game".to_owned())),
        DeedArgs::Envelope { .. } | DeedArgs::Unseal { .. } => {
            return Err(DeskError::Usage("envelope and unseal need no service".to_owned()));
        }
        DeedArgs::Announce { start, end } => Deed::Announce(PlaySession {
            start_ms: start.as_millisecond(),
            end_ms: end.map(|end| end.as_millisecond()),
        }),
        DeedArgs::EndSession(args) => Deed::EndSession(situation(args)),
        DeedArgs::Early(args) => Deed::AdjournEarly(situation(args)),
        DeedArgs::Seal { by } => Deed::Write(sealed::seal(client, game, Some(*by)).await?),
        DeedArgs::OnBoard { made } => Deed::MoveOnBoard(made.to_string()),
        DeedArgs::Sheet { of, electronic } => Deed::SheetIn(SheetIn { of: number(*of), paper: !electronic }),
        DeedArgs::Close => plain(PlainDeed::CloseEnvelope),
        DeedArgs::StopClock { times, opponent_runs } => {
            Deed::StopClock(v1::ClockStopped { hands: hands(times), opponent_runs: *opponent_runs })
        }
        DeedArgs::Appoint { start, end, venue } => {
            let zoned = start.to_zoned(jiff::tz::TimeZone::system());
            Deed::Appoint(v1::Resumption {
                date: zoned.strftime("%Y-%m-%d").to_string(),
                time: zoned.strftime("%H:%M").to_string(),
                venue: venue.clone(),
                session: Some(PlaySession {
                    start_ms: start.as_millisecond(),
                    end_ms: end.map(|end| end.as_millisecond()),
                }),
            })
        }
        DeedArgs::Check { .. } => Deed::Check(checked(client, game, args).await?),
        DeedArgs::HandOver { to } => Deed::HandOver(to.clone()),
        DeedArgs::Offer { by } => Deed::OfferDraw(number(*by)),
        DeedArgs::Accept { by } => Deed::AcceptDraw(number(*by)),
        DeedArgs::Decline { by } => Deed::DeclineDraw(number(*by)),
        DeedArgs::Agree => plain(PlainDeed::AgreeDraw),
        DeedArgs::Resign { by } => Deed::Resign(number(*by)),
        DeedArgs::SetUp(times) => Deed::SetUp(SetUpAgain { times: hands(times) }),
        DeedArgs::Came { player } => Deed::Presence(Presence { player: number(*player), here: true }),
        DeedArgs::Went { player } => Deed::Presence(Presence { player: number(*player), here: false }),
        DeedArgs::Begin => plain(PlainDeed::Begin),
        DeedArgs::StopOnArrival => plain(PlainDeed::StopOnArrival),
        DeedArgs::Open { identity } => Deed::Opened(sealed::open(client, game, identity, false).await?),
        DeedArgs::Stated { text } => Deed::Stated(text.clone()),
        DeedArgs::Reply { reply } => Deed::Reply(reply.to_string()),
        DeedArgs::SealReply { to } => {
            Deed::SealReply(v1::ReplySeal { seal: Some(sealed::seal(client, game, None).await?), to: to.clone() })
        }
        DeedArgs::OpenReply { identity } => Deed::ReplyOpened(sealed::open(client, game, identity, true).await?),
        DeedArgs::FirstMove { by } => Deed::FirstMove(number(*by)),
        DeedArgs::Flag { by } => Deed::FlagFell(number(*by)),
        DeedArgs::Late => plain(PlainDeed::LookForLate),
        DeedArgs::Excuse { player } => Deed::Excuse(number(*player)),
        DeedArgs::Lost { position_unknown } => {
            Deed::EnvelopeLost(v1::EnvelopeMissing { position_known: !position_unknown })
        }
        DeedArgs::ClockError { by, times } => Deed::ClockError(v1::ClockWrong { by: number(*by), hands: hands(times) }),
        DeedArgs::Choose { key } => Deed::Choose(key.clone()),
    };
    Ok(AdjournmentDeed { deed: Some(deed) })
}

fn number(colour: Colour) -> i32 {
    Wire::from(colour).into()
}

/// What the game itself tells is left out.
fn situation(args: &SituationArgs) -> Situation {
    let [white, black] = [&args.white, &args.black].map(|name| name.clone().unwrap_or_default());
    Situation {
        names: Some(PlayerNames { white, black }),
        position: args.position.clone(),
        hands: None,
        allotted: None,
        draw_offer: args.offer.map_or(0, number),
    }
}

/// The times given; the counters, and what is not given, are the service's to fill in.
fn hands(times: &TimesArgs) -> Option<BothHands> {
    let hand = |left: Option<i64>| left.map(|left| Hand { left_ms: Some(left), ..Hand::default() });
    (times.white.is_some() || times.black.is_some())
        .then(|| BothHands { white: hand(times.white), black: hand(times.black) })
}

/// The envelope as it should be: as it is, but for what was typed.
async fn checked(client: &mut Client, game: &str, args: &DeedArgs) -> Result<EnvelopeChecked, DeskError> {
    let DeedArgs::Check { white, black, white_used, black_used, white_left, black_left, position } = args else {
        return Ok(EnvelopeChecked::default());
    };
    let times = [white_used, black_used, white_left, black_left];
    let as_it_is = [white, black, position].iter().all(|text| text.is_none()) && times.iter().all(|ms| ms.is_none());
    if as_it_is {
        return Ok(EnvelopeChecked::default());
    }
    let (_, adjournment) = standing(client, game).await?;
    let none = || DeskError::Unfit(format!("{game} has no envelope yet: seal it and stop the clock first"));
    let mut envelope = adjournment.envelope.ok_or_else(none)?;
    let mut names = envelope.names.take().unwrap_or_default();
    names.white = white.clone().unwrap_or(names.white);
    names.black = black.clone().unwrap_or(names.black);
    let used = envelope.used.take().unwrap_or_default();
    let used = TimeOfEach { white_ms: white_used.or(used.white_ms), black_ms: black_used.or(used.black_ms) };
    let mut hands = envelope.hands.take().unwrap_or_default();
    for (hand, left) in [(&mut hands.white, white_left), (&mut hands.black, black_left)] {
        let known = hand.unwrap_or_default();
        *hand = Some(Hand { left_ms: left.or(known.left_ms), ..known });
    }
    (envelope.names, envelope.used, envelope.hands) = (Some(names), Some(used), Some(hands));
    envelope.position = position.clone().unwrap_or(envelope.position);
    Ok(EnvelopeChecked { correction: Some(envelope) })
}
