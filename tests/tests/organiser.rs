//! The organiser's page, typed as it stands: an open of thirty boards.

use std::net::TcpListener;

use flagfall_tests::{
    pages::{blocks, ran},
    terminal::{Terminal, binaries},
};
use rustix::process::Signal;

const PAGE: &str = "server/docs/organiser.md";

#[test]
fn an_open_of_thirty_boards_works_as_it_is_written() {
    let free = || TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
    let ports = [7701, 7702, 7703, 7704].map(|port| (format!("127.0.0.1:{port}"), free().to_string()));
    let ports: Vec<(&str, String)> = ports.iter().map(|(old, new)| (old.as_str(), new.clone())).collect();
    let desk = format!("http://{}", ports[1].1);
    let env = [("FLAGDESK_URI", desk.as_str())];
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let typed = blocks(PAGE, "sh organiser", &ports);
    let type_next = {
        let mut next = typed.iter();
        move || ran(next.next().expect("a block"), folder, &env)
    };
    let mut type_next = type_next;

    assert_eq!(type_next(), "flagfall.toml: 31 clocks, journal in journal\n");
    let terminal = blocks(PAGE, "sh terminal", &ports);
    let server = Terminal::run(terminal[0].trim(), folder, &binaries(), &env).expect("a terminal");
    server.wait_for("serving");

    let created = type_next();
    let lines: Vec<&str> = created.lines().collect();
    assert_eq!(lines[0], "open  \"Harbour Open\"  fide-2023 90/40+30+30  fide-2023 standard");
    assert_eq!(
        lines[2],
        "  default time 30 min (article 6.7.1?), clocks clock-{}, broadcast 0 plies and 15 min behind"
    );
    assert_eq!(lines[3..], ["  Stage: boards 1 to 4", "  Hall: boards 5 to 30", "  0 players"]);

    let paired =
        "open round 1: 30 boards paired, 0 byes, 0 boards without a clock; 60 players entered\n30 games opened\n";
    assert_eq!(type_next(), paired);
    let started = type_next();
    assert!(started.starts_with("30 clocks would be started, 0 games opened first"), "{started}");
    assert!(started.contains("\n30 clocks started, 0 games opened first"), "{started}");
    assert!(
        started.contains(
            "\nopen round 1: started; boards: 30 ready\n   1 clock-01   ready     1 Player1, P. – 31 Player31, P.  *"
        ),
        "{started}"
    );
    assert!(type_next().ends_with("+/-  (did not come)\n"));
    assert!(type_next().starts_with("   8 clock-31   "));
    assert_eq!(type_next(), "30 results written into open-after-1.trf, round-1.csv\nclosed\n");

    let before = std::fs::read_to_string(folder.join("open.trf")).expect("the file");
    let after = std::fs::read_to_string(folder.join("open-after-1.trf")).expect("its copy");
    let (before, after): (Vec<&str>, Vec<&str>) = (before.split('\r').collect(), after.split('\r').collect());
    assert_eq!(after[0], before[0].replace(" 0.0 ", " 0.5 ").replace("31 w  ", "31 w ="));
    assert_eq!((after[6].ends_with("37 w +"), after[36].ends_with(" 7 b -"), after.len()), (true, true, 61));

    if std::process::Command::new("curl").arg("--version").output().is_ok() {
        for block in blocks(PAGE, "sh broadcast", &ports) {
            assert_eq!(ran(&block, folder, &env), "");
        }
        let round = std::fs::read_to_string(folder.join("round-1.pgn")).expect("the broadcast");
        assert_eq!(round.matches("[Result \"*\"]").count(), 30, "a quarter of an hour behind: {round}");
        assert!(
            std::fs::read_to_string(folder.join("board-7.pgn")).expect("a game").contains("[White \"Player7, P.\"]")
        );
    } else {
        println!("not run: there is no curl to fetch the broadcast with");
    }
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0), "a drained server is content");
}
