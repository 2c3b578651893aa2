//! What an appeals committee reads: the rulings of a round, those of finished games among them, with the names of who played.

use std::sync::Arc;

use flagfall_browser::{hall::Hall, plain::Visitor};
use flagfall_proto::desk::v1::{Act, OpenGameRequest};
use flagfall_rules::clock::Going;
use flagfall_server::journal::{SledJournal, sled::Options};

#[tokio::test(flavor = "multi_thread")]
async fn the_sheet_of_a_round_has_the_rulings_of_games_that_lie_on_the_shelf() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let journal = Arc::new(SledJournal::open(&Options::new(folder.path()))?);
    let hall = Hall::on(journal, 3, |settings| {
        // A game that is over is laid down as soon as anybody looks.
        (settings.limits.idle_s, settings.limits.shelve_s) = (0, 0);
    })
    .await?;
    let mut tables = hall.event(2, |number| format!("Player {number:03}")).await?;
    let [first, second] = tables.as_mut_slice() else { panic!("two tables") };
    let mut arbiter = Visitor::at(&hall.page("/"));

    // On board 1 a penalty that is ruled, and the game ends; on board 2 the arbiter adds time, and it goes on.
    first.start().await?;
    first.jump().await?;
    first.wait("is stopped", |shown| shown.applied_rev == 2 && shown.face.going == Going::Paused).await?;
    while hall.confirm("open.r1.b01").await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    first.wait("is set", |shown| shown.applied_rev == 3).await?;
    hall.conclude("open.r1.b01").await?;
    first.wait("is over", |shown| shown.face.going == Going::Over).await?;
    second.wait("has its game", |shown| shown.game == "open.r1.b02" && shown.applied_rev == 1).await?;
    let add = [("do", "add"), ("side", "black"), ("amount", "2:00")];
    assert_eq!(arbiter.look_and_do("open.r1.b02", &add, "noise in the hall").await?.status, 303);
    // The games of a round that is not closed stay at hand.
    hall.close_round().await?;
    hall.shelved("open.r1.b01").await?;

    // A game of no event, and of another day's sheet.
    let open = OpenGameRequest {
        act: Some(Act { request: "open".into(), actor: "organiser".into(), ..Act::default() }),
        game: "skittles".into(),
        device: "clock-3".into(),
        edition: "fide-2023".into(),
        play: flagfall_proto::journal::v1::Play::Standard.into(),
        control: "5400+30".parse::<flagfall_rules::clock::Control>().ok().map(|control| (&control).into()),
        side_binding: 1,
        ..OpenGameRequest::default()
    };
    hall.desk().await?.open_game(open).await?;
    let result = [("do", "result"), ("result", "1-0")];
    assert_eq!(arbiter.look_and_do("skittles", &result, "seen by the arbiter").await?.status, 303);

    // What an organiser enters is on the sheet too, once, with its forfeit and its reason.
    let word = arbiter.word("/round").await?;
    let fields = [
        ("word", word.as_str()),
        ("request", "entered"),
        ("board", "2"),
        ("result", "-/+"),
        ("reason", "left the hall"),
    ];
    assert_eq!(arbiter.post("/round/open/1/result", &fields).await?.status, 303);

    let sheet = arbiter.get("/sheet?event=open&round=1").await?.body;
    assert!(sheet.contains("Harbour Open · round 1"), "{sheet}");
    assert!(sheet.contains("result of the round: -/+<br><i><bdi>left the hall</bdi></i>"), "{sheet}");
    assert_eq!(sheet.matches("left the hall").count(), 1, "{sheet}");
    let game = arbiter.get("/game/open.r1.b02").await?.body;
    assert!(game.contains("left the hall"), "the game is told why, too: {game}");
    for cell in [
        "Player 001</bdi> – <bdi>Player 003",
        "Illegal move (White)",
        "Player 002</bdi> – <bdi>Player 004",
        "noise in the hall",
    ] {
        assert!(sheet.contains(cell), "{cell}\n{sheet}");
    }
    assert!(!sheet.contains("seen by the arbiter"), "{sheet}");
    assert_eq!(arbiter.get("/sheet").await?.body, sheet, "the last round is what is asked for most");
    let by_day = arbiter.get("/sheet?day=").await?.body;
    assert!(by_day.contains("seen by the arbiter") && by_day.contains("board-3"), "{by_day}");
    assert!(!by_day.contains("noise in the hall"), "{by_day}");

    // The game itself, its names and what was done lie there too.
    for path in ["/game/open.r1.b01", "/game/open.r1.b02/act?do=stop"] {
        let page = arbiter.get(path).await?.body;
        let names = if path.contains("b01") {
            "1 · <bdi>Player 001</bdi> – <bdi>Player 003"
        } else {
            "2 · <bdi>Player 002</bdi> – <bdi>Player 004"
        };
        assert!(page.contains(names), "{path}\n{page}");
    }
    for nonsense in ["/sheet?event=open&round=99", "/sheet?event=none&round=1"] {
        assert_eq!(arbiter.get(nonsense).await?.status, 404, "{nonsense}");
    }
    assert_eq!(arbiter.get("/sheet?round=99999999999999").await?.status, 400);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ruling_leads_to_its_trace() -> anyhow::Result<()> {
    let mut hall = Hall::with(2, |_| {}).await?;
    let mut tables = hall.event(2, |number| format!("Player {number:03}")).await?;
    let table = &mut tables[0];
    table.start().await?;
    table.jump().await?;
    table.wait("is stopped", |shown| shown.applied_rev == 2 && shown.face.going == Going::Paused).await?;
    while hall.confirm("open.r1.b01").await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let mut arbiter = Visitor::at(&hall.page("/"));
    let page = arbiter.get("/game/open.r1.b01").await?.body;
    let id =
        page.split_once("<code>flagfall trace ").expect("a trace").1.split('<').next().unwrap_or_default().to_owned();
    assert_eq!(id.len(), 32, "{id}");
    let traces = Visitor::at(&hall.ops("/")).get(&format!("/traces/{id}")).await?;
    assert_eq!(traces.status, 200, "{}", traces.body);

    // Where people reach those pages, the ruling leads there.
    hall.set(|settings| settings.ops_url = Some("https://ops.example/".into()));
    hall.restart().await?;
    let page = Visitor::at(&hall.page("/")).get("/game/open.r1.b01").await?.body;
    assert!(page.contains(&format!("<a href=\"https://ops.example/traces/{id}\">trace</a>")), "{page}");
    Ok(())
}
