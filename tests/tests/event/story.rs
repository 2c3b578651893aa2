//! A round of an open from its report file to the broadcast, on real agents: one game by mate, one with an illegal move, one agreed
//! drawn, one that nobody came to.

use flagfall_rules::clock::{Going, Place};
use flagfall_server::app::replay::{
    desk::Desk,
    lexer, pgn,
    player::{Deed, Player, View},
    rig::{Rig, Speed},
};

use crate::{
    broadcast::{fetch, read_by_others},
    hall::Hall,
    shell::{refused, told, typed},
    table::Table,
};

/// Nine players, one of them left over, lines ended by CR alone.
const REPORT: &str = "012 Harbour Open\r\
001    1 m GM Anker, Anna                       2510 FID     1000001             0.0    1     5 w  \r\
001    2      Boje, Bert                        2420                             0.0    2     6 b  \r\
001    3      Couleur, Chlo\u{e9}                    2330                             0.0    3     7 w  \r\
001    4      Deich, Dora                       2240                             0.0    4     8 b  \r\
001    5      Ebbe, Emil                        2150                             0.0    5     1 b  \r\
001    6      Flut, Frida                       2060                             0.0    6     2 w  \r\
001    7      Gischt, Gustav                    1970                             0.0    7     3 b  \r\
001    8      Hafen, Hanna                      1880                             0.0    8     4 w  \r\
001    9      Insel, Ida                                                         0.0    9  0000 - U\r";

/// What is played on board 2, by clocks of the players' own.
const GAME: &str = "[TimeControl \"5400+30\"]\n\n1. e4 {[%clk 1:30:20]} e5 {[%clk 1:30:15]} 2. Nf3 {[%clk 1:30:40]} Nc6 {[%clk 1:30:35]} \
                    3. Bb5 {[%clk 1:31:00]} a6 {[%clk 1:30:55]} *";

#[tokio::test(flavor = "multi_thread")]
async fn a_round_from_its_file_to_its_broadcast() {
    let hall = Hall::new(4).await;
    let (clocks, desk) = (hall.running.clocks, format!("http://{}", hall.running.desk));
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let (before, after, table) = (path("open.trf"), path("after.trf"), path("round.csv"));
    // The file is in Latin-1, as some programs write it.
    let latin: Vec<u8> = REPORT.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
    std::fs::write(&before, &latin).expect("written");

    let created = told(
        &desk,
        &["event", "create", "open", "--preset", "fide-2023 90+30", "--title", "Harbour Open", "--sector", "Stage=1-2"],
    )
    .await;
    assert_eq!(created, "open  \"Harbour Open\"  fide-2023 90+30  fide-2023 standard\n");
    let paired = told(&desk, &["round", "pair", "open", "--from", &before]).await;
    assert_eq!(paired, "open round 1: 4 boards paired, 1 byes, 0 boards without a clock; 9 players entered\n");
    assert_eq!(told(&desk, &["round", "prepare", "open", "1"]).await, "4 games opened\n");

    // Three tables are there; the players of the second start their clock themselves.
    let mut first = Table::sit(clocks, &desk, "clock-01", "open.r1.b01").await;
    let mut third = Table::sit(clocks, &desk, "clock-03", "open.r1.b03").await;
    let mut second = Hands::sit(clocks, &desk, "clock-02", "open.r1.b02").await;
    second.open().await;
    // The fourth is switched off: it is named, and the exit code says so.
    let away = "\n  board 4: CLOCK_AWAY: clock-04 is not connected; ";
    let (looked, clean) = typed(&desk, &["round", "start", "open", "1"]).await.expect("looked");
    let said = "3 clocks would be started, 0 games opened first (1 under way, 0 over, 0 without a clock); start them with --confirm 3";
    assert!(looked.starts_with(&format!("{said}{away}")) && !clean, "{looked}");
    let (started, clean) = typed(&desk, &["round", "start", "open", "1", "--confirm", "3"]).await.expect("started");
    let said = "3 clocks started, 0 games opened first (1 under way, 0 over, 0 without a clock)";
    assert!(started.starts_with(&format!("{said}{away}")) && !clean, "{started}");

    first.started().await;
    first.play("f3 e5 g4 Qh4#", 10_000).await;
    third.started().await;
    third.play("d4 d5", 61_000).await;
    second.play().await;

    // Nobody came to the fourth board, and the edition gives no time to be late; but the round has just begun.
    let shown = told(&desk, &["round", "show", "open", "1"]).await;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "open round 1: started; boards: 1 over, 1 ready, 2 running");
    assert!(lines[1].starts_with("   1 clock-01   over      1 Anker, Anna – 5 Ebbe, Emil  0-1"), "{shown}");
    assert!(lines[2].contains(" – 1:32:5"), "two minutes for Black, whose opponent's move was illegal: {shown}");
    assert!(!lines[4].contains("moved"), "{shown}");
    assert_eq!(lines[5], "     player 9 does not play (pairing)");
    assert!(
        refused(&desk, &["round", "close", "open", "1"])
            .await
            .starts_with("ROUND_OPEN: round 1 of open has no result on boards 2, 3, 4;")
    );

    assert!(refused(&desk, &["round", "result", "open", "1", "2", "1-0"]).await.starts_with("ENDS_GAME: "));
    for (board, result) in [("2", "1-0"), ("3", "1/2-1/2")] {
        let entered = told(&desk, &["round", "result", "open", "1", board, result, "--ends-game"]).await;
        assert!(entered.contains(result), "{entered}");
    }
    assert!(
        told(&desk, &["round", "result", "open", "1", "4", "+/-", "--note", "did not come"])
            .await
            .ends_with("+/-  (did not come)\n")
    );
    third.settle().await;
    second.settle().await;
    for rest in [first, third] {
        rest.leave().await;
    }
    second.rig.end().await;

    let exported =
        told(&desk, &["round", "export", "open", "1", "--trf", &before, "--out", &after, "--csv", &table]).await;
    assert_eq!(exported, format!("4 results written into {after}, {table}\n"));
    let file: String = std::fs::read(&after).expect("the file").iter().copied().map(char::from).collect();
    let expected = REPORT
        .replace(" 0.0    1     5 w  ", " 0.0    1     5 w 0")
        .replace(" 0.0    2     6 b  ", " 0.0    2     6 b 0")
        .replace(" 0.0    3     7 w  ", " 0.5    3     7 w =")
        .replace(" 0.0    4     8 b  ", " 0.0    4     8 b -")
        .replace(" 0.0    5     1 b  ", " 1.0    5     1 b 1")
        .replace(" 0.0    6     2 w  ", " 1.0    6     2 w 1")
        .replace(" 0.0    7     3 b  ", " 0.5    7     3 b =")
        .replace(" 0.0    8     4 w  ", " 1.0    8     4 w +")
        .replace(" 0.0    9  0000 - U", " 1.0    9  0000 - U");
    assert_eq!(file, expected);
    let csv = std::fs::read_to_string(&table).expect("the table");
    assert!(
        csv.contains("\n1,4,8,\"Hafen, Hanna\",4,\"Deich, Dora\",+/-,clock-04\n1,,9,\"Insel, Ida\",,,U,\n"),
        "{csv}"
    );
    // On the standard output the table has nothing beside it.
    assert_eq!(told(&desk, &["round", "export", "open", "1", "--csv", "-"]).await, csv);
    assert_eq!(told(&desk, &["round", "close", "open", "1"]).await, "closed\n");
    let (json, _) = typed(&desk, &["round", "show", "open", "1", "--json"]).await.expect("shown");
    let boards: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(
        (boards.len(), boards[3]["result"].as_str(), boards[3]["entered"].as_bool()),
        (5, Some("+/-"), Some(true))
    );
    assert_eq!(boards[4], serde_json::json!({ "board": null, "player": 9, "bye": "pairing" }));
    let page = fetch(hall.running.web, "/round?event=open&round=1", &[]).await.body;
    assert!(page.contains("<li><bdi>Insel, Ida</bdi> · a point by the pairing</li>"), "{page}");
    assert!(
        page.contains("<option>0-0</option>") && page.contains("<option value=\"open\">withdraw</option>"),
        "{page}"
    );

    // Everybody can follow the games.
    let whole = fetch(hall.running.web, "/broadcast/open/round-1.pgn", &[]).await;
    assert_eq!(whole.status, 200);
    let games: Vec<pgn::PgnGame> = lexer::games(&whole.body).into_iter().map(pgn::read).collect();
    let of = |tag: &str| games.iter().map(|game| game.tag(tag).unwrap_or("-").to_owned()).collect::<Vec<_>>();
    assert_eq!(of("Board"), ["1", "2", "3", "4"]);
    assert_eq!(of("Result"), ["0-1", "1-0", "1/2-1/2", "1-0"]);
    assert_eq!(of("White"), ["Anker, Anna", "Flut, Frida", "Couleur, Chlo\u{e9}", "Hafen, Hanna"]);
    assert_eq!(of("Termination"), ["normal", "adjudication", "adjudication", "forfeit"]);
    assert_eq!(
        (of("WhiteTitle")[0].as_str(), of("WhiteFideId")[0].as_str(), of("TimeControl")[0].as_str()),
        ("GM", "1000001", "5400+30")
    );
    // Ten seconds of thought, thirty given for each press, that of the mate too: 1:30:30 − 0:10 + 0:30, and so on.
    let mated: Vec<_> = games[0].moves.iter().map(|m| (m.clk, m.emt)).collect();
    let (first, second) = (Some(5_450_000), Some(5_470_000));
    assert_eq!(mated, [(first, Some(10_000)), (first, Some(10_000)), (second, Some(10_000)), (second, Some(10_000))]);
    // The illegal move never was in the score, and what was done about it is said where it was.
    assert_eq!(games[1].moves.len(), 6);
    let unwrapped = whole.body.replace('\n', " ");
    assert!(unwrapped.contains("{Arbiter, article 7.5.5: illegal move 1: +2:00 to Black.} 3. Bb5"), "{}", whole.body);
    assert!(games.iter().all(|game| game.faults.is_empty()), "{games:?}");
    let alone = fetch(hall.running.web, "/broadcast/open/round-1/2.pgn", &[]).await;
    assert!(whole.body.contains(&alone.body) && alone.body.starts_with("[Event \"Harbour Open\"]"), "{}", alone.body);
    read_by_others(&whole.body, 4);
    hall.running.shutdown().await;
}

/// A table with a physical clock, and a player of both colours who plays a file and commits an illegal move in it.
struct Hands {
    rig: Rig,
    follower: flagfall_server::app::replay::desk::Follower,
    player: Player,
}

impl Hands {
    async fn sit(clocks: std::net::SocketAddr, desk: &str, device: &str, game: &str) -> Hands {
        let rig = Rig::hands(device, &format!("http://{clocks}"), Place::Left, Speed::Max).expect("an agent");
        let follower = Desk::connect(desk).await.expect("a desk").follow(game).await.expect("a game");
        let game = pgn::read(lexer::games(GAME).swap_remove(0));
        let player = Player::new(&game, &["5:illegal_move".parse().expect("an injection")]);
        Hands { rig, follower, player }
    }

    async fn open(&mut self) {
        self.settle().await;
        let senses = self.player.opening();
        self.rig.feed(senses).await.expect("an agent");
        self.settle().await;
    }

    async fn settle(&mut self) {
        let player = &mut self.player;
        self.rig.settle(&mut self.follower, |face| player.answer(face)).await.expect("settled");
    }

    /// Plays the file to its end.
    async fn play(&mut self) {
        loop {
            let player = &mut self.player;
            let settled = self.rig.settle(&mut self.follower, |face| player.answer(face)).await;
            let (shown, _) = settled.expect("settled");
            let face = &shown.face;
            assert_ne!(face.going, Going::Over);
            let left = face.hands.map(|hand| hand.left);
            let view = View { going: face.going, turn: face.turn, left, position: &shown.position };
            match self.player.next(&view) {
                Deed::Act(senses) => self.rig.feed(senses).await.expect("an agent"),
                Deed::Done => break,
            }
        }
        let senses = self.player.linger();
        self.rig.feed(senses).await.expect("an agent");
        self.settle().await;
        assert!(self.player.faults().is_empty(), "{:?}", self.player.faults());
    }
}
