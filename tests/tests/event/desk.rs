//! An arbiter's commands as he types them: what he sees of the hall, what waits for him, what he does about it.

use std::sync::Arc;

use flagfall_proto::clock::v1::{Directive, Stage, directive::Act};
use flagfall_rules::clock::{Colour, Face, Going};
use flagfall_server::{
    arena::Limits,
    journal::{SledJournal, sled},
};
use flagfall_tests::clock::{Clock, Spool};
use serde_json::{Value, json};

use crate::{
    hall::Hall,
    shell::{refused, told, typed},
};

/// A clock whose every report is on the service's disk before anything else is done.
struct Board {
    clock: Clock,
    spool: Spool,
}

impl Board {
    /// Takes on the game that was prepared for it, and two moves are made.
    async fn sit(hall: &Hall) -> Board {
        let spool = Spool::new("clock-01", 1);
        let clock = Clock::connect(hall.running.clocks, &spool).await.expect("taken in");
        let mut board = Board { clock, spool };
        board.carries_out(|face| face.hands.iter_mut().for_each(|hand| hand.left = Some(5_430_000))).await;
        board.spool.scan("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        board.spool.start();
        board.spool.scan("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        board.spool.press(Colour::White);
        board.spool.scan("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
        board.spool.press(Colour::Black);
        board.clock.events(&board.spool, 2..=7).await;
        board.clock.acked(7).await;
        board
    }

    /// Carries out the next directive, after which the clock shows another face.
    async fn carries_out(&mut self, change: impl FnOnce(&mut Face)) -> Directive {
        let directive = self.clock.directive().await;
        change(&mut self.spool.face);
        self.spool.report(&directive, Stage::Applied);
        let last = self.spool.last();
        self.clock.events(&self.spool, last..=last).await;
        self.clock.acked(last).await;
        directive
    }
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_arbiter_works_from_a_shell() {
    let mut hall = Hall::new(3).await;
    let desk = format!("http://{}", hall.running.desk);
    hall.open_event(4).await;
    hall.pair(1, 2).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let mut board = Board::sit(&hall).await;

    // Three boards: one is played on, one waits for its clock, one has no game.
    let boards = objects(&told(&desk, &["boards", "--json"]).await);
    let of = |key: &str| boards.iter().map(|board| board[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("game"), [json!("open.r1.b01"), json!("open.r1.b02"), Value::Null]);
    assert_eq!(of("board"), [json!("1"), json!("2"), json!("board-3")]);
    assert_eq!(of("white"), [json!("Player 1"), json!("Player 3"), Value::Null]);
    assert_eq!(of("state"), [json!("running"), json!("ready"), json!("no game")]);
    assert_eq!((of("connected"), of("plies")[0].clone()), (vec![json!(true), json!(false), json!(false)], json!(2)));
    let table_of = told(&desk, &["boards"]).await;
    let lines: Vec<&str> = table_of.lines().collect();
    assert!(lines[0].starts_with("board    game         players"), "{table_of}");
    assert!(lines[1].starts_with("1        open.r1.b01  Player 1 – Player 2"), "{table_of}");
    assert!(lines[2].contains("fault") && lines[2].ends_with("clock-02  not connected"), "{table_of}");
    assert!(lines[3].contains("no game") && lines.len() == 4, "{table_of}");

    // What somebody saw stops the clock and waits for the arbiter, who is told the ways.
    assert_eq!(told(&desk, &["calls"]).await, "");
    let report = ["report", "open.r1.b01", "--kind", "conduct", "--by", "white", "--note", "spoke to Black"];
    assert_eq!(told(&desk, &report).await, "open.r1.b01, case 1\n");
    let stopped = board.carries_out(|face| face.going = Going::Paused).await;
    assert!(matches!(stopped.act, Some(Act::Stop(_))), "{stopped:?}");
    let (waits, clean) = typed(&desk, &["calls", "--json"]).await.expect("calls");
    assert!(!clean, "something waits, and the exit code says so");
    let [call] = &objects(&waits)[..] else { panic!("{waits}") };
    assert_eq!(
        (&call["game"], &call["case"], &call["kind"], &call["clock_runs"]),
        (&json!("open.r1.b01"), &json!(1), &json!("conduct"), &json!(false))
    );
    let ways = call["ways"].as_array().expect("ways");
    let keys: Vec<&str> = ways.iter().filter_map(|way| way["key"].as_str()).collect();
    assert_eq!(keys, ["warning", "opponent_more", "offender_less", "lost", "play_on"]);
    let (text, _) = typed(&desk, &["calls"]).await.expect("calls");
    assert!(text.contains("  1  open.r1.b01  case 1, stopped  ") && text.contains("spoke to Black"), "{text}");
    assert!(text.contains("flagfall decide open.r1.b01 1 warning\n"), "{text}");
    assert!(refused(&desk, &["decide", "open.r1.b01", "2", "warning"]).await.starts_with("NO_SUCH_CASE"));

    let decided = told(&desk, &["decide", "open.r1.b01", "1", "warning", "--note", "it was the first time"]).await;
    assert_eq!(decided, "open.r1.b01, case 1, directive 3\n");
    board.carries_out(|_| {}).await;
    assert_eq!(typed(&desk, &["calls"]).await.expect("calls"), (String::new(), true));

    // Counters and times by hand: what is not named stays.
    told(&desk, &["directive", "open.r1.b01", "counter", "--black", "2", "--note", "by the score sheets"]).await;
    let Some(Act::Set(set)) = board.carries_out(|face| face.hands[1].moves = 2).await.act else { panic!("no setting") };
    let hands = [set.white, set.black].map(|hand| hand.map(|hand| (hand.left_ms, hand.moves)));
    assert_eq!((hands, set.run), ([Some((Some(5_430_000), 1)), Some((Some(5_430_000), 2))], false));
    told(&desk, &["directive", "open.r1.b01", "set", "--white", "1:00:00", "--run"]).await;
    let set = board.carries_out(|face| face.hands[0].left = Some(3_600_000)).await.act;
    assert!(matches!(set, Some(Act::Set(set)) if set.run), "it goes on");

    let whole = told(&desk, &["game", "open.r1.b01"]).await;
    for part in ["Player 1 – Player 2", "1     e4", "e5", "a warning", "by arbiter", "by the score sheets"] {
        assert!(whole.contains(part), "{part} in {whole}");
    }
    let [game] = &objects(&told(&desk, &["game", "open.r1.b01", "--json"]).await)[..] else { panic!("one object") };
    assert_eq!(
        (&game["white_left_ms"], &game["white_moves"], &game["black_moves"]),
        (&json!(3_600_000), &json!(1), &json!(2))
    );
    assert_eq!((&game["moves"], &game["cases"][0]["open"]), (&json!(["e2e4", "e7e5"]), &json!(false)));

    told(&desk, &["event", "revise", "open", "--preset", "fide-2023 60+30", "--note", "the hall closes"]).await;
    told(&desk, &["round", "result", "open", "1", "2", "+/-", "--note", "did not come"]).await;
    told(&desk, &["directive", "open.r1.b01", "result", "1/2-1/2"]).await;
    is_audited(&desk).await;
    assert!(refused(&desk, &["directive", "open.r1.b01", "run"]).await.starts_with("GAME_OVER"));
    assert!(refused(&desk, &["game", "nobody"]).await.starts_with("NO_SUCH_GAME"));
    hall.running.shutdown().await;
}

/// Everything that was done is in one table, in the order of its time.
async fn is_audited(desk: &str) {
    let lines = objects(&told(desk, &["audit", "--json"]).await);
    let at: Vec<&str> = lines.iter().filter_map(|line| line["at"].as_str()).collect();
    assert!(at.is_sorted() && at.len() == lines.len(), "{at:?}");
    let find = |what: &str| {
        let found = lines.iter().find(|line| line["what"].as_str().is_some_and(|is| is.starts_with(what)));
        found.unwrap_or_else(|| panic!("{what} in {lines:#?}"))
    };
    let created = find("the event is created");
    assert_eq!((&created["event"], &created["round"], &created["game"]), (&json!("open"), &Value::Null, &json!("")));
    assert_eq!((&created["actor"], &created["after"]), (&json!("organiser"), &json!("fide-2023 90+30")));
    let revised = find("the event goes on");
    assert_eq!((&revised["before"], &revised["after"]), (&json!("fide-2023 90+30"), &json!("fide-2023 60+30")));
    assert_eq!(revised["reason"], json!("the hall closes"));
    assert_eq!(find("4 players are entered")["before"], json!("0 players"));
    assert_eq!(find("the round is paired")["round"], json!(1));
    assert_eq!(find("the games of 2 boards are open")["after"], json!("boards 1-2"));
    let result = find("board 2: white by forfeit");
    assert_eq!(
        (&result["game"], &result["before"], &result["after"], &result["reason"]),
        (&json!("open.r1.b02"), &json!("none"), &json!("+/-"), &json!("did not come"))
    );
    let by_hand = lines.iter().find(|line| line["reason"] == json!("by the score sheets")).expect("an act in a game");
    assert_eq!((&by_hand["game"], &by_hand["actor"]), (&json!("open.r1.b01"), &json!("arbiter")));
    assert!(by_hand["revisions"].as_str().is_some_and(|told| told.ends_with(" confirmed")), "{by_hand}");

    let organisers =
        objects(&told(desk, &["audit", "--event", "open", "--round", "1", "--by", "organiser", "--json"]).await);
    assert!(organisers.iter().all(|line| line["round"] == json!(1) && line["actor"] == json!("organiser")));
    assert!(organisers.iter().any(|line| line["game"] == json!("open.r1.b02")));
    let csv = told(desk, &["audit", "--game", "open.r1.b02", "--csv"]).await;
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "at,event,round,game,entry,actor,what,reason,before,after,revisions,request");
    assert!(rows[1..].iter().all(|row| row.contains("\"open\",\"1\",\"open.r1.b02\"")), "{csv}");
    assert!(
        rows.iter().any(|row| row.contains("\"board 2: white by forfeit\",\"did not come\",\"none\",\"'+/-\"")),
        "{csv}"
    );
    let table = told(desk, &["audit", "--event", "open"]).await;
    assert!(table.lines().next().is_some_and(|head| head.starts_with("at ")), "{table}");
    assert!(table.contains("  open round 1  organiser  the round is paired: 2 boards, 0 byes"), "{table}");
}

/// A finished game on the shelf is shown when it is asked for, and can be read.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_on_the_shelf_is_shown_and_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let journal = SledJournal::open(&sled::Options::new(dir.path())).expect("a journal");
    let limits = Limits { idle_s: 0, shelve_s: 0, directive_ms: 1, ..Limits::default() };
    let hall = Hall::with(Arc::new(journal), 1, limits).await;
    let desk = format!("http://{}", hall.running.desk);
    told(&desk, &["open", "--device", "clock-01", "--game", "table-1"]).await;
    told(&desk, &["directive", "table-1", "result", "0-1", "--note", "resigned"]).await;
    let laid = dir.path().join("games/table-1.ffg");
    while !laid.exists() {
        // The directives wait for their word first; a game that was looked at too early is looked at again after it was woken.
        drop(hall.running.arena().game("table-1"));
        hall.running.arena().shelve().await.expect("a shelf");
    }
    let at_hand = objects(&told(&desk, &["boards", "--json"]).await);
    assert_eq!(at_hand.iter().map(|board| board["state"].clone()).collect::<Vec<_>>(), [json!("no game")]);
    let all = objects(&told(&desk, &["boards", "--finished", "--json"]).await);
    assert_eq!((all.len(), &all[0]["game"], &all[0]["result"]), (1, &json!("table-1"), &json!("0-1")));
    assert!(told(&desk, &["game", "table-1"]).await.contains("0-1, entered at the desk"));
    let audited = objects(&told(&desk, &["audit", "--game", "table-1", "--json"]).await);
    assert_eq!(audited.last().map(|line| line["reason"].clone()), Some(json!("resigned")));
    hall.running.shutdown().await;
}
