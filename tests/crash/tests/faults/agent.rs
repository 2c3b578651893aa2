//! The agent is killed.

use std::time::Duration;

use flagfall_clock::core::Stored;
use flagfall_crash::{
    agent::{Agent, Disk, Keeps},
    armed::{BEFORE_FSYNC, BEFORE_REPORT, BEFORE_WRITE, DIRECTIVE_STORED},
    check::Found,
    desk::{add, games, open},
    external::ExternalClock,
    house::{House, PATIENCE, rounds, runtime, seed},
};
use flagfall_proto::clock::v1::{DeviceEvent, FaultKind, Going, device_event::What};
use flagfall_rules::clock::Going as Stands;
use prost::Message;
use rand::{Rng, SeedableRng, rngs::StdRng};

fn decoded(event: &[u8]) -> DeviceEvent {
    DeviceEvent::decode(event).expect("an event")
}

/// A service with agents that keep their own time, each with a game that runs.
fn under_way(count: usize) -> (House, Vec<Agent>) {
    let devices: Vec<String> = (1..=count).map(|n| format!("clock-{n}")).collect();
    let mut house = House::new(&devices.iter().map(String::as_str).collect::<Vec<_>>(), "");
    house.start(None);
    let mut agents = Vec::new();
    for device in &devices {
        let mut agent = Agent::new(device, house.dir(), house.listens.clocks, Keeps::Own);
        agent.start(None).wait_for("online");
        runtime().block_on(open(house.listens.desk, &format!("game-{device}"), device, "300+3")).expect("open");
        agent.terminal().wait_for("ready");
        agent.press_until("running");
        agents.push(agent);
    }
    (house, agents)
}

/// What the journal must say of an agent once it has told everything: exactly what is on its disk.
fn agrees(found: &mut Found, device: &str, disk: &Disk) {
    found.spool(device, disk.id, &disk.events, disk.events.len() as u64);
}

fn checked(mut house: House, disks: &[(String, Disk)]) {
    assert_eq!(house.stop(), 0);
    let mut found = Found::read(&house.data);
    disks.iter().for_each(|(device, disk)| agrees(&mut found, device, disk));
    assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
}

/// The first event of a clock that came back: it says that the power was lost, and shows the last face on the disk.
fn came_back(stored: &Stored, event: &DeviceEvent) {
    let Some(What::Fault(fault)) = &event.what else { panic!("{event:?}") };
    assert_eq!(fault.kind(), FaultKind::PowerLost);
    let (face, last) = (event.face.expect("a face"), stored.face.expect("a face on the disk"));
    assert_eq!(face.going(), Going::Paused);
    let left = |hand: Option<flagfall_proto::clock::v1::Hand>| hand.and_then(|hand| hand.left_ms);
    assert_eq!([left(face.white), left(face.black)], last.hands.map(|hand| hand.left), "no time was invented");
}

#[test]
fn row_05_killed_before_the_fsync_the_press_was_never_sent_and_the_clock_comes_back_paused() {
    let (house, mut agents) = under_way(4);
    let mut rng = StdRng::seed_from_u64(seed("row 5"));
    let mut disks: Vec<Option<Disk>> = agents.iter().map(|_| None).collect();
    for round in 0..rounds(4) {
        let at = [BEFORE_WRITE, BEFORE_FSYNC][round as usize % 2];
        for (agent, disk) in agents.iter_mut().zip(&mut disks) {
            agent.kill();
            agent.start(Some((at, rng.random_range(4..12)))).wait_for("PAUSED");
            agent.terminal().press(" ");
            agent.press_until(&format!("reached {at}"));
            let now = agent.kill();
            if let Some(before) = disk.replace(now)
                && let Some(now) = disk
            {
                let kept = before.events.len();
                assert_eq!(now.events[..kept], before.events, "nothing that was on the disk is gone or another");
                came_back(&before.stored, &decoded(&now.events[kept]));
            }
            agent.start(None).wait_for("PAUSED");
        }
    }
    let mut last = Vec::new();
    for agent in &mut agents {
        agent.told_all();
        last.push((agent.device.clone(), agent.kill()));
    }
    println!(
        "{} events, told as they are on the clocks' disks",
        last.iter().map(|(_, d)| d.events.len()).sum::<usize>()
    );
    checked(house, &last);
}

#[test]
fn row_06_killed_with_a_directive_noted_an_external_clock_is_set_once() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    let clock = ExternalClock::new();
    let mut agent = Agent::new("clock-1", house.dir(), house.listens.clocks, Keeps::External(clock.board.path()));
    agent.start(None).wait_for("online");
    let (runtime, desk) = (runtime(), house.listens.desk);
    runtime.block_on(open(desk, "game", "clock-1", "300+3")).expect("open");
    agent.terminal().wait_for("game");
    let (mut settings, mut wanted) = (clock.settings(), 300);
    let rounds = rounds(4);
    for round in 1..=rounds {
        agent.kill();
        wanted += 60;
        let begun = settings.borrow_and_update().len();
        if round % 2 == 0 {
            // The clock is not yet set.
            agent.start(Some((DIRECTIVE_STORED, 1))).wait_for("online");
            runtime.block_on(add(desk, &format!("add-{round}"), "game", 60_000)).expect("added");
            agent.terminal().wait_for(&format!("reached {DIRECTIVE_STORED}"));
            agent.kill();
            assert_eq!(settings.borrow().len(), begun, "nobody has set the clock");
        } else {
            // The clock is set, and the agent does not hear that it is.
            clock.board.set_acks(false);
            agent.start(None).wait_for("online");
            runtime.block_on(add(desk, &format!("add-{round}"), "game", 60_000)).expect("added");
            let set = async { settings.wait_for(|settings| settings.len() > begun).await.map(drop) };
            runtime.block_on(async { tokio::time::timeout(PATIENCE, set).await }).expect("in time").expect("set");
            agent.kill();
            clock.board.set_acks(true);
        }
        agent.start(None).wait_for("online");
        let game = runtime.block_on(settled(desk, round + 1));
        assert_eq!(settings.borrow().len(), begun + 1, "set once");
        let white = game.face.and_then(|face| face.white).and_then(|hand| hand.left_ms).expect("a time");
        assert_eq!(white / 1_000, wanted, "a minute more each time: {game:?}");
    }
    agent.told_all();
    let disk = agent.kill();
    checked(house, &[("clock-1".to_owned(), disk)]);
}

/// Waits until the directive with this revision was carried out; the only game as it then stands.
async fn settled(desk: std::net::SocketAddr, rev: u64) -> flagfall_proto::desk::v1::GameSnapshot {
    let wait = async {
        loop {
            let game = games(desk).await.expect("the service answers").pop().expect("a game");
            let stages: Vec<_> = game.directives.iter().map(|directive| directive.stage()).collect();
            if stages.get(rev as usize - 1).is_some_and(|&stage| stage == flagfall_proto::clock::v1::Stage::Applied) {
                return game;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("carried out in time")
}

#[test]
fn row_07_killed_before_the_report_the_directive_is_reported_and_not_carried_out_again() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    let (runtime, desk) = (runtime(), house.listens.desk);
    let mut agent = Agent::new("clock-1", house.dir(), house.listens.clocks, Keeps::Own);
    agent.start(Some((BEFORE_REPORT, 1))).wait_for("online");
    runtime.block_on(open(desk, "game", "clock-1", "300+3")).expect("open");
    agent.terminal().wait_for(&format!("reached {BEFORE_REPORT}"));
    let mut wanted = 303_000;
    for round in 1..=rounds(6) {
        agent.kill();
        agent.start(Some((BEFORE_REPORT, 1))).wait_for("online");
        let game = runtime.block_on(settled(desk, round));
        let white = game.face.and_then(|face| face.white).and_then(|hand| hand.left_ms).expect("a time");
        assert_eq!(white, wanted, "a minute more each time");
        runtime.block_on(add(desk, &format!("add-{round}"), "game", 60_000)).expect("added");
        agent.terminal().wait_for(&format!("reached {BEFORE_REPORT}"));
        wanted += 60_000;
    }
    agent.kill();
    agent.start(None).wait_for("online");
    agent.told_all();
    let disk = agent.kill();
    assert_eq!(disk.stored.face.map(|face| (face.going, face.hands[0].left)), Some((Stands::Idle, Some(wanted))));
    checked(house, &[("clock-1".to_owned(), disk)]);
}
