//! A scrape as a parser reads it that is not ours.

use std::collections::BTreeSet;

use flagfall_rules::clock::Place;
use flagfall_server::ops::metrics::METRICS;
use openmetrics_parser::openmetrics::parse_openmetrics;

use crate::{bench::Bench, pages::get};

/// Labels of which there are only so many values, however many boards there are.
const LABELS: [&str; 7] = ["at", "le", "kind", "reason", "stage", "version", "quantile"];

#[tokio::test]
async fn a_scrape_can_be_read_has_every_metric_and_no_label_that_grows_with_the_boards() {
    let mut bench = Bench::new(None).await;
    bench.clock.begin().await;
    bench.clock.illegal_move().await;
    bench.clock.press(Place::Left).await;
    let (status, page) = get(bench.running.ops, "/metrics").await;
    assert_eq!(status, 200);
    let read = parse_openmetrics(&page).unwrap_or_else(|error| panic!("{error}\n{page}"));

    // A counter's family is named without `_total`, the program's without `_info`.
    let family = |name: &str| {
        let short = name.strip_suffix("_total").or_else(|| name.strip_suffix("_info")).unwrap_or(name);
        read.families.contains_key(name) || read.families.contains_key(short)
    };
    let missing: Vec<_> = METRICS.iter().filter(|name| !family(name)).collect();
    assert!(missing.is_empty(), "{missing:?}\n{page}");
    let shown: BTreeSet<&String> = read.families.keys().collect();
    let unlisted: Vec<_> =
        shown.iter().filter(|name| !METRICS.iter().any(|listed| listed.starts_with(name.as_str()))).collect();
    assert!(unlisted.is_empty(), "{unlisted:?} are not in the list");

    let labels = page.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (_, rest) = line.split_once('{')?;
        Some(
            rest.split_once('}')?
                .0
                .split("\",")
                .map(|label| label.split('=').next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>(),
        )
    });
    let labels: BTreeSet<String> = labels.flatten().collect();
    assert!(labels.iter().all(|label| LABELS.contains(&label.as_str())), "{labels:?}");
    assert!(!page.contains("board-7") && !page.contains("clock-1"), "{page}");

    let number = |name: &str| -> f64 {
        let line = page.lines().find_map(|line| line.strip_prefix(name).filter(|rest| rest.starts_with(' ')));
        line.and_then(|rest| rest.trim().parse().ok()).unwrap_or_else(|| panic!("{name}\n{page}"))
    };
    assert_eq!(number("flagfall_sessions"), 1.0);
    assert_eq!(number("flagfall_findings_total{kind=\"illegal_move\"}"), 1.0);
    assert_eq!(number("flagfall_inputs_total{kind=\"press\"}"), number("flagfall_press_ack_seconds_count"));
    // Prepare, stop and set were carried out.
    assert_eq!(number("flagfall_directives_total{stage=\"applied\"}"), 3.0);
    assert_eq!(number("flagfall_directive_confirmed_seconds_count"), 3.0);
    assert_eq!((number("flagfall_clocks_behind"), number("flagfall_journal_writable")), (0.0, 1.0));
    bench.end().await;
}
