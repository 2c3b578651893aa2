//! What is done about an adjournment.

use flagfall_proto::{
    convert::Refused,
    journal::v1::{self, adjournment_deed::Deed as Message},
};
use flagfall_rules::adjourn::Deed;

use super::{
    super::{
        directive::colour_number,
        event::{colour, uci},
        required,
    },
    parts,
};

/// A deed as a message; the nonce goes with an opened text.
pub(in super::super) fn deed_to_proto(deed: &Deed, nonce: &[u8]) -> v1::AdjournmentDeed {
    let plain = |plain: v1::PlainDeed| Message::Plain(plain.into());
    let opened = |text: &String| v1::Opened { text: text.clone(), nonce: nonce.to_vec() };
    let deed = match deed {
        Deed::Announce(session) => Message::Announce(parts::session_to_proto(*session)),
        Deed::EndSession(situation) => Message::EndSession(parts::situation_to_proto(situation)),
        Deed::AdjournEarly(situation) => Message::AdjournEarly(parts::situation_to_proto(situation)),
        Deed::Write(seal) => Message::Write(parts::seal_to_proto(seal)),
        Deed::MoveOnBoard(uci) => Message::MoveOnBoard(uci.to_string()),
        Deed::SheetIn { of, paper } => Message::SheetIn(v1::SheetIn { of: colour_number(*of), paper: *paper }),
        Deed::CloseEnvelope => plain(v1::PlainDeed::CloseEnvelope),
        Deed::StopClock { hands, opponent_runs } => Message::StopClock(v1::ClockStopped {
            hands: Some(parts::hands_to_proto(hands)),
            opponent_runs: *opponent_runs,
        }),
        Deed::Appoint(resumption) => Message::Appoint(parts::resumption_to_proto(resumption)),
        Deed::Check(correction) => Message::Check(v1::EnvelopeChecked {
            correction: correction.as_ref().map(|envelope| parts::envelope_to_proto(envelope)),
        }),
        Deed::HandOver(to) => Message::HandOver(to.clone()),
        Deed::OfferDraw(by) => Message::OfferDraw(colour_number(*by)),
        Deed::AcceptDraw(by) => Message::AcceptDraw(colour_number(*by)),
        Deed::DeclineDraw(by) => Message::DeclineDraw(colour_number(*by)),
        Deed::AgreeDraw => plain(v1::PlainDeed::AgreeDraw),
        Deed::Resign(by) => Message::Resign(colour_number(*by)),
        Deed::SetUp { times } => Message::SetUp(v1::SetUpAgain { times: times.as_ref().map(parts::hands_to_proto) }),
        Deed::Presence { player, here } => {
            Message::Presence(v1::Presence { player: colour_number(*player), here: *here })
        }
        Deed::Begin => plain(v1::PlainDeed::Begin),
        Deed::StopOnArrival => plain(v1::PlainDeed::StopOnArrival),
        Deed::Opened(text) => Message::Opened(opened(text)),
        Deed::Stated(text) => Message::Stated(text.clone()),
        Deed::Reply(uci) => Message::Reply(uci.to_string()),
        Deed::SealReply { seal, to } => {
            Message::SealReply(v1::ReplySeal { seal: Some(parts::seal_to_proto(seal)), to: to.clone() })
        }
        Deed::ReplyOpened(text) => Message::ReplyOpened(opened(text)),
        Deed::FirstMove(by) => Message::FirstMove(colour_number(*by)),
        Deed::FlagFell(by) => Message::FlagFell(colour_number(*by)),
        Deed::LookForLate => plain(v1::PlainDeed::LookForLate),
        Deed::Excuse(player) => Message::Excuse(colour_number(*player)),
        Deed::EnvelopeLost { position_known } => {
            Message::EnvelopeLost(v1::EnvelopeMissing { position_known: *position_known })
        }
        Deed::ClockError { by, hands } => {
            Message::ClockError(v1::ClockWrong { by: colour_number(*by), hands: Some(parts::hands_to_proto(hands)) })
        }
        Deed::Choose(key) => Message::Choose(key.clone()),
    };
    v1::AdjournmentDeed { deed: Some(deed) }
}

/// A deed out of a message, and the nonce of an opened text.
pub(in super::super) fn deed_from_proto(deed: v1::AdjournmentDeed) -> Result<(Deed, Vec<u8>), Refused> {
    let mut nonce = Vec::new();
    let deed = match required("deed", deed.deed)? {
        Message::Announce(session) => Deed::Announce(parts::session(session)),
        Message::EndSession(situation) => Deed::EndSession(Box::new(parts::situation(situation)?)),
        Message::AdjournEarly(situation) => Deed::AdjournEarly(Box::new(parts::situation(situation)?)),
        Message::Write(seal) => Deed::Write(parts::seal(seal)?),
        Message::MoveOnBoard(letters) => Deed::MoveOnBoard(uci("deed.move_on_board", &letters)?),
        Message::SheetIn(sheet) => Deed::SheetIn { of: colour("sheet_in.of", sheet.of)?, paper: sheet.paper },
        Message::Plain(plain) => plainly(plain)?,
        Message::StopClock(stopped) => {
            Deed::StopClock { hands: parts::hands(stopped.hands)?, opponent_runs: stopped.opponent_runs }
        }
        Message::Appoint(resumption) => Deed::Appoint(parts::resumption(resumption)?),
        Message::Check(checked) => Deed::Check(checked.correction.map(parts::envelope).transpose()?.map(Box::new)),
        Message::HandOver(to) => Deed::HandOver(to),
        Message::OfferDraw(by) => Deed::OfferDraw(colour("deed.offer_draw", by)?),
        Message::AcceptDraw(by) => Deed::AcceptDraw(colour("deed.accept_draw", by)?),
        Message::DeclineDraw(by) => Deed::DeclineDraw(colour("deed.decline_draw", by)?),
        Message::Resign(by) => Deed::Resign(colour("deed.resign", by)?),
        Message::SetUp(again) => {
            let times = again.times.map(|times| parts::hands(Some(times))).transpose()?;
            Deed::SetUp { times }
        }
        Message::Presence(presence) => {
            Deed::Presence { player: colour("presence.player", presence.player)?, here: presence.here }
        }
        Message::Opened(opened) => {
            nonce = opened.nonce;
            Deed::Opened(opened.text)
        }
        Message::Stated(text) => Deed::Stated(text),
        Message::Reply(letters) => Deed::Reply(uci("deed.reply", &letters)?),
        Message::SealReply(reply) => {
            Deed::SealReply { seal: parts::seal(required("seal_reply.seal", reply.seal)?)?, to: reply.to }
        }
        Message::ReplyOpened(opened) => {
            nonce = opened.nonce;
            Deed::ReplyOpened(opened.text)
        }
        Message::FirstMove(by) => Deed::FirstMove(colour("deed.first_move", by)?),
        Message::FlagFell(by) => Deed::FlagFell(colour("deed.flag_fell", by)?),
        Message::Excuse(player) => Deed::Excuse(colour("deed.excuse", player)?),
        Message::EnvelopeLost(missing) => Deed::EnvelopeLost { position_known: missing.position_known },
        Message::ClockError(wrong) => {
            Deed::ClockError { by: colour("clock_error.by", wrong.by)?, hands: parts::hands(wrong.hands)? }
        }
        Message::Choose(key) => Deed::Choose(key),
    };
    Ok((deed, nonce))
}

fn plainly(plain: i32) -> Result<Deed, Refused> {
    match v1::PlainDeed::try_from(plain) {
        Ok(v1::PlainDeed::CloseEnvelope) => Ok(Deed::CloseEnvelope),
        Ok(v1::PlainDeed::AgreeDraw) => Ok(Deed::AgreeDraw),
        Ok(v1::PlainDeed::Begin) => Ok(Deed::Begin),
        Ok(v1::PlainDeed::StopOnArrival) => Ok(Deed::StopOnArrival),
        Ok(v1::PlainDeed::LookForLate) => Ok(Deed::LookForLate),
        Ok(v1::PlainDeed::Unspecified) => Err(Refused::new("deed.plain", "not specified")),
        Err(_) => Err(Refused::new("deed.plain", format!("{plain} is not known"))),
    }
}
