//! A press that came to nothing is forgotten, one whose board led to a ruling later is kept, and both make one tree.

use flagfall_rules::{
    clock::{Colour, Face, Place},
    game::{Act, Alarm, Directive, RejectReason, Report, Stage, Words},
    time::Moment,
};
use flagfall_trace::Sampler;

use super::*;

const SPOOL: [u8; 16] = [7; 16];

fn event(seq: u64, act: DeviceAct) -> DeviceInput {
    DeviceInput { seq, at: Moment { boot: 1, ms: seq * 1_000 }, face: Face::unknown(Place::Left), act }
}

fn presence() -> Arc<Presence> {
    Arc::new(Presence::new("clock-1", "board-1", 3, 0, 0))
}

fn press(seq: u64, presence: &Arc<Presence>) -> Box<Trail> {
    let input = event(seq, DeviceAct::Press(Colour::White));
    let mut trail = Trail::of_event(&input, "", &SPOOL, Arc::clone(presence));
    trail.game = "r1.b07".into();
    (trail.appended, trail.durable) = (trail.received, trail.received);
    Box::new(trail)
}

fn stop() -> Directive {
    Directive { rev: 4, as_of_seq: 1, not_after: None, supersedes: Vec::new(), act: Act::Stop, words: Words::default() }
}

fn staged(stage: Stage) -> Event {
    let reason = (stage == Stage::Rejected).then_some(RejectReason::Expired);
    Event::Staged { rev: 4, stage, reason, before: None, after: None }
}

#[test]
fn an_event_without_a_traceparent_begins_the_trace_that_its_number_names() {
    let trail = press(1, &presence());
    assert_eq!(trail.from, Some(TraceContext::of_event(&SPOOL, 1)));
    let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let said = Trail::of_event(&event(1, DeviceAct::Started), text, &SPOOL, presence());
    assert_eq!(said.from.map(|from| from.to_string()).as_deref(), Some(text));
    let nonsense = Trail::of_event(&event(1, DeviceAct::Started), "00-trace-1", &SPOOL, presence());
    assert_eq!(nonsense.from, trail.from);
}

#[test]
fn what_a_board_leads_to_goes_on_in_the_trace_of_its_press_which_is_then_kept() {
    let (trails, presence) = (Trails::new(Sampler::ratio(0.0), None), presence());
    let mut track = Track::default();
    track.end(press(1, &presence), &[], &trails);
    track.end(press(2, &presence), &[], &trails);
    let mut quiet = Box::new(Trail::of_event(&event(3, DeviceAct::Quiet(5)), "", &SPOOL, Arc::clone(&presence)));
    quiet.goes_on_from(TraceContext::of_event(&SPOOL, 2));
    quiet.note = Note::of(&[Event::Alarmed(Alarm::Lost, String::new())], None);
    quiet.tells(&stop());
    let told = quiet.told[0].context;
    track.end(quiet, &[], &trails);
    let mut report = Trail::of_event(
        &event(4, DeviceAct::Report(Report { rev: 4, stage: Stage::Applied, reason: None, before: None })),
        &told.to_string(),
        &SPOOL,
        Arc::clone(&presence),
    );
    report.ruled = Stamp::now();
    track.end(Box::new(report), &[staged(Stage::Applied)], &trails);

    let trace = trails.store().trace(&TraceContext::of_event(&SPOOL, 2).trace_id);
    let whats: Vec<_> = trace.iter().map(|trail| trail.what).collect();
    assert_eq!(whats, [What::Press, What::Quiet, What::Report], "the press before it is of another trace");
    assert_eq!(trails.store().find(9, |_| true).len(), 4, "each once, though in both rings");

    presence.sent(4_000);
    let spans = spans::of_trace(trace.iter().map(|trail| &**trail));
    let tree: Vec<_> = spans.iter().map(|span| (span.name, spans::depth(&spans, span))).collect();
    let depth = |name| tree.iter().filter(|(known, _)| *known == name).map(|&(_, depth)| depth).collect::<Vec<_>>();
    assert_eq!((depth("press"), depth("receive"), depth("directive")), (vec![0], vec![1, 1, 4], vec![2]), "{tree:?}");
    assert_eq!((depth("commit"), depth("apply"), depth("rule")), (vec![2], vec![3], vec![5]), "{tree:?}");
    let first = spans.iter().find(|span| span.name == "receive").expect("a span");
    assert_eq!(first.link, Some(presence.context), "linked to its session");
}

#[test]
fn a_final_word_on_a_directive_is_measured_from_when_it_was_told() {
    let (trails, presence) = (Trails::default(), presence());
    let mut track = Track::default();
    let mut ruled = press(1, &presence);
    ruled.tells(&stop());
    track.end(ruled, &[], &trails);
    track.end(press(2, &presence), &[staged(Stage::Received)], &trails);
    assert_eq!(trails.figures().confirmations(), 0, "on the way is no final word");
    track.end(press(3, &presence), &[staged(Stage::Rejected)], &trails);
    track.end(press(4, &presence), &[staged(Stage::Rejected)], &trails);
    assert_eq!(trails.figures().confirmations(), 1, "once each");
}
