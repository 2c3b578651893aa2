//! The broadcast's addresses: what they answer, when they say that nothing changed, and who else can read it.

use std::{
    io::Write,
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
};

use flagfall_pairings::Outcome;
use flagfall_proto::{
    desk::v1::{EventPlan, ReviseEventRequest},
    journal::v1::Player,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    hall::{Hall, act, pairing, plan},
    table::Table,
};

/// An answer of HTTP.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Asks for an address.
pub(crate) async fn fetch(web: SocketAddr, address: &str, headers: &[(&str, &str)]) -> Answer {
    let mut stream = TcpStream::connect(web).await.expect("a listener");
    let mut request = format!("GET {address} HTTP/1.1\r\nHost: {web}\r\nConnection: close\r\n");
    headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
    stream.write_all(format!("{request}\r\n").as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("read");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// python-chess and pgn-extract read the file without complaint, where they are installed.
pub(crate) fn read_by_others(file: &str, games: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("round.pgn");
    std::fs::write(&path, file).expect("written");
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/chess/bin/python");
    if python.is_file() {
        let script = "import chess.pgn, sys\n\
                      count = 0\n\
                      with open(sys.argv[1], encoding='utf-8') as f:\n\
                      \x20   while (game := chess.pgn.read_game(f)) is not None:\n\
                      \x20       assert not game.errors, game.errors\n\
                      \x20       for node in game.mainline():\n\
                      \x20           assert node.clock() is None or node.clock() >= 0\n\
                      \x20       count += 1\n\
                      print(count)\n";
        let output = Command::new(python).args(["-c", script]).arg(&path).output().expect("python runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "python-chess: {said}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), games.to_string());
    } else {
        println!(
            "not run: python-chess is not in target/chess (python3 -m venv target/chess && target/chess/bin/pip install chess)"
        );
    }
    match Command::new("pgn-extract")
        .arg("-r")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    {
        Ok(mut child) => {
            child.stdin.take().expect("a pipe").write_all(file.as_bytes()).expect("written");
            let output = child.wait_with_output().expect("it ends");
            let said = String::from_utf8_lossy(&output.stderr);
            let kept = said.contains(&format!("{games} games matched out of {games}"));
            let complaints =
                said.lines().filter(|line| line.contains("rror") || line.contains("arning") || line.contains("nknown"));
            assert!(kept && complaints.count() == 0, "pgn-extract: {said}");
        }
        Err(_) => println!("not run: pgn-extract is not installed (apt-get install pgn-extract)"),
    }
}

#[tokio::test]
async fn addresses_are_exact_and_say_when_nothing_changed() {
    let mut hall = Hall::new(1).await;
    hall.create(EventPlan { title: "Open \"A\\B\"".into(), site: "Here".into(), ..plan("open") })
        .await
        .expect("created");
    hall.enter(4).await;
    hall.pair(1, 2).await.expect("paired");
    let web = hall.running.web;
    let first = fetch(web, "/broadcast/open/round-1.pgn", &[]).await;
    assert_eq!((first.status, first.header("content-type")), (200, Some("application/x-chess-pgn; charset=utf-8")));
    assert_eq!(first.body.matches("[Board ").count(), 2, "boards without a game are there: {}", first.body);
    assert!(
        first
            .body
            .starts_with("[Event \"Open \\\"A\\\\B\\\"\"]\n[Site \"Here\"]\n[Date \"????.??.??\"]\n[Round \"1\"]\n"),
        "{}",
        first.body
    );
    read_by_others(&first.body, 2);

    let tag = first.header("etag").expect("a tag").to_owned();
    let same = fetch(web, "/broadcast/open/round-1.pgn", &[("If-None-Match", &tag)]).await;
    assert_eq!((same.status, same.body.as_str(), same.header("etag")), (304, "", Some(tag.as_str())));
    hall.result(1, 2, Some(Outcome::WhiteByForfeit), "").await.expect("entered");
    let changed = fetch(web, "/broadcast/open/round-1.pgn", &[("If-None-Match", &tag)]).await;
    assert_eq!(changed.status, 200);
    assert!(
        changed.body.contains("[Result \"1-0\"]") && changed.body.contains("[Termination \"forfeit\"]"),
        "{}",
        changed.body
    );
    let one = fetch(web, "/broadcast/open/round-1/2.pgn", &[]).await;
    assert!(one.status == 200 && changed.body.ends_with(&one.body), "{}", one.body);

    for address in [
        "/broadcast/open/round-2.pgn",
        "/broadcast/open/round-01.pgn",
        "/broadcast/open/round-1",
        "/broadcast/open/round-1/3.pgn",
        "/broadcast/open/round-1/02.pgn",
        "/broadcast/open/round-1/Player%201.pgn",
        "/broadcast/other/round-1.pgn",
        "/broadcast/..%2f..%2fetc/round-1.pgn",
        "/broadcast/%ff/round-1.pgn",
    ] {
        let none = fetch(web, address, &[]).await;
        assert!(matches!(none.status, 400 | 404), "{address}: {}", none.status);
    }
    hall.running.shutdown().await;
}

#[tokio::test]
async fn names_of_any_kind_are_only_values() {
    let mut hall = Hall::new(1).await;
    hall.create(plan("open")).await.expect("created");
    let names = ["\"]\n[Result \"1-0\"]".replace('\n', " "), "}{;%\\ Ж 😀".to_owned()];
    let players =
        names.iter().zip(1..).map(|(name, number)| Player { number, name: name.clone(), ..Player::default() });
    let request =
        flagfall_proto::desk::v1::PutPlayersRequest { act: act("p"), event: "open".into(), players: players.collect() };
    hall.events.put_players(request).await.expect("entered");
    hall.pair_as(1, vec![pairing(1, 1, 2, "")], Vec::new()).await.expect("paired");
    let whole = fetch(hall.running.web, "/broadcast/open/round-1.pgn", &[]).await;
    assert!(
        whole.body.contains("[White \"\\\"] [Result \\\"1-0\\\"]\"]\n[Black \"}{;%\\\\ Ж 😀\"]\n[Result \"*\"]\n"),
        "{}",
        whole.body
    );
    read_by_others(&whole.body, 1);
    hall.running.shutdown().await;
}

#[tokio::test]
async fn a_delay_holds_back_what_is_entered_for_a_board_without_a_game() {
    let mut hall = Hall::new(1).await;
    hall.create(EventPlan { delay_ms: 900_000, ..plan("open") }).await.expect("created");
    hall.enter(4).await;
    hall.pair(1, 2).await.expect("paired");
    let web = hall.running.web;
    let results = async || {
        let body = fetch(web, "/broadcast/open/round-1.pgn", &[]).await.body;
        body.lines().filter(|line| line.starts_with("[Result ")).map(str::to_owned).collect::<Vec<_>>()
    };
    // Board 1 has a clock and no game yet, board 2 has no clock.
    hall.result(1, 1, Some(Outcome::Draw), "").await.expect("entered");
    hall.result(1, 2, Some(Outcome::WhiteWins), "").await.expect("entered");
    assert_eq!(results().await, ["[Result \"*\"]", "[Result \"*\"]"], "a quarter of an hour behind");
    let revise = ReviseEventRequest { act: act("a"), plan: Some(plan("open")) };
    hall.events.revise_event(revise).await.expect("revised");
    assert_eq!(results().await, ["[Result \"1/2-1/2\"]", "[Result \"1-0\"]"]);
    hall.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delay_lets_nothing_through_before_its_time() {
    let mut hall = Hall::new(1).await;
    hall.create(EventPlan { delay_plies: 2, ..plan("open") }).await.expect("created");
    hall.enter(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let (web, desk) = (hall.running.web, format!("http://{}", hall.running.desk));
    let mut table = Table::sit(hall.running.clocks, &desk, "clock-01", "open.r1.b01").await;
    hall.start(1, 1).await.expect("started");
    table.started().await;
    table.play("f3 e5 g4", 5_000).await;
    let shown = async || fetch(web, "/broadcast/open/round-1.pgn", &[]).await.body;
    let body = shown().await;
    assert!(
        body.contains("1. f3") && !body.contains("e5") && body.contains("[Result \"*\"]"),
        "two plies behind: {body}"
    );

    // By minutes nothing is old enough, not even the end.
    let revise = |request: &str, delay_plies, delay_ms| ReviseEventRequest {
        act: act(request),
        plan: Some(EventPlan { delay_plies, delay_ms, ..plan("open") }),
    };
    hall.events.revise_event(revise("a", 0, 3_600_000)).await.expect("revised");
    table.play("Qh4#", 5_000).await;
    let body = shown().await;
    assert!(
        !body.contains("f3") && body.contains("[Result \"*\"]") && body.ends_with("\n*\n"),
        "an hour behind: {body}"
    );
    hall.result(1, 1, Some(Outcome::BlackWins), "").await.expect("entered");
    assert!(shown().await.contains("[Result \"*\"]"), "nor does what is entered by hand tell it");
    // A game that is over is shown whole where only plies are held back.
    hall.events.revise_event(revise("b", 2, 0)).await.expect("revised");
    let body = shown().await;
    assert!(body.contains("2. g4") && body.contains("Qh4#") && body.contains("[Result \"0-1\"]"), "{body}");
    hall.running.shutdown().await;
    table.leave().await;
}
