//! The fields of a form as a deed of the contract.

use flagfall_proto::{
    clock::v1::{Colour, Hand},
    desk::v1::AdjournmentSnapshot,
    journal::v1::{
        self, AdjournmentDeed, BothHands, EnvelopeChecked, PlainDeed, PlaySession, PlayerNames, Presence, SetUpAgain,
        SheetIn, Situation, TimeOfEach, adjournment_deed::Deed,
    },
};
use tonic::Status;

use super::super::by_hand::{bad, side};
use crate::{
    desk::reading,
    seal::{Proof, Sealed},
};

/// What a step's form says. What the game itself tells is left out: the service fills it in.
pub(in super::super) fn deed(
    get: &impl Fn(&str) -> String,
    stands: Option<&AdjournmentSnapshot>,
) -> Result<AdjournmentDeed, Status> {
    let plain = |deed: PlainDeed| Deed::Plain(deed.into());
    let player = || side(&get("player")).map(i32::from);
    let key = get("step");
    let deed = match key.as_str() {
        "announce" => Deed::Announce(session(get)?),
        "end-session" => Deed::EndSession(situation(get)?),
        "early" => Deed::AdjournEarly(situation(get)?),
        "seal" => Deed::Write(sealed(get)?),
        "on-board" => Deed::MoveOnBoard(given(get, "move")?),
        "sheet" => Deed::SheetIn(SheetIn { of: player()?, paper: get("electronic") != "yes" }),
        "close" => plain(PlainDeed::CloseEnvelope),
        "stop-clock" => {
            Deed::StopClock(v1::ClockStopped { hands: hands(get)?, opponent_runs: get("opponent_runs") == "yes" })
        }
        "appoint" => Deed::Appoint(resumption(get)?),
        "check" => Deed::Check(checked(get, stands)?),
        "hand-over" => Deed::HandOver(given(get, "to")?),
        "offer" => Deed::OfferDraw(player()?),
        "accept" => Deed::AcceptDraw(player()?),
        "decline" => Deed::DeclineDraw(player()?),
        "agree" => plain(PlainDeed::AgreeDraw),
        "resign" => Deed::Resign(player()?),
        "set-up" => Deed::SetUp(SetUpAgain { times: hands(get)? }),
        "came" => Deed::Presence(Presence { player: player()?, here: true }),
        "went" => Deed::Presence(Presence { player: player()?, here: false }),
        "begin" => plain(PlainDeed::Begin),
        "stop-on-arrival" => plain(PlainDeed::StopOnArrival),
        "open" => Deed::Opened(opened(get)?),
        "stated" => Deed::Stated(given(get, "stated")?),
        "reply" => Deed::Reply(given(get, "move")?),
        "seal-reply" => Deed::SealReply(v1::ReplySeal { seal: Some(sealed(get)?), to: given(get, "to")? }),
        "open-reply" => Deed::ReplyOpened(opened(get)?),
        "first-move" => Deed::FirstMove(player()?),
        "flag" => Deed::FlagFell(player()?),
        "late" => plain(PlainDeed::LookForLate),
        "excuse" => Deed::Excuse(player()?),
        "lost" => Deed::EnvelopeLost(v1::EnvelopeMissing { position_known: get("position_unknown") != "yes" }),
        "clock-error" => Deed::ClockError(v1::ClockWrong { by: player()?, hands: hands(get)? }),
        "choose" => Deed::Choose(given(get, "way")?),
        other => return Err(bad("step", &format!("there is no step called {other:?}"))),
    };
    Ok(AdjournmentDeed { deed: Some(deed) })
}

fn given(get: &impl Fn(&str) -> String, field: &'static str) -> Result<String, Status> {
    Some(get(field)).filter(|text| !text.is_empty()).ok_or_else(|| bad(field, "missing"))
}

/// A date and time as a form gives it, in the zone of the service.
fn instant(get: &impl Fn(&str) -> String, field: &'static str) -> Result<Option<jiff::Zoned>, Status> {
    let text = get(field);
    if text.is_empty() {
        return Ok(None);
    }
    let civil: Option<jiff::civil::DateTime> = text.parse().ok();
    let zoned = civil.and_then(|civil| civil.to_zoned(jiff::tz::TimeZone::system()).ok());
    zoned.map(Some).ok_or_else(|| bad(field, "expected a date and time such as 2026-05-02T10:00"))
}

fn begins(get: &impl Fn(&str) -> String) -> Result<jiff::Zoned, Status> {
    instant(get, "start")?.ok_or_else(|| bad("start", "missing"))
}

fn session(get: &impl Fn(&str) -> String) -> Result<PlaySession, Status> {
    let end_ms = instant(get, "end")?.map(|end| end.timestamp().as_millisecond());
    Ok(PlaySession { start_ms: begins(get)?.timestamp().as_millisecond(), end_ms })
}

fn resumption(get: &impl Fn(&str) -> String) -> Result<v1::Resumption, Status> {
    let start = begins(get)?;
    Ok(v1::Resumption {
        date: start.strftime("%Y-%m-%d").to_string(),
        time: start.strftime("%H:%M").to_string(),
        venue: given(get, "venue")?,
        session: Some(session(get)?),
    })
}

fn situation(get: &impl Fn(&str) -> String) -> Result<Situation, Status> {
    let draw_offer = match get("offer_by").as_str() {
        "" => Colour::Unspecified,
        text => side(text)?,
    };
    Ok(Situation {
        names: Some(PlayerNames { white: get("white_name"), black: get("black_name") }),
        position: get("position"),
        hands: None,
        allotted: None,
        draw_offer: draw_offer.into(),
    })
}

fn time(get: &impl Fn(&str) -> String, field: &'static str) -> Result<Option<i64>, Status> {
    match get(field).as_str() {
        "" => Ok(None),
        text => reading(text).map(Some).map_err(|why| bad(field, why)),
    }
}

/// The times given; the counters, and what is not given, are the service's to fill in.
fn hands(get: &impl Fn(&str) -> String) -> Result<Option<BothHands>, Status> {
    let (white, black) = (time(get, "white")?, time(get, "black")?);
    let hand = |left: Option<i64>| left.map(|left| Hand { left_ms: Some(left), ..Hand::default() });
    Ok((white.is_some() || black.is_some()).then(|| BothHands { white: hand(white), black: hand(black) }))
}

fn sealed(get: &impl Fn(&str) -> String) -> Result<v1::Seal, Status> {
    let sealed: Sealed =
        get("envelope").parse().map_err(|why: crate::seal::SealError| bad("envelope", &why.to_string()))?;
    Ok(v1::Seal { commitment: sealed.commitment.to_vec(), ciphertext: sealed.ciphertext })
}

fn opened(get: &impl Fn(&str) -> String) -> Result<v1::Opened, Status> {
    let proof: Proof = get("proof").parse().map_err(|why: crate::seal::SealError| bad("proof", &why.to_string()))?;
    Ok(v1::Opened { text: proof.text, nonce: proof.nonce.to_vec() })
}

/// The envelope as it should be: as it is, but for what was typed.
fn checked(get: &impl Fn(&str) -> String, stands: Option<&AdjournmentSnapshot>) -> Result<EnvelopeChecked, Status> {
    const TYPED: [&str; 7] = ["white_name", "black_name", "white_used", "black_used", "white", "black", "position"];
    if TYPED.iter().all(|field| get(field).is_empty()) {
        return Ok(EnvelopeChecked::default());
    }
    let none = || bad("step", "there is no envelope yet: seal it and stop the clock first");
    let mut envelope = stands.and_then(|stands| stands.envelope.clone()).ok_or_else(none)?;
    let text = |field: &str, now: String| Some(get(field)).filter(|text| !text.is_empty()).unwrap_or(now);
    let PlayerNames { white, black } = envelope.names.take().unwrap_or_default();
    envelope.names = Some(PlayerNames { white: text("white_name", white), black: text("black_name", black) });
    let used = envelope.used.take().unwrap_or_default();
    envelope.used = Some(TimeOfEach {
        white_ms: time(get, "white_used")?.or(used.white_ms),
        black_ms: time(get, "black_used")?.or(used.black_ms),
    });
    let mut hands = envelope.hands.take().unwrap_or_default();
    for (hand, field) in [(&mut hands.white, "white"), (&mut hands.black, "black")] {
        let known = hand.unwrap_or_default();
        *hand = Some(Hand { left_ms: time(get, field)?.or(known.left_ms), ..known });
    }
    envelope.hands = Some(hands);
    envelope.position = text("position", envelope.position);
    Ok(EnvelopeChecked { correction: Some(envelope) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(fields: &[(&str, &str)], stands: Option<&AdjournmentSnapshot>) -> Result<Deed, Status> {
        let get = |field: &str| fields.iter().find(|(name, _)| *name == field).map_or("", |(_, text)| text).to_owned();
        deed(&get, stands).map(|deed| deed.deed.expect("a deed"))
    }

    #[test]
    fn every_step_of_the_page_is_a_deed_or_says_which_field_is_missing() {
        for step in super::super::steps::STEPS {
            let answer = said(&[("step", step.key)], None);
            let needs = !step.must.is_empty();
            match answer {
                Ok(_) => assert!(!needs, "{} asks for nothing", step.key),
                Err(status) => {
                    assert!(needs && status.message().starts_with("BAD_REQUEST: "), "{}: {status}", step.key)
                }
            }
        }
        assert!(said(&[("step", "dance")], None).expect_err("none").message().contains("step"));
    }

    #[test]
    fn only_what_was_typed_is_corrected_on_an_envelope() {
        let hand = |left| Some(Hand { left_ms: Some(left), moves: 40, period: 1, flagged: false });
        let envelope = v1::Envelope {
            names: Some(PlayerNames { white: "A".into(), black: String::new() }),
            position: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
            used: Some(TimeOfEach { white_ms: Some(60_000), black_ms: None }),
            hands: Some(BothHands { white: hand(1_000), black: hand(2_000) }),
            ..v1::Envelope::default()
        };
        let stands = AdjournmentSnapshot { envelope: Some(envelope), ..AdjournmentSnapshot::default() };
        let as_it_is = said(&[("step", "check")], Some(&stands)).expect("checked");
        assert_eq!(as_it_is, Deed::Check(EnvelopeChecked { correction: None }));
        let typed = [("step", "check"), ("black_name", "B"), ("black_used", "1:00:00"), ("white", "0:05")];
        let Deed::Check(EnvelopeChecked { correction: Some(right) }) = said(&typed, Some(&stands)).expect("checked")
        else {
            panic!("nothing was corrected");
        };
        assert_eq!(right.names, Some(PlayerNames { white: "A".into(), black: "B".into() }));
        assert_eq!(right.used, Some(TimeOfEach { white_ms: Some(60_000), black_ms: Some(3_600_000) }));
        let hands = right.hands.expect("hands");
        assert_eq!((hands.white, hands.black), (hand(5_000), hand(2_000)));
    }

    #[test]
    fn what_is_no_time_no_envelope_and_no_proof_is_named() {
        for (fields, field) in [
            (&[("step", "announce"), ("start", "tomorrow")][..], "start"),
            (&[("step", "announce"), ("start", "2026-13-45T99:00")][..], "start"),
            (&[("step", "seal"), ("envelope", "e4")][..], "envelope"),
            (&[("step", "seal"), ("envelope", "flagfall-sealed-zz")][..], "envelope"),
            (&[("step", "open"), ("proof", "flagfall-opened-00 e4")][..], "proof"),
            (&[("step", "stop-clock"), ("white", "99:99:99")][..], "white"),
            (&[("step", "came"), ("player", "red")][..], "side"),
        ] {
            let refused = said(fields, None).expect_err(field);
            assert!(refused.message().starts_with(&format!("BAD_REQUEST: {field}: ")), "{refused}");
        }
    }
}
