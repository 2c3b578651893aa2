//! A round is closed, and its clocks may forget what they said in it.

use std::sync::Arc;

use flagfall_pairings::Outcome;
use flagfall_proto::clock::v1::Stage;
use flagfall_server::journal::MemoryJournal;
use flagfall_tests::clock::{Clock, Spool};

use crate::{hall::Hall, shell::told};

#[tokio::test]
async fn a_clock_that_stays_connected_is_told_when_its_round_is_closed() {
    let journal = Arc::new(MemoryJournal::new());
    let mut hall = Hall::on(Arc::clone(&journal) as _, 1).await;
    hall.open_event(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    let mut spool = Spool::new("clock-01", 1);
    let mut clock = Clock::connect(hall.running.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    spool.report(&prepare, Stage::Applied);
    spool.start();
    clock.events(&spool, 1..=2).await;
    clock.acked(2).await;
    hall.result(1, 1, Some(Outcome::WhiteByForfeit), "").await.expect("entered");
    let conclude = clock.directive().await;
    spool.report(&conclude, Stage::Applied);
    clock.events(&spool, 3..=3).await;
    clock.acked(3).await;

    let mut clock = Clock::connect(hall.running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.released_through, 0, "the game is over, and its round is not closed");
    hall.close(1, false).await.expect("closed");
    clock.beaten(|beat| beat.released_through == 3).await;
    hall.running.shutdown().await;

    let hall = Hall::on(journal, 1).await;
    let clock = Clock::connect(hall.running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.released_through, 3, "nor is it forgotten that it is closed");
    hall.running.shutdown().await;
}

#[tokio::test]
async fn a_board_of_the_next_round_is_there_once() {
    let mut hall = Hall::new(1).await;
    let desk = format!("http://{}", hall.running.desk);
    hall.open_event(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.prepare(1).await.expect("prepared");
    hall.result(1, 1, Some(Outcome::Draw), "").await.expect("entered");
    hall.pair(2, 1).await.expect("paired");
    hall.prepare(2).await.expect("prepared");
    let games = async |line: &[&str]| {
        let table = told(&desk, line).await;
        ["open.r1.b01", "open.r2.b01"].map(|game| table.contains(game))
    };
    assert_eq!(games(&["boards"]).await, [true, true], "the round is not closed yet");
    hall.close(1, false).await.expect("closed");
    assert_eq!(games(&["boards"]).await, [false, true]);
    assert_eq!(games(&["boards", "--finished"]).await, [true, true]);
    hall.running.shutdown().await;
}
