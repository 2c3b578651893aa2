//! Results: what ends a game only when that is said, what cannot be taken back, and which word is the last.

use flagfall_pairings::Outcome;
use flagfall_proto::{
    clock::v1::{ClockHeartbeat, Stage, link_request},
    desk::v1::{PairRoundRequest, ReadActsRequest},
    journal::v1::{BoardResult, Player},
};
use flagfall_rules::clock::Colour;
use flagfall_tests::clock::{Clock, Spool};
use tonic::{Code, Status};

use crate::{
    broadcast::fetch,
    hall::{Hall, pairing},
    shell::{refused as said_no, told},
    table::Table,
};

fn refused(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().starts_with(reason), "{status}\nnot {reason}");
}

/// White of board 1 has made his first move: the clock has the game, and runs for Black.
async fn begun(hall: &Hall) -> (Clock, Spool) {
    let mut spool = Spool::new("clock-01", 1);
    let mut clock = Clock::connect(hall.running.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    spool.face.hands.iter_mut().for_each(|hand| hand.left = Some(5_430_000));
    spool.report(&prepare, Stage::Applied);
    spool.start();
    spool.press(Colour::White);
    clock.events(&spool, 1..=3).await;
    clock.acked(3).await;
    (clock, spool)
}

#[tokio::test]
async fn a_refused_pairing_has_changed_nothing() {
    let mut hall = Hall::new(2).await;
    hall.open_event(4).await;
    hall.pair(1, 2).await.expect("paired");
    let named = |number, name: &str| Player { number, name: name.into(), ..Player::default() };
    let pair = |request: &str, boards, players| PairRoundRequest {
        act: crate::hall::act(request),
        event: "open".into(),
        round: 1,
        boards,
        byes: Vec::new(),
        players,
    };
    // A player who is nowhere, a name that is none: nobody is entered.
    let before = hall.event().await.players;
    let strangers = pair("a", vec![pairing(1, 7, 9, "")], vec![named(7, "Seven")]);
    refused(&hall.events.pair_round(strangers).await.expect_err("no 9"), Code::NotFound, "NO_SUCH_PLAYER: ");
    let nameless = pair("b", vec![pairing(1, 7, 8, "")], vec![named(7, "Seven"), named(8, "")]);
    refused(
        &hall.events.pair_round(nameless).await.expect_err("no name"),
        Code::InvalidArgument,
        "BAD_REQUEST: players",
    );
    assert_eq!(hall.event().await.players, before);

    // One that is taken enters those who are new or written otherwise, and those alone.
    let players = vec![before[0].clone(), named(2, "Two"), named(5, "Five")];
    let taken = hall.events.pair_round(pair("c", vec![pairing(1, 1, 2, ""), pairing(2, 3, 5, "")], players)).await;
    let taken = taken.expect("paired").into_inner();
    let white = taken.round.expect("a round").boards[1].black.clone().expect("a player");
    assert_eq!((taken.players, white.name.as_str()), (2, "Five"));

    // A game that was begun keeps its players, their colours and their names; on the other board others may sit down.
    hall.prepare(1).await.expect("prepared");
    let (_clock, _spool) = begun(&hall).await;
    let swapped = pair("d", vec![pairing(1, 2, 1, ""), pairing(2, 3, 5, "")], Vec::new());
    let said = "GAME_BEGUN: open.r1.b01 was begun by Player 1 (White) and Two; leave board 1 to them";
    refused(&hall.events.pair_round(swapped).await.expect_err("they play"), Code::FailedPrecondition, said);
    let renamed = pair("e", vec![pairing(1, 1, 2, ""), pairing(2, 3, 5, "")], vec![named(1, "Another")]);
    refused(&hall.events.pair_round(renamed).await.expect_err("they play"), Code::FailedPrecondition, said);
    let others = pair("f", vec![pairing(1, 1, 2, ""), pairing(2, 5, 4, "")], Vec::new());
    hall.events.pair_round(others).await.expect("nobody plays on board 2");

    // A round that is started, and one that is closed.
    hall.start(1, 1).await.expect("started");
    let before = hall.event().await.players;
    let late = |request| pair(request, vec![pairing(1, 1, 2, "")], vec![named(1, "Xx"), named(2, "Yy")]);
    refused(&hall.events.pair_round(late("g")).await.expect_err("runs"), Code::FailedPrecondition, "ROUND_STARTED: ");
    hall.close(1, true).await.expect("closed");
    refused(&hall.events.pair_round(late("h")).await.expect_err("over"), Code::FailedPrecondition, "ROUND_CLOSED: ");
    assert_eq!(hall.event().await.players, before);
    let asked = ReadActsRequest { event: "open".into(), ..ReadActsRequest::default() };
    let acts = hall.events.read_acts(asked).await.expect("acts").into_inner().acts;
    assert_eq!(acts.len(), 3, "created, four players, the two that came with the pairing: {acts:?}");
    hall.running.shutdown().await;
}

#[tokio::test]
async fn a_game_under_way_ends_only_when_that_is_said() {
    let mut hall = Hall::new(2).await;
    let desk = format!("http://{}", hall.running.desk);
    hall.open_event(4).await;
    hall.pair(1, 2).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let (mut clock, mut spool) = begun(&hall).await;

    // The wrong board: both play, and it is said who they are and how they stand.
    let said = "ENDS_GAME: open.r1.b01 is under way: Player 1 – Player 2, 1 and 0 moves made, 1:30:30 and 1:";
    let asked = hall.result(1, 1, Some(Outcome::WhiteWins), "a note is no such word").await.expect_err("it runs");
    refused(&asked, Code::FailedPrecondition, said);
    assert!(asked.message().ends_with("1-0 ends it for good. If it is over, say so: --ends-game"), "{asked}");
    // White has moved: he did not stay away.
    let asked = hall.result(1, 1, Some(Outcome::BlackByForfeit), "").await.expect_err("he is here");
    refused(&asked, Code::FailedPrecondition, said);
    assert_eq!(hall.round(1).await.expect("a round").boards[0].result(), BoardResult::Unspecified);
    // A game that nobody has begun is no game under way.
    hall.result(1, 2, Some(Outcome::Draw), "").await.expect("entered");

    let ended = told(&desk, &["round", "result", "open", "1", "1", "1-0", "--ends-game"]).await;
    assert!(ended.contains("  1-0"), "{ended}");
    let conclude = clock.directive().await;
    spool.report(&conclude, Stage::Applied);
    clock.events(&spool, 4..=4).await;
    clock.acked(4).await;

    // It is over: nothing takes that back, and whoever wants to is told so.
    let over = hall.result(1, 1, None, "the wrong board").await.expect_err("over");
    refused(&over, Code::FailedPrecondition, "RESULT_ENDED_GAME: open.r1.b01 has ended with a result entered by hand");
    assert!(over.message().contains("flagfall open"), "{over}");
    assert_eq!(hall.round(1).await.expect("a round").boards[0].result(), BoardResult::WhiteWins);
    hall.running.shutdown().await;
}

#[tokio::test]
async fn a_player_who_has_not_moved_may_forfeit_a_clock_that_runs() {
    let mut hall = Hall::new(1).await;
    hall.open_event(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let (_clock, _spool) = begun(&hall).await;
    let board = hall.result(1, 1, Some(Outcome::WhiteByForfeit), "did not come").await.expect("Black is not here");
    assert_eq!(board.result(), BoardResult::WhiteByForfeit);
    hall.running.shutdown().await;
}

#[tokio::test]
async fn what_was_said_last_counts_and_both_sides_say_so() {
    let mut hall = Hall::new(1).await;
    let desk = format!("http://{}", hall.running.desk);
    hall.open_event(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    hall.result(1, 1, Some(Outcome::BlackWins), "").await.expect("entered");

    // The arbiter puts it right at the game: the round has it, and what was entered before.
    told(&desk, &["directive", "open.r1.b01", "result", "1/2-1/2", "--note", "both signed"]).await;
    let board = hall.round(1).await.expect("a round").boards.remove(0);
    assert_eq!(
        (board.result(), board.entered, board.overtaken(), board.game_result()),
        (BoardResult::Draw, false, BoardResult::BlackWins, BoardResult::Unspecified)
    );
    let shown = told(&desk, &["round", "show", "open", "1"]).await;
    assert!(shown.contains("  1/2-1/2  (0-1 was entered before)"), "{shown}");
    let shown = async || fetch(hall.running.web, "/broadcast/open/round-1.pgn", &[]).await.body;
    assert!(shown().await.contains("[Result \"1/2-1/2\"]"));

    // The organiser enters another one: the game is told it, so that clock, hall and round agree.
    let entered = told(&desk, &["round", "result", "open", "1", "1", "1-0", "--note", "by the score sheets"]).await;
    assert!(entered.contains("  1-0  (by the score sheets)"), "{entered}");
    let boards = told(&desk, &["boards"]).await;
    assert!(boards.contains("  1-0  ") && !boards.contains("the round"), "{boards}");
    assert!(shown().await.contains("[Result \"1-0\"]"));
    // And back again to what the game had before.
    told(&desk, &["directive", "open.r1.b01", "result", "1/2-1/2"]).await;
    let board = hall.round(1).await.expect("a round").boards.remove(0);
    assert_eq!((board.result(), board.overtaken()), (BoardResult::Draw, BoardResult::WhiteWins));
    hall.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_entered_over_a_mate_is_said_at_the_game_and_can_be_withdrawn() {
    let mut hall = Hall::new(1).await;
    let desk = format!("http://{}", hall.running.desk);
    hall.open_event(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let mut table = Table::sit(hall.running.clocks, &desk, "clock-01", "open.r1.b01").await;
    assert_eq!(hall.start(1, 1).await.expect("started").away, []);
    table.started().await;
    table.play("f3 e5 g4 Qh4#", 5_000).await;
    let board = hall.result(1, 1, Some(Outcome::Draw), "the jury's decision").await.expect("entered");
    assert_eq!((board.result(), board.game_result()), (BoardResult::Draw, BoardResult::BlackWins));
    let shown = told(&desk, &["round", "show", "open", "1"]).await;
    assert!(shown.contains("  1/2-1/2  (the game itself: 0-1)"), "{shown}");
    assert!(told(&desk, &["boards"]).await.contains("  0-1 (the round: ½-½)  "));
    let game = told(&desk, &["game", "open.r1.b01"]).await;
    assert!(game.contains("the round counts ½-½, as it was entered there"), "{game}");
    let page = fetch(hall.running.web, "/game/open.r1.b01", &[]).await.body;
    assert!(page.contains("the round counts ½-½"), "{page}");

    let board = hall.result(1, 1, None, "").await.expect("withdrawn: the game has a result of its own");
    assert_eq!((board.result(), board.entered, board.game_result), (BoardResult::BlackWins, false, 0));
    let nothing = said_no(&desk, &["round", "result", "open", "1", "1", "open"]).await;
    assert!(nothing.starts_with("NOTHING_ENTERED: nothing was entered for board 1 of round 1 of open;"), "{nothing}");
    table.leave().await;
    hall.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_round_shows_the_clocks_as_they_run() {
    let mut hall = Hall::new(1).await;
    hall.open_event(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let (clock, spool) = begun(&hall).await;
    // Black thinks, and his clock says so by its heartbeat: a minute and a half is gone.
    let mut face = spool.face;
    face.hands[1].left = Some(5_340_000);
    let beat = ClockHeartbeat {
        session_epoch: clock.welcome.session_epoch,
        last_seq: spool.last(),
        game: "open.r1.b01".into(),
        face: Some(face.into()),
        ..ClockHeartbeat::default()
    };
    clock.send(link_request::Frame::Heartbeat(beat)).await;
    let left = async |hall: &mut Hall| {
        let face = hall.round(1).await.expect("a round").boards[0].face.expect("a face");
        [face.white, face.black].map(|hand| hand.and_then(|hand| hand.left_ms).expect("a reading"))
    };
    loop {
        let [white, black] = left(&mut hall).await;
        assert_eq!(white, 5_430_000);
        if black <= 5_340_000 {
            break;
        }
        tokio::task::yield_now().await;
    }
    hall.running.shutdown().await;
}
