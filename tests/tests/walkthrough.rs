//! README's walk-through, typed as it stands: one server, two clocks, and what happens to them when they are killed.

use std::{net::TcpListener, process::Command};

use flagfall_tests::{
    pages::{blocks, ran},
    terminal::{Terminal, binaries},
};
use rustix::process::Signal;

#[test]
fn the_walk_through_of_the_readme_works_as_it_is_written() {
    let free = || TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
    let ports = ["127.0.0.1:7701", "127.0.0.1:7702", "127.0.0.1:7703"].map(|old| (old, free().to_string()));
    let desk = format!("http://{}", ports[1].1);
    // The settings of the walk say nothing of browsers, and another service on this machine may have their usual address.
    let env = [("FLAGDESK_URI", desk.as_str()), ("FLAGFALL_LISTEN__WEB", "127.0.0.1:0")];
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let typed = blocks("README.md", "sh walkthrough", &ports);
    let terminals: Vec<String> =
        blocks("README.md", "sh terminal", &ports).iter().flat_map(|b| b.lines()).map(String::from).collect();
    let open = |line: usize| Terminal::run(&terminals[line], folder, &binaries(), &env).expect("a terminal");

    let checked = ran(&typed[0], folder, &env);
    assert_eq!(checked, "flagfall.toml: 2 clocks, journal in journal\n");

    let server = open(0);
    server.wait_for("serving");
    let (mut first, second) = (open(1), open(2));
    first.wait_for("online");
    second.wait_for("online");

    let opened = ran(&typed[1], folder, &env);
    assert!(opened.starts_with("table-1, directive 1\ntable-2, directive 1\n"), "{opened}");
    first.wait_for("table-1");
    second.wait_for("table-2");
    // White sits on the left of table 1, so Black's right button starts the game.
    first.forget();
    first.press("l");
    first.wait_for("running");

    // The power of the clock fails: it comes back paused, and says why.
    first.signal(Signal::KILL);
    first.end();
    let first = open(1);
    first.wait_for("table-1");
    first.wait_for("paused");

    // The server is killed and comes back; both clocks find it by themselves.
    server.signal(Signal::KILL);
    server.end();
    first.forget();
    let server = open(0);
    server.wait_for("clock-1");
    server.wait_for("clock-2");

    let told = ran(&typed[2], folder, &env);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[..3], ["table-1, directive 2", "table-1, directive 3", "table-1, directive 4"]);
    assert!(lines[4].starts_with("board-1  table-1 ") && lines[4].contains("  1-0  "), "{told}");
    assert!(lines[5].starts_with("board-2  table-2 ") && lines[5].contains("  ready  "), "{told}");
    first.wait_for("1-0");

    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0), "a drained server is content");
    let verified = Command::new(binaries().join("flagfall"))
        .args(["journal", "verify", "--data", "journal"])
        .current_dir(folder)
        .output()
        .expect("flagfall runs");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}
