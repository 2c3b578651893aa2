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
