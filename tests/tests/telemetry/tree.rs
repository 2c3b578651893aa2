//! The whole tree of a ruling, as a collector gets it from clock and service.

use std::collections::HashMap;

use flagfall_rules::clock::Place;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;

use crate::{
    bench::Bench,
    receiver::{PATIENCE, Receiver, Taken, names},
};

/// The trace in which an irregularity was found.
fn ruled(taken: &[Taken]) -> Option<Vec<Taken>> {
    let rule = taken.iter().find(|taken| taken.said("flagfall.irregularity") == "illegal_move")?;
    let trace = taken.iter().filter(|taken| taken.span.trace_id == rule.span.trace_id);
    Some(trace.cloned().collect())
}

fn count(trace: &[Taken], name: &str) -> usize {
    trace.iter().filter(|taken| taken.span.name == name).count()
}

#[tokio::test]
async fn a_ruling_is_one_tree_from_the_button_to_the_display() {
    let mut receiver = Receiver::start().await;
    let mut bench = Bench::new(Some(&receiver.url)).await;
    bench.clock.begin().await;
    bench.clock.illegal_move().await;
    bench.trails.export().expect("it exports").flush(PATIENCE).await;
    let whole = |taken: &[Taken]| {
        ruled(taken).is_some_and(|trace| count(&trace, "apply") == 2 && count(&trace, "directive") == 2)
            && taken.iter().any(|taken| taken.span.name == "session.open")
    };
    let taken = receiver.until(whole).await;
    let trace = ruled(&taken).expect("a ruling");

    let by_id: HashMap<_, _> = trace.iter().map(|taken| (taken.span.span_id.clone(), taken)).collect();
    assert_eq!(by_id.len(), trace.len(), "no span came twice: {:?}", names(&trace));
    let above = |taken: &Taken| by_id.get(&taken.span.parent_span_id).copied();
    let path = |taken: &Taken| {
        let (mut path, mut now) = (taken.span.name.clone(), taken);
        while let Some(parent) = above(now) {
            path = format!("{}/{path}", parent.span.name);
            now = parent;
        }
        assert!(now.span.parent_span_id.is_empty(), "{path} hangs in the air");
        path
    };
    let mut paths: Vec<String> = trace.iter().map(path).collect();
    paths.sort();
    let settled = "press/receive/directive/apply/receive";
    let expected = [
        "press",
        "press/receive",
        "press/receive",
        "press/receive/commit",
        "press/receive/commit",
        "press/receive/directive",
        "press/receive/directive/apply",
        settled,
        &format!("{settled}/commit"),
        &format!("{settled}/directive"),
        &format!("{settled}/directive/apply"),
        &format!("{settled}/directive/apply/receive"),
        &format!("{settled}/directive/apply/receive/commit"),
        &format!("{settled}/directive/apply/receive/rule"),
        &format!("{settled}/rule"),
        "press/receive/rule",
        "press/receive/rule",
        "press/spool",
    ];
    assert_eq!(paths, expected);

    let of = |name: &str| trace.iter().filter(|taken| taken.span.name == name).collect::<Vec<_>>();
    for clock in ["press", "spool", "apply"] {
        assert!(of(clock).iter().all(|taken| taken.service == "flagfall-clock"), "{clock}");
    }
    for server in ["receive", "rule", "commit", "directive"] {
        assert!(of(server).iter().all(|taken| taken.service == "flagfall"), "{server}");
    }
    let rule = trace.iter().find(|taken| taken.said("flagfall.irregularity") == "illegal_move").expect("a rule");
    // 7.5.1 of the edition that the game plays under.
    assert_eq!(
        (rule.said("flagfall.article").as_str(), rule.said("flagfall.edition").as_str()),
        ("7.5.1", "fide-2018")
    );
    let acts: Vec<_> = of("directive").iter().map(|taken| taken.said("flagfall.act")).collect();
    assert!(acts.contains(&"stop".to_owned()) && acts.contains(&"set".to_owned()), "{acts:?}");
    for commit in of("commit") {
        assert!(commit.said("db.operation.batch.size").parse::<u64>().expect("a number") > 0);
        assert_eq!(commit.span.kind(), SpanKind::Client);
    }
    let press = of("press")[0];
    assert_eq!((press.said("device.id").as_str(), press.span.kind()), ("clock-1", SpanKind::Producer));
    assert!(press.said("flagfall.spool.wait").parse::<f64>().is_ok(), "it says how long it waited");
    assert!(of("apply").iter().all(|apply| apply.said("flagfall.stage") == "applied"));

    // What came in a session is linked to the span in which it was opened, which is of another trace and short.
    let opened = taken.iter().find(|taken| taken.span.name == "session.open").expect("a session");
    for receive in of("receive") {
        let links = &receive.span.links;
        assert_eq!(links.len(), 1);
        assert_eq!((&links[0].trace_id, &links[0].span_id), (&opened.span.trace_id, &opened.span.span_id));
        assert_eq!(receive.said("flagfall.board"), "board-7");
        assert_eq!(receive.said("rpc.service"), "flagfall.clock.v1.ClockService");
    }
    assert_ne!(opened.span.trace_id, press.span.trace_id);
    for Taken { span, .. } in &trace {
        assert!(span.start_time_unix_nano > 0 && span.start_time_unix_nano <= span.end_time_unix_nano, "{}", span.name);
    }
    bench.end().await;
}

/// The collector dies in the middle of a game: no press is lost, late or refused, and the spans that nobody took are counted.
#[tokio::test]
async fn row_31_a_collector_that_dies_costs_no_press_anything() {
    let mut receiver = Receiver::start().await;
    let mut bench = Bench::new(Some(&receiver.url)).await;
    bench.clock.begin_blind().await;
    bench.clock.press(Place::Left).await;
    bench.clock.shown(|shown| shown.face.hands[0].moves == 1 && shown.acked == shown.spooled).await;
    bench.trails.export().expect("it exports").flush(PATIENCE).await;
    receiver.until(|taken| taken.iter().any(|taken| taken.span.name == "rule")).await;
    receiver.kill().await;

    for n in 1..=20_u32 {
        let place = if n % 2 == 1 { Place::Right } else { Place::Left };
        let before = bench.clock.handle.shown.borrow().spooled;
        bench.clock.press(place).await;
        bench.clock.shown(|shown| shown.spooled > before && shown.acked == shown.spooled).await;
    }
    let figures = || bench.trails.export().expect("it exports").figures();
    bench.trails.export().expect("it exports").flush(PATIENCE).await;
    let dropped = figures().refused.load(std::sync::atomic::Ordering::Relaxed);
    // Twenty presses, each at least the whole and its commit.
    assert!(dropped >= 40, "{dropped}");
    let page = crate::pages::get(bench.running.ops, "/metrics").await.1;
    let line = page.lines().find(|line| line.starts_with("flagfall_spans_dropped_total{reason=\"not_taken\"}"));
    assert_eq!(line.and_then(|line| line.rsplit(' ').next()), Some(dropped.to_string().as_str()));
    assert_eq!(crate::pages::get(bench.running.ops, "/readyz").await.0, 200);
    bench.end().await;
}
