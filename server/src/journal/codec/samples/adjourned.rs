//! Deeds and events of adjournments, of every kind.

use flagfall_rules::adjourn::{
    Deed, Envelope, Event, Fact, Proposal, Reason, Resumption, Seal, Session, Situation, Then, Way,
};
use proptest::{option, prelude::*};

use super::{Colour, Outcome, colours, hands, moves, speech, times, words_of};

fn both() -> impl Strategy<Value = [super::Hand; 2]> {
    [hands(), hands()]
}

fn seals() -> impl Strategy<Value = Seal> {
    (any::<[u8; 32]>(), prop::collection::vec(any::<u8>(), 0..40))
        .prop_map(|(commitment, ciphertext)| Seal { commitment, ciphertext })
}

fn sessions() -> impl Strategy<Value = Session> {
    (any::<i64>(), any::<Option<i64>>()).prop_map(|(start, end)| Session { start, end })
}

fn resumptions() -> impl Strategy<Value = Resumption> {
    (".{0,9}", ".{0,9}", ".{0,9}", sessions()).prop_map(|(date, time, venue, session)| Resumption {
        date,
        time,
        venue,
        session,
    })
}

/// An empty name is not told from none.
fn names() -> impl Strategy<Value = [Option<String>; 2]> {
    [option::of(".{1,9}"), option::of(".{1,9}")]
}

fn each() -> impl Strategy<Value = [Option<i64>; 2]> {
    [option::of(times()), option::of(times())]
}

prop_compose! {
    fn situations()(
        names in names(), position in ".{0,9}", hands in both(), allotted in each(), draw_offer in option::of(colours()),
    ) -> Box<Situation> {
        Box::new(Situation { names, position, hands, allotted, draw_offer })
    }
}

prop_compose! {
    fn envelopes()(
        names in names(), position in ".{0,9}", used in each(), hands in both(), sealer in colours(), move_number: u32,
        draw_offer in option::of(colours()), resumption in option::of(resumptions()),
    ) -> Box<Envelope> {
        Box::new(Envelope { names, position, used, hands, sealer, move_number, draw_offer, resumption })
    }
}

/// That both lose has no outcome of its own in a procedure.
fn ends() -> impl Strategy<Value = (Option<Outcome>, Reason)> {
    (option::of(words_of::<Outcome>(3)), words_of::<Reason>(8))
}

fn proposals() -> impl Strategy<Value = Proposal> {
    let then = prop_oneof![
        ends().prop_map(|(outcome, reason)| Then::End(outcome, reason)),
        Just(Then::Excuse),
        moves().prop_map(Then::Play),
        Just(Then::ReplyAnew),
        both().prop_map(Then::SetClock),
        colours().prop_map(Then::Run),
        Just(Then::Leave),
    ];
    let way = (".{0,9}", speech(), then).prop_map(|(key, words, then)| Way { key, words, then });
    (".{0,6}", prop::collection::vec(way, 0..3)).prop_map(|(article, ways)| Proposal { article, ways })
}

/// One of a colour's deeds or facts.
fn of_colour<T: std::fmt::Debug + 'static>(all: &'static [fn(Colour) -> T]) -> impl Strategy<Value = T> {
    (0..all.len(), colours()).prop_map(|(index, colour)| all[index](colour))
}

/// Deeds, each with the nonce that goes with it.
pub(super) fn deeds() -> impl Strategy<Value = (Deed, Vec<u8>)> {
    let plain = prop::sample::select(vec![
        Deed::CloseEnvelope,
        Deed::AgreeDraw,
        Deed::Begin,
        Deed::StopOnArrival,
        Deed::LookForLate,
    ]);
    const COLOURED: &[fn(Colour) -> Deed] = &[
        Deed::OfferDraw,
        Deed::AcceptDraw,
        Deed::DeclineDraw,
        Deed::Resign,
        Deed::FirstMove,
        Deed::FlagFell,
        Deed::Excuse,
    ];
    let proved =
        (any::<bool>(), ".{0,9}", prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(reply, text, nonce)| {
            let deed = if reply { Deed::ReplyOpened(text) } else { Deed::Opened(text) };
            (deed, nonce)
        });
    let other = prop_oneof![
        plain,
        of_colour(COLOURED),
        sessions().prop_map(Deed::Announce),
        situations().prop_map(Deed::EndSession),
        situations().prop_map(Deed::AdjournEarly),
        seals().prop_map(Deed::Write),
        moves().prop_map(Deed::MoveOnBoard),
        (colours(), any::<bool>()).prop_map(|(of, paper)| Deed::SheetIn { of, paper }),
        (both(), any::<bool>()).prop_map(|(hands, opponent_runs)| Deed::StopClock { hands, opponent_runs }),
        resumptions().prop_map(Deed::Appoint),
        option::of(envelopes()).prop_map(Deed::Check),
        ".{0,9}".prop_map(Deed::HandOver),
        option::of(both()).prop_map(|times| Deed::SetUp { times }),
        (colours(), any::<bool>()).prop_map(|(player, here)| Deed::Presence { player, here }),
        ".{0,9}".prop_map(Deed::Stated),
        moves().prop_map(Deed::Reply),
        (seals(), ".{0,9}").prop_map(|(seal, to)| Deed::SealReply { seal, to }),
        any::<bool>().prop_map(|position_known| Deed::EnvelopeLost { position_known }),
        (colours(), both()).prop_map(|(by, hands)| Deed::ClockError { by, hands }),
        ".{0,9}".prop_map(Deed::Choose),
    ];
    prop_oneof![proved, other.prop_map(|deed| (deed, Vec::new()))]
}

/// Events.
pub(super) fn adjournments() -> impl Strategy<Value = Event> {
    let plain = prop::sample::select(vec![
        Fact::Closed,
        Fact::Declined,
        Fact::Began,
        Fact::BeganWaiting,
        Fact::StoppedOnArrival,
        Fact::ReplyAnew,
        Fact::EnvelopeLost,
        Fact::Annulled,
    ]);
    const COLOURED: &[fn(Colour) -> Fact] =
        &[Fact::SheetIn, Fact::Offered, Fact::Came, Fact::Went, Fact::FirstMove, Fact::Excused];
    let fact = prop_oneof![
        plain,
        of_colour(COLOURED),
        sessions().prop_map(Fact::Announced),
        situations().prop_map(Fact::SealingBegan),
        (situations(), option::of(any::<i64>())).prop_map(|(situation, left)| Fact::AdjournedEarly(situation, left)),
        seals().prop_map(Fact::Written),
        moves().prop_map(Fact::MadeOnBoard),
        envelopes().prop_map(Fact::Adjourned),
        resumptions().prop_map(Fact::Appointed),
        envelopes().prop_map(Fact::Checked),
        ".{0,9}".prop_map(Fact::HandedOver),
        both().prop_map(Fact::SetUp),
        ".{0,9}".prop_map(Fact::Read),
        moves().prop_map(Fact::SealedMoveMade),
        moves().prop_map(Fact::Replied),
        (seals(), ".{0,9}").prop_map(|(seal, to)| Fact::ReplySealed(seal, to)),
        (colours(), any::<i64>()).prop_map(|(by, at)| Fact::FlagFell(by, at)),
        any::<[bool; 2]>().prop_map(Fact::FoundLate),
        both().prop_map(Fact::ClockCorrected),
        proposals().prop_map(Fact::Proposed),
        ".{0,9}".prop_map(Fact::Chosen),
        ends().prop_map(|(outcome, reason)| Fact::Ended(outcome, reason)),
    ];
    (any::<i64>(), ".{0,6}", fact).prop_map(|(at, article, fact)| Event { at, fact, article })
}
