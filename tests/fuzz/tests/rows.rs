//! Every kind of bytes for a bounded time: the kept corpus first, then what it becomes when it is spoilt.
//!
//! `FLAGFALL_FUZZ_SECONDS` says for how long each; the seed is fixed, so that a change is not held up by what it did not do. Other
//! seeds are for `fuzz hunt` and `bash tests/fuzz/guided`.

use std::process::Command;

const SECONDS: &str = "15";

fn row(target: &str) {
    let seconds = std::env::var("FLAGFALL_FUZZ_SECONDS").unwrap_or_else(|_| SECONDS.to_owned());
    let findings = tempfile::tempdir().expect("a folder").keep();
    let mut hunt = Command::new(env!("CARGO_BIN_EXE_fuzz"));
    hunt.args(["hunt", target, "--seed", "23", "--seconds", &seconds, "--findings"]).arg(&findings);
    let output = hunt.output().expect("run");
    let told = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{target}: {}; the bytes are in {}/{target}\n{told}{wrong}",
        output.status,
        findings.display()
    );
    let samples = told.split_once(": ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(samples.is_some_and(|samples| samples > 0), "nothing was tried: {told}");
    println!("{}", told.trim_end());
    std::fs::remove_dir_all(findings).expect("removed");
}

#[test]
fn row_23_requests_of_clocks() {
    row("requests");
}

#[test]
fn row_23_responses_of_the_service() {
    row("responses");
}

#[test]
fn row_23_bytes_of_a_board() {
    row("board");
}

#[test]
fn row_23_entries_of_the_journal() {
    row("journal");
}

#[test]
fn row_23_files_of_a_spool() {
    row("spool");
}

#[test]
fn row_23_games_in_pgn() {
    row("pgn");
}

#[test]
fn row_23_logs_of_a_board() {
    row("board-log");
}

#[test]
fn row_23_files_of_cases() {
    row("case");
}

#[test]
fn row_23_files_of_pairings() {
    row("pairings");
}
