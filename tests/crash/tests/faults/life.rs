//! Processes that are told to end, that sleep, and that begin another boot.

use std::{
    fs,
    time::{Duration, Instant},
};

use flagfall_crash::{
    agent::{Agent, Keeps},
    check::Found,
    desk::open,
    house::{House, lasts, runtime},
    storm::Storm,
};
use flagfall_proto::clock::v1::{DeviceEvent, FaultKind, Going, device_event::What};
use flagfall_rules::clock::Colour;
use flagfall_tests::clock::{Clock, Spool};
use prost::Message;
use rustix::process::Signal;

#[test]
fn row_30_a_drain_in_the_middle_of_games_loses_no_ack_and_spreads_the_clocks() {
    let mut storm = Storm::new("drain", 30);
    for round in 1..=3 {
        let (code, took, rests) = storm.drain(Duration::from_millis(500));
        println!("round {round}: drained in {took:.1?}, the clocks shall rest {rests:?} ms");
        assert_eq!(code, 0);
        assert!(took < Duration::from_secs(20), "{took:?}");
        assert!(!rests.is_empty() && rests.iter().all(|&rest| rest >= 100), "{rests:?}");
        let mut different = rests.clone();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > rests.len() / 2, "they come back spread: {rests:?}");
        storm.check();
    }
    storm.quiet();
}

#[test]
fn row_32_a_service_that_slept_half_a_minute_goes_on_with_the_clocks_it_lost() {
    let mut house = House::new(&["clock-1", "clock-2"], "");
    house.start(None);
    let mut agents = Vec::new();
    for device in ["clock-1", "clock-2"] {
        let mut agent = Agent::new(device, house.dir(), house.listens.clocks, Keeps::Own);
        agent.start(None).wait_for("online");
        runtime().block_on(open(house.listens.desk, &format!("game-{device}"), device, "300+3")).expect("open");
        agent.terminal().wait_for("ready");
        agent.press_until("running");
        agents.push(agent);
    }
    house.service().signal(Signal::STOP);
    for agent in &mut agents {
        agent.press_until("unsent");
    }
    let begun = Instant::now();
    for agent in &mut agents {
        assert!(agent.terminal().came("OFFLINE", Duration::from_secs(20)), "the clock notices");
    }
    lasts(Duration::from_secs(30).saturating_sub(begun.elapsed()));
    house.service().signal(Signal::CONT);
    for agent in &mut agents {
        agent.terminal().forget();
        agent.told_all();
    }
    let disks: Vec<_> = agents.iter_mut().map(Agent::kill).collect();
    assert_eq!(house.stop(), 0);
    let mut found = Found::read(&house.data);
    for (agent, disk) in agents.iter().zip(&disks) {
        found.spool(&agent.device, disk.id, &disk.events, disk.events.len() as u64);
        // The session it slept through, and one after it.
        found.sessions(&agent.device, &[1, 2]);
    }
    assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
}

/// A clock sleeps a minute; meanwhile its card goes on in another device. What it says when it wakes is nobody's any more.
#[test]
fn row_16_a_clock_that_wakes_after_a_minute_finds_another_session_and_writes_nothing() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    let mut agent = Agent::new("clock-1", house.dir(), house.listens.clocks, Keeps::Own);
    agent.start(None).wait_for("online");
    runtime().block_on(open(house.listens.desk, "game", "clock-1", "300+3")).expect("open");
    agent.terminal().wait_for("ready");
    agent.press_until("running");
    agent.terminal().forget();
    agent.told_all();
    // Bytes of its last events are on their way while it falls asleep, or not: both is right.
    agent.terminal().press("a");
    agent.terminal().signal(Signal::STOP);
    let begun = Instant::now();
    let disk = agent.disk();
    let mut spool = Spool { id: disk.id, events: disk.events, ..Spool::new("clock-1", 1) };
    runtime().block_on(async {
        let mut other = Clock::connect(house.listens.clocks, &spool).await.expect("the newer session wins");
        spool.press(Colour::White);
        spool.press(Colour::Black);
        other.events(&spool, other.welcome.durable_through + 1..=spool.last()).await;
        other.acked(spool.last()).await;
    });
    lasts(Duration::from_secs(60).saturating_sub(begun.elapsed()));
    agent.terminal().forget();
    agent.terminal().signal(Signal::CONT);
    agent.terminal().press("l");
    agent.terminal().wait_for("begin a new");
    agent.kill();
    assert_eq!(house.stop(), 0);
    let mut found = Found::read(&house.data);
    found.spool("clock-1", spool.id, &spool.events, spool.last());
    found.sessions("clock-1", &[1, 2]);
    assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
}

/// Another boot by another name, and its time since boot begins anew: what a computer without a battery wakes to.
#[test]
fn row_18_a_clock_that_reboots_goes_on_with_its_game_and_invents_no_time() {
    reboots("row 18", 0);
}

/// The same, and the time since boot is behind that of the boot before.
#[test]
fn row_19_time_since_boot_that_begins_anew_changes_no_time_and_no_order() {
    let uptime = fs::read_to_string("/proc/uptime").expect("an uptime");
    let seconds: f64 = uptime.split(' ').next().expect("a number").parse().expect("a number");
    reboots("row 19", 20 - seconds as i64);
}

fn reboots(what: &str, offset: i64) {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    let mut agent = Agent::new("clock-1", house.dir(), house.listens.clocks, Keeps::Own);
    agent.start(None).wait_for("online");
    runtime().block_on(open(house.listens.desk, "game", "clock-1", "300+3")).expect("open");
    agent.terminal().wait_for("ready");
    agent.press_until("running");
    let before = agent.kill();
    let name = house.dir().join("boot");
    fs::write(&name, "01234567-89ab-cdef-0123-456789abcdef\n").expect("a boot");
    let mount = format!("mount --bind {} /proc/sys/kernel/random/boot_id", name.display());
    let unshare = format!("unshare --mount --time --monotonic={offset} --fork --kill-child bash -c");
    let tried =
        std::process::Command::new("bash").arg("-c").arg(format!("{unshare} '{mount}'")).output().expect("bash");
    if !tried.status.success() {
        return println!("not run: no namespaces here: {}", String::from_utf8_lossy(&tried.stderr).trim());
    }
    agent.by_way_of(&format!("{unshare} '{mount} && exec \"$0\" \"$@\"' "));
    agent.start(None).wait_for("PAUSED");
    agent.terminal().press(" ");
    agent.press_until("running");
    agent.terminal().forget();
    agent.told_all();
    let after = agent.kill();
    assert_eq!(house.stop(), 0);
    let mut found = Found::read(&house.data);
    found.spool("clock-1", after.id, &after.events, after.events.len() as u64);
    assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
    let event = |bytes: &[u8]| DeviceEvent::decode(bytes).expect("an event");
    let [last, first] = [&after.events[before.events.len() - 1], &after.events[before.events.len()]].map(|e| event(e));
    let boot = |event: &DeviceEvent| event.at.as_ref().expect("a time").clone();
    println!("{what}: {:?} then {:?}", boot(&last).monotonic_ms, boot(&first).monotonic_ms);
    assert_ne!(boot(&last).boot_id, boot(&first).boot_id);
    if offset < 0 {
        assert!(boot(&first).monotonic_ms < boot(&last).monotonic_ms, "time since boot began anew");
    }
    let Some(What::Fault(fault)) = &first.what else { panic!("{first:?}") };
    assert_eq!((fault.kind(), first.face.map(|face| face.going())), (FaultKind::PowerLost, Some(Going::Paused)));
    let left = |hand: Option<flagfall_proto::clock::v1::Hand>| hand.and_then(|hand| hand.left_ms);
    let (shown, kept) = (first.face.expect("a face"), before.stored.face.expect("a face on the disk"));
    assert_eq!([left(shown.white), left(shown.black)], kept.hands.map(|hand| hand.left), "no time is invented");
}
