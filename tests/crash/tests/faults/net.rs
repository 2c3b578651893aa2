//! The network between clocks and service goes bad.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use flagfall_crash::{
    agent::{Agent, Keeps},
    check::Found,
    desk::{games, open},
    house::{House, lasts, runtime},
    proxy::{End, Proxy, Weather},
};
use flagfall_proto::clock::v1::{
    Ack, Events, LinkRequest, LinkResponse, clock_service_client::ClockServiceClient, link_request,
    link_response::Frame,
};
use flagfall_rules::clock::Colour;
use flagfall_tests::clock::{Clock, Spool, hello};
use prost::Message;
use tokio::{runtime::Runtime, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;

/// How long either end may take to see that the other is gone.
const FREED: Duration = Duration::from_secs(20);

/// An agent at the end of a line of its own, with a game that runs; one at a time.
fn playing(house: &House, runtime: &Runtime, device: &str) -> (Proxy, Agent) {
    let proxy = Proxy::new(runtime.handle(), house.listens.clocks);
    let mut agent = Agent::new(device, house.dir(), proxy.address, Keeps::Own);
    agent.start(None).wait_for("online");
    runtime.block_on(open(house.listens.desk, &format!("game-{device}"), device, "300+3")).expect("open");
    agent.terminal().wait_for("ready");
    agent.press_until("running");
    (proxy, agent)
}

#[test]
fn row_20_holes_and_halves_of_lines_are_noticed_in_time_and_everything_arrives() {
    let devices = ["short", "long", "deaf", "gone"];
    let mut house = House::new(&devices, "");
    house.start(None);
    let runtime = runtime();
    let mut lines: Vec<_> = devices.iter().map(|device| playing(&house, &runtime, device)).collect();
    let over = |device: &str| format!("\"session over\",\"device\":\"{device}\"");
    let (service, asked) = (house.service(), house.listens.desk);
    thread::scope(|scope| {
        let mut each = lines.iter_mut();
        let mut next = || each.next().expect("a line");
        let (proxy, agent) = next();
        scope.spawn(move || {
            proxy.turns(Weather::Hole);
            agent.press_until("unsent");
            lasts(Duration::from_secs(5));
            proxy.turns(Weather::Fair);
            agent.terminal().forget();
            agent.told_all();
            assert!(!service.shown().contains(&over("short")), "five seconds end no session");
        });
        let (proxy, agent) = next();
        scope.spawn(move || {
            agent.rests();
            let heard = heard(asked, "long");
            proxy.turns(Weather::Hole);
            let begun = Instant::now();
            assert!(service.came(&over("long"), FREED), "the service lets go in time");
            // By its own silence or by HTTP/2's, whichever is seen first.
            let last = format!("{},\"epoch\":1,\"durable\":{heard},", over("long"));
            let told = service.shown().lines().find(|line| line.contains(&over("long"))).map(str::to_owned);
            assert!(told.as_ref().is_some_and(|line| line.contains(&last)), "{told:?}, {last}");
            assert!(agent.terminal().came("OFFLINE", FREED), "so does the clock");
            agent.terminal().press(" ");
            agent.press_until("unsent");
            lasts(Duration::from_secs(60).saturating_sub(begun.elapsed()));
            proxy.turns(Weather::Fair);
            agent.terminal().forget();
            agent.told_all();
        });
        let (proxy, agent) = next();
        scope.spawn(move || {
            // The service has ended the session, and the clock is not told.
            proxy.turns(Weather::Forgotten(End::Service));
            assert!(service.came("\"clock taken in\",\"device\":\"deaf\",\"epoch\":2", FREED + FREED / 2));
            agent.press_until("running");
            agent.terminal().forget();
            agent.told_all();
        });
        let (proxy, agent) = next();
        scope.spawn(move || {
            // The clock is gone without a word.
            agent.rests();
            proxy.turns(Weather::Forgotten(End::Clock));
            agent.kill();
            assert!(service.came(&over("gone"), FREED), "the service lets go in time");
        });
    });
    let disks: Vec<_> =
        lines.iter_mut().map(|(_, agent)| if agent.device == "gone" { agent.disk() } else { agent.kill() }).collect();
    assert_eq!(house.stop(), 0);
    let mut found = Found::read(&house.data);
    for (disk, device) in disks.iter().zip(devices) {
        found.spool(device, disk.id, &disk.events, disk.events.len() as u64);
        found.sessions(device, &[1]);
    }
    assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
}

/// The last event that the service has heard of a clock.
fn heard(desk: SocketAddr, device: &str) -> u64 {
    let games = runtime().block_on(games(desk)).expect("the service answers");
    let of_device = games.into_iter().find(|game| game.setup.as_ref().is_some_and(|setup| setup.device == device));
    of_device.expect("its game").heard_seq
}

/// A press whose frame, or whose ack, breaks at every byte; the next session goes on where the disk is.
#[test]
fn row_20_a_line_that_breaks_at_any_byte_of_a_frame_loses_nothing() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    let runtime = runtime();
    let proxy = Proxy::new(runtime.handle(), house.listens.clocks);
    runtime.block_on(open(house.listens.desk, "game", "clock-1", "300+3")).expect("open");
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    spool.press(Colour::White);
    let frame = |spool: &Spool| {
        let events = Events { session_epoch: 100, events: vec![spool.events[1].clone()], sent_ms: 0 };
        LinkRequest { frame: Some(link_request::Frame::Events(events)) }.encoded_len()
    };
    // What HTTP/2 and gRPC put before a message.
    const HEAD: usize = 9 + 5;
    let ack = LinkResponse { frame: Some(Frame::Ack(Ack { durable_through: 200, desired_rev: 1 })) }.encoded_len();
    let up = (0..=frame(&spool) + HEAD + 2).map(|at| (End::Clock, at));
    let down = (0..=ack + HEAD + 2).map(|at| (End::Service, at));
    let (mut acked, mut broken) = (spool.last(), 0);
    runtime.block_on(async {
        let mut clock = Clock::connect(proxy.address, &spool).await.expect("taken in");
        clock.directive().await;
        clock.events(&spool, 1..=acked).await;
        clock.acked(acked).await;
    });
    for (from, at) in up.chain(down) {
        proxy.holds();
        acked = runtime.block_on(async {
            let mut clock = Clock::connect(proxy.address, &spool).await.expect("taken in");
            let there = clock.welcome.durable_through;
            assert!(there >= acked && there >= spool.last() - 1, "{there} of {} are there", spool.last());
            clock.directive().await;
            if there < spool.last() {
                clock.events(&spool, there + 1..=spool.last()).await;
                clock.acked(spool.last()).await;
            }
            let acked = spool.last();
            spool.press(spool.face.turn);
            proxy.breaks_after(from, at);
            clock.events(&spool, spool.last()..=spool.last()).await;
            loop {
                match clock.next().await {
                    Ok(Some(Frame::Ack(ack))) if ack.durable_through == spool.last() => break ack.durable_through,
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => {
                        broken += 1;
                        break acked;
                    }
                }
            }
        });
    }
    println!("{} presses, {broken} broken before they were acknowledged", spool.last());
    assert!(broken > frame(&spool), "the line breaks where it should");
    house.kill();
    let mut found = Found::read(&house.data);
    found.spool("clock-1", spool.id, &spool.events, acked);
    assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
}

#[test]
fn row_22_a_message_far_too_long_is_refused_before_there_is_room_for_it() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    let before = house.service().resident_kib();
    runtime().block_on(async {
        let mut client =
            ClockServiceClient::connect(format!("http://{}", house.listens.clocks)).await.expect("a listener");
        let (requests, frames) = mpsc::channel(4);
        let hello = link_request::Frame::Hello(hello(&Spool::new("clock-1", 1)));
        requests.send(LinkRequest { frame: Some(hello) }).await.expect("room");
        let mut responses = client.link(ReceiverStream::new(frames)).await.expect("taken in").into_inner();
        responses.message().await.expect("no status").expect("Welcome");
        let giant = Events { session_epoch: 1, events: vec![vec![0; 64 << 20]], sent_ms: 0 };
        requests.send(LinkRequest { frame: Some(link_request::Frame::Events(giant)) }).await.expect("room");
        let refused = loop {
            match responses.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the stream ended without a status"),
                Err(status) => break status,
            }
        };
        assert!(refused.message().starts_with("BAD_EVENT: clock-1: a frame is at most 65536 bytes"), "{refused}");
    });
    let more = house.service().resident_kib().saturating_sub(before);
    println!("{more} KiB more for 64 MiB offered");
    assert!(more < 16 << 10, "{more} KiB more for 64 MiB offered");
    assert_eq!(house.stop(), 0);
}

#[test]
fn row_22_who_says_nothing_or_a_byte_at_a_time_is_closed_in_time() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    // Two seconds for a slow machine.
    let patience = Duration::from_secs(7);
    let clocks = house.listens.clocks;
    let closed = move |trickle: &'static [u8]| {
        let begun = Instant::now();
        let mut line = TcpStream::connect(clocks).expect("a listener");
        line.set_read_timeout(Some(Duration::from_millis(400))).expect("a timeout");
        let (mut bytes, mut buffer) = (trickle.iter(), [0; 1_024]);
        while begun.elapsed() < Duration::from_secs(30) {
            // A closed line takes no byte or gives an end.
            if let Some(&byte) = bytes.next()
                && line.write_all(&[byte]).is_err()
            {
                return begun.elapsed();
            }
            match line.read(&mut buffer) {
                Ok(0) => return begun.elapsed(),
                Err(error)
                    if !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) =>
                {
                    return begun.elapsed();
                }
                _ => {}
            }
        }
        begun.elapsed()
    };
    let ways: [&'static [u8]; 3] =
        [b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nA: aaaaaaaaaaaaaaaa"];
    let took: Vec<Duration> = thread::scope(|scope| {
        let running: Vec<_> = ways.iter().map(|way| scope.spawn(move || closed(way))).collect();
        running.into_iter().map(|way| way.join().expect("no panic")).collect()
    });
    println!("closed after {took:.1?}");
    assert!(took.iter().all(|took| *took < patience), "closed after {took:?}");
    // A stream on which no Hello comes, on a connection that is in order.
    let begun = Instant::now();
    let ended = runtime().block_on(async {
        let mut client = ClockServiceClient::connect(format!("http://{clocks}")).await.expect("a listener");
        let (_requests, frames) = mpsc::channel::<LinkRequest>(1);
        let mut responses = client.link(ReceiverStream::new(frames)).await.expect("a stream").into_inner();
        responses.message().await.expect_err("no Hello, no Welcome")
    });
    assert!(begun.elapsed() < patience, "closed after {:?}: {ended}", begun.elapsed());
    assert_eq!(house.stop(), 0);
}
