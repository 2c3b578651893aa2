//! A round: paired, prepared, started, results, closed; and what is refused at each step.

use flagfall_pairings::{ByeKind, Outcome};
use flagfall_proto::{
    desk::v1::{AssignClockRequest, BoardState, MoveGameRequest, RoundState, StartRoundRequest},
    journal::v1::{BoardResult, Bye},
};
use flagfall_server::journal::codec::Numbered;
use tonic::{Code, Status};

use crate::hall::{Hall, act, lines, pairing};

fn refused(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().starts_with(reason), "{status}\nnot {reason}");
}

#[tokio::test]
async fn boards_get_clocks_by_number_and_can_be_paired_anew() {
    let mut hall = Hall::new(2).await;
    hall.open_event(8).await;
    let round = hall.pair(1, 3).await.expect("paired");
    let paired =
        [(1, "clock-01", BoardState::Paired), (2, "clock-02", BoardState::Paired), (3, "", BoardState::NoClock)];
    assert_eq!((round.state(), lines(&round).as_slice()), (RoundState::Paired, paired.as_slice()));
    assert_eq!(round.boards[1].white.as_ref().map(|player| player.name.as_str()), Some("Player 3"));

    // The second pairing takes the place of the first, and a dash keeps a board off its clock.
    let bye = Bye { player: 7, kind: ByeKind::Half.number() };
    let boards = vec![pairing(1, 2, 1, "clock-02"), pairing(2, 5, 3, "-")];
    let round = hall.pair_as(1, boards, vec![bye]).await.expect("paired");
    assert_eq!(lines(&round), [(1, "clock-02", BoardState::Paired), (2, "", BoardState::NoClock)]);
    assert_eq!(round.byes, [bye]);

    let assign = |board, device: &str| AssignClockRequest {
        act: act(&format!("a{board}{device}")),
        event: "open".into(),
        round: 1,
        board,
        device: device.into(),
        note: "the other one's battery".into(),
    };
    let taken = hall.events.assign_clock(assign(2, "clock-02")).await.expect_err("taken");
    refused(&taken, Code::InvalidArgument, "BAD_REQUEST: device: it is the clock of board 1");
    let board =
        hall.events.assign_clock(assign(2, "clock-01")).await.expect("assigned").into_inner().board.expect("a board");
    assert_eq!((board.device.as_str(), board.state()), ("clock-01", BoardState::Paired));
    refused(
        &hall.events.assign_clock(assign(9, "clock-01")).await.expect_err("none"),
        Code::NotFound,
        "NO_SUCH_BOARD: ",
    );

    // Once a game is open on its clock the board stays on it; who sits there may still change.
    assert_eq!(hall.prepare(1).await.expect("prepared").opened, 2);
    refused(
        &hall.events.assign_clock(assign(1, "")).await.expect_err("open"),
        Code::FailedPrecondition,
        "GAME_OPEN: open.r1.b01",
    );
    let lost = hall.pair_as(1, vec![pairing(2, 1, 2, "")], vec![]).await.expect_err("board 1 is open");
    refused(&lost, Code::FailedPrecondition, "GAME_OPEN: open.r1.b01 is open on clock-02");
    let round = hall.pair_as(1, vec![pairing(1, 1, 3, ""), pairing(2, 2, 4, "")], vec![]).await.expect("paired");
    assert_eq!(lines(&round), [(1, "clock-02", BoardState::Ready), (2, "clock-01", BoardState::Ready)]);
    hall.running.shutdown().await;
}

#[tokio::test]
async fn a_round_is_started_with_the_count_that_was_looked_at() {
    let mut hall = Hall::new(3).await;
    hall.open_event(10).await;
    hall.pair(1, 5).await.expect("paired");
    let looked = hall.dry(1).await.expect("looked");
    assert_eq!((looked.clocks, looked.to_open, looked.without_clock), (3, 3, 2));
    hall.result(1, 2, Some(Outcome::WhiteByForfeit), "").await.expect("entered before the round");
    refused(
        &hall.start(1, 3).await.expect_err("fewer now"),
        Code::Aborted,
        "COUNT_CHANGED: 2 clocks would be started, not 3",
    );
    let looked = hall.dry(1).await.expect("looked");
    assert_eq!((looked.clocks, looked.over, looked.without_clock), (2, 1, 2));
    // No clock is there: each is named before and after, and is told to run all the same.
    let named = |away: &[flagfall_proto::desk::v1::BoardTrouble]| {
        assert!(away.iter().all(|away| away.reason.starts_with("CLOCK_AWAY: ")), "{away:?}");
        away.iter().map(|away| (away.board, away.device.clone())).collect::<Vec<_>>()
    };
    let away = [(1, "clock-01".to_owned()), (3, "clock-03".to_owned())];
    assert_eq!(named(&looked.away), away);
    let started = hall.start(1, 2).await.expect("started");
    assert_eq!((started.clocks, started.to_open, started.troubles.len()), (2, 2, 0));
    assert_eq!(named(&started.away), away);
    let looked = hall.dry(1).await.expect("looked");
    assert_eq!((looked.clocks, looked.under_way, looked.over), (0, 2, 1));
    let nothing = hall.start(1, 0).await.expect("nothing to start");
    assert_eq!((nothing.clocks, nothing.under_way), (0, 2));
    refused(&hall.pair(1, 5).await.expect_err("started"), Code::FailedPrecondition, "ROUND_STARTED: ");
    let round = hall.round(1).await.expect("a round");
    assert_eq!(
        (round.state(), round.default_at_ms),
        (RoundState::Started, round.started_ms),
        "the edition gives no time"
    );
    // The round has just begun: that nobody has moved yet says nothing of anybody.
    assert!(round.boards.iter().all(|board| !board.white_unseen && !board.black_unseen));
    hall.running.shutdown().await;
}

#[tokio::test]
async fn a_busy_clock_hinders_its_own_board_alone() {
    let mut hall = Hall::new(2).await;
    hall.open_event(8).await;
    hall.pair(1, 2).await.expect("paired");
    assert_eq!(hall.prepare(1).await.expect("prepared").opened, 2);
    hall.pair(2, 2).await.expect("paired");
    hall.result(1, 2, Some(Outcome::Draw), "").await.expect("entered");
    let prepared = hall.prepare(2).await.expect("prepared");
    assert_eq!((prepared.opened, prepared.troubles.len()), (1, 1));
    let trouble = &prepared.troubles[0];
    assert_eq!((trouble.board, trouble.device.as_str()), (1, "clock-01"));
    assert!(trouble.reason.starts_with("DEVICE_BUSY: clock-01 has the game \"open.r1.b01\""), "{}", trouble.reason);
    let started = hall.start(2, 2).await.expect("started");
    assert_eq!((started.clocks, started.troubles.len()), (1, 1));
    hall.running.shutdown().await;
}

#[tokio::test]
async fn results_are_entered_corrected_and_withdrawn() {
    let mut hall = Hall::new(2).await;
    hall.open_event(6).await;
    hall.pair(1, 3).await.expect("paired");
    hall.start(1, 2).await.expect("started");
    // A forfeit ends the game on the clock; the books say forfeit, the game says won.
    let board = hall.result(1, 1, Some(Outcome::WhiteByForfeit), "").await.expect("entered");
    assert_eq!((board.result(), board.state(), board.entered), (BoardResult::WhiteByForfeit, BoardState::Over, true));
    let games = hall
        .desk
        .list_games(flagfall_proto::desk::v1::ListGamesRequest::default())
        .await
        .expect("games")
        .into_inner()
        .games;
    assert_eq!(games[0].ended.as_ref().map(|ended| ended.outcome), Some(1));
    // What the game said is not overwritten without a word.
    let differs = hall.result(1, 1, Some(Outcome::Draw), "").await.expect_err("it ended otherwise");
    refused(&differs, Code::FailedPrecondition, "RESULT_DIFFERS: open.r1.b01 ended 1-0, and 1/2-1/2 is entered");
    let board = hall.result(1, 1, Some(Outcome::Draw), "both signed a draw").await.expect("entered");
    assert_eq!((board.result(), board.note.as_str()), (BoardResult::Draw, "both signed a draw"));
    // It was told the game, which is over by it: that is not withdrawn.
    let stays = hall.result(1, 1, None, "").await.expect_err("over");
    refused(&stays, Code::FailedPrecondition, "RESULT_ENDED_GAME: open.r1.b01 ");
    // A board without a clock has nothing but what is entered.
    let board = hall.result(1, 3, Some(Outcome::BothForfeit), "").await.expect("entered");
    assert_eq!((board.result(), board.state()), (BoardResult::BothForfeit, BoardState::Over));
    let board = hall.result(1, 3, None, "").await.expect("withdrawn");
    assert_eq!((board.result(), board.state()), (BoardResult::Unspecified, BoardState::NoClock));
    let nothing = hall.result(1, 3, None, "").await.expect_err("nothing is there");
    refused(&nothing, Code::FailedPrecondition, "NOTHING_ENTERED: ");
    hall.result(1, 3, Some(Outcome::BothLose), "").await.expect("entered");
    refused(&hall.result(1, 9, Some(Outcome::Draw), "").await.expect_err("none"), Code::NotFound, "NO_SUCH_BOARD: ");

    refused(
        &hall.close(1, false).await.expect_err("board 2 plays"),
        Code::FailedPrecondition,
        "ROUND_OPEN: round 1 of open has no result on boards 2;",
    );
    assert_eq!(hall.close(1, true).await.expect("closed").open, [2]);
    assert_eq!(hall.round(1).await.expect("a round").state(), RoundState::Closed);
    refused(&hall.close(1, true).await.expect_err("twice"), Code::FailedPrecondition, "ROUND_CLOSED: ");
    refused(
        &hall.result(1, 2, Some(Outcome::Draw), "").await.expect_err("closed"),
        Code::FailedPrecondition,
        "ROUND_CLOSED: ",
    );
    let board = hall.result(1, 2, Some(Outcome::Draw), "it was adjourned").await.expect("a late result, with a word");
    assert_eq!(board.result(), BoardResult::Draw);
    hall.running.shutdown().await;
}

#[tokio::test]
async fn a_game_that_goes_to_another_clock_takes_its_board_along() {
    let mut hall = Hall::new(3).await;
    hall.open_event(4).await;
    hall.pair(1, 2).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let (game, device) = ("open.r1.b01".to_owned(), "clock-03".to_owned());
    let request = MoveGameRequest { act: act("m"), game, device, note: "its battery died".into() };
    hall.desk.move_game(request).await.expect("moved");
    let round = hall.round(1).await.expect("a round");
    assert_eq!(lines(&round), [(1, "clock-03", BoardState::Ready), (2, "clock-02", BoardState::Ready)]);
    hall.running.shutdown().await;
}

#[tokio::test]
async fn the_same_request_acts_once() {
    let mut hall = Hall::new(2).await;
    hall.open_event(4).await;
    hall.pair(1, 2).await.expect("paired");
    let request = StartRoundRequest { act: act("s"), event: "open".into(), round: 1, dry_run: false, expected: 2 };
    assert_eq!(hall.events.start_round(request.clone()).await.expect("started").into_inner().clocks, 2);
    let again = hall.events.start_round(request).await.expect("again").into_inner();
    assert_eq!((again.clocks, again.under_way), (0, 2));
    let games = hall
        .desk
        .list_games(flagfall_proto::desk::v1::ListGamesRequest::default())
        .await
        .expect("games")
        .into_inner()
        .games;
    assert!(games.iter().all(|game| game.directives.len() == 2), "prepare and run, once each");
    hall.running.shutdown().await;
}
