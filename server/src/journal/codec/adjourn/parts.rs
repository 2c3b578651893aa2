//! What deeds and facts speak of.

use flagfall_proto::{
    convert::{self, Refused},
    journal::v1,
};
use flagfall_rules::{
    adjourn::{Envelope, Resumption, Seal, Session, Situation},
    clock::Hand,
    time::Millis,
};

use super::super::{directive::colour_number, event::colour, required, text};

/// Both halves of a clock as a message.
#[must_use]
pub fn hands_to_proto(hands: &[Hand; 2]) -> v1::BothHands {
    let [white, black] = hands.map(|hand| Some(hand.into()));
    v1::BothHands { white, black }
}

/// A half that is not there is not known.
pub(super) fn hands(hands: Option<v1::BothHands>) -> Result<[Hand; 2], Refused> {
    let v1::BothHands { white, black } = hands.unwrap_or_default();
    let unknown = Some(Hand::fresh(None).into());
    convert::hands(white.or(unknown), black.or(unknown))
}

/// A session as a message.
#[must_use]
pub fn session_to_proto(session: Session) -> v1::PlaySession {
    v1::PlaySession { start_ms: session.start, end_ms: session.end }
}

pub(super) fn session(session: v1::PlaySession) -> Session {
    Session { start: session.start_ms, end: session.end_ms }
}

/// A resumption as a message.
#[must_use]
pub fn resumption_to_proto(resumption: &Resumption) -> v1::Resumption {
    v1::Resumption {
        date: resumption.date.clone(),
        time: resumption.time.clone(),
        venue: resumption.venue.clone(),
        session: Some(session_to_proto(resumption.session)),
    }
}

pub(super) fn resumption(resumption: v1::Resumption) -> Result<Resumption, Refused> {
    let session = session(required("resumption.session", resumption.session)?);
    Ok(Resumption { date: resumption.date, time: resumption.time, venue: resumption.venue, session })
}

/// A seal as a message.
#[must_use]
pub fn seal_to_proto(seal: &Seal) -> v1::Seal {
    v1::Seal { commitment: seal.commitment.to_vec(), ciphertext: seal.ciphertext.clone() }
}

pub(super) fn seal(seal: v1::Seal) -> Result<Seal, Refused> {
    let commitment = seal.commitment.try_into().map_err(|bytes: Vec<u8>| {
        Refused::new("seal.commitment", format!("a commitment is 32 bytes long, this has {}", bytes.len()))
    })?;
    Ok(Seal { commitment, ciphertext: seal.ciphertext })
}

fn names_to_proto(names: &[Option<String>; 2]) -> Option<v1::PlayerNames> {
    let [white, black] = names.clone().map(Option::unwrap_or_default);
    (names != &[None, None]).then_some(v1::PlayerNames { white, black })
}

fn names(names: Option<v1::PlayerNames>) -> [Option<String>; 2] {
    let v1::PlayerNames { white, black } = names.unwrap_or_default();
    [text(white), text(black)]
}

fn times_to_proto([white_ms, black_ms]: [Option<Millis>; 2]) -> Option<v1::TimeOfEach> {
    let times = v1::TimeOfEach { white_ms, black_ms };
    (times != v1::TimeOfEach::default()).then_some(times)
}

fn times(times: Option<v1::TimeOfEach>) -> [Option<Millis>; 2] {
    let v1::TimeOfEach { white_ms, black_ms } = times.unwrap_or_default();
    [white_ms, black_ms]
}

pub(super) fn situation_to_proto(situation: &Situation) -> v1::Situation {
    v1::Situation {
        names: names_to_proto(&situation.names),
        position: situation.position.clone(),
        hands: Some(hands_to_proto(&situation.hands)),
        allotted: times_to_proto(situation.allotted),
        draw_offer: colour_number(situation.draw_offer),
    }
}

pub(super) fn situation(situation: v1::Situation) -> Result<Situation, Refused> {
    Ok(Situation {
        names: names(situation.names),
        position: situation.position,
        hands: hands(situation.hands)?,
        allotted: times(situation.allotted),
        draw_offer: convert::maybe_colour(situation.draw_offer).map_err(|e| e.at("situation.draw_offer"))?,
    })
}

/// What stands on an envelope, as a message.
#[must_use]
pub fn envelope_to_proto(envelope: &Envelope) -> v1::Envelope {
    v1::Envelope {
        names: names_to_proto(&envelope.names),
        position: envelope.position.clone(),
        used: times_to_proto(envelope.used),
        hands: Some(hands_to_proto(&envelope.hands)),
        sealer: colour_number(envelope.sealer),
        move_number: envelope.move_number,
        draw_offer: colour_number(envelope.draw_offer),
        resumption: envelope.resumption.as_ref().map(resumption_to_proto),
    }
}

pub(super) fn envelope(envelope: v1::Envelope) -> Result<Envelope, Refused> {
    Ok(Envelope {
        names: names(envelope.names),
        position: envelope.position,
        used: times(envelope.used),
        hands: hands(envelope.hands)?,
        sealer: colour("envelope.sealer", envelope.sealer)?,
        move_number: envelope.move_number,
        draw_offer: convert::maybe_colour(envelope.draw_offer).map_err(|e| e.at("envelope.draw_offer"))?,
        resumption: envelope.resumption.map(resumption).transpose()?,
    })
}
