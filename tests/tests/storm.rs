//! Everybody loses the link at once: the load tool's storm, small.

use std::process::Command;

use serde_json::Value;

#[test]
fn row_21_everybody_comes_back_after_a_storm_while_others_are_played_on() {
    let mut load = Command::new(env!("CARGO_BIN_EXE_load"));
    load.args(["--storm", "200", "--clocks", "20", "--rate", "40", "--seconds", "3"]);
    let output = load.output().expect("run");
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{wrong}");
    let figures: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    let number =
        |path: &str| figures.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {figures}"));

    assert_eq!(number("/returned/clocks"), 200.0, "{figures}");
    assert_eq!(number("/returned/back/count"), 200.0, "every clock was taken in again");
    assert!(number("/returned/tries") >= 200.0, "each tried at least once");
    assert_eq!(number("/games_checked"), 20.0, "the service followed every game that was played on");
    // Three seconds at forty a second, until the links are cut; where the machine is slow some come late and count to the storm.
    assert!(number("/quiet/ack/count") >= 60.0, "{figures}");
    for floor in ["/fdatasync/p50_us", "/sled_commit/p50_us", "/echo/p50_us", "/quiet/ack/p50_us"] {
        assert!(number(floor) > 0.0, "{floor}");
    }
    for [less, more] in [["/quiet/ack/p50_us", "/quiet/ack/p99_us"], ["/returned/back/p50_us", "/returned/back/max_us"]]
    {
        assert!(number(less) <= number(more), "{less} and {more}: {figures}");
    }
    assert!(number("/stormy/busy/service_cpu_s") > 0.0, "the service had work to do");
    let aims = figures.pointer("/aims").expect("aims");
    assert!(aims["all_back_within_30_s"].is_boolean() && aims["live_p99_within_5_times"].is_boolean());
}
