//! The agent against a service that says what the test says: whatever a real one would do only by accident.

mod fake;

use flagfall_proto::clock::v1::{self, device_event::What as Wire};
use flagfall_rules::{
    board::Scan,
    clock::{Going, Place},
};

use self::fake::{Bench, Fake, soon};
use super::*;
use crate::{
    core::{Act, ClockKind, Directive, Words},
    sense::{Dial, Sense},
    spool::{FileSpool, MemorySpool},
    wire::directive,
};

fn settings(clock: ClockKind, control: &str) -> Settings {
    Settings {
        device: "board-1".to_owned(),
        clock,
        default_control: control.parse().ok(),
        white_place: Place::Left,
        boot: 7,
        settle_ms: 1_000,
    }
}

fn show(rev: u64) -> v1::Directive {
    order(rev, Act::Show { words: ["Hush".to_owned(), String::new()] })
}

fn order(rev: u64, act: Act) -> v1::Directive {
    directive::write(&Directive {
        id: format!("g#{rev}"),
        game: "g".to_owned(),
        rev,
        expected_rev: rev - 1,
        as_of_seq: 0,
        not_after: None,
        supersedes: Vec::new(),
        traceparent: String::new(),
        act,
    })
}

fn prepare() -> v1::Directive {
    let words = Words::default();
    let act = Act::Prepare { control: None, white_place: Place::Left, position: String::new(), words, stands: None };
    order(1, act)
}

/// White and Black press in turn, one a second; the first starts the clock.
fn press(n: u64) -> Sensed {
    let place = if n.is_multiple_of(2) { Place::Right } else { Place::Left };
    Sensed { at: n * 1_000, sense: Sense::Button(place) }
}

fn reports(events: &[v1::DeviceEvent]) -> Vec<(String, v1::Stage)> {
    let report = |event: &v1::DeviceEvent| match &event.what {
        Some(Wire::Report(report)) => Some((report.directive.clone(), report.stage())),
        _ => None,
    };
    events.iter().filter_map(report).collect()
}

#[tokio::test]
async fn events_are_sent_once_and_what_is_shown_is_of_one_piece() {
    let mut fake = Fake::start().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    let mut session = fake.session().await;
    let hello = session.hello().await;
    assert_eq!((hello.device.as_str(), hello.last_seq, hello.spool_id.as_slice()), ("board-1", 0, &[1; 16][..]));
    assert_eq!((hello.boot_id, hello.state_digest.len()), (7u128.to_be_bytes().to_vec(), 32));
    session.welcome(0, &[], 100).await;
    for n in 0..5 {
        bench.sense(press(n)).await;
    }
    let events = session.events(5).await;
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    let taken = bench.until(|shown| shown.taken == 5).await;
    assert_eq!((taken.spooled, taken.acked, taken.online), (5, 0, true));
    session.ack(5, 2).await;
    // The first sight of the acknowledgement shows what it led to as well.
    let acked = bench.until(|shown| shown.acked == 5).await;
    assert_eq!((acked.applied_rev, acked.desired_rev), (0, 2));
    bench.stop().await;
    assert!(session.goodbye().await, "the clock says that it leaves");
}

#[tokio::test]
async fn no_more_than_the_window_is_outstanding_and_a_gap_is_filled() {
    let mut fake = Fake::start().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 4).await;
    for n in 0..9 {
        bench.sense(press(n)).await;
    }
    assert_eq!(seqs(&session.events(4).await), [1, 2, 3, 4]);
    session.rewind(3).await;
    assert_eq!(seqs(&session.events(2).await), [3, 4]);
    session.ack(3, 0).await;
    assert_eq!(seqs(&session.events(3).await), [5, 6, 7]);
    session.ack(7, 0).await;
    assert_eq!(seqs(&session.events(2).await), [8, 9]);
    bench.stop().await;
}

fn seqs(events: &[v1::DeviceEvent]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

#[tokio::test]
async fn row_07_a_directive_sent_twice_is_applied_once_even_by_another_process() {
    let mut fake = Fake::start().await;
    let spool = MemorySpool::new([1; 16]);
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), spool.clone());
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 100).await;
    session.directive(prepare()).await;
    session.directive(show(2)).await;
    session.directive(show(2)).await;
    let applied = |n: u64| (format!("g#{n}"), v1::Stage::Applied);
    assert_eq!(reports(&session.events(3).await), [applied(1), applied(2), applied(2)]);
    let shown = bench.until(|shown| shown.spooled == 3).await;
    assert_eq!((shown.words[0].as_str(), shown.applied_rev), ("Hush", 2));
    bench.kill().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), spool);
    let mut session = fake.session().await;
    let hello = session.hello().await;
    assert_eq!((hello.last_seq, hello.game.as_str(), hello.applied_rev), (3, "g", 2));
    session.welcome(0, &[], 100).await;
    session.directive(show(2)).await;
    assert_eq!(reports(&session.events(4).await), [applied(1), applied(2), applied(2), applied(2)]);
    bench.stop().await;
}

#[tokio::test]
async fn after_a_goodbye_the_last_acknowledgements_count_and_the_clock_comes_back() {
    let mut fake = Fake::start().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 100).await;
    bench.sense(press(0)).await;
    let sent = session.raw_events(1).await;
    session.say_goodbye(1).await;
    session.ack(1, 0).await;
    assert!(session.goodbye().await, "the clock answers, and sends nothing more");
    drop(session);
    assert!(bench.until(|shown| !shown.online).await.acked == 1);
    bench.sense(press(1)).await;
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(1, &wire::hash(&sent[0]), 100).await;
    assert_eq!(seqs(&session.events(1).await), [2]);
    bench.stop().await;
}

#[tokio::test]
async fn a_service_that_knows_other_events_is_told_nothing() {
    let mut fake = Fake::start().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    bench.sense(press(0)).await;
    bench.until(|shown| shown.spooled == 1).await;
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(1, &[9; 32], 100).await;
    let shown = bench.until(|shown| !shown.trouble.is_empty()).await;
    let text = &shown.trouble[0][0];
    assert!(text.starts_with("board-1: begin a new spool") && text.contains("event 1 is another"), "{text}");
    assert!(!session.sends_more().await);
    // The clock goes on without a link.
    bench.sense(press(1)).await;
    bench.until(|shown| shown.spooled == 2).await;
    bench.stop().await;
}

#[tokio::test]
async fn a_refusal_is_shown_to_whoever_stands_at_the_clock() {
    let mut fake = Fake::start().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    let mut session = fake.session().await;
    session.hello().await;
    session.refuse(tonic::Status::unauthenticated("UNKNOWN_DEVICE: board-1 is not listed")).await;
    let shown = bench.until(|shown| !shown.trouble.is_empty()).await;
    assert!(shown.trouble[0][0].contains("UNKNOWN_DEVICE") && !shown.online, "{:?}", shown.trouble);
    bench.stop().await;
}

#[tokio::test]
async fn row_28_hardware_that_does_not_listen_has_refused() {
    let mut fake = Fake::start().await;
    let mut bench = Bench::start(&fake, settings(ClockKind::External, ""), MemorySpool::new([1; 16]));
    bench.asks.close();
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 100).await;
    session.directive(prepare()).await;
    let dial = Dial { left: [Some(9_000); 2], flags: [false; 2], running: true, turn: Some(Place::Left) };
    session.events(1).await;
    bench.sense(Sensed { at: 5, sense: Sense::Dial(dial) }).await;
    session.events(1).await;
    session.directive(order(2, Act::Stop { words: Words::default() })).await;
    let expected = [v1::Stage::Received, v1::Stage::Rejected].map(|stage| ("g#2".to_owned(), stage));
    assert_eq!(reports(&session.events(2).await), expected);
    bench.stop().await;
}

#[tokio::test]
async fn a_long_spool_is_begun_anew_when_its_game_is_over_and_told() {
    begun_anew(1, 0).await;
}

#[tokio::test]
async fn a_spool_of_any_length_is_begun_anew_when_its_round_is_closed() {
    begun_anew(SPOOL_MAX, 2).await;
}

/// The round is closed while the clock is connected.
#[tokio::test]
async fn a_clock_that_stays_connected_hears_that_its_round_is_closed() {
    let mut fake = Fake::start().await;
    let over = Act::Conclude { result: Some("1-0"), words: Words::default() };
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 100).await;
    session.directive(prepare()).await;
    session.directive(order(2, over)).await;
    session.raw_events(2).await;
    session.ack(2, 2).await;
    // Not all of it is released.
    session.release(2, 1).await;
    bench.sense(Sensed { at: 9, sense: Sense::Call(None) }).await;
    let events = session.raw_events(1).await;
    session.release(2, 2).await;
    session.ack(3, 2).await;
    session.release(2, 3).await;
    assert!(!session.sends_more().await, "it ends the session");
    let mut session = fake.session().await;
    assert_eq!(session.hello().await.spool_id, [1; 16]);
    // This service has changed its mind: the clock keeps everything and does not ask again and again.
    session.welcome(3, &wire::hash(&events[0]), 100).await;
    session.release(2, 3).await;
    bench.sense(Sensed { at: 10, sense: Sense::Call(None) }).await;
    let events = session.raw_events(1).await;
    session.ack(4, 2).await;
    session.release(2, 4).await;
    assert!(!session.sends_more().await);
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome_and_release(4, &wire::hash(&events[0]), 4).await;
    let mut session = fake.session().await;
    let hello = session.hello().await;
    assert_eq!(hello.past, Some(v1::Past { spool_id: vec![1; 16], last_seq: 4 }));
    bench.stop().await;
}

/// With at most so many bytes to keep, and a service that never asks again for events up to `released`.
async fn begun_anew(spool_max: u64, released: u64) {
    let mut fake = Fake::start().await;
    let spool = MemorySpool::new([1; 16]);
    let over = Act::Conclude { result: Some("1-0"), words: Words::default() };
    let adjust = |agent: &mut Agent| agent.spool_max = spool_max;
    let bench = Bench::start_with(&fake, settings(ClockKind::Own, "300"), spool.clone(), adjust);
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 100).await;
    session.directive(prepare()).await;
    session.directive(order(2, over)).await;
    let events = session.raw_events(2).await;
    session.ack(2, 2).await;
    session.say_goodbye(1).await;
    drop(session);
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome_and_release(2, &wire::hash(&events[1]), released).await;
    let mut session = fake.session().await;
    let hello = session.hello().await;
    assert_ne!(hello.spool_id, [1; 16]);
    assert_eq!(hello.past, Some(v1::Past { spool_id: vec![1; 16], last_seq: 2 }), "nobody else has those any more");
    assert_eq!((hello.last_seq, hello.game.as_str(), hello.applied_rev), (0, "g", 2));
    session.welcome(0, &[], 100).await;
    bench.sense(Sensed { at: 9, sense: Sense::Call(None) }).await;
    assert_eq!(seqs(&session.events(1).await), [1]);
    let shown = bench.until(|shown| shown.spooled == 1).await;
    assert_eq!((shown.face.going, shown.result, shown.acked), (Going::Over, Some("1-0"), 0));
    bench.stop().await;
}

#[tokio::test]
async fn row_09_what_a_service_has_lost_is_sent_again_though_it_was_acknowledged() {
    let mut fake = Fake::start().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 100).await;
    for n in 0..5 {
        bench.sense(press(n)).await;
    }
    let events = session.raw_events(5).await;
    session.ack(5, 0).await;
    bench.until(|shown| shown.acked == 5).await;
    session.say_goodbye(1).await;
    drop(session);
    let mut session = fake.session().await;
    let hello = session.hello().await;
    assert_eq!((hello.acked_through, hello.last_epoch), (5, 5), "the fake's epoch is five, too");
    session.welcome(2, &wire::hash(&events[1]), 100).await;
    assert_eq!(session.raw_events(3).await, events[2..]);
    bench.stop().await;
}

#[tokio::test]
async fn row_05_a_flag_falls_by_itself_and_survives_the_loss_of_power() {
    let folder = tempfile::tempdir().expect("a folder");
    let (spool, _) = FileSpool::open(folder.path()).expect("opened");
    let fake = Fake::start().await;
    let timeline = Timeline::monotonic();
    let bench = Bench::start_on(&fake, settings(ClockKind::Own, "0.15"), spool, timeline.clone(), |_| {});
    let at = monotonic_ms();
    bench.sense(Sensed { at, sense: Sense::StartStop }).await;
    let shown = bench.until(|shown| shown.face.first_flag.is_some()).await;
    assert_eq!(shown.spooled, 2);
    bench.kill().await;
    let (spool, recovered) = FileSpool::open(folder.path()).expect("opened");
    assert_eq!((recovered.torn, recovered.stored.last_seq, recovered.stored.at.ms), (0, 2, at + 150));
    // It was running when power was lost, so it comes back paused and says so.
    let bench = Bench::start_on(&fake, settings(ClockKind::Own, "0.15"), spool, timeline, |_| {});
    let shown = bench.until(|shown| shown.spooled == 3).await;
    assert_eq!(shown.face.going, Going::Paused);
    bench.stop().await;
}

#[tokio::test]
async fn a_settling_board_is_not_hidden_behind_a_full_acknowledgement() {
    let mut fake = Fake::start().await;
    let bench = Bench::start(&fake, settings(ClockKind::Own, "300"), MemorySpool::new([1; 16]));
    let mut session = fake.session().await;
    session.hello().await;
    session.welcome(0, &[], 100).await;
    let scan = Scan::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").expect("a board");
    for (at, sense) in [(0, Sense::Board(scan)), (1, Sense::StartStop), (2, Sense::StartStop), (2_000, Sense::Tick)] {
        bench.sense(Sensed { at, sense }).await;
    }
    let events = session.events(4).await;
    let kinds: Vec<_> =
        events.iter().map(|event| event.what.clone().map(|what| std::mem::discriminant(&what))).collect();
    let scan = v1::Scan { board: Some(scan.into()) };
    let wanted = [
        Wire::Scan(scan),
        Wire::Started(v1::Started {}),
        Wire::Paused(v1::Paused {}),
        Wire::Quiet(v1::Quiet { since_ms: 0 }),
    ];
    assert_eq!(kinds, wanted.map(|what| Some(std::mem::discriminant(&what))));
    let shown = soon(bench.until(|shown| shown.taken == 4)).await;
    assert_eq!(shown.spooled, 4);
    bench.stop().await;
}
