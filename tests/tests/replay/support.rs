//! Files to replay and the reports of it.

use std::path::{Path, PathBuf};

use flagfall_server::app::replay::{self, Args, Replayed, report::Report};

/// Replays these arguments, and returns what was written besides.
pub(crate) async fn run(args: &Args) -> (Replayed, String) {
    let mut out = Vec::new();
    let replayed = replay::run(args, &mut out).await.expect("a service that starts");
    (replayed, String::from_utf8(out).expect("text"))
}

/// A directory with one file in it.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join(name);
    std::fs::write(&path, content).expect("a file");
    (dir, path)
}

/// Replays one text with irregularities committed in it.
pub(crate) async fn games(text: &str, inject: &[&str]) -> Vec<Report> {
    let (_dir, path) = file("game.pgn", text);
    let mut args = Args::new(vec![path]);
    args.inject = inject.iter().map(|text| text.parse().expect("an injection")).collect();
    run(&args).await.0.reports
}

/// [`games`] of a text with one game.
pub(crate) async fn game(text: &str, inject: &[&str]) -> Report {
    let mut reports = games(text, inject).await;
    assert_eq!(reports.len(), 1);
    reports.swap_remove(0)
}

/// The moves of a text of UCI.
pub(crate) fn uci(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Nothing was found, nothing is wrong, and the clock took everything it was told.
pub(crate) fn assert_clean(report: &Report) {
    assert!(report.irregularities.is_empty() && report.faults.is_empty() && report.alarms.is_empty(), "{report:#?}");
    assert_applied(report);
}

/// The clock took everything it was told.
pub(crate) fn assert_applied(report: &Report) {
    assert!(report.directives.iter().all(|directive| directive.stage == "applied"), "{:#?}", report.directives);
}

/// What was found, one line each.
pub(crate) fn found(report: &Report) -> Vec<String> {
    report.irregularities.iter().map(|i| format!("{} {} {} {}", i.ply, i.side, i.kind, i.article)).collect()
}

/// The real recordings, if they are here.
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let dir = std::env::var_os("TEST_DATA").map_or(beside, PathBuf::from);
    let there = dir.join("eboard").is_dir();
    if !there {
        println!("not run: no recordings in {}", dir.display());
    }
    there.then_some(dir)
}
