//! Faults at a chosen moment of an otherwise calm world, and what must come of each, worked out by hand.

use flagfall_proto::clock::v1::Colour;
use flagfall_rules::game::{Act, Game, RejectReason, Stage};

use crate::{
    Options,
    deed::Deed,
    fault::{Fault, Way},
    hall::open,
    trace::Trace,
    world::{RIVAL, World},
};

/// How long anything may take to come about, steps of the world.
const PATIENCE: usize = 30_000;

/// Lives through a world of one table in which nothing goes wrong by itself.
fn live(seed: u64, rival: bool, script: impl FnOnce(&mut World<'_>, &Trace)) {
    let trace = Trace::default();
    let kept = trace.clone();
    trace.with_logs(|| {
        let options = Options { tables: 1, rival, faults: false, ..Options::of(seed) };
        let mut world = World::new(&options, kept.clone());
        script(&mut world, &kept);
        assert_eq!(world.recover(), Ok(()), "{}", kept.text());
    });
}

/// Goes on until that holds.
fn until(world: &mut World<'_>, what: &str, holds: impl Fn(&World<'_>) -> bool) {
    for _ in 0..PATIENCE {
        if holds(world) {
            return;
        }
        assert_eq!(world.step(), Ok(()), "before {what}");
    }
    panic!("it never came to this: {what}\n{}", world.trace.text());
}

/// Goes on for so many milliseconds.
fn pass(world: &mut World<'_>, ms: u64, holds: impl Fn(&World<'_>)) {
    let end = world.trace.now() + ms;
    while world.trace.now() < end {
        assert_eq!(world.step(), Ok(()));
        holds(world);
    }
}

fn plies(world: &World<'_>) -> usize {
    world.hall.game("game-1").map_or(0, |game| game.plies.len())
}

/// The journal's word on the game.
fn journal(world: &World<'_>) -> Game {
    world.oracle.ledger().game("game-1").unwrap_or_else(|| Game::new("game-1"))
}

/// The events of the only clock: acknowledged, spooled, and whether it is on line.
fn clock(world: &World<'_>) -> (u64, u64, bool) {
    let shown = world.tables[0].pi.shown().expect("the only clock has power");
    (shown.acked, shown.spooled, shown.online)
}

fn said(trace: &Trace, words: &str) -> usize {
    trace.text().lines().filter(|line| line.contains(words)).count()
}

/// A seed whose script has no illegal move, and one that has.
fn seed(illegal: bool) -> u64 {
    let has = |seed: &u64| {
        let options = Options { tables: 1, rival: false, faults: false, ..Options::of(*seed) };
        let script = &World::new(&options, Trace::default()).tables[0].script;
        script.moves.len() > 6 && script.illegal.is_some() == illegal
    };
    (1..100).find(has).expect("half of all scripts")
}

#[test]
fn row_02_a_service_that_dies_after_the_commit_and_before_the_acknowledgement_keeps_one_copy() {
    live(seed(false), false, |world, trace| {
        until(world, "three plies", |world| plies(world) >= 3);
        until(world, "all is acknowledged", |world| clock(world).0 == clock(world).1);
        // What the clock says arrives; what it is told is lost.
        world.fault(&Fault::Partition { host: "clock-1".to_owned(), long: 6_000, way: Way::In });
        let events = |world: &World<'_>| world.oracle.ledger().summary().1 as u64;
        until(world, "an event is durable and not acknowledged", |world| {
            world.hosts.server.disk.unsynced() == 0 && events(world) > clock(world).0
        });
        let durable = events(world);
        world.fault(&Fault::ServerDies { back: 500 });
        until(world, "it is acknowledged", |world| clock(world).0 >= durable);
        // The new session begins behind the last durable event: the clock need not say it again, and it is there once, or the
        // oracle would have found a gap or a copy.
        let resumed = format!("epoch=2 software=\"flagfall-clock 0.1.0\" durable={durable} ");
        assert_eq!(said(trace, &resumed), 1, "{resumed}");
    });
}

#[test]
fn row_03_a_directive_that_was_acknowledged_and_had_not_left_is_derived_again_and_carried_out_once() {
    live(seed(false), false, |world, trace| {
        until(world, "three plies", |world| plies(world) >= 3);
        world.fault(&Fault::Partition { host: "clock-1".to_owned(), long: 6_000, way: Way::Both });
        let add = Deed::Add { game: "game-1".to_owned(), colour: Colour::White, ms: 61_000, as_of: 0 };
        world.hall.want("more-time".to_owned(), add);
        until(world, "the arbiter is answered", |_| said(trace, "more-time: directive 2") >= 1);
        world.fault(&Fault::ServerDies { back: 500 });
        until(world, "there is a last word", |world| {
            journal(world).directives.iter().any(|sent| sent.directive.rev == 2 && sent.is_final())
        });
        let game = journal(world);
        let stages: Vec<_> =
            game.directives.iter().filter(|sent| sent.directive.rev == 2).map(|sent| sent.stage).collect();
        assert_eq!(stages, [Stage::Applied]);
        assert_eq!(said(trace, "applied game-1#2 "), 1, "under its number, once");
        assert_eq!(said(trace, "white leaps forward"), 1);
    });
}

#[test]
fn row_12_a_disk_that_stalls_ten_seconds_holds_acknowledgements_back_and_no_session() {
    live(seed(false), false, |world, trace| {
        until(world, "three plies", |world| plies(world) >= 3);
        until(world, "all is acknowledged", |world| clock(world).0 == clock(world).1);
        let (before, _, _) = clock(world);
        world.fault(&Fault::DiskStalls { long: 10_000 });
        // Nothing that the clock senses in these ten seconds is durable, so nothing is acknowledged; it stays on line.
        pass(world, 9_900, |world| assert_eq!((clock(world).0, clock(world).2), (before, true)));
        let (_, spooled, _) = clock(world);
        assert!(spooled > before + 2, "play went on: {spooled} events, {before} before");
        until(world, "what waited is acknowledged", |world| clock(world).0 >= spooled);
        assert_eq!(said(trace, "says: clock taken in"), 1, "the session lived through it");
    });
}

#[test]
fn row_17_the_second_clock_on_a_board_is_refused_with_an_alarm_and_throws_nobody_out() {
    live(seed(false), true, |world, trace| {
        pass(world, 30_000, |_| {});
        // Whoever came first holds the board all the time, with one session.
        let holds = |device: &str| said(trace, &format!("says: clock taken in device=\"{device}\" epoch=1"));
        assert_eq!((holds("clock-1") + holds(RIVAL), said(trace, "says: clock taken in")), (1, 1));
        let (first, second) = if holds(RIVAL) == 1 { (RIVAL, "clock-1") } else { ("clock-1", RIVAL) };
        let alarm = format!("the second is refused device=\"{second}\" board=\"board-1\" holder=\"{first}\"");
        let alarms = said(trace, &alarm);
        assert!((1..=4).contains(&alarms), "{alarms} alarms in 30 s: it asks again every ten");
        assert_eq!(said(trace, "ALARM: two clocks claim one board"), alarms);
        let shown = |device: &str| world.hosts.pi(device).shown().expect("it has power");
        assert!(shown(first).online && !shown(second).online);
        let trouble = shown(second).trouble.concat().join("; ");
        assert!(trouble.contains("BOARD_TAKEN"), "its display says so: {trouble}");
        assert_eq!(shown(second).acked, 0, "nothing of it was taken");
    });
}

#[test]
fn row_25_one_request_is_one_directive_however_often_and_by_whomever_it_is_sent() {
    live(seed(false), false, |world, trace| {
        until(world, "two plies", |world| plies(world) >= 2);
        let add = Deed::Add { game: "game-1".to_owned(), colour: Colour::White, ms: 61_000, as_of: 0 };
        // Once for each arbiter who is free, and once more.
        for _ in 0..3 {
            world.hall.want("more-time".to_owned(), add.clone());
        }
        until(world, "all are answered", |_| said(trace, "more-time: directive ") >= 3);
        // The game was opened by directive 1; this is directive 2 to everybody.
        assert_eq!(said(trace, "more-time: directive 2"), said(trace, "more-time: directive "));
        until(world, "it is carried out", |world| {
            journal(world).directives.iter().any(|sent| sent.directive.rev == 2 && sent.stage == Stage::Applied)
        });
        let added = |sent: &&flagfall_rules::game::Sent| matches!(sent.directive.act, Act::Add(_, 61_000));
        assert_eq!(journal(world).directives.iter().filter(added).count(), 1);
    });
}

#[test]
fn row_25_of_two_arbiters_who_decide_one_case_the_first_does_and_the_second_is_told() {
    live(seed(true), false, |world, trace| {
        until(world, "a case waits for the desk", |world| {
            world.hall.game("game-1").is_some_and(|game| open(&game).next().is_some())
        });
        let shown = world.hall.game("game-1").expect("it has a case");
        let proposal = open(&shown).find_map(|case| case.proposal.clone()).expect("with a proposal");
        let choice = proposal.remedies[0].key.clone();
        let decide = Deed::Decide { game: "game-1".to_owned(), case: proposal.case, choice };
        // Besides what both arbiters do by themselves, a third word on the same case.
        world.hall.want("third-word".to_owned(), decide);
        until(world, "the third is answered", |_| {
            said(trace, "third-word: directive") + said(trace, "third-word: Aborted") > 0
        });
        until(world, "the ruling is carried out", |world| {
            journal(world)
                .directives
                .iter()
                .any(|sent| matches!(sent.directive.act, Act::Set { .. }) && sent.is_final())
        });
        let text = trace.text();
        let decided: std::collections::BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.split_once(": directive ").map(|(before, _)| before))
            .filter_map(|before| before.split(' ').next_back())
            .filter(|request| request.ends_with("-case-1") || *request == "third-word")
            .collect();
        assert_eq!(decided.len(), 1, "one request decided it: {decided:?}");
        assert!(said(trace, ": Aborted ALREADY_DECIDED") >= 1, "the others were told");
        let sets =
            journal(world).directives.iter().filter(|sent| matches!(sent.directive.act, Act::Set { .. })).count();
        assert_eq!(sets, 1, "one ruling, one directive that sets the clock");
    });
}

#[test]
fn row_27_a_press_that_races_a_correction_is_decided_by_the_precondition() {
    live(seed(false), false, |world, trace| {
        until(world, "three plies", |world| plies(world) >= 3);
        let (_, spooled, _) = clock(world);
        // The service has heard so much of the clock; before its directive is through, a move is completed.
        world.fault(&Fault::Hold { host: "clock-1".to_owned(), long: 8_000 });
        let set = Deed::Set { game: "game-1".to_owned(), left: [3_000_000, 3_100_000] };
        world.hall.want("too-late".to_owned(), set);
        pass(world, 7_900, |_| {});
        assert!(clock(world).1 >= spooled + 2, "a board and a press at least");
        until(world, "there is a last word", |world| {
            let game = journal(world);
            game.directives.iter().any(|sent| matches!(sent.directive.act, Act::Set { .. }) && sent.is_final())
        });
        let game = journal(world);
        let sent =
            game.directives.iter().find(|sent| matches!(sent.directive.act, Act::Set { .. })).expect("it is there");
        assert_eq!((sent.stage, sent.reason), (Stage::Rejected, Some(RejectReason::Overtaken)));
        let text = trace.text();
        assert_eq!(text.matches("its clock is set").count(), 0, "the clock never heard of it");
        assert_eq!(said(trace, "leaps forward"), 0, "no time was set");
    });
}
