//! Whatever happens: what is on the spool says what the core knows, nothing panics, and events keep their order.

use proptest::prelude::*;

use super::*;
use crate::{
    sense::{ClaimKind, Dial, FaultKind},
    spool::{MemorySpool, Record, Spool},
    wire,
};

#[derive(Clone, Debug)]
enum Step {
    Sense(Sense),
    Directive(Box<Directive>),
    Wake,
}

fn places() -> impl Strategy<Value = Place> {
    prop_oneof![Just(Place::Left), Just(Place::Right)]
}

fn colours() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Colour::White), Just(Colour::Black)]
}

fn senses() -> impl Strategy<Value = Sense> {
    let reading = proptest::option::of(prop_oneof![0..20_000i64, any::<i64>()]);
    let dial = (reading.clone(), reading, any::<[bool; 2]>(), any::<bool>(), proptest::option::of(places())).prop_map(
        |(left, right, flags, running, turn)| Sense::Dial(Dial { left: [left, right], flags, running, turn }),
    );
    prop_oneof![
        5 => places().prop_map(Sense::Button),
        1 => Just(Sense::StartStop),
        2 => prop_oneof![Just(START), Just(AFTER_E4)].prop_map(board),
        6 => dial,
        2 => prop_oneof![
            Just(Ok(())),
            Just(Err(NotDone::Refused("no".to_owned()))),
            Just(Err(NotDone::Unanswered("?".to_owned())))
        ]
        .prop_map(Sense::DialDone),
        1 => places().prop_map(|place| Sense::Claim(place, ClaimKind::Flag)),
        1 => proptest::option::of(places()).prop_map(Sense::Call),
        1 => prop_oneof![Just(FaultKind::Garbled), Just(FaultKind::ClockLost), Just(FaultKind::ClockBack)]
            .prop_map(|kind| Sense::Fault(kind, "ё".repeat(300))),
    ]
}

fn directives() -> impl Strategy<Value = Directive> {
    let act = prop_oneof![
        2 => Just(prepare("2/3+1:5@zero")),
        1 => Just(prepare("")),
        2 => Just(stop()),
        2 => (0..9_000i64, colours(), any::<bool>()).prop_map(|(left, turn, run)| {
            let hand = flagfall_rules::clock::Hand::fresh(Some(left));
            let (white_place, position) = (Place::Right, START.to_owned());
            Act::Set { hands: [hand; 2], turn, run, white_place, position, words: words("Set") }
        }),
        1 => (colours(), 0..9_000i64).prop_map(|(colour, amount)| add(colour, amount)),
        1 => Just(Act::Conclude { result: Some("0-1"), words: words("Over") }),
        2 => Just(Act::Run { words: words("") }),
        1 => Just(show("Hush")),
    ];
    let game = prop_oneof![4 => Just("g"), 1 => Just("h")];
    (act, game, 1..12u64, 0..3u64, 0..20u64, proptest::option::of(0..60_000u64)).prop_map(
        |(act, game, rev, back, as_of_seq, limit)| Directive {
            id: format!("{game}#{rev}"),
            game: game.to_owned(),
            expected_rev: rev.saturating_sub(back),
            as_of_seq: if as_of_seq > 10 { 0 } else { as_of_seq },
            not_after: limit.map(|ms| Moment { boot: BOOT, ms }),
            supersedes: if back == 2 { vec![format!("{game}#{}", rev + 1)] } else { Vec::new() },
            ..order(rev, act)
        },
    )
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let step = prop_oneof![
        6 => senses().prop_map(Step::Sense),
        3 => directives().prop_map(|directive| Step::Directive(Box::new(directive))),
        1 => Just(Step::Wake),
    ];
    proptest::collection::vec((0..1_500u64, step), 0..60)
}

fn record(effect: &Effect, spool: &MemorySpool, head: &mut wire::Hash) -> Option<Record> {
    match effect {
        Effect::Spool(draft) => {
            let event = wire::encode_event(draft, BOOT, head, &spool.spool_id());
            *head = wire::hash(&event);
            Some(Record::Event(event))
        }
        Effect::Applied(applied) => Some(Record::Applied { boot: BOOT, applied: applied.clone() }),
        Effect::Checkpoint(checkpoint) => Some(Record::Checkpoint { boot: BOOT, checkpoint: checkpoint.clone() }),
        Effect::Ask(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_spool_says_what_the_core_knows(steps in steps(), own in any::<bool>()) {
        let clock = if own { ClockKind::Own } else { ClockKind::External };
        let mut core = Core::new(settings(clock, "20+2"), None);
        let mut spool = MemorySpool::new([1; 16]);
        let (mut now, mut head, mut last) = (0, wire::NO_HASH, 0);
        for (wait, step) in steps {
            now += wait;
            let effects = match step.clone() {
                Step::Sense(sense) => core.handle(now, sense),
                Step::Directive(directive) => core.directive(now, *directive),
                Step::Wake => core.wake(now),
            };
            for effect in &effects {
                if let Effect::Spool(draft) = effect {
                    prop_assert!(last <= draft.at && draft.at <= now, "{:?} after {}", draft, last);
                    last = draft.at;
                }
            }
            let records: Vec<_> = effects.iter().filter_map(|effect| record(effect, &spool, &mut head)).collect();
            spool.append(&records).expect("every event continues the spool");
            prop_assert_eq!(&spool.stored(), core.memory(), "after {:?}", step);
            prop_assert!(core.due().is_none_or(|due| due > now), "overdue after {:?}", step);
            prop_assert_eq!(core.shown().spooled, spool.last_seq());
        }
        // Whoever takes over from here knows the same, and does not choke on it.
        let mut next = Core::new(Settings { boot: BOOT + 1, ..settings(clock, "20+2") }, Some(spool.stored()));
        next.wake(5);
        prop_assert_eq!(next.memory().rev, core.memory().rev);
        prop_assert_ne!((own, next.face().going), (true, Going::Running));
    }
}
