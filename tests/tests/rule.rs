//! `flagfall rule` as an arbiter uses it: on a case in either language, on a folder, on a file with a slip of the pen.

use std::{fs, path::Path, process::Command};

use flagfall_tests::terminal::binaries;

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

fn rule(arguments: &[&str]) -> Said {
    let output = Command::new(binaries().join("flagfall")).arg("rule").args(arguments).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

const CASE: &str = r#"title = "White's first illegal move"
edition = "fide-2018"
control = "60+30"
position = "r4rk1/ppp2ppp/2n5/3q4/3P4/2N2N2/PPP2PPP/R2Q1RK1 w - - 0 31"
happened = "illegal_move"
by = "white"
clocks = { white = "12:22", black = "46:09" }
"#;

fn written(dir: &Path, text: &str) -> String {
    let path = dir.join("case.toml");
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

#[test]
fn a_case_is_ruled_in_both_languages_and_for_machines() {
    let dir = tempfile::tempdir().expect("a folder");
    let case = written(dir.path(), CASE);
    let said = rule(&[&case]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("illegal move 1: +2:00 to Black (article 7.5.5)"), "{}", said.out);
    assert!(said.out.contains("clocks 11:52 – 48:09; moves 30/30"), "{}", said.out);
    let said = rule(&["--lang", "ru", &case]);
    assert!(said.out.contains("невозможный ход 1: +2:00 чёрным (ст. 7.5.5)"), "{}", said.out);
    let said = rule(&["--json", &case]);
    let ruled: serde_json::Value = serde_json::from_str(&said.out).expect("one object a line");
    assert_eq!(ruled["kind"], "fixed");
    assert_eq!(ruled["ways"][0]["clocks"], serde_json::json!({ "white": 712_000, "black": 2_889_000 }));
}

#[test]
fn every_case_of_the_tree_checks_and_a_wrong_expectation_is_told() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/cases/cases");
    let said = rule(&["--check", cases]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(said.out.trim_end().ends_with(", 0 wrong"), "{}", said.out);
    let dir = tempfile::tempdir().expect("a folder");
    let case = written(dir.path(), &format!("{CASE}expect = {{ clocks = {{ black = \"48:10\" }} }}\n"));
    let said = rule(&["--check", &case]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.out.contains("clocks.black: expected 48:10, ruled 48:09"), "{}", said.out);
}

#[test]
fn an_ill_formed_case_is_refused_naming_line_and_key() {
    let dir = tempfile::tempdir().expect("a folder");
    let case = written(dir.path(), &CASE.replace("by = \"white\"", "by = \"blue\""));
    let said = rule(&[&case]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("case.toml:6: by: \"blue\" is not one of: white, black"), "{}", said.err);
    assert_eq!(rule(&["/nowhere/case.toml"]).code, Some(2));
    assert_eq!(rule(&["--check", "/nowhere"]).code, Some(1), "nothing was checked");
}

#[test]
fn moves_are_read_as_people_write_them_and_a_right_that_cannot_be_is_noted() {
    let dir = tempfile::tempdir().expect("a folder");
    let rest = "title = \"T\"\nedition = \"fide-2018\"\nhappened = \"touch_move\"\nby = \"white\"\n";
    for moves in
        ["1.e2-e4 d5 2. e:d5 e5 3. dxe6 e.p. Be7! 4. ef7+ Kf8 5. fxg8Q++", "e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 e1h1 0-0 Nc3"]
    {
        let said = rule(&[&written(dir.path(), &format!("{rest}moves = \"{moves}\"\n"))]);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{moves}");
    }
    let said = rule(&[&written(dir.path(), &format!("{rest}moves = \"1. e4 e5 5. Nf3\"\n"))]);
    assert_eq!(said.code, Some(2), "the third move is not the fifth");
    let case = CASE.replace("w - - 0 31", "w KQ e6 0 31");
    let said = rule(&[&written(dir.path(), &case)]);
    assert!(said.out.contains("Note: the board does not allow the capture en passant of the FEN"), "{}", said.out);
    assert!(said.out.contains("Note: the board does not allow all the castling"), "{}", said.out);
    assert!(said.out.contains("clocks 11:52 – 48:09; moves 30/30"), "{}", said.out);
}
