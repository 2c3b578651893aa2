//! Frames against one spool, by table.

use flagfall_proto::clock::v1::{Board, Press, Scan};
use flagfall_rules::{
    clock::{Face, Place},
    time::Moment,
};

use super::*;
use crate::wire::hash::NONE;

const EPOCH: u64 = 7;

fn event(seq: u64, previous: Hash, what: What) -> Vec<u8> {
    let (at, face) = (Moment { boot: 1, ms: seq }.into(), Face::unknown(Place::Left).into());
    let (previous_hash, at, face) = (previous.to_vec(), Some(at), Some(face));
    DeviceEvent { seq, previous_hash, at, face, what: Some(what), ..DeviceEvent::default() }.encode_to_vec()
}

/// A chain of presses; the hash of the last.
fn chain(from: u64, to: u64, mut previous: Hash) -> (Vec<Vec<u8>>, Hash) {
    let mut events = Vec::new();
    for seq in from..=to {
        events.push(event(seq, previous, What::Press(Press { colour: 1 })));
        previous = sha256(&events[events.len() - 1]);
    }
    (events, previous)
}

fn frame(events: &[Vec<u8>]) -> Events {
    Events { session_epoch: EPOCH, events: events.to_vec(), sent_ms: 0 }
}

fn intake() -> Intake {
    Intake::new("clock-1", EPOCH, 8, Mark::default())
}

fn refused(result: Result<Verdict, NotTaken>) -> String {
    match result.expect_err("not taken") {
        NotTaken::Refused(refused) => refused.to_string(),
        NotTaken::Unremembered(seq) => format!("look up {seq}"),
    }
}

fn seqs(verdict: &Verdict) -> Vec<u64> {
    verdict.taken.iter().map(|taken| taken.input.seq).collect()
}

#[test]
fn events_are_taken_once_and_in_order() {
    let (events, _) = chain(1, 6, NONE);
    let mut intake = intake();
    assert_eq!(seqs(&intake.take(&frame(&events[..3]), 0).expect("new")), [1, 2, 3]);
    let overlap = intake.take(&frame(&events[1..5]), 3).expect("two of them new");
    assert_eq!((seqs(&overlap), overlap.again, overlap.rewind), (vec![4, 5], true, None));
    let early = intake.take(&frame(&events[4..5]), 3).expect("on its way to the disk");
    assert!(!early.again && early.taken.is_empty(), "it is acknowledged when it is there");
}

#[test]
fn a_gap_is_reported_once_and_nothing_behind_it_is_taken() {
    let (events, _) = chain(1, 6, NONE);
    let mut intake = intake();
    let first = intake.take(&frame(&[events[0].clone(), events[2].clone(), events[3].clone()]), 0).expect("a gap");
    assert_eq!((seqs(&first), first.rewind), (vec![1], Some(2)));
    let still = intake.take(&frame(&events[4..]), 1).expect("behind the gap");
    assert!(still.taken.is_empty() && still.rewind.is_none());
    assert_eq!(seqs(&intake.take(&frame(&events[1..3]), 1).expect("closed")), [2, 3]);
    assert_eq!(intake.take(&frame(&events[5..]), 3).expect("another gap").rewind, Some(4));
}

#[test]
fn row_14_a_frame_lost_with_nothing_behind_it_is_asked_for_at_the_second_beat() {
    let (events, _) = chain(1, 6, NONE);
    let mut intake = intake();
    intake.take(&frame(&events[..2]), 0).expect("new");
    assert_eq!(intake.beat(2, 2), None, "all is here");
    assert_eq!(intake.beat(4, 2), Some(3), "3 and 4 have not come since the last beat");
    // What is sent again is lost as well: a second gap is no more silent than the first.
    assert_eq!(intake.take(&frame(&events[4..5]), 2).expect("behind the gap").rewind, None);
    assert_eq!(intake.beat(5, 2), Some(3));
    intake.take(&frame(&events[2..5]), 2).expect("closed");
    assert_eq!(intake.beat(6, 5), None, "something came");
    assert_eq!(intake.beat(6, 4), None, "what is not on disk keeps the window shut");
    assert_eq!(intake.beat(6, 5), Some(6));
}

#[test]
fn two_histories_are_a_fork() {
    let (events, last) = chain(1, 3, NONE);
    let mut intake = intake();
    intake.take(&frame(&events), 0).expect("new");
    let other = event(2, sha256(&events[0]), What::Press(Press { colour: 2 }));
    assert!(refused(intake.take(&frame(&[other]), 3)).starts_with("FORKED_SPOOL: clock-1: event 2: the same number"));
    let unchained = event(4, NONE, What::Press(Press { colour: 1 }));
    assert!(refused(intake.take(&frame(&[unchained]), 3)).starts_with("FORKED_SPOOL: clock-1: event 4: it does not"));
    let next = event(4, last, What::Press(Press { colour: 1 }));
    assert_eq!(seqs(&intake.take(&frame(&[next.clone(), next]), 3).expect("the same twice in a frame")), [4]);
}

#[test]
fn what_is_older_than_the_session_is_looked_up() {
    let (events, _) = chain(1, 5, NONE);
    let mark = Mark { seq: 3, hash: sha256(&events[2]), forked: false };
    let mut intake = Intake::new("clock-1", EPOCH, 8, mark);
    assert_eq!(refused(intake.take(&frame(&events), 3)), "look up 1");
    intake.remember((1..).zip(&events[..2]).map(|(seq, bytes)| (seq, sha256(bytes))).collect());
    let verdict = intake.take(&frame(&events), 3).expect("the same");
    assert_eq!((seqs(&verdict), verdict.again), (vec![4, 5], true));
}

#[test]
fn what_breaks_the_contract_is_named_and_nothing_of_the_frame_is_taken() {
    let (events, last) = chain(1, 1, NONE);
    let short_board = What::Scan(Scan { board: Some(Board { squares: vec![0; 31] }) });
    let cases = [
        (event(2, last, short_board), "MALFORMED_BOARD: clock-1: event 2: board.squares: "),
        (event(2, last, What::Press(Press { colour: 0 })), "BAD_EVENT: clock-1: event 2: press.colour: not specified"),
        (event(0, last, What::Press(Press { colour: 1 })), "BAD_EVENT: clock-1: event 2: seq: 0"),
        (vec![0xff; 9], "BAD_EVENT: clock-1: event 2: "),
        (vec![0; EVENT_MAX + 1], "BAD_EVENT: clock-1: event 2: 4097 bytes long"),
    ];
    for (bad, expected) in cases {
        let mut intake = intake();
        let said = refused(intake.take(&frame(&[events[0].clone(), bad]), 0));
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(seqs(&intake.take(&frame(&events), 0).expect("unharmed")), [1]);
    }
    assert!(refused(intake().take(&frame(&[]), 0)).starts_with("BAD_EVENT: clock-1: a frame has 1 to 256 events"));
    let stale = Events { session_epoch: EPOCH - 1, ..frame(&events) };
    assert!(refused(intake().take(&stale, 0)).starts_with("STALE_EPOCH: clock-1: session 6 is over"));
}

#[test]
fn the_window_is_kept() {
    let (events, _) = chain(1, 9, NONE);
    let mut intake = intake();
    assert!(refused(intake.take(&frame(&events), 0)).starts_with("WINDOW_EXCEEDED: clock-1 has more than 8 events"));
    intake.take(&frame(&events[..8]), 0).expect("just the window");
    intake.take(&frame(&events[8..]), 1).expect("one was acknowledged");
}
