//! The demo is what a newcomer sees first: it must end, rule, and be believed.

use std::process::Command;

use flagfall_tests::terminal::binaries;
use serde_json::Value;

#[test]
fn the_demo_rules_on_every_kind_it_shows_and_each_display_confirms() {
    let output = Command::new(binaries().join("flagfall"))
        .args(["demo", "--speed", "max", "--json"])
        .output()
        .expect("flagfall runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("JSON");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let (whole, rulings) = lines.split_last().expect("a last line");
    assert_eq!((whole["boards"].as_u64(), whole["kinds"].as_u64()), (Some(20), Some(7)));
    assert_eq!(whole["rulings"].as_u64(), Some(rulings.len() as u64));
    let results = whole["results"].as_object().expect("results");
    assert!(results.values().all(|result| result != "*"), "every game has a result: {results:?}");
    for ruling in rulings {
        // A leap of the clock is noted; everything else is on a display.
        let confirmed = ruling["confirmed_ms"].is_u64();
        assert_eq!(confirmed, ruling["kind"] != "clock_jump", "{ruling}");
        assert!(ruling["article"].as_str().is_some_and(|article| article.contains('.')), "{ruling}");
    }
    // Board 1, ply 20: Black's illegal move costs him the increment (10 s) and gives White two minutes.
    let first = rulings.iter().find(|ruling| ruling["board"] == "board-01").expect("board 1 is ruled on");
    let left = |face: &str, side: usize| first[face]["left_ms"][side].as_i64().expect("a reading");
    assert_eq!(left("after", 0) - left("before", 0), 120_000);
    assert_eq!(left("before", 1) - left("after", 1), 10_000);
    assert_eq!(first["after"]["moves"], serde_json::json!([10, 9]));
}
