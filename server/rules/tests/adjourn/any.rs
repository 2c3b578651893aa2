//! What must hold whatever is done at the desk.

use crate::desk::*;
use flagfall_rules::adjourn::{
    Act, Adjournment, Deed, PROCEDURES, Phase, Procedure, Session, Step, decide, evolve, read,
};
use flagfall_rules::clock::Hand;
use flagfall_rules::game::{Uci, state::position};
use flagfall_rules::time::{MINUTE, Millis};
use proptest::collection::vec;
use proptest::prelude::*;

const FENS: [&str; 8] = [SPANISH, MATE, STALEMATE, LAST_PAWN, KINGS, WHITE_PAWN, BLACK_PAWN, "no position"];
const TEXTS: [&str; 8] = ["Bb5", "Re8#", "Qg6", "Kxd2", "Ke2", "Nd2", "a6", "??"];
const KEYS: [&str; 6] = ["play_on", "leave", "board", "reply_anew", "lost", "wait"];

fn colour() -> impl Strategy<Value = flagfall_rules::clock::Colour> {
    prop_oneof![Just(White), Just(Black)]
}

fn millis() -> impl Strategy<Value = Millis> {
    prop_oneof![8 => 0..hm(3, 0), 1 => any::<i64>()]
}

fn both_hands() -> impl Strategy<Value = [Hand; 2]> {
    let hand = || prop_oneof![5 => millis().prop_map(Some), 1 => Just(None)].prop_map(Hand::fresh);
    [hand(), hand()]
}

fn uci() -> impl Strategy<Value = Uci> {
    proptest::sample::select(vec!["f1b5", "e1e8", "d1d2", "a7a6", "e6e5", "zzzz"])
        .prop_map(|text| Uci::parse(text).expect("letters"))
}

fn text() -> impl Strategy<Value = String> {
    proptest::sample::select(&TEXTS[..]).prop_map(String::from)
}

fn deed() -> impl Strategy<Value = Deed> {
    let fen = || (0..FENS.len(), both_hands(), prop::option::of(colour()));
    let of_fen = |(index, hands, draw_offer): (usize, _, _)| {
        let mut situation = situation(FENS[index]);
        (situation.hands, situation.draw_offer) = (hands, draw_offer);
        situation
    };
    let session = (millis(), prop::option::of(millis())).prop_map(|(start, end)| Session { start, end });
    let seals = || any::<u8>().prop_map(seal);
    let early = prop_oneof![
        session.prop_map(Deed::Announce),
        fen().prop_map(of_fen).prop_map(Deed::EndSession),
        fen().prop_map(of_fen).prop_map(Deed::AdjournEarly),
        seals().prop_map(Deed::Write),
        uci().prop_map(Deed::MoveOnBoard),
        (colour(), any::<bool>()).prop_map(|(of, paper)| Deed::SheetIn { of, paper }),
        Just(Deed::CloseEnvelope),
        both_hands().prop_map(|hands| Deed::StopClock { hands, opponent_runs: false }),
        Just(Deed::Appoint(resumption())),
        Just(Deed::Check(None)),
        Just(Deed::HandOver("arbiter".into())),
    ];
    let people = prop_oneof![
        colour().prop_map(Deed::OfferDraw),
        colour().prop_map(Deed::DeclineDraw),
        colour().prop_map(Deed::Excuse),
        colour().prop_map(Deed::FirstMove),
        (colour(), any::<bool>()).prop_map(|(player, here)| Deed::Presence { player, here }),
        Just(Deed::LookForLate),
    ];
    let ends = prop_oneof![
        colour().prop_map(Deed::AcceptDraw),
        Just(Deed::AgreeDraw),
        colour().prop_map(Deed::Resign),
        colour().prop_map(Deed::FlagFell),
        any::<bool>().prop_map(|position_known| Deed::EnvelopeLost { position_known }),
    ];
    let late = prop_oneof![
        prop::option::of(both_hands()).prop_map(|times| Deed::SetUp { times }),
        Just(Deed::Begin),
        Just(Deed::StopOnArrival),
        text().prop_map(Deed::Opened),
        text().prop_map(Deed::Stated),
        uci().prop_map(Deed::Reply),
        seals().prop_map(|seal| Deed::SealReply { seal, to: "arbiter".into() }),
        text().prop_map(Deed::ReplyOpened),
        (colour(), both_hands()).prop_map(|(by, hands)| Deed::ClockError { by, hands }),
        proptest::sample::select(&KEYS[..]).prop_map(|key| Deed::Choose(key.into())),
    ];
    prop_oneof![6 => early, 4 => people, 1 => ends, 6 => late]
}

/// Does what can be done and checks what must hold after every act.
fn run(
    procedure: Procedure,
    mut state: Adjournment,
    acts: Vec<(Millis, Deed)>,
    events: Vec<flagfall_rules::adjourn::Event>,
) {
    let (mut now, mut events) = (state.at, events);
    for (passed, deed) in acts {
        now = now.saturating_add(passed);
        let before = state.clone();
        let act = Act { wall_ms: now, deed };
        match decide(&procedure, &state, &act) {
            Err(refusal) => {
                assert!(!refusal.code().is_empty() && refusal.to_string().len() > 10, "{refusal:?}");
                continue;
            }
            Ok(steps) => {
                for step in steps {
                    if let Step::Noted(event) = step {
                        evolve(&mut state, &event);
                        events.push(event);
                    }
                }
            }
        }
        assert_eq!(Adjournment::replay(&events), state, "replay gives the live state");
        let sealing = matches!(before.phase, Phase::Playing | Phase::Sealing);
        assert!(sealing || state.seal == before.seal, "the seal is kept: {act:?}");
        assert!(before.seal.is_none() || state.seal.is_some(), "the seal is lost: {act:?}");
        assert!(before.reply_seal.is_none() || state.reply_seal == before.reply_seal, "{act:?}");
        assert!(!before.is_over(), "nothing changes what is over: {act:?}");
        assert!(state.custody.starts_with(&before.custody), "the log only grows: {act:?}");
        assert!(state.ended.is_some() == (state.phase == Phase::Ended));
        let opened = matches!(act.deed, Deed::Opened(_) | Deed::Stated(_));
        assert!(opened || state.text == before.text, "only opening shows the text: {act:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_acts_from_the_beginning(which in 0..PROCEDURES.len(), acts in vec((0..20 * MINUTE, deed()), 0..40)) {
        run(PROCEDURES[which], Adjournment::new(), acts, Vec::new());
    }

    #[test]
    fn any_acts_once_adjourned(
        which in 0..PROCEDURES.len(),
        fen in 0..FENS.len() - 1,
        hour in any::<bool>(),
        acts in vec((0..20 * MINUTE, deed()), 0..40),
    ) {
        let procedure = if hour { Procedure { default_time: 60 * MINUTE, ..PROCEDURES[which] } } else { PROCEDURES[which] };
        let desk = Desk::adjourned(procedure, FENS[fen]);
        run(procedure, desk.state, acts, desk.events);
    }

    #[test]
    fn any_acts_once_resuming(
        which in 0..PROCEDURES.len(),
        fen in 0..FENS.len() - 1,
        there in prop_oneof![Just(vec![]), Just(vec![White]), Just(vec![Black]), Just(vec![White, Black])],
        acts in vec((0..20 * MINUTE, deed()), 0..40),
    ) {
        let procedure = Procedure { default_time: 60 * MINUTE, ..PROCEDURES[which] };
        let desk = Desk::begun(procedure, FENS[fen], &there);
        run(procedure, desk.state, acts, desk.events);
    }

    #[test]
    fn at_any_time_of_the_world(acts in vec((any::<i64>(), deed()), 0..20), which in 0..PROCEDURES.len()) {
        run(PROCEDURES[which], Adjournment::new(), acts, Vec::new());
    }

    #[test]
    fn any_text_is_read(text in ".*|[КрФЛСKQRBNa-h1-8x:=+#0O. -]{0,8}", fen in 0..FENS.len() - 1) {
        let _ = read(&position(FENS[fen]).expect("a position"), &text);
    }
}
