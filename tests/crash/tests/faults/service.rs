//! The service is killed.

use std::time::Duration;

use flagfall_crash::{
    armed::{AFTER_ACK, AFTER_COMMIT, BEFORE_COMMIT, EPOCH_TAKEN, EPOCH_WRITTEN},
    house::{rounds, seed},
    storm::{Storm, When},
};

/// Rounds before everything is begun anew: a journal that grows for ever makes each round slower than the last.
const HOUSE: u64 = 10;

fn storm(name: &str, few: u64, when: impl Fn(u64) -> When) {
    let rounds = rounds(few);
    let mut storm = Storm::new(name, seed(name));
    for round in 1..=rounds {
        storm.round(round, when(round));
        if round % 5 == 0 || round == rounds {
            storm.quiet();
        }
        if round % HOUSE == 0 && round < rounds {
            storm = Storm::new(name, seed(name) + round);
        }
    }
}

#[test]
fn row_01_killed_before_the_commit_the_event_comes_again_and_is_there_once() {
    storm("before the commit", 10, |_| When::At(BEFORE_COMMIT, 60));
}

#[test]
fn row_02_killed_after_the_commit_the_event_is_acknowledged_when_it_comes_again() {
    storm("after the commit", 10, |_| When::At(AFTER_COMMIT, 60));
}

#[test]
fn row_03_killed_after_the_ack_the_directive_is_sent_by_the_next_service() {
    storm("after the ack", 10, |_| When::At(AFTER_ACK, 6));
}

#[test]
fn row_04_killed_while_a_session_gets_its_number_no_number_is_given_twice() {
    storm("a session's number", 10, |round| When::At([EPOCH_TAKEN, EPOCH_WRITTEN][round as usize % 2], 8));
}

#[test]
fn row_01_killed_at_any_moment_nothing_acknowledged_is_lost() {
    storm("any moment", 60, |_| When::After(Duration::from_millis(400)));
}
