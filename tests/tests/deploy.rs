//! What lies in `deploy/` against the programs it is for: every metric asked for is exported, every alert and every named reason has its
//! page in the runbook.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use flagfall_server::{ops::metrics::METRICS, wire::reasons::reason};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts of a folder's files, with their names.
fn folder(path: &str) -> Vec<(String, String)> {
    let files = fs::read_dir(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut files: Vec<_> = files.map(|file| file.expect("listed").file_name().into_string().expect("UTF-8")).collect();
    files.sort();
    files.into_iter().map(|name| (name.clone(), read(&format!("{path}/{name}")))).collect()
}

/// Words of these characters in a text.
fn words(text: &str, is_part: impl Fn(char) -> bool) -> BTreeSet<&str> {
    text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()).collect()
}

/// The metrics that an expression asks for, without what a histogram adds to its name.
fn metrics(text: &str) -> BTreeSet<&str> {
    let named = words(text, |letter| letter.is_ascii_alphanumeric() || letter == '_');
    let named = named.into_iter().filter(|word| word.starts_with("flagfall_"));
    named
        .map(|word| ["_bucket", "_count", "_sum"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word))
        .collect()
}

/// Every alert's name.
fn alerts(rules: &str) -> BTreeSet<&str> {
    rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect()
}

#[test]
fn dashboards_and_alerts_ask_only_for_what_the_service_exports_and_show_all_of_it() {
    let mut shown = BTreeSet::new();
    let dashboards = folder("deploy/grafana/dashboards");
    assert_eq!(dashboards.len(), 3);
    for (name, text) in &dashboards {
        let board: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let panels = board["panels"].as_array().unwrap_or_else(|| panic!("{name} has no panels"));
        let mut ids = BTreeSet::new();
        for panel in panels {
            assert!(ids.insert(panel["id"].as_u64()), "{name}: two panels have the id {}", panel["id"]);
            let place = |key: &str| panel["gridPos"][key].as_u64().unwrap_or_else(|| panic!("{name}: {key}"));
            assert!(place("x") + place("w") <= 24, "{name}: {} is wider than the page", panel["title"]);
            for target in panel["targets"].as_array().expect("targets") {
                let expression = target["expr"].as_str().expect("an expression");
                assert!(expression.matches('(').count() == expression.matches(')').count(), "{name}: {expression}");
                shown.extend(metrics(expression).into_iter().map(str::to_owned));
            }
        }
    }
    let rules = read("deploy/prometheus/alerts.yml");
    let expressions = rules.lines().filter(|line| line.trim().starts_with("expr:"));
    let asked: BTreeSet<String> =
        expressions.flat_map(metrics).map(str::to_owned).chain(shown.iter().cloned()).collect();
    let exported: BTreeSet<String> = METRICS.iter().map(|&name| name.to_owned()).collect();
    let unknown: Vec<_> = asked.difference(&exported).collect();
    assert!(unknown.is_empty(), "the service exports no {unknown:?}");
    let unseen: Vec<_> = exported.difference(&shown).collect();
    assert!(unseen.is_empty(), "no dashboard shows {unseen:?}");
}

#[test]
fn every_alert_has_a_test_and_a_page_and_there_is_no_page_of_an_alert_that_is_not() {
    let rules = read("deploy/prometheus/alerts.yml");
    let alerts = alerts(&rules);
    assert!(alerts.len() >= 15, "{alerts:?}");
    let cases = read("deploy/prometheus/alerts.test.yml");
    let pages = read("deploy/runbook/alerts.md");
    let paged: BTreeSet<&str> = pages.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(paged, alerts);
    for alert in &alerts {
        assert!(cases.contains(&format!("- name: {alert} fires")), "{alert} has no case that makes it fire");
        assert!(rules.contains(&format!("alerts.md#{}", alert.to_lowercase())), "{alert} does not name its page");
    }
}

#[test]
fn every_page_of_the_runbook_says_what_it_means_what_to_do_meanwhile_and_how_it_is_mended() {
    for file in ["alerts.md", "clocks.md", "programs.md"] {
        let text = read(&format!("deploy/runbook/{file}"));
        for page in text.split("\n### ").skip(1) {
            let title = page.lines().next().unwrap_or_default();
            for part in ["**Means**", "**Meanwhile**", "**Mend**"] {
                assert!(page.contains(part), "{file}: {title} does not say {part}");
            }
        }
    }
}

/// The reasons that a source names: `"REASON: …` in a message, or `=> "REASON"` in a list of codes.
fn reasons(source: &str) -> BTreeSet<&str> {
    let is_reason = |word: &&str| {
        word.len() >= 4 && word.contains('_') && word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    };
    let after = |mark: &'static str| source.split(mark).skip(1).filter_map(|rest| rest.split(['"', ':']).next());
    after("\"").filter(is_reason).collect()
}

#[test]
fn every_reason_for_which_the_service_says_no_has_its_place_in_the_runbook() {
    let mut sources: Vec<(String, String)> =
        folder("server/src/wire").into_iter().filter(|(name, _)| name.ends_with(".rs")).collect();
    for file in ["server/rules/src/game/refusal.rs", "server/rules/src/adjourn/refusal.rs"] {
        sources.push((file.into(), read(file)));
    }
    let runbook = folder("deploy/runbook").into_iter().map(|(_, text)| text).collect::<String>();
    let paged = words(&runbook, |letter| letter.is_ascii_uppercase() || letter == '_');
    let mut named = BTreeSet::new();
    for (_, source) in &sources {
        // Tests quote reasons too, and may quote any.
        named.extend(reasons(source.split("#[cfg(test)]").next().unwrap_or_default()));
    }
    assert!(named.len() > 60, "{named:?}");
    let missing: Vec<_> = named.difference(&paged).collect();
    assert!(missing.is_empty(), "the runbook has no page of {missing:?}");

    // What a desk is told has words in both languages; the rest is for clocks, and stands on their page.
    let clocks = read("deploy/runbook/clocks.md");
    let desk = read("deploy/runbook/desk.md");
    let rows = desk.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Name"));
    let of_desk = rows.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split(',')).map(str::trim);
    let unpaged = named.iter().copied().filter(|name| !clocks.contains(name));
    for name in of_desk.chain(unpaged) {
        let words = reason(name).unwrap_or_else(|| panic!("{name} has no words"));
        let russian = |letter: char| ('а'..='я').contains(&letter);
        assert!(!words.en.contains(russian) && words.ru.contains(russian), "{name}: {words:?}");
    }
}
