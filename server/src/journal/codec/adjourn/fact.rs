//! What follows in an adjournment.

use flagfall_proto::{
    convert::Refused,
    journal::v1::{self, adjournment_event::Fact as Message, adjournment_way},
};
use flagfall_rules::{
    adjourn::{Event, Fact, Proposal, Reason, Then, Way},
    clock::Colour,
    game::Outcome,
};

use super::{
    super::{
        directive::{colour_number, read_words, words},
        event::{colour, uci},
        numbers::Numbered,
        required,
    },
    parts,
};

/// An event of an adjournment as a message.
pub(in super::super) fn event_to_proto(event: &Event) -> v1::AdjournmentEvent {
    let plain = |plain: v1::PlainFact| Message::Plain(plain.into());
    let fact = match &event.fact {
        Fact::Announced(session) => Message::Announced(parts::session_to_proto(*session)),
        Fact::SealingBegan(situation) => Message::SealingBegan(parts::situation_to_proto(situation)),
        Fact::AdjournedEarly(situation, charged_ms) => Message::AdjournedEarly(v1::AdjournedEarly {
            situation: Some(parts::situation_to_proto(situation)),
            charged_ms: *charged_ms,
        }),
        Fact::Written(seal) => Message::Written(parts::seal_to_proto(seal)),
        Fact::MadeOnBoard(uci) => Message::MadeOnBoard(uci.to_string()),
        Fact::SheetIn(of) => Message::SheetIn(colour_number(*of)),
        Fact::Closed => plain(v1::PlainFact::Closed),
        Fact::Adjourned(envelope) => Message::Adjourned(parts::envelope_to_proto(envelope)),
        Fact::Appointed(resumption) => Message::Appointed(parts::resumption_to_proto(resumption)),
        Fact::Checked(envelope) => Message::Checked(parts::envelope_to_proto(envelope)),
        Fact::HandedOver(to) => Message::HandedOver(to.clone()),
        Fact::Offered(by) => Message::Offered(colour_number(*by)),
        Fact::Declined => plain(v1::PlainFact::Declined),
        Fact::SetUp(hands) => Message::SetUp(parts::hands_to_proto(hands)),
        Fact::Came(player) => Message::Came(colour_number(*player)),
        Fact::Went(player) => Message::Went(colour_number(*player)),
        Fact::Began => plain(v1::PlainFact::Began),
        Fact::BeganWaiting => plain(v1::PlainFact::BeganWaiting),
        Fact::StoppedOnArrival => plain(v1::PlainFact::StoppedOnArrival),
        Fact::Read(text) => Message::Read(text.clone()),
        Fact::SealedMoveMade(uci) => Message::SealedMoveMade(uci.to_string()),
        Fact::Replied(uci) => Message::Replied(uci.to_string()),
        Fact::ReplySealed(seal, to) => {
            Message::ReplySealed(v1::ReplySeal { seal: Some(parts::seal_to_proto(seal)), to: to.clone() })
        }
        Fact::ReplyAnew => plain(v1::PlainFact::ReplyAnew),
        Fact::FirstMove(by) => Message::FirstMove(colour_number(*by)),
        Fact::FlagFell(by, at_ms) => Message::FlagFell(v1::FlagFellAt { colour: colour_number(*by), at_ms: *at_ms }),
        Fact::FoundLate(late) => Message::FoundLate(each(*late)),
        Fact::Excused(player) => Message::Excused(colour_number(*player)),
        Fact::EnvelopeLost => plain(v1::PlainFact::EnvelopeLost),
        Fact::ClockCorrected(hands) => Message::ClockCorrected(parts::hands_to_proto(hands)),
        Fact::Proposed(proposal) => Message::Proposed(proposal_to_proto(proposal)),
        Fact::Chosen(key) => Message::Chosen(key.clone()),
        Fact::Ended(outcome, reason) => Message::Ended(end_to_proto(*outcome, *reason)),
        Fact::Annulled => plain(v1::PlainFact::Annulled),
    };
    v1::AdjournmentEvent { at_ms: event.at, article: event.article.clone(), fact: Some(fact) }
}

/// An event of an adjournment out of a message.
pub(in super::super) fn event_from_proto(event: v1::AdjournmentEvent) -> Result<Event, Refused> {
    let who = |number: i32| -> Result<Colour, Refused> { colour("adjournment.player", number) };
    let made = |letters: &str| uci("adjournment.move", letters);
    let fact = match required("adjournment.fact", event.fact)? {
        Message::Announced(session) => Fact::Announced(parts::session(session)),
        Message::SealingBegan(situation) => Fact::SealingBegan(Box::new(parts::situation(situation)?)),
        Message::AdjournedEarly(early) => {
            let situation = required("adjourned_early.situation", early.situation)?;
            Fact::AdjournedEarly(Box::new(parts::situation(situation)?), early.charged_ms)
        }
        Message::Written(seal) => Fact::Written(parts::seal(seal)?),
        Message::MadeOnBoard(letters) => Fact::MadeOnBoard(made(&letters)?),
        Message::SheetIn(of) => Fact::SheetIn(who(of)?),
        Message::Plain(plain) => plainly(plain)?,
        Message::Adjourned(envelope) => Fact::Adjourned(Box::new(parts::envelope(envelope)?)),
        Message::Appointed(resumption) => Fact::Appointed(parts::resumption(resumption)?),
        Message::Checked(envelope) => Fact::Checked(Box::new(parts::envelope(envelope)?)),
        Message::HandedOver(to) => Fact::HandedOver(to),
        Message::Offered(by) => Fact::Offered(who(by)?),
        Message::SetUp(hands) => Fact::SetUp(parts::hands(Some(hands))?),
        Message::Came(player) => Fact::Came(who(player)?),
        Message::Went(player) => Fact::Went(who(player)?),
        Message::Read(text) => Fact::Read(text),
        Message::SealedMoveMade(letters) => Fact::SealedMoveMade(made(&letters)?),
        Message::Replied(letters) => Fact::Replied(made(&letters)?),
        Message::ReplySealed(reply) => {
            Fact::ReplySealed(parts::seal(required("reply_sealed.seal", reply.seal)?)?, reply.to)
        }
        Message::FirstMove(by) => Fact::FirstMove(who(by)?),
        Message::FlagFell(fell) => Fact::FlagFell(who(fell.colour)?, fell.at_ms),
        Message::FoundLate(late) => Fact::FoundLate([late.white, late.black]),
        Message::Excused(player) => Fact::Excused(who(player)?),
        Message::ClockCorrected(hands) => Fact::ClockCorrected(parts::hands(Some(hands))?),
        Message::Proposed(proposal) => Fact::Proposed(proposal_from_proto(proposal)?),
        Message::Chosen(key) => Fact::Chosen(key),
        Message::Ended(end) => {
            let (outcome, reason) = end_from_proto(end)?;
            Fact::Ended(outcome, reason)
        }
    };
    Ok(Event { at: event.at_ms, fact, article: event.article })
}

fn plainly(plain: i32) -> Result<Fact, Refused> {
    match v1::PlainFact::try_from(plain) {
        Ok(v1::PlainFact::Closed) => Ok(Fact::Closed),
        Ok(v1::PlainFact::Declined) => Ok(Fact::Declined),
        Ok(v1::PlainFact::Began) => Ok(Fact::Began),
        Ok(v1::PlainFact::BeganWaiting) => Ok(Fact::BeganWaiting),
        Ok(v1::PlainFact::StoppedOnArrival) => Ok(Fact::StoppedOnArrival),
        Ok(v1::PlainFact::ReplyAnew) => Ok(Fact::ReplyAnew),
        Ok(v1::PlainFact::EnvelopeLost) => Ok(Fact::EnvelopeLost),
        Ok(v1::PlainFact::Annulled) => Ok(Fact::Annulled),
        Ok(v1::PlainFact::Unspecified) => Err(Refused::new("adjournment.plain", "not specified")),
        Err(_) => Err(Refused::new("adjournment.plain", format!("{plain} is not known"))),
    }
}

const fn each([white, black]: [bool; 2]) -> v1::OfEach {
    v1::OfEach { white, black }
}

/// That both players lose is an outcome of the contract and none of the procedure's.
fn end_to_proto(outcome: Option<Outcome>, reason: Reason) -> v1::AdjournmentEnd {
    v1::AdjournmentEnd { outcome: outcome.unwrap_or(Outcome::BothLose).number(), reason: reason.number() }
}

fn end_from_proto(end: v1::AdjournmentEnd) -> Result<(Option<Outcome>, Reason), Refused> {
    let outcome = Outcome::named("adjournment.end.outcome", end.outcome)?;
    let reason = Numbered::named("adjournment.end.reason", end.reason)?;
    Ok((Some(outcome).filter(|&outcome| outcome != Outcome::BothLose), reason))
}

/// What the Laws leave to the arbiter, as a message.
#[must_use]
pub fn proposal_to_proto(proposal: &Proposal) -> v1::AdjournmentProposal {
    let ways = proposal.ways.iter().map(|way| v1::AdjournmentWay {
        key: way.key.clone(),
        words: words(&way.words),
        then: Some(match &way.then {
            Then::End(outcome, reason) => adjournment_way::Then::End(end_to_proto(*outcome, *reason)),
            Then::Excuse => adjournment_way::Then::Excuse(true),
            Then::Play(uci) => adjournment_way::Then::Play(uci.to_string()),
            Then::ReplyAnew => adjournment_way::Then::ReplyAnew(true),
            Then::SetClock(hands) => adjournment_way::Then::SetClock(parts::hands_to_proto(hands)),
            Then::Run(colour) => adjournment_way::Then::Run(colour_number(*colour)),
            Then::Leave => adjournment_way::Then::Leave(true),
        }),
    });
    v1::AdjournmentProposal { article: proposal.article.clone(), ways: ways.collect() }
}

fn proposal_from_proto(proposal: v1::AdjournmentProposal) -> Result<Proposal, Refused> {
    let way = |way: v1::AdjournmentWay| {
        let then = match required("way.then", way.then)? {
            adjournment_way::Then::End(end) => {
                let (outcome, reason) = end_from_proto(end)?;
                Then::End(outcome, reason)
            }
            adjournment_way::Then::Excuse(_) => Then::Excuse,
            adjournment_way::Then::Play(letters) => Then::Play(uci("way.play", &letters)?),
            adjournment_way::Then::ReplyAnew(_) => Then::ReplyAnew,
            adjournment_way::Then::SetClock(hands) => Then::SetClock(parts::hands(Some(hands))?),
            adjournment_way::Then::Run(who) => Then::Run(colour("way.run", who)?),
            adjournment_way::Then::Leave(_) => Then::Leave,
        };
        Ok(Way { key: way.key, words: read_words(way.words), then })
    };
    let ways = proposal.ways.into_iter().map(way).collect::<Result<_, Refused>>()?;
    Ok(Proposal { article: proposal.article, ways })
}
