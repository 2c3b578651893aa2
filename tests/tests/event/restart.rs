//! What an organiser did is there again after a restart, and in the journal in plain words.

use std::sync::Arc;

use flagfall_pairings::Outcome;
use flagfall_server::journal::{MemoryJournal, StreamId, dump::dump, verify};

use crate::hall::Hall;

#[tokio::test]
async fn everything_is_there_again_and_goes_on() {
    let journal = Arc::new(MemoryJournal::new());
    let mut hall = Hall::on(Arc::clone(&journal) as _, 2).await;
    hall.open_event(130).await;
    hall.pair(1, 65).await.expect("paired");
    hall.start(1, 2).await.expect("started");
    hall.result(1, 2, Some(Outcome::BlackWins), "").await.expect("entered");
    let (event, round) = (hall.event().await, hall.round(1).await.expect("a round"));
    hall.running.shutdown().await;

    let mut hall = Hall::on(Arc::clone(&journal) as _, 2).await;
    assert_eq!(hall.event().await, event);
    assert_eq!(hall.round(1).await.expect("a round"), round);
    hall.result(1, 1, Some(Outcome::Draw), "").await.expect("the stream goes on where it ended");
    hall.pair(2, 3).await.expect("paired");
    hall.running.shutdown().await;

    let verified = verify(&*journal);
    assert!(verified.findings.is_empty(), "{verified}");
    let told = |stream| {
        let mut out = Vec::new();
        dump(&*journal, &stream, &mut out).expect("dumped");
        String::from_utf8(out).expect("text")
    };
    let event = told(StreamId::Event("open".into()));
    assert!(event.contains("\"organiser\" (r1): the event is created: \"open\", fide-2023 90+30\n"), "{event}");
    assert!(event.contains(": 100 players are entered\n") && event.contains(": 30 players are entered\n"), "{event}");
    let round = told(StreamId::Round("open/1".into()));
    assert!(round.contains(": the round is paired: 65 boards, 0 byes\n"), "{round}");
    assert!(round.contains(": the clocks of 2 boards are started\n"), "{round}");
    assert!(round.contains(": board 1: draw\n"), "{round}");
}

/// One round and one event damaged: acts on them are refused with a reason, and everything else goes on.
#[tokio::test]
async fn row_09_a_damaged_round_is_in_quarantine_and_the_others_go_on() {
    let journal = Arc::new(MemoryJournal::new());
    let mut hall = Hall::on(Arc::clone(&journal) as _, 2).await;
    hall.open_event(2).await;
    hall.pair(1, 1).await.expect("paired");
    hall.pair(2, 1).await.expect("paired");
    hall.result(2, 1, Some(Outcome::Draw), "").await.expect("entered");
    hall.running.shutdown().await;
    assert!(journal.damage(&StreamId::Round("open/2".into()), 2), "the result of the second round");

    let mut hall = Hall::on(Arc::clone(&journal) as _, 2).await;
    let damaged = hall.result(2, 1, Some(Outcome::BlackWins), "").await.expect_err("set apart");
    assert!(damaged.message().starts_with("QUARANTINED: round/open/2: round/open/2 entry 2 is damaged"), "{damaged}");
    let round = hall.round(2).await.expect("what is before the damage can be read");
    assert_eq!((round.boards.len(), round.boards[0].result), (1, 0));
    hall.result(1, 1, Some(Outcome::Draw), "").await.expect("the first round goes on");
    hall.running.shutdown().await;
    assert!(journal.damage(&StreamId::Event("open".into()), 1), "the event itself");

    let mut hall = Hall::on(Arc::clone(&journal) as _, 2).await;
    let damaged = hall.result(1, 1, Some(Outcome::BlackWins), "").await.expect_err("set apart");
    assert!(damaged.message().starts_with("QUARANTINED: event/open: event/open entry 1 is damaged"), "{damaged}");
    hall.running.shutdown().await;
}
