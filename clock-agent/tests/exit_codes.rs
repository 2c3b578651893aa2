//! The program as an operator meets it: what it says and with which code it ends.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use flagfall_clock::FileSpool;

fn clock(folder: &Path, settings: &str, check: bool) -> Output {
    let file = folder.join("clock.toml");
    let spool = folder.join("spool");
    let common = format!("device = 'b'\nserver = 'http://127.0.0.1:1'\nspool_dir = '{}'\n", spool.display());
    fs::write(&file, common + settings).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall-clock"));
    command.env_clear().arg("--config").arg(file).args(check.then_some("--check"));
    command.output().expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

#[test]
fn each_cause_has_its_code_and_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = clock(folder.path(), "", true);
    assert_eq!(good.status.code(), Some(0), "{}", said(&good));
    assert!(said(&good).contains("b is ready to run"));

    let typo = clock(folder.path(), "[bord]\n", true);
    assert_eq!(typo.status.code(), Some(2), "{}", said(&typo));
    assert!(said(&typo).contains("clock.toml: bord: unknown field"), "{}", said(&typo));

    let external = "[clock]\nkind = 'external'\n[board]\nkind = 'dgt'\nport = '/dev/nowhere'\n";
    let missing = clock(folder.path(), external, false);
    assert_eq!(missing.status.code(), Some(4), "{}", said(&missing));
    assert!(said(&missing).contains("/dev/nowhere"), "{}", said(&missing));

    let file = clock(folder.path(), "[board]\nkind = 'dgt'\nport = '/dev/null'\n", false);
    assert_eq!(file.status.code(), Some(4), "{}", said(&file));
    assert!(said(&file).contains("/dev/null is not a serial port"), "{}", said(&file));

    let _held = FileSpool::open(&folder.path().join("spool")).expect("opened");
    let second = clock(folder.path(), "", false);
    assert_eq!(second.status.code(), Some(3), "{}", said(&second));
    assert!(said(&second).contains("another agent uses the spool"), "{}", said(&second));
    // Whoever stands at the clock reads it too, on the display.
    let shown = String::from_utf8_lossy(&second.stdout).into_owned();
    assert!(shown.contains("CLOCK STOPPED") && shown.contains("Позовите арбитра"), "{shown}");
}

#[test]
fn help_shows_an_example_that_names_the_program() {
    let help = Command::new(env!("CARGO_BIN_EXE_flagfall-clock")).arg("--help").output().expect("it runs");
    assert!(said(&help).contains("flagfall-clock --config /etc/flagfall/clock.toml"), "{}", said(&help));
}
