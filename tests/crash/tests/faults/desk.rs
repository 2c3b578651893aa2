//! What goes wrong at the desk: two arbiters, an edition that changes, a calendar that leaps.

use flagfall_crash::{desk::games, house::House};
use flagfall_proto::{
    clock::v1::{Colour as Side, Directive, Place, Quiet, Stage, device_event::What, directive::Act as Order},
    desk::v1::{
        Act, DecideRequest, OpenGameRequest, ReportIrregularityRequest, desk_service_client::DeskServiceClient,
    },
    journal::v1::{Decision, Irregularity, Play, SeenIrregularity},
};
use flagfall_rules::{
    clock::{Colour, Control, Going, Place as Half},
    game::{self, DeskAct, DeskInput, Game, Input, Overlay, Setup},
    laws::{self, Play as Kind},
};
use flagfall_tests::clock::{Clock, Spool};
use tonic::{Code, transport::Channel};

fn act(request: &str) -> Option<Act> {
    Some(Act { request: request.into(), actor: request.into(), ..Act::default() })
}

async fn desk(house: &House) -> DeskServiceClient<Channel> {
    DeskServiceClient::connect(format!("http://{}", house.listens.desk)).await.expect("a listener")
}

async fn open(house: &House, device: &str, edition: &str) {
    let control: Control = "300+3".parse().expect("a control");
    let request = OpenGameRequest {
        act: act(device),
        game: format!("game-{device}"),
        device: device.into(),
        edition: edition.into(),
        play: Play::Standard.into(),
        control: Some((&control).into()),
        side_binding: Place::Left.into(),
        position: String::new(),
        overlay: None,
    };
    desk(house).await.open_game(request).await.expect("open");
}

/// A clock that carries out a directive.
async fn obey(clock: &Clock, spool: &mut Spool, directive: &Directive) {
    match directive.act {
        Some(Order::Stop(_)) => spool.face.going = Going::Paused,
        Some(Order::Prepare(_)) => spool.face.going = Going::Idle,
        _ => {}
    }
    spool.report(directive, Stage::Applied);
    clock.events(spool, spool.last()..=spool.last()).await;
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// A game on this clock in which White presses without having moved.
async fn presses_without_a_move(house: &House, spool: &mut Spool) {
    let mut clock = Clock::connect(house.listens.clocks, spool).await.expect("taken in");
    if spool.events.is_empty() {
        let prepare = clock.directive().await;
        obey(&clock, spool, &prepare).await;
    }
    let from = spool.last() + 1;
    spool.scan(START);
    spool.start();
    spool.press(Colour::White);
    spool.push(What::Quiet(Quiet { since_ms: 1 }));
    spool.push(What::Call(flagfall_proto::clock::v1::Call { colour: 0 }));
    clock.events(spool, from..=spool.last()).await;
    clock.acked(spool.last()).await;
}

/// The first round is played by the edition of 2014, which does not know a press without a move; in the middle of it the event goes
/// over to that of 2018, which does.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn row_29_a_game_keeps_the_edition_that_it_began_with() {
    let mut house = House::new(&["clock-1", "clock-2"], "");
    house.start(None);
    open(&house, "clock-1", "fide-2014").await;
    let mut older = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(house.listens.clocks, &older).await.expect("taken in");
    let prepare = clock.directive().await;
    obey(&clock, &mut older, &prepare).await;
    clock.acked(older.last()).await;
    house.kill();
    house.start(None);
    open(&house, "clock-2", "fide-2018").await;
    let mut newer = Spool::new("clock-2", 2);
    presses_without_a_move(&house, &mut older).await;
    presses_without_a_move(&house, &mut newer).await;
    let games = games(house.listens.desk).await.expect("games");
    let editions = games.iter().map(|game| game.setup.as_ref().expect("a setup").edition.as_str());
    assert_eq!(editions.collect::<Vec<_>>(), ["fide-2014", "fide-2018"]);
    let found: Vec<Vec<i32>> = games
        .iter()
        .map(|game| game.cases.iter().filter_map(|case| case.finding.as_ref()).map(|finding| finding.kind).collect())
        .collect();
    assert_eq!(found, [vec![], vec![Irregularity::PressWithoutMove as i32]]);
    assert_eq!(house.stop(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn row_25_of_two_arbiters_who_decide_differently_one_is_told_that_the_other_was_first() {
    let mut house = House::new(&["clock-1"], "");
    house.start(None);
    open(&house, "clock-1", "fide-2018").await;
    let mut spool = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(house.listens.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    obey(&clock, &mut spool, &prepare).await;
    spool.start();
    spool.press(Colour::White);
    clock.events(&spool, 2..=3).await;
    let seen = SeenIrregularity {
        kind: Irregularity::Conduct.into(),
        by: Side::White.into(),
        note: "spoke to his neighbour".into(),
        ..Default::default()
    };
    let report = ReportIrregularityRequest { act: act("report"), game: "game-clock-1".into(), seen: Some(seen) };
    let case = desk(&house).await.report_irregularity(report).await.expect("a case").into_inner().case;
    let stop = clock.directive().await;
    obey(&clock, &mut spool, &stop).await;
    clock.acked(spool.last()).await;
    let proposal = games(house.listens.desk).await.expect("games")[0].cases[0].proposal.clone().expect("a proposal");
    let ways: Vec<String> = proposal.remedies.iter().map(|remedy| remedy.key.clone()).collect();
    assert!(ways.len() >= 2, "{ways:?}");
    let decide = async |request: &str, choice: &str| {
        let decision = Some(Decision { case, choice: choice.into(), note: String::new() });
        let request = DecideRequest { act: act(request), game: "game-clock-1".into(), decision };
        desk(&house).await.decide(request).await
    };
    let (one, two) = tokio::join!(decide("arbiter-1", &ways[0]), decide("arbiter-2", &ways[1]));
    let (first, refused) = match (one, two) {
        (Ok(_), Err(refused)) => ("arbiter-1", refused),
        (Err(refused), Ok(_)) => ("arbiter-2", refused),
        both => panic!("one is first: {both:?}"),
    };
    assert_eq!(refused.code(), Code::Aborted, "{refused}");
    assert!(refused.message().starts_with("ALREADY_DECIDED: ") && refused.message().contains(first), "{refused}");
    let ruling = games(house.listens.desk).await.expect("games")[0].cases[0].ruling.clone().expect("a ruling");
    assert_eq!(ruling.actor, first);
    assert_eq!(house.stop(), 0);
}

/// The service's calendar is an hour off, or stands at 1970: a stamp on what the desk did, and nothing else.
#[test]
fn row_19_a_calendar_that_leaps_changes_no_result() {
    let played = |wall: [i64; 3]| {
        let setup = Setup {
            game: "g".into(),
            device: "clock-1".into(),
            edition: "fide-2018".into(),
            play: Kind::Standard,
            control: Some("300+3".parse().expect("a control")),
            white_place: Half::Left,
            position: None,
            overlay: Overlay::default(),
        };
        let acts = [
            DeskAct::Open(setup),
            DeskAct::Direct(game::Act::Add(Colour::White, 60_000), game::Words::default(), Default::default()),
            DeskAct::Direct(game::Act::Stop, game::Words::default(), Default::default()),
        ];
        let edition = laws::edition("fide-2018").expect("an edition");
        let (mut game, mut events) = (Game::new("g"), Vec::new());
        for ((n, act), wall_ms) in (0..).zip(acts).zip(wall) {
            let input =
                DeskInput { request: format!("r{n}"), actor: "arbiter".into(), wall_ms, reason: String::new(), act };
            game::decide_into(&mut events, edition, &mut game, &Input::Desk(input)).expect("admitted");
        }
        events
    };
    const HOUR: i64 = 3_600_000;
    const NOW: i64 = 1_800_000_000_000;
    let right = played([NOW, NOW + 1_000, NOW + 2_000]);
    for wall in [[NOW, NOW - HOUR, NOW], [NOW, NOW + HOUR, NOW + 1], [0, NOW, 1], [-1, 0, i64::MAX]] {
        assert_eq!(played(wall), right, "{wall:?}");
    }
}
