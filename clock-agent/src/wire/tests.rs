use flagfall_proto::clock::v1::directive::Act as Wire;
use flagfall_rules::{
    board::Scan,
    clock::{Colour, Face, Going, Hand, Place},
};
use proptest::prelude::*;

use super::*;
use crate::core::{Act, Directive, Words};

fn faces() -> impl Strategy<Value = Face> {
    let hand = (proptest::option::of(0..36_000_000i64), 0..200u32, 0..4u8, any::<bool>())
        .prop_map(|(left, moves, period, flagged)| Hand { left, moves, period, flagged });
    let colour = any::<bool>().prop_map(|white| if white { Colour::White } else { Colour::Black });
    let going = prop_oneof![Just(Going::Idle), Just(Going::Running), Just(Going::Paused), Just(Going::Over)];
    (hand.clone(), hand, colour.clone(), going, proptest::option::of(colour), any::<bool>()).prop_map(
        |(white, black, turn, going, first_flag, left)| Face {
            hands: [white, black],
            turn,
            going,
            first_flag,
            white_place: if left { Place::Left } else { Place::Right },
        },
    )
}

fn happenings() -> Vec<What> {
    let (white, face) = (Colour::White, Face::unknown(Place::Right));
    let report = |stage, reason, before| What::Report(Report { id: "g#4".to_owned(), rev: 4, stage, reason, before });
    vec![
        What::Started,
        What::Press(Colour::Black),
        What::Paused,
        What::Resumed,
        What::Call(None),
        What::Call(Some(white)),
        What::Claim(white, ClaimKind::IllegalMove),
        What::Scan(Scan::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR").expect("a board")),
        What::Quiet { since: 12 },
        What::Flag(white),
        report(Stage::Received, None, None),
        report(Stage::Applied, None, Some(face)),
        report(Stage::Rejected, Some(RejectReason::Overtaken), None),
        What::Fault(FaultKind::SourceEnded, "the end".to_owned()),
        What::Fault(FaultKind::PressesMissed, String::new()),
    ]
}

proptest! {
    #[test]
    fn events_come_back_as_they_were(face in faces(), seq in 1..9_999u64, at in any::<u64>(), boot in any::<u128>()) {
        for what in happenings() {
            let (traceparent, game) = ("00-1-2-01".to_owned(), "r1.b2".to_owned());
            let draft = Draft { seq, at, face, traceparent, game, what };
            let bytes = encode_event(&draft, boot, &[3; 32], &[9; 16]);
            let event = decode_event(&bytes).expect("an event");
            prop_assert_eq!(event, DecodedEvent { previous: [3; 32], boot, draft });
        }
    }

    #[test]
    fn bytes_that_are_no_event_are_refused_and_nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode_event(&bytes);
        if let Ok(message) = v1::Directive::decode(bytes.as_slice()) {
            let _ = directive::read(message);
        }
    }
}

#[test]
fn a_press_begins_a_trace_that_its_number_names() {
    let press = |seq| {
        let face = Face::unknown(Place::Left);
        let (traceparent, game, what) = (String::new(), String::new(), What::Press(Colour::White));
        let draft = Draft { seq, at: 1, face, traceparent, game, what };
        decode_event(&encode_event(&draft, 1, &NO_HASH, &[9; 16])).expect("an event").draft.traceparent
    };
    assert_eq!(press(1).len(), 55);
    assert_eq!(press(1), press(1));
    assert_ne!(press(1), press(2));
}

fn directives() -> Vec<Directive> {
    let words: Words = ["Stop".to_owned(), "Стоп".to_owned()];
    let hand = Hand { left: Some(5), moves: 3, period: 1, flagged: true };
    let (white_place, position) = (Place::Right, "8/8/8/8/8/8/8/K1k5 w - - 0 1".to_owned());
    let acts = [
        Act::Prepare {
            control: "40/5400+30:1800+30".parse().ok(),
            white_place,
            position: position.clone(),
            words: words.clone(),
            stands: Some(Face::unknown(Place::Right)),
        },
        Act::Stop { words: words.clone() },
        Act::Set { hands: [hand; 2], turn: Colour::Black, run: true, white_place, position, words: words.clone() },
        Act::Add { colour: Colour::Black, amount: 120_000, words: words.clone() },
        Act::Conclude { result: Some("1/2-1/2"), words: words.clone() },
        Act::Conclude { result: None, words: Words::default() },
        Act::Show { words: words.clone() },
        Act::Run { words },
    ];
    let directive = |(n, act)| Directive {
        id: format!("g#{}", n + 1),
        game: "g".to_owned(),
        rev: n + 1,
        expected_rev: n,
        as_of_seq: 77,
        not_after: Some(Moment { boot: 9, ms: 10 }),
        supersedes: vec!["g#0".to_owned()],
        traceparent: "00-1-2-01".to_owned(),
        act,
    };
    (0u64..).zip(acts).map(directive).collect()
}

#[test]
fn directives_come_back_as_they_were() {
    for wanted in directives() {
        assert_eq!(directive::read(directive::write(&wanted)), Ok(wanted));
    }
}

#[test]
fn a_directive_that_asks_for_what_cannot_be_says_which_field() {
    type Spoil = fn(&mut v1::Directive);
    let cases: [(Spoil, &str); 8] = [
        (|d| d.act = None, "directive.act: none that this clock knows"),
        (
            |d| d.act = Some(Wire::Add(v1::Add { colour: 1, amount_ms: 0, words: None })),
            "add.amount_ms: 0, not from 1 to 36000000",
        ),
        (|d| d.act = Some(Wire::Add(v1::Add { colour: 0, amount_ms: 1, words: None })), "add.colour: not specified"),
        (|d| d.act = Some(Wire::Set(v1::Set::default())), "white: missing"),
        (|d| d.act = Some(Wire::Prepare(v1::Prepare::default())), "prepare.white_place: not specified"),
        (
            |d| d.act = Some(Wire::Conclude(v1::Conclude { outcome: 9, words: None })),
            "conclude.outcome: 9 is not known",
        ),
        (
            |d| {
                let words = Some(v1::Words { en: "x".repeat(201), ru: String::new() });
                d.act = Some(Wire::Show(v1::Show { words }));
            },
            "words: more than 200 characters",
        ),
        (
            |d| d.not_after = Some(v1::Instant { boot_id: vec![1], monotonic_ms: 1 }),
            "directive.not_after: 1 bytes, not 16",
        ),
    ];
    for (spoil, why) in cases {
        let mut message = directive::write(&directives()[6]);
        spoil(&mut message);
        let read = directive::read(message).expect("it names itself");
        assert_eq!(read.act, Act::Unsupported(why.to_owned()));
    }
}

#[test]
fn a_directive_that_does_not_name_itself_is_refused() {
    let spoils: [fn(&mut v1::Directive); 5] = [
        |d| d.id.clear(),
        |d| d.game = "g".repeat(300),
        |d| d.rev = 0,
        |d| d.id = "g#2".to_owned(),
        |d| d.id = "g#01".to_owned(),
    ];
    for spoil in spoils {
        let mut message = directive::write(&directives()[0]);
        spoil(&mut message);
        assert!(directive::read(message).is_err());
    }
}
